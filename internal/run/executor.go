package run

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"chela/internal/event"
)

// A Job is one segment that waits to be worked.
type Job struct {
	Run       ID
	Segment   int
	Kind      string
	Lane      Lane
	Partition string    // one job of a partition at a time; the thread
	Share     string    `json:",omitempty"` // who asks for it: a lane is shared among them
	Seq       event.Seq // the run's position: the order within a partition
	// Fresh says that nobody can have begun it: its claim may be recorded with its
	// first step. Known is the run as it stands, until [Executor.Changed] says otherwise.
	Fresh     bool      `json:"-"`
	Known     *Run      `json:"-"`
	Way       Way       `json:"-"`
	Begun     bool      `json:"-"` // a node has claimed it, or may have begun it
	NotBefore time.Time // for parked runs: when to go on
}

// A Way is how a job comes to its worker; type and the check of run_claims agree.
type Way string

// The ways.
const (
	ByQueue Way = "queue"  // any node may take it when it is its turn in its partition
	Direct  Way = "direct" // the node that its claim names works it
)

// A Cluster is what a node sees of the others and of the claims.
type Cluster struct {
	Nodes   map[string]time.Time // the last beat of every node, the zero time of one that left
	Overdue []ID                 // parked runs whose time has come, at most 100
	Waiting []Lane               // lanes in which jobs wait for a node
	Mine    []ID                 // what the node that looks works, or shall work
	Orphans bool                 // nodes that are not listed had something to work
}

// An Executor decides which node works which job, and when: in order within a
// partition, as many at once as the lane is wide. Every job enqueued is worked at
// least once, also when its worker dies; testkit/runtest holds the promises.
type Executor interface {
	// Node names this process among all that share the store.
	Node() string
	// Enqueue belongs to tx, which has recorded why the job is ready: when that rolls back
	// there is no job. It returns the job as [Executor.Committed] shall have it.
	Enqueue(ctx context.Context, tx Tx, job Job) (Job, error)
	// Freed belongs to tx, in which a run of the job's partition ended or began to wait. It
	// returns what else Committed shall have.
	Freed(ctx context.Context, tx Tx, job Job) ([]Job, error)
	// Committed is called as soon as others can read what the transaction of these jobs wrote; see [Tx].
	Committed(jobs ...Job)
	// Changed tells that a run was cancelled or paused while its job may wait.
	Changed(id ID)
	// Sleep tells that a parked run shall go on at job.NotBefore.
	Sleep(job Job)
	// Serve gives jobs to w until ctx is done and w has returned from all of them.
	Serve(ctx context.Context, w Worker) error
}

// A Worker is the engine as an executor sees it.
type Worker interface {
	// Now is the time by which runs wake.
	Now() time.Time
	// Work works the job to the end of its segment. It never panics; its context
	// does not end with the executor's. It returns nil when nothing is left to do,
	// [ErrStopping] when the job was given back, [ErrSuperseded] when another worker
	// has it, and any other error when the store failed and the job stays to be done.
	Work(ctx context.Context, job Job) error
	// Due resumes a parked run whose time has come.
	Due(ctx context.Context, id ID)
	// Live lists the runs worked here now, with the epochs of their claims; 0 for a claim
	// that is not recorded yet.
	Live() map[ID]int64
	// Interrupt ends the work on a run here: it was cancelled or taken over.
	Interrupt(id ID, cause error)
}

// WorkOff has w work the job, again while the store fails, until nothing is left to
// do here or stopping is closed. The error says why the job is not done: [ErrStopping]
// or [ErrSuperseded].
func WorkOff(ctx context.Context, w Worker, job Job, stopping <-chan struct{}, log *slog.Logger) error {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 10*time.Second) {
		err := w.Work(ctx, job)
		if err == nil || errors.Is(err, ErrStopping) || errors.Is(err, ErrSuperseded) {
			return err
		}
		log.Error("work a run; it is tried again", "run", job.Run, "err", err)
		job.Fresh, job.Known = false, nil // it may have been begun, and have recorded steps
		select {
		case <-stopping:
			return ErrStopping
		case <-time.After(wait):
		}
	}
}
