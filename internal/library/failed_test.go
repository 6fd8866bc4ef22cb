package library_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/library"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/store"
)

const brittle = `
slug: brittle
name: Brittle
inputs: [{name: n, type: integer, required: true}]
triggers:
  - event: {type: desk.ticket.created, when: event.payload.set.estimate > 1}
    inputs: {n: "${event.payload.set.estimate}"}
  - event: {type: desk.project.created}
    inputs: {n: "${event.payload.set.name}"}
  - event: {type: "workflow.*"}
    inputs: {n: "${event.payload.nothing}"}
steps:
  - {id: a, transform: "${inputs.n}"}
`

// record records an act of a person.
func record(t *testing.T, db *store.DB, project string, plan func(*clerk.Work) error) {
	t.Helper()
	id := db.Mint().ID("run")
	at := event.Place{Thread: db.Mint().ID("thr"), Run: id, Task: run.RootTask(run.ID(id)), From: org.Person{ID: "per_ann"}.Party()}
	err := clerk.New(db.Desk).Do(t.Context(), at, project, func(d []event.Draft) error {
		_, err := db.Log.Append(t.Context(), d...)
		return err
	}, plan)
	if err != nil {
		t.Fatal(err)
	}
}

// begins runs a starter until the function returns.
func begins(t *testing.T, l *library.Library, db *store.DB, while func()) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- library.NewStarter(l, db.Log, false, slog.New(slog.DiscardHandler)).Run(ctx) }()
	while()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// until waits until a condition holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never comes that %s", what)
		}
	}
}

// TestStarter_RecordsTriggersThatFail: an expression that cannot be evaluated on an event, and an input that does not fit, are recorded
// with what came and what was wrong; of a storm a few are recorded and all are counted; what tells of a failure begins nothing.
func TestStarter_RecordsTriggersThatFail(t *testing.T) {
	t.Parallel()
	l, db := shelf(t)
	v, err := l.Save(t.Context(), org.Person{ID: "per_ann"}.Party(), []byte(brittle), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Deploy(t.Context(), org.Person{ID: "per_ann"}.Party(), v.Slug, v.Number); err != nil {
		t.Fatal(err)
	}
	failures := func(trigger int) (out []library.TriggerFailure) {
		t.Helper()
		all, err := db.Workflows.TriggerFailures(t.Context(), "brittle")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range library.FailuresOf(all, "brittle", 1) {
			if f.Trigger == trigger {
				out = append(out, f)
			}
		}
		return out
	}
	// The starter has looked at all that is recorded now; what it records itself may follow.
	looked := func() {
		t.Helper()
		end, err := db.Log.End(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		until(t, "the starter has looked", func() bool {
			at, err := db.Log.Cursor(t.Context(), "workflows")
			return err == nil && at >= end
		})
	}
	const storm = 40
	begins(t, l, db, func() {
		until(t, "the starter looks", func() bool {
			at, err := db.Log.Cursor(t.Context(), "workflows")
			return err == nil && at > 0
		})
		var project string
		record(t, db, "", func(w *clerk.Work) error {
			r, err := w.Create(desk.Project, json.RawMessage(`{"name":"Payments"}`))
			project = r.ID
			return err
		})
		until(t, "an input that does not fit is recorded", func() bool { return len(failures(1)) == 1 })
		for i := range storm {
			record(t, db, project, func(w *clerk.Work) error {
				_, err := w.Create(desk.Ticket, json.RawMessage(fmt.Sprintf(`{"title":"T%d"}`, i)))
				return err
			})
			if i%8 == 0 {
				looked()
			}
		}
		looked()
		if got := failures(0); len(got) != 3 {
			t.Errorf("%d are recorded while it runs, want 3", len(got))
		}
	})
	f := failures(1)[0]
	if f.On != "event desk.project.created" || f.Type != "desk.project.created" || f.Event == "" || f.Count != 1 || f.At.IsZero() || !strings.Contains(f.Problem, `"Payments" is no whole number`) {
		t.Errorf("recorded is %+v", f)
	}
	if e, err := db.Log.EventByID(t.Context(), f.Event); err != nil || e.Message.Type != "desk.project.created" {
		t.Errorf("its event is %+v: %v", e.Message, err)
	}
	all, sum := failures(0), 0
	for _, f := range all {
		sum += f.Count
		if !strings.Contains(f.Problem, "estimate") {
			t.Errorf("recorded is %+v", f)
		}
	}
	if len(all) > 4 || sum != storm {
		t.Errorf("%d are recorded, which count %d, want at most 4 that count %d", len(all), sum, storm)
	}
	if got := failures(2); len(got) > 0 && got[0].Type == library.TriggerFailedKind.Name {
		t.Errorf("what tells of a failure began %+v", got)
	}
	open, err := db.Workflows.Instances(t.Context(), "brittle", false, 10)
	if err != nil || len(open) > 0 {
		t.Errorf("begun are %v: %v", open, err)
	}
}
