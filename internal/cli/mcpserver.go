package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/mcp"
	"chela/internal/org"
	"chela/internal/tool"
	"chela/internal/worker"
)

// how is how a server is reached, in a line.
func how(s mcp.Server) string {
	switch {
	case s.URL != "":
		return s.URL
	case s.Worker != nil:
		return "fetches its tasks"
	}
	return strings.Join(s.Command, " ")
}

// serverState is how a server is doing, in a few words.
func serverState(s mcp.State) string {
	switch {
	case s.Disabled:
		return "disabled"
	case s.Login:
		return "asks for a login"
	case s.Failures > 0:
		return fmt.Sprintf("failed %d times", s.Failures)
	case s.Seen.Digest == "":
		return "not looked at"
	case len(s.Changes) > 0:
		return fmt.Sprintf("%d changes to accept", len(s.Changes))
	case s.Connected:
		return "connected"
	}
	return "ready"
}

// asksAt says that a server may ask people, at the end of a line.
func asksAt(s mcp.State) string {
	if !s.Elicitation {
		return ""
	}
	return "  may put forms to people"
}

func (a *app) mcpList() *cobra.Command {
	return a.asked("list", "List the MCP servers whose tools agents use", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		all, err := cl.ListMcpServers(ctx)
		if err != nil {
			return err
		}
		return a.print(all, func() {
			for _, s := range all {
				a.printf("%-16s %-22s %3d tools  %s%s\n", s.Name, serverState(s), len(s.Offered()), how(s.Server), sharedAt(s)+asksAt(s))
				if s.Problem != "" {
					a.printf("  %s\n", s.Problem)
				}
			}
			if len(all) == 0 {
				a.printf("There is none. `chela mcp add NAME --url URL`, or `chela mcp add NAME -- PROGRAM ARGUMENTS`, adds one.\n")
			}
		})
	})
}

// pairs reads NAME=VALUE flags.
func pairs(flag string, in []string) (map[string]string, error) {
	out := make(map[string]string)
	for _, p := range in {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			return nil, fault.BadField(flag, fmt.Sprintf("--%s has the form NAME=VALUE, not %q.", flag, p))
		}
		out[name] = value
	}
	return out, nil
}

func (a *app) mcpAdd() *cobra.Command {
	var s mcp.Server
	var env, secrets, risks []string
	var risk string
	var login mcp.OAuth
	var about worker.About
	c := a.asked("add NAME [-- PROGRAM ARGUMENTS…]", "Add an MCP server, or change the one of that name, and look at its tools", cobra.MinimumNArgs(1), func(ctx context.Context, cl *client.Client, args []string) (err error) {
		s.Name, s.Command, s.Risk = args[0], args[1:], tool.Risk(risk)
		if login != (mcp.OAuth{}) {
			s.OAuth = &login
		}
		if about.Does != "" || len(about.Skills) > 0 {
			s.Worker = &about
		}
		if s.Env, err = pairs("env", env); err != nil {
			return err
		}
		if s.Secrets, err = pairs("secret", secrets); err != nil {
			return err
		}
		of, err := pairs("tool-risk", risks)
		if err != nil {
			return err
		}
		s.Risks = make(map[string]tool.Risk)
		for name, r := range of {
			s.Risks[name] = tool.Risk(r)
		}
		if _, err := cl.SetMcpServer(ctx, s); err != nil {
			return err
		}
		out, err := cl.InspectMcpServer(ctx, s.Name)
		if err != nil {
			a.complain("The server %s is kept, but cannot be looked at now.\n", s.Name)
			return err
		}
		return a.print(out, func() { a.showServer(out) })
	})
	c.Example = "chela mcp add hub --url https://hub.example/mcp --secret Authorization=HUB_TOKEN\nchela mcp add box --network --secret GITHUB_TOKEN=GITHUB -- npx -y @example/server\nchela mcp add partner --a2a --url https://partner.example/a2a/planner --secret Authorization=PARTNER_TOKEN"
	f := c.Flags()
	f.StringVar(&s.URL, "url", "", "address of a server over HTTP")
	f.BoolVar(&s.SSE, "sse", false, "it speaks the older transport")
	f.BoolVar(&s.A2A, "a2a", false, "the address is that of an agent of others who speaks A2A, or of its card")
	f.StringVar(&about.Does, "worker", "", "what an agent elsewhere does that has no address and fetches its tasks")
	f.StringSliceVar(&about.Skills, "skill", nil, "what it can be asked for, such as code_review")
	f.BoolVar(&s.Inside, "inside", false, "its address may lie inside")
	f.BoolVar(&s.Network, "network", false, "the program may call out")
	f.StringArrayVar(&s.Folders, "folder", nil, "absolute folder that the program may read")
	f.StringArrayVar(&env, "env", nil, "NAME=VALUE, variable of the program, in clear")
	f.StringArrayVar(&secrets, "secret", nil, "NAME=SECRET, the variable of the program, or the header, that gets a secret of the vault")
	f.StringVar(&login.ClientID, "client-id", "", "as which client a login is asked for; we are registered when empty")
	f.StringVar(&login.Secret, "client-secret", "", "name of the secret of the vault with the client's secret")
	f.StringVar(&risk, "risk", "", "what a call does at worst; NETWORK_CALLS when empty")
	f.StringArrayVar(&risks, "tool-risk", nil, "TOOL=RISK, of one tool")
	f.IntVar(&s.Seconds, "seconds", 0, "how long a call may take; 60 when 0")
	f.BoolVar(&s.Elicitation, "elicitation", false, "let it put forms to the person for whom an agent calls it; never those that ask for secrets")
	f.BoolVar(&s.Disabled, "disabled", false, "offer none of its tools")
	return c
}

