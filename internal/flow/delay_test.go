package flow_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"chela/internal/desk"
	"chela/internal/flow"
)

func TestPlan_Delays(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	milestone := func(b desk.MilestoneBody) flow.Plan {
		b.Name = "Go-live"
		return flow.Plan{Milestones: []flow.Milestone{{ID: "mls_1", MilestoneBody: b}}}
	}
	phase := func(b desk.PhaseBody, lists ...desk.ChecklistBody) flow.Plan {
		b.Name = "Build"
		p := flow.Plan{Phases: []flow.Phase{{ID: "phs_1", PhaseBody: b}}}
		for i, l := range lists {
			p.Checklists = append(p.Checklists, flow.Checklist{ID: fmt.Sprintf("chk_%d", i), ChecklistBody: l})
		}
		return p
	}
	ticket := func(id string, b desk.TicketBody) flow.Ticket { return flow.Ticket{ID: id, TicketBody: &b} }
	open := []flow.Ticket{ticket("tkt_1", desk.TicketBody{Status: desk.Todo}), ticket("tkt_2", desk.TicketBody{Status: desk.InProgress, PhaseID: "phs_1"}), ticket("tkt_3", desk.TicketBody{Status: desk.Done, PhaseID: "phs_1"})}
	serving := []flow.Ticket{ticket("tkt_1", desk.TicketBody{Status: desk.Todo, ObjectiveIDs: []string{"obj_1"}}), ticket("tkt_2", desk.TicketBody{Status: desk.Todo}), ticket("tkt_4", desk.TicketBody{Status: desk.Todo})}
	objectives := []flow.Objective{{ID: "obj_1", ObjectiveBody: desk.ObjectiveBody{TicketIDs: []string{"tkt_1", "tkt_2"}}}}
	list := func(of string, checked ...bool) desk.ChecklistBody {
		b := desk.ChecklistBody{PhaseID: of}
		for _, c := range checked {
			b.Items = append(b.Items, desk.Item{Text: "x", Checked: c})
		}
		return b
	}
	for name, c := range map[string]struct {
		plan    flow.Plan
		tickets []flow.Ticket
		want    string
	}{
		"its day is over":                     {milestone(desk.MilestoneBody{TargetDate: "2026-03-12"}), nil, "OVERDUE 3 days over"},
		"over, with work":                     {milestone(desk.MilestoneBody{TargetDate: "2026-03-14", TicketIDs: []string{"tkt_1", "tkt_3"}}), open, "OVERDUE 1 day over; 1 ticket of its own is open"},
		"reached":                             {milestone(desk.MilestoneBody{TargetDate: "2026-03-12", Status: desk.MilestoneCompleted}), open, ""},
		"given up":                            {milestone(desk.MilestoneBody{TargetDate: "2026-03-12", Status: desk.MilestoneMissed}), open, ""},
		"reached, says its day":               {milestone(desk.MilestoneBody{TargetDate: "2026-03-12", ActualDate: "2026-03-11"}), open, ""},
		"without a day":                       {milestone(desk.MilestoneBody{}), open, ""},
		"today, with work of the project":     {milestone(desk.MilestoneBody{TargetDate: "2026-03-15"}), open, "AT_RISK due today; 2 tickets of the project are open"},
		"in five days, with work":             {milestone(desk.MilestoneBody{TargetDate: "2026-03-20", PhaseID: "phs_1"}), open, "AT_RISK due in 5 days; 1 ticket of its phase is open"},
		"in six days":                         {milestone(desk.MilestoneBody{TargetDate: "2026-03-21"}), open, ""},
		"near, all is done":                   {milestone(desk.MilestoneBody{TargetDate: "2026-03-17", TicketIDs: []string{"tkt_3"}, PhaseID: "phs_1"}), open, ""},
		"near, by an objective":               {milestone(desk.MilestoneBody{TargetDate: "2026-03-17", ObjectiveIDs: []string{"obj_1"}}), serving, "AT_RISK due in 2 days; 2 tickets of its own are open"},
		"what is due later does not count":    {milestone(desk.MilestoneBody{TargetDate: "2026-03-17"}), []flow.Ticket{ticket("tkt_1", desk.TicketBody{Status: desk.Todo, DueDate: "2026-03-18"})}, ""},
		"a phase past its end":                {phase(desk.PhaseBody{EndDate: "2026-03-14", Status: "ACTIVE"}, list("phs_1", true, false)), open, "OVERDUE 1 day over; 1 ticket of it is open; 1 item of its checklists not ticked"},
		"a phase that ends today":             {phase(desk.PhaseBody{EndDate: "2026-03-15"}), open, ""},
		"a phase completed, with work":        {phase(desk.PhaseBody{EndDate: "2026-03-14", Status: desk.PhaseCompleted}), open, "UNFINISHED called completed; 1 ticket of it is open"},
		"a phase completed, with items":       {phase(desk.PhaseBody{Status: desk.PhaseCompleted, ChecklistIDs: []string{"chk_0"}}, list("phs_1", false), list("phs_2", false)), nil, "UNFINISHED called completed; 1 item of its checklists not ticked"},
		"a phase completed, and a template":   {phase(desk.PhaseBody{Status: desk.PhaseCompleted}, desk.ChecklistBody{PhaseID: "phs_1", Status: desk.ChecklistAsTemplate, Items: []desk.Item{{Text: "x"}}}), nil, ""},
		"a phase completed, with all of it":   {phase(desk.PhaseBody{EndDate: "2026-03-14", Status: desk.PhaseCompleted}, list("phs_1", true)), open[2:], ""},
		"a phase past its end, with no work":  {phase(desk.PhaseBody{EndDate: "2026-03-14"}), nil, "OVERDUE 1 day over"},
		"a phase that has no end, with tasks": {phase(desk.PhaseBody{}), open, ""},
	} {
		got := ""
		for _, d := range c.plan.Delays(objectives, c.tickets, now) {
			got += string(d.Why) + " " + d.Said()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestPlan_DelaysAreInOrder(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 15, 23, 59, 0, 0, time.UTC)
	p := flow.Plan{Phases: []flow.Phase{{ID: "ended", PhaseBody: desk.PhaseBody{Status: desk.PhaseCompleted}}, {ID: "past", PhaseBody: desk.PhaseBody{EndDate: "2026-03-01"}}}}
	for id, day := range map[string]desk.Date{"soon": "2026-03-18", "sooner": "2026-03-16", "late": "2026-03-10T10:00:00Z", "later": "2026-02-10"} {
		p.Milestones = append(p.Milestones, flow.Milestone{ID: id, MilestoneBody: desk.MilestoneBody{TargetDate: day}})
	}
	var got []string
	for _, d := range p.Delays(nil, []flow.Ticket{{ID: "tkt_1", TicketBody: &desk.TicketBody{Status: desk.Todo, PhaseID: "ended"}}}, now) {
		got = append(got, d.ID)
	}
	if want := []string{"later", "past", "late", "sooner", "soon", "ended"}; !slices.Equal(got, want) {
		t.Errorf("they are %q, want %q", got, want)
	}
}
