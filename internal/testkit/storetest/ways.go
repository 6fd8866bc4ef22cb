package storetest

import (
	"slices"
	"testing"
	"time"

	"chela/internal/run"
	"chela/internal/store"
)

// ways sends jobs of one conversation their ways, and looks who finds them.
func ways(t *testing.T, open Opener) {
	db, _ := open(t)
	ctx, s := t.Context(), db
	jobs := make([]run.Job, 4)
	for i := range jobs {
		at := spender(t, db, i)
		jobs[i] = run.Job{Run: run.ID(at.Run), Segment: 1, Kind: "chat", Lane: run.UserLane, Partition: "thr_1"}
	}
	jobs[3].Partition = "thr_2"
	write := func(fn func(*store.Tx) error) {
		t.Helper()
		check(t, s.Write(ctx, fn))
	}
	beside := func(of run.Job, want ...run.Job) {
		t.Helper()
		write(func(tx *store.Tx) error {
			got, err := tx.Claims().Beside(of.Partition, of.Run)
			same := func(g, w run.Job) bool {
				return g.Run == w.Run && g.Way == w.Way && g.Lane == w.Lane && g.Segment == w.Segment
			}
			if !slices.EqualFunc(got, want, same) {
				t.Errorf("beside %s are %+v, not %+v", of.Run, got, want)
			}
			return err
		})
	}
	for _, j := range []run.Job{jobs[2], jobs[1], jobs[0], jobs[3]} { // found by age, whoever is ready first
		write(func(tx *store.Tx) error { return tx.Claims().Ready(j) })
	}
	as := func(j run.Job, way run.Way) run.Job { j.Way = way; return j }
	beside(jobs[1], as(jobs[0], run.ByQueue), as(jobs[2], run.ByQueue))

	write(func(tx *store.Tx) error { return tx.Claims().Route(jobs[0].Run, run.Direct, "a") })
	write(func(tx *store.Tx) error { return tx.Claims().Route(jobs[1].Run, run.Behind, "") })
	write(func(tx *store.Tx) error { return tx.Claims().Park(jobs[2].Run, time.Now().Add(time.Hour)) })
	beside(jobs[2], as(jobs[0], run.Direct), as(jobs[1], run.Behind))
	beside(jobs[3])
	worksDirectly(t, db, "a", jobs[0].Run)
	worksDirectly(t, db, "b")
	write(func(tx *store.Tx) error { _, _, err := tx.Claims().Claim(jobs[3], "b"); return err })
	load, err := db.Queue.Load(ctx, run.UserLane)
	check(t, err)
	if len(load) != 2 || load["a"] != 1 || load["b"] != 1 {
		t.Errorf("the nodes work %v", load)
	}
	if load, err = db.Queue.Load(ctx, run.ChildLane); err != nil || len(load) != 0 {
		t.Errorf("in another lane the nodes work %v: %v", load, err)
	}

	adopted(t, db, jobs[0])
	jobs[0].Segment = 2
	write(func(tx *store.Tx) error { return tx.Claims().Ready(jobs[0]) })
	beside(jobs[1], as(jobs[0], run.ByQueue)) // each segment goes its own way
}

// adopted has the node of a direct job give it back and go, and another make it its own.
func adopted(t *testing.T, db *store.DB, j run.Job) {
	t.Helper()
	ctx, s := t.Context(), db
	var epoch int64
	check(t, s.Write(ctx, func(tx *store.Tx) (err error) { epoch, _, err = tx.Claims().Claim(j, "a"); return err }))
	check(t, s.Write(ctx, func(tx *store.Tx) error { return tx.Claims().Unready(j.Run, epoch) }))
	worksDirectly(t, db, "a", j.Run) // given back it is still its node's

	_, err := db.Cluster.Beat(ctx, "a", time.UnixMicro(1000))
	check(t, err)
	adopt := func(node string, want int64) {
		t.Helper()
		n, err := db.Queue.Adopt(ctx, node)
		check(t, err)
		if n != want {
			t.Errorf("node %s adopted %d runs, not %d", node, n, want)
		}
	}
	adopt("b", 0) // its node is there
	_, err = db.Cluster.TakeOver(ctx, "a", time.UnixMicro(1000), func() error { return nil })
	check(t, err)
	adopt("b", 1)
	adopt("b", 0)
	worksDirectly(t, db, "a")
	worksDirectly(t, db, "b", j.Run)
	check(t, s.Write(ctx, func(tx *store.Tx) error { return tx.Claims().Park(j.Run, time.Time{}) }))
	worksDirectly(t, db, "b")
}

func worksDirectly(t *testing.T, db *store.DB, node string, want ...run.ID) {
	t.Helper()
	found, err := db.Queue.Direct(t.Context(), node)
	check(t, err)
	var got []run.ID
	for _, j := range found {
		got = append(got, j.Run)
	}
	if !slices.Equal(got, want) {
		t.Errorf("node %s works %v directly, not %v", node, got, want)
	}
}
