package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"chela/internal/event"
	"chela/internal/fault"
)

// A Writer opens transactions. What is written inside one Write is durable together when Write
// returns nil, or not there at all. Write may run fn more than once before it commits.
type Writer[T Tx] interface {
	Write(ctx context.Context, fn func(T) error) error
}

// A Reader is what the engine looks up.
type Reader interface {
	Mint() *event.Mint                           // of times and ids
	Run(ctx context.Context, id ID) (Run, error) // fault.NotFound
	// Steps returns the recorded steps of a run and, for a fork, those it inherits.
	Steps(ctx context.Context, id ID) ([]Recorded, error)
	// Waits returns when a run waited, up to when it was begun again; not the wait that it
	// is in.
	Waits(ctx context.Context, id ID) ([]Wait, error)
}

// transact opens a transaction.
type transact func(ctx context.Context, fn func(Tx) error) error

// by opens the transactions of w.
func by[T Tx](w Writer[T]) transact {
	return func(ctx context.Context, fn func(Tx) error) error {
		return w.Write(ctx, func(tx T) error { return fn(tx) })
	}
}

// A Wait is a time in which nothing worked a run, because it waited.
type Wait struct{ From, To time.Time }

// A Tx is one transaction of a [Writer].
type Tx interface {
	Append(drafts ...event.Draft) ([]event.Event, error)
	// Hold keeps everybody else from appending to the stream until the transaction ends.
	Hold(stream string)
	// OnCommit has fn called as soon as others can read what the transaction wrote, which may be
	// before it is durable: what fn begins tells nobody before it has written itself. It is not
	// called when the transaction fails.
	OnCommit(fn func())
	Runs() RunTx
	Claims() ClaimTx
}

// A RunTx reads runs as a transaction sees them.
type RunTx interface {
	Run(id ID) (Run, error)
	// Ahead reads at once what the transaction asks of a run, in whose conversation's stream, which it holds, it is about to append
	// the sealed drafts and some more events: its claim, which stays as it is read until the transaction ends, and what LastSaid
	// and Beside say. It reports whether another run waits for the agent whose slot the run has.
	Ahead(id ID, thread string, drafts []event.Draft, more int) (wanted bool, err error)
	// LastSaid is the position of the newest message that a person said in a thread, 0 for none.
	LastSaid(thread string) (event.Seq, error)
	// Answered reports whether one of the questions, by their ids, needs no answer any more.
	Answered(questions ...string) (bool, error)
}

// A ClaimTx changes who works what.
type ClaimTx interface {
	// Ready makes the job claimable.
	Ready(job Job) error
	// Claim takes a ready job, or one that another node had claimed, for node and
	// raises its epoch; ok is false when there is no such job any more.
	Claim(job Job, node string) (epoch int64, ok bool, err error)
	// Fence is a fault.Conflict unless the run is claimed under epoch.
	Fence(id ID, epoch int64) error
	// Park ends the claim of a run that waits, until a time or for ever.
	Park(id ID, until time.Time) error
	// Unready gives a claim back: the job is ready again, on the same way.
	Unready(id ID, epoch int64) error
	// Release ends the claim of a run that is over.
	Release(id ID) error
	// Beside returns the other ready and claimed jobs of a partition, oldest first. It sees
	// all of them when the transaction holds the stream of the conversation.
	Beside(partition string, id ID) ([]Job, error)
	// Route says how a ready job comes to its worker, and to the node of [Direct] that it is its.
	Route(id ID, way Way, node string) error
	// AssignSlot gives a job that has become ready in this transaction, and that a node works at once, a slot with an agent, who has so
	// many at most; when none is free the run has to ask for one.
	AssignSlot(id ID, agent string, most int) error
	// Announce tells all nodes, when the transaction commits, that jobs of a lane wait for one.
	Announce(lane Lane)
}

// A Handler works segments of one kind of run. It may be called again for the same
// segment after a crash.
type Handler func(ctx context.Context, s *Segment) (Outcome, error)

// An Outcome says how a segment ended. Drafts are recorded together with the end.
type Outcome struct {
	State    State // Done, Failed or Waiting
	WaitsFor string
	Until    time.Time // for ForTime
	Reason   string
	Result   json.RawMessage
	Drafts   []event.Draft
	// Heard is the newest message of a person that the handler considered. When the thread has a
	// newer one as the run ends, the handler is called once more instead. 0 considers none.
	Heard event.Seq
	// Questions are those for whose answers the run waits. When one was answered while the segment was worked, the
	// handler is called once more instead.
	Questions []string
}

