package cli

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
	"chela/internal/session"
)

func (a *app) sessions() *cobra.Command {
	c := &cobra.Command{Use: "session", Short: "Conversations: list them, close them, let them go on"}
	c.AddCommand(a.sessionList(), a.sessionMove("close", "End a conversation; what is said to it is refused until it is reopened"),
		a.sessionMove("reopen", "Let a closed conversation go on"))
	return c
}

func (a *app) sessionList() *cobra.Command {
	return a.asked("list", "List the conversations, the last used first", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		var out []session.Thread
		if err := cl.Call(ctx, http.MethodGet, "/api/conversations", nil, &out); err != nil {
			return err
		}
		return a.print(out, func() {
			for _, s := range out {
				a.printf("%s  %-6s %s  %s\n", s.ID, standing(s), s.UpdatedAt.Local().Format(time.DateTime), s.Title)
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

func (a *app) sessionMove(word, short string) *cobra.Command {
	return a.asked(word+" CONVERSATION", short, cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		var out session.Thread
		if err := cl.Call(ctx, http.MethodPost, "/api/sessions/"+url.PathEscape(args[0])+"/"+word, nil, &out); err != nil {
			return err
		}
		return a.print(out, func() { a.printf("%s is %s.\n", out.ID, standing(out)) })
	})
}
