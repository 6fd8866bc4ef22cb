package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
	"chela/internal/session"
)

func (a *app) sessions() *cobra.Command {
	c := &cobra.Command{Use: "session", Short: "List, close and reopen conversations"}
	c.AddCommand(a.sessionList(), a.sessionMove("close", "End a conversation; what is said to it is refused until it is reopened", (*client.Client).CloseSession),
		a.sessionMove("reopen", "Let a closed conversation go on", (*client.Client).ReopenSession))
	return c
}

func (a *app) sessionList() *cobra.Command {
	return a.asked("list", "List conversations, latest first", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.ListConversations(ctx, client.ListConversationsQuery{})
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, s := range out {
				a.printf("%s  %-6s %s  %s\n", s.ID, standing(s.Thread), s.UpdatedAt.Local().Format(time.DateTime), s.Title)
			}
			if len(out) == 0 {
				a.printf("There are none.\n")
			}
		})
	})
}

func standing(s session.Thread) string {
	if s.Closed {
		return "closed"
	}
	return "open"
}

func (a *app) sessionMove(word, short string, move func(cl *client.Client, ctx context.Context, id string) (session.Thread, error)) *cobra.Command {
	return a.asked(word+" CONVERSATION", short, cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		out, err := move(cl, ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(out, func() { a.printf("%s is %s.\n", out.ID, standing(out)) })
	})
}
