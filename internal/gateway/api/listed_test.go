package api_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"chela/internal/gateway/client"
)

// ticketsIn are a project's tickets, a line for each.
func ticketsIn(t *testing.T, c *client.Client, project string) (out []string, ids map[string]string) {
	t.Helper()
	all, err := c.ListTickets(t.Context(), project, client.ListTicketsQuery{})
	if err != nil {
		t.Fatal(err)
	}
	ids = make(map[string]string)
	for _, x := range all.Items {
		points := "-"
		if x.Body.StoryPoints != nil {
			points = strconv.FormatFloat(*x.Body.StoryPoints, 'g', -1, 64)
		}
		out = append(out, strings.Join([]string{x.Body.ExternalRef, x.Body.Title, points, string(x.Body.Status), string(x.Body.Priority), string(x.Body.DueDate)}, "|"))
		ids[x.Body.ExternalRef] = x.ID
	}
	slices.Sort(out)
	return out, ids
}

// TestIntake_ListedTickets hands in minutes with a list of tickets, and then a newer one: what it says is compared as an export is, what it
// does not say stays, and no ticket is there twice.
func TestIntake_ListedTickets(t *testing.T) {
	t.Parallel()
	_, c, project := shop(t)
	const minutes = "# Planning 2026-11-27\n\n## Tickets\n- PAY-201: Refactor card handler, 5 SP, Joe\n- PAY-202 Audit log (HIGH, owner: Alice, due Dec 3)\n- PAY-203 Fix sums — unassigned\n\n## Actions\n- Joe to call the bank by 2026-12-04\n"
	taken(t, c, project.ID, client.IntakeFile{Name: "planning.md", Data: []byte(minutes)})
	got, ids := ticketsIn(t, c, project.ID)
	want := []string{"PAY-201|Refactor card handler|5|TODO|MEDIUM|", "PAY-202|Audit log|-|TODO|HIGH|2026-12-03", "PAY-203|Fix sums|-|TODO|MEDIUM|", "|call the bank by 2026-12-04|-|TODO|MEDIUM|2026-12-04"}
	if !slices.Equal(got, want) {
		t.Fatalf("the tickets are %q, want %q", got, want)
	}
	one, err := c.GetTicket(t.Context(), project.ID, ids["PAY-201"], client.GetTicketQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if s := one.Body.Sources[0]; s.Line != 4 || s.Quote != "- PAY-201: Refactor card handler, 5 SP, Joe" || s.Document != "planning.md" {
		t.Errorf("its source is %+v", s)
	}
	if _, err := c.EditTicket(t.Context(), project.ID, ids["PAY-202"], map[string]any{"priority": "LOW"}); err != nil {
		t.Fatal(err)
	}
	// The newer list says nothing of the owner of PAY-201, changes its points, and calls PAY-202 otherwise.
	taken(t, c, project.ID, client.IntakeFile{Name: "board.txt", Data: []byte("PAY-201: Refactor card handler, 8 SP, in progress\nPAY-202: Audit trail, critical, 2 SP\nPAY-203: Fix sums, Joe, 1 SP\nPAY-204: Dark mode - done\n")})
	got, _ = ticketsIn(t, c, project.ID)
	want = []string{"PAY-201|Refactor card handler|8|IN_PROGRESS|MEDIUM|", "PAY-202|Audit log|2|TODO|LOW|2026-12-03", "PAY-203|Fix sums|1|TODO|MEDIUM|", "PAY-204|Dark mode|-|DONE|MEDIUM|", want[3]}
	if !slices.Equal(got, want) {
		t.Errorf("the tickets are %q, want %q", got, want)
	}
	for ref, who := range map[string]string{"PAY-201": "Joe", "PAY-203": "Joe", "PAY-202": "Alice"} {
		have, err := c.ListTickets(t.Context(), project.ID, client.ListTicketsQuery{Filter: `externalRef:` + ref + ` owner:` + who})
		if err != nil || len(have.Items) != 1 {
			t.Errorf("%s is not %s's: %v, %v", ref, who, have.Items, err)
		}
	}
	found, err := c.ListReconciliations(t.Context(), project.ID, client.ListReconciliationsQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	for _, r := range found.Items {
		for _, d := range r.Body.Conflicts {
			if d.Asked {
				asked = append(asked, d.Field+" "+d.Ticket+" "+d.Source)
			}
		}
	}
	slices.Sort(asked)
	if want := []string{"priority LOW CRITICAL", "title Audit log Audit trail"}; !slices.Equal(asked, want) {
		t.Errorf("asked is %q, want %q", asked, want)
	}
	threads, err := c.ListThreads(t.Context(), project.ID, client.ListThreadsQuery{})
	if err != nil || len(threads.Items) != 1 {
		t.Errorf("there are %d threads, want the minutes alone: %v", len(threads.Items), err)
	}
}
