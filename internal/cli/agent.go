package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/agent"
	"chela/internal/gateway/client"
	"chela/internal/org"
)

func (a *app) agents() *cobra.Command {
	c := &cobra.Command{Use: "agent", Short: "List agents with what they do, show one, enable or disable it; add one that works elsewhere, and be one"}
	c.AddCommand(a.asked("list", "List agents, with what they do now and what they cost today (UTC)", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		all, err := cl.ListAgents(ctx)
		if err != nil {
			return err
		}
		return a.print(all, func() {
			t := table{columns: []column{{head: "AGENT"}, {head: "KIND"}, {head: "STATE"}, {head: "USD TODAY", right: true}, {head: "DOES", gives: true}}}
			for _, m := range all {
				t.rows = append(t.rows, []string{m.Card.AgentID.Name(), m.Kind, m.Presence, atLeast(m.Today.CostUSD, m.Today.Unpriced), doing(m.Doing)})
			}
			a.tabulate(t, false)
		})
	}), a.asked("show AGENT", "Show what an agent is, may do and does; `chela prompt show` prints what it is told", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		m, err := cl.GetAgent(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(m, func() { a.agent(m) })
	}), a.switched("enable", "Enable an agent: it is given work again", true), a.switched("disable", "Disable an agent: what it does stops at its next step, and it is given no work", false), a.agentAdd(), a.agentWork())
	return c
}

// switched enables or disables an agent.
func (a *app) switched(verb, short string, on bool) *cobra.Command {
	return a.asked(verb+" AGENT", short, cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		m, err := cl.EditAgent(ctx, args[0], map[string]bool{"enabled": on})
		if err != nil {
			return err
		}
		return a.print(m, func() { a.printf("%s is %sd.\n", m.Card.AgentID.Name(), verb) })
	})
}

// doing says what an agent has in hand.
func doing(all []agent.Doing) string {
	if len(all) == 0 {
		return ""
	}
	out := fmt.Sprintf("%s (%s)", all[0].Title, all[0].State)
	if len(all) > 1 {
		out += fmt.Sprintf(" and %d more", len(all)-1)
	}
	return out
}

func (a *app) agent(m agent.Member) {
	state := "enabled"
	if !m.Enabled {
		state = "disabled"
	}
	a.printf("%s: %s, %s, %s\n", m.Card.AgentID.Name(), m.Card.Display.Name, m.Kind, state)
	bound := func(n float64, unit string) string {
		if n == 0 {
			return "no bound of " + unit
		}
		return fmt.Sprintf("%g %s", n, unit)
	}
	var may []string
	for _, p := range org.AllPermissions() {
		if m.Permissions[p] {
			may = append(may, p.Act())
		}
	}
	tools := slices.Sorted(slices.Values(m.Tools))
	for _, l := range [][2]string{
		{"does", m.Card.Display.Desc},
		{"model", m.Model},
		{"tools", strings.Join(tools, " ")},
		{"may", strings.Join(may, ", ")},
		{"a run", bound(float64(m.Budget.MaxTokens), "tokens") + ", " + bound(m.Budget.MaxCostUSD, "USD") + ", " + bound(float64(m.Budget.MaxRuntimeSec), "seconds")},
	} {
		if l[1] != "" {
			a.printf("%-6s %s\n", l[0], l[1])
		}
	}
}
