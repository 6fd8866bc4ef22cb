package org_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/prompt"
)

// pm returns a default agent with a prompt.
func pm(t *testing.T) org.Agent {
	t.Helper()
	for _, a := range prompt.Defaults(none) {
		if a.Card.AgentID == "agent:pm" {
			a.Prompt = "You are the project manager."
			return a
		}
	}
	t.Fatal("there is no agent:pm among the defaults")
	return org.Agent{}
}

// field returns the name of the field that err blames.
func field(t *testing.T, err error) string {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || len(e.Fields) == 0 {
		t.Fatalf("%v names no field", err)
	}
	if e.Kind != fault.Invalid || !strings.HasSuffix(e.Text, ".") {
		t.Errorf("the fault is %v %q; want an Invalid sentence", e.Kind, e.Text)
	}
	return e.Fields[0].Name
}

func TestOrg_AgentCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*org.Agent)
		field  string
	}{
		"id without prefix":      {func(a *org.Agent) { a.Card.AgentID = "pm" }, "card.agent_id"},
		"id with a slash":        {func(a *org.Agent) { a.Card.AgentID = "agent:person/per_1" }, "card.agent_id"},
		"id in capitals":         {func(a *org.Agent) { a.Card.AgentID = "agent:PM" }, "card.agent_id"},
		"id of the daemon":       {func(a *org.Agent) { a.Card.AgentID = "agent:router" }, "card.agent_id"},
		"long id":                {func(a *org.Agent) { a.Card.AgentID = org.AgentID("agent:" + strings.Repeat("a", 65)) }, "card.agent_id"},
		"version":                {func(a *org.Agent) { a.Card.V = "clutch/9" }, "card.v"},
		"no name":                {func(a *org.Agent) { a.Card.Display.Name = " " }, "card.display.name"},
		"two-line description":   {func(a *org.Agent) { a.Card.Display.Desc = "a\nb" }, "card.display"},
		"capability":             {func(a *org.Agent) { a.Card.Capabilities[1].ID = "planning" }, "card.capabilities.1.id"},
		"capability twice":       {func(a *org.Agent) { a.Card.Capabilities[1].ID = a.Card.Capabilities[0].ID }, "card.capabilities.1.id"},
		"trust":                  {func(a *org.Agent) { a.Card.Capabilities[0].TrustLevel = "full" }, "card.capabilities.0.trust_level"},
		"cost hint":              {func(a *org.Agent) { a.Card.Capabilities[0].CostHint = "free" }, "card.capabilities.0.cost_hint"},
		"no concurrency":         {func(a *org.Agent) { a.Card.Limits.MaxConcurrency = 0 }, "card.limits.max_concurrency"},
		"runtime":                {func(a *org.Agent) { a.Card.Limits.MaxRuntimeSec = -1 }, "card.limits.max_runtime_sec"},
		"tokens":                 {func(a *org.Agent) { a.Card.Limits.MaxTokens = -1 }, "card.limits.max_tokens"},
		"cost that is no number": {func(a *org.Agent) { a.Card.Limits.MaxCost = math.NaN() }, "card.limits.max_cost"},
		"network":                {func(a *org.Agent) { a.Card.Security.Network = "all" }, "card.security.network"},
		"endpoint":               {func(a *org.Agent) { a.Card.Endpoints = &org.Endpoints{HTTP: &org.Endpoint{URL: "file:///etc"}} }, "card.endpoints.http.url"},
		"password in endpoint":   {func(a *org.Agent) { a.Card.Endpoints = &org.Endpoints{A2A: &org.Endpoint{URL: "https://u:p@h"}} }, "card.endpoints.a2a.url"},
		"endpoint auth": {func(a *org.Agent) {
			a.Card.Endpoints = &org.Endpoints{WebSocket: &org.Endpoint{URL: "wss://h", Auth: &org.EndpointAuth{Type: "basic"}}}
		}, "card.endpoints.websocket.auth.type"},
		"endpoint auth missing": {func(a *org.Agent) {
			a.Card.Endpoints = &org.Endpoints{Clutch: &org.Endpoint{URL: "http://h", Auth: &org.EndpointAuth{}}}
		}, "card.endpoints.clutch.auth.type"},
		"style":          {func(a *org.Agent) { a.Card.Personality = &org.Personality{Style: "wild"} }, "card.personality.style"},
		"communication":  {func(a *org.Agent) { a.Card.Personality = &org.Personality{Communication: "loud"} }, "card.personality.communication"},
		"decisions":      {func(a *org.Agent) { a.Card.Personality = &org.Personality{DecisionMaking: "dice"} }, "card.personality.decision_making"},
		"memory":         {func(a *org.Agent) { a.Card.Memory = &org.Retention{WorkingLimit: -1} }, "card.memory"},
		"summary":        {func(a *org.Agent) { a.Card.Memory = &org.Retention{LongTermSummary: "never"} }, "card.memory.long_term_summary"},
		"meta":           {func(a *org.Agent) { a.Card.Meta = map[string]json.RawMessage{"k": []byte("{")} }, "card.meta.k"},
		"kind":           {func(a *org.Agent) { a.Kind = "boss" }, "kind"},
		"no prompt":      {func(a *org.Agent) { a.Prompt = "\n" }, "prompt"},
		"long prompt":    {func(a *org.Agent) { a.Prompt = strings.Repeat("a", org.MaxPrompt+1) }, "prompt"},
		"empty tool":     {func(a *org.Agent) { a.Tools[2] = "" }, "tools.2"},
		"tool twice":     {func(a *org.Agent) { a.Tools[2] = a.Tools[0] }, "tools.2"},
		"budget tokens":  {func(a *org.Agent) { a.Budget.MaxTokens = -1 }, "budget.max_tokens"},
		"budget cost":    {func(a *org.Agent) { a.Budget.MaxCostUSD = math.Inf(1) }, "budget.max_cost_usd"},
		"budget runtime": {func(a *org.Agent) { a.Budget.MaxRuntimeSec = -1 }, "budget.max_runtime_sec"},
	} {
		t.Run(name, func(t *testing.T) {
			a := pm(t)
			c.change(&a)
			if got := field(t, a.Check()); got != c.field {
				t.Errorf("it blames %s, want %s", got, c.field)
			}
		})
	}
	a := pm(t)
	a.Card.Endpoints = &org.Endpoints{HTTP: &org.Endpoint{URL: "https://example.com/x", Auth: &org.EndpointAuth{Type: "api_key", Header: "X-Key"}}}
	a.Card.Personality = &org.Personality{Style: "pragmatic", Communication: "concise", DecisionMaking: "data-driven"}
	a.Card.Memory = &org.Retention{WorkingLimit: 10, DailyRetention: 7, LongTermSummary: "weekly"}
	if err := a.Check(); err != nil {
		t.Error(err)
	}
}

