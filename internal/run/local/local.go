// Package local dispatches runs inside one process. Its rows are the store's own;
// work starts as soon as it is committed, and nothing polls. At start it takes up
// everything that was not finished.
package local

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"chela/internal/run"
)

// Jobs finds the work that is left from an earlier process.
type Jobs interface {
	Jobs(ctx context.Context) (open, parked []run.Job, err error)
}

// An Executor implements [run.Executor].
type Executor struct {
	store Jobs
	lanes run.Lanes
	log   *slog.Logger

	mu      sync.Mutex // guards the rest
	serving bool
	worker  run.Worker
	waiting map[run.Lane][]run.Job // first come, first served among those with the same share
	used    map[run.Lane]int
	shares  map[share]int   // jobs in work
	busy    map[string]bool // partitions with a job in work
	known   map[run.ID]int  // segments that wait or are worked
	timers  map[run.ID]*time.Timer
	work    sync.WaitGroup
	ctx     context.Context //nolint:containedctx // of Serve, for the work it starts

	stopping <-chan struct{} // of Serve
}

var _ run.Executor = (*Executor)(nil)

// New returns an executor; lanes that are not named have the default width.
func New(store Jobs, lanes run.Lanes, log *slog.Logger) *Executor {
	d := &Executor{
		store: store, lanes: run.DefaultLanes(), log: log, waiting: make(map[run.Lane][]run.Job), used: make(map[run.Lane]int),
		busy: make(map[string]bool), shares: make(map[share]int), known: make(map[run.ID]int), timers: make(map[run.ID]*time.Timer),
	}
	for l, n := range lanes {
		d.lanes[l] = n
	}
	return d
}

// Node implements [run.Executor].
func (*Executor) Node() string { return "local" }

// Enqueue implements [run.Executor]: the engine's row is all there is to write.
func (*Executor) Enqueue(_ context.Context, _ run.Tx, j run.Job) (run.Job, error) { return j, nil }

// Freed implements [run.Executor]: what waits for the partition is seen when the work ends.
func (*Executor) Freed(context.Context, run.Tx, run.Job) ([]run.Job, error) { return nil, nil }

// Committed implements [run.Executor].
func (d *Executor) Committed(jobs ...run.Job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, j := range jobs {
		d.add(j)
	}
	d.start()
}

// Changed implements [run.Executor].
func (d *Executor) Changed(id run.ID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, queue := range d.waiting {
		for i := range queue {
			if queue[i].Run == id {
				queue[i].Known = nil
			}
		}
	}
}

// add queues a job unless it is known.
func (d *Executor) add(j run.Job) {
	if d.known[j.Run] >= j.Segment {
		return
	}
	d.known[j.Run] = j.Segment
	d.waiting[j.Lane] = append(d.waiting[j.Lane], j)
}

// A share is what one who asks has of a lane.
type share struct {
	lane run.Lane
	of   string
}

// start begins the jobs whose lanes, partitions and shares have room: those first who have least in work.
func (d *Executor) start() {
	if !d.serving {
		return // Serve finds it in the store
	}
	for lane := range d.waiting {
		for d.used[lane] < max(d.lanes[lane], 1) {
			i := d.next(lane)
			if i < 0 {
				break
			}
			j := d.waiting[lane][i]
			d.waiting[lane] = slices.Delete(d.waiting[lane], i, i+1)
			d.used[lane]++
			d.shares[share{lane, j.Share}]++
			d.busy[j.Partition] = true
			ctx := d.ctx
			d.work.Go(func() { d.do(ctx, j) })
		}
	}
}

// next is the job of a lane that begins next; -1 is none.
func (d *Executor) next(lane run.Lane) int {
	return run.Fairest(d.waiting[lane], max(d.lanes[lane], 1), func(partition string) bool { return d.busy[partition] },
		func(of string) int { return d.shares[share{lane, of}] })
}

func (d *Executor) do(ctx context.Context, j run.Job) {
	// What is not done is claimable in the store still; Serve finds it at the next start.
	_ = run.WorkOff(ctx, d.worker, j, d.stopping, d.log)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.used[j.Lane]--
	of := share{j.Lane, j.Share}
	if d.shares[of]--; d.shares[of] == 0 {
		delete(d.shares, of)
	}
	delete(d.busy, j.Partition)
	if d.known[j.Run] == j.Segment {
		delete(d.known, j.Run)
	}
	d.start()
}

// Sleep implements [run.Executor].
func (d *Executor) Sleep(j run.Job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.serving {
		return
	}
	if old := d.timers[j.Run]; old != nil {
		old.Stop()
	}
	ctx := d.ctx
	d.timers[j.Run] = time.AfterFunc(j.NotBefore.Sub(d.worker.Now()), func() {
		d.mu.Lock()
		delete(d.timers, j.Run)
		serving := d.serving
		if serving {
			d.work.Add(1)
		}
		d.mu.Unlock()
		if serving {
			defer d.work.Done()
			d.worker.Due(ctx, j.Run)
		}
	})
}

// Serve implements [run.Executor].
func (d *Executor) Serve(ctx context.Context, w run.Worker) error {
	open, parked, err := d.store.Jobs(ctx)
	if ctx.Err() != nil {
		return nil // stopped before it began
	}
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.worker, d.serving, d.ctx, d.stopping = w, true, context.WithoutCancel(ctx), ctx.Done()
	for _, j := range open {
		d.add(j)
	}
	d.start()
	d.mu.Unlock()
	for _, j := range parked {
		d.Sleep(j)
	}
	<-ctx.Done()
	d.mu.Lock()
	d.serving = false
	for id, t := range d.timers {
		t.Stop()
		delete(d.timers, id)
	}
	d.waiting, d.known = make(map[run.Lane][]run.Job), make(map[run.ID]int)
	d.mu.Unlock()
	d.work.Wait()
	return nil
}
