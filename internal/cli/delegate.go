package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/gateway/client"
)

func (a *app) delegate() *cobra.Command {
	var text string
	c := a.inProject("delegate TICKET [AGENT]", "Hand a ticket to an agent, or list how agents stand with it", cobra.RangeArgs(1, 2), func(ctx context.Context, cl *client.Client, project string, args []string) error {
		id, err := recordNamed(ctx, cl, project, args[0])
		if err != nil {
			return err
		}
		if len(args) == 2 {
			out, err := cl.DelegateTicket(ctx, project, id, client.DelegateBody{Agent: args[1], Text: &text})
			if err != nil {
				return err
			}
			return a.print(out, func() {
				a.printf("%s is asked, in a comment on the ticket. What it answers stands there: chela comment %s\n", out.Agent, args[0])
			})
		}
		all, err := cl.ListDelegated(ctx, project, id)
		if err != nil {
			return err
		}
		return a.print(all, func() {
			for _, d := range all {
				a.printf("%s  %s\n", d.Agent, strings.TrimSpace(d.State+"  "+cmp.Or(d.Reason, d.RunID)))
				if d.ApprovalID != "" {
					a.printf("  chela approval show %s\n", d.ApprovalID)
				}
			}
			if len(all) == 0 {
				a.printf("No agent was asked to do it. chela delegate %s AGENT hands it to one.\n", args[0])
			}
		})
	})
	c.Flags().StringVarP(&text, "message", "m", "", "what it is to do; \"Please do this ticket.\" when left out")
	c.Long = "Hands a ticket, which is named by its key or its id, to an agent: a comment of yours mentions the agent, and it begins. Its answer stands on the ticket as a comment, and what it asks is in your inbox. Without an agent, those that were asked are listed, with how they stand."
	c.Example = "  chela delegate PAY-202 coder\n  chela delegate PAY-202 coder -m 'Mend this, with a test.'\n  chela delegate PAY-202"
	return c
}
