package dbos

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"chela/internal/run"
)

// A lane is the room for segments of one lane on this node. The library bounds what it
// gives to a node by itself; this bounds that together with what the node works without it.
type lane struct {
	width  int64
	wanted atomic.Int64 // places that are taken or waited for
	free   *semaphore.Weighted
}

func newLane(width int) *lane {
	n := int64(max(width, 1))
	return &lane{width: n, free: semaphore.NewWeighted(n)}
}

// room reports whether somebody who asks now need not wait, when so many are still to ask.
func (l *lane) room(promised int) bool { return l != nil && l.wanted.Load()+int64(promised) < l.width }

// take waits for a place, first come, first served.
func (l *lane) take(ctx context.Context) error {
	l.wanted.Add(1)
	if err := l.free.Acquire(ctx, 1); err != nil {
		l.wanted.Add(-1)
		return context.Cause(ctx)
	}
	return nil
}

// give ends what take began.
func (l *lane) give() {
	l.wanted.Add(-1)
	l.free.Release(1)
}

// errFull says that a job waited for a place and got none.
var errFull = errors.New("there is no room in the lane")

// How long a job of the library waits for a place before this node looks whether another
// has one: at first, when another has looked already, and from then on.
const (
	firstLook = 250 * time.Millisecond
	nextLook  = 50 * time.Millisecond
	lookAgain = time.Second
)

// enter waits for a place in the job's lane. The library does not know of the places that
// what is worked without it takes here, so a job that finds none goes back to its queue as
// soon as another node has room; then passed is true.
func (d *Executor) enter(j run.Job) (passed bool, err error) {
	look := firstLook
	if j.Passed > 0 {
		look = nextLook
	}
	for {
		ctx, cancel := context.WithTimeoutCause(d.serve, look, errFull)
		err := d.lanes[j.Lane].take(ctx)
		cancel()
		if !errors.Is(err, errFull) {
			return false, err
		}
		look = lookAgain
		back := j
		back.Passed++
		room, err := d.elsewhere(j.Lane)
		if err == nil && room {
			err = d.enqueue(back, nil)
		}
		if err != nil {
			d.opts.Log.Error("give a run back to its queue; it is tried again", "run", j.Run, "err", err)
		} else if room {
			return true, nil
		}
	}
}

// elsewhere reports whether another node has room in the lane, if it is as wide there as here.
func (d *Executor) elsewhere(lane run.Lane) (bool, error) {
	nodes, err := d.store.Nodes.Nodes(d.ctx)
	if err != nil {
		return false, err
	}
	load, err := d.store.Queue.Load(d.ctx, lane)
	for id, beat := range nodes {
		if id != d.node && !beat.IsZero() && load[id] < d.lanes[lane].width {
			return err == nil, err
		}
	}
	return false, err
}

// Enqueue implements [run.Executor]. A job whose conversation is free, here with room
// for it, is worked by this node as soon as it is committed, and no queue knows it. What
// comes to such a conversation follows its run, see Freed; all else is the library's, for
// any node, in the order of each conversation. Two transactions of one conversation hold
// its stream, so that each sees what the other did.
func (d *Executor) Enqueue(_ context.Context, tx run.Tx, j run.Job) (run.Job, error) {
	others, err := tx.Claims().Beside(j.Partition, j.Run)
	if err != nil {
		return j, err
	}
	switch {
	case anyDirect(others):
		j.Way = run.Behind
		return j, tx.Claims().Route(j.Run, run.Behind, "")
	case len(others) == 0 && d.promise(j):
		return d.keep(tx, j)
	}
	j.Way = run.ByQueue
	return j, d.enqueue(j, tx)
}

// anyDirect reports whether one of the jobs is worked by a node without a queue.
func anyDirect(jobs []run.Job) bool {
	return slices.ContainsFunc(jobs, func(j run.Job) bool { return j.Way == run.Direct })
}

func (d *Executor) keep(tx run.Tx, j run.Job) (run.Job, error) {
	j.Way = run.Direct
	return j, tx.Claims().Route(j.Run, run.Direct, d.node)
}

// Freed implements [run.Executor]. When a run is over that was worked without a queue,
// the next of its conversation takes its place, and where there is none here, all that
// followed it go to the library.
func (d *Executor) Freed(_ context.Context, tx run.Tx, over run.Job) ([]run.Job, error) {
	others, err := tx.Claims().Beside(over.Partition, over.Run)
	if err != nil || len(others) == 0 || anyDirect(others) {
		return nil, err
	}
	for i, j := range others {
		if j.Way != run.Behind {
			continue
		}
		if i == 0 && d.promise(j, over.Run) {
			j.Fresh = true // it was in no queue: nobody can have begun it
			j, err = d.keep(tx, j)
			return []run.Job{j}, err
		}
		if err := tx.Claims().Route(j.Run, run.ByQueue, ""); err != nil {
			return nil, err
		}
		if err := d.enqueue(j, tx); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// Committed implements [run.Executor]: the lanes find all else.
func (d *Executor) Committed(jobs ...run.Job) {
	for _, j := range jobs {
		if j.Way == run.Direct {
			d.begin(j)
		}
	}
}

// Changed implements [run.Executor]. A job of the library knows nothing of its run.
func (d *Executor) Changed(id run.ID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if j := d.direct[id]; j != nil {
		j.Known = nil
	}
}

// A promise is a place for a job whose transaction has not committed. Nobody says when one
// rolls back, so it is forgotten after a while.
type promise struct {
	lane run.Lane
	till time.Time
}

const promiseLasts = 5 * time.Second

// promise reports whether this node will have a place for the job, and keeps that; the place
// of a run that it works directly and that is over may be the one.
func (d *Executor) promise(j run.Job, over ...run.ID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, same := time.Now(), 0
	for id, p := range d.promises {
		if now.After(p.till) {
			delete(d.promises, id)
		} else if p.lane == j.Lane && id != j.Run {
			same++
		}
	}
	for _, id := range over {
		if had := d.direct[id]; had != nil && had.Lane == j.Lane {
			same--
		}
	}
	if !d.serving || !d.lanes[j.Lane].room(same) {
		return false
	}
	d.promises[j.Run] = promise{j.Lane, now.Add(promiseLasts)}
	return true
}

// begin works a job without a queue, unless that is begun already.
func (d *Executor) begin(j run.Job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.promises, j.Run)
	mine := d.direct[j.Run]
	if !d.serving || d.lanes[j.Lane] == nil || mine != nil && mine.Segment >= j.Segment {
		return
	}
	d.direct[j.Run] = &j
	d.work.Go(func() { d.do(&j) })
}

func (d *Executor) do(j *run.Job) {
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.direct[j.Run] == j {
			delete(d.direct, j.Run)
		}
	}()
	l := d.lanes[j.Lane]
	if err := l.take(d.serve); err != nil {
		return // stopping; it is this node's still, or the next one's
	}
	defer l.give()
	d.mu.Lock()
	job := *j
	d.mu.Unlock()
	// What is not done keeps its claim; sweep finds it, here or on the node that adopts it.
	_ = run.WorkOff(d.ctx, d.worker, job, d.stopping, d.opts.Log)
}

// sweep begins what is this node's to work without a queue and not begun: what it left
// when it stopped or died, and what it adopts of nodes that are gone.
func (d *Executor) sweep(ctx context.Context) error {
	if _, err := d.store.Queue.Adopt(ctx, d.node); err != nil {
		return err
	}
	jobs, err := d.store.Queue.Direct(ctx, d.node)
	for _, j := range jobs {
		d.begin(j)
	}
	return err
}
