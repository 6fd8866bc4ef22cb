package notify_test

import (
	"testing"

	"chela/internal/event"
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
	} {
		at := w.place(event.ThreadStream("thr_"+s.Kind), by.AgentID)
		s.Thread, s.Project, s.Lane, s.Title = "thr_"+s.Kind, w.project, "user", title
		w.append(run.QueuedKind.Draft(at, s), run.FinishedKind.Draft(at, run.Finished{State: run.Failed, Reason: "No."}))
	}
	w.pass()
	w.expect("per_joe", "Failed: Intake. No.")
	w.expect("per_ann")
}
