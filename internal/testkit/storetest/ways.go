package storetest

import (
	"slices"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/run"
	"chela/internal/store"
)

// A queue is a store with four ready jobs, of which three are of one conversation; ann asks for them.
type queue struct {
	t    *testing.T
	db   *store.DB
	jobs []run.Job
}

func newQueue(t *testing.T, open Opener) *queue {
	t.Helper()
	db, _ := open(t)
	q := &queue{t, db, make([]run.Job, 4)}
	for i := range q.jobs {
		at := spender(t, db, i)
		q.jobs[i] = run.Job{Run: run.ID(at.Run), Segment: 1, Kind: "chat", Lane: run.UserLane, Partition: "thr_1"}
	}
	q.jobs[3].Partition = "thr_2"
	for _, j := range []run.Job{q.jobs[2], q.jobs[1], q.jobs[0], q.jobs[3]} { // found by age, whoever is ready first
		q.write(func(tx *store.Tx) error { return tx.Claims().Ready(j) })
	}
	return q
}

func (q *queue) write(fn func(*store.Tx) error) {
	q.t.Helper()
	check(q.t, q.db.Write(q.t.Context(), fn))
}

func (q *queue) beside(of run.Job, want ...run.Job) {
	q.t.Helper()
	q.write(func(tx *store.Tx) error {
		got, err := tx.Claims().Beside(of.Partition, of.Run)
		same := func(g, w run.Job) bool {
			return g.Run == w.Run && g.Way == w.Way && g.Lane == w.Lane && g.Segment == w.Segment
		}
		if !slices.EqualFunc(got, want, same) {
			q.t.Errorf("beside %s are %+v, not %+v", of.Run, got, want)
		}
		return err
	})
}

func idsOf(jobs []run.Job) (out []run.ID) {
	for _, j := range jobs {
		out = append(out, j.Run)
	}
	return out
}

func (q *queue) waiting(want ...run.ID) {
	q.t.Helper()
	got, err := q.db.Queue.Waiting(q.t.Context(), run.UserLane)
	check(q.t, err)
	if !slices.Equal(idsOf(got), want) {
		q.t.Errorf("for a node wait %v, not %v", idsOf(got), want)
	}
}

func (q *queue) take(node string, jobs []run.ID, want ...run.ID) {
	q.t.Helper()
	got, err := q.db.Queue.Take(q.t.Context(), node, jobs)
	check(q.t, err)
	if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		q.t.Errorf("node %s took %v, not %v", node, got, want)
	}
}

func (q *queue) works(node string, want ...run.ID) {
	q.t.Helper()
	found, err := q.db.Queue.Direct(q.t.Context(), node)
	check(q.t, err)
	if !slices.Equal(idsOf(found), want) {
		q.t.Errorf("node %s works %v, not %v", node, idsOf(found), want)
	}
	c, err := q.db.Queue.Cluster(q.t.Context(), node, time.Now())
	check(q.t, err)
	if !slices.Equal(slices.Sorted(slices.Values(c.Mine)), slices.Sorted(slices.Values(want))) {
		q.t.Errorf("node %s sees that it works %v, not %v", node, c.Mine, want)
	}
}

// ways sends jobs of one conversation their ways, and looks who finds them.
func ways(t *testing.T, open Opener) {
	q := newQueue(t, open)
	jobs, as := q.jobs, func(j run.Job, way run.Way) run.Job { j.Way = way; return j }
	q.beside(jobs[1], as(jobs[0], run.ByQueue), as(jobs[2], run.ByQueue))
	q.waiting(jobs[0].Run, jobs[3].Run) // one of each conversation

	q.write(func(tx *store.Tx) error { return tx.Claims().Route(jobs[0].Run, run.Direct, "a") })
	q.write(func(tx *store.Tx) error { return tx.Claims().Park(jobs[2].Run, time.Now().Add(time.Hour)) })
	q.beside(jobs[2], as(jobs[0], run.Direct), as(jobs[1], run.ByQueue))
	q.beside(jobs[3])
	q.works("a", jobs[0].Run)
	q.works("b")
	q.waiting(jobs[3].Run) // the other conversation has a run in work
	q.take("b", []run.ID{jobs[0].Run, jobs[3].Run}, jobs[3].Run)
	q.take("c", []run.ID{jobs[3].Run})
	q.works("b", jobs[3].Run)
	q.waiting()
	q.write(func(tx *store.Tx) error { return tx.Claims().Release(jobs[0].Run) })
	q.waiting(jobs[1].Run)
	if other, err := q.db.Queue.Waiting(t.Context(), run.ChildLane); err != nil || len(other) != 0 {
		t.Errorf("in another lane wait %v: %v", other, err)
	}

	jobs[1].Segment = 2
	q.write(func(tx *store.Tx) error { return tx.Claims().Ready(jobs[1]) })
	q.beside(jobs[2], as(jobs[1], run.ByQueue)) // each segment goes its own way
}

