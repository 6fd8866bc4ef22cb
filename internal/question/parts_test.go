package question_test

import (
	"slices"
	"testing"

	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestParts reads several questions at once, each with what another part says of it; what is one question, or is not read whole, is not taken apart.
func TestParts(t *testing.T) {
	t.Parallel()
	s, err := asktest.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"How many bugs and how many stories are open?":                        {"tickets, open, type Bug, counted", "tickets, open, type Story, counted"},
		"how many criticals are open and how many of those have no owner":     {"tickets, open, priority Critical, counted", "tickets, open, priority Critical, unassigned, counted"},
		"How many tickets came from Support and how many of them are solved?": {"tickets, reporter Support, counted", "tickets, reporter Support, done, counted"},
		"wie viele storys und wie viele epics sind zu?":                       {"tickets, done, type Story, counted", "tickets, done, type Epic, counted"},
		"how many tickets were created and how many were closed last week?":   {"tickets, created 2026-03-02 to 2026-03-08, counted", "tickets, resolved 2026-03-02 to 2026-03-08, counted"},
		"Wie viele Tickets sind offen, und wie viele davon sind blockiert?":   {"tickets, open, counted", "tickets, open, blocked, counted"},
		"What is overdue? Who is away next week?":                             {"tickets, due before today, open", "people, away, from 2026-03-16, until 2026-03-22"},
		"when is the code freeze and which tickets are blocked":               {"records, when", "tickets, blocked"},
		"How many tickets are open?":                                          nil,
		"Which tickets are overdue and who owns them?":                        nil,
		"Wann ist Kofi im Urlaub und was ist in der Zeit fällig?":             nil,
		"In Sprint 24, how many bugs and how many stories are open?":          nil,
		"how many bugs and how many stories and how many of those are open":   nil,
		"how many tickets are open and how many are purple":                   nil,
		"tickets named \"who and what\" and who owns PAY-101":                 nil,
	} {
		var got []string
		for _, p := range question.Parts("", text, s, asktest.Now()) {
			got = append(got, p.Reading.Plans[0].Describe(asktest.Now()))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
