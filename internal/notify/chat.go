package notify

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"chela/internal/event"
	"chela/internal/session"
)

// chats tells people in their chats what they have not read meanwhile. Who has none is told on the page alone. In somebody's quiet hours
// what is due waits for their end: it was to go before they began, and a daemon was not there, or the platform.
func (k *Keeper) chats(ctx context.Context) error {
	now := k.Log.Mint().Now()
	var quiet []string // whose hours it is
	var failed error
	for again := true; again; {
		again = false
		due, err := k.Inbox.ForChats(ctx, now, quiet)
		if err != nil {
			return fmt.Errorf("list what goes to chats: %w", err)
		}
		for person, list := range due { // who cannot be told keeps nobody else from it
			p, err := k.Inbox.Preferences(ctx, person)
			switch {
			case err == nil && p.QuietAt(now):
				quiet, again = append(quiet, person), true
				continue
			case err == nil:
				err = k.chat(ctx, person, list)
			}
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("tell %s in their chat: %w", person, err))
			}
		}
	}
	return failed
}

// chat tells a person in their chat.
func (k *Keeper) chat(ctx context.Context, person string, list []View) error {
	thread, err := k.Inbox.ChatOf(ctx, person)
	if err != nil {
		return err
	}
	told := Told{Thread: thread}
	var fresh []View
	for _, v := range list {
		told.IDs = append(told.IDs, v.ID)
		if v.Thread != thread { // the chat shows its own conversation's questions already
			fresh = append(fresh, v)
		}
	}
	at := k.place(person)
	at.Key = "notify/told/" + person + "/" + told.IDs[0]
	drafts := []event.Draft{ToldKind.Draft(at, told)}
	if thread != "" && len(fresh) > 0 {
		there := k.place(person)
		there.Stream, there.Thread, there.Key = event.ThreadStream(thread), thread, at.Key+"/said"
		drafts = append(drafts, session.NoticeKind.Draft(there, session.Notice{Message: Digest(fresh)}))
	}
	_, err = k.Log.Append(ctx, drafts...)
	return err
}

// Digest is what people read of notifications in a chat.
func Digest(list []View) string {
	var b strings.Builder
	for i, v := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		if len(list) > 1 {
			b.WriteString("- ")
		}
		b.WriteString(v.Line())
	}
	return b.String()
}

// Line says a notification in a line.
func (n Notification) Line() string {
	about := strings.Join(strings.Fields(n.Title), " ")
	text := strings.Join(strings.Fields(n.Text), " ")
	switch n.Reason {
	case Approval:
		return strings.TrimSpace("Waits for your answer: " + about + " " + short(text, 120))
	case Mention:
		return fmt.Sprintf("You are mentioned on %s: %s", about, short(text, 160))
	case Comment:
		return fmt.Sprintf("A comment on %s: %s", about, short(text, 160))
	case Assigned:
		return "Assigned to you: " + about
	case Failed:
		return fmt.Sprintf("Failed: %s. %s", about, short(text, 160))
	case Due:
		return "Due today: " + about
	case Finding:
		return "Found: " + about
	case Reminder:
		return "Reminder: " + about
	case Schedule:
		return fmt.Sprintf("By the clock, %s: %s", about, short(text, 400))
	}
	return about
}
