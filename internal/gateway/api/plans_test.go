package api_test

import (
	"slices"
	"strings"
	"testing"

	"chela/internal/gateway/client"
)

// planIn is what a project has of a plan: phases, milestones and tickets.
func planIn(t *testing.T, c *client.Client, project string) (out []string, ids map[string]string) {
	t.Helper()
	phases, err := c.ListPhases(t.Context(), project, client.ListPhasesQuery{})
	if err != nil {
		t.Fatal(err)
	}
	ids, names := make(map[string]string), map[string]string{"": ""}
	for _, x := range phases.Items {
		ids[x.Body.Name], names[x.ID] = x.ID, x.Body.Name
		out = append(out, strings.Join([]string{"phase", x.Body.Name, string(x.Body.StartDate), string(x.Body.EndDate), string(x.Body.Status)}, "|"))
	}
	milestones, err := c.ListMilestones(t.Context(), project, client.ListMilestonesQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range milestones.Items {
		ids[x.Body.Name] = x.ID
		out = append(out, strings.Join([]string{"milestone", x.Body.Name, string(x.Body.TargetDate), x.Body.Owner, names[x.Body.PhaseID], string(x.Body.Status)}, "|"))
	}
	tickets, err := c.ListTickets(t.Context(), project, client.ListTicketsQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range tickets.Items {
		out = append(out, strings.Join([]string{"ticket", x.Body.Title, string(x.Body.DueDate), names[x.Body.PhaseID], string(x.Body.Status)}, "|"))
	}
	slices.Sort(out)
	return out, ids
}

// TestIntake_Plans takes a plan in as a sheet, and newer ones as a table and lines of a text: days that nobody changed follow and are told,
// those that a person changed are asked about.
func TestIntake_Plans(t *testing.T) {
	t.Parallel()
	_, c, project := shop(t)
	taken(t, c, project.ID, client.IntakeFile{Name: "plan.csv", Data: []byte("Task Name,Start,Finish,% Complete,Assigned To\nPhase 1: Facade,2026-12-01,2026-12-31,50%,\nBuild the facade,2026-12-01,2026-12-20,10%,Joe\nPhase 2: Rollout,2027-01-01,2027-01-31,0%,\nMilestone: Go-live,2027-01-15,2027-01-15,,Ann\n")})
	got, ids := planIn(t, c, project.ID)
	want := []string{"milestone|Go-live|2027-01-15|Ann|Rollout|UPCOMING", "phase|Facade|2026-12-01|2026-12-31|IN_PROGRESS", "phase|Rollout|2027-01-01|2027-01-31|NOT_STARTED", "ticket|Build the facade|2026-12-20|Facade|IN_PROGRESS"}
	if !slices.Equal(got, want) {
		t.Fatalf("the plan is %q, want %q", got, want)
	}
	if _, err := c.EditPhase(t.Context(), project.ID, ids["Rollout"], map[string]any{"endDate": "2027-02-07"}); err != nil {
		t.Fatal(err)
	}
	taken(t, c, project.ID, client.IntakeFile{Name: "plan.md", Data: []byte("# Plan\n\n| Phase | Start | End |\n|---|---|---|\n| Facade | 2026-12-01 | 2027-01-10 |\n| Rollout | 2027-01-01 | 2027-02-28 |\n")})
	taken(t, c, project.ID, client.IntakeFile{Name: "weekly.md", Data: []byte("# Weekly 2026-12-01\n\nMilestone: Go-live - 2027-01-22\n")})
	got, _ = planIn(t, c, project.ID)
	want = []string{"milestone|Go-live|2027-01-22|Ann|Rollout|UPCOMING", "phase|Facade|2026-12-01|2027-01-10|IN_PROGRESS", "phase|Rollout|2027-01-01|2027-02-07|NOT_STARTED", want[3]}
	if !slices.Equal(got, want) {
		t.Errorf("the plan is %q, want %q", got, want)
	}
	found, err := c.ListReconciliations(t.Context(), project.ID, client.ListReconciliationsQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, r := range found.Items {
		for _, d := range r.Body.Conflicts {
			asked := ""
			if d.Asked {
				asked = " asked"
			}
			told = append(told, d.Title+" "+d.Field+" "+d.Ticket+" "+d.Source+asked)
		}
	}
	slices.Sort(told)
	if want := []string{"Facade endDate 2026-12-31 2027-01-10", "Go-live targetDate 2027-01-15 2027-01-22", "Rollout endDate 2027-02-07 2027-02-28 asked"}; !slices.Equal(told, want) {
		t.Errorf("told is %q, want %q", told, want)
	}
}
