// Package cluster dispatches runs over any number of nodes that share a PostgreSQL
// database. The claims are the queue: a job whose conversation is free and that finds room
// at the node its message reached is worked there as soon as it is committed, see direct.go;
// any other waits in the claims, and a node that has room takes it, see take.go. Who is
// there is in nodes.go. Nothing polls but one look a second.
package cluster

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"chela/internal/event"
	"chela/internal/run"
)

// A Store holds the claims and the list of nodes, and tells when jobs wait.
type Store struct {
	Queue Queue
	Nodes Nodes
	Wakes event.Notifier
}

// A Queue is the claims.
type Queue interface {
	// Cluster returns what node sees of the nodes and the claims at a time.
	Cluster(ctx context.Context, node string, at time.Time) (run.Cluster, error)
	// Waiting returns jobs of a lane that wait for a node and whose turn it is in their
	// conversations, oldest first.
	Waiting(ctx context.Context, lane run.Lane) ([]run.Job, error)
	// Take makes jobs that still wait node's to work, and returns which it got.
	Take(ctx context.Context, node string, jobs []run.ID) ([]run.ID, error)
	// Direct returns what node works, or shall work, oldest first.
	Direct(ctx context.Context, node string) ([]run.Job, error)
	// Claims returns the runs that node works, with the epochs of their claims.
	Claims(ctx context.Context, node string) (map[run.ID]int64, error)
	// Requeue has what nodes worked that are not listed wait for another node, and returns how many runs that are.
	Requeue(ctx context.Context) (int64, error)
}

// Nodes is the list of nodes.
type Nodes interface {
	// Return says that the node is there from now on, and ends what is left of its process before.
	Return(ctx context.Context, node string, at time.Time) error
	// Beat says that the node is there, or at the zero time that it left.
	Beat(ctx context.Context, node string, at time.Time) error
	// StrikeOff removes a node whose last beat is still last, and has what it worked wait
	// for another. It returns how many runs that are, and whether it did, on one node alone.
	StrikeOff(ctx context.Context, node string, last time.Time) (runs int64, ok bool, err error)
}

// Options of an [Executor]. The zero value is the default.
type Options struct {
	Lanes  run.Lanes     // widths on each node; lanes that are not named have the default
	Beat   time.Duration // between two beats of a node; 0 means 1 s
	Silent time.Duration // a node silent for so long is taken over; 0 means 6 s
	Watch  time.Duration // how often claims of live runs are looked at; 0 means 250 ms
	Log    *slog.Logger  // nil means slog.Default
}

// An Executor implements [run.Executor].
type Executor struct {
	store Store
	node  string
	opts  Options
	lanes map[run.Lane]*lane

	// Set by Serve, before anything is worked.
	worker   run.Worker
	ctx      context.Context //nolint:containedctx // of Serve, for the work it starts
	serve    context.Context //nolint:containedctx // ends with Serve's
	stopping <-chan struct{}

	mu       sync.Mutex // guards the rest
	serving  bool
	direct   map[run.ID]*run.Job // worked here, or about to be
	work     sync.WaitGroup      // on them
	promises map[run.ID]promise
	taking   map[run.Lane]int // places for what is about to be taken
}

var _ run.Executor = (*Executor)(nil)

// New returns an executor of the named node. The name must stay the same over restarts and
// differ from every other's.
func New(store Store, node string, opts Options) *Executor {
	if opts.Beat == 0 {
		opts.Beat = time.Second
	}
	if opts.Silent == 0 {
		opts.Silent = 6 * time.Second
	}
	if opts.Watch == 0 {
		opts.Watch = 250 * time.Millisecond
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	lanes := run.DefaultLanes()
	for l, n := range opts.Lanes {
		lanes[l] = n
	}
	d := &Executor{
		store: store, node: node, opts: opts, lanes: make(map[run.Lane]*lane),
		direct: make(map[run.ID]*run.Job), promises: make(map[run.ID]promise), taking: make(map[run.Lane]int),
	}
	for name, width := range lanes {
		d.lanes[name] = newLane(width)
	}
	return d
}

// Node implements [run.Executor].
func (d *Executor) Node() string { return d.node }

// Sleep implements [run.Executor]: every node looks for what is overdue.
func (*Executor) Sleep(run.Job) {}

// Serve implements [run.Executor].
func (d *Executor) Serve(ctx context.Context, w run.Worker) error {
	d.worker, d.ctx, d.serve, d.stopping = w, context.WithoutCancel(ctx), ctx, ctx.Done()
	// It is there before it takes up what it had in hand, so that nobody else takes that over meanwhile.
	if err := d.store.Nodes.Return(d.ctx, d.node, time.Now()); err != nil || ctx.Err() != nil {
		return err
	}
	d.open(true)
	there, gone := context.WithCancel(d.ctx) // beyond ctx: what is in hand is finished as a member
	var watch sync.WaitGroup
	watch.Go(func() { d.watch(there) })
	for name := range d.lanes {
		watch.Go(func() { d.takeWhatWaits(ctx, name) })
	}
	<-ctx.Done()
	d.open(false)
	over := make(chan struct{})
	go func() {
		defer close(over)
		d.work.Wait()
	}()
	select {
	case <-over:
	case <-time.After(time.Minute): // deaf to its end; others take over when this node has left
	}
	gone()
	watch.Wait()
	d.leave()
	return nil
}

// open says whether this node takes work.
func (d *Executor) open(yes bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.serving = yes
}

// leave says that this node is gone, so that others take over at once what it gave
// back. When it cannot, they see its silence.
func (d *Executor) leave() {
	ctx, cancel := context.WithTimeout(d.ctx, 5*time.Second)
	defer cancel()
	if err := d.store.Nodes.Beat(ctx, d.node, time.Time{}); err != nil {
		d.opts.Log.Warn("leave", "node", d.node, "err", err)
	}
}
