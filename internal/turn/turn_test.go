package turn

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/route"
	"chela/internal/workflow"
)

func said(role model.Role, text string) model.Message {
	return model.Message{Role: role, Parts: []model.Part{{Text: text}}}
}

func TestDefinitions_Check(t *testing.T) {
	t.Parallel()
	for _, d := range []workflow.Definition[*turn]{team(3), direct()} {
		if err := d.Check(); err != nil {
			t.Error(err)
		}
	}
}

func TestWithoutAnswer_DropsTheLastAnswerOnly(t *testing.T) {
	t.Parallel()
	asked, answered := said(model.User, "Who?"), said(model.Assistant, "pm")
	for name, c := range map[string]struct {
		in   []model.Message
		want int
	}{
		"an answer at the end":   {[]model.Message{asked, answered}, 1},
		"an answer in between":   {[]model.Message{answered, asked}, 2},
		"nothing was said":       {nil, 0},
		"two answers in a row":   {[]model.Message{answered, answered}, 1},
		"a question and no more": {[]model.Message{asked}, 1},
	} {
		if got := withoutAnswer(slices.Clone(c.in)); len(got) != c.want {
			t.Errorf("%s: %d messages are left, want %d", name, len(got), c.want)
		}
	}
}

func TestWhyNot_NamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		choice prompt.Choice
		d      route.Decision
	}{
		"pm is disabled.":            {prompt.Choice{Delegate: "pm"}, route.Decision{Rejected: map[org.AgentID]string{"agent:pm": "is disabled"}}},
		"there is no agent named x.": {prompt.Choice{Delegate: "x"}, route.Decision{}},
		"none has go and sql.":       {prompt.Choice{Requires: []string{"go", "sql"}}, route.Decision{}},
		"ken has go, but is away.":   {prompt.Choice{Requires: []string{"go"}}, route.Decision{Rejected: map[org.AgentID]string{"agent:ken": "is away", "agent:pm": "lacks go"}}},
	} {
		ken := org.Agent{Card: org.Card{AgentID: "agent:ken", Capabilities: []org.Capability{{ID: "go"}}}, Profile: org.Profile{Kind: org.Specialist}}
		pm := org.Agent{Card: org.Card{AgentID: "agent:pm"}, Profile: org.Profile{Kind: org.Specialist}}
		if got := whyNot(c.choice, c.d, []org.Agent{pm, ken}); got != want {
			t.Errorf("whyNot() = %q, want %q", got, want)
		}
	}
}

func FuzzHead(f *testing.F) {
	f.Add("Grüße", 3)
	f.Fuzz(func(t *testing.T, s string, n int) {
		n = min(max(n, 0), 1000)
		s = strings.ToValidUTF8(s, "")
		if got := head(s, n); !utf8.ValidString(got) || len(got) > max(len(s), n+len("…")) {
			t.Errorf("head(%q, %d) = %q", s, n, got)
		}
	})
}
