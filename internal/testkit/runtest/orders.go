package runtest

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/fault"
	"chela/internal/run"
)

// orders gives a run orders in any order: each is followed exactly when the run's state
// allows it, and the run ends once.
func orders(t *testing.T, w *world) {
	w.handlers["chat"] = func(ctx context.Context, _ *run.Segment) (run.Outcome, error) {
		<-ctx.Done()
		return run.Outcome{}, context.Cause(ctx)
	}
	n := w.serve("a")
	seen := 0
	rapid.Check(t, func(r *rapid.T) {
		if seen++; seen > 15 {
			return // each costs real transactions
		}
		s := spec("chat", fmt.Sprintf("thr_%d", seen))
		w.start(n, s)
		state := run.Running // queued and running take the same orders
		for range rapid.IntRange(1, 8).Draw(r, "orders") {
			order := rapid.SampledFrom([]string{"cancel", "pause", "resume"}).Draw(r, "order")
			next, allowed := map[string]map[run.State]run.State{
				"cancel": {run.Running: run.Cancelled, run.Waiting: run.Cancelled},
				"pause":  {run.Running: run.Waiting},
				"resume": {run.Waiting: run.Running},
			}[order][state]
			err := n.Write(t.Context(), func(b *run.Batch) error {
				switch order {
				case "cancel":
					return b.Cancel(s.ID, someone, "told to")
				case "pause":
					return b.Pause(s.ID, someone)
				}
				return b.Resume(s.ID, someone, "told to")
			})
			if allowed != (err == nil) || err != nil && fault.KindOf(err) != fault.Conflict {
				r.Fatalf("%s of a run that is %s: %v", order, state, err)
			}
			if allowed {
				state = next
			}
			got, err := w.Store.Runs.Run(t.Context(), s.ID)
			if err != nil || got.State != state && !(state == run.Running && got.State == run.Queued) {
				r.Fatalf("after %s it is %s, not %s: %v", order, got.State, state, err)
			}
		}
		if !state.Final() {
			if err := n.Write(t.Context(), func(b *run.Batch) error { return b.Cancel(s.ID, someone, "the end") }); err != nil {
				r.Fatal(err)
			}
		}
		if ends := w.recorded(s.ID, run.FinishedKind.Name); ends != 1 {
			r.Fatalf("it ended %d times", ends)
		}
	})
}
