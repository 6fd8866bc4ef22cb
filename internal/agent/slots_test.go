package agent_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
)

// TestSlots_AnAgentHasNoMoreInHandThanItsCardSays speaks to one agent in several conversations at
// once; the others wait and go on as one ends.
func TestSlots_AnAgentHasNoMoreInHandThanItsCardSays(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]int{"one at a time": 1, "the twin": 10} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, agent.Options{})
			card := org.Card{V: event.Version, AgentID: "agent:pm", Limits: org.Limits{MaxConcurrency: limit}, Security: org.Security{Network: "none"}}
			if _, err := w.db.Log.Append(t.Context(), org.UpdateKind.Draft(w.place(), org.Update{AgentID: "agent:pm", Card: &card})); err != nil {
				t.Fatal(err)
			}
			const n = 3
			var working, most atomic.Int32
			all, release := make(chan struct{}, n), make(chan struct{})
			w.answer = func(context.Context, model.Request, int) (model.Answer, error) {
				now := working.Add(1)
				defer working.Add(-1)
				for m := most.Load(); now > m && !most.CompareAndSwap(m, now); m = most.Load() {
				}
				all <- struct{}{}
				<-release
				return says("Here it is."), nil
			}
			ids := make([]string, n)
			for i := range ids {
				ids[i] = w.say(inbox.Message{Text: "Give it", Agent: "agent:pm"}).Run
			}
			for range min(limit, n) {
				<-all
			}
			if limit == 1 {
				w.until(func() bool { return w.inState(ids, run.Waiting) == n-1 })
			}
			close(release)
			w.until(func() bool { return w.inState(ids, run.Done) == n })
			if int(most.Load()) != min(limit, n) {
				t.Errorf("%d at once", most.Load())
			}
		})
	}
}

// inState counts the runs in a state.
func (w *world) inState(ids []string, s run.State) (n int) {
	w.t.Helper()
	for _, id := range ids {
		r, err := w.db.Runs.Run(w.t.Context(), run.ID(id))
		if err != nil {
			w.t.Fatal(err)
		}
		if r.State == s {
			n++
		}
	}
	return n
}

// until looks again whenever the log has grown.
func (w *world) until(ok func() bool) {
	w.t.Helper()
	grown, stop := w.db.Subscribe(event.LogGrew)
	defer stop()
	late := time.After(30 * time.Second)
	for !ok() {
		select {
		case <-grown:
		case <-late:
			w.t.Fatal("it did not happen within 30 seconds")
		}
	}
}
