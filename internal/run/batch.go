package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
)

// A Batch is one transaction that may start, resume and end runs. What it starts is
// worked as soon as the transaction has committed.
type Batch struct {
	Tx
	ctx  context.Context //nolint:containedctx // a batch lives inside one call
	e    *Engine
	jobs []Job
	stop []ID
	why  error
}

// Mint is where the times and ids of what is recorded come from.
func (b *Batch) Mint() *event.Mint { return b.e.Mint() }

// Write runs fn in one transaction, then starts what it made ready and interrupts
// what it cancelled or paused.
func (e *Engine) Write(ctx context.Context, fn func(*Batch) error) error {
	return e.writeBy(ctx, e.write, fn)
}

// Write is [Engine.Write] in a transaction of w, which is of the engine's store.
func Write[T Tx](ctx context.Context, e *Engine, w Writer[T], fn func(*Batch, T) error) error {
	var in T
	return e.writeBy(ctx, func(ctx context.Context, then func(Tx) error) error {
		return w.Write(ctx, func(tx T) error { in = tx; return then(tx) })
	}, func(b *Batch) error { return fn(b, in) })
}

func (e *Engine) writeBy(ctx context.Context, open transact, fn func(*Batch) error) error {
	var b *Batch
	err := open(ctx, func(tx Tx) error {
		b = &Batch{Tx: tx, ctx: ctx, e: e}
		if err := fn(b); err != nil {
			return err
		}
		if jobs := b.jobs; len(jobs) > 0 {
			tx.OnCommit(func() { e.exec.Committed(jobs...) })
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range b.stop {
		e.exec.Changed(id)
		e.Interrupt(id, b.why)
	}
	return nil
}

// Start records and queues a run.
func (b *Batch) Start(spec Spec, drafts ...event.Draft) error {
	if _, ok := b.e.handlers[spec.Kind]; !ok {
		return fault.New(fault.Internal, "There is no way to work runs of the kind %s.", spec.Kind)
	}
	if spec.Lane == "" {
		spec.Lane = UserLane
	}
	drafts = append(drafts, QueuedKind.Draft(place(spec, spec.By), spec))
	events, err := b.Append(drafts...)
	if err != nil {
		return err
	}
	queued := events[len(events)-1]
	return b.enqueue(Run{Spec: spec, State: Queued, Segment: 1, Seq: queued.Seq, CreatedAt: queued.At, UpdatedAt: queued.At})
}

// enqueue makes the segment of r, as the transaction leaves it, claimable.
func (b *Batch) enqueue(r Run) error {
	job := Job{Run: r.ID, Segment: r.Segment, Kind: r.Kind, Lane: r.Lane, Partition: r.Thread, Share: ShareOf(r.By), Seq: r.Seq, Fresh: true, Known: &r}
	if err := b.Claims().Ready(job); err != nil {
		return err
	}
	job, err := b.e.exec.Enqueue(b.ctx, b.Tx, job)
	if err != nil {
		return fmt.Errorf("queue run %s: %w", r.ID, err)
	}
	b.jobs = append(b.jobs, job)
	return nil
}

// freed lets the conversation of r go on, which is not ready and not claimed any more.
func (b *Batch) freed(r Run) error {
	next, err := b.e.exec.Freed(b.ctx, b.Tx, Job{Run: r.ID, Segment: r.Segment, Kind: r.Kind, Lane: r.Lane, Partition: r.Thread, Seq: r.Seq})
	b.jobs = append(b.jobs, next...)
	return err
}

// held returns the run as it stands and stays until the transaction ends.
func (b *Batch) held(id ID) (Run, error) {
	r, err := b.Runs().Run(id)
	if err != nil {
		return r, err
	}
	b.Hold(event.ThreadStream(r.Thread))
	return b.Runs().Run(id)
}

// Resume starts the next segment of a waiting run.
func (b *Batch) Resume(id ID, by event.Party, reason string) error {
	r, err := b.held(id)
	if err != nil {
		return err
	}
	if r.State != Waiting {
		return fault.New(fault.Conflict, "Run %s is %s; only a waiting run can go on.", id, r.State)
	}
	r.Segment++
	events, err := b.Append(ResumedKind.Draft(place(r.Spec, by), Resumed{Segment: r.Segment, Reason: reason}))
	if err != nil {
		return err
	}
	r.State, r.WaitsFor, r.Reason, r.Attempt, r.UpdatedAt = Queued, "", reason, 0, events[0].At
	return b.enqueue(r)
}

// Cancel ends a run now. Work in hand is interrupted; what it would still record is
// refused.
func (b *Batch) Cancel(id ID, by event.Party, reason string) error {
	r, err := b.held(id)
	if err != nil {
		return err
	}
	if r.State.Final() {
		return fault.New(fault.Conflict, "Run %s is %s already.", id, r.State)
	}
	at := place(r.Spec, by)
	ended := []event.Draft{CancelKind.Draft(at, Cancel{Reason: reason}), FinishedKind.Draft(at, Finished{State: Cancelled, Reason: reason})}
	if _, err := b.Append(slices.Concat(ended, b.e.ending(b.ctx, r, reason))...); err != nil {
		return err
	}
	b.stop, b.why = append(b.stop, id), ErrCancelled
	if err := b.Claims().Release(id); err != nil {
		return err
	}
	return b.freed(r)
}

// Wake is [Batch.Resume] for a run that what it waits for came to. One that somebody paused stays so: it finds what came when it is resumed.
func (b *Batch) Wake(id ID, by event.Party, reason string) error {
	r, err := b.held(id)
	if err != nil || r.Paused() {
		return err
	}
	return b.Resume(id, by, reason)
}

// Pause makes a run wait until somebody resumes it. Steps that are recorded are kept. A step in hand is cut off, and done again when the run goes
// on; one that changes the world is put to a person then. What a run waits for that comes meanwhile is taken when it is resumed, a time that passes meanwhile, too.
func (b *Batch) Pause(id ID, by event.Party) error {
	r, err := b.held(id)
	if err != nil {
		return err
	}
	reason := "Somebody paused it."
	switch {
	case r.State.Final():
		return fault.New(fault.Conflict, "Run %s is %s; only a run that is not over can be paused.", id, r.State)
	case r.Paused():
		return fault.New(fault.Conflict, "Run %s is paused already. Resume it with `chela run resume %s`.", id, id)
	case strings.HasPrefix(r.WaitsFor, ForClient):
		return fault.New(fault.Conflict, "Run %s waits for the results of calls that its program makes; cancel it, or let the program bring them.", id)
	case r.State == Waiting && r.Reason != "":
		reason += " Until then: " + r.Reason
	}
	if _, err := b.Append(WaitingKind.Draft(place(r.Spec, by), Waits{For: ForResume, Reason: reason})); err != nil {
		return err
	}
	if err := b.Claims().Park(id, time.Time{}); err != nil || r.State == Waiting { // which holds nothing
		return err
	}
	b.stop, b.why = append(b.stop, id), ErrCancelled // the wait is recorded here, not by the worker
	return b.freed(r)
}
