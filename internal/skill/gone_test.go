package skill_test

import (
	"context"
	"io/fs"
	"strings"
	"testing"

	"chela/internal/org"
	"chela/internal/skill"
	"chela/internal/tool"
)

// empty is a store in which nothing is installed.
type empty struct{ skill.Store }

func (empty) Skills(context.Context) ([]skill.Kept, error) { return nil, nil }

// TestRules_OneThatIsGone: an agent that follows a skill that was removed may only read, and is told why.
func TestRules_OneThatIsGone(t *testing.T) {
	t.Parallel()
	s := skill.New(skill.Parts{Store: empty{}, Workspace: func(org.AgentID) fs.FS { return nil }})
	rules, err := s.Rules(t.Context(), "agent:coder", []string{"counting"})
	if err != nil || len(rules) != 1 {
		t.Fatalf("got %+v (%v), want one rule", rules, err)
	}
	if got := rules[0].Refuses(tool.Spec{Name: "create_ticket", Risk: tool.WriteRecords}, tool.Act{}); !strings.Contains(got, "was removed or is not for you any more") {
		t.Errorf("got %q, want that it is gone", got)
	}
	if got := rules[0].Refuses(tool.Spec{Name: "read_tickets", Risk: tool.ReadOnly}, tool.Act{}); got != "" {
		t.Errorf("got %q for what only reads", got)
	}
}
