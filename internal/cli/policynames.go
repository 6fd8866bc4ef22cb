package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"chela/internal/gateway/client"
	"chela/internal/guard"
)

// strangers says which tools and agents a policy names that are not there: such a rule, folder or secret applies to nothing.
// Tools of MCP servers come and go, and are not looked for.
func strangers(p guard.Policy, tools, agents []string) []string {
	var out []string
	look := func(what string, named []string, word string, there []string) {
		for _, n := range named {
			head, open := strings.CutSuffix(n, "*")
			found := slices.ContainsFunc(there, func(t string) bool { return t == n || open && strings.HasPrefix(t, head) })
			if !found && !strings.Contains(n, "__") {
				out = append(out, fmt.Sprintf("%s names the %s %s, which is not there.", what, word, n))
			}
		}
	}
	for _, r := range p.Rules {
		look("The rule "+r.Name, r.Tools, "tool", tools)
		look("The rule "+r.Name, r.Agents, "agent", agents)
	}
	for _, f := range p.Folders {
		look("The granted folder "+f.Path, f.Agents, "agent", agents)
	}
	for _, s := range p.Secrets {
		look("The grant of the secret "+s.Name, s.Tools, "tool", tools)
		look("The grant of the secret "+s.Name, s.Agents, "agent", agents)
	}
	return out
}

// examineNames checks the names in the policy.
func examineNames(ctx context.Context, cl *client.Client, p guard.Policy) []check {
	tools, err := cl.ListTools(ctx)
	if err != nil {
		return []check{{"policy", false, textOf(err)}}
	}
	agents, err := cl.ListAgents(ctx)
	if err != nil {
		return []check{{"policy", false, textOf(err)}}
	}
	var callable, members []string
	for _, t := range tools {
		callable = append(callable, t.Name)
		for _, part := range t.Parts {
			callable = append(callable, part.Name)
		}
	}
	for _, a := range agents {
		members = append(members, a.Card.AgentID.Name(), string(a.Card.AgentID))
	}
	var out []check
	for _, text := range strangers(p, callable, members) {
		out = append(out, check{"policy", false, text})
	}
	return out
}
