package prompt_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chela/internal/clerk"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/tool"
	"chela/internal/tool/browser"
	toolchat "chela/internal/tool/chat"
	tooldesk "chela/internal/tool/desk"
	"chela/internal/tool/files"
	"chela/internal/tool/git"
	"chela/internal/tool/person"
	"chela/internal/tool/shell"
	"chela/internal/tool/web"
)

func TestDefaults(t *testing.T) {
	t.Parallel()
	want := []string{
		"ask-claw", "checklist-agent", "coder", "controller", "distiller", "generalist", "intake-triage", "objective-agent",
		"plan-agent", "pm", "reconcile-agent", "reminder", "resource-agent", "reviewer", "thread-agent", "thread-extractor",
	}
	var got []string
	owners := make(map[string]string) // capability → agent
	for _, a := range prompt.Defaults(none) {
		got = append(got, a.Card.AgentID.Name())
		if err := a.Check(); err != nil {
			t.Errorf("%s: %v", a.Card.AgentID, err)
		}
		if !a.Enabled || a.Card.Display.Desc == "" || a.Budget.MaxRuntimeSec != a.Card.Limits.MaxRuntimeSec {
			t.Errorf("%s is not complete", a.Card.AgentID)
		}
		if a.Kind != org.Specialist && len(a.Tools) > 0 {
			t.Errorf("%s answers a contract and has tools", a.Card.AgentID)
		}
		for _, c := range a.Card.Capabilities {
			if other, ok := owners[c.ID]; ok {
				t.Errorf("%s is of %s and of %s; routing by it would be a draw", c.ID, other, a.Card.AgentID)
			}
			owners[c.ID] = string(a.Card.AgentID)
		}
	}
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for skill, agent := range map[string]string{
		"skill:planning": "agent:pm", "skill:code": "agent:coder", "skill:triage": "agent:intake-triage", "skill:reconcile": "agent:reconcile-agent",
		"skill:objectives": "agent:objective-agent", "skill:capacity": "agent:resource-agent",
	} {
		if owners[skill] != agent {
			t.Errorf("%s is of %q, want %q", skill, owners[skill], agent)
		}
	}
}

// An objective agent that can neither create objectives nor read tickets is of no use.
func TestDefaults_ObjectiveAgentCanDoItsJob(t *testing.T) {
	t.Parallel()
	for _, a := range prompt.Defaults(none) {
		if a.Card.AgentID != "agent:objective-agent" {
			continue
		}
		for _, tool := range []string{"create_objective", "update_objective", "read_tickets", "read_objectives", "compute_coverage"} {
			if !a.MayUse(tool) {
				t.Errorf("it may not use %s", tool)
			}
		}
	}
}

func TestDefaults_AreFresh(t *testing.T) {
	t.Parallel()
	prompt.Defaults(none)[2].Tools[0] = "x"
	prompt.Defaults(none)[2].Card.Capabilities[0].Tags[0] = "x"
	if a := prompt.Defaults(none)[2]; a.Tools[0] == "x" || a.Card.Capabilities[0].Tags[0] == "x" {
		t.Error("what one caller changes another sees")
	}
}

// TestDefaults_Permissions: a default agent gets the permissions that its tools need, and no more.
func TestDefaults_Permissions(t *testing.T) {
	t.Parallel()
	b := browser.New(t.Context(), nil, nil, browser.Options{})
	tools := tool.NewSet(slices.Concat(files.Tools(), shell.Tools(nil), git.Tools(nil), web.Tools(nil), b.Tools(), person.Tools(),
		toolchat.Tools(nil, nil, nil), tooldesk.Tools(clerk.New(nil), nil, nil, nil))...)
	want := map[string]string{
		"coder": "browser file git network records shell", "ask-claw": "", "controller": "", "intake-triage": "", "reviewer": "",
	}
	for _, a := range prompt.Defaults(tools.Needs) {
		var got []string
		for _, p := range slices.Sorted(maps.Keys(a.Permissions)) {
			got = append(got, string(p))
		}
		expected, ok := want[a.Card.AgentID.Name()]
		if !ok {
			expected = "records"
		}
		if text := strings.Join(got, " "); text != expected {
			t.Errorf("%s has the permissions %q, want %q", a.Card.AgentID, text, expected)
		}
		if out := a.Card.Security.Network == "egress-allowed"; out != a.Permissions[org.Network] {
			t.Errorf("the card of %s lets it call out: %t, want %t", a.Card.AgentID, out, a.Permissions[org.Network])
		}
	}
}
