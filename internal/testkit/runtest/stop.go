package runtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

func cancel(t *testing.T, w *world) {
	handler, called, ended := hangs()
	w.handlers["chat"], w.handlers["next"] = handler, done
	n := w.serve("a")
	s, next := spec("chat", "thr_1"), spec("next", "thr_1")
	w.start(n, s)
	seg := receive(t, "the run", called)
	w.start(n, next)
	w.until(s.ID, run.Running) // its claim is recorded; before that, the cancel may be noticed as a lost claim
	told := time.Now()
	check(t, n.Write(t.Context(), func(b *run.Batch) error { return b.Cancel(s.ID, someone, "enough") }))
	if cause := receive(t, "the end of the work", ended); !errors.Is(cause, run.ErrCancelled) {
		t.Errorf("the work ended for %v", cause)
	}
	if took := time.Since(told); took > patience/2 {
		t.Errorf("cancelling took %s", took)
	}
	w.ended(w.until(s.ID, run.Cancelled))
	if _, err := seg.Append(t.Context(), run.StepKind.Draft(seg.Place(someone), run.StepResult{Result: []byte(`1`)})); !errors.Is(err, run.ErrSuperseded) {
		t.Errorf("a cancelled run recorded more: %v", err)
	}
	w.until(next.ID, run.Done) // the conversation is free again
	err := n.Write(t.Context(), func(b *run.Batch) error { return b.Cancel(s.ID, someone, "again") })
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("cancelled twice: %v", err)
	}
}

func cancelQueued(t *testing.T, w *world) {
	handler, called, _ := hangs()
	w.handlers["chat"], w.handlers["next"] = handler, done
	n := w.serve("a")
	first, second, third := spec("chat", "thr_1"), spec("chat", "thr_1"), spec("next", "thr_1")
	w.start(n, first, second, third)
	receive(t, "the first run", called)
	for _, s := range []run.Spec{second, first} {
		check(t, n.Write(t.Context(), func(b *run.Batch) error { return b.Cancel(s.ID, someone, "no") }))
	}
	w.until(third.ID, run.Done)
	w.ended(w.until(second.ID, run.Cancelled))
	if len(called) > 0 || len(w.events(second.ID, run.StartedKind.Name)) > 0 {
		t.Error("a cancelled run was started")
	}
}

func pause(t *testing.T, w *world) {
	called, ended := make(chan int, 8), make(chan struct{}, 8)
	w.handlers["chat"] = func(ctx context.Context, s *run.Segment) (run.Outcome, error) {
		n, err := run.Step(ctx, s, "once", func(context.Context) (int, error) { return s.Run.Segment, nil })
		if err != nil {
			return run.Outcome{}, err
		}
		called <- n
		if s.Run.Segment == 1 {
			<-ctx.Done()
			ended <- struct{}{}
			return run.Outcome{}, context.Cause(ctx)
		}
		return run.Outcome{State: run.Done}, nil
	}
	n := w.serve("a")
	s := spec("chat", "thr_1")
	w.start(n, s)
	receive(t, "the run", called)
	check(t, n.Write(t.Context(), func(b *run.Batch) error { return b.Pause(s.ID, someone) }))
	receive(t, "the end of the work", ended)
	if r := w.until(s.ID, run.Waiting); r.WaitsFor != run.ForResume {
		t.Errorf("it waits for %q", r.WaitsFor)
	}
	check(t, n.Write(t.Context(), func(b *run.Batch) error { return b.Resume(s.ID, someone, "go on") }))
	if n := receive(t, "the second segment", called); n != 1 {
		t.Errorf("the step was done again, in segment %d", n)
	}
	w.ended(w.until(s.ID, run.Done))
	err := n.Write(t.Context(), func(b *run.Batch) error { return b.Resume(s.ID, someone, "again") })
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("a run that is over was resumed: %v", err)
	}
}

func timeout(t *testing.T, w *world) {
	handler, _, ended := hangs()
	w.handlers["chat"] = handler
	n := w.serve("a")
	s := spec("chat", "thr_1")
	s.Timeout = 1
	w.start(n, s)
	if cause := receive(t, "the end of the work", ended); !errors.Is(cause, run.ErrTimeout) {
		t.Errorf("the work ended for %v", cause)
	}
	r := w.until(s.ID, run.Failed)
	w.ended(r)
	if n := w.recorded(s.ID, run.TimeoutKind.Name); n != 1 || r.Reason == "" {
		t.Errorf("%d timeouts recorded, the reason is %q", n, r.Reason)
	}
}

func panics(t *testing.T, w *world) {
	w.handlers["chat"] = func(context.Context, *run.Segment) (run.Outcome, error) { panic("a bug") }
	w.handlers["next"] = done
	n := w.serve("a")
	s, next := spec("chat", "thr_1"), spec("next", "thr_1")
	w.start(n, s, next)
	r := w.until(s.ID, run.Failed)
	w.ended(r)
	if strings.Contains(r.Reason, "a bug") || r.Reason == "" {
		t.Errorf("the reason is %q", r.Reason)
	}
	w.until(next.ID, run.Done)
}

