package flow_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/desk"
	"chela/internal/flow"
)

func objective(id string, tickets ...string) flow.Objective {
	return flow.Objective{ID: id, ObjectiveBody: desk.ObjectiveBody{Outcome: "Ship " + id, SprintName: "S1", TicketIDs: tickets}}
}

func TestCoverage_FromLinkedTickets(t *testing.T) {
	t.Parallel()
	all := []flow.Ticket{
		ticket("d1", desk.Done), ticket("d2", desk.Done), ticket("w1", desk.InProgress), ticket("r1", desk.InReview),
		ticket("t1", desk.Todo), ticket("b1", desk.Blocked), ticket("n1", desk.Done, "named"), ticket("n2", desk.Todo, "other", "named"),
	}
	for name, c := range map[string]struct {
		o                      flow.Objective
		tickets                []string
		done, inProgress, open int
		percent                float64
	}{
		"no tickets":                       {objective("o"), []string{}, 0, 0, 0, 0},
		"all done":                         {objective("o", "d1", "d2"), []string{"d1", "d2"}, 2, 0, 0, 100},
		"work counts as covered":           {objective("o", "w1"), []string{"w1"}, 0, 1, 0, 100},
		"review counts as covered":         {objective("o", "r1"), []string{"r1"}, 0, 1, 0, 100},
		"to do does not":                   {objective("o", "t1"), []string{"t1"}, 0, 0, 1, 0},
		"blocked does not":                 {objective("o", "b1", "d1"), []string{"b1", "d1"}, 1, 0, 1, 50},
		"one of three":                     {objective("o", "d1", "t1", "b1"), []string{"d1", "t1", "b1"}, 1, 0, 2, 33.3},
		"two of three":                     {objective("o", "d1", "w1", "b1"), []string{"d1", "w1", "b1"}, 1, 1, 1, 66.7},
		"one that is gone is open":         {objective("o", "d1", "gone"), []string{"d1", "gone"}, 1, 0, 1, 50},
		"all are gone":                     {objective("o", "gone", "gone2"), []string{"gone", "gone2"}, 0, 0, 2, 0},
		"one named twice counts once":      {objective("o", "d1", "t1", "d1"), []string{"d1", "t1"}, 1, 0, 1, 50},
		"tickets that name it":             {objective("named"), []string{"n1", "n2"}, 1, 0, 1, 50},
		"both ways":                        {objective("named", "n2", "w1"), []string{"n2", "w1", "n1"}, 1, 1, 1, 66.7},
		"tickets that name another do not": {objective("nobody", "t1"), []string{"t1"}, 0, 0, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := flow.Cover(c.o, all)
			if got.Done != c.done || got.InProgress != c.inProgress || got.Open != c.open || got.Percent != c.percent || !slices.Equal(got.TicketIDs, c.tickets) {
				t.Errorf("%+v, want %+v", got, c)
			}
			if got.ObjectiveID != c.o.ID || got.Outcome != c.o.Outcome || got.Sprint != "S1" {
				t.Errorf("%+v is not of %s", got, c.o.ID)
			}
			if got.TicketIDs == nil {
				t.Error("in JSON the tickets are null")
			}
		})
	}
}

func TestCoverage_WithoutAnyTicket(t *testing.T) {
	t.Parallel()
	got := flow.Cover(objective("o", "gone"), nil)
	if got.Open != 1 || got.Percent != 0 {
		t.Errorf("%+v", got)
	}
	raw, err := json.Marshal(flow.Cover(flow.Objective{ID: "o"}, nil))
	if want := `{"objectiveId":"o","outcome":"","done":0,"inProgress":0,"open":0,"closed":0,"coveragePercent":0,"ticketIds":[]}`; err != nil || string(raw) != want {
		t.Errorf("%s %v\nwant %s", raw, err, want)
	}
}

func TestCoverage_UnmappedTickets(t *testing.T) {
	t.Parallel()
	all := []flow.Ticket{ticket("a", desk.Todo), ticket("b", desk.Done), ticket("c", desk.Todo, "o1"), ticket("d", desk.Todo, "gone")}
	for name, c := range map[string]struct {
		objectives []flow.Objective
		tickets    []flow.Ticket
		want       []string
	}{
		"no objectives":                  {nil, all, []string{"a", "b", "c", "d"}},
		"no tickets":                     {[]flow.Objective{objective("o1", "a")}, nil, []string{}},
		"one names, one is named":        {[]flow.Objective{objective("o1", "a")}, all, []string{"b", "d"}},
		"two objectives, all of it":      {[]flow.Objective{objective("o1", "a", "b"), objective("gone")}, all, []string{}},
		"a done one is unmapped as well": {[]flow.Objective{objective("o1", "a"), objective("gone")}, all, []string{"b"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := flow.Unmapped(c.objectives, c.tickets); !slices.Equal(got, c.want) || got == nil {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// TestCoverage_AddsUp counts every ticket of an objective exactly once, and leaves what
// it reads as it is.
func TestCoverage_AddsUp(t *testing.T) {
	t.Parallel()
	ids := []string{"a", "b", "c", "d", "e", "gone"}
	rapid.Check(t, func(t *rapid.T) {
		var all []flow.Ticket
		for _, id := range ids[:5] {
			names := rapid.SliceOfN(rapid.SampledFrom([]string{"o", "p"}), 0, 2).Draw(t, "names")
			all = append(all, ticket(id, rapid.SampledFrom(desk.TicketStatuses()).Draw(t, "status"), names...))
		}
		o := objective("o", rapid.SliceOfN(rapid.SampledFrom(ids), 0, 8).Draw(t, "tickets")...)
		was := slices.Clone(o.TicketIDs)
		c := flow.Cover(o, all)
		once := slices.Clone(c.TicketIDs)
		slices.Sort(once)
		if c.Done+c.InProgress+c.Open+c.Closed != len(c.TicketIDs) || len(slices.Compact(once)) != len(c.TicketIDs) || c.Percent < 0 || c.Percent > 100 {
			t.Fatalf("%+v", c)
		}
		for _, id := range flow.Unmapped([]flow.Objective{o}, all) {
			if slices.Contains(c.TicketIDs, id) {
				t.Fatalf("%s is mapped and unmapped", id)
			}
		}
		if !slices.Equal(o.TicketIDs, was) {
			t.Fatalf("the objective's tickets became %v", o.TicketIDs)
		}
	})
}
