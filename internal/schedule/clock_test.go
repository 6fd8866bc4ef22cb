package schedule_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/run"
	"chela/internal/run/local"
	"chela/internal/schedule"
	"chela/internal/session"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
)

// A room is a store with a project, two agents, an editor, and an engine that never works its
// runs: what is queued stays so.
type room struct {
	t       *testing.T
	db      *store.DB
	runs    *run.Engine
	editor  *schedule.Editor
	project string
	now     time.Time
}

func newRoom(t *testing.T) *room {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // its file goes with the test
	idle := func(context.Context, *run.Segment) (run.Outcome, error) { return run.Outcome{}, nil }
	log := slog.New(slog.DiscardHandler)
	r := &room{t: t, db: db, now: time.Date(2026, 3, 2, 8, 30, 0, 0, time.UTC)}
	r.runs = run.New(db, db.Runs, local.New(db.Queue, nil, log), run.Options{Log: log})
	r.runs.Handle(session.ChatRun, idle)
	r.editor = schedule.NewEditor(r.runs, db, func() time.Time { return r.now })
	c, project, err := desk.New(nil, desk.Project, "", &desk.ProjectBody{Name: "Payments"})
	if err != nil {
		t.Fatal(err)
	}
	r.project = project.ID
	r.add(c.Draft(r.place("")))
	for _, a := range prompt.Defaults(none) {
		r.add(org.RegisterKind.Draft(r.place(event.OrgStream), org.Registration{Card: a.Card, Profile: &a.Profile}))
	}
	return r
}

func (*room) place(stream string) event.Place {
	return event.Place{Stream: stream, Thread: "thr_1", Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:test"}}
}

func (r *room) add(drafts ...event.Draft) {
	r.t.Helper()
	if _, err := r.db.Log.Append(r.t.Context(), drafts...); err != nil {
		r.t.Fatal(err)
	}
}

// ticket makes one, so that there is something to look at.
func (r *room) ticket(body *desk.TicketBody) {
	r.t.Helper()
	c, _, err := desk.New(r.db.Mint(), desk.Ticket, r.project, body)
	if err != nil {
		r.t.Fatal(err)
	}
	r.add(c.Draft(r.place("")))
}

func (r *room) clock(o schedule.Options) *schedule.Clock {
	o.Now = func() time.Time { return r.now }
	return schedule.NewClock(r.db, r.db.ForClock(), clerk.New(r.db.Desk), r.runs, inbox.New(r.runs, r.db, r.db.ForInbox(), inbox.Options{}), o)
}

func (r *room) pass(c *schedule.Clock) (next time.Time) {
	r.t.Helper()
	for range 10 {
		at, _, err := c.Pass(r.t.Context())
		if err != nil {
			r.t.Fatal(err)
		}
		if at.Equal(next) || at.After(r.now) && next.After(r.now) {
			return at
		}
		next = at
	}
	r.t.Fatal("it never rests")
	return next
}

func (r *room) events(kind string) int {
	r.t.Helper()
	list, _, err := r.db.Log.Events(r.t.Context(), 0, event.Filter{Type: kind})
	if err != nil {
		r.t.Fatal(err)
	}
	return len(list)
}

func daily() schedule.Fields {
	return schedule.Fields{Agent: "agent:pm", Enabled: true, Type: schedule.Cron, CronExpr: "0 9 * * *"}
}

func TestClock_WhatNobodyWasThereForIsOneRecord(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.ticket(&desk.TicketBody{Title: "Retry the refund"})
	by := org.Person{ID: "per_ann"}.Party()
	s, err := r.editor.Create(t.Context(), by, daily())
	if err != nil {
		t.Fatal(err)
	}
	if next := r.pass(r.clock(schedule.Options{})); !next.Equal(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)) {
		t.Fatalf("it wakes at %s", next)
	}
	r.now = r.now.Add(3*24*time.Hour + 12*time.Hour) // nobody is there for three days
	r.pass(r.clock(schedule.Options{}))
	list, total, err := r.db.Plan.Attempts(t.Context(), schedule.Filter{})
	if err != nil || total != 1 || list[0].Result != schedule.Skipped || list[0].Run != "" {
		t.Fatalf("%d: %+v %v", total, list, err)
	}
	r.now = time.Date(2026, 3, 6, 9, 40, 0, 0, time.UTC) // and then for a short while
	r.pass(r.clock(schedule.Options{}))
	open, err := r.db.Plan.Executions(t.Context(), schedule.Filter{State: schedule.Running})
	if err != nil || len(open) != 1 || !open[0].At.Equal(time.Date(2026, 3, 6, 9, 0, 0, 0, time.UTC)) {
		t.Fatalf("%+v %v", open, err)
	}
	queued, err := r.db.Runs.Run(t.Context(), open[0].Run)
	if err != nil || queued.Lane != run.ScheduleLane || queued.Agent != "agent:pm" || queued.Project != r.project || queued.By != s.ID.Party() {
		t.Errorf("%+v %v", queued, err)
	}
	said, err := r.db.Conversations.Messages(t.Context(), queued.Thread, 0, 10)
	if err != nil || len(said) != 1 || said[0].Role != "person" || said[0].Message == "" {
		t.Errorf("%+v %v", said, err)
	}
}

