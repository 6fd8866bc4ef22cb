package storetest

import (
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/session"
	"chela/internal/store"
)

// waits holds messages that wait: in order, until they are said or dropped, all of one debounce at
// the time of the last, and none of a conversation that is closed.
func waits(t *testing.T, open Opener) {
	db, _ := open(t)
	seed(t, db)
	at := place(event.ThreadStream("thr_1"))
	due := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	hold := func(text string, due time.Time) string {
		t.Helper()
		out, err := db.Log.Append(t.Context(), session.HeldKind.Draft(at, session.Held{Message: text, Mode: session.Collect, Due: due}))
		check(t, err)
		return out[0].Message.ID
	}
	freed, leave := db.Subscribe(event.QueuesMoved)
	defer leave()
	one := hold("One", due)
	select {
	case <-freed:
	default:
		t.Error("nobody was told that a message waits")
	}
	two, three := hold("Two", due.Add(time.Second)), hold("Three", time.Time{})
	waiting := func(want ...string) []session.Waiting {
		t.Helper()
		all, err := db.Conversations.Waiting(t.Context(), "thr_1")
		check(t, err)
		if len(all) != len(want) {
			t.Fatalf("%+v wait", all)
		}
		for i, w := range all {
			if w.ID != want[i] || w.Thread != "thr_1" || w.Actor == "" || w.At.IsZero() || w.Mode != session.Collect {
				t.Errorf("%+v, not %s", w, want[i])
			}
		}
		return all
	}
	all := waiting(one, two, three)
	if !all[0].Due.Equal(due.Add(time.Second)) || !all[2].Due.IsZero() {
		t.Errorf("the first is due at %s, the last at %s", all[0].Due, all[2].Due)
	}
	queues := func() []session.Queue {
		t.Helper()
		out, err := db.Conversations.Queued(t.Context())
		check(t, err)
		return out
	}
	if q := queues(); len(q) != 1 || q[0].Thread != "thr_1" {
		t.Errorf("%+v", q)
	}
	_, err := db.Log.Append(t.Context(), session.SaidKind.Draft(at, session.Said{Message: "One", Held: one}), session.DroppedKind.Draft(at, session.Dropped{ID: three}))
	check(t, err)
	waiting(two)
	check(t, db.Write(t.Context(), func(tx *store.Tx) error {
		in, err := tx.Conversations().Waiting("thr_1")
		if len(in) != 1 || in[0].Message != "Two" {
			t.Errorf("the transaction sees %+v", in)
		}
		return err
	}))
	mode := session.Followup
	_, err = db.Log.Append(t.Context(), session.ChangedKind.Draft(at, session.Changed{Queue: &mode}), session.ClosedKind.Draft(at, session.Moved{}))
	check(t, err)
	if s, err := db.Conversations.Session(t.Context(), "thr_1"); err != nil || s.Queue != mode {
		t.Errorf("%+v %v", s, err)
	}
	if q := queues(); len(q) > 0 {
		t.Errorf("in a closed conversation: %+v", q)
	}
	rebuilt, err := db.Rebuild(t.Context())
	check(t, err)
	if d := rebuilt.Different(); len(d) > 0 {
		t.Errorf("the log does not give the tables again: %v", d)
	}
}
