package storetest

import (
	"testing"

	"chela/internal/event"
	"chela/internal/library"
	"chela/internal/router"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/store"
)

// routed looks at what is kept of the router: sessions, what was accepted, and what messages began.
func routed(t *testing.T, open Opener) {
	db, _ := open(t)
	at, played := place(event.ThreadStream("thr_1")), place(event.ThreadStream("thr_2"))
	played.Thread, played.Run, played.Task = "thr_2", "run_2", "task_2"
	add := func(drafts ...event.Draft) []event.Event {
		t.Helper()
		out, err := db.Log.Append(t.Context(), drafts...)
		check(t, err)
		return out
	}
	before, err := db.Workflows.RouterMark(t.Context())
	check(t, err)
	org := place(event.OrgStream)
	add(library.SavedKind.Draft(org, library.Saved{Slug: "a", Version: 1, Name: "A", Source: "slug: a"}), library.DeployedKind.Draft(org, library.Moved{Slug: "a", Version: 1}))
	if after, err := db.Workflows.RouterMark(t.Context()); err != nil || after == before {
		t.Errorf("the mark is %q before and after, %v", after, err)
	}
	if s, err := db.Workflows.RouterSession(t.Context(), "thr_1", "per_1"); err != nil || s.State != router.Idle || s.Gathering != nil {
		t.Errorf("%+v %v", s, err)
	}
	said := at
	said.From = event.Party{AgentID: "agent:person/per_1", Role: "person"}
	words := add(session.OpenedKind.Draft(at, session.Opened{Channel: "api", Person: "per_1"}), session.SaidKind.Draft(said, session.Said{Message: "Do a"}), session.SaidKind.Draft(said, session.Said{Message: "Do b"}))
	accepted, declined := words[1].Message.ID, words[2].Message.ID
	gathering := router.Session{Thread: "thr_1", Person: "per_1", State: router.Idle, Gathering: &router.Gathering{Slug: "a", Values: map[string]router.Value{"n": {Value: 3, How: "number"}}}}
	add(router.DecidedKind.Draft(at, router.Decided{Decision: router.Decision{Kind: router.Trigger, Slug: "a"}, Message: accepted, Accepted: accepted}),
		router.DecidedKind.Draft(at, router.Decided{Decision: router.Decision{Kind: router.Direct, Slug: "a"}, Message: declined, Declined: declined}),
		router.ChangedKind.Draft(at, router.Changed{From: router.Routing, Session: gathering}))
	if s, err := db.Workflows.RouterSession(t.Context(), "thr_1", "per_1"); err != nil || s.Gathering == nil || s.Gathering.Values["n"].How != "number" || s.UpdatedAt.IsZero() {
		t.Errorf("%+v %v", s, err)
	}
	if x, err := db.Workflows.RouterExamples(t.Context(), 10); err != nil || len(x) != 2 || x[0] != (router.Example{Text: "Do b"}) || x[1] != (router.Example{Slug: "a", Text: "Do a"}) {
		t.Errorf("%+v %v", x, err)
	}
	add(session.DeletedKind.Draft(said, session.Deleted{Message: accepted}))
	if x, err := db.Workflows.RouterExamples(t.Context(), 10); err != nil || len(x) != 1 {
		t.Errorf("a message that was taken back is learnt from: %+v %v", x, err)
	}
	executing := router.Session{Thread: "thr_1", Person: "per_1", State: router.Executing, Plan: &router.Plan{ID: "a@1", Slug: "a", Version: 1, Name: "A", Run: "run_2", State: router.Executing}}
	add(library.StartedKind.Draft(played, library.Started{Slug: "a", Version: 1}), run.QueuedKind.Draft(played, run.Spec{ID: "run_2", Thread: "thr_2", Kind: "workflow", By: at.From}),
		router.ChangedKind.Draft(at, router.Changed{From: router.Planning, Session: executing}))
	if p, err := db.Workflows.RouterPlans(t.Context()); err != nil || len(p) != 1 || p[0].Thread != "thr_1" || p[0].Plan.Name != "A" || p[0].Run.State != run.Queued {
		t.Errorf("%+v %v", p, err)
	}
	add(run.FinishedKind.Draft(played, run.Finished{State: run.Done, Result: []byte(`{"output":1}`)}))
	if p, err := db.Workflows.RouterPlans(t.Context()); err != nil || len(p) != 1 || string(p[0].Output) != `{"output":1}` {
		t.Errorf("%+v %v", p, err)
	}
	add(router.PlanMovedKind.Draft(at, router.PlanMoved{Run: "run_2", State: router.Completed}))
	if p, err := db.Workflows.RouterPlans(t.Context()); err != nil || len(p) != 0 {
		t.Errorf("%+v %v", p, err)
	}
	check(t, db.Write(t.Context(), func(tx *store.Tx) error {
		s, err := tx.RouterSession("thr_1", "per_1")
		if s.Plan == nil || s.Plan.Run != "run_2" {
			t.Errorf("%+v", s)
		}
		return err
	}))
	if all, err := db.Workflows.RouterSessions(t.Context(), "", 10); err != nil || len(all) != 1 {
		t.Errorf("%+v %v", all, err)
	}
	r, err := db.Rebuild(t.Context())
	check(t, err)
	if d := r.Different(); len(d) > 0 {
		t.Errorf("different after a rebuild: %v", d)
	}
}
