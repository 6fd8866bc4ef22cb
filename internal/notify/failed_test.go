package notify_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/notify"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
)

// TestKeeper_WhoIsThereIsNotTold: what fails where its person looks, and what a program asked, is no news.
func TestKeeper_WhoIsThereIsNotTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := org.Person{ID: "per_joe"}.Party()
	keyed := by
	keyed.Key = "key_1"
	for title, s := range map[string]run.Spec{
		"Hello": {Kind: session.ChatRun, By: by}, "Call read_tickets": {Kind: "invocation", By: keyed}, "Intake": {Kind: "intake", By: by},
		"SHOP-1: @coder mend it": {Kind: session.ChatRun, By: by, Input: json.RawMessage(`{"message_id":"msg_1","background":true}`)},
	} {
		at := w.place(event.ThreadStream("thr_"+s.Kind), by.AgentID)
		s.ID, s.Thread, s.Project, s.Lane, s.Title = run.ID(at.Run), "thr_"+s.Kind, w.project, "user", title
		w.append(run.QueuedKind.Draft(at, s), run.FinishedKind.Draft(at, run.Finished{State: run.Failed, Reason: "No."}))
	}
	w.pass()
	if got := w.told("per_joe"); len(got) != 2 || !slices.Contains(got, "Failed: Intake. No.") || !slices.Contains(got, "Failed: SHOP-1: @coder mend it. No.") {
		t.Errorf("Joe is told %q, want of the intake, and of the agent that a comment of his mentions: he looks at the ticket, not at its conversation", got)
	}
	w.expect("per_ann")
}

// earlier are runs that began a minute before the log says so.
type earlier struct{ notify.Runs }

func (e earlier) Run(ctx context.Context, id run.ID) (run.Run, error) {
	r, err := e.Runs.Run(ctx, id)
	r.CreatedAt = r.CreatedAt.Add(-time.Minute)
	return r, err
}

func (e earlier) RunList(ctx context.Context, f run.Filter) ([]run.Run, error) {
	all, err := e.Runs.RunList(ctx, f)
	for i := range all {
		all[i].CreatedAt = all[i].CreatedAt.Add(-time.Minute)
	}
	return all, err
}

// TestKeeper_WhoWaitedIsTold: a chat that fails after a minute is news, as its person may have gone.
func TestKeeper_WhoWaitedIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.begin(earlier{w.db.Runs})
	by := org.Person{ID: "per_joe"}.Party()
	at := w.place(event.ThreadStream("thr_1"), by.AgentID)
	w.append(run.QueuedKind.Draft(at, run.Spec{Thread: "thr_1", Project: w.project, Kind: session.ChatRun, Lane: "user", Title: "Hello", By: by}),
		run.FinishedKind.Draft(at, run.Finished{State: run.Failed, Reason: "No."}))
	w.pass()
	w.expect("per_joe", "Failed: Hello. No.")
	w.expect("per_ann")
}
