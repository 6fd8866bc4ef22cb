package runtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/run"
)

func step(s *run.Segment, key string) event.Draft {
	return run.AsStep(run.StepKind.Draft(s.Place(someone), run.StepResult{Result: []byte(`1`)}), key, true)
}

// keys returns the steps of the run that the log holds, in order.
func (w *world) keys(id run.ID) []string {
	w.t.Helper()
	var out []string
	for _, e := range w.events(id, run.StepKind.Name) {
		if mark, ok := run.MarkOf(e.Message); ok {
			out = append(out, mark.Key)
		}
	}
	return out
}

// holds waits until the store has so many steps of the run.
func (w *world) holds(ctx context.Context, id run.ID, n int) error {
	grown, end := w.Store.Log.Subscribe(event.LogGrew)
	defer end()
	late := time.After(patience)
	for {
		steps, err := w.Store.Runs.Steps(ctx, id)
		if err != nil || len(steps) >= n {
			return err
		}
		select {
		case <-grown:
		case <-late:
			return fmt.Errorf("%d of %d steps are recorded after %s", len(steps), n, patience)
		}
	}
}

// held has a run hold steps and do nothing else until they are in the log.
func held(t *testing.T, w *world) {
	want := []string{"a", "b", "c", "d"}
	w.handlers["chat"] = func(ctx context.Context, s *run.Segment) (run.Outcome, error) {
		for n, key := range want[:3] { // the first with the claim
			s.Hold(step(s, key))
			if !s.Recorded(key).Done {
				return run.Outcome{}, fmt.Errorf("the segment does not know of %s, which it holds", key)
			}
			if err := w.holds(ctx, s.Run.ID, n+1); err != nil {
				return run.Outcome{}, err
			}
		}
		s.Hold(step(s, want[3])) // with the end
		return run.Outcome{State: run.Done}, nil
	}
	s := spec("chat", "thr_1")
	w.start(w.serve("a"), s)
	r := w.until(s.ID, run.Done, run.Failed)
	w.ended(r)
	if got := w.keys(s.ID); r.State != run.Done || !slices.Equal(got, want) {
		t.Errorf("%s, %s; the log holds %q, not %q", r.State, r.Reason, got, want)
	}
}

// heldTooLong has a worker that was taken for dead hold a step: what it does ends.
func heldTooLong(t *testing.T, w *world) {
	w.lanes = run.Lanes{run.UserLane: 1}
	called, goOn, ended := make(chan int, 8), make(chan struct{}), make(chan error, 1)
	w.handlers["chat"] = func(ctx context.Context, s *run.Segment) (run.Outcome, error) {
		_, err := run.Step(ctx, s, "model", func(context.Context) (int, error) { return 1, nil })
		called <- s.Run.Attempt
		if err != nil || s.Run.Attempt > 1 {
			return run.Outcome{State: run.Done}, err
		}
		<-goOn
		s.Hold(step(s, "late"))
		<-ctx.Done()
		ended <- context.Cause(ctx)
		<-w.held
		return run.Outcome{}, context.Cause(ctx)
	}
	s := spec("chat", "thr_1")
	w.start(w.serve("a"), s)
	receive(t, "the first attempt", called)
	w.successor("a")
	receive(t, "the second attempt", called)
	w.until(s.ID, run.Done)
	close(goOn)
	if cause := receive(t, "the end of the first", ended); !errors.Is(cause, run.ErrSuperseded) {
		t.Errorf("the work of a dead node ended for %v", cause)
	}
	if got := w.keys(s.ID); !slices.Equal(got, []string{"model"}) {
		t.Errorf("the log holds %q", got)
	}
}
