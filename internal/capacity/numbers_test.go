package capacity_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/capacity"
	"chela/internal/desk"
)

// TestNumbers_TheReferenceTeam has numbers that were worked out by hand: three people, seven tickets.
func TestNumbers_TheReferenceTeam(t *testing.T) {
	t.Parallel()
	people := []capacity.Person{person("Joe", 40, 0.8), person("Alice", 40, 1), person("Bob", 40, 0.5)}
	tickets := []capacity.Ticket{
		ticket("PAY-201", 8, desk.InProgress), ticket("PAY-202", 5, desk.Todo), ticket("PAY-203", 3, desk.Blocked), ticket("PAY-204", 3, desk.InReview),
		ticket("PAY-205", 5, desk.InProgress), ticket("PAY-206", 3, desk.Todo), ticket("PAY-207", 5, desk.Todo),
	}
	shares := []capacity.Share{
		{"Joe", "PAY-201", 40}, {"Joe", "PAY-202", 20}, {"Joe", "PAY-203", 0}, {"Joe", "PAY-204", 15}, {"Alice", "PAY-205", 50}, {"Bob", "PAY-207", 0},
	}
	r := capacity.Compute(people, tickets, shares)
	var got []string
	for _, l := range r.Lines {
		got = append(got, fmt.Sprintf("%s %gh %gSP %d tickets %g%% spare %gh %s", l.Name, l.EffectiveHours, l.AllocatedSP, l.Tickets, l.AllocatedPct, l.SpareHours, l.Load))
	}
	want := []string{
		"Alice 40h 5SP 1 tickets 50% spare 20h UNDERUTILIZED", "Bob 20h 5SP 1 tickets 0% spare 20h BALANCED", "Joe 32h 19SP 4 tickets 75% spare 8h BALANCED",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if r.Tickets != 7 || r.Open != 7 || r.Assigned != 6 || !slices.Equal(r.Unassigned, []string{"PAY-206"}) || r.Overloaded != 0 || r.IdleCount != 0 {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(r.Lines[2].TicketIDs, []string{"PAY-201", "PAY-202", "PAY-203", "PAY-204"}) {
		t.Errorf("Joe's tickets are %v", r.Lines[2].TicketIDs)
	}
}

// TestNumbers_TheFourLoads has one of each load, alice at 130 %
// over five tickets.
func TestNumbers_TheFourLoads(t *testing.T) {
	t.Parallel()
	var tickets []capacity.Ticket
	var shares []capacity.Share
	for i, s := range []capacity.Share{{"alice", "", 30}, {"alice", "", 30}, {"alice", "", 30}, {"alice", "", 20}, {"alice", "", 20}, {"bob", "", 80}, {"carol", "", 30}} {
		s.TicketID = fmt.Sprint(i)
		tickets, shares = append(tickets, ticket(s.TicketID, 1, desk.Todo)), append(shares, s)
	}
	people := []capacity.Person{person("alice", 40, 1), person("bob", 40, 1), person("carol", 40, 1), person("dave", 40, 1)}
	r := capacity.Compute(people, tickets, shares)
	got := make(map[string]string)
	for _, l := range r.Lines {
		got[l.Name] = fmt.Sprintf("%s %g%% of %d", l.Load, l.AllocatedPct, l.Tickets)
	}
	want := map[string]string{"alice": "OVERLOADED 130% of 5", "bob": "BALANCED 80% of 1", "carol": "UNDERUTILIZED 30% of 1", "dave": "IDLE 0% of 0"}
	if fmt.Sprint(got) != fmt.Sprint(want) || r.Overloaded != 1 || r.IdleCount != 1 {
		t.Errorf("%v %d %d\nwant %v", got, r.Overloaded, r.IdleCount, want)
	}
}

func TestNumbers_LoadsBeginAtTheirPercent(t *testing.T) {
	t.Parallel()
	for percent, want := range map[float64]capacity.Load{
		0.1: capacity.Underutilized, 69.9: capacity.Underutilized, 70: capacity.Balanced, 100: capacity.Balanced, 100.1: capacity.Overloaded,
	} {
		r := capacity.Compute([]capacity.Person{person("p", 40, 1)}, []capacity.Ticket{ticket("a", 1, desk.Todo)}, []capacity.Share{{"p", "a", percent}})
		if r.Lines[0].Load != want {
			t.Errorf("at %g %% it is %s, want %s", percent, r.Lines[0].Load, want)
		}
	}
}

func TestNumbers_WhatIsNotSaidIsAFullWeek(t *testing.T) {
	t.Parallel()
	l := capacity.Compute([]capacity.Person{{ID: "p"}}, nil, nil).Lines[0]
	if l.Capacity != 40 || l.Availability != 1 || l.EffectiveHours != 40 || l.SpareHours != 40 || l.Load != capacity.Idle {
		t.Errorf("%+v", l)
	}
}

// TestNumbers_ThatAreNone has what the desk refuses; it counts as nothing, so that one
// broken record does not take the report away.
func TestNumbers_ThatAreNone(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string]struct {
		hours, share, points, percent float64
		want                          string
	}{
		"no hours":               {0, 1, 3, 50, "0h 3SP 50% spare 0h OVERLOADED"},
		"no availability":        {40, 0, 3, 50, "0h 3SP 50% spare 0h OVERLOADED"},
		"hours below nought":     {-40, 1, 3, 50, "0h 3SP 50% spare 0h OVERLOADED"},
		"both below nought":      {-40, -1, 3, 50, "0h 3SP 50% spare 0h OVERLOADED"},
		"hours not a number":     {nan, 1, 3, 50, "0h 3SP 50% spare 0h OVERLOADED"},
		"hours without end":      {inf, 0, 3, 50, "0h 3SP 50% spare 0h OVERLOADED"},
		"share not a number":     {40, nan, 3, 50, "0h 3SP 50% spare 0h OVERLOADED"},
		"points below nought":    {40, 1, -3, 50, "40h 0SP 50% spare 20h UNDERUTILIZED"},
		"points not a number":    {40, 1, nan, 50, "40h 0SP 50% spare 20h UNDERUTILIZED"},
		"points without end":     {40, 1, inf, 50, "40h 0SP 50% spare 20h UNDERUTILIZED"},
		"points beyond reason":   {40, 1, math.MaxFloat64, 50, "40h 0SP 50% spare 20h UNDERUTILIZED"},
		"percent below nought":   {40, 1, 3, -50, "40h 3SP 0% spare 40h BALANCED"},
		"percent not a number":   {40, 1, 3, nan, "40h 3SP 0% spare 40h BALANCED"},
		"percent without end":    {40, 1, 3, inf, "40h 3SP 0% spare 40h BALANCED"},
		"hours are to a tenth":   {37.5, 0.33, 3, 10, "12.4h 3SP 10% spare 11.2h UNDERUTILIZED"},
		"so is what is spare":    {10, 1, 3, 33.3, "10h 3SP 33.3% spare 6.7h UNDERUTILIZED"},
		"the rest to hundredths": {10, 1, 0.256, 33.333, "10h 0.26SP 33.33% spare 6.7h UNDERUTILIZED"},
	} {
		t.Run(name, func(t *testing.T) {
			r := capacity.Compute([]capacity.Person{person("p", c.hours, c.share)}, []capacity.Ticket{ticket("a", c.points, desk.Todo)}, []capacity.Share{{"p", "a", c.percent}})
			l := r.Lines[0]
			if got := fmt.Sprintf("%gh %gSP %g%% spare %gh %s", l.EffectiveHours, l.AllocatedSP, l.AllocatedPct, l.SpareHours, l.Load); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestNumbers_TenthsThatMakeAHundredAreNoOverload adds up what has no exact float64.
func TestNumbers_TenthsThatMakeAHundredAreNoOverload(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		left := 1000
		var tickets []capacity.Ticket
		var shares []capacity.Share
		for left > 0 {
			tenths := min(left, rapid.IntRange(1, 999).Draw(t, "tenths"))
			left -= tenths
			id := fmt.Sprint(len(tickets))
			tickets = append(tickets, ticket(id, float64(tenths)/10, desk.Todo))
			shares = append(shares, capacity.Share{ResourceID: "p", TicketID: id, Percent: float64(tenths) / 10})
		}
		l := capacity.Compute([]capacity.Person{person("p", 40, 1)}, tickets, shares).Lines[0]
		if l.AllocatedPct != 100 || l.AllocatedSP != 100 || l.Load != capacity.Balanced || l.SpareHours != 0 {
			t.Fatalf("%d shares of 100 %% make %+v", len(shares), l)
		}
	})
}

func TestNumbers_AReportWithoutPeopleOrTickets(t *testing.T) {
	t.Parallel()
	tickets := []capacity.Ticket{ticket("a", 1, desk.Todo), ticket("b", 1, desk.Done)}
	none := capacity.Compute(nil, tickets, []capacity.Share{{"gone", "a", 50}})
	if len(none.Lines) != 0 || none.Tickets != 2 || none.Open != 1 || none.Assigned != 0 || !slices.Equal(none.Unassigned, []string{"a"}) {
		t.Errorf("without people: %+v", none)
	}
	raw, err := json.Marshal(capacity.Compute(nil, nil, nil))
	if want := `{"resources":[],"tickets":0,"openTickets":0,"assigned":0,"unassigned":[],"overloaded":0,"idle":0}`; err != nil || string(raw) != want {
		t.Errorf("%s %v\nwant %s", raw, err, want)
	}
}

func TestNumbers_ATicketOfTwoCountsForBoth(t *testing.T) {
	t.Parallel()
	people := []capacity.Person{person("a", 40, 1), person("b", 40, 1)}
	r := capacity.Compute(people, []capacity.Ticket{ticket("t", 5, desk.Todo)}, []capacity.Share{{"a", "t", 50}, {"b", "t", 25}})
	if r.Assigned != 1 || len(r.Unassigned) != 0 || r.Lines[0].Name != "b" || r.Lines[0].AllocatedSP != 5 || r.Lines[1].AllocatedSP != 5 || r.Lines[0].SpareHours != 30 || r.Lines[1].SpareHours != 20 {
		t.Errorf("%+v", r)
	}
}

func TestNumbers_LinesAreSortedByRoomThenWorkThenName(t *testing.T) {
	t.Parallel()
	people := []capacity.Person{person("z", 40, 1), person("y", 40, 1), person("x", 40, 1), person("w", 40, 1), person("v", 50, 1)}
	tickets := []capacity.Ticket{ticket("a", 5, desk.Todo), ticket("b", 3, desk.Todo), ticket("c", 2, desk.Todo), ticket("d", 1, desk.Todo)}
	shares := []capacity.Share{{"z", "a", 0}, {"y", "b", 0}, {"y", "c", 0}, {"v", "d", 50}}
	var got []string
	for _, l := range capacity.Compute(people, tickets, shares).Lines {
		got = append(got, l.Name)
	}
	if want := []string{"w", "x", "z", "y", "v"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
