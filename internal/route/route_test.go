package route_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"chela/internal/event"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/route"
)

// worker is an agent that is ready to work.
func worker(name string, change ...func(*route.Candidate)) route.Candidate {
	c := route.Candidate{
		Agent: org.Agent{
			Card: org.Card{
				V: event.Version, AgentID: org.AgentID("agent:" + name), Display: org.Display{Name: name},
				Capabilities: []org.Capability{{ID: "skill:" + name, Tags: []string{"tag-" + name}, Tools: []string{"tool-" + name}}},
				Limits:       org.Limits{MaxConcurrency: 10}, Security: org.Security{Sandbox: true, Network: "none"},
			},
			Profile: org.Profile{Kind: org.Specialist, Prompt: "p", Tools: []string{"tool-" + name, "read"}, Enabled: true},
		},
		Status: org.Online,
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

func TestRoute_HardFilters(t *testing.T) {
	t.Parallel()
	policy := func(p event.Policy) route.Request { return route.Request{Policy: &p} }
	for name, c := range map[string]struct {
		request route.Request
		change  func(*route.Candidate)
		why     string // "" when it is taken
	}{
		"fits":                 {route.Request{}, nil, ""},
		"disabled":             {route.Request{}, func(c *route.Candidate) { c.Agent.Enabled = false }, "is disabled"},
		"offline":              {route.Request{}, func(c *route.Candidate) { c.Status = org.Offline }, "is not online: offline"},
		"busy":                 {route.Request{}, func(c *route.Candidate) { c.Status = org.Busy }, "is not online: busy"},
		"degraded":             {route.Request{}, func(c *route.Candidate) { c.Status = org.Degraded }, "is not online: degraded"},
		"no status":            {route.Request{}, func(c *route.Candidate) { c.Status = "" }, "is not online: unknown"},
		"controller":           {route.Request{}, func(c *route.Candidate) { c.Agent.Kind = org.Controller }, "is not a specialist"},
		"named checker":        {route.Request{Named: "agent:a"}, func(c *route.Candidate) { c.Agent.Kind = org.Checker }, "is not a specialist"},
		"named":                {route.Request{Named: "agent:a"}, nil, ""},
		"another is named":     {route.Request{Named: "agent:b"}, nil, "another agent was asked for by name"},
		"excluded":             {route.Request{Exclude: []org.AgentID{"agent:a"}}, nil, "is excluded from this request"},
		"full":                 {route.Request{}, func(c *route.Candidate) { c.Load = 10 }, "is at its limit of 10 tasks"},
		"nearly full":          {route.Request{}, func(c *route.Candidate) { c.Load = 9 }, ""},
		"sandbox wanted":       {policy(event.Policy{Sandbox: true}), func(c *route.Candidate) { c.Agent.Card.Security.Sandbox = false }, "is not sandboxed, which the policy asks for"},
		"sandbox had":          {policy(event.Policy{Sandbox: true}), nil, ""},
		"network forbidden":    {policy(event.Policy{Network: "none"}), func(c *route.Candidate) { c.Agent.Card.Security.Network = "egress-allowed" }, "reaches further than the policy's network none"},
		"network restricted":   {policy(event.Policy{Network: "egress-restricted"}), func(c *route.Candidate) { c.Agent.Card.Security.Network = "egress-restricted" }, ""},
		"network too wide":     {policy(event.Policy{Network: "egress-restricted"}), func(c *route.Candidate) { c.Agent.Card.Security.Network = "egress-allowed" }, "reaches further than the policy's network egress-restricted"},
		"network of card":      {policy(event.Policy{Network: "egress-allowed"}), func(c *route.Candidate) { c.Agent.Card.Security.Network = "?" }, "reaches further than the policy's network egress-allowed"},
		"network unreadable":   {policy(event.Policy{Network: "some"}), nil, "cannot be checked against the policy's network some"},
		"tools owned":          {policy(event.Policy{ToolAllowlist: []string{"tool-a", "read"}}), nil, ""},
		"tool lacking":         {policy(event.Policy{ToolAllowlist: []string{"tool-a", "shell"}}), nil, "lacks the tool shell of the policy's list"},
		"tool denied":          {policy(event.Policy{ToolAllowlist: []string{"read"}}), func(c *route.Candidate) { c.Agent.Card.Security.ToolDenylist = []string{"read"} }, "lacks the tool read of the policy's list"},
		"all tools":            {policy(event.Policy{ToolAllowlist: []string{"shell"}}), func(c *route.Candidate) { c.Agent.Tools = []string{"*"} }, ""},
		"has all capabilities": {route.Request{Requires: []string{"skill:a"}}, nil, ""},
		"lacks one":            {route.Request{Requires: []string{"skill:a", "skill:b"}}, nil, "lacks skill:b"},
		"a tag is not enough":  {route.Request{Requires: []string{"tag-a"}}, nil, "lacks tag-a"},
	} {
		t.Run(name, func(t *testing.T) {
			a := worker("a")
			if c.change != nil {
				c.change(&a)
			}
			d, ok := route.Decide(c.request, []route.Candidate{a})
			if ok != (c.why == "") || d.Rejected["agent:a"] != c.why {
				t.Errorf("ok is %v, rejected because it %q; want %q", ok, d.Rejected["agent:a"], c.why)
			}
			if ok && (d.Selected != "agent:a" || d.Reason == "") || !ok && (d.Selected != "" || d.Reason != "No agent fits the request.") {
				t.Errorf("it selected %q: %q", d.Selected, d.Reason)
			}
		})
	}
}

func TestRoute_Scores(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		request route.Request
		change  func(*route.Candidate)
		want    float64
	}{
		"plain":                  {route.Request{}, nil, 1},
		"capability":             {route.Request{Prefers: []string{"skill:a"}}, nil, 1.1},
		"tag":                    {route.Request{Prefers: []string{"tag-a"}}, nil, 1.06},
		"tool":                   {route.Request{Prefers: []string{"read"}}, nil, 1.05},
		"tool of capability":     {route.Request{Prefers: []string{"tool-x"}}, func(c *route.Candidate) { c.Agent.Card.Capabilities[0].Tools = []string{"tool-x"} }, 1.05},
		"nothing matched":        {route.Request{Prefers: []string{"x"}}, nil, 1},
		"all together":           {route.Request{Prefers: []string{"skill:a", "tag-a", "tool-a", "x"}}, nil, 1.21},
		"said twice":             {route.Request{Prefers: []string{"skill:a", "skill:a"}}, nil, 1.1},
		"domain by skill":        {route.Request{Domain: "a"}, nil, 1.04},
		"domain by tag":          {route.Request{Domain: "tag-a"}, nil, 1.04},
		"another domain":         {route.Request{Domain: "ops"}, nil, 1},
		"half full":              {route.Request{}, func(c *route.Candidate) { c.Load = 5 }, 0.75},
		"always fails":           {route.Request{}, func(c *route.Candidate) { c.Known, c.Success = true, 0 }, 0.5},
		"not known to fail":      {route.Request{}, func(c *route.Candidate) { c.Success = 0 }, 1},
		"impossible rate":        {route.Request{}, func(c *route.Candidate) { c.Known, c.Success = true, 7 }, 1},
		"rate that is no number": {route.Request{}, func(c *route.Candidate) { c.Known, c.Success = true, math.NaN() }, 1},
		"everything":             {route.Request{Prefers: []string{"skill:a"}}, func(c *route.Candidate) { c.Load, c.Known, c.Success = 5, true, 0.5 }, 1.1 * 0.75 * 0.75},
	} {
		t.Run(name, func(t *testing.T) {
			a := worker("a")
			if c.change != nil {
				c.change(&a)
			}
			d, ok := route.Decide(c.request, []route.Candidate{a})
			if got := d.Scores["agent:a"]; !ok || math.Abs(got-c.want) > 1e-9 {
				t.Errorf("the score is %v, want %v", got, c.want)
			}
		})
	}
}

func TestRoute_TieBreakers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b route.Candidate
		want org.AgentID
		why  string
	}{
		"score": {worker("a", func(c *route.Candidate) { c.Load = 1 }), worker("b"), "agent:b", "scored 0.950, agent:b scored 1.000"},
		"load":  {worker("a", func(c *route.Candidate) { c.Load = 5 }), worker("b", func(c *route.Candidate) { c.Known, c.Success = true, 0.5 }), "agent:b", "scored 0.750 like agent:b, which has less to do"},
		"turn":  {worker("a", func(c *route.Candidate) { c.Last = 9 }), worker("b", func(c *route.Candidate) { c.Last = 3 }), "agent:b", "scored 1.000 like agent:b, whose turn it is"},
		"id":    {worker("b"), worker("a"), "agent:a", "scored 1.000 like agent:a, which comes first by id"},
		"share": {worker("a", func(c *route.Candidate) { c.Load = 10; c.Agent.Card.Limits.MaxConcurrency = 20 }), worker("b", func(c *route.Candidate) { c.Load = 5 }), "agent:a", "scored 0.750 like agent:a, which comes first by id"},
	} {
		t.Run(name, func(t *testing.T) {
			d, ok := route.Decide(route.Request{}, []route.Candidate{c.a, c.b})
			if !ok || d.Selected != c.want {
				t.Fatalf("it selected %s: %+v", d.Selected, d)
			}
			for id, why := range d.Rejected {
				if id == d.Selected || why != c.why {
					t.Errorf("%s came second because it %q, want %q", id, why, c.why)
				}
			}
		})
	}
}

