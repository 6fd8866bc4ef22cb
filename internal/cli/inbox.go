package cli

import (
	"context"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
)

func (a *app) inbox() *cobra.Command {
	var q client.ListNotificationsQuery
	c := a.asked("inbox", "List what concerns you: approvals, mentions, assignments, failed runs, due tickets", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.ListNotifications(ctx, q)
		if err != nil {
			return err
		}
		return a.print(out, func() { a.notifications(out) })
	})
	c.Flags().BoolVar(&q.All, "all", false, "also what is done")
	c.Flags().IntVar(&q.Limit, "limit", 100, "how many")
	done := a.asked("done [NOTIFICATION…]", "Mark notifications as done; without a name all that are open", cobra.ArbitraryArgs, func(ctx context.Context, cl *client.Client, args []string) error {
		out, err := cl.SettleNotifications(ctx, client.SettleBody{IDs: args, State: "done"})
		if err != nil {
			return err
		}
		return a.print(out, func() { a.notifications(out) })
	})
	c.AddCommand(done)
	return c
}

func (a *app) notifications(out client.InboxOut) {
	for _, n := range out.Items {
		mark := " "
		if n.ReadAt.IsZero() {
			mark = "*"
		}
		a.printf("%s %s  %s  %s\n", mark, n.At.Local().Format("2006-01-02 15:04"), n.ID, n.Line())
	}
	if len(out.Items) == 0 {
		a.printf("Nothing waits for you.\n")
	}
}
