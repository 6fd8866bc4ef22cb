package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
	"chela/internal/notify"
)

func (a *app) inbox() *cobra.Command {
	var q client.ListNotificationsQuery
	c := a.asked("inbox", "List what concerns you: approvals, mentions, reminders, assignments, failed runs, due tickets", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.ListNotifications(ctx, q)
		if err != nil {
			return err
		}
		return a.notifications(ctx, cl, out)
	})
	c.Flags().BoolVar(&q.All, "all", false, "also what is done")
	c.Flags().IntVar(&q.Limit, "limit", 100, "how many")
	done := a.asked("done [NOTIFICATION…]", "Mark notifications as done; without a name all that are open", cobra.ArbitraryArgs, func(ctx context.Context, cl *client.Client, args []string) error {
		out, err := cl.SettleNotifications(ctx, client.SettleBody{IDs: args, State: "done"})
		if err != nil {
			return err
		}
		return a.notifications(ctx, cl, out)
	})
	c.AddCommand(done)
	return c
}

// notifications prints what concerns somebody, each with its project where there are several.
func (a *app) notifications(ctx context.Context, cl *client.Client, out client.InboxOut) error {
	if a.json {
		return a.print(out, nil)
	}
	all, err := listProjects(ctx, cl)
	if err != nil {
		return err
	}
	names := projectNames(all.Items)
	for _, n := range out.Items {
		a.printf("%s\n", inboxLine(n, names))
	}
	if len(out.Items) == 0 {
		a.printf("Nothing waits for you.\n")
	}
	return nil
}

// projectNames returns the names of projects by their ids, none where there is only one.
func projectNames(all []client.RecordOfProjectBody) map[string]string {
	names := make(map[string]string, len(all))
	if len(all) > 1 {
		for _, p := range all {
			names[p.ID] = p.Body.Name
		}
	}
	return names
}

// inboxLine is a notification in a line: whether it is new, when it came, its id, its project, and what it says.
func inboxLine(n notify.View, names map[string]string) string {
	mark := " "
	if n.ReadAt.IsZero() {
		mark = "*"
	}
	line := n.Line()
	if name := names[n.Project]; name != "" {
		line = name + ": " + line
	}
	return fmt.Sprintf("%s %s  %s  %s", mark, n.At.Local().Format("2006-01-02 15:04"), n.ID, line)
}
