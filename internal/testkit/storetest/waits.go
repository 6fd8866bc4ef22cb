package storetest

import (
	"testing"

	"chela/internal/event"
	"chela/internal/run"
)

// waited has a run wait once, die once and wait again.
func waited(t *testing.T, open Opener) {
	db, _ := open(t)
	at := spender(t, db, 1)
	waits := run.WaitingKind.Draft(at, run.Waits{For: run.ForPerson + "apr_1"})
	goes := func(attempt int) event.Draft {
		return run.StartedKind.Draft(at, run.Started{Segment: 2, Attempt: attempt, Epoch: int64(attempt), Node: "n"})
	}
	first, err := db.Log.Append(t.Context(), waits)
	check(t, err)
	began, err := db.Log.Append(t.Context(), run.ResumedKind.Draft(at, run.Resumed{Segment: 2}), goes(2))
	check(t, err)
	_, err = db.Log.Append(t.Context(), goes(3), waits)
	check(t, err)
	got, err := db.Runs.Waits(t.Context(), run.ID(at.Run))
	check(t, err)
	if len(got) != 1 || !got[0].From.Equal(first[0].At) || !got[0].To.Equal(began[1].At) {
		t.Errorf("%+v, want from %s to %s", got, first[0].At, began[1].At)
	}
	if got, err := db.Runs.Waits(t.Context(), "run_none"); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
