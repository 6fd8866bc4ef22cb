package capacity_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/capacity"
	"chela/internal/desk"
)

// finished is a ticket that was done so many days before now.
func finished(id string, points float64, now time.Time, days int) capacity.Ticket {
	t := ticket(id, points, desk.Done)
	t.ResolvedOn = desk.DateOf(now.AddDate(0, 0, -days))
	return t
}

func TestEstimate_OfLoadWithoutShares(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 16, 9, 0, 0, 0, time.UTC)
	past := []capacity.Ticket{finished("x", 4, now, 28), finished("y", 4, now, 14), finished("z", 4, now, 2)} // 12 points in 4 weeks
	for name, c := range map[string]struct {
		tickets []capacity.Ticket
		shares  []capacity.Share
		percent float64
		load    capacity.Load
		why     string
	}{
		"by points and history":   {append([]capacity.Ticket{ticket("a", 6, desk.Todo)}, past...), []capacity.Share{{"p", "a", 0}, {"p", "x", 0}, {"p", "y", 0}, {"p", "z", 0}}, 100, capacity.Balanced, "3 tickets finished in the last 4 weeks"},
		"more than they finish":   {append([]capacity.Ticket{ticket("a", 12, desk.Todo)}, past...), []capacity.Share{{"p", "a", 0}, {"p", "x", 0}, {"p", "y", 0}, {"p", "z", 0}}, 200, capacity.Overloaded, "3 tickets"},
		"by counts and history":   {append([]capacity.Ticket{ticket("a", -1, desk.Todo)}, past...), []capacity.Share{{"p", "a", 0}, {"p", "x", 0}, {"p", "y", 0}, {"p", "z", 0}}, 66.7, capacity.Underutilized, "3 tickets"},
		"none of it is work":      {append([]capacity.Ticket{ticket("a", 0, desk.Todo)}, past...), []capacity.Share{{"p", "a", 0}, {"p", "x", 0}, {"p", "y", 0}, {"p", "z", 0}}, 0, capacity.Balanced, "3 tickets"},
		"0 points, by hours":      {[]capacity.Ticket{ticket("a", 0, desk.Todo), ticket("b", 5, desk.Todo)}, []capacity.Share{{"p", "a", 0}, {"p", "b", 0}}, 25, capacity.Underutilized, "4 hours a point"},
		"by hours":                {[]capacity.Ticket{ticket("a", 10, desk.Todo), ticket("b", -1, desk.Todo)}, []capacity.Share{{"p", "a", 0}, {"p", "b", 0}}, 60, capacity.Underutilized, "4 hours a point"},
		"a share is not guessed":  {[]capacity.Ticket{ticket("a", 10, desk.Todo)}, []capacity.Share{{"p", "a", 50}}, 0, capacity.Underutilized, ""},
		"one of two has a share":  {[]capacity.Ticket{ticket("a", 10, desk.Todo), ticket("b", 5, desk.Todo)}, []capacity.Share{{"p", "a", 50}, {"p", "b", 0}}, 75, capacity.Balanced, "4 hours a point"},
		"a thousand percent":      {[]capacity.Ticket{ticket("a", 200, desk.Todo)}, []capacity.Share{{"p", "a", 0}}, 1000, capacity.Overloaded, "4 hours a point and 8 a ticket without points"},
		"more is cut":             {[]capacity.Ticket{ticket("a", 900, desk.Todo)}, []capacity.Share{{"p", "a", 0}}, 1000, capacity.Overloaded, "without points, which comes to more than 1000 %"},
		"more beside a share":     {[]capacity.Ticket{ticket("a", 900, desk.Todo), ticket("b", 5, desk.Todo)}, []capacity.Share{{"p", "a", 0}, {"p", "b", 50}}, 1050, capacity.Overloaded, "more than 1000 %"},
		"nothing to do":           {past, []capacity.Share{{"p", "x", 0}}, 0, capacity.Idle, ""},
		"two that were long past": {append([]capacity.Ticket{ticket("a", 10, desk.Todo)}, finished("o", 4, now, 90)), []capacity.Share{{"p", "a", 0}, {"p", "o", 0}}, 50, capacity.Underutilized, "4 hours a point"},
	} {
		r := capacity.Estimated([]capacity.Person{person("p", 40, 1)}, c.tickets, c.shares, now)
		l := r.Lines[0]
		if l.EstimateCut != strings.Contains(c.why, "more than") || (l.Over() == "over ") != l.EstimateCut {
			t.Errorf("%s: it is cut: %v", name, l.EstimateCut)
		}
		if l.EstimatedPct != c.percent || l.Load != c.load || !strings.Contains(l.Estimate, c.why) || (l.Estimate == "") != (c.why == "") {
			t.Errorf("%s: %g %% %s %q, want %g %% %s %q", name, l.EstimatedPct, l.Load, l.Estimate, c.percent, c.load, c.why)
		}
	}
}

