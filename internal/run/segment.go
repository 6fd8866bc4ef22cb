package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"chela/internal/event"
)

// StepMeta is the key of a message's meta that says which step it belongs to.
const StepMeta = "chela.step"

// A Mark is the value of [StepMeta].
type Mark struct {
	Key  string `json:"key"`
	Done bool   `json:"done"` // false: the intention
	// Call says that the step is a call of a tool that was made, and MS how long it took;
	// budgets count both.
	Call bool  `json:"call,omitempty"`
	MS   int64 `json:"ms,omitempty"`
}

// AsStep marks d as the intention (done false) or the result (done true) of a step.
func AsStep(d event.Draft, key string, done bool) event.Draft {
	return Mark{Key: key, Done: done}.on(d)
}

// AsCall marks d as the result of a step that is a call of a tool which took so long.
func AsCall(d event.Draft, key string, took time.Duration) event.Draft {
	return Mark{Key: key, Done: true, Call: true, MS: took.Milliseconds()}.on(d)
}

func (m Mark) on(d event.Draft) event.Draft {
	raw, err := json.Marshal(m)
	if err != nil {
		panic("run: a mark is always JSON: " + err.Error())
	}
	meta := make(map[string]json.RawMessage, len(d.Message.Meta)+1)
	for k, v := range d.Message.Meta {
		meta[k] = v
	}
	meta[StepMeta] = raw
	d.Message.Meta, d.Envelope = meta, nil
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
	store Reader
	open  transact
	begin func(Tx) (epoch int64, started event.Draft, err error) // claims the run

	gate    sync.RWMutex // locked by the one that claims or records what is held
	claimed bool
	epoch   int64

	mu    sync.Mutex // guards the rest
	steps map[string]Recorded
	held  []event.Draft
	arm   func()      // has what is held recorded soon; the caller holds mu
	timer *time.Timer // until that; nil when nothing waits
	ended bool        // what is held since then is lost
	after []func()

	settled bool // its end is recorded here
	wanted  bool // another run waited for the run's agent when it recorded last
}

// Wanted reports whether another run may wait for the agent whose slot the run had. It is asked when the work is over.
func (s *Segment) Wanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wanted || !s.settled
}

// After has fn called when the work on the segment is over, whatever its end, and that is
// recorded.
func (s *Segment) After(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.after = append(s.after, fn)
}

// claim is the epoch under which the run is claimed, 0 before that.
func (s *Segment) claim() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.claimed {
		return 0
	}
	return s.epoch
}

func (s *Segment) over() {
	s.gate.Lock() // what is under way ends
	s.mu.Lock()
	after := s.after
	s.after, s.ended = nil, true
	s.disarm()
	s.mu.Unlock()
	s.gate.Unlock()
	for _, fn := range after {
		fn()
	}
}

// Place is where the facts of the run's root task belong, said by from.
func (s *Segment) Place(from event.Party) event.Place { return place(s.Run.Spec, from) }

// Mint is where the times and ids of what is recorded come from.
func (s *Segment) Mint() *event.Mint { return s.store.Mint() }

// Recorded returns what the log holds of the step.
func (s *Segment) Recorded(key string) Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.steps[key]
}

// Since returns how long the run has been worked since start: the time that has passed but
// for what it waited.
func (s *Segment) Since(ctx context.Context, start time.Time) (time.Duration, error) {
	waits, err := s.store.Waits(ctx, s.Run.ID)
	if err != nil {
		return 0, err
	}
	out := s.Mint().Now().Sub(start)
	for _, w := range waits {
		if w.From.Before(start) {
			w.From = start
		}
		out -= max(w.To.Sub(w.From), 0)
	}
	return max(out, 0), nil
}

// Refresh reads what others have recorded of the run since the segment began, and reports whether a step is new whose key fits.
func (s *Segment) Refresh(ctx context.Context, fits func(key string) bool) (bool, error) {
	steps, err := s.store.Steps(ctx, s.Run.ID)
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found := false
	for _, r := range steps {
		if _, known := s.steps[r.Key]; !known && fits(r.Key) {
			s.steps[r.Key], found = r, true
		}
	}
	return found, nil
}

// Steps returns the recorded steps whose keys fit.
func (s *Segment) Steps(fits func(key string) bool) []Recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Recorded
	for key, r := range s.steps {
		if fits(key) {
			out = append(out, r)
		}
	}
	return out
}

// Append records drafts, if this segment is still the one that works its run. The
// events that it returns may begin with others that waited to be recorded.
func (s *Segment) Append(ctx context.Context, drafts ...event.Draft) ([]event.Event, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return s.write(context.WithoutCancel(ctx), drafts, nil)
}

