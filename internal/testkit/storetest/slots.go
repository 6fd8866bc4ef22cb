package storetest

import (
	"sync"
	"testing"
	"time"

	"chela/internal/run"
	"chela/internal/store"
)

// slots has the runs of two processes sit down with one agent at once.
func slots(t *testing.T, open Opener) {
	db, again := open(t)
	other, err := again()
	check(t, err)
	const most = 3
	jobs := make([]run.Job, 9)
	for i := range jobs {
		at := spender(t, db, i)
		jobs[i] = run.Job{Run: run.ID(at.Run), Segment: 1, Kind: "chat", Lane: run.UserLane, Partition: at.Thread}
		claim(t, db, jobs[i], "a", true)
	}
	sit := func(db *store.DB, id run.ID) bool {
		t.Helper()
		check(t, db.Write(t.Context(), func(tx *store.Tx) error { return tx.Slots().TakeSlot(id, "agent:pm", most) }))
		ok, err := db.Slots.HasSlot(t.Context(), id, "agent:pm")
		check(t, err)
		return ok
	}
	got := make([]bool, len(jobs))
	var wait sync.WaitGroup
	for i, j := range jobs {
		wait.Go(func() { got[i] = sit([]*store.DB{db, other}[i%2], j.Run) })
	}
	wait.Wait()
	var holdsSlot, waiting []run.Job
	for i, ok := range got {
		if ok {
			holdsSlot = append(holdsSlot, jobs[i])
		} else {
			waiting = append(waiting, jobs[i])
		}
	}
	if len(holdsSlot) != most {
		t.Fatalf("%d runs have a slot of %d", len(holdsSlot), most)
	}
	next := func(want run.ID) {
		t.Helper()
		if id, err := other.Slots.WaitsForSlot(t.Context(), "agent:pm", len(jobs)); err != nil || id != want {
			t.Errorf("%s is next, not %s: %v", id, want, err)
		}
	}
	next(waiting[0].Run)
	check(t, db.Write(t.Context(), func(tx *store.Tx) error { return tx.Claims().Park(waiting[0].Run, time.Time{}) }))
	next(waiting[1].Run) // somebody paused the first
	check(t, db.Write(t.Context(), func(tx *store.Tx) error {
		return tx.Claims().Park(waiting[0].Run, time.Now().Add(time.Hour))
	}))
	next(waiting[0].Run)
	claim(t, other, holdsSlot[0], "b", false) // its node died
	if !sit(other, holdsSlot[0].Run) || sit(other, waiting[0].Run) {
		t.Error("a slot goes with its run to another node")
	}
	check(t, db.Write(t.Context(), func(tx *store.Tx) error { return tx.Claims().Release(holdsSlot[0].Run) }))
	if !sit(db, waiting[1].Run) {
		t.Error("a slot is free when its run is over")
	}
	if sit(db, waiting[0].Run) {
		t.Error("it was free once")
	}
	check(t, db.Write(t.Context(), func(tx *store.Tx) error { return tx.Slots().Called(waiting[0].Run) }))
	next(waiting[2].Run)
	if id, err := db.Slots.WaitsForSlot(t.Context(), "agent:coder", 1); id != "" || err != nil {
		t.Errorf("nobody waits for another agent: %s, %v", id, err)
	}
}

func claim(t *testing.T, db *store.DB, j run.Job, node string, fresh bool) {
	t.Helper()
	check(t, db.Write(t.Context(), func(tx *store.Tx) error {
		if fresh {
			if err := tx.Claims().Ready(j); err != nil {
				return err
			}
		}
		_, ok, err := tx.Claims().Claim(j, node)
		if err == nil && !ok {
			t.Errorf("%s cannot be claimed", j.Run)
		}
		return err
	}))
}
