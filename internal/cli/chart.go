package cli

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"chela/internal/chart"
	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/gateway/client"
)

func (a *app) chart() *cobra.Command {
	var q client.ChartQuery
	var asCSV bool
	c := a.inProject("chart NAME", "Show a chart as a table: throughput, cycle-time, ageing, flow, burn-up, load, cost or coverage", cobra.MaximumNArgs(1), func(ctx context.Context, cl *client.Client, project string, args []string) error {
		if len(args) == 0 {
			return usageError{fault.New(fault.Invalid, "Name a chart. There are:\n%s", listed(chart.All()))}
		}
		if asCSV {
			q.Format = "csv"
			in, err := cl.OpenChart(ctx, project, args[0], q)
			if err != nil {
				return err
			}
			defer func() { _ = in.Close() }() // read to its end
			_, err = io.Copy(a.out, in)
			return err
		}
		out, err := cl.Chart(ctx, project, args[0], q)
		if err != nil {
			return err
		}
		titles := map[string]string{}
		if single(out) && !a.json {
			if titles, err = a.titles(ctx, cl, project, out); err != nil {
				return err
			}
		}
		return a.print(out, func() { a.charted(out, titles) })
	})
	c.Long = "Shows a chart, computed from the log:\n" + listed(chart.All()) + "\nDays are UTC. With --json each point names the records behind it."
	c.Example = "  chela chart throughput -p Payments --from 8w\n  chela chart burn-up -p Payments --sprint \"Sprint 7\"\n  chela chart flow -p Payments --csv > flow.csv"
	f := c.Flags()
	f.StringVar(&q.From, "from", "", "the first day: 2026-03-01, yesterday, monday, or 8w for eight weeks ago; 90 days ago when empty")
	f.StringVar(&q.To, "to", "", "the last day; today when empty")
	f.StringVar(&q.By, "by", "", "day, week or month")
	f.StringVar(&q.Sprint, "sprint", "", "of the burn-up: only this sprint")
	f.BoolVar(&asCSV, "csv", false, "write CSV")
	asOfFlag(c, &q.AsOf)
	return c
}

func listed(all []chart.About) string {
	var b strings.Builder
	for _, c := range all {
		b.WriteString("  " + string(c.Name) + ": " + c.Says + ".\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// single reports whether each point of a chart is a ticket.
func single(c chart.Chart) bool { return c.By == "" }

// titles returns how the tickets of a chart are called.
func (a *app) titles(ctx context.Context, cl *client.Client, project string, c chart.Chart) (map[string]string, error) {
	out := make(map[string]string)
	var ids []string
	for _, s := range c.Series {
		for _, p := range s.Points {
			ids = append(ids, p.Records...)
		}
	}
	for some := range slices.Chunk(ids, 50) {
		l, err := cl.Records(ctx, project, desk.Ticket, client.RecordsQuery{Filter: "id:" + strings.Join(some, ","), Limit: 500})
		if err != nil {
			return nil, err
		}
		for _, i := range l.Items {
			b, err := desk.Open[desk.TicketBody](desk.Record{Body: i.Body})
			if err != nil {
				return nil, err
			}
			out[i.ID] = strings.TrimSpace(b.ExternalRef + " " + b.Title)
		}
	}
	return out, nil
}

func (a *app) charted(c chart.Chart, titles map[string]string) {
	by := ""
	if c.By != "" {
		by = " by " + string(c.By)
	}
	of := ""
	if c.Sprint != "" {
		of = " of " + c.Sprint
	}
	a.printf("%s%s: %s%s, %s to %s\n", c.Title, of, c.Unit, by, c.From, c.To)
	switch {
	case len(c.Series) == 0 || !slices.ContainsFunc(c.Series, func(s chart.Series) bool { return len(s.Points) > 0 }):
		a.printf("There is nothing to show.\n")
	case single(c):
		a.tabulate(ticketTable(c, titles), false)
	default:
		a.tabulate(seriesTable(c), false)
		a.printf("\n")
		a.tabulate(trend(c), false)
	}
	for _, l := range c.Lines {
		a.printf("%s  %s %s\n", l.Name, number(l.Value), c.Unit)
	}
	for _, at := range c.Annotations {
		a.printf("%s  %s\n", at.At, at.Name)
	}
	for _, n := range c.Notes {
		a.printf("Note: %s\n", n)
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// ticketTable has a row for each point.
func ticketTable(c chart.Chart, titles map[string]string) table {
	t := table{columns: []column{{head: "Day"}, {head: c.Unit, right: true}, {head: "Status"}, {head: "Ticket", gives: true}}}
	for _, s := range c.Series {
		for _, p := range s.Points {
			title := strings.Join(p.Records, " ")
			if called := titles[title]; called != "" {
				title = called
			}
			t.rows = append(t.rows, []string{string(p.At), number(p.Value), s.Name, title})
		}
	}
	return t
}

// seriesTable has a row for each day, week or month.
func seriesTable(c chart.Chart) table {
	t := table{columns: []column{{head: strings.ToUpper(string(c.By)[:1]) + string(c.By)[1:]}}}
	for _, s := range c.Series {
		t.columns = append(t.columns, column{head: s.Name, right: true, gives: true})
	}
	for i, p := range c.Series[0].Points {
		row := []string{string(p.At)}
		if p.Planned {
			row[0] += " (due)"
		}
		for _, s := range c.Series {
			cell := number(s.Points[i].Value)
			if n := s.Points[i].AwayDays; n > 0 {
				cell += " (" + plural(n, "day") + " away)"
			}
			row = append(row, cell)
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// mostBlocks bounds the length of a sparkline: the latest points.
const mostBlocks = 60

// trend has a line of blocks for each series.
func trend(c chart.Chart) table {
	t := table{columns: []column{{head: "Series", gives: true}, {head: "Trend"}, {head: "Last", right: true}}}
	for _, s := range c.Series {
		v := s.Values()
		t.rows = append(t.rows, []string{s.Name, chart.Sparkline(v[max(0, len(v)-mostBlocks):]), number(v[len(v)-1])})
	}
	return t
}
