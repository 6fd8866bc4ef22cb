package runtest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"chela/internal/event"
	"chela/internal/run"
)

func steps(t *testing.T, w *world) {
	var calls atomic.Int32
	w.handlers["chat"] = func(ctx context.Context, s *run.Segment) (run.Outcome, error) {
		for range 2 {
			if _, err := run.Step(ctx, s, "model", func(context.Context) (int32, error) { return calls.Add(1), nil }); err != nil {
				return run.Outcome{}, err
			}
		}
		if s.Run.Segment < 3 {
			return run.Outcome{State: run.Waiting, WaitsFor: run.ForResume, Reason: "It was told to."}, nil
		}
		return run.Outcome{State: run.Done}, nil
	}
	n := w.serve("a")
	s := spec("chat", "thr_1")
	w.start(n, s)
	for range 2 {
		w.until(s.ID, run.Waiting)
		check(t, n.Write(t.Context(), func(b *run.Batch) error { return b.Resume(s.ID, someone, "go on") }))
		w.until(s.ID, run.Waiting, run.Done)
	}
	w.until(s.ID, run.Done)
	if calls.Load() != 1 || w.recorded(s.ID, run.StepKind.Name) != 1 {
		t.Errorf("the step was done %d times", calls.Load())
	}
}

// A message is what a person says.
type message struct {
	Message string `json:"message"`
}

var saidKind = event.Kind[message]{Name: event.ChatMessage}

func again(t *testing.T, w *world) {
	var calls atomic.Int32
	w.handlers["chat"] = func(ctx context.Context, s *run.Segment) (run.Outcome, error) {
		n := calls.Add(1)
		said, err := s.Append(ctx, saidKind.Draft(s.Place(event.Party{AgentID: "agent:person.ann", Role: "person"}), message{"And this."}))
		if err != nil {
			return run.Outcome{}, err
		}
		if n > 2 {
			return run.Outcome{State: run.Done, Heard: said[len(said)-1].Seq}, nil
		}
		return run.Outcome{State: run.Done, Heard: said[len(said)-1].Seq - 1}, nil
	}
	n := w.serve("a")
	s := spec("chat", "thr_1")
	w.start(n, s)
	w.ended(w.until(s.ID, run.Done))
	if got := calls.Load(); got != 3 {
		t.Errorf("the handler was called %d times, want 3", got)
	}
}

func fork(t *testing.T, w *world) {
	var calls atomic.Int32
	w.handlers["chat"] = func(ctx context.Context, s *run.Segment) (run.Outcome, error) {
		for _, key := range []string{"one", "two", "three"} {
			if _, err := run.Step(ctx, s, key, func(context.Context) (int32, error) { return calls.Add(1), nil }); err != nil {
				return run.Outcome{}, err
			}
		}
		return run.Outcome{State: run.Done}, nil
	}
	n := w.serve("a")
	s := spec("chat", "thr_1")
	w.start(n, s)
	w.until(s.ID, run.Done)
	recorded, err := w.Store.Runs.Steps(t.Context(), s.ID)
	check(t, err)
	if len(recorded) != 3 {
		t.Fatalf("%d steps", len(recorded))
	}
	f := spec("chat", "thr_2")
	f.ForkOf, f.ForkSeq = s.ID, recorded[0].Event.Seq
	w.start(n, f)
	w.until(f.ID, run.Done)
	if calls.Load() != 5 {
		t.Errorf("%d steps were done for three, and two after the fork", calls.Load())
	}
}

// dies sets a handler whose first call records a step and then hangs, deaf to its
// context, as the code of a process that was killed.
func dies(w *world) (called chan *run.Segment, steps *atomic.Int32) {
	called, steps = make(chan *run.Segment, 16), new(atomic.Int32)
	w.handlers["chat"] = func(ctx context.Context, s *run.Segment) (run.Outcome, error) {
		if _, err := run.Step(ctx, s, "model", func(context.Context) (int32, error) { return steps.Add(1), nil }); err != nil {
			return run.Outcome{}, err
		}
		called <- s
		if s.Run.Attempt == 1 {
			<-w.held
		}
		return run.Outcome{State: run.Done}, nil
	}
	return called, steps
}

// successor starts the node that takes over from the dead one: another where there are
// others, else the same one again.
func (w *world) successor(dead string) node {
	w.t.Helper()
	if w.Silence == nil {
		return w.begin(dead)
	}
	w.Silence(dead)
	return w.begin(dead + "'") // it may have its hands full with what it takes over
}

func crash(t *testing.T, w *world) {
	w.lanes = run.Lanes{run.UserLane: 1} // what hangs fills the lane: the dead take no more
	called, steps := dies(w)
	w.handlers["next"] = done
	s, after := spec("chat", "thr_1"), spec("next", "thr_1")
	w.start(w.serve("a"), s, after)
	zombie := receive(t, "the run", called)
	w.successor("a")
	receive(t, "the run, again", called)
	r := w.until(s.ID, run.Done)
	w.ended(r)
	if steps.Load() != 1 || r.Attempt != 2 {
		t.Errorf("the step was done %d times, in %d attempts", steps.Load(), r.Attempt)
	}
	w.ended(w.until(after.ID, run.Done))

	// The first worker wakes up.
	_, err := zombie.Append(t.Context(), run.StepKind.Draft(zombie.Place(someone), run.StepResult{Result: []byte(`1`)}))
	if !errors.Is(err, run.ErrSuperseded) {
		t.Errorf("a worker that woke up late recorded: %v", err)
	}
	w.free()
	next := spec("next", "thr_1")
	b := w.serve("b")
	w.start(b, next)
	w.until(next.ID, run.Done)
	w.ended(w.until(s.ID, run.Done))
}

// deadly begins a run again and again whose worker dies each time.
func deadly(t *testing.T, w *world) {
	w.opts.MaxAttempts = 2
	w.lanes = run.Lanes{run.UserLane: 1}
	called := make(chan int, 16)
	w.handlers["chat"] = func(ctx context.Context, s *run.Segment) (run.Outcome, error) {
		if _, err := run.Step(ctx, s, "model", func(context.Context) (int, error) { return 1, nil }); err != nil {
			return run.Outcome{}, err
		}
		called <- s.Run.Attempt
		<-w.held
		return run.Outcome{State: run.Done}, nil
	}
	s := spec("chat", "thr_1")
	w.start(w.serve("a"), s)
	receive(t, "the first attempt", called)
	w.successor("a")
	receive(t, "the second attempt", called)
	w.successor("a'")
	r := w.until(s.ID, run.Failed)
	w.ended(r)
	if len(called) > 0 || r.Reason == "" {
		t.Errorf("it was begun %d times more; the reason is %q", len(called), r.Reason)
	}
}

// storeFailed has the store fail for a while after a run has recorded a step: the run goes on from there when it works again.
func storeFailed(t *testing.T, w *world) {
	var called, failed atomic.Int32
	w.unended = func() error {
		if failed.Add(1) <= 2 {
			return errors.New("the disk is full")
		}
		return nil
	}
	w.handlers["chat"] = func(ctx context.Context, s *run.Segment) (run.Outcome, error) {
		_, err := run.Step(ctx, s, "model", func(context.Context) (int, error) { return int(called.Add(1)), nil })
		return run.Outcome{State: run.Done}, err
	}
	s := spec("chat", "thr_1")
	w.start(w.serve("a"), s)
	w.ended(w.until(s.ID, run.Done))
	if n := called.Load(); n != 1 {
		t.Errorf("the step was done %d times", n)
	}
}
