package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/agent"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/org"
	"chela/internal/talk"
)

func (a *app) tools() *cobra.Command {
	c := a.asked("tools", "List tools and the agents that may call them; call a tool as an agent", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.ListTools(ctx)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, t := range out {
				what := strings.ReplaceAll(strings.TrimSpace(t.Description), "\n", "\n"+strings.Repeat(" ", 41))
				a.printf("%-26s %-13s %s\n%27s%s\n", t.Name, t.Risk, what, "", cmp.Or(strings.Join(t.Agents, ", "), "nobody"))
			}
		})
	})
	c.AddCommand(a.callTool())
	return c
}

func (a *app) callTool() *cobra.Command {
	var as, key string
	c := a.asked("call TOOL [ARGUMENTS]", "Call a tool as an agent, without a model; the arguments are JSON", cobra.RangeArgs(1, 2), func(ctx context.Context, cl *client.Client, args []string) (err error) {
		in := json.RawMessage("{}")
		if len(args) == 2 {
			in = json.RawMessage(args[1])
		}
		if !json.Valid(in) {
			return fault.New(fault.Invalid, "The arguments are no JSON: %s", in)
		}
		q := client.InvokeToolQuery{Agent: as, Key: key}
		if a.project != "" {
			if q.Project, err = a.findProject(ctx, cl); err != nil {
				return err
			}
		}
		out, err := cl.InvokeTool(ctx, args[0], q, in)
		if err != nil {
			return err
		}
		failed := failedCall(out)
		if failed != nil && !a.json {
			return failed
		}
		return errors.Join(failed, a.print(out, func() { a.printf("%s\n", shownOutput(out.Output)) }))
	})
	c.Example = `chela tools call create_ticket '{"title":"Renew the certificate"}' -p "My project"`
	c.Flags().StringVarP(&as, "agent", "a", "", "as whom it is called; the first that may when empty")
	c.Flags().StringVar(&key, "key", "", "asked again under it, the call is not made again")
	a.projectFlag(c)
	return c
}

// failedCall says why a call gave nothing, and what is to be done.
func failedCall(c talk.Invoked) error {
	if asks, waits := strings.CutPrefix(c.Waits, "approval:"); waits {
		return fault.New(fault.Conflict, "%s Answer with `chela approval approve %s`; `chela why %s` tells what comes of it.", c.Error, asks, c.Run)
	}
	if !c.Success {
		return fault.New(fault.Invalid, "%s", cmp.Or(c.Error, "The call is "+string(c.State)+"."))
	}
	return nil
}

// shownOutput is a text as it is, and JSON with its members in lines.
func shownOutput(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

// examineAgents names the tools in lists of agents that are none: whoever wrote them meant another. Tools of MCP servers come and go.
func (a *app) examineAgents(ctx context.Context, cl *client.Client) []check {
	agents, err := cl.ListAgents(ctx)
	var tools []client.ToolOut
	if err == nil {
		tools, err = cl.ListTools(ctx)
	}
	if err != nil {
		return []check{{"agents", false, textOf(err)}}
	}
	known := []string{"*"}
	for _, t := range tools {
		known = append(known, t.Name)
	}
	isTool := func(name string) bool {
		return strings.Contains(name, org.Of) || agent.OfChildren(name) || slices.Contains(known, org.Whole(name))
	}
	var wrong []check
	for _, g := range agents {
		for _, list := range []struct {
			name  string
			tools []string
		}{{"tools", g.Tools}, {"tool_allowlist", g.Card.Security.ToolAllowlist}, {"tool_denylist", g.Card.Security.ToolDenylist}} {
			unknown := slices.DeleteFunc(slices.Clone(list.tools), isTool)
			if len(unknown) > 0 {
				wrong = append(wrong, check{"agents", false, fmt.Sprintf("The agent %s has in %s what is no tool: %s. `chela tools` lists the tools; correct it in org.yaml or on the agent's page.",
					g.Card.AgentID.Name(), list.name, strings.Join(unknown, ", "))})
			}
		}
	}
	return append([]check{{"agents", true, fmt.Sprintf("There are %d, with %d tools.", len(agents), len(tools))}}, wrong...)
}
