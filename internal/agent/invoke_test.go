package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/inbox"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/tool"
)

// TestInvoke_FailsWhereTheOtherSideSaysSo: a call whose result says that it failed is no success, for a model, in the log, and for who made the
// call by itself: a step of a workflow, a check of a contract, a program.
func TestInvoke_FailsWhereTheOtherSideSaysSo(t *testing.T) {
	t.Parallel()
	for name, failed := range map[string]bool{"refuse": true, "ping": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agent.Options{})
			w.join("worker", org.Specialist, "hub__"+name)
			w.offers(name)
			w.answer = func(_ context.Context, _ model.Request, n int) (model.Answer, error) {
				return []model.Answer{uses("hub__" + name + " {}"), says("Done.")}[n], nil
			}
			r, last := w.end(w.say(inbox.Message{Text: "Go", Agent: "agent:worker"}).Run)
			if r.State != run.Done {
				t.Fatalf("the run is %s", r.State)
			}
			if got := slices.Contains(last.Origins, "hub.example"); got != failed {
				t.Errorf("what the agent says then has the origins %v", last.Origins)
			}
			if got := w.results(); len(got) != 1 || got[0].IsError != failed {
				t.Errorf("the model is told %+v", got)
			}
			events, _, err := w.db.Log.Events(t.Context(), 0, event.Filter{Type: tool.ResultKind.Name, Limit: 2})
			if err != nil || len(events) != 1 {
				t.Fatal(len(events), err)
			}
			if p, _, err := tool.ResultKind.Open(events[0].Event); err != nil || p.Success == failed {
				t.Errorf("the log has %+v %v", p, err)
			}

			id := run.ID(w.db.Mint().ID("run"))
			spec := run.Spec{ID: id, Thread: w.db.Mint().ID("thr"), Lane: run.UserLane, Agent: "agent:worker", By: ann}
			if err := w.runs.Write(t.Context(), func(b *run.Batch) error {
				return agent.StartInvocation(b, spec, "", agent.Invocation{Tool: "hub__" + name, Args: json.RawMessage(`{}`)})
			}); err != nil {
				t.Fatal(err)
			}
			settled, stop := w.db.Runs.Settled(id)
			defer stop()
			r, err = w.db.Runs.Run(t.Context(), id)
			for ; err == nil && !r.State.Final(); r, err = w.db.Runs.Run(t.Context(), id) {
				<-settled
			}
			if err != nil || (r.State == run.Failed) != failed || failed && r.Reason != "answer of "+name {
				t.Errorf("the call is %s: %q %v", r.State, r.Reason, err)
			}
		})
	}
}
