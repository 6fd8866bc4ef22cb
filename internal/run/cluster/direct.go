package cluster

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"chela/internal/run"
)

// A lane is the room for segments of one lane on this node.
type lane struct {
	width  int64
	wanted atomic.Int64 // places that are taken or waited for
	free   *semaphore.Weighted
	waits  atomic.Bool   // something may wait in it for a node
	woken  chan struct{} // waits became true, or room came
}

func newLane(width int) *lane {
	n := int64(max(width, 1))
	return &lane{width: n, free: semaphore.NewWeighted(n), woken: make(chan struct{}, 1)}
}

// room is how many who ask now need not wait, when so many are still to ask.
func (l *lane) room(promised int) int {
	if l == nil {
		return 0
	}
	return int(l.width - l.wanted.Load() - int64(promised))
}

// want says that somebody is about to take a place.
func (l *lane) want() { l.wanted.Add(1) }

// take waits for a place that is wanted, first come, first served.
func (l *lane) take(ctx context.Context) error {
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

// Enqueue implements [run.Executor]. A job whose conversation is free, here with room
// for it, is worked by this node as soon as it is committed. What comes to a conversation
// that is not free follows its run, see Freed; all else waits for any node. Two
// transactions of one conversation hold its stream, so that each sees what the other did.
func (d *Executor) Enqueue(_ context.Context, tx run.Tx, j run.Job) (run.Job, error) {
	others, err := tx.Claims().Beside(j.Partition, j.Run)
	if err != nil {
		return j, err
	}
	switch {
	case len(others) == 0 && d.promise(j):
		return d.keep(tx, j)
	case !anyDirect(others):
		tx.Claims().Announce(j.Lane)
	}
	j.Way = run.ByQueue
	return j, nil
}

// anyDirect reports whether one of the jobs is a node's.
func anyDirect(jobs []run.Job) bool {
	return slices.ContainsFunc(jobs, func(j run.Job) bool { return j.Way == run.Direct })
}

func (d *Executor) keep(tx run.Tx, j run.Job) (run.Job, error) {
	j.Way = run.Direct
	return j, tx.Claims().Route(j.Run, run.Direct, d.node)
}

// Freed implements [run.Executor]. When a run is over or waits, the next of its
// conversation takes its place here, or waits for any node where there is no room.
func (d *Executor) Freed(_ context.Context, tx run.Tx, over run.Job) ([]run.Job, error) {
	others, err := tx.Claims().Beside(over.Partition, over.Run)
	if err != nil || len(others) == 0 || anyDirect(others) {
		return nil, err
	}
	next := others[0]
	if !d.promise(next, over.Run) {
		tx.Claims().Announce(next.Lane)
		return nil, nil
	}
	next.Fresh = !next.Begun
	next, err = d.keep(tx, next)
	return []run.Job{next}, err
}

// Committed implements [run.Executor].
func (d *Executor) Committed(jobs ...run.Job) {
	for _, j := range jobs {
		if j.Way == run.Direct {
			d.begin(j)
		} else {
			d.wait(j.Lane)
		}
	}
}

// Changed implements [run.Executor].
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
	lane  run.Lane
	share string
	till  time.Time
}

const promiseLasts = 5 * time.Second

// promise reports whether this node will have a place for the job, and keeps that; the place
// of a run that it works and that is over may be the one. What waits in the lane already
// comes first.
func (d *Executor) promise(j run.Job, over ...run.ID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.lanes[j.Lane]
	promised := d.promised(j.Lane, j.Run)
	for _, id := range over {
		if had := d.direct[id]; had != nil && had.Lane == j.Lane {
			promised--
		}
	}
	if !d.serving || l.room(promised) < 1 || l.waits.Load() && len(over) == 0 || !d.within(j, over) {
		return false
	}
	d.promises[j.Run] = promise{j.Lane, j.Share, time.Now().Add(promiseLasts)}
	return true
}

// promised counts the places of a lane that others than one run are promised. The caller holds mu.
func (d *Executor) promised(lane run.Lane, but run.ID) (n int) {
	now := time.Now()
	for id, p := range d.promises {
		if now.After(p.till) {
			delete(d.promises, id)
		} else if p.lane == lane && id != but {
			n++
		}
	}
	return n + d.taking[lane]
}

// within reports whether who asks for the job has no more of its lane than one may have, without the runs that are over. The
// caller holds mu.
func (d *Executor) within(j run.Job, over []run.ID) bool {
	return !j.Program() || d.has(j.Lane, append(over, j.Run)...)[j.Share] < run.ShareOfLane(int(d.lanes[j.Lane].width))
}

// has counts what each who asks has of a lane here, without some runs. The caller holds mu.
func (d *Executor) has(lane run.Lane, but ...run.ID) map[string]int {
	out := make(map[string]int)
	for id, j := range d.direct {
		if j.Lane == lane && !slices.Contains(but, id) {
			out[j.Share]++
		}
	}
	for id, p := range d.promises {
		if p.lane == lane && !slices.Contains(but, id) {
			out[p.share]++
		}
	}
	return out
}

// begin works a job, unless that is begun already.
func (d *Executor) begin(j run.Job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.promises, j.Run)
	mine := d.direct[j.Run]
	if !d.serving || d.lanes[j.Lane] == nil || mine != nil && mine.Segment >= j.Segment {
		return
	}
	d.direct[j.Run] = &j
	d.lanes[j.Lane].want() // with its promise gone nobody else may think that the place is free
	d.work.Go(func() { d.do(&j) })
}

func (d *Executor) do(j *run.Job) {
	l := d.lanes[j.Lane]
	defer func() {
		d.mu.Lock()
		if d.direct[j.Run] == j {
			delete(d.direct, j.Run)
		}
		d.mu.Unlock()
		l.wake()
	}()
	if err := l.take(d.serve); err != nil {
		return // stopping; it is this node's still, or the next one's
	}
	defer l.give()
	d.mu.Lock()
	job := *j
	d.mu.Unlock()
	// What is not done keeps its claim; watch finds it, here or on the node that takes over.
	_ = run.WorkOff(d.ctx, d.worker, job, d.stopping, d.opts.Log)
}