// Causes for which a segment's context ends, and [ErrAgain].
var (
	ErrAgain      = errors.New("there is more to do")
	ErrStopping   = errors.New("the daemon is stopping")
	ErrCancelled  = errors.New("the run was cancelled")
	ErrTimeout    = errors.New("the run took too long")
	ErrSuperseded = errors.New("another worker has taken this run over")
)

// Options of an [Engine]. The zero value is the default.
type Options struct {
	Grace       time.Duration // how long segments in hand may go on when stopping; 0 means 10 s
	Timeout     time.Duration // of a segment without one of its own; 0 means 30 min
	MaxAttempts int           // of one segment whose worker keeps dying; 0 means 5
	FlushDelay  time.Duration // until the claim of a fresh job, or what a segment holds, is recorded by itself; 0 means 20 ms
	Log         *slog.Logger  // nil means slog.Default
}

// An Engine starts runs and works their segments. Safe for concurrent use.
type Engine struct {
	store    Reader
	write    transact
	exec     Executor
	handlers map[string]Handler
	endings  map[string]Ending
	opts     Options

	mu   sync.Mutex // guards live
	live map[ID]*liveSegment
}

type liveSegment struct {
	*Segment
	cancel context.CancelCauseFunc
}

// New returns an engine over a store that db writes. Its handlers are added by [Engine.Handle] before it runs.
func New[T Tx](db Writer[T], store Reader, exec Executor, opts Options) *Engine {
	if opts.Grace == 0 {
		opts.Grace = 10 * time.Second
	}
	if opts.FlushDelay == 0 {
		opts.FlushDelay = 20 * time.Millisecond
	}
	if opts.Timeout == 0 {
		opts.Timeout = 30 * time.Minute
	}
	if opts.MaxAttempts == 0 {
		opts.MaxAttempts = 5
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	return &Engine{store: store, write: by(db), exec: exec, handlers: make(map[string]Handler), endings: make(map[string]Ending), opts: opts, live: make(map[ID]*liveSegment)}
}

// Handle has h work the runs of a kind. It is called before [Engine.Run].
func (e *Engine) Handle(kind string, h Handler) { e.handlers[kind] = h }

// Mint is where the times and ids of what is recorded come from.
func (e *Engine) Mint() *event.Mint { return e.store.Mint() }

// Now implements [Worker].
func (e *Engine) Now() time.Time { return e.Mint().Now() }

// Run works until ctx is done, then lets the segments in hand finish within the
// grace; what is not done by then is given back and goes on at the next start.
func (e *Engine) Run(ctx context.Context) error {
	ended := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-ended:
			return
		case <-ctx.Done():
		}
		select {
		case <-ended:
		case <-time.After(e.opts.Grace):
			for id := range e.Live() {
				e.Interrupt(id, ErrStopping)
			}
		}
	})
	err := e.exec.Serve(ctx, e)
	close(ended)
	watch.Wait()
	return err
}

// Over reports whether a run has ended. One that is not there has.
func (e *Engine) Over(ctx context.Context, id ID) (bool, error) {
	r, err := e.store.Run(ctx, id)
	if err != nil && fault.KindOf(err) == fault.NotFound {
		return true, nil
	}
	return r.State.Final(), err
}

// Live implements [Worker].
func (e *Engine) Live() map[ID]int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make(map[ID]int64, len(e.live))
	for id, l := range e.live {
		out[id] = l.claim()
	}
	return out
}

// Interrupt implements [Worker].
func (e *Engine) Interrupt(id ID, cause error) {
	e.mu.Lock()
	l := e.live[id]
	e.mu.Unlock()
	if l != nil {
		l.cancel(cause)
	}
}

// Due implements [Worker].
func (e *Engine) Due(ctx context.Context, id ID) {
	err := e.Write(ctx, func(b *Batch) error { return b.Wake(id, Chela(), "Its time has come.") })
	if err != nil && fault.KindOf(err) != fault.Conflict {
		e.opts.Log.Error("resume a run whose time has come", "run", id, "err", err)
	}
}

// Chela is the daemon itself as a sender.
func Chela() event.Party { return event.Party{AgentID: "agent:chela", Role: "system"} }

