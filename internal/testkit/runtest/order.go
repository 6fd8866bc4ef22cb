package runtest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"chela/internal/run"
)

func lane(t *testing.T, w *world) {
	w.lanes = run.Lanes{run.UserLane: 2}
	var g gauge
	arrived, release := make(chan struct{}, 8), make(chan struct{})
	w.handlers["chat"] = func(_ context.Context, s *run.Segment) (run.Outcome, error) {
		g.enter(s.Run.ID)
		defer g.leave()
		arrived <- struct{}{}
		<-release
		return run.Outcome{State: run.Done}, nil
	}
	w.handlers["child"] = done
	n := w.serve("a")
	var specs []run.Spec
	for i := range 6 {
		specs = append(specs, spec("chat", fmt.Sprintf("thr_%d", i)))
	}
	w.start(n, specs...)
	receive(t, "the first run", arrived)
	receive(t, "the second run", arrived)
	child := spec("child", "thr_child")
	child.Lane = run.ChildLane
	w.start(n, child)
	w.until(child.ID, run.Done) // another lane has room of its own
	close(release)
	for _, s := range specs {
		w.ended(w.until(s.ID, run.Done))
	}
	if g.top != 2 {
		t.Errorf("%d runs at once in a lane of 2", g.top)
	}
}

func partition(t *testing.T, w *world) {
	gauges := map[string]*gauge{"thr_1": {}, "thr_2": {}}
	w.handlers["chat"] = func(_ context.Context, s *run.Segment) (run.Outcome, error) {
		g := gauges[s.Run.Thread]
		g.enter(s.Run.ID)
		defer g.leave()
		return run.Outcome{State: run.Done}, nil
	}
	n := w.serve("a")
	want := make(map[string][]run.ID)
	var specs []run.Spec
	for i := range 12 {
		s := spec("chat", fmt.Sprintf("thr_%d", i%2+1))
		specs = append(specs, s)
		want[s.Thread] = append(want[s.Thread], s.ID)
	}
	check(t, n.Write(t.Context(), func(b *run.Batch) error { // all at one instant
		for _, s := range specs[:6] {
			if err := b.Start(s); err != nil {
				return err
			}
		}
		return nil
	}))
	w.start(n, specs[6:]...)
	for _, s := range specs {
		w.until(s.ID, run.Done)
	}
	for thread, g := range gauges {
		if g.top != 1 || fmt.Sprint(g.order) != fmt.Sprint(want[thread]) {
			t.Errorf("%s: %d at once, in the order %v instead of %v", thread, g.top, g.order, want[thread])
		}
	}
}

// waiting has 50 runs wait with a lane of 10: new messages in the same conversations
// are answered, and each run goes on when it is told to.
func waiting(t *testing.T, w *world) {
	const runs = 50
	w.lanes = run.Lanes{run.UserLane: 10}
	w.handlers["ask"] = func(_ context.Context, s *run.Segment) (run.Outcome, error) {
		if s.Run.Segment == 1 {
			return run.Outcome{State: run.Waiting, WaitsFor: run.ForPerson + "apv_1", Reason: "It needs a yes."}, nil
		}
		return run.Outcome{State: run.Done}, nil
	}
	w.handlers["chat"] = done
	n := w.serve("a")
	var asks, chats []run.Spec
	for i := range runs {
		thread := fmt.Sprintf("thr_%d", i)
		asks, chats = append(asks, spec("ask", thread)), append(chats, spec("chat", thread))
	}
	w.start(n, asks...)
	for _, s := range asks {
		if r := w.until(s.ID, run.Waiting); r.WaitsFor != run.ForPerson+"apv_1" || r.Reason == "" {
			t.Fatalf("%+v", r)
		}
	}
	leaves := time.After(patience) // a worker leaves just after it recorded that its run waits
	for tick := time.Tick(time.Millisecond); len(n.Live()) != 0; <-tick {
		select {
		case <-leaves:
			t.Fatalf("%d waiting runs hold a worker", len(n.Live()))
		default:
		}
	}
	w.start(n, chats...)
	for _, s := range chats {
		w.ended(w.until(s.ID, run.Done))
	}
	var wait sync.WaitGroup
	for _, s := range asks {
		wait.Go(func() {
			if err := n.Write(t.Context(), func(b *run.Batch) error { return b.Resume(s.ID, someone, "yes") }); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, s := range asks {
		w.ended(w.until(s.ID, run.Done))
	}
}

func timer(t *testing.T, w *world) {
	woke := make(chan time.Time, 1)
	at := time.Now().Add(300 * time.Millisecond)
	w.handlers["alarm"] = func(_ context.Context, s *run.Segment) (run.Outcome, error) {
		if s.Run.Segment == 1 {
			return run.Outcome{State: run.Waiting, WaitsFor: run.ForTime, Until: at, Reason: "It sleeps."}, nil
		}
		woke <- time.Now()
		return run.Outcome{State: run.Done}, nil
	}
	n := w.serve("a")
	s, far := spec("alarm", "thr_1"), spec("alarm", "thr_2")
	w.start(n, s)
	if early := receive(t, "the time", woke); early.Before(at) {
		t.Errorf("it woke %s early", at.Sub(early))
	}
	w.ended(w.until(s.ID, run.Done))

	// A time that comes while nobody serves comes when somebody serves again.
	at = time.Now().Add(2 * time.Second)
	w.start(n, far)
	w.until(far.ID, run.Waiting)
	n.stop()
	w.serve("a")
	receive(t, "the time after a restart", woke)
	w.ended(w.until(far.ID, run.Done))
}

// shared has a program ask for more than a lane holds: somebody else's run begins at once, and all of the program's end.
func shared(t *testing.T, w *world) {
	w.lanes = run.Lanes{run.UserLane: 4}
	called, release := make(chan run.ID, 16), make(chan struct{})
	w.handlers["slow"] = func(_ context.Context, s *run.Segment) (run.Outcome, error) {
		called <- s.Run.ID
		<-release
		return run.Outcome{State: run.Done}, nil
	}
	w.handlers["chat"] = done
	n := w.serve("a")
	var specs []run.Spec
	for i := range 8 {
		s := spec("slow", fmt.Sprintf("thr_loud_%d", i))
		s.By.Key = "key_loud"
		specs = append(specs, s)
	}
	w.start(n, specs...)
	for range run.ShareOfLane(4) {
		receive(t, "a run of the program", called)
	}
	for i := range 3 {
		quiet := spec("chat", fmt.Sprintf("thr_quiet_%d", i))
		w.start(n, quiet)
		w.ended(w.until(quiet.ID, run.Done))
	}
	if len(called) > 0 {
		t.Error("a program has more of a lane than its share")
	}
	close(release)
	for _, s := range specs {
		w.ended(w.until(s.ID, run.Done))
	}
}
