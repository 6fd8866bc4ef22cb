package run

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
)

// StepMeta is the key of a message's meta that says which step it belongs to.
const StepMeta = "chela.step"

// A Mark is the value of [StepMeta].
type Mark struct {
	Key  string `json:"key"`
	Done bool   `json:"done"` // false: the intention
}

// AsStep marks d as the intention (done false) or the result (done true) of a step.
func AsStep(d event.Draft, key string, done bool) event.Draft {
	raw, err := json.Marshal(Mark{Key: key, Done: done})
	if err != nil {
		panic("run: a mark is always JSON: " + err.Error())
	}
	meta := make(map[string]json.RawMessage, len(d.Message.Meta)+1)
	for k, v := range d.Message.Meta {
		meta[k] = v
	}
	meta[StepMeta] = raw
	d.Message.Meta = meta
	return d
}

// MarkOf returns the step that m belongs to, if any.
func MarkOf(m event.Message) (Mark, bool) {
	raw, ok := m.Meta[StepMeta]
	if !ok {
		return Mark{}, false
	}
	var mark Mark
	if err := json.Unmarshal(raw, &mark); err != nil || mark.Key == "" {
		return Mark{}, false
	}
	return mark, true
}

// A Segment is a handler's hold on its run: what is recorded of it, and the only way
// to record more. Safe for concurrent use.
type Segment struct {
	Run   Run
	epoch int64
	store Store

	mu    sync.Mutex // guards steps
	steps map[string]Recorded
}

// Place is where the facts of the run's root task belong, said by from.
func (s *Segment) Place(from event.Party) event.Place { return place(s.Run.Spec, from) }

// Recorded returns what the log holds of the step.
func (s *Segment) Recorded(key string) Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.steps[key]
}

// Append records drafts, if this segment is still the one that works its run.
func (s *Segment) Append(ctx context.Context, drafts ...event.Draft) ([]event.Event, error) {
	var out []event.Event
	err := s.Write(ctx, func(tx Tx) (err error) {
		out, err = tx.Append(drafts...)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.Note(out...)
	return out, nil
}

// Write runs fn in one transaction, if this segment is still the one that works its
// run. The caller passes what it appended to [Segment.Note] afterwards.
func (s *Segment) Write(ctx context.Context, fn func(Tx) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return s.store.Write(context.WithoutCancel(ctx), func(tx Tx) error {
		if err := fence(tx, s); err != nil {
			return err
		}
		return fn(tx)
	})
}

// Note remembers recorded steps, so that asking again answers from memory.
func (s *Segment) Note(events ...event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events {
		mark, ok := MarkOf(e.Message)
		if !ok {
			continue
		}
		r := s.steps[mark.Key]
		r.Key, r.Begun = mark.Key, true
		if mark.Done {
			r.Done, r.Event = true, e
		}
		s.steps[mark.Key] = r
	}
}

// Step returns the recorded result of the step, or does it and records the result.
// do may happen again after a crash: what changes the world records its intention
// first, see agent.
func Step[P any](ctx context.Context, s *Segment, key string, do func(context.Context) (P, error)) (P, error) {
	var p P
	if r := s.Recorded(key); r.Done {
		got, ok, err := StepKind.Open(r.Event)
		if err != nil || !ok {
			return p, fmt.Errorf("read step %s: %w", key, err)
		}
		return p, json.Unmarshal(got.Result, &p)
	}
	p, err := do(ctx)
	if err != nil {
		return p, err
	}
	raw, err := json.Marshal(p)
	if err != nil {
		return p, fmt.Errorf("encode step %s: %w", key, err)
	}
	_, err = s.Append(ctx, AsStep(StepKind.Draft(s.Place(Chela()), StepResult{raw}), key, true))
	return p, err
}

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

// Write runs fn in one transaction, then starts what it made ready and interrupts
// what it cancelled or paused.
func (e *Engine) Write(ctx context.Context, fn func(*Batch) error) error {
	var b *Batch
	err := e.store.Write(ctx, func(tx Tx) error {
		b = &Batch{Tx: tx, ctx: ctx, e: e}
		return fn(b)
	})
	if err != nil {
		return err
	}
	if len(b.jobs) > 0 {
		e.disp.Committed(b.jobs...)
	}
	for _, id := range b.stop {
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
	return b.enqueue(Job{Run: spec.ID, Segment: 1, Kind: spec.Kind, Lane: spec.Lane, Partition: spec.Thread, Seq: events[len(events)-1].Seq})
}

func (b *Batch) enqueue(job Job) error {
	if err := b.Ready(job); err != nil {
		return err
	}
	if err := b.e.disp.Enqueue(b.ctx, b.Tx, job); err != nil {
		return fmt.Errorf("queue run %s: %w", job.Run, err)
	}
	b.jobs = append(b.jobs, job)
	return nil
}

// Resume starts the next segment of a waiting run.
func (b *Batch) Resume(id ID, by event.Party, reason string) error {
	r, err := b.Run(id)
	if err != nil {
		return err
	}
	if r.State != Waiting {
		return fault.New(fault.Conflict, "Run %s is %s; only a waiting run can go on.", id, r.State)
	}
	next := r.Segment + 1
	if _, err := b.Append(ResumedKind.Draft(place(r.Spec, by), Resumed{Segment: next, Reason: reason})); err != nil {
		return err
	}
	return b.enqueue(Job{Run: id, Segment: next, Kind: r.Kind, Lane: r.Lane, Partition: r.Thread, Seq: r.Seq})
}

// Cancel ends a run now. Work in hand is interrupted; what it would still record is
// refused.
func (b *Batch) Cancel(id ID, by event.Party, reason string) error {
	r, err := b.Run(id)
	if err != nil {
		return err
	}
	if r.State.Final() {
		return fault.New(fault.Conflict, "Run %s is %s already.", id, r.State)
	}
	at := place(r.Spec, by)
	if _, err := b.Append(CancelKind.Draft(at, Cancel{Reason: reason}), FinishedKind.Draft(at, Finished{State: Cancelled, Reason: reason})); err != nil {
		return err
	}
	b.stop, b.why = append(b.stop, id), ErrCancelled
	return b.Release(id)
}

// Pause makes a queued or running run wait until somebody resumes it. Steps that are
// recorded are kept; a step in hand is done again when it goes on.
func (b *Batch) Pause(id ID, by event.Party) error {
	r, err := b.Run(id)
	if err != nil {
		return err
	}
	if r.State != Queued && r.State != Running {
		return fault.New(fault.Conflict, "Run %s is %s; only a queued or running run can be paused.", id, r.State)
	}
	if _, err := b.Append(WaitingKind.Draft(place(r.Spec, by), Waits{For: ForResume, Reason: "Somebody paused it."})); err != nil {
		return err
	}
	b.stop, b.why = append(b.stop, id), ErrCancelled // the wait is recorded here, not by the worker
	return b.Park(id, time.Time{})
}
