package storetest

import (
	"testing"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/run"
	"chela/internal/store"
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
	_, err = db.Log.Append(t.Context(), run.WaitingKind.Draft(at, run.Waits{For: run.ForResume})) // somebody paused it meanwhile
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

// questionsAnswered has a transaction see whether a question of several was answered.
func questionsAnswered(t *testing.T, open Opener) {
	db, _ := open(t)
	at := spender(t, db, 1)
	asks := func(id string) event.Draft {
		return approval.RequestedKind.Draft(at, approval.Request{ID: id, Run: run.ID(at.Run), Kind: approval.Decision, Choices: []string{approval.Approve}, Question: "Go on?"})
	}
	_, err := db.Log.Append(t.Context(), asks("apr_1"), asks("apr_2"))
	check(t, err)
	is := func(want bool, questions ...string) {
		t.Helper()
		check(t, db.Write(t.Context(), func(tx *store.Tx) error {
			if got, err := tx.Runs().Answered(questions...); err != nil || got != want {
				t.Errorf("%v: got %v (%v), want %v", questions, got, err, want)
			}
			return nil
		}))
	}
	is(false, "apr_1", "apr_2")
	_, err = db.Log.Append(t.Context(), approval.AnsweredKind.Draft(at, approval.Answer{ID: "apr_2", Choice: approval.Approve}))
	check(t, err)
	is(true, "apr_1", "apr_2")
	is(false, "apr_1", "apr_none")
}
