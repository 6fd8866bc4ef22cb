package drift_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/capacity"
	"chela/internal/desk"
	"chela/internal/drift"
	"chela/internal/flow"
)

var now = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

func ticket(id string, b desk.TicketBody) capacity.Ticket {
	if b.Status == "" {
		b.Status = desk.Todo
	}
	if b.Title == "" {
		b.Title = id
	}
	return capacity.Ticket{ID: id, TicketBody: &b}
}

func person(name string) capacity.Person {
	return capacity.Person{ID: name, ResourceBody: desk.ResourceBody{Name: name}}
}

func thread(a desk.Action) drift.Thread {
	return drift.Thread{ID: "thr", ThreadBody: desk.ThreadBody{Title: "T", Actions: []desk.Action{a}}}
}

func types(d drift.Desk) []string {
	var out []string
	for _, x := range drift.Find(d).Deltas {
		out = append(out, string(x.Type))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestDrift_Find(t *testing.T) {
	t.Parallel()
	fresh := map[string]time.Time{"a": now, "b": now}
	held := []capacity.Share{{ResourceID: "Ann", TicketID: "a"}}
	for name, c := range map[string]struct {
		desk drift.Desk
		want []string
	}{
		"nothing": {drift.Desk{}, nil},
		"all is well": {drift.Desk{
			Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{DueDate: "2026-03-20"})}, Touched: fresh, People: []capacity.Person{person("Ann")}, Shares: held,
			Threads: []drift.Thread{thread(desk.Action{Text: "x", Assignee: "ann", DueDate: "2026-03-20", TicketID: "a"})},
		}, nil},
		"two owners": {drift.Desk{
			Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{})}, Touched: fresh, People: []capacity.Person{person("Ann"), person("Bob")}, Shares: held,
			Threads: []drift.Thread{thread(desk.Action{Text: "x", Assignee: "Bob", TicketID: "a"})},
		}, []string{"OWNER_MISMATCH"}},
		"two dates": {drift.Desk{
			Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{DueDate: "2026-03-20"})}, Touched: fresh, People: []capacity.Person{person("Ann")}, Shares: held,
			Threads: []drift.Thread{thread(desk.Action{Text: "x", DueDate: "2026-03-21", TicketID: "a"})},
		}, []string{"DATE_DRIFT"}},
		"overdue": {drift.Desk{
			Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{DueDate: "2026-03-13"})}, Touched: fresh, People: []capacity.Person{person("Ann")}, Shares: held,
		}, []string{"DATE_DRIFT"}},
		"due today is not overdue": {drift.Desk{
			Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{DueDate: "2026-03-15"})}, Touched: fresh, People: []capacity.Person{person("Ann")}, Shares: held,
		}, nil},
		"done late is done": {drift.Desk{
			Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{DueDate: "2026-03-01", Status: desk.Done})}, Touched: fresh,
		}, nil},
		"an objective without tickets": {drift.Desk{
			Objectives: []flow.Objective{{ID: "o", ObjectiveBody: desk.ObjectiveBody{Outcome: "O", Status: "COMMITTED"}}},
		}, []string{"COVERAGE_GAP"}},
		"a dropped objective": {drift.Desk{
			Objectives: []flow.Objective{{ID: "o", ObjectiveBody: desk.ObjectiveBody{Outcome: "O", Status: "DROPPED"}}},
		}, nil},
		"too much to do": {drift.Desk{
			Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{})}, Touched: fresh, People: []capacity.Person{person("Ann")},
			Shares: []capacity.Share{{ResourceID: "Ann", TicketID: "a", Percent: 150}},
		}, []string{"CAPACITY_OVERLOAD"}},
		"untouched for weeks": {drift.Desk{
			Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{Status: desk.InProgress})}, Touched: map[string]time.Time{"a": now.Add(-drift.Stale - time.Hour)},
			People: []capacity.Person{person("Ann")}, Shares: held,
		}, []string{"STALE_ARTIFACT"}},
		"twice the same": {drift.Desk{
			Tickets: []capacity.Ticket{ticket("a", desk.TicketBody{Title: "Retry payments"}), ticket("b", desk.TicketBody{Title: "retry  Payments"})}, Touched: fresh,
			People: []capacity.Person{person("Ann")}, Shares: append(held, capacity.Share{ResourceID: "Ann", TicketID: "b"}),
		}, []string{"DUPLICATE_ENTRY"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.desk.Now = now
			if got := types(c.desk); !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestDrift_ManyOfAKindAreCounted(t *testing.T) {
	t.Parallel()
	var d drift.Desk
	for i := range 30 {
		d.Objectives = append(d.Objectives, flow.Objective{ID: fmt.Sprint(i), ObjectiveBody: desk.ObjectiveBody{Outcome: fmt.Sprint(i)}})
	}
	got := drift.Find(d).Deltas
	if len(got) != 1 || got[0].Title != "30 objectives have no tickets" || len(got[0].Records) != 30 || !strings.HasSuffix(got[0].Text, "and 25 more") || got[0].Severity != desk.High {
		t.Errorf("%d deltas, the last is %+v", len(got), got[len(got)-1])
	}
}
