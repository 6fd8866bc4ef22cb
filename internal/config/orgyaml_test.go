package config_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"chela/internal/config"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/prompt"
)

func agentNamed(t *testing.T, all []org.Agent, name string) org.Agent {
	t.Helper()
	i := slices.IndexFunc(all, func(a org.Agent) bool { return a.Card.AgentID.Name() == name })
	if i < 0 {
		t.Fatalf("there is no agent named %s", name)
	}
	return all[i]
}

const example = `# our team
organization:
  name: Apollo
  description: We build rockets.
agents:
  - name: pm
    model: openai/gpt-x
    tools: [read_tickets, create_ticket]
    budget:
      max_cost_usd: 0.5
  - name: coder
    enabled: false
  - name: researcher
    role: specialist
    title: Researcher
    description: Reads the web.
    prompt_file: prompts/researcher.md
    tools: []
    capabilities:
      - id: skill:research
        tags: [research, "papers"]
        trust_level: sandbox
    limits: {max_concurrency: 2}
    permissions: {browser: true, network: true}
    security:
      network: egress-restricted
    operating_rules:
      - Name the source.
    personality: {style: analytical}
    meta:
      team: '"alpha"'
  - name: writer
    prompt: |
      You write.

      Shortly.
persons:
  - name: Ann
    role: owner
    identities: [email:ann@example.com, "slack:T1/U2"]
  - id: per_bob
    name: Bob
    role: viewer
    enabled: false
`

func TestOrgyaml_ReadOrg(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"prompts/researcher.md": {Data: []byte("You are the researcher.\n")}}
	base := prompt.Defaults(none)
	got, err := config.ReadOrg([]byte(example), base, files)
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "Apollo" || got.Description != "We build rockets." || len(got.Agents) != len(base)+2 {
		t.Errorf("%q, %q, %d agents", got.Name, got.Description, len(got.Agents))
	}
	pm := agentNamed(t, base, "pm")
	pm.Model, pm.Tools, pm.Budget.MaxCostUSD = "openai/gpt-x", []string{"read_tickets", "create_ticket"}, 0.5
	coder := agentNamed(t, base, "coder")
	coder.Enabled = false
	researcher := org.Agent{
		Card: org.Card{
			V: "clutch/0.1", AgentID: "agent:researcher", Display: org.Display{Name: "Researcher", Desc: "Reads the web."},
			Capabilities: []org.Capability{{ID: "skill:research", Tags: []string{"research", "papers"}, TrustLevel: "sandbox"}},
			Limits:       org.Limits{MaxConcurrency: 2, MaxRuntimeSec: 900}, Security: org.Security{Sandbox: true, Network: "egress-restricted"},
			Personality: &org.Personality{Style: "analytical"}, Rules: []string{"Name the source."}, Meta: map[string]json.RawMessage{"team": []byte(`"alpha"`)},
		},
		Profile: org.Profile{Kind: org.Specialist, Prompt: "You are the researcher.", Tools: []string{}, Enabled: true, Permissions: org.Permissions{org.Browser: true, org.Network: true}},
	}
	for _, want := range []org.Agent{pm, coder, researcher, agentNamed(t, base, "reviewer")} {
		if d := cmp.Diff(want, agentNamed(t, got.Agents, want.Card.AgentID.Name()), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: %s", want.Card.AgentID, d)
		}
	}
	if w := agentNamed(t, got.Agents, "writer"); w.Prompt != "You write.\n\nShortly.\n" || w.Kind != org.Specialist || !w.Enabled {
		t.Errorf("writer: %+v", w)
	}
	persons := []org.Person{
		{Name: "Ann", Role: org.Owner, Enabled: true, Identities: []string{"email:ann@example.com", "slack:T1/U2"}},
		{ID: "per_bob", Name: "Bob", Role: org.Viewer, Identities: []string{}},
	}
	if d := cmp.Diff(persons, got.Persons); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(prompt.Defaults(none), base); d != "" {
		t.Errorf("the base changed: %s", d)
	}
}

