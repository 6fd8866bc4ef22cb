package question_test

import "testing"

// TestReadOf_DaysOfRecords reads the days of milestones, phases and other records where a question is about what is before, after, until or
// between them.
func TestReadOf_DaysOfRecords(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"What is due before the code freeze?":                    "tickets, due before 2026-03-27, open",
		"What is due before the freeze?":                         "tickets, due before 2026-03-27, open",
		"anything critical due before the beta?":                 "tickets, due before 2026-04-01, open, priority Critical",
		"tickets due between code freeze and the beta milestone": "tickets, due 2026-03-27 to 2026-04-01, open",
		"Which promises are due before the freeze?":              "threads, due, until 2026-03-26, actions",
		"was ist bis zum code freeze noch fällig":                "tickets, due before 2026-03-28, open",
		"welche Tickets müssen vor dem PCI report fertig sein?":  "tickets, due before 2026-05-10, open",
		"tickets closed during Discovery":                        "tickets, resolved 2025-11-11 to 2025-12-21",
		"which milestones are due before the code freeze?":       "milestones, target date before 2026-03-27",
		"Which phase comes after build?":                         "search: after",
		"when is the code freeze":                                "records, when",
	})
}
