package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"chela/internal/budget"
	"chela/internal/fault"
	"chela/internal/gateway/client"
	"chela/internal/org"
)

func (a *app) keys() *cobra.Command {
	c := &cobra.Command{Use: "key", Short: "Make keys with which programs act for you, within bounds"}
	c.AddCommand(a.keyMake(), a.asked("list", "List your keys, or everybody's for an admin", cobra.NoArgs, func(ctx context.Context, cl *client.Client, _ []string) error {
		out, err := cl.ListKeys(ctx)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			for _, k := range out {
				a.key(k)
			}
			if len(out) == 0 {
				a.printf("There are no keys. `chela key make NAME` makes one.\n")
			}
		})
	}), a.asked("revoke KEY-ID", "Revoke a key, by its id from `chela key list`; what it began ends with it", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		out, err := cl.RevokeToken(ctx, args[0])
		if err != nil {
			return err
		}
		return a.print(out, func() { a.printf("%s opens nothing any more.\n", out.Revoked) })
	}))
	return c
}

func (a *app) key(k org.Key) {
	bounds := []string{string(k.Role)}
	if k.Project != "" {
		bounds = append(bounds, "project "+k.Project)
	}
	if k.Agent != "" {
		bounds = []string{"fetches the tasks of " + k.Agent.Name()}
	}
	if len(k.Tools) > 0 {
		bounds = append(bounds, "tools "+strings.Join(k.Tools, " "))
	}
	if k.PerMinute > 0 {
		bounds = append(bounds, plural(k.PerMinute, "request")+" in a minute")
	}
	if k.Expires != nil {
		bounds = append(bounds, "until "+k.Expires.Format(time.RFC3339))
	}
	if k.Used != nil {
		bounds = append(bounds, "last used "+k.Used.Format(time.RFC3339))
	}
	a.printf("%s  %s  (%s)\n", k.ID, k.Name, strings.Join(bounds, "; "))
}

func (a *app) keyMake() *cobra.Command {
	var in client.KeyBody
	var until time.Duration
	var tokens int64
	var usd float64
	var role, per, of string
	var perMinute int
	var c *cobra.Command
	c = a.asked("make NAME", "Make a key for what NAME says; prints its token once", cobra.ExactArgs(1), func(ctx context.Context, cl *client.Client, args []string) error {
		in.Name = args[0]
		if a.project != "" {
			id, err := a.findProject(ctx, cl)
			if err != nil {
				return err
			}
			in.Project = &id
		}
		if until < 0 {
			return fault.New(fault.Invalid, "--for is how long the key lasts, such as 720h.")
		}
		if until > 0 {
			in.ExpiresAt = time.Now().Add(until).UTC()
		}
		for to, flag := range map[**string]*string{&in.Role: &role, &in.Per: &per, &in.Agent: &of} {
			if *flag != "" {
				*to = flag
			}
		}
		if perMinute != 0 {
			in.PerMinute = &perMinute
		}
		bound := budget.Bound{}
		if c.Flags().Changed("tokens") {
			bound.Tokens = &tokens
		}
		if c.Flags().Changed("usd") {
			bound.USD = &usd
		}
		if bound != (budget.Bound{}) {
			in.Budget = &bound
		}
		out, err := cl.MakeKey(ctx, in)
		if err != nil {
			return err
		}
		return a.print(out, func() {
			a.key(out.Key)
			a.printf("Its token, shown this once:\n%s\n", out.Token)
		})
	})
	f := c.Flags()
	f.StringVar(&role, "role", "", "what it may do at most: owner, admin, editor or viewer; editor when left out, or viewer where you are one")
	f.StringVarP(&a.project, "project", "p", "", "the only project that it reaches, by name or id")
	f.StringSliceVar(&in.Tools, "tools", nil, "the only tools that are called for it, with commas between")
	f.StringVar(&of, "agent", "", "an agent elsewhere whose tasks it fetches, and nothing else")
	f.IntVar(&perMinute, "per-minute", 0, "requests that it may make in a minute")
	f.DurationVar(&until, "for", 0, "how long it lasts, such as 720h; for ever when left out")
	f.Int64Var(&tokens, "tokens", 0, "tokens that may be used for it")
	f.Float64Var(&usd, "usd", 0, "USD that may be spent for it")
	f.StringVar(&per, "per", "", "over what the budget counts: run, day or total")
	return c
}
