package guard_test

import (
	"strings"
	"testing"

	"chela/internal/event"
	"chela/internal/guard"
	"chela/internal/org"
	"chela/internal/tool"
)

func TestDecide(t *testing.T) {
	agent := func(change func(*org.Agent)) org.Agent {
		a := org.Agent{Card: org.Card{AgentID: "agent:pm", Security: org.Security{Network: "egress-allowed"}}}
		a.Enabled, a.Tools, a.Permissions = true, []string{"look"}, org.Permissions{Records: true, Network: true}
		if change != nil {
			change(&a)
		}
		return a
	}
	spec := func(r tool.Risk) tool.Spec { return tool.Spec{Name: "look", Risk: r, Role: org.Editor} }
	for name, c := range map[string]struct {
		request guard.Request
		rule    string
		allowed bool
	}{
		"reading":             {guard.Request{Tool: spec(tool.ReadOnly), Agent: agent(nil), Role: org.Editor}, "read-only", true},
		"writing records":     {guard.Request{Tool: spec(tool.WriteRecords), Agent: agent(nil), Role: org.Owner}, "records-by-role", true},
		"the network":         {guard.Request{Tool: spec(tool.NetworkCalls), Agent: agent(nil), Role: org.Editor}, "network-of-card", true},
		"nobody":              {guard.Request{Tool: spec(tool.ReadOnly), Role: org.Owner}, "no-identity", false},
		"disabled":            {guard.Request{Tool: spec(tool.ReadOnly), Agent: agent(func(a *org.Agent) { a.Enabled = false }), Role: org.Owner}, "agent-disabled", false},
		"not its tool":        {guard.Request{Tool: spec(tool.ReadOnly), Agent: agent(func(a *org.Agent) { a.Tools = []string{"other"} }), Role: org.Owner}, "not-in-tools", false},
		"the message forbids": {guard.Request{Tool: spec(tool.ReadOnly), Agent: agent(nil), Role: org.Owner, Policy: &event.Policy{ToolAllowlist: []string{"other"}}}, "message-policy", false},
		"the message allows":  {guard.Request{Tool: spec(tool.ReadOnly), Agent: agent(nil), Role: org.Owner, Policy: &event.Policy{ToolAllowlist: []string{"look"}}}, "read-only", true},
		"a viewer":            {guard.Request{Tool: spec(tool.ReadOnly), Agent: agent(nil), Role: org.Viewer}, "role", false},
		"for nobody":          {guard.Request{Tool: spec(tool.ReadOnly), Agent: agent(nil)}, "role", false},
		"records not its":     {guard.Request{Tool: spec(tool.WriteRecords), Agent: agent(func(a *org.Agent) { a.Permissions.Records = false }), Role: org.Owner}, "records", false},
		"a card without net":  {guard.Request{Tool: spec(tool.NetworkCalls), Agent: agent(func(a *org.Agent) { a.Card.Security.Network = "none" }), Role: org.Owner}, "network", false},
		"network not its":     {guard.Request{Tool: spec(tool.NetworkCalls), Agent: agent(func(a *org.Agent) { a.Permissions.Network = false }), Role: org.Owner}, "network", false},
		"files":               {guard.Request{Tool: spec(tool.WriteFiles), Agent: agent(nil), Role: org.Owner}, "risk", false},
		"a shell":             {guard.Request{Tool: spec(tool.ExecShell), Agent: agent(nil), Role: org.Owner}, "risk", false},
		"a risk nobody knows": {guard.Request{Tool: spec("MAGIC"), Agent: agent(nil), Role: org.Owner}, "unknown-risk", false},
		"nothing at all":      {guard.Request{}, "no-identity", false},
	} {
		t.Run(name, func(t *testing.T) {
			d := guard.Decide(c.request)
			if allowed := d.Verdict == guard.Allow; allowed != c.allowed || d.Rule != c.rule {
				t.Errorf("%+v", d)
			}
			if !c.allowed && !strings.HasSuffix(d.Text, ".") {
				t.Errorf("it says %q", d.Text)
			}
		})
	}
}
