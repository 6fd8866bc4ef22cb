package answer_test

import (
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestCompute_ASprintThatTicketsHaveLeft asks for the tickets of a sprint that has a plan, and in which none is any more: they
// are none, and the answer is not what the plan says. Those that were carried over from it are found.
func TestCompute_ASprintThatTicketsHaveLeft(t *testing.T) {
	t.Parallel()
	records, err := asktest.Planned()
	if err != nil {
		t.Fatal(err)
	}
	plan, ticket := false, false
	for i := range records {
		switch r := &records[i]; {
		case r.Kind == desk.SprintPlan && !plan:
			r.Body, plan = []byte(`{"name":"Board 7"}`), true
		case r.Kind == desk.Ticket && !ticket:
			r.Body, ticket = []byte(`{"title":"Reboot the printer","status":"TODO","sprint":"Sprint 24","earlierSprints":["Board 7"]}`), true
		}
	}
	s := of(t, records)
	for text, want := range map[string]string{
		"Which tickets are in Board 7?":                `sprint:"Board 7"`,
		"Tickets in Board 7 or Sprint 25":              `sprint:"Board 7","Sprint 25"`,
		"Show the tickets that moved out of Board 7":   `earlierSprints:"Board 7"`,
		"Which tickets were carried over from Board 7": `earlierSprints:"Board 7"`,
	} {
		got := question.Read(text, s, asktest.Now()).Plans[0]
		a, err := s.Compute(got, asktest.Now())
		if err != nil {
			t.Fatal(err)
		}
		if got.Filter != want {
			t.Errorf("%s: got the filter %s and the answer %q, want %s", text, got.Filter, a.Sentence, want)
		}
		if strings.Contains(want, "earlier") && !strings.HasPrefix(a.Sentence, "1 ticket") {
			t.Errorf("%s: got %q, want one ticket", text, a.Sentence)
		}
	}
}
