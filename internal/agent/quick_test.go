package agent_test

import (
	"context"
	"fmt"
	"slices"
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
	grown, stop := w.db.Subscribe(event.LogGrew)
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

// TestQuick_ReadsAreRecordedTogether has two answers whose calls only read, one after the other:
// nothing of them is in the log while the calls are made, and all of it, by one write, while the
// model is asked what comes next.
func TestQuick_ReadsAreRecordedTogether(t *testing.T) {
	t.Parallel()
	var why string
	for range 5 { // on a busy machine the run is claimed meanwhile, and what is held recorded with that
		if why = quickReads(t); why == "" {
			return
		}
	}
	t.Error(why)
}

func quickReads(t *testing.T) (why string) {
	t.Helper()
	w := newWorld(t, agent.Options{})
	early, overlapped := 0, false
	w.during = func(context.Context) { early += w.count(agent.AnsweredKind.Name) }
	w.answer = func(ctx context.Context, _ model.Request, n int) (model.Answer, error) {
		if n < 2 {
			return uses(fmt.Sprintf(`ponder {"what":"%d"}`, n)), nil
		}
		overlapped = w.recorded(ctx, tool.ResultKind.Name, 2)
		return says("Done."), nil
	}
	if r, last := w.tell("Look"); r.State != run.Done || last.Message != "Done." || !overlapped {
		t.Fatalf("%s %q; the results were recorded while the model was asked: %v", r.State, last.Message, overlapped)
	}
	if early != 0 {
		return "an answer was recorded before the quick calls were made"
	}
	var of []event.Event
	for _, kind := range []string{agent.AnsweredKind.Name, tool.CallKind.Name, tool.ResultKind.Name} {
		events, _, err := w.db.Log.Events(t.Context(), 0, event.Filter{Type: kind, Limit: 10})
		if err != nil || len(events) < 2 {
			t.Fatalf("%s: %d, %v", kind, len(events), err)
		}
		of = append(of, events[0].Event, events[1].Event)
	}
	slices.SortFunc(of, func(a, b event.Event) int { return int(a.Seq - b.Seq) })
	for n, e := range of {
		if want := []string{agent.AnsweredKind.Name, tool.CallKind.Name, tool.ResultKind.Name}[n%3]; e.Message.Type != want {
			t.Errorf("%d is a %s, not a %s", n, e.Message.Type, want)
		}
		if n > 0 && e.Said().Before(of[n-1].Said()) {
			t.Errorf("%s was said at %s, before what is recorded before it", e.Message.Type, e.Said())
		}
		if !e.At.Equal(of[0].At) {
			why = fmt.Sprintf("%s was recorded at %s, and the first answer at %s", e.Message.Type, e.At, of[0].At)
		}
	}
	return why
}

// TestQuick_ASlowReadIsShownWhileItLasts has calls that end when they are seen in the log: the first
// with the claim of its run, the second by itself.
func TestQuick_ASlowReadIsShownWhileItLasts(t *testing.T) {
	t.Parallel()
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
