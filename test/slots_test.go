package test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSlots_WhoWaitsGetsItsAnswer: an agent has one task in hand at a time, and everybody who
// speaks to it at once and waits gets an answer.
func TestSlots_WhoWaitsGetsItsAnswer(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, func(request) any { return text("Done.") })
		s.env = w.env()
		d := s.running(t)
		d.must(t, "PATCH", "/api/agents/pm", rawJSON(`{"card":{"limits":{"max_concurrency":1}}}`), nil)
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				var out chatAnswer
				err := d.try("POST", "/api/chat", map[string]any{"agent": "pm", "text": fmt.Sprintf("hello %d", i), "wait": true}, &out)
				if err != nil || out.State != "done" || out.Reply != "Done." {
					t.Errorf("%d: %+v %v", i, out, err)
				}
			})
		}
		all.Wait()
		d.stop()
		s.verified(t)
	})
}

// TestSlots_TwoNodesRespectACard speaks to an agent that takes two tasks at once, at two daemons.
// The one that works one of them dies; the other goes on with what it had in hand, and never
// do more than two work.
func TestSlots_TwoNodesRespectACard(t *testing.T) {
	t.Parallel()
	thinking, release := make(chan struct{}, 100), make(chan struct{})
	var working, most atomic.Int32
	w := newWorld(t, func(r request) any {
		now := working.Add(1)
		defer working.Add(-1)
		for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
		}
		thinking <- struct{}{}
		select {
		case <-release:
		case <-r.gone:
		}
		return text("Done.")
	})
	_, sb, a, b := pair(t, w.env())
	a.must(t, http.MethodPatch, "/api/agents/pm", rawJSON(`{"card":{"limits":{"max_concurrency":2}}}`), nil)
	knows := time.NewTimer(1100 * time.Millisecond) // what the other node keeps of agents is that old at most
	<-knows.C
	runs := make([]string, 8)
	var both sync.WaitGroup
	for i := range runs {
		both.Go(func() {
			var out chatAnswer
			if err := []*daemon{a, b}[i%2].try(http.MethodPost, "/api/chat", map[string]any{"agent": "pm", "text": fmt.Sprintf("hello %d", i)}, &out); err != nil {
				t.Error(err)
			}
			runs[i] = out.Run
		})
	}
	both.Wait()
	count := func(state string) (n int) {
		for _, r := range runs {
			if stateOf(t, b, r) == state {
				n++
			}
		}
		return n
	}
	<-thinking
	<-thinking
	until(t, "all others to wait", func() bool { return count("waiting") == len(runs)-2 && count("running") == 2 })
	if len(thinking) != 0 {
		t.Errorf("%d more ask the model", len(thinking))
	}
	a.kill()
	close(release)
	until(t, "the end of all", func() bool { return count("done") == len(runs) })
	b.stop()
	sb.verified(t)
	if most.Load() != 2 {
		t.Errorf("%d runs at once asked the model, want 2", most.Load())
	}
}
