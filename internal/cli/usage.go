package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/agent"
	"chela/internal/gateway/client"
)

func (a *app) usage() *cobra.Command {
	var by []string
	var days int
	c := a.asked("usage", "Sum what calls of models used, by day, agent, model, project, person or key", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		q := client.UsageQuery{By: by, Since: time.Now().AddDate(0, 0, -days).UTC()}
		if a.project != "" {
			id, err := a.findProject(ctx, cl)
			if err != nil {
				return err
			}
			q.Project = id
		}
		out, err := cl.Usage(ctx, q)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, u := range out {
				a.printf("%-40s %6d calls  %9d in  %9d out  %14s%s\n", usedBy(u), u.Calls, u.InputTokens, u.OutputTokens, atLeast(u.CostUSD, u.Unpriced)+" USD", unpriced(u.Unpriced))
			}
			if len(out) == 0 {
				a.printf("No model was asked in the last %s.\n", plural(days, "day"))
			}
		})
	})
	c.Flags().StringSliceVar(&by, "by", []string{"agent"}, "any of day, agent, model, project, person and key, with commas between")
	c.Flags().IntVar(&days, "days", 30, "how many days back")
	c.Flags().StringVarP(&a.project, "project", "p", "", "only of this project, by name or id")
	return c
}

// atLeast is what calls cost, of which some may have no known price.
func atLeast(usd float64, unpriced int) string {
	if unpriced > 0 {
		return fmt.Sprintf("at least %.4f", usd)
	}
	return fmt.Sprintf("%.4f", usd)
}

// unpriced says of how many calls the price is not known, after a sum.
func unpriced(calls int) string {
	if calls == 0 {
		return ""
	}
	return "; the price of " + plural(calls, "call") + " is not known"
}

// usedBy is what a sum is of, in a few words.
func usedBy(u agent.Usage) string {
	var out []string
	if u.Day != nil {
		out = append(out, u.Day.Format(time.DateOnly))
	}
	for _, s := range []string{strings.TrimPrefix(u.Agent, "agent:"), u.Model, u.Project, strings.TrimPrefix(u.Person, "agent:"), u.Key} {
		if s != "" {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return "-"
	}
	return strings.Join(out, "  ")
}
