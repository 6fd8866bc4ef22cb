package runtest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/fault"
	"chela/internal/run"
)

// nodesShare has two nodes start runs of the same conversations in turn.
func nodesShare(t *testing.T, w *world) {
	if w.Silence == nil {
		return
	}
	gauges := map[string]*gauge{"thr_1": {}, "thr_2": {}, "thr_3": {}}
	w.handlers["chat"] = func(_ context.Context, s *run.Segment) (run.Outcome, error) {
		g := gauges[s.Run.Thread]
		g.enter(s.Run.ID)
		defer g.leave()
		return run.Outcome{State: run.Done}, nil
	}
	nodes := []node{w.serve("a"), w.serve("b")}
	want := make(map[string][]run.ID)
	var specs []run.Spec
	for i := range 30 {
		s := spec("chat", fmt.Sprintf("thr_%d", i%len(gauges)+1))
		specs, want[s.Thread] = append(specs, s), append(want[s.Thread], s.ID)
		w.start(nodes[i%len(nodes)], s)
	}
	for _, s := range specs {
		w.ended(w.until(s.ID, run.Done))
	}
	for thread, g := range gauges {
		got := slices.Compact(g.order) // a run whose node seemed dead for a moment is worked once more
		if g.top != 1 || !slices.Equal(got, want[thread]) {
			t.Errorf("%s: %d at once, in the order %v instead of %v", thread, g.top, got, want[thread])
		}
	}
}

// crowded fills the lane of one node for good: what else is started there, at once or later,
// is worked by another.
func crowded(t *testing.T, w *world) {
	if w.Silence == nil {
		return
	}
	w.lanes = run.Lanes{run.UserLane: 1}
	handler, called, _ := hangs()
	w.handlers["hang"], w.handlers["chat"] = handler, done
	a := w.serve("a")
	w.serve("b")
	stuck := spec("hang", "thr_stuck")
	specs := []run.Spec{spec("chat", "thr_beside"), spec("chat", "thr_beside_too")}
	check(t, a.Write(t.Context(), func(b *run.Batch) error {
		for _, s := range append([]run.Spec{stuck}, specs...) {
			if err := b.Start(s); err != nil {
				return err
			}
		}
		return nil
	}))
	receive(t, "the run that fills the lane", called)
	full := w.workedBy(stuck.ID)
	for i := range 6 {
		s := spec("chat", fmt.Sprintf("thr_%d", i))
		w.start(a, s)
		specs = append(specs, s)
	}
	for _, s := range specs {
		w.ended(w.until(s.ID, run.Done))
		if by := w.workedBy(s.ID); by == full && w.workedBy(stuck.ID) == full { // the run that fills it moves when its node seems dead for a moment
			t.Errorf("run %s was worked by %s, which has no room", s.ID, by)
		}
	}
	check(t, a.Write(t.Context(), func(b *run.Batch) error { return b.Cancel(stuck.ID, someone, "enough") }))
}

// follows has a run take long: what else comes to its conversation waits for it, also when
// another node has room.
func follows(t *testing.T, w *world) {
	if w.Silence == nil {
		return
	}
	w.lanes = run.Lanes{run.UserLane: 2}
	called, end := make(chan run.ID, 8), make(chan struct{})
	w.handlers["long"] = func(_ context.Context, s *run.Segment) (run.Outcome, error) {
		called <- s.Run.ID
		<-end
		return run.Outcome{State: run.Done}, nil
	}
	w.handlers["chat"] = done
	a := w.serve("a")
	long, other := spec("long", "thr_1"), spec("long", "thr_2") // they fill the lane
	w.start(a, long, other)
	receive(t, "the first run", called)
	receive(t, "the second run", called)
	w.serve("b")
	next := spec("chat", "thr_1")
	w.start(a, next)
	for i := range 3 { // what waits for nothing is worked meanwhile
		s := spec("chat", fmt.Sprintf("thr_free_%d", i))
		w.start(a, s)
		w.ended(w.until(s.ID, run.Done))
	}
	if r, err := w.Store.Runs.Run(t.Context(), next.ID); err != nil || r.State != run.Queued {
		t.Errorf("the next run of a conversation is %s while the one before is worked: %v", r.State, err)
	}
	close(end)
	for _, s := range []run.Spec{long, other, next} {
		w.ended(w.until(s.ID, run.Done))
	}
}

// reads tells when a transaction has read a run.
type reads struct {
	run.Tx
	told func()
}

func (r reads) Runs() run.RunTx { return readRuns{r.Tx.Runs(), r.told} }

type readRuns struct {
	run.RunTx
	told func()
}

func (r readRuns) Run(id run.ID) (run.Run, error) {
	got, err := r.RunTx.Run(id)
	r.told()
	return got, err
}

