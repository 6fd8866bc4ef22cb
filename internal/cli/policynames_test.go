package cli

import (
	"slices"
	"testing"

	"chela/internal/guard"
)

// TestStrangers: names in the policy that nothing has are told; patterns, parts and tools of MCP servers are none.
func TestStrangers(t *testing.T) {
	t.Parallel()
	p := guard.Policy{
		Rules: []guard.Rule{
			{Name: "typo", Tools: []string{"shel_exec", "git_*", "memory_recall", "hub__search", "hub__*", "*"}, Agents: []string{"coder", "agent:coder", "cdoer"}},
			{Name: "none", Tools: []string{"gti_*"}},
		},
		Folders: []guard.FolderGrant{{Path: "/src", Agents: []string{"pm"}}},
		Secrets: []guard.SecretGrant{{Name: "KEY", Tools: []string{"shell_exec"}, Agents: []string{"coder"}}},
	}
	got := strangers(p, []string{"shell_exec", "git_log", "memory", "memory_recall"}, []string{"coder", "agent:coder"})
	want := []string{
		"The rule typo names the tool shel_exec, which is not there.",
		"The rule typo names the agent cdoer, which is not there.",
		"The rule none names the tool gti_*, which is not there.",
		"The granted folder /src names the agent pm, which is not there.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