func TestClock_ManyClocksBeginOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.ticket(&desk.TicketBody{Title: "Retry the refund"})
	if _, err := r.editor.Create(t.Context(), run.Chela(), daily()); err != nil {
		t.Fatal(err)
	}
	r.pass(r.clock(schedule.Options{}))
	r.now = r.now.Add(time.Hour)
	var all sync.WaitGroup
	for range 8 {
		c := r.clock(schedule.Options{})
		all.Go(func() {
			if _, _, err := c.Pass(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := r.events(schedule.StartedKind.Name); n != 1 || r.events(run.QueuedKind.Name) != 1 || r.events(schedule.PlannedKind.Name) != 2 {
		t.Errorf("%d began, %d runs, %d planned", n, r.events(run.QueuedKind.Name), r.events(schedule.PlannedKind.Name))
	}
}

// TestClock_AScheduleMayDoWhatItsMakerMay follows the maker's role.
func TestClock_AScheduleMayDoWhatItsMakerMay(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.ticket(&desk.TicketBody{Title: "Retry the refund"})
	ann := org.PersonAdded{ID: "per_ann", Name: "Ann", Role: org.Editor}
	r.add(org.PersonAddedKind.Draft(r.place(event.OrgStream), ann))
	role := func(of event.Party) org.Role {
		t.Helper()
		got, err := r.db.Roster.RoleOf(t.Context(), of)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	hers, err := r.editor.Create(t.Context(), org.Person{ID: ann.ID}.Party(), daily())
	if err != nil {
		t.Fatal(err)
	}
	ours, err := r.editor.Create(t.Context(), run.Chela(), daily())
	if err != nil {
		t.Fatal(err)
	}
	if role(hers.ID.Party()) != org.Editor || role(ours.ID.Party()) != org.Editor || role(schedule.ID("sch_none").Party()) != "" {
		t.Errorf("hers %q, ours %q, nobody's %q", role(hers.ID.Party()), role(ours.ID.Party()), role(schedule.ID("sch_none").Party()))
	}
	viewer := org.Viewer
	r.add(org.PersonChangedKind.Draft(r.place(event.OrgStream), org.PersonChanged{ID: ann.ID, Role: &viewer}))
	if got := role(hers.ID.Party()); got != org.Viewer {
		t.Errorf("she is a viewer now, her schedule is %q", got)
	}
	if got := role(event.Party{AgentID: hers.ID.Party().AgentID, Role: "agent"}); got != "" {
		t.Errorf("an agent that is called as a schedule has the role %q", got)
	}
}

// TestClock_AtOnceIsOnce begins when it is made and when it is switched on.
func TestClock_AtOnceIsOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	s, err := r.editor.Create(t.Context(), run.Chela(), schedule.Fields{Agent: "agent:pm", Enabled: true, Type: schedule.Immediate})
	if err != nil {
		t.Fatal(err)
	}
	c := r.clock(schedule.Options{Paused: true, NoModel: func() string { return "No model." }})
	r.pass(c)
	if _, err := r.editor.Change(t.Context(), run.Chela(), s.ID, func(f *schedule.Fields) { f.Policy.Priority = 9 }); err != nil {
		t.Fatal(err)
	}
	r.pass(c)
	for _, on := range []bool{false, true} {
		if _, err := r.editor.Change(t.Context(), run.Chela(), s.ID, func(f *schedule.Fields) { f.Enabled = on }); err != nil {
			t.Fatal(err)
		}
	}
	r.pass(c)
	list, total, err := r.db.Plan.Attempts(t.Context(), schedule.Filter{Schedule: s.ID})
	if err != nil || total != 2 || list[0].Error != "No model." || !list[0].Immediate {
		t.Errorf("%d: %+v %v", total, list, err)
	}
	if _, err := r.editor.Trigger(t.Context(), run.Chela(), schedule.Trigger{Agent: "agent:pm", Project: "prj_none"}); fault.KindOf(err) != fault.Invalid {
		t.Errorf("for a project that is not there: %v", err)
	}
}

// none has the default agents without permissions.
func none([]string) []org.Permission { return nil }
