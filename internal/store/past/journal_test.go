package past_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"chela/internal/chart"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/run"
	"chela/internal/store/past"
	"chela/internal/store/sqlite"
)

// done returns how many tickets the burn-up of a moment says are there and done.
func (w *world) done(m past.Moment) []float64 {
	w.t.Helper()
	h, now, err := w.past.Charts(w.t.Context(), w.project, m)
	if err != nil {
		w.t.Fatal(err)
	}
	c, err := chart.Draw(chart.BurnUp, h, chart.Query{From: now, Now: now})
	if err != nil {
		w.t.Fatal(err)
	}
	return []float64{c.Series[0].Points[0].Value, c.Series[1].Points[0].Value}
}

func TestPast_ChartsGrowWithTheLog(t *testing.T) { //nolint:paralleltest // its world sets the environment
	w := newWorld(t)
	if got, want := w.done(past.Now()), []float64{0, 0}; !slices.Equal(got, want) {
		t.Errorf("at first: got %v, want %v", got, want)
	}
	id := w.change(func(c *clerk.Work) (desk.Record, error) { return c.Create(desk.Ticket, []byte(`{"title":"One"}`)) })
	created := w.moment()
	if got, want := w.done(past.Now()), []float64{1, 0}; !slices.Equal(got, want) {
		t.Errorf("after one: got %v, want %v", got, want)
	}
	w.change(func(c *clerk.Work) (desk.Record, error) { return c.Create(desk.Ticket, []byte(`{"title":"Two"}`)) })
	w.change(func(c *clerk.Work) (desk.Record, error) {
		return c.Patch(desk.Ticket, id, json.RawMessage(`{"status":"DONE"}`))
	})
	for m, want := range map[past.Moment][]float64{created: {1, 0}, past.Now(): {2, 1}} {
		if got := w.done(m); !slices.Equal(got, want) {
			t.Errorf("at %d: got %v, want %v", m.Seq, got, want)
		}
	}
}

// BenchmarkPast_Charts reads the journal of a project with 50,000 tickets, and draws it when it is kept.
func BenchmarkPast_Charts(b *testing.B) {
	db, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "chela.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }() // its folder goes
	c, project, err := desk.New(db.Mint(), desk.Project, "", &desk.ProjectBody{Name: "Large"})
	if err != nil {
		b.Fatal(err)
	}
	at := event.Place{Thread: "thr_1", Run: "run_1", Task: "task_1", From: run.Chela()}
	drafts := []event.Draft{c.Draft(at)}
	for i := range 50_000 {
		body := &desk.TicketBody{Title: fmt.Sprintf("Ticket %d of a tracker", i), Description: "What has to be done, in some words.", Sprint: "S1", StoryPoints: new(3.0)}
		c, r, err := desk.New(db.Mint(), desk.Ticket, project.ID, body)
		if err != nil {
			b.Fatal(err)
		}
		edit, _, _, err := desk.Edit(r, json.RawMessage(`{"status":"IN_PROGRESS"}`))
		if err != nil {
			b.Fatal(err)
		}
		drafts = append(drafts, c.Draft(at), edit.Draft(at))
	}
	for some := range slices.Chunk(drafts, 5000) {
		if _, err := db.Log.Append(b.Context(), some...); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := past.New(db).Charts(b.Context(), project.ID, past.Now()); err != nil {
				b.Fatal(err)
			}
		}
	})
	p := past.New(db)
	if _, _, err := p.Charts(b.Context(), project.ID, past.Now()); err != nil {
		b.Fatal(err)
	}
	b.Run("kept", func(b *testing.B) {
		for b.Loop() {
			h, now, err := p.Charts(b.Context(), project.ID, past.Now())
			if err != nil {
				b.Fatal(err)
			}
			if _, err := chart.Draw(chart.Flow, h, chart.Query{From: now.AddDate(0, 0, -90), Now: now, By: chart.Day}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