// place is where the facts about r itself belong.
func place(r Spec, from event.Party) event.Place {
	return event.Place{Stream: event.ThreadStream(r.Thread), Thread: r.Thread, Run: string(r.ID), Task: RootTask(r.ID), From: from, Trace: r.Trace}
}

// RootTask is the task that a run as a whole is.
func RootTask(id ID) string { return "task_" + string(id)[len("run_"):] }

// Work implements [Worker].
func (e *Engine) Work(ctx context.Context, job Job) (err error) {
	s, err := e.claim(ctx, job)
	if err != nil || s == nil { // nil: over already
		return err
	}
	spanned, end := Span(Joined(ctx, s.Run.Trace), "run "+s.Run.Kind, attribute.String("chela.run.id", string(s.Run.ID)),
		attribute.String("chela.thread.id", s.Run.Thread), attribute.Int("chela.run.segment", s.Run.Segment), attribute.Int("chela.run.attempt", s.Run.Attempt))
	defer func() { end(err) }()
	base, cancel := context.WithCancelCause(spanned)
	defer cancel(nil)
	work, stop := context.WithTimeoutCause(base, e.timeout(s.Run), ErrTimeout)
	defer stop()
	e.mu.Lock()
	e.live[job.Run] = &liveSegment{s, cancel}
	e.mu.Unlock()
	s.flushAfter(e.opts.FlushDelay, func() {
		if _, err := s.write(ctx, nil, nil); err != nil {
			if !errors.Is(err, ErrSuperseded) {
				e.opts.Log.Warn("record a run", "run", job.Run, "err", err)
			}
			cancel(err)
		}
	})
	defer func() {
		e.mu.Lock()
		delete(e.live, job.Run)
		e.mu.Unlock()
	}()
	defer s.over()
	for {
		out, err := e.handle(work, s)
		if err = e.end(ctx, work, s, out, err); errors.Is(err, ErrSuperseded) {
			return e.lost(ctx, s.Run)
		}
		if !errors.Is(err, ErrAgain) {
			return err
		}
	}
}

const tookTooLong = "The run took longer than it may."

// timeout is how long a segment of r may take.
func (e *Engine) timeout(r Run) time.Duration {
	if r.Timeout > 0 {
		return time.Duration(r.Timeout) * time.Second
	}
	return e.opts.Timeout
}

// claim takes the job and loads what its segment starts from. It returns nil when
// there is nothing to do.
func (e *Engine) claim(ctx context.Context, job Job) (*Segment, error) {
	r, err := e.known(ctx, job)
	if err != nil {
		return nil, err
	}
	if r.State.Final() || r.Segment != job.Segment {
		return nil, nil //nolint:nilnil // nothing to do
	}
	r.Attempt++
	s := &Segment{Run: r, store: e.store, open: e.write, steps: make(map[string]Recorded), begin: func(tx Tx) (int64, event.Draft, error) { return e.begin(tx, job, r) }}
	if !job.Fresh {
		_, err := s.write(ctx, nil, nil)
		if errors.Is(err, ErrSuperseded) {
			return nil, nil //nolint:nilnil // over, or taken by somebody else
		}
		if err != nil {
			return nil, err
		}
	}
	if r.Segment > 1 || r.Attempt > 1 || r.ForkOf != "" {
		steps, err := e.store.Steps(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		for _, st := range steps {
			s.steps[st.Key] = st
		}
	}
	return s, nil
}

// known returns the run as it stands.
func (e *Engine) known(ctx context.Context, job Job) (Run, error) {
	if job.Known != nil {
		return *job.Known, nil
	}
	return e.store.Run(ctx, job.Run)
}

// begin claims the job and drafts what says so.
func (e *Engine) begin(tx Tx, job Job, r Run) (int64, event.Draft, error) {
	epoch, ok, err := tx.Claims().Claim(job, e.exec.Node())
	if err == nil && !ok {
		err = fmt.Errorf("%w: run %s is over or was taken", ErrSuperseded, r.ID)
	}
	return epoch, StartedKind.Draft(place(r.Spec, Chela()), Started{Segment: r.Segment, Attempt: r.Attempt, Epoch: epoch, Node: e.exec.Node()}), err
}

// handle calls the handler and makes an error of a panic.
func (e *Engine) handle(ctx context.Context, s *Segment) (out Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			e.opts.Log.Error("panic in a run", "run", s.Run.ID, "panic", p, "stack", string(debug.Stack()))
			err = fault.New(fault.Internal, "Chela made a mistake while working this run; the daemon's log has the details.")
		}
	}()
	if s.Run.Attempt > e.opts.MaxAttempts {
		return out, fault.New(fault.Internal, "The run was begun %d times and its worker died each time.", s.Run.Attempt-1)
	}
	h, ok := e.handlers[s.Run.Kind]
	if !ok {
		return out, fault.New(fault.Internal, "This version of Chela cannot work runs of the kind %s.", s.Run.Kind)
	}
	return h(ctx, s)
}

