package cli

import (
	"context"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"chela/internal/cli/acp"
	"chela/internal/cli/terminal"
	"chela/internal/daemon"
	"chela/internal/editor"
	"chela/internal/gateway/client"
)

const acpHelp = `Speaks the Agent Client Protocol on stdin and stdout with an editor that starts it, such as Zed, a JetBrains IDE or Neovim. The
running daemon answers: a session of the editor is a conversation, which the page, the terminal and chats show as well. What is to be
approved is asked in the editor. A run goes on when the editor leaves; its session can be loaded again.

chela acp install zed|jetbrains puts it among the agents that the editor starts, after it has shown the change. docs/acp.md has the
settings of other editors.`

// outliveReader has a write to a pipe that nobody reads any more fail, where it would end the program by a signal: who speaks a protocol ends with its
// input, and in order.
func outliveReader() { signal.Ignore(syscall.SIGPIPE) }

func (a *app) acp() *cobra.Command {
	var agent string
	c := &cobra.Command{
		Use: "acp", Short: "Be the agent of an editor that speaks the Agent Client Protocol; the running daemon answers", Long: acpHelp, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			outliveReader()
			return acp.Run(cmd.Context(), acp.Options{
				Daemon: a.client, Agent: agent, Version: daemon.Version, Log: terminal.Cleaned(a.err),
				Project: func(ctx context.Context, cl *client.Client) (string, error) {
					if a.project == "" {
						return "", nil
					}
					return a.findProject(ctx, cl)
				},
			}, a.in, a.out)
		},
	}
	c.Flags().StringVarP(&agent, "agent", "a", "", "who answers in sessions that begin; the controller chooses when empty")
	a.projectFlag(c)
	c.AddCommand(a.install("agents", editor.Agents(), "who answers in sessions that begin; the controller chooses when empty", "acp"))
	return c
}
