package api_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"chela/internal/gateway/client"
)

// TestPoints_ZeroIsAnEstimate: a 0 that a tracker tells, or a person writes, is kept and told wherever tickets without an
// estimate are told from others; an empty cell is none.
func TestPoints_ZeroIsAnEstimate(t *testing.T) {
	t.Parallel()
	_, c, project := shop(t)
	export := "Issue key,Summary,Status,Story Points,Assignee\nPAY-1,Rename the button,To Do,0,Ann Lee\nPAY-2,Split the handler,To Do,,Ann Lee\nPAY-3,Write the tests,To Do,3.0,Ann Lee\n"
	taken(t, c, project.ID, client.IntakeFile{Name: "a.csv", Data: []byte(export)})
	list := func(filter string) (keys []string, first client.RecordOfTicketBody) {
		t.Helper()
		got, err := c.ListTickets(t.Context(), project.ID, client.ListTicketsQuery{Filter: filter, Sort: "externalRef"})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range got.Items {
			keys = append(keys, r.Body.ExternalRef)
		}
		if len(got.Items) > 0 {
			first = got.Items[0]
		}
		return keys, first
	}
	holds := func(filter string, want ...string) client.RecordOfTicketBody {
		t.Helper()
		got, first := list(filter)
		if !slices.Equal(got, want) {
			t.Errorf("%s lists %v, want %v", filter, got, want)
		}
		return first
	}
	none := holds("storyPoints:none", "PAY-2")
	zero := holds("has:storyPoints", "PAY-1", "PAY-3")
	holds("points:0", "PAY-1")
	if raw, err := json.Marshal(zero.Body); err != nil || !strings.Contains(string(raw), `"storyPoints":0`) {
		t.Errorf("%s %v", raw, err)
	}
	if got, err := c.Ask(t.Context(), client.AskBody{ProjectID: project.ID, Question: "Which tickets have no estimate?"}); err != nil || !strings.Contains(got.Answer, "PAY-2") || strings.Contains(got.Answer, "PAY-1") {
		t.Errorf("%q %v", got.Answer, err)
	}
	if _, err := c.EditTicket(t.Context(), project.ID, none.ID, map[string]any{"storyPoints": 0}); err != nil {
		t.Fatal(err)
	}
	holds("points:0", "PAY-1", "PAY-2")
	if _, err := c.EditTicket(t.Context(), project.ID, zero.ID, map[string]any{"storyPoints": nil}); err != nil {
		t.Fatal(err)
	}
	holds("points:none", "PAY-1")

	taken(t, c, project.ID, client.IntakeFile{Name: "b.csv", Data: []byte(strings.Replace(export, "3.0", "0", 1))})
	holds("points:0", "PAY-2", "PAY-3")
	holds("points:none", "PAY-1") // a person took it away, and the export says what it said
}
