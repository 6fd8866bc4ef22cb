package storetest

import (
	"context"
	"encoding/json"
	"testing"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/store"
)

func commit(ctx context.Context, db *store.DB) func([]event.Draft) error {
	return func(d []event.Draft) error { _, err := db.Log.Append(ctx, d...); return err }
}

// seed writes some of everything.
func seed(t *testing.T, db *store.DB) (project string) {
	t.Helper()
	c, r, err := newRecord(desk.Project, "", json.RawMessage(`{"name":"P"}`))
	check(t, err)
	_, err = db.Log.Append(t.Context(), c.Draft(place("")))
	check(t, err)
	check(t, clerk.New(db.Desk).Do(t.Context(), place(""), r.ID, commit(t.Context(), db), func(w *clerk.Work) error {
		tk, err := w.Create(desk.Ticket, json.RawMessage(`{"title":"A","owner":"Ann"}`))
		if err != nil {
			return err
		}
		_, err = w.Create(desk.Objective, json.RawMessage(`{"outcome":"O","ticketIds":["`+tk.ID+`"]}`))
		return err
	}))
	at := place(event.ThreadStream("thr_1"))
	at.From = event.Party{AgentID: "agent:person/per_1", Role: "person"}
	spec := run.Spec{ID: "run_1", Thread: "thr_1", Kind: "chat", Lane: run.UserLane, Title: "T", By: at.From}
	orgAt := place(event.OrgStream)
	_, err = db.Log.Append(t.Context(), session.OpenedKind.Draft(at, session.Opened{Channel: "api", Title: "T"}), session.SaidKind.Draft(at, session.Said{Message: "hello"}),
		run.QueuedKind.Draft(at, spec), run.StartedKind.Draft(at, run.Started{Segment: 1, Attempt: 1}), run.FinishedKind.Draft(at, run.Finished{State: run.Done}),
		org.PersonAddedKind.Draft(orgAt, org.PersonAdded{ID: "per_1", Name: "Ann", Role: org.Owner}))
	check(t, err)
	return r.ID
}

// newRecord makes a record from outside JSON.
func newRecord(k desk.Kind, project string, body json.RawMessage) (desk.Change, desk.Record, error) {
	thing, err := desk.Parse(k, body)
	if err != nil {
		return desk.Change{}, desk.Record{}, err
	}
	return desk.New(nil, k, project, thing)
}
