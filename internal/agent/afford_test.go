package agent_test

import (
	"context"
	"strings"
	"testing"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/budget"
	"chela/internal/event"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/run"
)

// limits are those of a store that says when a run begins to wait for room.
type limits struct {
	budget.Store
	waits chan struct{}
}

// Subscribe implements [event.Notifier].
func (l limits) Subscribe(t event.Topic) (<-chan struct{}, func()) {
	select {
	case l.waits <- struct{}{}:
	default: // nobody looks
	}
	return l.Store.Subscribe(t)
}

// bound sets the budget of the organization for today to so many calls.
func (w *world) bound(calls int64) {
	w.t.Helper()
	limit := budget.Limit{Scope: budget.Organization, Per: budget.Day, Bound: budget.Bound{Calls: &calls}}
	if err := budget.Change(w.t.Context(), w.db.Questions, w.runs, limit.ID(), run.Chela(), budget.SetKind.Draft(w.place(), limit)); err != nil {
		w.t.Fatal(err)
	}
}

// TestRoom_SeesABudgetThatChanges has a run wait for room that the call of another run holds, while
// its budget is changed: raised, it goes on; lowered to what no end of that call gives, it asks.
func TestRoom_SeesABudgetThatChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		calls int64
		state run.State
	}{"raised": {2, run.Done}, "lowered": {0, run.Waiting}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agent.Options{})
			w.answer = func(context.Context, model.Request, int) (model.Answer, error) { return says("Done."), nil }
			w.bound(1)
			all, err := w.db.Budgets.LimitsNow(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, short, err := w.db.Budgets.ReserveCalls(t.Context(), all, budget.Calls{Run: "run_other", Each: []budget.Call{{Step: "m0"}}}); short != nil || err != nil {
				t.Fatal(short, err)
			}
			out := w.say(inbox.Message{Text: "Look", Agent: "agent:pm"})
			<-w.limits.waits
			w.bound(c.calls)
			if r, _ := w.end(out.Run); r.State != c.state {
				t.Errorf("the run is %s, want %s", r.State, c.state)
			}
			asked, err := w.db.Questions.Approvals(t.Context(), approval.Pending, 10)
			if err != nil || (len(asked) == 1) != (c.state == run.Waiting) {
				t.Fatalf("%+v %v", asked, err)
			}
			if len(asked) == 1 && !strings.Contains(asked[0].Question, "0 calls of 0 calls are used") {
				t.Errorf("it asks %q", asked[0].Question)
			}
		})
	}
}