// requeued has a node go: what it worked waits for another, and it can record nothing more.
func requeued(t *testing.T, open Opener) {
	q := newQueue(t, open)
	ctx, j := t.Context(), q.jobs[0]
	var epoch int64
	q.write(func(tx *store.Tx) error { return tx.Claims().Route(j.Run, run.Direct, "a") })
	q.write(func(tx *store.Tx) (err error) { epoch, _, err = tx.Claims().Claim(j, "a"); return err })
	q.write(func(tx *store.Tx) error { return tx.Claims().Unready(j.Run, epoch) })
	q.works("a", j.Run) // given back it is still its node's
	q.write(func(tx *store.Tx) (err error) { epoch, _, err = tx.Claims().Claim(j, "a"); return err })
	check(t, q.db.Cluster.Beat(ctx, "a", time.UnixMicro(1000)))
	requeue := func(want int64) {
		t.Helper()
		n, err := q.db.Queue.Requeue(ctx)
		check(t, err)
		if n != want {
			t.Errorf("%d runs were put back, not %d", n, want)
		}
	}
	requeue(0) // its node is there
	runs, ok, err := q.db.Cluster.StrikeOff(ctx, "a", time.UnixMicro(1000))
	check(t, err)
	if !ok || runs != 1 {
		t.Errorf("with the node %d runs were put back; it was struck off: %v", runs, ok)
	}
	q.works("a")
	q.waiting(j.Run, q.jobs[3].Run)
	if err := q.db.Write(ctx, func(tx *store.Tx) error { return tx.Claims().Fence(j.Run, epoch) }); err == nil {
		t.Error("a node that was struck off records more")
	}
	q.take("b", []run.ID{j.Run}, j.Run)
	if c, err := q.db.Queue.Cluster(ctx, "c", time.Now()); err != nil || !c.Orphans || !slices.Equal(c.Waiting, []run.Lane{run.UserLane}) {
		t.Errorf("what a node works that is not listed is seen as %+v, %v", c, err)
	}
	requeue(1) // b never beat
	q.write(func(tx *store.Tx) error { return tx.Claims().Park(j.Run, time.UnixMicro(5)) })
	c, err := q.db.Queue.Cluster(ctx, "c", time.Now())
	check(t, err)
	if c.Orphans || !slices.Equal(c.Overdue, []run.ID{j.Run}) {
		t.Errorf("a node sees %+v", c)
	}
}

// announced looks who hears that jobs wait.
func announced(t *testing.T, open Opener) {
	db, _ := open(t)
	at := spender(t, db, 0)
	heard, stop := db.Subscribe(event.JobsWait(string(run.UserLane)))
	defer stop()
	other, stopOther := db.Subscribe(event.JobsWait(string(run.ChildLane)))
	defer stopOther()
	check(t, db.Write(t.Context(), func(tx *store.Tx) error {
		tx.Claims().Announce(run.UserLane)
		_, err := tx.Append(run.FinishedKind.Draft(at, run.Finished{State: run.Done}))
		return err
	}))
	for ch, want := range map[<-chan struct{}]bool{heard: true, other: false} {
		select {
		case <-ch:
			if !want {
				t.Error("another lane was told")
			}
		default:
			if want {
				t.Error("nobody was told")
			}
		}
	}
}

// atOnce has the last of what a transaction only writes be refused: nothing of it is kept, and the next one goes on.
func atOnce(t *testing.T, open Opener) {
	q := newQueue(t, open)
	j := q.jobs[0]
	err := q.db.Write(t.Context(), func(tx *store.Tx) error {
		if err := tx.SetCursor("x", 5); err != nil {
			return err
		}
		return tx.Claims().Route(j.Run, "sideways", "")
	})
	if err == nil {
		t.Error("a way that there is not was taken")
	}
	if at, err := q.db.Log.Cursor(t.Context(), "x"); err != nil || at != 0 {
		t.Errorf("of a transaction that was refused the cursor %d is kept, %v", at, err)
	}
	q.write(func(tx *store.Tx) error {
		if err := tx.SetCursor("x", 6); err != nil {
			return err
		}
		return tx.Claims().Route(j.Run, run.Direct, "a")
	})
	if at, err := q.db.Log.Cursor(t.Context(), "x"); err != nil || at != 6 {
		t.Errorf("the cursor is %d, %v, want 6", at, err)
	}
	q.works("a", j.Run)
}
