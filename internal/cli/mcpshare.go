package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
	"chela/internal/mcp"
	"chela/internal/org"
	"chela/internal/tool"
)

// sharedPath is where a shared server is, below the daemon's address.
func sharedPath(name string) string { return "/mcp/servers/" + name }

// sharedAt says where a server is shared, at the end of a line.
func sharedAt(s mcp.State) string {
	if s.Share == nil {
		return ""
	}
	return "  shared at " + sharedPath(s.Name)
}

func (a *app) mcpShare() *cobra.Command {
	var s mcp.Share
	var role string
	c := a.asked("share NAME", "Share an MCP server with programs that have a key, at "+sharedPath("NAME")+", or edit what of it is shared", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		s.Role = org.Role(role)
		out, err := cl.ShareMcpServer(ctx, args[0], s)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			a.printf("%s is shared at %s%s with the role %s and above: %d tools, by a key of Chela (`chela key make`) as a bearer token.\n", out.Name, cl.Address(), sharedPath(out.Name), out.Share.Least(), len(shownTools(out)))
			for _, c := range a.examineShare(ctx, cl, out) {
				a.printf("%s\n", c.Text)
			}
		})
	})
	c.Example = "chela mcp share hub --tool search --tool read --resources"
	f := c.Flags()
	f.StringVar(&role, "role", "", "the least role of who uses it; editor when empty")
	f.StringArrayVar(&s.Tools, "tool", nil, "a tool that is offered, by the server's name for it; all that are accepted when left out")
	f.BoolVar(&s.Resources, "resources", false, "offer its resources, of which nobody accepts each")
	f.BoolVar(&s.Prompts, "prompts", false, "offer its prompts, of which nobody accepts each")
	f.BoolVar(&s.Questions, "questions", false, "let it put questions to the user of the caller's client; never to people of the organization")
	f.BoolVar(&s.Models, "models", false, "let it ask the model of the caller's client; never one of ours")
	f.BoolVar(&s.Roots, "roots", false, "let it ask the caller's client for its folders")
	return c
}

func (a *app) mcpUnshare() *cobra.Command {
	return a.asked("unshare NAME", "End the sharing of an MCP server", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		_, err := cl.UnshareMcpServer(ctx, args[0])
		return err
	})
}

// shownTools are the names among ours of the tools that a shared server offers to callers.
func shownTools(s mcp.State) []string {
	sharing, ok := s.Shared(tool.LocalNames(s.Name, s.Offers()))
	if !ok {
		return nil
	}
	out := make([]string, len(sharing.Tools))
	for i, t := range sharing.Tools {
		out[i] = t.Ours
	}
	return out
}

// examineShare checks that callers of a shared server find something: tools that are accepted, and that an agent may call.
func (a *app) examineShare(ctx context.Context, cl *client.Client, s mcp.State) []check {
	if s.Share == nil || s.Disabled {
		return nil
	}
	bad := func(text string) []check { return []check{{"mcp", false, text}} }
	tools := shownTools(s)
	for _, name := range s.Share.Tools {
		if !slices.ContainsFunc(s.Offered(), func(d mcp.Definition) bool { return d.Name == name }) {
			return bad("The tool " + mcp.Line(name) + " of " + s.Name + " is shared, but is none that is accepted; `chela mcp inspect " + s.Name + "`.")
		}
	}
	if len(tools) == 0 && !s.Share.Resources && !s.Share.Prompts {
		return bad(s.Name + " is shared, but no tool of it is accepted, so callers are offered none; `chela mcp inspect " + s.Name + "`.")
	}
	agents, err := cl.ListAgents(ctx)
	if err != nil {
		return bad(textOf(err))
	}
	var nobody []string
	for _, t := range tools {
		may := func(o client.AgentOut) bool {
			var as org.Agent
			as.Card, as.Tools = o.Card, o.Tools
			return o.Enabled && as.MayUse(t)
		}
		if !slices.ContainsFunc(agents, may) {
			nobody = append(nobody, t)
		}
	}
	if len(nobody) > 0 {
		return bad("No enabled agent may call " + strings.Join(nobody[:min(len(nobody), 3)], ", ") + ", so callers of " + s.Name + " are not offered them. Give an agent " + s.Name + "__*.")
	}
	return nil
}
