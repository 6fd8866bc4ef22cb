package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"chela/internal/chart"
	"chela/internal/flow"
	"chela/internal/gateway/client"
	"chela/internal/notify"
)

// How many lines each part of today has: all of it fits on a screen.
const (
	mostNeeds  = 4
	mostNews   = 4
	mostSlips  = 4
	mostDelays = 2
	mostPeople = 4
)

func (a *app) today() *cobra.Command {
	var q client.TodayQuery
	c := a.inProject("today", "Show what needs you, what changed, what will slip and how the week stands", cobra.NoArgs, func(ctx context.Context, cl *client.Client, project string, _ []string) error {
		out, err := cl.Today(ctx, project, q)
		if err != nil {
			return err
		}
		if a.json {
			return a.print(out, nil)
		}
		inbox, err := cl.ListNotifications(ctx, client.ListNotificationsQuery{Limit: 500})
		if err != nil {
			return err
		}
		a.counts(out)
		a.needs(concerning(inbox.Items, project))
		a.news(out)
		a.slips(out)
		a.weeks(out)
		return nil
	})
	c.Long = "Shows how a project stands, on one screen: counts with their change and a line of the last 15 days, what waits for you, what changed, what will slip, and who has how much."
	c.Example = "  chela today -p Payments\n  chela today -p Payments --since 2026-03-06"
	c.Flags().StringVar(&q.Since, "since", "", "what changed since then: a day, which is its end (UTC), or an instant; a week ago when empty")
	asOfFlag(c, &q.AsOf)
	return c
}

// counts prints a row of figures, each with its change and its line.
func (a *app) counts(t client.TodayOut) {
	a.tabulate(table{columns: []column{{head: "Tickets"}, {head: "Now", right: true}, {head: "Change", right: true}, {head: "15 days"}}, rows: figures(t)}, false)
}

// figures returns the name of each figure, how much it is, its change and its line. What is counted of some time says of which.
func figures(t client.TodayOut) [][]string {
	of := func(name string, get func(chart.Standing) int) []string {
		values := make([]float64, len(t.Days))
		for i, d := range t.Days {
			values[i] = float64(get(d))
		}
		return []string{name, strconv.Itoa(get(t.Now)), signed(get(t.Now) - get(t.Then)), chart.Sparkline(values)}
	}
	done := make([]float64, len(t.DoneDays))
	for i, n := range t.DoneDays {
		done[i] = float64(n)
	}
	return [][]string{
		of("Open", func(s chart.Standing) int { return s.Open }),
		of("In progress or review", func(s chart.Standing) int { return s.InProgress }),
		of("Blocked", func(s chart.Standing) int { return s.Blocked }),
		of("Overdue", func(s chart.Standing) int { return s.Overdue }),
		of("Unassigned", func(s chart.Standing) int { return s.Unassigned }),
		{"Done since " + t.Since.Local().Format(time.DateOnly), strconv.Itoa(t.Done), signed(t.Done - t.DoneThen), chart.Sparkline(done)},
	}
}

func signed(n int) string {
	if n == 0 {
		return "="
	}
	return fmt.Sprintf("%+d", n)
}

// concerning returns the notifications that are not done and are of a project, or of none.
func concerning(all []notify.View, project string) []notify.View {
	return slices.DeleteFunc(slices.Clone(all), func(n notify.View) bool {
		return !n.DoneAt.IsZero() || n.Project != "" && n.Project != project
	})
}

func (a *app) needs(open []notify.View) {
	a.part("Needs you", len(open), mostNeeds, "nothing", func(i int) string { return open[i].Line() })
}

func (a *app) news(t client.TodayOut) {
	n := 0
	for _, c := range t.Happened {
		n += c
	}
	a.part("Changed since "+t.Since.Local().Format("2006-01-02 15:04"), n, min(mostNews, len(t.News)), "nothing", func(i int) string {
		n := t.News[i]
		what := strings.ToLower(string(n.What))
		if n.To != "" && n.Field != "status" {
			what += " to " + n.To
		}
		return fmt.Sprintf("%s: %s", n.Title, what)
	})
}

func (a *app) slips(t client.TodayOut) {
	n := 0
	for _, c := range t.Slipping {
		n += c
	}
	plan := 0
	for _, c := range t.Delayed {
		plan += c
	}
	shown := min(len(t.Plan), max(mostDelays, mostDelays+mostSlips-len(t.Slips)))
	a.part("Will slip", n+plan, min(len(t.Slips), mostSlips)+shown, "nothing", func(i int) string {
		if i < shown {
			return delay(t.Plan[i])
		}
		s := t.Slips[i-shown]
		owner := t.Owners[s.ID]
		if owner == "" {
			owner = "unassigned"
		}
		return fmt.Sprintf("%s (%s, %s)", strings.TrimSpace(s.Key+" "+s.Title), slippage(s), owner)
	})
}

// delay is a line about a milestone or a phase that is late or will be.
func delay(d flow.Delay) string {
	about := d.Said()
	if d.Owner != "" {
		about += ", " + d.Owner
	}
	return fmt.Sprintf("%s %s (%s)", strings.ToUpper(string(d.Kind[:1]))+string(d.Kind[1:]), d.Name, about)
}

// slippage says in words why a ticket slips.
func slippage(s flow.Slip) string {
	days := fmt.Sprintf("%d days", s.Days)
	if s.Days == 1 {
		days = "1 day"
	}
	switch s.Cause {
	case flow.Overdue:
		return days + " over"
	case flow.DueSoon:
		if s.Days == 0 {
			return "due today"
		}
		return "due in " + days
	case flow.Stuck:
		return "blocked"
	case flow.Ageing:
		return days + " in work"
	}
	return strings.ToLower(string(s.Cause))
}

func (a *app) weeks(t client.TodayOut) {
	busy := slices.Clone(t.Week)
	slices.SortStableFunc(busy, func(x, y client.Week) int { return int(y.Percent) - int(x.Percent) })
	a.part("The week", len(busy), mostPeople, "nobody is in the project", func(i int) string {
		w := busy[i]
		about := ""
		if w.Guess {
			about = "about "
		}
		if client.Value(w.Over) {
			about = "over "
		}
		away := ""
		if n := client.Value(w.AwayDays); n > 0 {
			away = fmt.Sprintf(", away %d of 5 days", n)
		}
		return fmt.Sprintf("%s: %s%.0f %%, %d open, %d due, %d overdue, %d done%s", w.Name, about, w.Percent, w.Open, w.Due, w.Overdue, w.Done, away)
	})
}

// part prints a heading with a number and its first lines.
func (a *app) part(name string, n, most int, none string, line func(i int) string) {
	if n == 0 {
		a.printf("%s: %s\n", name, none)
		return
	}
	a.printf("%s (%d)\n", name, n)
	for i := range min(n, most) {
		a.printf("  %s\n", ansi.Truncate(line(i), 100, "…"))
	}
}
