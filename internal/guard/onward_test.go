package guard_test

import (
	"strings"
	"testing"

	"chela/internal/guard"
	"chela/internal/org"
	"chela/internal/tool"
)

// TestOnward: rules about hosts hold also for what a page leads to and loads.
func TestOnward(t *testing.T) {
	t.Parallel()
	const rules = `version: 1
rules:
  - {name: partner, answer: allow, hosts: ["*.partner.example"], agents: [coder]}
  - {name: ads, answer: deny, hosts: [ads.example, "*.ads.example"]}
  - {name: billing, answer: ask, hosts: [billing.example, pay.example]}
  - {name: reads, answer: deny, tools: [http_get]}
`
	closed := rules + "  - {name: nothing else, answer: deny, tools: [\"browser_*\"]}\n"
	asked := rules + "  - {name: all pages, answer: ask, tools: [\"browser_*\"]}\n"
	for _, c := range []struct {
		rules, page, to string
		want            guard.Verdict
		says            string
	}{
		{"version: 1\n", "a.example", "b.example", guard.Allow, ""},
		{rules, "a.example", "b.example", guard.Allow, ""},
		{rules, "a.example", "ads.example", guard.Deny, `"ads" denies ads.example`},
		{rules, "a.example", "x.ads.example", guard.Deny, "ads"},
		{rules, "a.example", "xads.example", guard.Allow, ""},
		{rules, "a.example", "billing.example", guard.Deny, `"billing" has a person asked about billing.example`},
		{rules, "billing.example", "billing.example", guard.Allow, ""},
		{rules, "billing.example", "pay.example", guard.Deny, "billing"},
		{closed, "www.partner.example", "cdn.partner.example", guard.Allow, ""},
		{closed, "www.partner.example", "b.example", guard.Deny, "nothing else"},
		{asked, "a.example", "b.example", guard.Allow, ""},
		{asked, "a.example", "ads.example", guard.Deny, "ads"},
		{asked, "www.partner.example", "b.example", guard.Deny, "all pages"},
		{rules, "a.example", "", guard.Deny, "names no host"},
	} {
		p, err := guard.ParsePolicy([]byte(c.rules))
		if err != nil {
			t.Fatal(err)
		}
		r := guard.Request{Tool: tool.Spec{Name: "browser_navigate", Risk: tool.NetworkCalls}, Act: tool.Act{URL: "https://" + c.page + "/"}, Policy: p, Project: "prj_1"}
		r.Agent.Card.AgentID, r.Who.Role = "agent:coder", org.Editor
		if d := guard.Onward(r, "https://"+c.to+"/x"); d.Verdict != c.want || !strings.Contains(d.Text, c.says) {
			t.Errorf("%s to %s: %+v, want %s %q", c.page, c.to, d, c.want, c.says)
		}
	}
	p, err := guard.ParsePolicy([]byte(closed))
	if err != nil {
		t.Fatal(err)
	}
	r := guard.Request{Tool: tool.Spec{Name: "browser_navigate", Risk: tool.NetworkCalls}, Act: tool.Act{URL: "https://www.partner.example/"}, Policy: p}
	r.Agent.Card.AgentID = "agent:pm"
	if d := guard.Onward(r, "https://cdn.partner.example/"); d.Verdict != guard.Deny {
		t.Errorf("another agent's rule: %+v", d)
	}
}
