package storetest

import (
	"encoding/json"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/store"
)

// reminders looks at which ones the clock is told of, and at what wakes it.
func reminders(t *testing.T, open Opener) {
	db, _ := open(t)
	project := seed(t, db)
	kept, stop := db.Subscribe(event.RecordsChanged)
	defer stop()
	do := func(fn func(*clerk.Work) error) {
		t.Helper()
		check(t, clerk.New(db.Desk).Do(t.Context(), place(""), project, commit(t.Context(), db), fn))
	}
	for _, body := range []string{
		`{"message":"waits","triggerAt":"2030-01-01"}`, `{"message":"rang","triggerAt":"2026-01-01","triggered":true}`,
		`{"message":"weighed","type":"CONDITION_BASED","condition":"kind:ticket"}`, `{"message":"held","type":"CONDITION_BASED","condition":"kind:ticket","triggered":true}`,
	} {
		do(func(w *clerk.Work) error {
			_, err := w.Create(desk.Reminder, json.RawMessage(body))
			return err
		})
	}
	told := func() string {
		t.Helper()
		all, err := db.Plan.Reminders(t.Context())
		check(t, err)
		return titles(t, all)
	}
	if got := told(); got != "waits weighed held" {
		t.Errorf("the clock is told of %q", got)
	}
	<-kept
	do(func(w *clerk.Work) error {
		_, err := w.Create(desk.Ticket, json.RawMessage(`{"title":"B"}`))
		return err
	})
	<-kept
	_, err := db.Log.Append(t.Context(), org.RemovedKind.Draft(place(event.OrgStream), org.Removed{AgentID: "agent:nobody"}))
	check(t, err)
	if len(kept) > 0 {
		t.Error("what is no record woke those who wait for records")
	}
	do(func(w *clerk.Work) error {
		_, err := w.Patch(desk.Project, project, json.RawMessage(`{"status":"ARCHIVED"}`))
		return err
	})
	if got := told(); got != "" {
		t.Errorf("of an archived project it is told of %q", got)
	}
}

// busyAgents finds the open runs in which an agent has something to do.
func busyAgents(t *testing.T, open Opener) {
	db, _ := open(t)
	work := func(agent org.AgentID) (out []run.ID) {
		t.Helper()
		check(t, db.Write(t.Context(), func(tx *store.Tx) error {
			ids, err := tx.Plan().Work(agent)
			out = ids
			return err
		}))
		return out
	}
	direct := place(event.ThreadStream("thr_1"))
	delegated, asked := direct, direct
	delegated.Task, asked.Task = "task_2", "task_2"
	asked.To = []event.Party{org.AgentID("agent:worker").Party()}
	add := func(drafts ...event.Draft) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), drafts...)
		check(t, err)
	}
	is := func(agent org.AgentID, want int) {
		t.Helper()
		if got := work(agent); len(got) != want {
			t.Errorf("%s works on %v, expected %d", agent, got, want)
		}
	}
	add(run.QueuedKind.Draft(direct, run.Spec{ID: "run_1", Thread: "thr_1", Kind: "chat", Agent: "agent:pm", By: direct.From}),
		run.RequestKind.Draft(asked, run.TaskRequest{Title: "x"}))
	is("agent:pm", 1)
	is("agent:worker", 1)
	is("agent:nobody", 0)
	delegated.From = org.AgentID("agent:worker").Party()
	add(run.ResultKind.Draft(delegated, run.TaskResult{Success: true}))
	is("agent:worker", 0)
	is("agent:pm", 1)
	add(run.FinishedKind.Draft(direct, run.Finished{State: run.Done}))
	is("agent:pm", 0)
}
