package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/flow"
	"chela/internal/gateway/client"
)

func (a *app) sprint() *cobra.Command {
	var asOf string
	c := a.inProject("sprint [NAME]", "Show how far the sprints are, or one of them day by day", cobra.MaximumNArgs(1), func(ctx context.Context, cl *client.Client, project string, args []string) error {
		if len(args) == 1 {
			h, err := cl.Sprint(ctx, project, args[0], client.SprintQuery{AsOf: asOf})
			if err != nil {
				return err
			}
			return a.print(h, func() { a.health(h) })
		}
		out, err := cl.Sprints(ctx, project, client.SprintsQuery{AsOf: asOf})
		if err != nil {
			return err
		}
		return a.print(out, func() {
			if len(out.Items) == 0 {
				a.printf("No ticket, no objective and no plan names a sprint.\n")
			}
			for _, s := range out.Items {
				a.printf("%s\n", sprintLine(s))
			}
		})
	})
	c.Long = "Shows how far the sprints are, from the log: how much is in each, how much of it is done. With a name, day by day, and what came in and went out after its first day. A sprint begins and ends when its plan says so, else its objectives, else it begins with its first ticket. What was carried over from an earlier sprint is shown, too. Days are UTC."
	c.Example = "  chela sprint -p Payments\n  chela sprint \"Sprint 7\" -p Payments --as-of 2026-03-01"
	asOfFlag(c, &asOf)
	return c
}

// sprintLine is a sprint in one line.
func sprintLine(s flow.Sprint) string {
	var b strings.Builder
	b.WriteString(s.Name + "  " + strings.ToLower(string(s.State)))
	if s.Begin != "" {
		b.WriteString("  from " + string(s.Begin))
	}
	if s.End != "" {
		b.WriteString("  to " + string(s.End))
	}
	b.WriteString("  done " + amount(s.Done) + " of " + amount(s.Scope))
	if s.CarriedIn.Tickets > 0 {
		b.WriteString("  carried in " + amount(s.CarriedIn))
	}
	if s.CarriedOut.Tickets > 0 {
		b.WriteString("  carried out " + amount(s.CarriedOut))
	}
	return b.String()
}

func (a *app) health(h flow.Health) {
	a.printf("%s\n", sprintLine(h.Sprint))
	if h.Goal != "" {
		a.printf("goal: %s\n", h.Goal)
	}
	if h.End != "" && h.State == flow.SprintRunning {
		a.printf("left: %s, %s\n", amount(h.Left), plural(h.DaysLeft, "day"))
	}
	for _, p := range h.Away {
		a.printf("away: %s, %s of those left\n", p.Name, plural(p.Days, "working day"))
	}
	a.printf("scope: %s at first, came in %s, went out %s, new estimates %+g points\n", amount(h.Base), amount(h.In), amount(h.Out), h.Estimates)
	for _, d := range h.Days {
		a.printf("  %s  scope %s  done %s\n", d.Day, amount(d.Scope), amount(d.Done))
	}
	for _, c := range h.InTickets {
		a.printf("  carried in   %s  from %s\n", named(c.Ref, c.Title), strings.Join(c.Sprints, ", "))
	}
	for _, c := range h.OutTickets {
		a.printf("  carried out  %s  to %s\n", named(c.Ref, c.Title), strings.Join(c.Sprints, ", "))
	}
	for _, s := range h.Shifts {
		a.printf("  %s  %s  %s %+g points%s\n", s.At.UTC().Format("2006-01-02"), named(s.Ref, s.Title), strings.ToLower(strings.ReplaceAll(string(s.Kind), "_", " ")), s.Change.Points, other(s))
	}
}

// named is how people know a ticket: its key, where it has one, and its title.
func named(key, title string) string { return strings.TrimSpace(key + "  " + title) }

// other names the other sprint of a move.
func other(s flow.Shift) string {
	switch {
	case s.Other == "":
		return ""
	case s.Kind == flow.ShiftMovedOut:
		return "  to " + s.Other
	}
	return "  from " + s.Other
}

// amount says tickets with their points.
func amount(n flow.Amount) string {
	if n.Points == 0 {
		return plural(n.Tickets, "ticket")
	}
	return fmt.Sprintf("%s (%g points)", plural(n.Tickets, "ticket"), n.Points)
}

// plural says a number of things.
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
