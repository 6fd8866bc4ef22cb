package storetest

import (
	"context"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/run"
)

// ended is a run that is queued, which wakes nobody, and that then ends.
func ended() (queued, finished event.Draft) {
	at := place(event.ThreadStream("thr_1"))
	return run.QueuedKind.Draft(at, run.Spec{ID: "run_1", Thread: "thr_1", Kind: "chat", By: at.From}),
		run.FinishedKind.Draft(at, run.Finished{State: run.Done})
}

func wakes(t *testing.T, open Opener) {
	db, again := open(t)
	grown, stop := db.Subscribe(event.LogGrew)
	defer stop()
	settled, stopSettled := db.Runs.Settled("run_1")
	defer stopSettled()
	other, stopOther := db.Runs.Settled("run_2")
	defer stopOther()
	queued, finished := ended()
	_, err := db.Log.Append(t.Context(), queued)
	check(t, err)
	<-grown
	if len(settled) > 0 {
		t.Error("a run that begins woke those who wait for its end")
	}
	_, err = db.Log.Append(t.Context(), finished)
	check(t, err)
	if how := <-settled; how.State != run.Done {
		t.Errorf("the run ended as %+v", how)
	}
	if len(other) > 0 {
		t.Error("the end of a run woke those who wait for another")
	}
	if db.Name() == "sqlite" {
		return // nobody else writes to the file
	}
	elsewhere, err := again()
	check(t, err)
	far, stopFar := db.Subscribe(event.NodesWrote)
	defer stopFar()
	ctx, cancel := context.WithCancel(t.Context())
	followed := make(chan error, 1)
	go func() { followed <- db.Follow(ctx) }()
	for heard := false; !heard; {
		_, err = elsewhere.Log.Append(t.Context(), finished)
		check(t, err)
		select {
		case <-settled:
			heard = true
		case <-time.After(50 * time.Millisecond): // the listener may not listen yet
		}
	}
	<-far
	cancel()
	check(t, <-followed)
	check(t, elsewhere.Close())
}