func TestRoute_Reason(t *testing.T) {
	t.Parallel()
	d, _ := route.Decide(route.Request{Named: "agent:a", Requires: []string{"skill:a"}, Prefers: []string{"tag-a", "x"}, Domain: "a"}, []route.Candidate{worker("a")})
	if want := "asked for by name; has skill:a; prefers matched: tag-a; works in a; low load"; d.Reason != want {
		t.Errorf("the reason is %q, want %q", d.Reason, want)
	}
	d, _ = route.Decide(route.Request{}, []route.Candidate{worker("a", func(c *route.Candidate) { c.Load = 6 })})
	if d.Reason != "moderate load" {
		t.Errorf("the reason is %q", d.Reason)
	}
	d, _ = route.Decide(route.Request{}, []route.Candidate{worker("a", func(c *route.Candidate) { c.Load = 9 })})
	if d.Reason != "best available" {
		t.Errorf("the reason is %q", d.Reason)
	}
}

// Routing by what the defaults can do finds the agent that was made for it.
func TestRoute_DefaultsAreFound(t *testing.T) {
	t.Parallel()
	var roster []route.Candidate
	for _, a := range prompt.Defaults(none) {
		roster = append(roster, route.Candidate{Agent: a, Status: org.Online})
	}
	for _, a := range prompt.Defaults(none) {
		for _, c := range a.Card.Capabilities {
			d, ok := route.Decide(route.Request{Requires: []string{c.ID}}, roster)
			if a.Kind == org.Specialist && (!ok || d.Selected != a.Card.AgentID) {
				t.Errorf("%s leads to %q, want %s", c.ID, d.Selected, a.Card.AgentID)
			}
			if a.Kind != org.Specialist && ok {
				t.Errorf("%s leads to %s; only specialists take work", c.ID, d.Selected)
			}
		}
	}
	for prefer, want := range map[string]org.AgentID{"sprint": "agent:pm", "coverage": "agent:objective-agent", "drift": "agent:reconcile-agent", "create_delta_pack": "agent:reconcile-agent", "merge_threads": "agent:thread-agent"} {
		d, ok := route.Decide(route.Request{Prefers: []string{prefer}}, roster)
		if !ok || d.Selected != want && d.Scores[d.Selected] != d.Scores[want] {
			t.Errorf("%s leads to %s (%v), want %s (%v)", prefer, d.Selected, d.Scores[d.Selected], want, d.Scores[want])
		}
	}
}

