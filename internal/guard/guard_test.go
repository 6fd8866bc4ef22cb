package guard_test

import (
	"strings"
	"testing"

	"chela/internal/event"
	"chela/internal/guard"
	"chela/internal/org"
	"chela/internal/tool"
)

// asks is a request that is allowed: a cautious agent reads for a viewer.
func asks() guard.Request {
	r := guard.Request{
		Tool: tool.Spec{Name: "read_tickets", Help: "Reads.", Risk: tool.ReadOnly, Role: org.Viewer},
		Who:  guard.Caller{Role: org.Viewer, Via: guard.ByPerson},
	}
	r.Agent.Card.AgentID, r.Agent.Enabled, r.Agent.Tools = "agent:pm", true, []string{"read_tickets"}
	return r
}

// writes is a request that is allowed: an agent that may changes records for an editor.
func writes() guard.Request {
	r := asks()
	r.Tool = tool.Spec{Name: "create_ticket", Help: "Creates.", Risk: tool.WriteRecords, Role: org.Editor}
	r.Who.Role, r.Agent.Tools, r.Agent.Permissions = org.Editor, []string{"create_ticket"}, org.PermissionsOf(org.Records)
	return r
}

// calls is a request that is allowed: an agent with a wide card uses the network.
func calls() guard.Request {
	r := asks()
	r.Tool.Risk, r.Agent.Card.Security.Network, r.Agent.Permissions = tool.NetworkCalls, "egress-allowed", org.PermissionsOf(org.Network)
	return r
}