// endsOnce has somebody decide to cancel a run while its end is being recorded.
func endsOnce(t *testing.T, w *world) {
	if w.Silence == nil {
		return // transactions come one after the other
	}
	ending, read := make(chan struct{}), make(chan struct{})
	end, told := sync.OnceFunc(func() { close(ending) }), sync.OnceFunc(func() { close(read) })
	w.handlers["chat"] = done
	s := spec("chat", "thr_1")
	w.ending = func(id run.ID) {
		if id == s.ID {
			end()
			<-read
		}
	}
	n := w.serve("a")
	w.start(n, s)
	receive(t, "the end", ending)
	err := n.Write(t.Context(), func(b *run.Batch) error {
		b.Tx = reads{b.Tx, told}
		return b.Cancel(s.ID, someone, "too late")
	})
	if fault.KindOf(err) != fault.Conflict {
		t.Errorf("a run was cancelled that had ended: %v", err)
	}
	w.ended(w.until(s.ID, run.Done))
}

// mixed starts runs of a few conversations on several nodes at once, of which one falls
// silent, while some wait, are cancelled, paused and resumed: each ends once, and no
// conversation works two at a time.
func mixed(t *testing.T, w *world) {
	w.lanes = run.Lanes{run.UserLane: 2}
	var mu sync.Mutex
	inside := make(map[string]run.ID) // conversation → the run that is worked, but for what was taken from its worker
	enter := func(ctx context.Context, s *run.Segment) {
		mu.Lock()
		defer mu.Unlock()
		if other := inside[s.Run.Thread]; other != "" && other != s.Run.ID {
			t.Errorf("%s began in %s before %s left", s.Run.ID, s.Run.Thread, other)
		}
		inside[s.Run.Thread] = s.Run.ID
		context.AfterFunc(ctx, func() { // done, or told to end
			mu.Lock()
			defer mu.Unlock()
			if inside[s.Run.Thread] == s.Run.ID {
				delete(inside, s.Run.Thread)
			}
		})
	}
	leave := func(s *run.Segment) {
		mu.Lock()
		defer mu.Unlock()
		if inside[s.Run.Thread] == s.Run.ID {
			delete(inside, s.Run.Thread)
		}
	}
	w.handlers["quick"] = func(ctx context.Context, s *run.Segment) (run.Outcome, error) {
		enter(ctx, s)
		defer leave(s)
		return run.Outcome{State: run.Done}, nil
	}
	w.handlers["asks"] = func(ctx context.Context, s *run.Segment) (run.Outcome, error) {
		enter(ctx, s)
		defer leave(s)
		if s.Run.Segment == 1 {
			return run.Outcome{State: run.Waiting, WaitsFor: run.ForPerson + "apv_1", Reason: "It needs a yes."}, nil
		}
		return run.Outcome{State: run.Done}, nil
	}
	names := []string{"a"}
	if w.Silence != nil {
		names = []string{"a", "b", "c"}
	}
	nodes := make([]node, len(names))
	for i, name := range names {
		nodes[i] = w.serve(name)
	}
	seen := 0
	rapid.Check(t, func(r *rapid.T) {
		if seen++; seen > 4 {
			return // each costs real transactions
		}
		var started []run.ID
		for i := range rapid.IntRange(8, 24).Draw(r, "steps") {
			if i == 6 && seen == 1 && w.Silence != nil {
				w.Silence("c")
			}
			n := nodes[rapid.IntRange(0, len(nodes)-1).Draw(r, "node")]
			if len(started) == 0 || rapid.IntRange(0, 2).Draw(r, "what") < 2 {
				s := spec(rapid.SampledFrom([]string{"quick", "asks"}).Draw(r, "kind"), fmt.Sprintf("thr_%d_%d", seen, rapid.IntRange(0, 2).Draw(r, "thread")))
				w.start(n, s)
				started = append(started, s.ID)
				continue
			}
			id := started[rapid.IntRange(0, len(started)-1).Draw(r, "run")]
			w.order(n, id, rapid.SampledFrom([]string{"cancel", "pause", "resume"}).Draw(r, "order"))
		}
		for _, id := range started {
			w.toTheEnd(nodes[0], id)
		}
	})
}

// order gives a run an order that its state may refuse.
func (w *world) order(n node, id run.ID, order string) {
	w.t.Helper()
	err := n.Write(w.t.Context(), func(b *run.Batch) error {
		switch order {
		case "cancel":
			return b.Cancel(id, someone, "told to")
		case "pause":
			return b.Pause(id, someone)
		}
		return b.Resume(id, someone, "told to")
	})
	if err != nil && fault.KindOf(err) != fault.Conflict {
		w.t.Fatalf("%s run %s: %v", order, id, err)
	}
}

// toTheEnd resumes a run whenever it waits until it has ended, once.
func (w *world) toTheEnd(n node, id run.ID) {
	w.t.Helper()
	for late := time.Now().Add(patience); ; {
		r := w.until(id, run.Waiting, run.Done, run.Failed, run.Cancelled)
		if r.State.Final() {
			w.ended(r)
			return
		}
		if time.Now().After(late) {
			w.t.Fatalf("run %s still %s after %s", id, r.State, patience)
		}
		w.order(n, id, "resume")
	}
}
