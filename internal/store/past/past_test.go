package past_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
	"chela/internal/store/past"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
)

// A world is a project whose changes are remembered with the log's position after each.
type world struct {
	t       *testing.T
	db      *store.DB
	past    *past.Past
	project string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, db: db, past: past.New(db)}
	t.Cleanup(func() { _ = db.Close() }) // its file goes with the test
	w.project = w.change(func(c *clerk.Work) (desk.Record, error) { return c.Create(desk.Project, []byte(`{"name":"P"}`)) })
	return w
}

func (w *world) change(plan func(*clerk.Work) (desk.Record, error)) (id string) {
	w.t.Helper()
	at := event.Place{Thread: "thr_1", Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:test"}}
	err := clerk.New(w.db.Desk).Do(w.t.Context(), at, w.project, func(d []event.Draft) error {
		_, err := w.db.Log.Append(w.t.Context(), d...)
		return err
	}, func(c *clerk.Work) error {
		r, err := plan(c)
		id = r.ID
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return id
}

func (w *world) moment() past.Moment {
	w.t.Helper()
	end, err := w.db.Log.End(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return past.Moment{Seq: end}
}

// titles are the tickets' titles at a moment.
func (w *world) titles(m past.Moment) (out []string) {
	w.t.Helper()
	then, err := w.past.At(w.t.Context(), m)
	if err != nil {
		w.t.Fatal(err)
	}
	p, err := then.Records(w.t.Context(), clerk.Query{Project: w.project, Kind: desk.Ticket})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range p.Records {
		b, err := desk.Open[desk.TicketBody](r)
		if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, b.Title)
	}
	return out
}

// memories are the contents of the memories at a moment, those of all projects too.
func (w *world) memories(m past.Moment) (out []string) {
	w.t.Helper()
	then, err := w.past.At(w.t.Context(), m)
	if err != nil {
		w.t.Fatal(err)
	}
	p, err := then.Records(w.t.Context(), clerk.Query{Project: w.project, Shared: true, Kind: desk.Memory})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range p.Records {
		b, err := desk.Open[desk.MemoryBody](r)
		if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, b.Content)
	}
	return out
}

// between is what became of the project between two moments.
func (w *world) between(from, to past.Moment) ([]desk.Diff, error) {
	s, err := w.past.Span(w.t.Context(), w.project, from, to)
	if err != nil {
		return nil, err
	}
	diffs, _, err := w.db.Desk.Differences(w.t.Context(), s)
	return diffs, err
}

func TestPast_WhatBelongsToAllProjectsAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.moment()
	id := w.change(func(c *clerk.Work) (desk.Record, error) {
		return c.Create(desk.Memory, []byte(`{"key":"k","content":"Kafka","scope":"GLOBAL"}`))
	})
	created := w.moment()
	w.change(func(c *clerk.Work) (desk.Record, error) {
		return c.Create(desk.Memory, []byte(`{"key":"own","content":"Ours"}`))
	})
	w.change(func(c *clerk.Work) (desk.Record, error) {
		return c.Patch(desk.Memory, id, json.RawMessage(`{"content":"Pulsar"}`))
	})
	for m, want := range map[past.Moment][]string{before: nil, created: {"Kafka"}, w.moment(): {"Pulsar", "Ours"}} {
		if got := w.memories(m); !slices.Equal(got, want) {
			t.Errorf("at %d: %q, not %q", m.Seq, got, want)
		}
	}
	diffs, err := w.between(before, w.moment())
	if err != nil || len(diffs) != 1 {
		t.Errorf("what changed in the project: %v %v", diffs, err)
	}
}

func TestPast_TheDeskAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	empty := w.moment()
	id := w.change(func(c *clerk.Work) (desk.Record, error) { return c.Create(desk.Ticket, []byte(`{"title":"One"}`)) })
	created := w.moment()
	w.change(func(c *clerk.Work) (desk.Record, error) {
		return c.Patch(desk.Ticket, id, json.RawMessage(`{"title":"Two","status":"DONE"}`))
	})
	w.change(func(c *clerk.Work) (desk.Record, error) { return c.Create(desk.Ticket, []byte(`{"title":"Three"}`)) })
	both := w.moment()
	w.change(func(c *clerk.Work) (desk.Record, error) {
		_, err := c.Remove(desk.Ticket, id)
		return desk.Record{}, err
	})
	last := w.moment()
	for range 2 {
		for m, want := range map[past.Moment]int{empty: 0, created: 1, both: 2, last: 1} {
			if got := w.titles(m); len(got) != want {
				t.Errorf("at %d: %v", m.Seq, got)
			}
		}
	}
	if got := w.titles(created); got[0] != "One" {
		t.Errorf("%v", got)
	}
	diffs, err := w.between(created, last)
	if err != nil || len(diffs) != 2 || diffs[0].Op != desk.Deleted || diffs[0].Title != "Two" || diffs[1].Op != desk.Created {
		t.Fatalf("%+v %v", diffs, err)
	}
	diffs, err = w.between(created, both)
	if err != nil || len(diffs) != 2 || diffs[0].Op != desk.Updated || len(diffs[0].Fields) != 2 || diffs[0].Fields[1].Field != "title" || string(diffs[0].Fields[1].From) != `"One"` {
		t.Fatalf("%+v %v", diffs, err)
	}
	if diffs, err := w.between(last, last); err != nil || len(diffs) != 0 {
		t.Errorf("%+v %v", diffs, err)
	}
}

func TestPast_MomentsAreRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var first event.Event
	for e, err := range w.db.Log.Stream(t.Context(), desk.StreamOf(w.project)) {
		if err != nil {
			t.Fatal(err)
		}
		first = e
		break
	}
	for text, want := range map[string]past.Moment{
		"2026-03-01":                {At: time.Date(2026, 3, 1, 23, 59, 59, 999999000, time.UTC)},
		"2026-03-01T10:00:00+01:00": {At: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)},
		"12":                        {Seq: 12},
		"#12":                       {Seq: 12},
		first.Message.ID:            {Seq: first.Seq},
	} {
		if got, err := w.past.Parse(t.Context(), text); err != nil || got != want {
			t.Errorf("%s: %+v %v", text, got, err)
		}
	}
	yesterday, err := w.past.Parse(t.Context(), "yesterday")
	if want := time.Now().UTC().Truncate(24 * time.Hour).Add(-time.Microsecond); err != nil || !yesterday.At.Equal(want) {
		t.Errorf("yesterday: got %v %v, want %v", yesterday.At, err, want)
	}
	for text, want := range map[string]fault.Kind{"someday": fault.Invalid, "": fault.Invalid, "-3": fault.Invalid, "2026-13-01": fault.Invalid, "msg_none": fault.NotFound} {
		if _, err := w.past.Parse(t.Context(), text); fault.KindOf(err) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
	before, err := w.past.Parse(t.Context(), "2020-01-01")
	if err != nil || w.titles(before) != nil {
		t.Errorf("%v", err)
	}
}