// flushAfter has flush called when the claim, or something held, has waited that long for what it
// may be recorded with. A crash loses what was said in that time, and it is done again.
func (s *Segment) flushAfter(delay time.Duration, flush func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arm = func() {
		if s.timer != nil || s.ended {
			return
		}
		s.timer = time.AfterFunc(delay, func() {
			s.mu.Lock()
			s.timer = nil
			s.mu.Unlock()
			flush()
		})
	}
	if !s.claimed {
		s.arm()
	}
}

// disarm is called when nothing waits any more. The caller holds mu.
func (s *Segment) disarm() {
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
}

// Hold records drafts, as said now, together with what is recorded next, and soon by
// themselves. Nothing that changes the world builds on them before that: the caller writes
// first, or ends.
func (s *Segment) Hold(drafts ...event.Draft) {
	now := s.Mint().Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arm()
	for _, d := range drafts {
		d = d.SaidAt(now)
		s.held = append(s.held, d)
		if mark, ok := MarkOf(d.Message); ok {
			s.remember(mark, event.Event{Stream: d.Stream, Message: d.Message})
		}
	}
}

// Write runs fn in one transaction, if this segment is still the one that works its
// run. The caller passes what it appended to [Segment.Note] afterwards.
func (s *Segment) Write(ctx context.Context, fn func(Tx) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	_, err := s.write(context.WithoutCancel(ctx), nil, fn)
	return err
}

// WriteIn is [Segment.Write] in a transaction of w, which is of the engine's store.
func WriteIn[T Tx](ctx context.Context, s *Segment, w Writer[T], fn func(T) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	var in T
	_, err := s.writeBy(context.WithoutCancel(ctx), func(ctx context.Context, then func(Tx) error) error {
		return w.Write(ctx, func(tx T) error { in = tx; return then(tx) })
	}, nil, func(Tx) error { return fn(in) })
	return err
}

// write claims the run when that is still to be done, or checks the claim, and records
// what is held and the drafts, all at once. Then fn may do more in the transaction. It
// returns the events of the drafts. The conversation's stream is held before the claim is
// touched, as by who starts, resumes and ends runs: they cannot wait for each other.
func (s *Segment) write(ctx context.Context, drafts []event.Draft, fn func(Tx) error) ([]event.Event, error) {
	return s.writeBy(ctx, s.open, drafts, fn)
}

func (s *Segment) writeBy(ctx context.Context, open transact, drafts []event.Draft, fn func(Tx) error) ([]event.Event, error) {
	s.gate.RLock()
	s.mu.Lock()
	alone := !s.claimed || len(s.held) > 0
	s.mu.Unlock()
	if alone {
		s.gate.RUnlock()
		s.gate.Lock()
		defer s.gate.Unlock()
	} else {
		defer s.gate.RUnlock()
	}
	s.mu.Lock()
	held, claimed, epoch, ended := s.held, s.claimed, s.epoch, s.ended
	s.mu.Unlock()
	if (ended || claimed && len(held) == 0) && len(drafts) == 0 && fn == nil {
		return nil, nil // somebody recorded meanwhile what was held
	}
	sealed, err := event.SealAll(slices.Concat(held, drafts), s.Mint(), s.Mint().Now())
	if err != nil {
		return nil, err
	}
	var recorded []event.Event
	var wanted bool
	err = open(ctx, func(tx Tx) (err error) {
		tx.Hold(event.ThreadStream(s.Run.Thread))
		all, more := sealed, 0
		if !claimed {
			more = 1
		}
		if wanted, err = tx.Runs().Ahead(s.Run.ID, s.Run.Thread, sealed, more); err != nil {
			return err
		}
		if !claimed {
			var started event.Draft
			if epoch, started, err = s.begin(tx); err != nil {
				return err
			}
			all = append([]event.Draft{started}, all...)
		}
		if recorded, err = tx.Append(all...); err != nil {
			return err
		}
		if claimed {
			err = fence(tx, s.Run.ID, epoch)
		}
		if err != nil || fn == nil {
			return err
		}
		return fn(tx)
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.claimed, s.epoch, s.held, s.wanted = true, epoch, s.held[len(held):], wanted
	if len(s.held) == 0 {
		s.disarm()
	}
	s.mu.Unlock()
	s.Note(recorded...)
	return recorded, nil
}

// Note remembers recorded steps, so that asking again answers from memory.
func (s *Segment) Note(events ...event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events {
		if mark, ok := MarkOf(e.Message); ok {
			s.remember(mark, e)
		}
	}
}

func (s *Segment) remember(mark Mark, e event.Event) {
	r := s.steps[mark.Key]
	r.Key, r.Begun = mark.Key, true
	if mark.Done {
		r.Done, r.Event = true, e
	}
	s.steps[mark.Key] = r
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
