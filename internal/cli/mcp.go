package cli

import (
	"context"
	"net/url"

	"github.com/spf13/cobra"

	"chela/internal/cli/bridge"
	"chela/internal/gateway/client"
)

func (a *app) mcp() *cobra.Command {
	c := &cobra.Command{Use: "mcp", Short: "Serve editors by the Model Context Protocol, and use the tools of other servers"}
	c.AddCommand(a.mcpServe(), a.mcpInstall(), a.mcpList(), a.mcpAdd(), a.mcpInspect(), a.mcpLogin(), a.mcpAccept(), a.mcpRegister(), a.mcpShare(), a.mcpUnshare(), a.mcpRemove())
	return c
}

func (a *app) mcpServe() *cobra.Command {
	var agent string
	c := a.asked("serve", "Be an MCP server on stdin and stdout, for an editor that starts it; the running daemon answers", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		q := url.Values{}
		if agent != "" {
			q.Set("agent", agent)
		}
		if _, err := cl.Status(ctx); err != nil { // says how a daemon is started, or that the token is wrong
			return err
		}
		if a.project != "" {
			project, err := a.findProject(ctx, cl)
			if err != nil {
				return err
			}
			q.Set("project", project)
		}
		address := cl.Address() + "/mcp"
		if len(q) > 0 {
			address += "?" + q.Encode()
		}
		outliveReader()
		return bridge.New(cl, address, a.out).Run(ctx, a.in)
	})
	c.Flags().StringVarP(&agent, "agent", "a", "", "as whom tools are called; the first that may when empty")
	a.projectFlag(c)
	return c
}
