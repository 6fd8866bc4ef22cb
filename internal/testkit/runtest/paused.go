package runtest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/fault"
	"chela/internal/run"
)

// pauseWaiting pauses runs that wait: what comes meanwhile, a time too, begins nothing, and is there when they are resumed.
func pauseWaiting(t *testing.T, w *world) {
	woke := make(chan int, 8)
	at := time.Now().Add(400 * time.Millisecond)
	w.handlers["alarm"] = func(_ context.Context, s *run.Segment) (run.Outcome, error) {
		woke <- s.Run.Segment
		if time.Now().Before(at) {
			return run.Outcome{State: run.Waiting, WaitsFor: run.ForTime, Until: at, Reason: "It sleeps."}, nil
		}
		return run.Outcome{State: run.Done}, nil
	}
	n := w.serve("a")
	order := func(do func(*run.Batch) error) error { return n.Write(t.Context(), do) }
	s := spec("alarm", "thr_1")
	w.start(n, s)
	receive(t, "the first segment", woke)
	w.until(s.ID, run.Waiting)
	check(t, order(func(b *run.Batch) error { return b.Pause(s.ID, someone) }))
	if r := w.until(s.ID, run.Waiting); !r.Paused() || !strings.Contains(r.Reason, "It sleeps.") {
		t.Errorf("it waits for %q: %s", r.WaitsFor, r.Reason)
	}
	if err := order(func(b *run.Batch) error { return b.Pause(s.ID, someone) }); fault.KindOf(err) != fault.Conflict {
		t.Errorf("one that is paused was paused: %v", err)
	}
	check(t, order(func(b *run.Batch) error { return b.Wake(s.ID, someone, "it came") }))
	<-time.After(time.Until(at) + 400*time.Millisecond) // nothing is to come of its time
	if r := w.until(s.ID, run.Waiting); !r.Paused() || r.Segment != 1 || len(woke) > 0 {
		t.Errorf("while it is paused it is in segment %d: %+v", r.Segment, r)
	}
	check(t, order(func(b *run.Batch) error { return b.Resume(s.ID, someone, "go on") }))
	if got := receive(t, "the second segment", woke); got != 2 {
		t.Errorf("it went on in segment %d", got)
	}
	w.ended(w.until(s.ID, run.Done))

	// One that is resumed before its time waits for the rest.
	at = time.Now().Add(time.Second)
	early := spec("alarm", "thr_2")
	w.start(n, early)
	receive(t, "the first segment", woke)
	w.until(early.ID, run.Waiting)
	check(t, order(func(b *run.Batch) error { return b.Pause(early.ID, someone) }))
	check(t, order(func(b *run.Batch) error { return b.Resume(early.ID, someone, "go on") }))
	receive(t, "the second segment", woke)
	for { // it waits again, and is woken at its time
		again := receive(t, "the time", woke)
		if !time.Now().Before(at) {
			break
		}
		if again > 4 {
			t.Fatalf("it woke %d times before its time", again)
		}
	}
	w.ended(w.until(early.ID, run.Done))
}

// waitingOrders gives orders to a run that waits for a person again and again, and has its answers come in between, in any order: each is
// followed exactly when the state allows it, and while it is paused nothing begins.
func waitingOrders(t *testing.T, w *world) {
	w.handlers["asks"] = func(context.Context, *run.Segment) (run.Outcome, error) {
		return run.Outcome{State: run.Waiting, WaitsFor: run.ForPerson + "apv_1", Reason: "It needs a yes."}, nil
	}
	n := w.serve("a")
	seen := 0
	rapid.Check(t, func(r *rapid.T) {
		if seen++; seen > 15 {
			return // each costs real transactions
		}
		s := spec("asks", fmt.Sprintf("thr_%d", seen))
		w.start(n, s)
		state, segment := "waits", 1
		for range rapid.IntRange(1, 8).Draw(r, "orders") {
			w.until(s.ID, run.Waiting, run.Cancelled)
			order := rapid.SampledFrom([]string{"cancel", "pause", "resume", "comes", "pause"}).Draw(r, "order")
			next, allowed := map[string]map[string]string{
				"cancel": {"waits": "over", "paused": "over"},
				"pause":  {"waits": "paused"},
				"resume": {"waits": "waits", "paused": "waits"},
				"comes":  {"waits": "waits", "paused": "paused"},
			}[order][state]
			err := n.Write(t.Context(), func(b *run.Batch) error {
				switch order {
				case "cancel":
					return b.Cancel(s.ID, someone, "told to")
				case "pause":
					return b.Pause(s.ID, someone)
				case "resume":
					return b.Resume(s.ID, someone, "told to")
				}
				return b.Wake(s.ID, someone, "it came")
			})
			if allowed != (err == nil) || err != nil && fault.KindOf(err) != fault.Conflict {
				r.Fatalf("%s of a run that %s: %v", order, state, err)
			}
			if allowed && next == "waits" {
				segment++ // it went on, and waits again
			}
			if allowed {
				state = next
			}
			got := w.until(s.ID, run.Waiting, run.Cancelled)
			if got.Segment != segment || got.Paused() != (state == "paused") || got.State.Final() != (state == "over") {
				r.Fatalf("after %s it is %s for %q in segment %d, want one that %s in segment %d", order, got.State, got.WaitsFor, got.Segment, state, segment)
			}
		}
		if state != "over" {
			if err := n.Write(t.Context(), func(b *run.Batch) error { return b.Cancel(s.ID, someone, "the end") }); err != nil {
				r.Fatal(err)
			}
		}
		if begun := len(w.events(s.ID, run.StartedKind.Name)); begun != segment {
			r.Fatalf("%d segments began, want %d", begun, segment)
		}
	})
}
