package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/gateway/client"
)

func (a *app) reconcile() *cobra.Command {
	c := &cobra.Command{Use: "reconcile", Short: "Decide where a newer export and tickets were both changed"}
	c.AddCommand(a.reconcileList(), a.reconcileShow(), a.reconcileDecide())
	return c
}

func (a *app) reconcileList() *cobra.Command {
	return a.inProject("list", "List the exports that were compared with the tickets, and what is left to decide", cobra.NoArgs, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		all, err := cl.ListReconciliations(ctx, project, client.ListReconciliationsQuery{Newest: true, Limit: 50})
		if err != nil {
			return err
		}
		return a.print(all, func() {
			if len(all.Items) == 0 {
				a.printf("No export was compared with tickets that differ.\n")
			}
			for _, r := range all.Items {
				open := 0
				for _, c := range r.Body.Conflicts {
					if c.Open() {
						open++
					}
				}
				a.printf("%s  %s  %s  %d to decide\n", r.ID, r.CreatedAt.Format("2006-01-02"), strings.TrimSpace(r.Body.SourceType+" "+r.Body.Part), open)
			}
		})
	})
}

func (a *app) reconcileShow() *cobra.Command {
	return a.inProject("show RECONCILIATION", "Show what is left to decide, numbered from 0, both sides of each", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, project string, args []string) error {
		r, err := cl.GetReconciliation(ctx, project, args[0], client.GetReconciliationQuery{})
		if err != nil {
			return err
		}
		return a.print(r, func() {
			open := 0
			for i, c := range r.Body.Conflicts {
				if c.Open() {
					open++
					a.printf("%d  ", i)
					a.differs(c.Title, c.Field, c.Ticket, c.Source)
				}
			}
			if open == 0 {
				a.printf("Nothing is left to decide.\n")
			}
		})
	})
}

func (a *app) reconcileDecide() *cobra.Command {
	c := a.inProject("decide RECONCILIATION mine|theirs [NUMBER…]", "Keep what tickets say, or take what the source says", cobra.MinimumNArgs(2), func(ctx context.Context, cl *client.Client, project string, args []string) error {
		taken := desk.Taken(strings.ToUpper(args[1]))
		if !slices.Contains([]desk.Taken{desk.Mine, desk.Theirs}, taken) {
			return fault.New(fault.Invalid, "%q is neither mine nor theirs.", args[1])
		}
		body := client.ConflictsBody{Take: string(taken)}
		for _, n := range args[2:] {
			i, err := strconv.Atoi(n)
			if err != nil {
				return fault.New(fault.Invalid, "%q is no number; `chela reconcile show %s` numbers what is left to decide.", n, args[0])
			}
			body.Conflicts = append(body.Conflicts, i)
		}
		r, err := cl.DecideConflicts(ctx, project, args[0], body)
		if err != nil {
			return err
		}
		return a.print(r, func() {
			open := 0
			for _, c := range r.Body.Conflicts {
				if c.Open() {
					open++
				}
			}
			a.printf("Decided. %d left to decide.\n", open)
		})
	})
	c.Long = "Decides where a newer export and a person both changed a field since the last import. Numbers are those of `chela reconcile show`; without any, all that is open is decided."
	c.Example = "  chela reconcile decide rcn_… theirs 0 3 -p Payments\n  chela reconcile decide rcn_… mine -p Payments"
	return c
}