func TestOrgyaml_ReadOrgTakes(t *testing.T) {
	t.Parallel()
	base := prompt.Defaults(none)
	for name, text := range map[string]string{
		"nothing": "", "blanks": "\n \n", "a comment": "# nothing\n", "a marker": "---\norganization: {name: x}\n", "no agents": "agents: []\n",
		"windows lines": "agents:\r\n  - name: pm\r\n    model: x\r\n", "json": `{"agents": [{"name": "pm", "model": "x"}], "persons": []}`,
		"a wide flow": "agents: [{name: pm, limits: {max_concurrency: 1}, security: {tool_denylist: [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r]}}]\n",
	} {
		if got, err := config.ReadOrg([]byte(text), base, nil); err != nil || len(got.Agents) != len(base) {
			t.Errorf("%s: %d agents, %v", name, len(got.Agents), err)
		}
	}
}

func TestOrgyaml_ReadOrgRefuses(t *testing.T) {
	t.Parallel()
	base := prompt.Defaults(none)
	files := fstest.MapFS{"long.md": {Data: []byte(strings.Repeat("a", org.MaxPrompt+1))}, "ok.md": {Data: []byte("You write.")}}
	agent := func(s string) string { return "agents:\n  - name: pm\n    " + s + "\n" }
	for name, c := range map[string]struct{ text, says string }{
		"unknown section":    {"organization: {name: x}\nteams: []\n", `line 2: the key "teams" is not known here`},
		"unknown key":        {agent("colour: red"), `line 3: the key "colour" is not known here`},
		"unknown key within": {agent("limits:\n      max: 3"), `line 4: the key "max" is not known here`},
		"unknown in list":    {agent("capabilities: [{id: 'skill:a', level: 3}]"), `line 3: the key "level" is not known here`},
		"in camel case":      {agent("budget: {maxTokens: 1}"), `the key "maxTokens" is not known here`},
		"case":               {agent("Model: x"), `line 3: the key "Model" is not known here`},
		"key twice":          {agent("model: x\n    model: y"), `line 4: `},
		"not a mapping":      {"- a\n- b\n", "line 1: "},
		"agent is a word":    {"agents: [pm]\n", "agents.0.name: (org.yaml, line 1) An agent has a name."},
		"agents are a word":  {"agents: pm\n", "line 1: "},
		"no name":            {"agents:\n  - model: x\n", "agents.0.name: (org.yaml, line 2)"},
		"bad name":           {"agents:\n  - name: P M\n    prompt: p\n", "agents.0.name: (org.yaml, line 2)"},
		"reserved name":      {"agents:\n  - name: router\n    prompt: p\n", "The name router is reserved."},
		"twice":              {"agents:\n  - name: pm\n  - name: pm\n", "agents.1.name: (org.yaml, line 3) The agent pm is there twice."},
		"new without prompt": {"agents:\n  - name: writer\n", "agents.0.prompt: (org.yaml, line 2) An agent has a prompt."},
		"role":               {agent("role: boss"), "agents.0.role: (org.yaml, line 3) The kind is not known. Allowed: controller, specialist, checker."},
		"title":              {agent("title: ''"), "agents.0.title: (org.yaml, line 3)"},
		"description":        {agent(`description: "a\nb"`), "agents.0.description: (org.yaml, line 3)"},
		"capability":         {agent("capabilities:\n      - id: skill:a\n      - id: planning"), "agents.0.capabilities.1.id: (org.yaml, line 5)"},
		"limit":              {agent("limits:\n      max_concurrency: 0"), "agents.0.limits.max_concurrency: (org.yaml, line 4)"},
		"budget":             {agent("budget: {max_cost_usd: -1}"), "agents.0.budget.max_cost_usd: (org.yaml, line 3)"},
		"infinite budget":    {agent("budget: {max_cost_usd: .inf}"), "agents.0.budget.max_cost_usd: "},
		"no number":          {agent("limits: {max_cost: .nan}"), "agents.0.limits.max_cost: "},
		"text for a number":  {agent("limits: {max_tokens: many}"), "line 3: "},
		"part of a token":    {agent("limits: {max_tokens: 1.5}"), "line 3: "},
		"word for a switch":  {agent("enabled: maybe"), `line 3: "maybe" does not fit; it takes true or false.`},
		"text for a list":    {agent("tools: read_tickets"), "line 3: "},
		"network":            {agent("security: {network: all}"), "agents.0.security.network: (org.yaml, line 3) The network is not known. Allowed: none,"},
		"meta":               {agent("meta: {a: '{'}"), "agents.0.meta.a: (org.yaml, line 3) The value is no JSON."},
		"key without value":  {agent("tools:"), "line 3: a key has no value."},
		"null":               {agent("tools: ~"), "line 3: a key has no value."},
		"prompt twice":       {agent("prompt: p\n    prompt_file: ok.md"), "agents.0.prompt_file: (org.yaml, line 4) Give the prompt or its file, not both."},
		"no such file":       {agent("prompt_file: none.md"), `agents.0.prompt_file: (org.yaml, line 3) The file "none.md" cannot be opened`},
		"file outside":       {agent("prompt_file: ../ok.md"), "cannot be opened; it lies beside org.yaml"},
		"long file":          {agent("prompt_file: long.md"), "has more than 6000 bytes"},
		"person's role":      {"persons:\n  - name: Ann\n    role: boss\n", "persons.0.role: (org.yaml, line 3) The role is not known. Allowed: owner,"},
		"person's name":      {"persons:\n  - role: owner\n", "persons.0.name: (org.yaml, line 2)"},
		"person's id":        {"persons:\n  - id: ann\n    name: Ann\n    role: owner\n", "persons.0.id: (org.yaml, line 2)"},
		"person's key":       {"persons:\n  - name: Ann\n    role: owner\n    mail: x\n", `line 4: the key "mail" is not known here`},
		"identity":           {"persons:\n  - {name: Ann, role: owner, identities: [ann]}\n", "persons.0.identities.0: (org.yaml, line 2)"},
		"identity twice":     {"persons:\n  - {name: Ann, role: owner, identities: ['a:1']}\n  - {name: Bob, role: owner, identities: ['a:1']}\n", "persons.1.identities.0: (org.yaml, line 3) a:1 is there twice."},
		"two documents":      {"organization: {name: a}\n---\norganization: {name: b}\n", "holds 2 documents"},
		"anchor":             {"agents:\n  - &a {name: pm}\n", "line 2: anchors, aliases"},
		"alias":              {"agents:\n  - *a\n", "line 2: anchors, aliases"},
		"tag":                {"agents: !!set {}\n", "line 1: anchors, aliases"},
		"open quote":         {"organization: {name: \"x\n", "org.yaml, line "},
		"flow without end":   {strings.Repeat("[", 200_000), "nested too deeply"},
		"entries in a row":   {strings.Repeat("- ", 200_000), "nested too deeply"},
		"keys in a row":      {strings.Repeat("a: ", 150_000), "nested too deeply"},
		"deep":               {deep(60), "nested too deeply"},
		"too large":          {strings.Repeat("#", 600_000), "the limit is"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.ReadOrg([]byte(c.text), base, files)
			want := fault.Invalid
			if name == "too large" {
				want = fault.TooLarge
			}
			if fault.KindOf(err) != want || !strings.Contains(fault.TextOf(err), c.says) {
				t.Errorf("%s\nwant %q", fault.TextOf(err), c.says)
			}
		})
	}
	if _, err := config.ReadOrg([]byte(agent("prompt_file: ok.md")), base, nil); !strings.Contains(fault.TextOf(err), "cannot be read here") {
		t.Error(err)
	}
}