// TestGuard_OneThingAmissIsRefused takes one thing away from a request that is allowed. A
// case without a sentence stays allowed.
func TestGuard_OneThingAmissIsRefused(t *testing.T) {
	t.Parallel()
	policy := func(p event.Policy) func(*guard.Request) { return func(r *guard.Request) { r.Message = &p } }
	own := func(names ...string) func(*guard.Request) { return func(r *guard.Request) { r.Agent.Tools = names } }
	role := func(role org.Role) func(*guard.Request) { return func(r *guard.Request) { r.Who.Role = role } }
	card := func(s org.Security) func(*guard.Request) { return func(r *guard.Request) { r.Agent.Card.Security = s } }
	may := func(p org.Permissions) func(*guard.Request) {
		return func(r *guard.Request) { r.Agent.Permissions = p }
	}
	risk := func(k tool.Risk) func(*guard.Request) {
		return func(r *guard.Request) {
			r.Tool.Risk, r.Who.Role, r.Agent.Permissions = k, org.Owner, org.Permissions{org.Records: true, org.Files: true, org.Shell: true, org.Network: true}
		}
	}
	for name, c := range map[string]struct {
		from   func() guard.Request
		change func(*guard.Request)
		rule   string
		says   string
	}{
		"reading":                    {asks, role(org.Viewer), "read-only", ""},
		"reading as an owner":        {asks, role(org.Owner), "read-only", ""},
		"every tool":                 {asks, own("*"), "read-only", ""},
		"a card that allows it":      {asks, card(org.Security{ToolAllowlist: []string{"read_tickets"}}), "read-only", ""},
		"a policy that allows it":    {asks, policy(event.Policy{ToolAllowlist: []string{"x", "read_tickets"}}), "read-only", ""},
		"a policy without a list":    {asks, policy(event.Policy{Sandbox: true, Network: "none"}), "read-only", ""},
		"writing as an admin":        {writes, role(org.Admin), "records-by-role", ""},
		"calling, policy is wide":    {calls, policy(event.Policy{Network: "egress-allowed"}), "network-of-card", ""},
		"calling, policy is silent":  {calls, policy(event.Policy{}), "network-of-card", ""},
		"writing as an owner":        {writes, role(org.Owner), "records-by-role", ""},
		"nobody":                     {asks, func(r *guard.Request) { r.Agent.Card.AgentID = "" }, "no-identity", "without an agent"},
		"nothing at all":             {asks, func(r *guard.Request) { *r = guard.Request{} }, "no-identity", "without an agent"},
		"a disabled agent":           {asks, func(r *guard.Request) { r.Agent.Enabled = false }, "agent-disabled", "agent:pm is disabled"},
		"not in its list":            {asks, own("read_threads"), "not-in-tools", "agent:pm may not use read_tickets; an admin"},
		"no list":                    {asks, own(), "not-in-tools", "may not use read_tickets"},
		"part of a name":             {asks, own("read_*", "read_tickets_"), "not-in-tools", "may not use read_tickets"},
		"denied by the card":         {asks, card(org.Security{ToolDenylist: []string{"read_tickets"}}), "not-in-tools", "which its card bars. An owner"},
		"not in the card's list":     {asks, card(org.Security{ToolAllowlist: []string{"x"}}), "not-in-tools", "which its card bars. An owner"},
		"not in the message's list":  {asks, policy(event.Policy{ToolAllowlist: []string{"x"}}), "message-policy", "does not allow read_tickets"},
		"* is no name in a policy":   {asks, policy(event.Policy{ToolAllowlist: []string{"*"}}), "message-policy", "does not allow read_tickets"},
		"no role":                    {asks, role(""), "role", "read_tickets needs the role viewer; it acts for nobody who has a role. A person who has it has to ask for it."},
		"a disabled person":          {asks, func(r *guard.Request) { r.Who = guard.Caller{Barred: "Ann is disabled; an admin can enable them."} }, "role", "read_tickets was not called: Ann is disabled; an admin can enable them."},
		"an unknown role":            {asks, role("root"), "role", "with the role root"},
		"a tool of an unknown role":  {asks, func(r *guard.Request) { r.Who.Role, r.Tool.Role = org.Owner, "root" }, "role", "needs the role root"},
		"a key of another project":   {writes, func(r *guard.Request) { r.Who.Bound, r.Tool.Common = true, true }, "key-project", "whole organization's"},
		"writing as a viewer":        {writes, role(org.Viewer), "role", "create_ticket needs the role editor; it acts for a person with the role viewer"},
		"writing unpermitted":        {writes, may(org.Permissions{}), "records", "agent:pm may not change records; an admin"},
		"writing, other permissions": {writes, may(org.Permissions{org.Files: true, org.Shell: true, org.Git: true, org.Browser: true, org.Network: true}), "records", "may not change records"},
		"calling, no network":        {calls, card(org.Security{Network: "none"}), "network", "in org.yaml"},
		"calling, restricted":        {calls, card(org.Security{Network: "egress-restricted"}), "network", "does not allow"},
		"calling, card is silent":    {calls, card(org.Security{}), "network", "does not allow"},
		"calling unpermitted":        {calls, may(org.Permissions{org.Records: true, org.Files: true, org.Shell: true, org.Git: true, org.Browser: true}), "network", "agent:pm"},
		"calling, policy forbids":    {calls, policy(event.Policy{Network: "none"}), "message-policy", "does not allow read_tickets to call the network"},
		"calling, policy restricts":  {calls, policy(event.Policy{Network: "egress-restricted"}), "message-policy", "to call the network"},
		"calling, policy unreadable": {calls, policy(event.Policy{Network: "some"}), "message-policy", "to call the network"},
		"no risk":                    {asks, risk(""), "unknown-risk", "a risk that is not known"},
		"an unknown risk":            {asks, risk("HARMLESS"), "unknown-risk", "a risk that is not known"},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.from()
			if d := guard.Decide(r); d.Verdict != guard.Allow || d.Text != "" {
				t.Fatalf("unchanged it is %+v", d)
			}
			c.change(&r)
			d := guard.Decide(r)
			if (d.Verdict == guard.Deny) != (c.says != "") || d.Rule != c.rule {
				t.Errorf("%+v, want the rule %s", d, c.rule)
			}
			if !strings.Contains(d.Text, c.says) || (c.says != "") != strings.HasSuffix(d.Text, ".") {
				t.Errorf("it says %q", d.Text)
			}
		})
	}
}

