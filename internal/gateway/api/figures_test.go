package api_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/gateway/api"
	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/sqlitetest"
)

// reading counts how often records are read through.
type reading struct {
	store.Desk
	through int
}

func (r *reading) Each(ctx context.Context, q clerk.Query, fn func(desk.Record) error) error {
	r.through++
	return r.Desk.Each(ctx, q, fn)
}

// TestFigures_PreparedOnce prepares a project before somebody asks: its records are not read through again, also when one
// has changed.
func TestFigures_PreparedOnce(t *testing.T) {
	t.Parallel()
	db, err := sqlite.Open(t.Context(), sqlitetest.Path(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // its file goes with the test
	at := event.Place{Thread: "thr_1", Run: "run_1", Task: "task_1", From: event.Party{AgentID: "agent:test"}}
	create := func(project string, k desk.Kind, body string) (id string) {
		err := clerk.New(db.Desk).Do(t.Context(), at, project, func(d []event.Draft) error {
			_, err := db.Log.Append(t.Context(), d...)
			return err
		}, func(w *clerk.Work) error {
			r, err := w.Create(k, json.RawMessage(body))
			id = r.ID
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	project := create("", desk.Project, `{"name":"Payments"}`)
	create(project, desk.Ticket, `{"title":"One"}`)
	source := &reading{Desk: db.Desk}
	figures := api.NewFigures(clerk.NewCache(source), time.Now)
	for i := range 3 {
		if err := figures.Prepare(t.Context(), project); err != nil {
			t.Fatal(err)
		}
		if once := 1; source.through != once {
			t.Errorf("after %d questions records were read through %d times, want %d", i+1, source.through, once)
		}
		create(project, desk.Ticket, `{"title":"More"}`)
	}
}
