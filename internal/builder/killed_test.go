package builder_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/blueprint"
	"chela/internal/builder"
	"chela/internal/definition"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/library"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/run/local"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
)

// all is there.
type all struct{}

func (all) Unknown(context.Context, *definition.Compiled) definition.Problems { return nil }

func (all) Lacks(context.Context, *definition.Compiled) []string { return nil }

func (all) TermsLack(context.Context, []desk.Term) []string { return nil }

// mortal is a database that writes so often and no more.
type mortal struct {
	store.Backend
	left atomic.Int32
}

var errDead = errors.New("the process is dead")

// Transact implements [store.Backend].
func (m *mortal) Transact(ctx context.Context, fn func(store.Conn) ([]store.Statement, error), committed func()) error {
	if m.left.Add(-1) < 0 {
		return errDead
	}
	return m.Backend.Transact(ctx, fn, committed)
}

// TestExecute_KilledInAPlan: a plan whose daemon dies after each write goes on where it was, and does each step once.
func TestExecute_KilledInAPlan(t *testing.T) {
	t.Parallel()
	path := sqlitetest.Path(t)
	by := org.Person{ID: "per_ann"}.Party()
	lives := func(writes int32, does func(ctx context.Context, db *store.DB, b *builder.Builder) error) error {
		opened, err := sqlite.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = opened.Close() }() // it is opened again
		m := &mortal{Backend: opened.Backend}
		m.left.Store(writes)
		db := store.New(m, store.Options{})
		quiet := slog.New(slog.DiscardHandler)
		runs := run.New(db, db.Runs, local.New(db.Queue, nil, quiet), run.Options{Log: quiet})
		shelf := library.New(runs, db, db.Workflows, all{}, func(_ context.Context, id string) (string, error) { return id, nil })
		return does(t.Context(), db, builder.New(db, builder.Parts{Store: db.Workflows, Library: shelf, Shelf: db.Workflows, Members: db.Roster, People: db.People, Runs: runs, Wait: time.Millisecond, Now: time.Now, Say: quiet}))
	}
	const many = 1000
	var steps int
	if err := lives(many, func(ctx context.Context, db *store.DB, _ *builder.Builder) error {
		d, err := blueprint.FromText("Build a workflow called Late work that waits 1 day, then waits 2 days, then waits 3 days", "", blueprint.Known{})
		if err != nil {
			return err
		}
		begin, err := blueprint.Begin(d.Workflow, d.Metadata.Name, d.Description, d.Examples)
		if err != nil {
			return err
		}
		d.Plan.ID, steps = "pln_1", len(d.Plan.Steps)
		at := event.Place{Stream: event.OrgStream, Thread: "thr_1", Run: "run_1", Task: "task_1", From: by}
		_, err = db.Log.Append(ctx, builder.PlannedKind.Draft(at, builder.Planned{Plan: d.Plan, Begin: begin, Person: by.AgentID, By: "rules"}))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	deaths := 0
	for ; ; deaths++ {
		var k builder.Kept
		err := lives(1, func(ctx context.Context, _ *store.DB, b *builder.Builder) (err error) { // one write a life
			k, err = b.Execute(ctx, by, "pln_1")
			return err
		})
		if err == nil && k.State == builder.Completed {
			break
		}
		if deaths > 50 {
			t.Fatalf("it does not end: %s %v", k.State, err)
		}
	}
	if deaths < steps {
		t.Errorf("it died %d times in a plan of %d steps, want once for each at least", deaths, steps)
	}
	if err := lives(many, func(ctx context.Context, db *store.DB, b *builder.Builder) error {
		k, err := b.Store.BuildPlan(ctx, "pln_1")
		if err != nil {
			return err
		}
		d, err := b.Library.Draft(ctx, k.Plan.Workflow)
		if err != nil {
			return err
		}
		for _, once := range []string{"for: 1d", "for: 2d", "for: 3d"} {
			if strings.Count(d.Source, once) != 1 {
				t.Errorf("%q is there %d times in\n%s", once, strings.Count(d.Source, once), d.Source)
			}
		}
		for _, r := range k.Results {
			if !r.Success {
				t.Errorf("the step %s: %s", r.Step, r.Error)
			}
		}
		rebuilt, err := db.Rebuild(ctx)
		if err == nil && len(rebuilt.Different()) > 0 {
			t.Errorf("the log does not give the tables again: %v", rebuilt.Different())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