func (a *app) mcpInspect() *cobra.Command {
	return a.asked("inspect NAME", "Connect to an MCP server now, and show its tools and what of them is not accepted", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		out, err := cl.InspectMcpServer(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(out, func() { a.showServer(out) })
	})
}

func (a *app) mcpLogin() *cobra.Command {
	return a.asked("login NAME", "Log in to an MCP server that asks for it, in a browser", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		at, err := cl.LoginMcpServer(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(at, func() {
			a.printf("Open this address in a browser and log in:\n\n%s\n\nThen `chela mcp inspect %s` shows the server's tools.\n", at.URL, args[0])
		})
	})
}

// showServer shows a server, its tools and what is to be accepted.
func (a *app) showServer(s mcp.State) {
	a.printf("%s, %s: %s%s\n", s.Name, serverState(s), how(s.Server), asksAt(s))
	for _, d := range s.Seen.Tools {
		mark := " "
		if !s.AcceptedAs(d) {
			mark = "?"
		}
		line, _, _ := strings.Cut(strings.TrimSpace(d.Description), "\n")
		a.printf("%s %-32s %-13s %s\n", mark, mcp.Line(d.Name), s.RiskOf(d.Name), mcp.Line(line))
	}
	for name, why := range s.Seen.LeftOut {
		a.printf("x %-32s %s\n", name, why)
	}
	for _, c := range s.Changes {
		a.printf("\n%s is %s:\n", mcp.Line(c.Name), c.What)
		a.printf("%s", c.Diff)
	}
	if len(s.Changes) > 0 {
		a.printf("\nWhat is marked ? is offered to no agent. `chela mcp accept %s %.12s` accepts it.\n", s.Name, s.Seen.Digest)
	}
}

func (a *app) mcpAccept() *cobra.Command {
	c := a.asked("accept NAME DIGEST", "Accept the tools of an MCP server as `chela mcp inspect` showed them under a digest", cobra.ExactArgs(2), func(ctx context.Context, cl *client.Client, args []string) error {
		all, err := cl.ListMcpServers(ctx)
		if err != nil {
			return err
		}
		digest := args[1]
		for _, s := range all { // the first 12 characters do
			if s.Name == args[0] && len(digest) >= 12 && strings.HasPrefix(s.Seen.Digest, digest) {
				digest = s.Seen.Digest
			}
		}
		out, err := cl.AcceptMcpTools(ctx, args[0], client.MCPDigest{Digest: digest})
		if err != nil {
			return err
		}
		return a.print(out, func() {
			a.printf("%d tools of %s are accepted. An agent may use them whose list of tools names %s__*, or single ones.\n", len(out.Offered()), out.Name, out.Name)
		})
	})
	return c
}

func (a *app) mcpRegister() *cobra.Command {
	var as string
	c := a.asked("register NAME", "Register the agent elsewhere behind a server, so that it is given work as your agents are", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		out, err := cl.RegisterMcpAgent(ctx, args[0], client.MCPRegister{As: &as})
		if err != nil {
			return err
		}
		return a.print(out, func() {
			var skills []string
			for _, x := range out.Card.Capabilities {
				skills = append(skills, x.ID)
			}
			a.printf("%s is registered: %s\n", out.Card.AgentID.Name(), out.Card.Display.Name)
			if len(skills) > 0 {
				a.printf("It is chosen for %s.\n", strings.Join(skills, ", "))
			}
			a.printf("`chela chat --agent %s` speaks with it.\n", out.Card.AgentID.Name())
		})
	})
	c.Example = "chela mcp register partner --as ken"
	c.Flags().StringVar(&as, "as", "", "its name among your agents; that of the server when empty")
	return c
}

func (a *app) mcpRemove() *cobra.Command {
	return a.asked("remove NAME", "Delete an MCP server", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		return cl.RemoveMcpServer(ctx, args[0])
	})
}