// The card is the protocol's: these are its keys, and no others.
func TestOrg_CardJSON(t *testing.T) {
	t.Parallel()
	const card = `{"v":"clutch/0.1","agent_id":"agent:ken","display":{"name":"Ken","desc":"d","avatar":"a"},` +
		`"endpoints":{"clutch":{"url":"https://h/c"},"a2a":{"url":"https://h/a","auth":{"type":"bearer"}},"http":{"url":"https://h"},"websocket":{"url":"wss://h"}},` +
		`"capabilities":[{"id":"skill:code_review","version":"1","tags":["t"],"tools":["x"],"inputs":["i"],"outputs":["o"],"trust_level":"sandbox","cost_hint":"low","servers":["s"]}],` +
		`"limits":{"max_concurrency":2,"max_runtime_sec":60,"max_tokens":10,"max_cost":1.5},` +
		`"security":{"sandbox":true,"network":"egress-restricted","tool_allowlist":["x"],"tool_denylist":["y"],"secret_scopes":["z"]},` +
		`"personality":{"style":"analytical","communication":"formal","decision_making":"decisive"},"strengths":["s"],"operating_rules":["r"],"preferred_collaborators":["agent:pm"],` +
		`"memory":{"working_limit":5,"daily_retention":7,"long_term_summary":"daily"},"meta":{"k":{"n":1}}}`
	var c org.Card
	if err := event.DecodeStrict([]byte(card), &c); err != nil {
		t.Fatal(err)
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(card, string(raw)); d != "" {
		t.Error(d)
	}
}

func TestOrg_MayUse(t *testing.T) {
	t.Parallel()
	a := org.Agent{Profile: org.Profile{Tools: []string{"read", "write"}}}
	a.Card.Security.ToolDenylist = []string{"write"}
	if !a.MayUse("read") || a.MayUse("write") || a.MayUse("other") {
		t.Error("the deny-list does not hold")
	}
	a.Tools, a.Card.Security.ToolAllowlist = []string{"*"}, []string{"read", "write"}
	if !a.MayUse("read") || a.MayUse("write") || a.MayUse("other") {
		t.Error("the allow-list does not hold")
	}
}

// A list that names an operation of a tool, as lists did when each was a tool, opens and
// shuts that operation and no other.
func TestOrg_MayUseAPart(t *testing.T) {
	t.Parallel()
	all := []string{"memory", "memory_store", "memory_recall", "memory_delete"}
	for name, c := range map[string]struct {
		tools, allow, deny, may []string
	}{
		"the whole":               {tools: []string{"memory"}, may: all},
		"all tools":               {tools: []string{"*"}, may: all},
		"one part":                {tools: []string{"memory_recall"}, may: []string{"memory_recall"}},
		"the whole but a part":    {tools: []string{"memory"}, deny: []string{"memory_delete"}, may: []string{"memory", "memory_store", "memory_recall"}},
		"the whole is denied":     {tools: []string{"memory", "memory_recall"}, deny: []string{"memory"}},
		"a card that allows one":  {tools: []string{"*"}, allow: []string{"memory_store"}, may: []string{"memory_store"}},
		"a card that allows all":  {tools: []string{"memory_store"}, allow: []string{"memory"}, may: []string{"memory_store"}},
		"a card that allows none": {tools: []string{"memory"}, allow: []string{"x"}},
	} {
		a := org.Agent{Profile: org.Profile{Tools: c.tools}}
		a.Card.Security.ToolAllowlist, a.Card.Security.ToolDenylist = c.allow, c.deny
		var got []string
		for _, n := range all {
			if a.MayUse(n) {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, c.may) {
			t.Errorf("%s: it may use %v, want %v", name, got, c.may)
		}
	}
}

func TestOrg_Patch(t *testing.T) {
	t.Parallel()
	before := pm(t)
	keep, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	got, err := org.Patch(before, []byte(`{"model":"m","enabled":false,"tools":["read_tickets"],"permissions":{"shell":true},
		"card":{"display":{"desc":null},"limits":{"max_concurrency":3},"capabilities":[{"id":"skill:x"}]},"budget":{"max_cost_usd":null}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := pm(t)
	want.Model, want.Enabled, want.Tools, want.Permissions = "m", false, []string{"read_tickets"}, org.PermissionsOf(org.Shell)
	want.Card.Display.Desc, want.Card.Limits.MaxConcurrency, want.Card.Capabilities = "", 3, []org.Capability{{ID: "skill:x"}}
	want.Budget.MaxCostUSD = 0
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	now, err := json.Marshal(before)
	if err != nil || string(now) != string(keep) {
		t.Error("the agent that was patched changed")
	}
	for name, c := range map[string]struct{ patch, field string }{
		"unknown":        {`{"colour":"red"}`, "colour"},
		"of the card":    {`{"enabled":true,"security":{"network":"none"}}`, "security"},
		"unknown within": {`{"card":{"limits":{"max":1}}}`, "card.limits.max"},
		"case":           {`{"Model":"m"}`, "Model"},
		"twice":          {`{"model":"a","model":"b"}`, "model"},
		"type":           {`{"enabled":"yes"}`, "enabled"},
		"id":             {`{"card":{"agent_id":"agent:boss"}}`, "card.agent_id"},
		"no card":        {`{"card":null}`, "card.agent_id"},
		"no prompt":      {`{"prompt":null}`, "prompt"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := org.Patch(before, []byte(c.patch))
			if f := field(t, err); f != c.field {
				t.Errorf("it blames %s, want %s", f, c.field)
			}
			if d := cmp.Diff(before, got); d != "" {
				t.Error(d)
			}
		})
	}
	for _, bad := range []string{``, `[]`, `null`, `{`, `"x"`, `{} {}`} {
		if _, err := org.Patch(before, []byte(bad)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzPatch(f *testing.F) {
	for _, s := range []string{`{}`, `{"model":"m"}`, `{"card":{"meta":{"a":{"b":null}}}}`, `{"tools":null}`, `{"card":{"capabilities":[{"id":"skill:a","tags":[null]}]}}`, `{"card":{"endpoints":{"http":{"url":"http://h"}}}}`} {
		f.Add(s)
	}
	base := prompt.Defaults(none)[2]
	base.Prompt = "p"
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := org.Patch(base, []byte(raw))
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Fatalf("not an Invalid fault: %v", err)
			}
			return
		}
		if err := got.Check(); err != nil {
			t.Fatalf("a patch made a bad agent: %v", err)
		}
		again, err := org.Patch(got, []byte(raw))
		if err != nil {
			t.Fatalf("the same patch again: %v", err)
		}
		a, errA := json.Marshal(got)
		b, errB := json.Marshal(again)
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Fatalf("a patch twice differs from once:\n%s\n%s", a, b)
		}
	})
}

// none has the default agents without permissions.
func none([]string) []org.Permission { return nil }
