package flow_test

import (
	"slices"
	"testing"

	"chela/internal/desk"
	"chela/internal/flow"
)

func ticket(id string, s desk.TicketStatus, objectives ...string) flow.Ticket {
	return flow.Ticket{ID: id, TicketBody: &desk.TicketBody{Title: id, Status: s, ObjectiveIDs: objectives}}
}

func TestFlow_Cover(t *testing.T) {
	t.Parallel()
	all := []flow.Ticket{
		ticket("done", desk.Done), ticket("work", desk.InProgress), ticket("review", desk.InReview), ticket("todo", desk.Todo),
		ticket("blocked", desk.Blocked), ticket("named", desk.Done, "o"), ticket("other", desk.Done, "p"),
	}
	for name, c := range map[string]struct {
		names                  []string
		done, inProgress, open int
		percent                float64
	}{
		"nothing but what names it": {nil, 1, 0, 0, 100},
		"one of each":               {[]string{"done", "work", "review", "todo", "blocked"}, 2, 2, 2, 66.7},
		"both ways is once":         {[]string{"named"}, 1, 0, 0, 100},
		"one that is gone":          {[]string{"gone", "todo"}, 1, 0, 2, 33.3},
	} {
		t.Run(name, func(t *testing.T) {
			got := flow.Cover(flow.Objective{ID: "o", ObjectiveBody: desk.ObjectiveBody{TicketIDs: c.names}}, all)
			if got.Done != c.done || got.InProgress != c.inProgress || got.Open != c.open || got.Percent != c.percent {
				t.Errorf("%+v", got)
			}
		})
	}
	if got := flow.Cover(flow.Objective{ID: "none"}, all); got.Percent != 0 || len(got.TicketIDs) != 0 {
		t.Errorf("without tickets: %+v", got)
	}
}

func TestFlow_Unmapped(t *testing.T) {
	t.Parallel()
	all := []flow.Ticket{ticket("a", desk.Todo, "o"), ticket("b", desk.Todo), ticket("c", desk.Todo), ticket("d", desk.Todo, "gone")}
	got := flow.Unmapped([]flow.Objective{{ID: "o", ObjectiveBody: desk.ObjectiveBody{TicketIDs: []string{"b"}}}}, all)
	if !slices.Equal(got, []string{"c", "d"}) {
		t.Errorf("%v", got)
	}
}