// unsaid has endings that cannot be said, and that the log refuses.
func unsaid(t *testing.T, w *world) {
	w.handlers["chat"] = func(context.Context, *run.Segment) (run.Outcome, error) {
		return run.Outcome{}, errors.New("no luck")
	}
	endings := map[string]run.Ending{
		"fails": func(context.Context, run.Run, string) ([]event.Draft, error) {
			return nil, errors.New("cannot be read")
		},
		"is refused": func(ctx context.Context, r run.Run, reason string) ([]event.Draft, error) {
			drafts, err := says(ctx, r, reason)
			drafts[0].Message.From.AgentID = "nobody"
			return drafts, err
		},
	}
	for name, says := range endings {
		w.says = says
		s := spec("chat", "thr_"+strings.ReplaceAll(name, " ", "_"))
		n := w.begin(name)
		w.start(n, s)
		r := w.until(s.ID, run.Failed)
		if ends, said := w.recorded(r.ID, run.FinishedKind.Name), len(w.events(r.ID, run.ProgressKind.Name)); ends != 1 || said > 0 {
			t.Errorf("an ending that %s: the run ended %d times, and said so %d times", name, ends, said)
		}
		n.stop()
	}
}

func stopping(t *testing.T, w *world) {
	w.opts.Grace = time.Millisecond
	called, goOn := make(chan int, 8), make(chan struct{})
	w.handlers["chat"] = func(ctx context.Context, s *run.Segment) (run.Outcome, error) {
		n, err := run.Step(ctx, s, "once", func(context.Context) (int, error) { return s.Run.Attempt, nil })
		if err != nil {
			return run.Outcome{}, err
		}
		called <- n
		select {
		case <-goOn:
			return run.Outcome{State: run.Done}, nil
		case <-ctx.Done():
			return run.Outcome{}, context.Cause(ctx)
		}
	}
	n := w.serve("a")
	s := spec("chat", "thr_1")
	w.start(n, s)
	receive(t, "the run", called)
	n.stop()
	close(goOn)
	if r, err := w.Store.Runs.Run(t.Context(), s.ID); err != nil || r.State.Final() {
		t.Fatalf("after stopping: %+v %v", r, err)
	}
	w.serve("a")
	if n := receive(t, "the run, again", called); n != 1 {
		t.Errorf("the step was done again, at attempt %d", n)
	}
	w.ended(w.until(s.ID, run.Done))
}

// stopElsewhere cancels or pauses a run on a node that does not work it, where there can be
// several.
func stopElsewhere(stop func(*run.Batch, run.ID) error, state run.State) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		if w.Silence == nil {
			return
		}
		handler, called, ended := hangs()
		w.handlers["chat"], w.handlers["next"] = handler, done
		nodes := map[string]node{"a": w.serve("a"), "b": w.serve("b")}
		s, next := spec("chat", "thr_1"), spec("next", "thr_1")
		w.start(nodes["a"], s, next)
		receive(t, "the run", called)
		other := nodes["a"]
		if w.until(s.ID, run.Running).Node == "a" {
			other = nodes["b"]
		}
		check(t, other.Write(t.Context(), func(b *run.Batch) error { return stop(b, s.ID) }))
		if cause := receive(t, "the end of the work", ended); !errors.Is(cause, run.ErrSuperseded) {
			t.Errorf("the work ended for %v", cause)
		}
		if r := w.until(s.ID, state); state.Final() {
			w.ended(r)
		}
		w.until(next.ID, run.Done) // the conversation is free again
	}
}

// stopAsItEnds cancels or pauses a run on a node that does not work it, where there can be several, when its
// work is done and not recorded yet.
func stopAsItEnds(stop func(*run.Batch, run.ID) error, state run.State) func(*testing.T, *world) {
	return func(t *testing.T, w *world) {
		if w.Silence == nil {
			return
		}
		w.lanes = run.Lanes{run.UserLane: 1}
		both := make(chan [2]node, 1)
		full := make(chan struct{})
		w.handlers["fills"] = func(context.Context, *run.Segment) (run.Outcome, error) {
			<-full
			return run.Outcome{State: run.Done}, nil
		}
		w.handlers["chat"] = func(ctx context.Context, s *run.Segment) (run.Outcome, error) {
			// What is recorded of its beginning may wait for the first thing that it records.
			if _, err := s.Append(ctx, saidKind.Draft(s.Place(event.Party{AgentID: "agent:pm", Role: "agent"}), message{"I begin."})); err != nil {
				return run.Outcome{}, err
			}
			r, err := w.Store.Runs.Run(ctx, s.Run.ID)
			if err != nil || r.State != run.Running {
				t.Errorf("the run is %s where it is worked, want running (%v)", r.State, err)
				return run.Outcome{}, run.ErrSuperseded
			}
			nodes := <-both
			other := nodes[0]
			if r.Node == "a" {
				other = nodes[1]
			}
			// Not by the run's own context, which ends as soon as this node hears of the stop.
			if err := other.Write(context.WithoutCancel(ctx), func(b *run.Batch) error { return stop(b, r.ID) }); err != nil {
				t.Errorf("the stop on the other node: %v", err)
			}
			return run.Outcome{State: run.Done}, nil
		}
		w.handlers["next"] = done
		nodes := [2]node{w.serve("a"), w.serve("b")}
		for i, n := range nodes { // each has its hands full, so that what comes now goes by the queue
			w.start(n, spec("fills", fmt.Sprintf("thr_full_%d", i)))
		}
		s, next := spec("chat", "thr_1"), spec("next", "thr_1")
		w.start(nodes[0], s, next)
		both <- nodes
		close(full)
		if r := w.until(s.ID, state); state.Final() {
			w.ended(r)
		}
		w.until(next.ID, run.Done) // the conversation is free again
	}
}
