package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/budget"
	"chela/internal/fault"
	"chela/internal/gateway/client"
)

func (a *app) budgets() *cobra.Command {
	c := &cobra.Command{Use: "budget", Short: "List and set budgets"}
	c.AddCommand(a.budgetList(), a.budgetSet(), a.budgetRemove())
	return c
}

func (a *app) budgetList() *cobra.Command {
	return a.asked("list", "List the budgets with what is used and reserved", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.ListBudgets(ctx)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, b := range out {
				a.printf("%-28s %s\n", budgetNamed(b), limitOf(b).Text())
				if b.Problem != "" {
					a.printf("  %s\n", b.Problem)
				}
				if b.Per != string(budget.Run) {
					a.printf("  used      %s\n  reserved  %s\n", amounts(b.Used), amounts(b.Reserved))
				}
			}
			if len(out) == 0 {
				a.printf("Nothing is limited. `chela budget set organization --per day --usd 5` would be a beginning.\n")
			}
		})
	})
}

// budgetNamed is how people name a budget: as its id, with a project by its name.
func budgetNamed(b client.BudgetOut) string {
	if b.Name == "" {
		return b.ID
	}
	return b.Scope + ":" + b.Name + ":" + b.Per
}

// limitOf is the limit of a budget.
func limitOf(b client.BudgetOut) budget.Limit {
	whole := func(n *int) *int64 {
		if n == nil {
			return nil
		}
		return new(int64(*n))
	}
	bound := budget.Bound{Tokens: whole(b.Tokens), USD: b.Usd, Seconds: whole(b.Seconds), Calls: whole(b.Calls)}
	return budget.Limit{Scope: budget.Scope(b.Scope), Of: b.Of, Per: budget.Per(b.Per), Bound: bound}
}

func amounts(n budget.Amounts) string {
	usd, seconds := float64(n.MicroUSD)/1e6, n.Millis/1000
	return budget.Bound{Tokens: &n.Tokens, USD: &usd, Seconds: &seconds, Calls: &n.Calls}.Text()
}

func (a *app) budgetSet() *cobra.Command {
	var per string
	var tokens, seconds, calls int64
	var usd float64
	var c *cobra.Command
	c = a.asked("set organization|project|agent|key [NAME]", "Set a budget; zero allows nothing, what is left out is not limited", cobra.RangeArgs(1, 2), func(ctx context.Context, cl *client.Client, args []string) (err error) {
		l := budget.Limit{Scope: budget.Scope(args[0]), Per: budget.Per(per)}
		switch {
		case len(args) == 2 && l.Scope == budget.Project:
			a.project = args[1]
			if l.Of, err = a.findProject(ctx, cl); err != nil {
				return err
			}
		case len(args) == 2:
			l.Of = args[1]
		case l.Scope == budget.Project || l.Scope == budget.Agent || l.Scope == budget.Key:
			return fault.New(fault.Invalid, "Name the %s: chela budget set %s NAME", l.Scope, l.Scope)
		}
		flags := c.Flags()
		if flags.Changed("tokens") {
			l.Tokens = &tokens
		}
		if flags.Changed("usd") {
			l.USD = &usd
		}
		if flags.Changed("seconds") {
			l.Seconds = &seconds
		}
		if flags.Changed("calls") {
			l.Calls = &calls
		}
		out, err := cl.SetBudget(ctx, l)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			a.printf("%s: %s\n", budgetNamed(out), cmp.Or(limitOf(out).Text(), "nothing"))
			if out.Problem != "" {
				a.printf("%s\n", out.Problem)
			}
		})
	})
	c.Example = "  chela budget set organization --per day --usd 5\n  chela budget set agent coder --per run --tokens 200000 --calls 40"
	c.Flags().StringVar(&per, "per", "day", "run (each on its own), day (UTC) or total")
	c.Flags().Int64Var(&tokens, "tokens", 0, "input and output tokens of model calls")
	c.Flags().Float64Var(&usd, "usd", 0, "US dollars, of models whose price is known")
	c.Flags().Int64Var(&seconds, "seconds", 0, "seconds that models are waited for")
	c.Flags().Int64Var(&calls, "calls", 0, "model calls")
	return c
}

func (a *app) budgetRemove() *cobra.Command {
	return a.asked("rm BUDGET", "Delete a budget, by what `chela budget list` calls it or by its id", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		all, err := cl.ListBudgets(ctx)
		if err != nil {
			return err
		}
		id := args[0]
		for _, b := range all {
			if strings.EqualFold(budgetNamed(b), args[0]) {
				id = b.ID
			}
		}
		if err := cl.RemoveBudget(ctx, id); err != nil {
			if fault.KindOf(err) == fault.NotFound {
				return fault.Wrap(err, fault.NotFound, "There is no budget %s. `chela budget list` lists them.", args[0])
			}
			return err
		}
		return a.print(map[string]bool{"done": true}, func() { a.printf("Done.\n") })
	})
}

// examineBudgets checks that what is bounded is there, and that something is left.
func (a *app) examineBudgets(ctx context.Context, cl *client.Client) []check {
	all, err := cl.ListBudgets(ctx)
	if err != nil {
		return []check{{"budgets", false, textOf(err)}}
	}
	var out []check
	for _, b := range all {
		if b.Problem != "" {
			out = append(out, check{"budgets", false, b.Problem})
		}
	}
	if len(out) > 0 {
		return out
	}
	if len(all) == 0 {
		return []check{{"budgets", true, "Nothing is limited."}}
	}
	return []check{{"budgets", true, plural(len(all), "budget") + " set."}}
}
