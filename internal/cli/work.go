package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/daemon"
	"chela/internal/desk"
	"chela/internal/gateway/client"
)

func errorsJoinClose(err error, d *daemon.Daemon) error { return errors.Join(err, d.Close()) }

func (a *app) plan() *cobra.Command {
	var asOf string
	c := a.inProject("plan", "Show a project's plan: phases, and milestones by day", cobra.NoArgs, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		out, err := cl.Plan(ctx, project, client.PlanQuery{AsOf: asOf})
		if err != nil {
			return err
		}
		return a.print(out, func() { a.printf("%s", out.Markdown) })
	})
	asOfFlag(c, &asOf)
	return c
}

// asOfFlag lets a command look back.
func asOfFlag(c *cobra.Command, asOf *string) {
	c.Flags().StringVar(asOf, "as-of", "", "as it was: a day (its end, UTC; yesterday, monday and 2w are days, too), an instant, an event's position or its id")
}

func (a *app) changes() *cobra.Command {
	var q client.ChangesQuery
	var kind string
	var p page
	c := a.inProject("changes", "Show what is different between two moments, from the log", cobra.NoArgs, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		if kind != "" {
			q.Kind = []string{kind}
		}
		q.Limit, q.Cursor = p.limit, p.cursor
		out, err := cl.Changes(ctx, project, q)
		if err != nil {
			return err
		}
		names, err := senders(ctx, cl)
		if err != nil {
			return err
		}
		return a.print(out, func() { a.changed(out, names) })
	})
	c.Long = "Shows what became of a project's records between two moments. A moment is a day (its end, UTC), such as 2026-03-01, yesterday, monday or 2w for two weeks ago, an instant, an event's position or its id."
	c.Example = "  chela changes -p Payments --from yesterday"
	f := c.Flags()
	f.StringVar(&q.From, "from", "", "the earlier moment")
	f.StringVar(&q.To, "to", "", "the later moment; now when empty")
	f.StringVar(&kind, "kind", "", "only this kind of record, such as ticket")
	p.flags(c, 200)
	_ = c.MarkFlagRequired("from") // it is there
	return c
}

// senders are the names of persons, by sender.
func senders(ctx context.Context, cl *client.Client) (map[string]string, error) {
	persons, err := cl.ListPersons(ctx)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(persons))
	for _, p := range persons {
		names["agent:person/"+p.ID] = p.Name
	}
	return names, nil
}

// changed lists what is different; names are those of persons, by sender.
func (a *app) changed(out client.ChangesOut, names map[string]string) {
	if len(out.Items) == 0 && out.Next == "" {
		a.printf("Nothing is different.\n")
	}
	for _, d := range out.Items {
		name := d.ID
		if d.Key != "" {
			name = d.Key
		}
		a.printf("%s %s %s  %s%s\n", d.Op, d.Kind, name, d.Title, by(d.By, names))
		if d.Op != desk.Updated {
			continue
		}
		for _, f := range d.Fields {
			a.printf("  %s: %s -> %s\n", f.Field, orNothing(f.From), orNothing(f.To))
		}
	}
	if out.Next != "" {
		a.printf("%d of the %d records that changed are looked at. More with --cursor %s\n", len(out.Items), out.Total, out.Next)
	}
}

// by names who made a change, when that is known: persons by their names, agents by theirs.
func by(who []string, names map[string]string) string {
	if who = slices.DeleteFunc(slices.Clone(who), func(s string) bool { return s == "" }); len(who) == 0 {
		return ""
	}
	for i, s := range who {
		who[i] = cmp.Or(names[s], strings.TrimPrefix(s, "agent:"))
	}
	return "  by " + strings.Join(who, ", ")
}

// orNothing shows a value of JSON, short.
func orNothing(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "nothing"
	}
	if r := []rune(string(raw)); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return string(raw)
}
