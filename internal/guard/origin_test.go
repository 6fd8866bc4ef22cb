package guard_test

import (
	"testing"

	"chela/internal/guard"
	"chela/internal/org"
	"chela/internal/tool"
)

// TestDecide_Sending: what leaves by a channel is asked about by default, whoever wants it; a
// pipeline is granted its memory and nothing else.
func TestDecide_Sending(t *testing.T) {
	t.Parallel()
	allowing := guard.Policy{Rules: []guard.Rule{{Name: "chat", Answer: guard.Allow, Risks: []string{"SEND"}}}}
	for name, c := range map[string]struct {
		change  func(*guard.Request)
		verdict guard.Verdict
		rule    string
	}{
		"by a person":              {func(*guard.Request) {}, guard.Ask, "sending-is-asked"},
		"by the clock":             {func(r *guard.Request) { r.Who.Via = guard.BySchedule }, guard.Ask, "sending-is-asked"},
		"by an agent":              {func(r *guard.Request) { r.Who.Via = guard.ByAgent }, guard.Ask, "sending-is-asked"},
		"by a pipeline":            {func(r *guard.Request) { r.Who.Via = guard.ByWorkflow }, guard.Ask, "sending-is-asked"},
		"here, on the page":        {func(r *guard.Request) { r.Act.Here, r.Who.Channel = true, "page" }, guard.Allow, "this-conversation"},
		"here, on a platform":      {func(r *guard.Request) { r.Act.Here, r.Who.Channel = true, "slack" }, guard.Ask, "sending-is-asked"},
		"here, in a pipeline":      {func(r *guard.Request) { r.Act.Here, r.Who.Via = true, guard.ByWorkflow }, guard.Ask, "sending-is-asked"},
		"where a rule allows":      {func(r *guard.Request) { r.Policy = allowing }, guard.Allow, "policy: chat"},
		"a rule, after records":    {func(r *guard.Request) { r.Policy, r.Origins = allowing, []string{tool.FromRecords} }, guard.Allow, "policy: chat"},
		"a rule, after an import":  {func(r *guard.Request) { r.Policy, r.Origins = allowing, []string{tool.FromImports} }, guard.Ask, "after-untrusted-data"},
		"a rule, after a document": {func(r *guard.Request) { r.Policy, r.Origins = allowing, []string{tool.FromDocuments} }, guard.Ask, "after-untrusted-data"},
		"a viewer":                 {func(r *guard.Request) { r.Who.Role = org.Viewer }, guard.Deny, "role"},
		"no permission":            {func(r *guard.Request) { r.Agent.Permissions = nil }, guard.Deny, "records"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := coder("message", tool.Send, tool.Act{})
			r.Policy = guard.Policy{}
			c.change(&r)
			if d := guard.Decide(r); d.Verdict != c.verdict || d.Rule != c.rule {
				t.Errorf("got %s by %s, want %s by %s", d.Verdict, d.Rule, c.verdict, c.rule)
			}
		})
	}
	for _, name := range []string{"memory_delete", "memory_recall", "keep_note"} {
		r := coder(name, tool.WriteRecords, tool.Act{})
		r.Tool.Asks, r.Who.Via = "It is believed.", guard.ByWorkflow
		if d := guard.Decide(r); d.Verdict != guard.Ask {
			t.Errorf("%s of a pipeline: got %s, want ask", name, d.Verdict)
		}
	}
}