func deep(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// same compares what a file keeps.
func same(want, got config.Org) string {
	return cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(org.Person{}, "CreatedAt"))
}

func TestOrgyaml_RoundTripOfTheDefaults(t *testing.T) {
	t.Parallel()
	o := config.Org{Name: "Apollo", Agents: prompt.Defaults(none), Persons: []org.Person{{ID: "per_1", Name: "Ann", Role: org.Owner, Enabled: true, Identities: []string{"email:a@b"}}}}
	raw, err := config.WriteOrg(o)
	if err != nil {
		t.Fatal(err)
	}
	changed := prompt.Defaults(none)
	for i := range changed { // whatever the base says, the file says all
		changed[i].Model, changed[i].Enabled, changed[i].Card.Security.ToolDenylist, changed[i].Card.Limits.MaxCost = "m", false, []string{"x"}, 7
		changed[i].Card.Personality, changed[i].Card.Endpoints = &org.Personality{Style: "creative"}, &org.Endpoints{HTTP: &org.Endpoint{URL: "http://h"}}
		changed[i].Card.Meta, changed[i].Card.Memory = map[string]json.RawMessage{"k": []byte("1")}, &org.Retention{WorkingLimit: 1}
	}
	for name, base := range map[string][]org.Agent{"nothing": nil, "the defaults": prompt.Defaults(none), "others": changed} {
		got, err := config.ReadOrg(raw, base, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		if d := same(o, got); d != "" {
			t.Errorf("over %s: %s", name, d)
		}
	}
	if !strings.Contains(string(raw), "    prompt: |-\n      You are the project manager.") {
		t.Errorf("prompts are not written as people edit them:\n%.2000s", raw)
	}
	o.Agents[0].Prompt = ""
	if _, err := config.WriteOrg(o); fault.KindOf(err) != fault.Invalid {
		t.Errorf("an agent without a prompt was written: %v", err)
	}
}

// drawnAgent makes any agent that Check accepts.
func drawnAgent(t *rapid.T, name string) org.Agent {
	runes := rapid.RuneFrom([]rune("ab yYnN01.:#-'\"{}[]|>&*!%@`,?\\~ü漢😀</_"))
	word := rapid.StringOfN(runes, 1, 12, -1)
	odd := rapid.StringOfN(rapid.RuneFrom([]rune("ab \n\n\t\r:#-'\"{}|>\\\u0000\u0085\u2028\ufeff~ü")), 1, 30, -1)
	scalar := rapid.OneOf(word, rapid.SampledFrom([]string{"null", "~", "true", "No", "1", "1.5", "1e3", "0x1f", ".inf", "2026-01-01", "- a", "a: b", "<<", "=", " x ", "|"}))
	name2 := rapid.SampledFrom([]string{"a", "null", "12", "true", "read_tickets"})
	list := rapid.SliceOfN(scalar, 0, 3)
	a := prompt.Defaults(none)[0]
	a.Card.AgentID = org.AgentID("agent:" + name)
	a.Card.Display = org.Display{Name: "x" + scalar.Draw(t, "title"), Desc: scalar.Draw(t, "desc"), Avatar: scalar.Draw(t, "avatar")}
	a.Kind = rapid.SampledFrom([]org.Kind{org.Controller, org.Specialist, org.Checker}).Draw(t, "kind")
	a.Prompt = "p" + odd.Draw(t, "prompt")
	a.Model, a.Enabled = scalar.Draw(t, "model"), rapid.Bool().Draw(t, "enabled")
	a.Tools = rapid.SliceOfNDistinct(name2, 0, 3, rapid.ID).Draw(t, "tools")
	a.Card.Capabilities = nil
	for _, id := range rapid.SliceOfNDistinct(name2, 0, 3, rapid.ID).Draw(t, "capabilities") {
		a.Card.Capabilities = append(a.Card.Capabilities, org.Capability{ID: "skill:" + id, Version: scalar.Draw(t, "version"), Tags: list.Draw(t, "tags"), CostHint: "low"})
	}
	cost := rapid.Float64Range(0, math.MaxFloat64)
	a.Card.Limits = org.Limits{MaxConcurrency: rapid.IntRange(1, 99).Draw(t, "at once"), MaxTokens: rapid.IntMin(0).Draw(t, "tokens"), MaxCost: cost.Draw(t, "cost")}
	a.Budget = org.Budget{MaxCostUSD: cost.Draw(t, "budget"), MaxRuntimeSec: rapid.IntMin(0).Draw(t, "seconds")}
	a.Permissions = org.PermissionsOf(rapid.SliceOf(rapid.SampledFrom(org.AllPermissions())).Draw(t, "permissions")...)
	a.Card.Security = org.Security{Network: rapid.SampledFrom(org.Networks()).Draw(t, "network"), SecretScopes: list.Draw(t, "scopes"), ToolDenylist: list.Draw(t, "denied")}
	a.Card.Strengths, a.Card.Rules, a.Card.Collaborators = list.Draw(t, "strengths"), list.Draw(t, "rules"), list.Draw(t, "collaborators")
	if rapid.Bool().Draw(t, "outside") {
		a.Card.Endpoints = &org.Endpoints{HTTP: &org.Endpoint{URL: "https://h/x?a=b#c", Auth: &org.EndpointAuth{Type: "api_key", Header: scalar.Draw(t, "header")}}}
		a.Card.Personality, a.Card.Memory = &org.Personality{DecisionMaking: "data-driven"}, &org.Retention{DailyRetention: 3}
		a.Card.Meta = map[string]json.RawMessage{scalar.Draw(t, "key"): []byte("{\n  \"a\": [1, null]\n}"), "x": []byte("null")}
	}
	return a
}

func TestOrgyaml_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := config.Org{Name: rapid.String().Draw(t, "name"), Agents: []org.Agent{drawnAgent(t, "a"), drawnAgent(t, "b")}}
		for i := range o.Agents {
			if err := o.Agents[i].Check(); err != nil {
				t.Fatalf("the test draws a bad agent: %v", err)
			}
		}
		raw, err := config.WriteOrg(o)
		if err != nil {
			t.Fatal(err)
		}
		base := []org.Agent{drawnAgent(t, "b")}
		got, err := config.ReadOrg(raw, base, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		slices.SortFunc(got.Agents, func(a, b org.Agent) int { return strings.Compare(string(a.Card.AgentID), string(b.Card.AgentID)) })
		if d := same(o, got); d != "" {
			t.Fatalf("%s\n%s", d, raw)
		}
	})
}

