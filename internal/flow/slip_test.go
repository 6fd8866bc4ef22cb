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
	var got []slip
	for _, s := range flow.Slips(all, begun, 8, now) {
		got = append(got, slip{s.ID, s.Cause, s.Days})
	}
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
	if got := flow.Slips(all[2:4], begun, 0, now); len(got) != 0 {
		t.Errorf("while nothing says how long tickets take, %v slip, want none", got)
	}
}