func TestRoute_Payloads(t *testing.T) {
	t.Parallel()
	d, _ := route.Decide(route.Request{}, nil)
	got := string(route.DecisionKind.Draft(event.Place{}, d).Message.Payload)
	if want := `{"selected":"","candidates":[],"scores":{},"reason":"No agent fits the request."}`; got != want {
		t.Errorf("a decision is %s, want %s", got, want)
	}
	f := route.Failure{OriginalMessageID: "msg_1", Requires: []string{"skill:a"}, Prefers: []string{}, Reason: "r", Rejected: map[org.AgentID]string{"agent:a": "w"}}
	got = string(route.FailureKind.Draft(event.Place{}, f).Message.Payload)
	if want := `{"original_message_id":"msg_1","requires":["skill:a"],"prefers":[],"reason":"r","rejected":{"agent:a":"w"}}`; got != want {
		t.Errorf("a failure is %s, want %s", got, want)
	}
}

// drawn makes any roster of agents with few, clashing properties.
func drawn(t *rapid.T) (route.Request, []route.Candidate) {
	words := []string{"a", "b", "c"}
	some := func(prefix, label string) []string {
		var out []string
		for _, w := range words {
			if rapid.Bool().Draw(t, label) {
				out = append(out, prefix+w)
			}
		}
		return out
	}
	r := route.Request{Prefers: append(some("tag-", "prefers tag"), some("tool-", "prefers tool")...), Domain: rapid.SampledFrom([]string{"", "a", "tag-b"}).Draw(t, "domain")}
	if rapid.Bool().Draw(t, "requires") {
		r.Requires = []string{"skill:" + rapid.SampledFrom(words).Draw(t, "required")}
	}
	if rapid.Bool().Draw(t, "policy") {
		r.Policy = &event.Policy{Sandbox: rapid.Bool().Draw(t, "sandbox"), Network: rapid.SampledFrom([]string{"", "none", "egress-restricted", "?"}).Draw(t, "network"), ToolAllowlist: some("tool-", "allowed")}
	}
	if rapid.IntRange(0, 3).Draw(t, "excludes") == 0 {
		r.Exclude = []org.AgentID{"agent:x0"}
	}
	var roster []route.Candidate
	for i := range rapid.IntRange(0, 6).Draw(t, "agents") {
		c := worker("x" + string(rune('0'+i)))
		c.Agent.Card.Capabilities = nil
		for _, id := range some("skill:", "skill") {
			c.Agent.Card.Capabilities = append(c.Agent.Card.Capabilities, org.Capability{ID: id, Tags: some("tag-", "tag")})
		}
		c.Agent.Tools = some("tool-", "tool")
		c.Agent.Enabled = rapid.IntRange(0, 4).Draw(t, "enabled") > 0
		c.Agent.Kind = rapid.SampledFrom([]org.Kind{org.Specialist, org.Specialist, org.Specialist, org.Checker}).Draw(t, "kind")
		c.Agent.Card.Security = org.Security{Sandbox: rapid.Bool().Draw(t, "sandboxed"), Network: rapid.SampledFrom(org.Networks()).Draw(t, "reach")}
		c.Status = rapid.SampledFrom([]org.Status{org.Online, org.Online, org.Online, org.Offline}).Draw(t, "status")
		c.Load = rapid.IntRange(0, 10).Draw(t, "load")
		c.Known, c.Success = rapid.Bool().Draw(t, "known"), rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "success")
		c.Last = event.Seq(rapid.IntRange(0, 3).Draw(t, "last"))
		roster = append(roster, c)
	}
	return r, roster
}

