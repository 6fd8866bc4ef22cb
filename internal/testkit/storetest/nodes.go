package storetest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/run"
	"chela/internal/store"
)

func nodes(t *testing.T, open Opener) {
	db, _ := open(t)
	seed(t, db)
	ctx := t.Context()
	first, second := time.UnixMicro(1000).UTC(), time.UnixMicro(2000).UTC()
	for _, at := range []time.Time{first, second} {
		check(t, db.Cluster.Beat(ctx, "a", at))
	}
	all, err := db.Cluster.Nodes(ctx)
	check(t, err)
	if len(all) != 1 || !all["a"].Equal(second) {
		t.Fatalf("%v", all)
	}
	if _, ok, err := db.Cluster.StrikeOff(ctx, "a", first); ok || err != nil {
		t.Fatalf("a node that has beaten since was struck off: %v", err)
	}
	var struck atomic.Int32
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			_, ok, err := db.Cluster.StrikeOff(ctx, "a", second)
			if err != nil {
				t.Error(err)
			}
			if ok {
				struck.Add(1)
			}
		})
	}
	wait.Wait()
	if struck.Load() != 1 {
		t.Errorf("%d nodes struck it off", struck.Load())
	}
	check(t, db.Cluster.Beat(ctx, "a", second))
	if all, err = db.Cluster.Nodes(ctx); err != nil || len(all) != 1 {
		t.Errorf("a node that beats again is not listed: %v, %v", all, err)
	}
	claims(t, db)
}

// claims looks at what a node works and what is overdue.
func claims(t *testing.T, db *store.DB) {
	t.Helper()
	ctx, s := t.Context(), db
	job := run.Job{Run: "run_1", Segment: 1, Kind: "chat", Lane: run.UserLane, Partition: "thr_1"}
	check(t, s.Write(ctx, func(tx *store.Tx) error {
		if err := tx.Claims().Ready(job); err != nil {
			return err
		}
		_, _, err := tx.Claims().Claim(job, "a")
		return err
	}))
	for node, want := range map[string]int{"a": 1, "b": 0} {
		got, err := db.Queue.Claims(ctx, node)
		check(t, err)
		if len(got) != want {
			t.Errorf("node %s works %v", node, got)
		}
	}
	at := time.Now()
	check(t, s.Write(ctx, func(tx *store.Tx) error { return tx.Claims().Park("run_1", at) }))
	for when, want := range map[time.Time]int{at.Add(-time.Second): 0, at.Add(time.Second): 1} {
		c, err := db.Queue.Cluster(ctx, "b", when)
		check(t, err)
		if len(c.Overdue) != want {
			t.Errorf("at %s %v is overdue", when, c.Overdue)
		}
	}
}