// TestEstimate_WithoutHours: whoever has no hours has too much with any ticket, whatever they finished before they went.
func TestEstimate_WithoutHours(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 16, 9, 0, 0, 0, time.UTC)
	past := []capacity.Ticket{finished("x", 4, now, 28), finished("y", 4, now, 14), finished("z", 4, now, 2)}
	shares := []capacity.Share{{"p", "x", 0}, {"p", "y", 0}, {"p", "z", 0}}
	r := capacity.Estimated([]capacity.Person{person("p", 40, 0)}, append([]capacity.Ticket{ticket("a", 1, desk.Todo)}, past...), append([]capacity.Share{{"p", "a", 0}}, shares...), now)
	if l := r.Lines[0]; l.Load != capacity.Overloaded || l.Estimate != "" || l.SpareHours != 0 || r.Overloaded != 1 || r.IdleCount != 0 {
		t.Errorf("with a ticket: got %+v, %d overloaded, %d idle", l, r.Overloaded, r.IdleCount)
	}
	r = capacity.Estimated([]capacity.Person{person("p", 40, 0)}, past, shares, now)
	if l := r.Lines[0]; l.Load != capacity.Away || r.Overloaded != 0 || r.IdleCount != 0 {
		t.Errorf("without one: got %+v, %d overloaded, %d idle", l, r.Overloaded, r.IdleCount)
	}
}

// TestEstimate_DaysAway: days away among the next five working days take their share of the hours; whoever is away on all of them
// is away, whatever they have to do, and is suggested for nothing.
func TestEstimate_DaysAway(t *testing.T) {
	t.Parallel()
	friday := time.Date(2026, 3, 13, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		away        []string
		days        int
		hours, free float64
		load        capacity.Load
	}{
		"there":             {nil, 0, 40, 30, capacity.Underutilized},
		"on a weekend":      {[]string{"2026-03-14 to 2026-03-15"}, 0, 40, 30, capacity.Underutilized},
		"later":             {[]string{"2026-03-20 to 2026-03-30"}, 0, 40, 30, capacity.Underutilized},
		"before":            {[]string{"2026-03-01 to 2026-03-12"}, 0, 40, 30, capacity.Underutilized},
		"today":             {[]string{"2026-03-13"}, 1, 32, 24, capacity.Underutilized},
		"over the weekend":  {[]string{"2026-03-14 to 2026-03-17"}, 2, 24, 18, capacity.Underutilized},
		"twice the same":    {[]string{"2026-03-16 to 2026-03-17", "2026-03-17"}, 2, 24, 18, capacity.Underutilized},
		"for all of it":     {[]string{"2026-03-10 to 2026-03-20"}, 5, 0, 0, capacity.Away},
		"what is not a day": {[]string{"soon"}, 0, 40, 30, capacity.Underutilized},
	} {
		p := person("p", 40, 1)
		p.Away = c.away
		tickets := []capacity.Ticket{ticket("a", 5, desk.Todo), ticket("free", 1, desk.Todo)}
		r := capacity.Estimated([]capacity.Person{p}, tickets, []capacity.Share{{"p", "a", 0}}, friday)
		if l := r.Lines[0]; l.AwayDays != c.days || l.EffectiveHours != c.hours || l.SpareHours != c.free || l.Load != c.load || r.Overloaded != 0 {
			t.Errorf("%s: got %+v, want %d days, %g hours, %g free, %s", name, l, c.days, c.hours, c.free, c.load)
		}
		if got := capacity.Suggest(r, slices.Values(tickets), 5); (len(got) == 0) != (c.load == capacity.Away) {
			t.Errorf("%s: suggested are %+v", name, got)
		}
		if l := capacity.Compute([]capacity.Person{p}, tickets, nil).Lines[0]; l.AwayDays != 0 || l.EffectiveHours != 40 {
			t.Errorf("%s: without a day it is %+v", name, l)
		}
	}
}
