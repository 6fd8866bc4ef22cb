package answer_test

import (
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestCompute_ResolvedAsIsItsResolution asks what was resolved as a tracker says: tickets that it closed without being done count.
func TestCompute_ResolvedAsIsItsResolution(t *testing.T) {
	t.Parallel()
	records, err := asktest.Imported()
	if err != nil {
		t.Fatal(err)
	}
	for i := range records {
		if records[i].Kind == desk.Ticket {
			records[i].Body = []byte(`{"title":"Reboot the printer","status":"CLOSED","outcome":"REJECTED","labels":["Not A Problem"],"closedOn":"2026-02-03"}`)
			break
		}
	}
	s := of(t, records)
	for _, text := range []string{"How many tickets were resolved as Not A Problem?", "How many tickets were closed as Not A Problem in February?"} {
		plan := question.Read(text, s, asktest.Now()).Plans[0]
		a, err := s.Compute(plan, asktest.Now())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(a.Sentence, "1 of ") {
			t.Errorf("%s: got %q by %q, want one ticket", text, a.Sentence, plan.Filter)
		}
	}
}
