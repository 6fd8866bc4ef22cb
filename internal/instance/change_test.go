package instance_test

import (
	"encoding/json"
	"testing"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/instance"
	"chela/internal/model"
	"chela/internal/run"
)

// drawn makes the event of a draft.
func drawn(t *testing.T, d event.Draft) event.Event {
	t.Helper()
	m := d.Message
	if m.Payload == nil {
		t.Fatalf("%s has no payload", m.Type)
	}
	return event.Event{Seq: 7, Message: m}
}

func TestChanged_SaysOfWhichStep(t *testing.T) {
	t.Parallel()
	at := event.Place{Stream: "thread:t", Thread: "t", Run: "run_1", From: run.Chela()}
	answered := agent.AnsweredKind.Draft(at, agent.Answered{Agent: "agent:pm", Answer: model.Answer{CostUSD: 0.5, Usage: model.Usage{InputTokens: 10, OutputTokens: 2}}})
	for name, c := range map[string]struct {
		draft event.Draft
		want  instance.Change
	}{
		"a step":              {instance.StepKind.Draft(at, instance.Step{Path: "each[2].write", Kind: "agent", State: instance.Retrying, Attempt: 2, Error: "It broke off."}), instance.Change{Path: "each[2].write", State: "retrying", Kind: "agent", Attempt: 2, Says: "It broke off."}},
		"a wait for an event": {instance.StepKind.Draft(at, instance.Step{Path: "hear", Kind: "wait", State: instance.Waiting, Event: "desk.ticket.created", Reason: "wait/hear#1"}), instance.Change{Path: "hear", State: "waiting", Kind: "wait", Says: "It waits for an event of the type desk.ticket.created."}},
		"a review":            {instance.ReviewedKind.Draft(at, instance.Reviewed{Path: "write", To: "rework", Reason: "Too short."}), instance.Change{Path: "write", Review: "rework", Says: "Too short."}},
		"an answer":           {run.AsStep(answered, "each[2]#1~1.write#2~1!reviewer/m3", true), instance.Change{Path: "each[2]#1~1.write", CostUSD: 0.5, Tokens: 12}},
		"the end":             {run.FinishedKind.Draft(at, run.Finished{State: run.Failed, Reason: "The step write failed."}), instance.Change{State: "failed", Says: "The step write failed."}},
	} {
		c.want.Seq = 7
		got, ok, err := instance.Changed(drawn(t, c.draft))
		a, _ := json.Marshal(got)    //nolint:errchkjson // plain data
		b, _ := json.Marshal(c.want) //nolint:errchkjson // plain data
		if err != nil || !ok || string(a) != string(b) {
			t.Errorf("%s: got %s %v %v, want %s", name, a, ok, err, b)
		}
	}
	if got, ok, err := instance.Changed(drawn(t, run.AcceptKind.Draft(at, run.TaskAccept{}))); ok || err != nil {
		t.Errorf("an event that no canvas shows changes %+v, %v", got, err)
	}
}
