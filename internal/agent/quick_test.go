package agent_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/model"
	"chela/internal/run"
	"chela/internal/tool"
)

// recorded waits until so many events of a type are in the log; false when they never are.
func (w *world) recorded(ctx context.Context, kind string, n int) bool {
	grown, stop := w.db.Grown()
	defer stop()
	for w.count(kind) < n {
		select {
		case <-grown:
		case <-ctx.Done():
			return false
		case <-time.After(10 * time.Second):
			return false
		}
	}
	return true
}

// TestAQuickReadIsRecordedWithItsAnswer has a call that only reads: nothing of it is in the
// log while it is made, and all of it, by one write, while the model is asked what comes next.
func TestAQuickReadIsRecordedWithItsAnswer(t *testing.T) {
	var why string
	for range 5 { // on a busy machine the run is claimed meanwhile, and the answer recorded with that
		if why = quickRead(t); why == "" {
			return
		}
	}
	t.Error(why)
}

func quickRead(t *testing.T) (why string) {
	t.Helper()
	w := newWorld(t, agent.Options{})
	early, overlapped := -1, false
	w.during = func(context.Context) { early = w.count(agent.AnsweredKind.Name) }
	w.answer = func(ctx context.Context, _ model.Request, n int) (model.Answer, error) {
		if n == 0 {
			return uses(`ponder {"what":"a"}`), nil
		}
		overlapped = w.recorded(ctx, tool.ResultKind.Name, 1)
		return says("Done."), nil
	}
	if r, last := w.tell("Look"); r.State != run.Done || last.Message != "Done." || !overlapped {
		t.Fatalf("%s %q; its result was recorded while the model was asked: %v", r.State, last.Message, overlapped)
	}
	if early != 0 {
		return "the answer was recorded before its quick call was made"
	}
	var of []event.Event
	for _, kind := range []string{agent.AnsweredKind.Name, tool.CallKind.Name, tool.ResultKind.Name} {
		events, _, err := w.db.Events(t.Context(), 0, event.Filter{Type: kind, Limit: 10})
		if err != nil || len(events) == 0 {
			t.Fatalf("%s: %v", kind, err)
		}
		of = append(of, events[0].Event)
	}
	if !of[0].Said().Before(of[2].Said()) {
		t.Errorf("the answer was said at %s, and the result at %s", of[0].Said(), of[2].Said())
	}
	for _, e := range of {
		if !e.At.Equal(of[0].At) {
			why = fmt.Sprintf("%s was recorded at %s, and the answer at %s", e.Message.Type, e.At, of[0].At)
		}
	}
	return why
}

// TestASlowReadIsShownWhileItLasts has calls that end when they are seen in the log: the first
// with the claim of its run, the second by itself.
func TestASlowReadIsShownWhileItLasts(t *testing.T) {
	w := newWorld(t, agent.Options{})
	calls, seen := 0, 0
	w.during = func(ctx context.Context) {
		if calls++; w.recorded(ctx, tool.CallKind.Name, calls) {
			seen++
		}
	}
	w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
		if n < 2 {
			return uses(`ponder {"what":"a"}`), nil
		}
		return says("Done."), nil
	}
	if r, _ := w.tell("Look"); r.State != run.Done || seen != 2 {
		t.Errorf("%s; %d of 2 calls were seen while they lasted", r.State, seen)
	}
}
