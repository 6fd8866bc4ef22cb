package capacity_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/capacity"
	"chela/internal/desk"
)

func person(id string, hours, share float64) capacity.Person {
	return capacity.Person{ID: id, ResourceBody: desk.ResourceBody{Name: id, Role: "ENGINEER", Capacity: &hours, Availability: &share}}
}

// ticket is one with so many points; fewer than 0 are none.
func ticket(id string, points float64, s desk.TicketStatus) capacity.Ticket {
	t := capacity.Ticket{ID: id, TicketBody: &desk.TicketBody{Title: id, Status: s, Priority: desk.Medium}}
	if points >= 0 {
		t.StoryPoints = &points
	}
	return t
}

func TestCapacity_ALineOfCapacity(t *testing.T) {
	t.Parallel()
	tickets := []capacity.Ticket{ticket("a", 5, desk.Todo), ticket("b", 3, desk.InProgress), ticket("c", 8, desk.Done)}
	for name, c := range map[string]struct {
		hours, share float64
		shares       []capacity.Share
		want         capacity.Line
	}{
		"nothing to do":        {40, 1, nil, capacity.Line{EffectiveHours: 40, SpareHours: 40, Load: capacity.Idle}},
		"part of their time":   {37.5, 0.8, nil, capacity.Line{EffectiveHours: 30, SpareHours: 30, Load: capacity.Idle}},
		"not there at all":     {40, 0, nil, capacity.Line{EffectiveHours: 0, SpareHours: 0, Load: capacity.Away}},
		"away with a ticket":   {40, 0, []capacity.Share{{"p", "a", 0}}, capacity.Line{Tickets: 1, AllocatedSP: 5, Load: capacity.Overloaded}},
		"away with a share":    {0, 1, []capacity.Share{{"p", "a", 50}}, capacity.Line{Tickets: 1, AllocatedSP: 5, AllocatedPct: 50, Load: capacity.Overloaded}},
		"away, all done":       {0, 1, []capacity.Share{{"p", "c", 50}}, capacity.Line{DoneTickets: 1, Load: capacity.Away}},
		"tickets, no percent":  {40, 1, []capacity.Share{{"p", "a", 0}, {"p", "b", 0}}, capacity.Line{EffectiveHours: 40, SpareHours: 40, Tickets: 2, AllocatedSP: 8, Load: capacity.Balanced}},
		"a done one":           {40, 1, []capacity.Share{{"p", "c", 100}}, capacity.Line{EffectiveHours: 40, SpareHours: 40, DoneTickets: 1, Load: capacity.Idle}},
		"a done one first":     {40, 1, []capacity.Share{{"p", "c", 100}, {"p", "a", 50}}, capacity.Line{EffectiveHours: 40, SpareHours: 20, Tickets: 1, DoneTickets: 1, AllocatedSP: 5, AllocatedPct: 50, Load: capacity.Underutilized}},
		"half":                 {40, 1, []capacity.Share{{"p", "a", 50}}, capacity.Line{EffectiveHours: 40, SpareHours: 20, Tickets: 1, AllocatedSP: 5, AllocatedPct: 50, Load: capacity.Underutilized}},
		"seventy":              {40, 1, []capacity.Share{{"p", "a", 70}}, capacity.Line{EffectiveHours: 40, SpareHours: 12, Tickets: 1, AllocatedSP: 5, AllocatedPct: 70, Load: capacity.Balanced}},
		"all of it":            {40, 0.5, []capacity.Share{{"p", "a", 60}, {"p", "b", 40}}, capacity.Line{EffectiveHours: 20, SpareHours: 0, Tickets: 2, AllocatedSP: 8, AllocatedPct: 100, Load: capacity.Balanced}},
		"more than there is":   {40, 1, []capacity.Share{{"p", "a", 80}, {"p", "b", 40}}, capacity.Line{EffectiveHours: 40, SpareHours: 0, Tickets: 2, AllocatedSP: 8, AllocatedPct: 120, Load: capacity.Overloaded}},
		"somebody else's":      {40, 1, []capacity.Share{{"q", "a", 80}}, capacity.Line{EffectiveHours: 40, SpareHours: 40, Load: capacity.Idle}},
		"a ticket that is not": {40, 1, []capacity.Share{{"p", "x", 80}}, capacity.Line{EffectiveHours: 40, SpareHours: 40, Load: capacity.Idle}},
	} {
		t.Run(name, func(t *testing.T) {
			r := capacity.Compute([]capacity.Person{person("p", c.hours, c.share)}, tickets, c.shares)
			got := r.Lines[0]
			got.ID, got.Name, got.Role, got.TicketIDs, got.Capacity, got.Availability = "", "", "", nil, 0, 0
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", c.want) {
				t.Errorf("\n%+v\n%+v", got, c.want)
			}
		})
	}
}

