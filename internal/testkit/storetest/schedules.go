package storetest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
	"chela/internal/schedule"
	"chela/internal/store"
)

var nine = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func scheduled(t *testing.T) schedule.Fields {
	t.Helper()
	f, err := schedule.Fields{Agent: "agent:pm", Enabled: true, Type: schedule.Cron, CronExpr: "0 9 * * *", Policy: schedule.Policy{MaxAttempts: 2}}.Checked()
	check(t, err)
	return f
}

func occurrence(f schedule.Fields, id, project string, at time.Time) schedule.Planned {
	return schedule.Planned{
		ID: schedule.ExecutionID(id), Schedule: "sch_1", Version: 1, Agent: f.Agent, Project: project, At: at, Timezone: "UTC",
		By: schedule.ID("sch_1").Party(), Policy: f.Policy,
	}
}

// boards lets two executions go their ways, and looks at what the clock is told.
func boards(t *testing.T, open Opener) {
	db, _ := open(t)
	changed, stop := db.Subscribe(event.PlanChanged)
	defer stop()
	org := place(event.OrgStream)
	add := func(drafts ...event.Draft) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), drafts...)
		check(t, err)
	}
	add(draft("org", "wakes nobody"))
	if len(changed) > 0 {
		t.Error("a note woke the clock")
	}
	c, project, err := newRecord(desk.Project, "", json.RawMessage(`{"name":"P"}`))
	check(t, err)
	add(c.Draft(place("")))
	<-changed
	f := scheduled(t)
	add(schedule.CreatedKind.Draft(org, schedule.Made{ID: "sch_1", Version: 1, Fields: f}))
	<-changed
	add(schedule.PlannedKind.Draft(org, occurrence(f, "exe_1", project.ID, nine)), schedule.PlannedKind.Draft(org, occurrence(f, "exe_2", project.ID, nine.AddDate(0, 0, 1))))
	board := func() schedule.Board {
		t.Helper()
		b, err := db.Plan.Board(t.Context())
		check(t, err)
		return b
	}
	pair := schedule.Pair{Schedule: "sch_1", Project: project.ID}
	b := board()
	if len(b.Schedules) != 1 || len(b.Projects) != 1 || len(b.Open) != 2 || b.Open[0].ID != "exe_1" || !b.Open[0].At.Equal(nine) || !b.Last[pair].Equal(nine.AddDate(0, 0, 1)) {
		t.Fatalf("%+v", b)
	}
	at := org
	at.Run = "run_9"
	add(run.QueuedKind.Draft(at, run.Spec{ID: "run_9", Thread: "thr_1", Kind: "chat", By: at.From}), schedule.StartedKind.Draft(at, schedule.Started{ID: "exe_1", Attempt: 1, Run: "run_9", Thread: "thr_1"}),
		schedule.EndedKind.Draft(org, schedule.Ended{ID: "exe_2", Result: schedule.Cancelled, Reason: "The schedule was changed.", Withdrawn: true}))
	b = board()
	if len(b.Open) != 1 || b.Open[0].State != schedule.Running || b.Open[0].Attempt != 1 || b.Runs["run_9"].State != run.Queued || !b.Last[pair].Equal(nine) || !b.Freed["sch_1"].IsZero() {
		t.Fatalf("%+v", b)
	}
	again := nine.Add(time.Minute)
	add(schedule.EndedKind.Draft(at, schedule.Ended{ID: "exe_1", Attempt: 1, Result: schedule.Fail, Reason: "No.", RetryAt: again}))
	b = board()
	if len(b.Open) != 1 || b.Open[0].State != schedule.Retrying || !b.Open[0].Due.Equal(again) || b.Freed["sch_1"].IsZero() {
		t.Fatalf("%+v", b)
	}
	add(schedule.StartedKind.Draft(at, schedule.Started{ID: "exe_1", Attempt: 2, Run: "run_9", Thread: "thr_1"}),
		schedule.EndedKind.Draft(at, schedule.Ended{ID: "exe_1", Attempt: 2, Result: schedule.Success, Summary: "Done."}),
		schedule.PlannedKind.Draft(org, occurrence(f, "exe_3", project.ID, nine.AddDate(0, 0, 2))),
		schedule.EndedKind.Draft(org, schedule.Ended{ID: "exe_3", Result: schedule.Skipped, Reason: "It passed."}))
	ends(t, db)
	f.Enabled = false
	add(schedule.ChangedKind.Draft(org, schedule.Made{ID: "sch_1", Version: 2, Fields: f}))
	if s, err := db.Plan.Schedule(t.Context(), "sch_1"); err != nil || s.Version != 2 || s.Enabled || s.By.AgentID != "agent:test" || !s.CreatedAt.Before(s.UpdatedAt) {
		t.Errorf("%+v %v", s, err)
	}
	add(schedule.DeletedKind.Draft(org, schedule.Deleted{ID: "sch_1"}))
	if _, err := db.Plan.Schedule(t.Context(), "sch_1"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a deleted one: %v", err)
	}
	r, err := db.Rebuild(t.Context())
	check(t, err)
	if d := r.Different(); len(d) > 0 {
		t.Errorf("different after a rebuild: %v", d)
	}
}

