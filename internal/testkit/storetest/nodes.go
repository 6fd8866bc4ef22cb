package storetest

import (
	"errors"
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
	for _, c := range []struct {
		at    time.Time
		known bool
	}{{first, false}, {second, true}} {
		known, err := db.Cluster.Beat(ctx, "a", c.at)
		check(t, err)
		if known != c.known {
			t.Errorf("the beat at %s: known %v", c.at, known)
		}
	}
	all, err := db.Cluster.Nodes(ctx)
	check(t, err)
	if len(all) != 1 || !all["a"].Equal(second) {
		t.Fatalf("%v", all)
	}
	if ok, err := db.Cluster.TakeOver(ctx, "a", first, func() error { return nil }); ok || err != nil {
		t.Fatalf("a node that has beaten since was taken over: %v", err)
	}
	refused := errors.New("refused")
	if ok, err := db.Cluster.TakeOver(ctx, "a", second, func() error { return refused }); ok || !errors.Is(err, refused) {
		t.Fatalf("a take-over that failed: %v %v", ok, err)
	}
	var took atomic.Int32
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			if _, err := db.Cluster.TakeOver(ctx, "a", second, func() error { took.Add(1); return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if took.Load() != 1 {
		t.Errorf("%d nodes took over", took.Load())
	}
	known, err := db.Cluster.Beat(ctx, "a", second)
	check(t, err)
	if known {
		t.Error("a node that was struck off is not told")
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
		due, err := db.Queue.Overdue(ctx, when)
		check(t, err)
		if len(due) != want {
			t.Errorf("at %s %v is overdue", when, due)
		}
	}
}
