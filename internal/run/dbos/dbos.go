// Package dbos dispatches runs over any number of nodes that share a PostgreSQL
// database, with the DBOS Transact library. A segment is one workflow without steps of
// its own: the log is the checkpoint. The library's queues are the lanes, its
// partitions keep a conversation to one run at a time over all nodes, and its enqueue
// commits with our events. What a node can work at once in a conversation that is free
// needs no queue: see direct.go. Membership is ours: see nodes.go.
package dbos

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	"github.com/jackc/pgx/v5/pgxpool"

	"chela/internal/run"
)

// A Store holds the claims and the list of nodes.
type Store struct {
	Queue Queue
	Nodes Nodes
}

// A Queue is the claims.
type Queue interface {
	// Jobs returns what is claimable or claimed, and what is parked until a time.
	Jobs(ctx context.Context) (open, parked []run.Job, err error)
	// Overdue returns parked runs whose time has come.
	Overdue(ctx context.Context, at time.Time) ([]run.ID, error)
	// Claims returns the runs that node works, with the epochs of their claims.
	Claims(ctx context.Context, node string) (map[run.ID]int64, error)
	// Direct returns what node works, or shall work, without a queue.
	Direct(ctx context.Context, node string) ([]run.Job, error)
	// Load returns how many runs of the lane each node works, or is about to.
	Load(ctx context.Context, lane run.Lane) (map[string]int64, error)
	// Adopt makes node's what nodes that are not listed worked without a queue.
	Adopt(ctx context.Context, node string) (int64, error)
}

// Nodes is the list of nodes.
type Nodes interface {
	// Beat says that the node is there; known is false when it was not listed.
	Beat(ctx context.Context, node string, at time.Time) (known bool, err error)
	// Nodes returns the last beat of every node.
	Nodes(ctx context.Context) (map[string]time.Time, error)
	// TakeOver strikes off a node whose last beat is still last and calls take, on one
	// node alone.
	TakeOver(ctx context.Context, node string, last time.Time, take func() error) (bool, error)
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
	lib   dbos.Context
	lanes map[run.Lane]*lane

	// Set by Serve, before the library calls.
	worker   run.Worker
	ctx      context.Context //nolint:containedctx // of Serve, for the work it starts
	serve    context.Context //nolint:containedctx // ends with Serve's
	stopping <-chan struct{}

	mu       sync.Mutex // guards the rest
	serving  bool
	direct   map[run.ID]*run.Job // worked, or about to be, without a queue
	work     sync.WaitGroup      // on them
	promises map[run.ID]promise
}

var _ run.Executor = (*Executor)(nil)

const (
	application = "chela"
	version     = "chela-1" // recovery filters on it: change it only when jobs become unreadable
	workflow    = "segment"
	poll        = 20 * time.Millisecond // of a lane: what a job waits at most that goes by its queue
	connections = 4                     // of the library: one listens, the others are used for a statement or two at a time
	attempts    = 1 << 20               // the engine counts attempts itself
)

// New connects the library to the database at url, in a schema of its own. node must
// stay the same over restarts and differ from every other's.
func New(ctx context.Context, url string, store Store, node string, opts Options) (*Executor, error) {
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
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the address of PostgreSQL: %w", err)
	}
	cfg.MaxConns = connections // its own pool: the library closes it when it ends
	cfg.ConnConfig.RuntimeParams["application_name"] = application + " queues"
	pool, err := pgxpool.NewWithConfig(context.WithoutCancel(ctx), cfg)
	if err != nil {
		return nil, fmt.Errorf("open postgres: %w", err)
	}
	d := &Executor{store: store, node: node, opts: opts, lanes: make(map[run.Lane]*lane), direct: make(map[run.ID]*run.Job), promises: make(map[run.ID]promise)}
	d.lib, err = dbos.NewContext(context.WithoutCancel(ctx), dbos.Config{
		AppName: application, ApplicationVersion: version, ExecutorID: node, SystemDBPool: pool,
		Logger: slog.New(quiet{opts.Log.Handler()}),
	})
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("prepare the queues: %w", err)
	}
	dbos.RegisterWorkflow(d.lib, d.segment, dbos.WithWorkflowName(workflow), dbos.WithMaxRecoveryAttempts(attempts))
	for name, width := range lanes {
		d.lanes[name] = newLane(width)
		_, err := dbos.RegisterQueue(d.lib, string(name), dbos.WithWorkerConcurrency(width), dbos.WithPartitionConcurrency(1),
			dbos.WithQueueBasePollingInterval(poll), dbos.WithQueueOnConflict(dbos.QueueConflictAlwaysUpdate))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("prepare the lane %s: %w", name, err), dbos.Shutdown(d.lib, time.Second))
		}
	}
	return d, nil
}