// ends looks at what came of the attempts.
func ends(t *testing.T, db *store.DB) {
	t.Helper()
	list, total, err := db.Plan.Attempts(t.Context(), schedule.Filter{Schedule: "sch_1", Limit: 2})
	check(t, err)
	if total != 3 || len(list) != 2 || list[0].Result != schedule.Skipped || list[0].Number != 0 || list[1].Number != 2 || list[1].Summary != "Done." {
		t.Errorf("%d: %+v", total, list)
	}
	a, err := db.Plan.Attempt(t.Context(), "exe_1", 1)
	if err != nil || a.Result != schedule.Fail || a.Error != "No." || a.StartedAt.IsZero() || a.Run != "run_9" {
		t.Errorf("%+v %v", a, err)
	}
	if _, err := db.Plan.Attempt(t.Context(), "exe_1", 3); fault.KindOf(err) != fault.NotFound {
		t.Errorf("an attempt that is not there: %v", err)
	}
	last, err := db.Plan.LastAttempts(t.Context())
	if err != nil || last["sch_1"].ID != "exe_3" {
		t.Errorf("%+v %v", last, err)
	}
	cancelled, err := db.Plan.Executions(t.Context(), schedule.Filter{State: schedule.Cancelled, From: nine, To: nine.AddDate(0, 0, 2)})
	if err != nil || len(cancelled) != 1 || cancelled[0].ID != "exe_2" {
		t.Errorf("%+v %v", cancelled, err)
	}
	if later, err := db.Plan.Executions(t.Context(), schedule.Filter{Agent: "agent:pm", State: schedule.Cancelled, From: nine.AddDate(0, 0, 2)}); err != nil || len(later) != 0 {
		t.Errorf("%+v %v", later, err)
	}
}

// held lets two transactions look and append; the second sees what the first did.
func held(t *testing.T, open Opener) {
	db, again := open(t)
	other := db
	if db.Name() != "sqlite" { // there one process writes
		var err error
		other, err = again()
		check(t, err)
		defer func() { _ = other.Close() }() // the test is over
	}
	inside, done := make(chan struct{}), make(chan error, 1)
	once := func(db *store.DB, meanwhile func()) error {
		return db.Write(context.WithoutCancel(t.Context()), func(tx *store.Tx) error {
			tx.Hold(event.OrgStream)
			tx.Hold(event.OrgStream)
			b, err := tx.Plan().Board()
			if err != nil || len(b.Schedules) > 0 {
				return err
			}
			meanwhile()
			_, err = tx.Append(schedule.CreatedKind.Draft(place(event.OrgStream), schedule.Made{ID: schedule.ID(event.NewID("sch")), Version: 1, Fields: scheduled(t)}))
			return err
		})
	}
	go func() {
		<-inside
		done <- once(other, func() {})
	}()
	first := true
	check(t, once(db, func() {
		if first {
			close(inside)
			first = false
		}
	}))
	check(t, <-done)
	if b, err := db.Plan.Board(t.Context()); err != nil || len(b.Schedules) != 1 {
		t.Errorf("both wrote: %+v %v", b.Schedules, err)
	}
}