func FuzzReadOrg(f *testing.F) {
	f.Add(example)
	for _, s := range []string{"agents:\n- name: pm\n  tools: [a]\n", "persons: [{name: a, role: owner}]", "a: &x [*x]", "{", "agents: [[", "? a\n: b", "agents:\n- name: |\n    pm\n", "---\n...\n---", "agents: [{name: pm, prompt_file: a}]", "\t", "\"\\u", "agents:\n- name: pm\n  meta: {a: '1', a: '2'}"} {
		f.Add(s)
	}
	base := prompt.Defaults(none)[:3]
	f.Fuzz(func(t *testing.T, text string) {
		got, err := config.ReadOrg([]byte(text), base, nil)
		if err != nil {
			if _, ok := errors.AsType[*fault.Error](err); !ok {
				t.Fatalf("not a fault: %v", err)
			}
			return
		}
		for _, a := range got.Agents {
			if err := a.Check(); err != nil {
				t.Fatalf("a bad agent came in: %v", err)
			}
		}
		raw, err := config.WriteOrg(got)
		if err != nil {
			t.Fatal(err)
		}
		again, err := config.ReadOrg(raw, nil, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		if d := same(got, again); d != "" {
			t.Fatalf("%s\n%s", d, raw)
		}
	})
}

// none has the default agents without permissions.
func none([]string) []org.Permission { return nil }