// quiet keeps the library's chatter out of the daemon's log.
type quiet struct{ slog.Handler }

// Enabled implements [slog.Handler].
func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelError && q.Handler.Enabled(ctx, l)
}

// Node implements [run.Executor].
func (d *Executor) Node() string { return d.node }

// enqueue gives the job to the library, in tx unless that is nil. The same segment is never
// queued twice.
func (d *Executor) enqueue(j run.Job, tx run.Tx) error {
	id := string(j.Run) + "/" + strconv.Itoa(j.Segment)
	if j.Passed > 0 {
		id += "/" + strconv.Itoa(j.Passed)
	}
	opts := []dbos.EnqueueOption{
		dbos.WithEnqueueWorkflowID(id),
		dbos.WithEnqueueApplicationVersion(version),
		dbos.WithEnqueueQueuePartitionKey(j.Partition),
		dbos.WithEnqueuePriority(uint(min(max(j.Seq, 0), math.MaxInt32))), //nolint:gosec // within bounds
	}
	if tx != nil {
		opts = append(opts, dbos.WithEnqueueTransaction(tx.Joined()))
	}
	if _, err := dbos.Enqueue[bool](d.lib, string(j.Lane), workflow, j, opts...); err != nil {
		return fmt.Errorf("queue: %w", err)
	}
	return nil
}

// Sleep implements [run.Executor]: every node looks for what is overdue.
func (*Executor) Sleep(run.Job) {}

// segment is the workflow.
func (d *Executor) segment(_ dbos.Context, j run.Job) (bool, error) {
	passed, err := d.enter(j)
	if passed || err != nil {
		return passed, nil
	}
	defer d.lanes[j.Lane].give()
	err = run.WorkOff(d.ctx, d.worker, j, d.stopping, d.opts.Log)
	if errors.Is(err, run.ErrSuperseded) {
		return false, dbos.ErrConflictingWorkflowID // the outcome is the other worker's to record
	}
	// While stopping the library records nothing, and the workflow is found by the next
	// start or by the node that takes over.
	return err == nil, nil
}

// Serve implements [run.Executor].
func (d *Executor) Serve(ctx context.Context, w run.Worker) error {
	d.worker, d.ctx, d.serve, d.stopping = w, context.WithoutCancel(ctx), ctx, ctx.Done()
	if err := d.prepare(ctx); err != nil || ctx.Err() != nil {
		return errors.Join(err, d.Close())
	}
	d.open(true)
	if err := dbos.Launch(d.lib); err != nil {
		return fmt.Errorf("start the queues: %w", err)
	}
	there, gone := context.WithCancel(d.ctx) // beyond ctx: what is in hand is finished as a member
	var watch sync.WaitGroup
	watch.Go(func() { d.watch(there) })
	<-ctx.Done()
	d.open(false)
	over := make(chan struct{})
	go func() {
		defer close(over)
		d.work.Wait()
	}()
	late := time.After(time.Minute)
	err := dbos.Shutdown(d.lib, time.Minute)
	select {
	case <-over:
	case <-late: // deaf to its end; others take over when this node has left
	}
	gone()
	watch.Wait()
	d.leave()
	return err
}

// open says whether this node takes work without a queue.
func (d *Executor) open(yes bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.serving = yes
}

// prepare queues what a process without the library left, and beats: a node that
// starts again is there before it takes up what it had in hand, so that nobody else
// takes that over meanwhile.
func (d *Executor) prepare(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	open, _, err := d.store.Queue.Jobs(ctx)
	if err != nil {
		return err
	}
	for _, j := range open {
		if j.Way != run.ByQueue {
			continue
		}
		if err := d.enqueue(j, nil); err != nil {
			return err
		}
	}
	return d.beat(ctx)
}

// Close ends an executor that does not serve.
func (d *Executor) Close() error { return dbos.Shutdown(d.lib, time.Second) }
