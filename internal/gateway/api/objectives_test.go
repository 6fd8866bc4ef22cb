package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/gateway/client"
)

// pasted hands a text in, and returns what its extraction comes to.
func pasted(t *testing.T, c *client.Client, project, name, text string) string {
	t.Helper()
	in := taken(t, c, project, client.IntakeFile{Name: name, Data: []byte(text)})
	for _, ph := range in.Body.Phases {
		if ph.Name == "extract" {
			return ph.Summary
		}
	}
	return ""
}

// aims are the objectives of a project, each in a line; tickets go by their keys.
func aims(t *testing.T, c *client.Client, project string) []string {
	t.Helper()
	keys := make(map[string]string)
	tickets, err := c.ListTickets(t.Context(), project, client.ListTicketsQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range tickets.Items {
		keys[x.ID] = x.Body.ExternalRef
	}
	all, err := c.ListObjectives(t.Context(), project, client.ListObjectivesQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, x := range all.Items {
		var serve []string
		for _, id := range x.Body.TicketIDs {
			serve = append(serve, keys[id])
		}
		out = append(out, fmt.Sprintf("%s|%s|%s|%s|%s|%s|%.0f", x.Body.SprintName, x.Body.Outcome, x.Body.Signal, strings.Join(x.Body.Risks, "+"), strings.Join(serve, " "), x.Body.Status, x.Body.Coverage))
	}
	slices.Sort(out)
	return out
}

// TestIntake_ObjectivesWhole takes in tickets and what objectives say of them: with signal, risks, tickets and status, so that they are covered
// at once. What a later text says is added, and what a hand wrote stays.
func TestIntake_ObjectivesWhole(t *testing.T) {
	t.Parallel()
	_, c, project := shop(t)
	pasted(t, c, project.ID, "plan.md", "# Sprint plan\n\n- J-101: Split the handler | Status: Done | Owner: Joe\n- J-102: Move the tokens | Status: In Progress | Owner: Ann\n- J-103: Write it down | Status: To Do\n\n"+
		"Objective: Migrate the card handlers\nOutcome: All 3 handlers migrated\nSignal: J-101, J-102 and J-103 done\nRisk: API limits\nStatus: COMMITTED\n\nObjectives for Sprint 12:\n1. Ship the report (J-103)\n2. Cut the costs - Signal: J-999 done\n")
	const cards = "|Migrate the card handlers: All 3 handlers migrated|J-101, J-102 and J-103 done|API limits|J-101 J-102 J-103|COMMITTED|67"
	want := []string{"Sprint 12|Cut the costs|J-999 done|||PROPOSED|0", "Sprint 12|Ship the report (J-103)|||J-103|PROPOSED|0", cards}
	if got := aims(t, c, project.ID); !slices.Equal(got, want) {
		t.Fatalf("the objectives are %q, want %q", got, want)
	}
	all, err := c.ListObjectives(t.Context(), project.ID, client.ListObjectivesQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range all.Items {
		if from := x.Body.Sources; len(from) == 0 || !strings.HasPrefix(from[0].By, "rule:") {
			t.Errorf("%s is from %+v", x.Body.Outcome, from)
		}
		if x.Body.Outcome == "Cut the costs" {
			if _, err := c.EditObjective(t.Context(), project.ID, x.ID, map[string]any{"status": "DROPPED"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	threads, err := c.ListThreads(t.Context(), project.ID, client.ListThreadsQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range threads.Items {
		if len(x.Body.Decisions)+len(x.Body.Actions) > 0 {
			t.Errorf("the thread %s has decisions %+v and actions %+v", x.Body.Title, x.Body.Decisions, x.Body.Actions)
		}
	}
	pasted(t, c, project.ID, "later.md", "# Sprint 12, again\n\nObjectives for Sprint 12:\n1. Ship the report (J-103) - Risk: nobody reads it - COMMITTED\n2. Cut the costs - COMMITTED\n\nObjective: Migrate the card handlers\nOutcome: Two handlers migrated\nRisk: The vendor\nStatus: AT_RISK\n")
	want = []string{"Sprint 12|Cut the costs|J-999 done|||DROPPED|0", "Sprint 12|Ship the report (J-103)||nobody reads it|J-103|COMMITTED|0", strings.Replace(cards, "API limits", "API limits+The vendor", 1)}
	if got := aims(t, c, project.ID); !slices.Equal(got, want) {
		t.Errorf("after another text the objectives are %q, want %q", got, want)
	}
}

// TestIntake_AMilestoneThatMoves takes in one line, and later another day for it: it is changed and told, or asked where a hand moved it, too.
func TestIntake_AMilestoneThatMoves(t *testing.T) {
	t.Parallel()
	_, c, project := shop(t)
	stands := func(summary, wantSummary, want string) {
		t.Helper()
		all, err := c.ListMilestones(t.Context(), project.ID, client.ListMilestonesQuery{})
		if err != nil || len(all.Items) != 1 {
			t.Fatalf("there are %d milestones, %v", len(all.Items), err)
		}
		found, err := c.ListReconciliations(t.Context(), project.ID, client.ListReconciliationsQuery{})
		if err != nil {
			t.Fatal(err)
		}
		got := string(all.Items[0].Body.TargetDate)
		for _, r := range found.Items {
			for _, d := range r.Body.Conflicts {
				got += fmt.Sprintf("; %s %s to %s, asked %v", d.Field, d.Ticket, d.Source, d.Asked)
			}
		}
		if !strings.Contains(summary, wantSummary) || got != want {
			t.Errorf("%q: %q, want %q: %q", summary, got, wantSummary, want)
		}
	}
	stands(pasted(t, c, project.ID, "a.txt", "Milestone: Go-live - 2026-12-08"), "1 milestone", "2026-12-08")
	stands(pasted(t, c, project.ID, "b.txt", "Milestone: Go-live - 2026-12-15"), "Changed: 1 milestone.", "2026-12-15; targetDate 2026-12-08 to 2026-12-15, asked false")
	all, err := c.ListMilestones(t.Context(), project.ID, client.ListMilestonesQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.EditMilestone(t.Context(), project.ID, all.Items[0].ID, map[string]any{"targetDate": desk.Date("2026-12-20")}); err != nil {
		t.Fatal(err)
	}
	told := pasted(t, c, project.ID, "c.txt", "Milestone: Go-live - 2026-12-22")
	all, err = c.ListMilestones(t.Context(), project.ID, client.ListMilestonesQuery{})
	if err != nil {
		t.Fatal(err)
	}
	threads, err := c.ListThreads(t.Context(), project.ID, client.ListThreadsQuery{})
	if err != nil || len(threads.Items) > 0 {
		t.Errorf("the lines made %d threads, %v", len(threads.Items), err)
	}
	if !strings.Contains(told, "To be decided under Reconcile: 1 milestone.") || all.Items[0].Body.TargetDate != "2026-12-20" {
		t.Errorf("%q, and the day is %s", told, all.Items[0].Body.TargetDate)
	}
}
