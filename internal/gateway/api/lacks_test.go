package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// hopeless is a workflow of which no step can be done in a fresh organization, but the last.
const hopeless = `slug: hopeless
name: Hopeless
description: Nobody can do it.
steps:
  - id: call
    tool: {name: create_ticket, agent: reviewer, args: {title: x}}
  - id: shell
    needs: [call]
    tool: {name: shell_exec, args: {command: "cd /tmp && chela-no-such-program --now | cat"}}
  - id: fly
    needs: [shell]
    agent: {requires: ["skill:fly"], task: Fly.}
  - id: write
    needs: [fly]
    agent: {name: pm, task: Write.}
    review:
      by: [{person: Nobody Known}]
      criteria: It is short.
    contract:
      - {name: there, record: {id: tkt_none}}
  - id: fine
    needs: [write]
    wait: {person: {ask: Is it fine?, role: owner}}
`

// TestWorkflow_CheckSaysWhatCanNeverBeDone names each step that lacks what it needs, with its line, and is no reason to refuse the file.
func TestWorkflow_CheckSaysWhatCanNeverBeDone(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var out struct {
		Problems []struct{ Text string }
		Lacks    []string
	}
	e.call(e.owner, http.MethodPost, "/api/workflows/check", map[string]string{"source": hopeless}, &out)
	if len(out.Problems) > 0 {
		t.Fatalf("the file itself is refused: %+v", out.Problems)
	}
	for begin, has := range map[string]string{
		"The step call, line 5: ":   "The agent reviewer may not call create_ticket",
		"The step shell, line 7: ":  "chela-no-such-program",
		"The step fly, line 10: ":   "skill:fly",
		"The step write, line 13: ": "no person named Nobody Known",
		`The step write, line 13: The check "there" can never be met here.`: "tkt_none",
	} {
		if !slices.ContainsFunc(out.Lacks, func(s string) bool { return strings.HasPrefix(s, begin) && strings.Contains(s, has) }) {
			t.Errorf("it does not say %q with %q: %q", begin, has, out.Lacks)
		}
	}
	if len(out.Lacks) != 5 {
		t.Errorf("%d things are lacking, want 5: %q", len(out.Lacks), out.Lacks)
	}
}
