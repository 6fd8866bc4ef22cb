package drift_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"chela/internal/capacity"
	"chela/internal/desk"
	"chela/internal/drift"
	"chela/internal/flow"
)

// TestRules_ThePlan: milestones that are late or will be, phases past their end, and those completed before their work.
func TestRules_ThePlan(t *testing.T) {
	t.Parallel()
	milestone := func(b desk.MilestoneBody) flow.Plan {
		b.Name = "Go-live"
		return flow.Plan{Milestones: []flow.Milestone{{ID: "mls", MilestoneBody: b}}}
	}
	phase := func(b desk.PhaseBody) flow.Plan {
		b.Name = "Build"
		return flow.Plan{Phases: []flow.Phase{{ID: "phs", PhaseBody: b}}}
	}
	tickets := []capacity.Ticket{ticket("a", desk.TicketBody{PhaseID: "phs"})}
	for name, c := range map[string]struct {
		plan  flow.Plan
		kind  desk.DeltaType
		want  []string
		blind string
	}{
		"overdue":     {milestone(desk.MilestoneBody{TargetDate: "2026-03-14", Owner: "Ann"}), "DATE_DRIFT", []string{"HIGH Milestone overdue: Go-live | targetDate mls=2026-03-14 today=2026-03-15 | [mls a]"}, "MILESTONE_RISK HIGH Milestone of 2026-03-14 overdue: Go-live: 1 ticket of the project is open. Ann [mls a]"},
		"at risk":     {milestone(desk.MilestoneBody{TargetDate: "2026-03-16", PhaseID: "phs"}), "DATE_DRIFT", []string{"MEDIUM Milestone at risk: Go-live | targetDate mls=2026-03-16 open tickets=1 | [mls a]"}, "MILESTONE_RISK HIGH Milestone of 2026-03-16 at risk: Go-live: 1 ticket of its phase is open.  [mls a]"},
		"reached":     {milestone(desk.MilestoneBody{TargetDate: "2026-03-14", Status: desk.MilestoneCompleted}), "DATE_DRIFT", nil, ""},
		"past an end": {phase(desk.PhaseBody{EndDate: "2026-03-14"}), "DATE_DRIFT", []string{"HIGH Phase past its end: Build | endDate phs=2026-03-14 today=2026-03-15 | [phs a]"}, ""},
		"unfinished":  {phase(desk.PhaseBody{Status: desk.PhaseCompleted}), "STATUS_MISMATCH", []string{"MEDIUM Phase completed before its work: Build | status phs=COMPLETED open work=IN_PROGRESS | [phs a]"}, ""},
	} {
		d := drift.Desk{Plan: c.plan, Tickets: tickets, Now: now}
		if got := find(d, c.kind); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		blind := ""
		for _, b := range drift.Find(d).Blindspots {
			blind += fmt.Sprintf("%s %s %s: %s %s %v", b.Category, b.Severity, b.Title, b.Description, b.Owner, b.RecordIDs)
		}
		if blind != c.blind {
			t.Errorf("%s: %q, want %q", name, blind, c.blind)
		}
	}
}

// TestRules_APhaseSaysWhatIsToBeTrue: the criteria to end a phase stand in its finding, and what changes with each day makes no other finding.
func TestRules_APhaseSaysWhatIsToBeTrue(t *testing.T) {
	t.Parallel()
	d := drift.Desk{Now: now, Plan: flow.Plan{Phases: []flow.Phase{{ID: "phs", PhaseBody: desk.PhaseBody{Name: "Build", EndDate: "2026-03-14", ExitCriteria: []string{"The tests pass", "It is signed"}}}}}}
	first := drift.Find(d).Deltas
	d.Now = now.AddDate(0, 0, 3)
	then := drift.Find(d).Deltas
	if len(first) != 1 || len(then) != 1 || !strings.HasSuffix(first[0].Text, "\nTo end it: The tests pass\nTo end it: It is signed") || first[0].Same() != then[0].Same() {
		t.Errorf("%+v\nthree days later %+v", first, then)
	}
}

// TestRules_ManyMilestonesAreCounted: more than a few overdue milestones are one finding.
func TestRules_ManyMilestonesAreCounted(t *testing.T) {
	t.Parallel()
	var d drift.Desk
	for i := range 21 {
		d.Plan.Milestones = append(d.Plan.Milestones, flow.Milestone{ID: fmt.Sprint(i), MilestoneBody: desk.MilestoneBody{Name: fmt.Sprint(i), TargetDate: "2026-03-01"}})
	}
	d.Now = now
	if got := drift.Find(d).Deltas; len(got) != 1 || got[0].Title != "21 milestones are overdue" || len(got[0].Records) != 21 {
		t.Errorf("%d: %+v", len(got), got)
	}
}
