package flow_test

import (
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/flow"
)

func TestPlan_ProgressOfAChecklist(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		items                       []desk.Item
		complete, total, unassigned int
		percent                     float64
	}{
		"nothing":        {nil, 0, 0, 0, 0},
		"a third":        {[]desk.Item{{Checked: true}, {Assignee: "Ann"}, {}}, 1, 3, 1, 33.3},
		"all":            {[]desk.Item{{Checked: true}, {Checked: true}}, 2, 2, 0, 100},
		"blank assignee": {[]desk.Item{{Assignee: " "}}, 0, 1, 1, 0},
	} {
		p := flow.ProgressOf(flow.Checklist{ID: "chk_1", ChecklistBody: desk.ChecklistBody{Items: c.items}})
		if p.Complete != c.complete || p.Total != c.total || p.Unassigned != c.unassigned || p.Percent != c.percent || p.ID != "chk_1" {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func TestPlan_ThePlanIsInOrder(t *testing.T) {
	t.Parallel()
	phases := []flow.Phase{
		{ID: "p2", PhaseBody: desk.PhaseBody{Name: "Beta", Status: "NOT_STARTED", SortOrder: 2, EntryCriteria: []string{"alpha\nis over"}}},
		{ID: "p1", PhaseBody: desk.PhaseBody{Name: "Alpha", Status: "ACTIVE", SortOrder: 1, StartDate: "2026-03-01", ExitCriteria: []string{"10 users"}}},
	}
	milestones := []flow.Milestone{
		{MilestoneBody: desk.MilestoneBody{Name: "Someday", Status: "UPCOMING"}},
		{MilestoneBody: desk.MilestoneBody{Name: "Ship | it", Status: "AT_RISK", TargetDate: "2026-04-01", PhaseID: "p2", Owner: "Ann"}},
		{MilestoneBody: desk.MilestoneBody{Name: "Try", Status: "COMPLETED", TargetDate: "2026-03-01T10:00:00Z"}},
	}
	flow.InOrder(phases, milestones)
	got := flow.Outline(phases, milestones, true)
	want := `# Plan

## 1. Alpha

Status: ACTIVE, 2026-03-01 to open

To end:
- 10 users

## 2. Beta

Status: NOT_STARTED

To begin:
- alpha is over

## Milestones

| Day | Milestone | Status | Phase | Owner |
|---|---|---|---|---|
| 2026-03-01T10:00:00Z | Try | COMPLETED |  |  |
| 2026-04-01 | Ship \| it | AT_RISK | Beta | Ann |
| open | Someday | UPCOMING |  |  |
`
	if got != want {
		t.Errorf("%s", got)
	}
	if got := flow.Outline(nil, nil, true); !strings.Contains(got, "No phases") || !strings.Contains(got, "No milestones") {
		t.Errorf("%s", got)
	}
	if got := flow.Outline(phases, milestones, false); strings.Contains(got, "Milestones") {
		t.Errorf("%s", got)
	}
}