func TestRoute_DecisionsHold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r, roster := drawn(t)
		before := slices.Clone(roster)
		d, ok := route.Decide(r, roster)
		again, _ := route.Decide(r, roster)
		if diff := cmp.Diff(d, again); diff != "" {
			t.Fatalf("asked twice: %s", diff)
		}
		if diff := cmp.Diff(before, roster); diff != "" {
			t.Fatalf("the roster changed: %s", diff)
		}
		shuffled, _ := route.Decide(r, rapid.Permutation(roster).Draw(t, "order"))
		if diff := cmp.Diff(d, shuffled); diff != "" {
			t.Fatalf("in another order: %s", diff)
		}
		if _, refused := d.Rejected[d.Selected]; refused {
			t.Fatalf("%s was selected and rejected", d.Selected)
		}
		if ok != (d.Selected != "") || ok != (len(d.Candidates) > 0) || ok && !slices.Contains(d.Candidates, d.Selected) {
			t.Fatalf("ok is %v, selected %q of %v", ok, d.Selected, d.Candidates)
		}
		for _, c := range roster {
			check(t, r, d, c)
		}
	})
}

// check says of one agent what every decision must keep.
func check(t *rapid.T, r route.Request, d route.Decision, c route.Candidate) {
	id := c.Agent.Card.AgentID
	fits := slices.Contains(d.Candidates, id)
	_, scored := d.Scores[id]
	why, rejected := d.Rejected[id]
	switch {
	case fits != scored:
		t.Fatalf("%s is a candidate: %v, has a score: %v", id, fits, scored)
	case id != d.Selected && (!rejected || strings.TrimSpace(why) == ""):
		t.Fatalf("nothing says why %s was not taken", id)
	case fits && d.Scores[id] > d.Scores[d.Selected]:
		t.Fatalf("%s scored more than %s", id, d.Selected)
	case fits && (!c.Agent.Enabled || c.Status != org.Online || c.Agent.Kind != org.Specialist || c.Load >= 10 || slices.Contains(r.Exclude, id)):
		t.Fatalf("%s came through the hard filters: %+v", id, c)
	}
	if !fits {
		return
	}
	for _, need := range r.Requires {
		if !c.Agent.Card.Has(need) {
			t.Fatalf("%s fits and lacks %s", id, need)
		}
	}
	if r.Policy != nil && r.Policy.Sandbox && !c.Agent.Card.Security.Sandbox {
		t.Fatalf("%s fits and is not sandboxed", id)
	}
}

// none has the default agents without permissions.
func none([]string) []org.Permission { return nil }