// again says when a server that failed is tried again: at a call, but not before retry.
func again(retry *time.Time, now time.Time) string {
	switch {
	case retry == nil:
		return ""
	case retry.After(now):
		return " It is tried again at the first call after " + retry.Local().Format(time.TimeOnly) + "."
	}
	return " It is tried again at the next call."
}

// unreached names the agents that work elsewhere and whose server is not there, or offers nothing.
func unreached(ctx context.Context, cl *client.Client, servers []mcp.State) (out []check, err error) {
	agents, err := cl.ListAgents(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range agents {
		if a.Server == "" || !a.Enabled {
			continue
		}
		if !slices.ContainsFunc(servers, func(s mcp.State) bool { return s.Name == a.Server && len(s.Offered()) > 0 }) {
			out = append(out, check{"mcp", false, fmt.Sprintf("The agent %s is given no work: its server %s is not there, is disabled, or is not accepted; `chela mcp list`.", a.Card.AgentID.Name(), a.Server)})
		}
	}
	return out, nil
}

// unfetched names the workers whose tasks nobody fetches: they have no key, or it was not used for a day. Only admins see all keys.
func unfetched(ctx context.Context, cl *client.Client, servers []mcp.State) (out []check, err error) {
	me, err := cl.Me(ctx)
	if err != nil || !org.Role(me.Role).AtLeast(org.Admin) {
		return nil, err
	}
	agents, err := cl.ListAgents(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := cl.ListKeys(ctx)
	if err != nil {
		return nil, err
	}
	for _, a := range agents {
		name := a.Card.AgentID.Name()
		if !a.Enabled || !slices.ContainsFunc(servers, func(s mcp.State) bool { return s.Name == a.Server && s.Worker != nil && !s.Disabled }) {
			continue
		}
		last, has := time.Time{}, false
		for _, k := range keys {
			if has = has || k.Agent == a.Card.AgentID; k.Agent == a.Card.AgentID && k.Used != nil && k.Used.After(last) {
				last = *k.Used
			}
		}
		switch {
		case !has:
			out = append(out, check{"mcp", false, fmt.Sprintf("Nobody can fetch the tasks of %s: it has no key. `chela key make NAME --agent %s` makes one.", name, name)})
		case last.IsZero():
			out = append(out, check{"mcp", false, fmt.Sprintf("Nobody has fetched a task of %s yet. `chela agent work %s -- PROGRAM` does, with its key.", name, name)})
		case time.Since(last) > worker.Life+time.Hour:
			out = append(out, check{"mcp", false, fmt.Sprintf("Nobody has fetched a task of %s since %s. Tasks wait for a day.", name, last.Local().Format(time.DateTime))})
		}
	}
	return out, nil
}

// examineMCP checks that the MCP servers can be reached, and that nothing waits for an owner.
func (a *app) examineMCP(ctx context.Context, cl *client.Client) []check {
	all, err := cl.ListMcpServers(ctx)
	if err != nil {
		return []check{{"mcp", false, textOf(err)}}
	}
	var out []check
	used := 0
	for _, s := range all {
		if s.Disabled {
			continue
		}
		used++
		switch {
		case s.Failures > 0:
			out = append(out, check{"mcp", false, s.Problem + again(s.Retry, time.Now()) + " `chela mcp inspect " + s.Name + "` tries it now."})
		case s.Seen.Digest == "":
			out = append(out, check{"mcp", false, "Nobody has looked at the tools of " + s.Name + "; `chela mcp inspect " + s.Name + "`."})
		case len(s.Changes) > 0:
			out = append(out, check{"mcp", false, fmt.Sprintf("%d tools of %s are not offered until an owner accepts them; `chela mcp inspect %s`.", len(s.Changes), s.Name, s.Name)})
		}
		if s.Elicitation && s.Timeout() < mcp.TimeToAsk {
			out = append(out, check{"mcp", false, fmt.Sprintf("%s may put forms to people, but a call takes up to %s, in which few answer; add it again with `--seconds 600`.", s.Name, s.Timeout())})
		}
		out = append(out, a.examineShare(ctx, cl, s)...)
	}
	gone, err := unreached(ctx, cl, all)
	if err != nil {
		return append(out, check{"mcp", false, textOf(err)})
	}
	idle, err := unfetched(ctx, cl, all)
	if err != nil {
		return append(out, check{"mcp", false, textOf(err)})
	}
	out = append(append(out, gone...), idle...)
	if used == 0 && len(out) == 0 {
		return []check{{"mcp", true, "No MCP server is used."}}
	}
	return append([]check{{"mcp", true, fmt.Sprintf("%d MCP servers are used.", used)}}, out...)
}
