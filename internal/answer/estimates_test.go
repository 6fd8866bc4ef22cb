package answer_test

import (
	"strings"
	"testing"

	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestCompute_TicketsWithEstimatesAreListed asks for tickets that have an estimate, or none: they are listed or counted, and
// their points are not added up.
func TestCompute_TicketsWithEstimatesAreListed(t *testing.T) {
	t.Parallel()
	s, err := asktest.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]struct {
		says  string
		total int // of the table
	}{
		"Tickets with estimates":                  {"99 tickets", 99},
		"open tickets with story points":          {"60 ", 60},
		"How many open tickets are estimated?":    {"60 ", 60},
		"unestimated tickets":                     {"11 ", 11},
		"Wie viele Tickets haben eine Schätzung?": {"99 of 120 tickets", 99},
		"How many story points are open?":         {"370 ", 0},
	} {
		a, err := s.Compute(question.Read(text, s, asktest.Now()).Plans[0], asktest.Now())
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		if a.Table != nil {
			total = a.Table.Total
		}
		if !strings.Contains(a.Sentence, want.says) || want.total > 0 && total != want.total {
			t.Errorf("%s: %q with %d rows, want %q with %d", text, a.Sentence, total, want.says, want.total)
		}
	}
}
