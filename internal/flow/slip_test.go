package flow_test

import (
	"slices"
	"testing"
	"time"

	"chela/internal/desk"
	"chela/internal/flow"
)

func TestSlips_HaveTheGravestCauseAndComeByUrgency(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 15, 0, 0, 0, time.UTC)
	ago := func(days int) time.Time { return now.AddDate(0, 0, -days) }
	of := func(id string, status desk.TicketStatus, priority desk.Level, due desk.Date) flow.Ticket {
		return flow.Ticket{ID: id, TicketBody: &desk.TicketBody{Title: id, Status: status, Priority: priority, DueDate: due}}
	}
	all := []flow.Ticket{
		of("done late", desk.Done, desk.High, "2026-03-01"),
		of("next month", desk.Todo, desk.High, "2026-04-20"),
		of("in time", desk.InProgress, desk.Medium, ""),
		of("ageing", desk.InProgress, desk.Medium, ""),
		of("in a week", desk.Todo, desk.Medium, "2026-03-17"),
		of("in eight days", desk.Todo, desk.Medium, "2026-03-18"),
		of("today", desk.Todo, desk.Medium, "2026-03-10"),
		of("blocked", desk.Blocked, desk.Low, ""),
		of("blocked and late", desk.Blocked, desk.Low, "2026-03-08"),
		of("later", desk.Todo, desk.Low, "2026-03-09"),
		of("graver", desk.Todo, desk.Critical, "2026-03-09"),
	}
	begun := map[string]time.Time{"in time": ago(5), "ageing": ago(9), "blocked": ago(3)}
	type slip struct {
		id    string
		cause flow.Cause
		days  int
	}
	slips := func(all []flow.Ticket, usual float64, most int) (got []slip, counts map[flow.Cause]int) {
		first, counts := flow.Slips(func(yield func(int, *flow.Prospect) bool) {
			for i, t := range all {
				p := flow.ProspectOf(t.TicketBody)
				if !yield(i, &p) {
					return
				}
			}
		}, func(place int) time.Time { return begun[all[place].ID] }, usual, now, most)
		for _, s := range first {
			one := s.Of(all[s.At])
			got = append(got, slip{one.ID, one.Cause, one.Days})
		}
		return got, counts
	}
	got, counts := slips(all, 8, 100)
	want := []slip{
		{"graver", flow.Overdue, 1},
		{"blocked and late", flow.Overdue, 2},
		{"later", flow.Overdue, 1},
		{"blocked", flow.Stuck, 3},
		{"today", flow.DueSoon, 0},
		{"in a week", flow.DueSoon, 7},
		{"ageing", flow.Ageing, 9},
	}
	if !slices.Equal(got, want) {
		t.Errorf("the slips are\n%v\nwant\n%v", got, want)
	}
	if counts[flow.Overdue] != 3 || counts[flow.Stuck] != 1 || counts[flow.DueSoon] != 2 || counts[flow.Ageing] != 1 {
		t.Errorf("the causes are counted as %v", counts)
	}
	if few, counts := slips(all, 8, 2); !slices.Equal(few, want[:2]) || counts[flow.Overdue] != 3 {
		t.Errorf("the first two are %v of %v, want %v", few, counts, want[:2])
	}
	if got, _ := slips(all[2:4], 0, 100); len(got) != 0 {
		t.Errorf("while nothing says how long tickets take, %v slip, want none", got)
	}
}