func TestCapacity_AReportSaysWhoHasRoomFirst(t *testing.T) {
	t.Parallel()
	people := []capacity.Person{person("full", 40, 1), person("part", 20, 1), person("free", 40, 1), {ID: "unsaid", ResourceBody: desk.ResourceBody{Name: "unsaid"}}}
	tickets := []capacity.Ticket{ticket("a", 5, desk.Todo), ticket("b", 1, desk.Blocked), ticket("c", 1, desk.Done), ticket("d", 1, desk.Todo)}
	r := capacity.Compute(people, tickets, []capacity.Share{{"full", "a", 130}, {"unsaid", "d", 0}})
	var order []string
	for _, l := range r.Lines {
		order = append(order, l.Name)
	}
	if !slices.Equal(order, []string{"free", "unsaid", "part", "full"}) {
		t.Errorf("the order is %v", order)
	}
	if r.Tickets != 4 || r.Open != 3 || r.Assigned != 2 || !slices.Equal(r.Unassigned, []string{"b"}) || r.Overloaded != 1 || r.IdleCount != 2 {
		t.Errorf("%+v", r)
	}
	if empty := capacity.Compute(nil, nil, nil); empty.Lines == nil || empty.Unassigned == nil {
		t.Error("an empty project has empty lists")
	}
}

func TestCapacity_SuggestionsSpreadTheWork(t *testing.T) {
	t.Parallel()
	skilled := person("skilled", 40, 1)
	skilled.Skills = []string{"Kafka"}
	people := []capacity.Person{person("other", 40, 1), skilled, person("gone", 0, 1)}
	kafka, urgent, done := ticket("Tune Kafka", 3, desk.Todo), ticket("Fix it", 1, desk.Todo), ticket("Old", 1, desk.Done)
	urgent.Priority = desk.Critical
	tickets := []capacity.Ticket{kafka, urgent, done}
	got := capacity.Suggest(capacity.Compute(people, tickets, nil), slices.Values(tickets), 10)
	if len(got) != 2 || got[0].TicketID != urgent.ID || got[1].Name != "skilled" || len(got[1].Reasons) < 3 {
		t.Errorf("%+v", got)
	}
	if got := capacity.Suggest(capacity.Compute(people, tickets, nil), slices.Values(tickets), 1); len(got) != 1 {
		t.Errorf("the limit gives %d", len(got))
	}
	if got := capacity.Suggest(capacity.Compute(nil, tickets, nil), slices.Values(tickets), 5); len(got) != 0 {
		t.Errorf("nobody gives %+v", got)
	}
}

func TestCapacity_NumbersAreAlwaysNumbers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		p := person("p", rapid.Float64Range(0, 168).Draw(r, "hours"), rapid.Float64Range(0, 1).Draw(r, "share"))
		percent := rapid.Float64Range(0, 100).Draw(r, "percent")
		l := capacity.Compute([]capacity.Person{p}, []capacity.Ticket{ticket("a", 1, desk.Todo)}, []capacity.Share{{"p", "a", percent}}).Lines[0]
		if math.IsNaN(l.SpareHours) || l.SpareHours < 0 || l.SpareHours > l.EffectiveHours || math.Abs(l.EffectiveHours-*p.Capacity**p.Availability) > 0.0501 { // to a tenth
			r.Fatalf("%+v", l)
		}
	})
}