// TestDecide_PrivateData: once a run has seen private data, an address that says more than where
// is asked about, whatever host was visited before.
func TestDecide_PrivateData(t *testing.T) {
	t.Parallel()
	private := []string{tool.FromRecords, tool.FromImports, tool.FromDocuments, tool.FromConversations}
	for _, from := range private {
		for name, c := range map[string]struct {
			url  string
			asks bool
		}{
			"a bare address":         {"https://a.test/", false},
			"a port":                 {"https://a.test:8443", false},
			"an address by number":   {"https://93.184.216.34/", false},
			"a path":                 {"https://a.test/c2VjcmV0", true},
			"a query":                {"https://a.test/?q=secret", true},
			"an empty query":         {"https://a.test/?", true},
			"a fragment":             {"https://a.test/#secret", true},
			"a user":                 {"https://secret@a.test/", true},
			"a long label":           {"https://c2VjcmV0c2VjcmV0c2VjcmV0c2Vj.a.test/", true},
			"many labels":            {"https://s.e.c.r.et.a.test/", true},
			"what a person wrote":    {"https://docs.test/page?id=7", false},
			"and a little more":      {"https://docs.test/page?id=71", true},
			"a host seen before":     {"https://seen.test/?q=secret", true},
			"a host seen, no answer": {"https://seen.test/", false},
		} {
			r := coder("http_get", tool.NetworkCalls, tool.Act{URL: c.url})
			r.Policy, r.Tool.Repeatable, r.Origins = guard.Policy{}, true, []string{from}
			if c.url == "https://seen.test/?q=secret" || c.url == "https://seen.test/" {
				r.Origins = append(r.Origins, "seen.test")
			}
			r.Given = func(a string) bool { return a == "https://docs.test/page?id=7" }
			if d := guard.Decide(r); (d.Verdict == guard.Ask) != c.asks || c.asks && d.Rule != "after-private-data" {
				t.Errorf("%s after %s: got %s by %s, want a question %v", name, from, d.Verdict, d.Rule, c.asks)
			}
		}
	}
	r := coder("browser_fill", tool.NetworkCalls, tool.Act{URL: "https://a.test/"})
	r.Policy, r.Origins = guard.Policy{}, []string{tool.FromRecords}
	if d := guard.Decide(r); d.Rule != "after-private-data" {
		t.Errorf("a call that sends: got %s by %s, want a question", d.Verdict, d.Rule)
	}
	r = shell("go test ./...")
	r.Act.Network, r.Origins = true, []string{tool.FromRecords}
	if d := guard.Decide(r); d.Verdict != guard.Ask {
		t.Errorf("a program that may call out: got %s by %s, want a question", d.Verdict, d.Rule)
	}
}

// TestDecide_AnAgentElsewhere may call its own server and nothing else, and is asked about when it would be told what came from others.
func TestDecide_AnAgentElsewhere(t *testing.T) {
	t.Parallel()
	const at = "https://ken.test/a2a"
	for name, c := range map[string]struct {
		tool    string
		origins []string
		want    guard.Verdict
	}{
		"its own words":    {"partner__ask", []string{"ken.test"}, guard.Allow},
		"others' words":    {"partner__ask", []string{"ken.test", "evil.test"}, guard.Ask},
		"our records":      {"partner__ask", []string{tool.FromRecords}, guard.Ask},
		"our documents":    {"partner__ask", []string{tool.FromDocuments}, guard.Ask},
		"another server's": {"partners__ask", nil, guard.Deny},
		"a tool of ours":   {"http_get", nil, guard.Deny},
	} {
		r := coder(c.tool, tool.NetworkCalls, tool.Act{URL: at})
		r.Policy, r.Origins = guard.Policy{Rules: []guard.Rule{{Name: "free", Answer: guard.Allow}}}, c.origins
		r.Agent.Card.Endpoints, r.Agent.Server, r.Agent.Tools = &org.Endpoints{A2A: &org.Endpoint{URL: at}}, "partner", []string{"*"}
		if d := guard.Decide(r); d.Verdict != c.want {
			t.Errorf("%s: got %s by %s, want %s", name, d.Verdict, d.Rule, c.want)
		}
	}
}

// TestDecide_OutsideRecords: records that came from outside let a run write records, and have
// whatever writes files, runs programs or sends asked about although a rule allows it.
func TestDecide_OutsideRecords(t *testing.T) {
	t.Parallel()
	free := guard.Policy{Rules: []guard.Rule{{Name: "free", Answer: guard.Allow}}}
	for _, c := range []struct {
		risk    tool.Risk
		origins []string
		verdict guard.Verdict
	}{
		{tool.WriteRecords, []string{tool.FromImports}, guard.Allow},
		{tool.WriteRecords, []string{tool.FromDocuments, tool.FromConversations, tool.FromAgents}, guard.Allow},
		{tool.WriteRecords, []string{"a.test"}, guard.Ask},
		{tool.WriteRecords, []string{tool.FromImports, tool.FromFiles}, guard.Ask},
		{tool.WriteFiles, []string{tool.FromImports}, guard.Ask},
		{tool.WriteFiles, []string{tool.FromAgents}, guard.Ask},
		{tool.WriteFiles, []string{tool.FromRecords}, guard.Allow},
		{tool.ReadOnly, []string{tool.FromImports, "a.test"}, guard.Allow},
	} {
		r := coder("x_tool", c.risk, tool.Act{})
		r.Policy, r.Origins = free, c.origins
		if d := guard.Decide(r); d.Verdict != c.verdict {
			t.Errorf("%s after %v: got %s by %s, want %s", c.risk, c.origins, d.Verdict, d.Rule, c.verdict)
		}
	}
}