// end records how the segment ended.
func (e *Engine) end(ctx, work context.Context, s *Segment, out Outcome, err error) error {
	cause := context.Cause(work)
	switch {
	case errors.Is(cause, ErrCancelled):
		return nil // recorded by whoever did it
	case errors.Is(err, ErrSuperseded), errors.Is(cause, ErrSuperseded):
		return ErrSuperseded
	case err != nil && errors.Is(cause, ErrStopping):
		if _, err := s.write(ctx, nil, func(tx Tx) error { return tx.Claims().Unready(s.Run.ID, s.epoch) }); err != nil && !errors.Is(err, ErrSuperseded) {
			return err
		}
		return ErrStopping
	case err != nil && errors.Is(cause, ErrTimeout):
		told := TimeoutKind.Draft(place(s.Run.Spec, Chela()), Timeout{AfterSec: int(e.timeout(s.Run).Seconds()), Message: tookTooLong})
		out = Outcome{State: Failed, Reason: tookTooLong, Drafts: append([]event.Draft{told}, out.Drafts...)}
	case err != nil:
		e.opts.Log.Warn("a run failed", "run", s.Run.ID, "err", err)
		out = Outcome{State: Failed, Reason: fault.TextOf(err), Drafts: out.Drafts}
	}
	return e.finishWithEnding(ctx, s, out)
}

// lost says what is left to do of a segment whose claim is gone: nothing when somebody, on
// another node too, has cancelled or paused the run; else it is [ErrSuperseded].
func (e *Engine) lost(ctx context.Context, was Run) error {
	now, err := e.store.Run(ctx, was.ID)
	if err != nil {
		return err
	}
	if now.State.Final() || now.State == Waiting || now.Segment != was.Segment {
		return nil
	}
	return ErrSuperseded
}

func (e *Engine) finish(ctx context.Context, s *Segment, out Outcome) error {
	at := place(s.Run.Spec, Chela())
	drafts := append([]event.Draft(nil), out.Drafts...)
	if out.State == Waiting {
		drafts = append(drafts, WaitingKind.Draft(at, Waits{For: out.WaitsFor, Reason: out.Reason, Until: out.Until}))
	} else {
		drafts = append(drafts, FinishedKind.Draft(at, Finished{State: out.State, Reason: out.Reason, Result: out.Result}))
	}
	job := Job{Run: s.Run.ID, Segment: s.Run.Segment, Kind: s.Run.Kind, Lane: s.Run.Lane, Partition: s.Run.Thread, Seq: s.Run.Seq, NotBefore: out.Until}
	var next []Job
	_, err := s.write(ctx, drafts, func(tx Tx) (err error) {
		// Asked after the append, which holds the thread's stream: whoever writes to
		// the thread next sees the end of this run, and this sees who wrote before.
		if out.Heard > 0 {
			last, err := tx.Runs().LastSaid(s.Run.Thread)
			if err == nil && last > out.Heard {
				err = ErrAgain
			}
			if err != nil {
				return err
			}
		}
		if out.State == Waiting {
			if err := unanswered(tx, out); err != nil {
				return err
			}
			err = tx.Claims().Park(s.Run.ID, out.Until)
		} else {
			err = tx.Claims().Release(s.Run.ID)
		}
		if err != nil {
			return err
		}
		next, err = e.exec.Freed(ctx, tx, job)
		return err
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.settled = true
	s.mu.Unlock()
	if len(next) > 0 {
		e.exec.Committed(next...)
	}
	if out.State == Waiting && !out.Until.IsZero() {
		e.exec.Sleep(job)
	}
	return nil
}

func fence(tx Tx, id ID, epoch int64) error {
	err := tx.Claims().Fence(id, epoch)
	if fault.KindOf(err) == fault.Conflict && err != nil {
		return fmt.Errorf("%w: %w", ErrSuperseded, err)
	}
	return err
}
