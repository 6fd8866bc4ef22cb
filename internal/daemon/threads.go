package daemon

import (
	"context"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
)

// threads begins threads in the desk, for the commands of a conversation.
type threads struct{ d *Daemon }

// BeginThread implements [inbox.Threads].
func (t threads) BeginThread(ctx context.Context, by event.Party, project, title string) (r desk.Record, err error) {
	at := t.d.ownPlace(by)
	at.Stream = ""
	commit := func(drafts []event.Draft) error {
		_, err := t.d.db.Log.Append(ctx, drafts...)
		return err
	}
	err = t.d.clerk.Do(ctx, at, project, commit, func(w *clerk.Work) (err error) {
		r, _, err = w.EnsureThread(desk.ThreadBody{Title: title})
		return err
	})
	return r, err
}
