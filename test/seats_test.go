package test

import (
	"fmt"
	"sync"
	"testing"
)

// TestWhoWaitsGetsItsAnswer: an agent has one task in hand at a time, and everybody who
// speaks to it at once and waits gets an answer.
func TestWhoWaitsGetsItsAnswer(t *testing.T) {
	databases(t, func(t *testing.T, s setup) {
		w := newWorld(t, func(request) any { return text("Done.") })
		s.env = w.env()
		d, ok := s.start(t)
		if !ok {
			t.Fatal("it did not start")
		}
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
