package agent_test

import (
	"strings"
	"testing"

	"chela/internal/agent"
	"chela/internal/org"
	"chela/internal/run"
)

// TestDispatched_AnAgentIsDispatched: what was recorded elsewhere and begun by nobody begins here, as a child does.
func TestDispatched_AnAgentIsDispatched(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent.Options{})
	w.join("helper", org.Specialist)
	w.played([]string{`dispatch_agent {"agentId":"helper","sourceType":"MEETING_NOTES","summary":"one","priority":5}`, `agent_wait {}`}, map[string][]string{"one": {`look {"what":"a"}`}})
	r, last := w.tell("Hand it on")
	if r.State != run.Done || !strings.Contains(last.Message, "child-1 (helper) is done") || !strings.Contains(last.Message, `All: "got a"`) {
		t.Errorf("%s: %q", r.State, last.Message)
	}
	if one := w.tasks(r.ID)["one"]; one.State != run.TaskDone || one.Parent != run.RootTask(r.ID) || one.Agent != "agent:helper" {
		t.Errorf("%+v", w.tasks(r.ID))
	}
	for args, want := range map[string]string{
		`{"agentId":"helper","sourceType":"MEETING_NOTES","summary":"one","projectId":"prj_other"}`: "project of the conversation",
		`{"agentId":"helper","sourceType":"MEETING_NOTES","summary":"one","priority":9}`:            "1 to 5",
		`{"agentId":"helper","sourceType":"MEETING_NOTES","summary":" "}`:                           "summary: The field is required",
	} {
		w.played([]string{`dispatch_agent ` + args}, nil)
		if r, last := w.tell("Hand it on"); r.State != run.Done || !strings.Contains(last.Message, want) || len(w.tasks(r.ID)) != 1 {
			t.Errorf("%s: %q", args, last.Message)
		}
	}
}