// TestGuard_PartsArePermittedOneByOne: what a list says of one operation of a tool holds for that
// operation and no other, in the agent's lists, a message's and the policy's.
func TestGuard_PartsArePermittedOneByOne(t *testing.T) {
	t.Parallel()
	rules := func(yaml string) func(*guard.Request) {
		p, err := guard.ParsePolicy([]byte("version: 1\n" + yaml))
		if err != nil {
			t.Fatal(err)
		}
		return func(r *guard.Request) { r.Policy = p }
	}
	own := func(names ...string) func(*guard.Request) { return func(r *guard.Request) { r.Agent.Tools = names } }
	for name, c := range map[string]struct {
		change        func(*guard.Request)
		recall, store string // the rules
	}{
		"the whole":                {func(*guard.Request) {}, "read-only", "asks"},
		"a reader's list":          {own("memory_recall"), "read-only", "not-in-tools"},
		"a writer's list":          {own("memory_store"), "not-in-tools", "asks"},
		"both names":               {own("memory_recall", "memory_store"), "read-only", "asks"},
		"no permission":            {func(r *guard.Request) { r.Agent.Permissions = org.Permissions{} }, "read-only", "records"},
		"a viewer":                 {func(r *guard.Request) { r.Who.Role = org.Viewer }, "read-only", "role"},
		"a pipeline":               {func(r *guard.Request) { r.Who.Via = guard.ByWorkflow }, "read-only", "records-by-role"},
		"a message's list":         {func(r *guard.Request) { r.Message = &event.Policy{ToolAllowlist: []string{"memory_recall"}} }, "read-only", "message-policy"},
		"a card's deny-list":       {func(r *guard.Request) { r.Agent.Card.Security.ToolDenylist = []string{"memory_store"} }, "read-only", "not-in-tools"},
		"a rule about one":         {rules(`rules: [{name: x, answer: deny, tools: [memory_store]}]`), "read-only", "policy: x"},
		"a rule that allows one":   {rules(`rules: [{name: x, answer: allow, tools: [memory_store]}]`), "read-only", "policy: x"},
		"a rule about all":         {rules(`rules: [{name: x, answer: deny, tools: [memory]}]`), "policy: x", "policy: x"},
		"a rule about what begins": {rules(`rules: [{name: x, answer: deny, tools: ["memory_*"]}]`), "policy: x", "policy: x"},
		"a rule about a risk":      {rules(`rules: [{name: x, answer: deny, tools: [memory], risks: [WRITE_RECORDS]}]`), "read-only", "policy: x"},
	} {
		for part, want := range map[string]string{"memory_recall": c.recall, "memory_store": c.store} {
			r := writes()
			r.Agent.Tools, r.Act = []string{"memory"}, tool.Act{Part: part}
			r.Tool = tool.Spec{Name: "memory", Help: "Keeps.", Risk: tool.WriteRecords, Role: org.Editor, Asks: "It is believed.", Parts: []tool.Part{
				{Name: "memory_recall", Risk: tool.ReadOnly, Role: org.Viewer}, {Name: "memory_store", Risk: tool.WriteRecords, Role: org.Editor},
			}}
			c.change(&r)
			if d := guard.Decide(r); d.Rule != want {
				t.Errorf("%s, %s: %+v, want the rule %s", name, part, d, want)
			}
		}
	}
}

// TestCaller_Lower: whoever else a call is made for takes rights away, and gives none.
func TestCaller_Lower(t *testing.T) {
	t.Parallel()
	gone := guard.Caller{Barred: "Ann is disabled."}
	for name, c := range map[string]struct{ from, to, want guard.Caller }{
		"to less":             {guard.Caller{Role: org.Admin}, guard.Caller{Role: org.Viewer}, guard.Caller{Role: org.Viewer}},
		"to more":             {guard.Caller{Role: org.Viewer}, guard.Caller{Role: org.Admin}, guard.Caller{Role: org.Viewer}},
		"to nobody":           {guard.Caller{Role: org.Viewer}, gone, gone},
		"from nobody":         {gone, guard.Caller{Role: org.Owner}, gone},
		"from nobody to such": {gone, guard.Caller{Barred: "Bob is disabled."}, gone},
	} {
		if c.from.Lower(c.to); c.from != c.want {
			t.Errorf("%s: %+v, want %+v", name, c.from, c.want)
		}
	}
}

// TestGuard_APartIsOffered: who may only recall is shown the tool without the permission to write.
func TestGuard_APartIsOffered(t *testing.T) {
	t.Parallel()
	memory := tool.Spec{Name: "memory", Risk: tool.WriteRecords, Role: org.Editor, Parts: []tool.Part{
		{Name: "memory_recall", Risk: tool.ReadOnly, Role: org.Viewer}, {Name: "memory_store", Risk: tool.WriteRecords, Role: org.Editor},
	}}
	for list, want := range map[string]bool{"memory": true, "memory_recall": true, "memory_store": false, "read_tickets": false} {
		if got := guard.Offered(org.Agent{Profile: org.Profile{Tools: []string{list}}}, memory); got != want {
			t.Errorf("%s: %v", list, got)
		}
	}
}

// TestGuard_EveryRiskHasARule keeps a new risk from being forgotten.
func TestGuard_EveryRiskHasARule(t *testing.T) {
	t.Parallel()
	for _, risk := range tool.Risks() {
		r := asks()
		r.Tool.Risk = risk
		if d := guard.Decide(r); d.Rule == "unknown-risk" {
			t.Errorf("%s: %+v", risk, d)
		}
	}
}
