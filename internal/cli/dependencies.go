package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
)

func (a *app) dependencies() *cobra.Command {
	var asOf string
	c := a.inProject("dependencies", "Show which open tickets wait for which, step by step", cobra.NoArgs, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		out, err := cl.Dependencies(ctx, project, client.DependenciesQuery{AsOf: asOf})
		if err != nil {
			return err
		}
		return a.print(out, func() {
			names := make(map[string]string)
			for _, t := range out.Tickets {
				names[t.TicketID] = cmp.Or(t.Ref, t.Title)
			}
			named := func(ids []string, between string) string {
				var all []string
				for _, id := range ids {
					all = append(all, names[id])
				}
				return strings.Join(all, between)
			}
			for _, t := range out.Tickets {
				waits := ""
				if len(t.WaitsFor) > 0 {
					waits = "  waits for " + named(t.WaitsFor, ", ")
				}
				a.printf("%d  %-10s %-11s %s%s\n", t.Step, t.Ref, statusWord(string(t.Status)), t.Title, waits)
			}
			for _, c := range out.Circles {
				a.printf("These wait for each other, so that none can begin: %s\n", named(c, ", "))
			}
			if len(out.Tickets) == 0 {
				a.printf("No open ticket waits for another.\n")
			} else if len(out.Longest) > 0 {
				a.printf("The longest chain: %s\n", named(out.Longest, " → "))
			}
		})
	})
	asOfFlag(c, &asOf)
	return c
}
