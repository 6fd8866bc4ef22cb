package answer_test

import (
	"slices"
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestCompute_ComparesThoseWhoAreNamed gives three people the tickets of which a comparison asks: the groups are those who are named, also one
// without a ticket, and several that are first are said to be.
func TestCompute_ComparesThoseWhoAreNamed(t *testing.T) {
	t.Parallel()
	records, err := asktest.Records(asktest.Desks()[0])
	if err != nil {
		t.Fatal(err)
	}
	records = slices.DeleteFunc(records, func(r desk.Record) bool { return r.Kind == desk.Assignment })
	owners := []string{"Dana Reyes", "Dana Reyes, Kofi Mensah", "Joe Martinez", "Joe Martinez", "Mei Chen"}
	for i := range records {
		if records[i].Kind != desk.Ticket || len(owners) == 0 {
			continue
		}
		for _, name := range strings.Split(owners[0], ", ") {
			at := slices.IndexFunc(records, func(r desk.Record) bool {
				return r.Kind == desk.Resource && strings.Contains(string(r.Body), `"`+name+`"`)
			})
			records = append(records, desk.Record{
				ID: "asg_" + name[:2] + records[i].ID[4:], Kind: desk.Assignment, Project: records[i].Project, Version: 1, CreatedAt: asktest.Now(), UpdatedAt: asktest.Now(),
				Body: []byte(`{"ticketId":"` + records[i].ID + `","resourceId":"` + records[at].ID + `"}`),
			})
		}
		owners = owners[1:]
	}
	s := of(t, records)
	for text, want := range map[string]string{
		"Compare Dana and Mei":                      "3 tickets: owner Dana Reyes or Mei Chen, by owner: Dana Reyes 2, Mei Chen 1.",
		"Who has more tickets, Dana or Mei?":        "Dana Reyes has the most: 2 of 3 tickets",
		"Who has fewer tickets, Dana or Tom?":       "Tom Becker has the fewest: 0 of 2 tickets",
		"Who has more tickets, Dana or Joe?":        "Dana Reyes and Joe Martinez have the most: 2 each of 4 tickets",
		"Who has the most tickets?":                 "Dana Reyes and Joe Martinez have the most: 2 each of 120 tickets",
		"Does Tom have more tickets than Mei?":      "Mei Chen has the most: 1 of 1 ticket",
		"How many days are left until code freeze?": "Code freeze: target date 2026-03-27; days left 16.",
		"How many days until Kick-off?":             "Kick-off: target date 2025-11-11; days since 120.",
		"Are all stories estimated?":                "82.4 %: 56 of 68 tickets",
		"Who has the fewest tickets?":               "Ana Souza, Lena Vogt, Priya Natarajan and 3 more have the fewest: 0 each of 120 tickets.",
		"open tickets sorted by due date":           "71 tickets: open.",
		"Who is the busiest?":                       "has the most to do: ",
		"Is PAY-104 a duplicate?":                   "Log every webhook delivery (PAY-104) has the title of Log every webhook delivery (PAY-216).",
		"Is PAY-101 a duplicate of PAY-104?":        "No ticket is recorded as the same as Retry failed card payments (PAY-101), Log every webhook delivery (PAY-104)",
		"subtasks of PAY-101":                       "parent Retry failed card payments (PAY-101)",
		"What is Tom waiting for?":                  "No open ticket of Tom Becker waits for another.",
		"Does every objective have tickets?":        "no tickets",
	} {
		plan := question.Read(text, s, asktest.Now()).Plans[0]
		a, err := s.Compute(plan, asktest.Now())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(a.Sentence, want) {
			t.Errorf("%s: got %q, want %q", text, a.Sentence, want)
		}
	}
}
