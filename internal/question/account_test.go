package question_test

import (
	"slices"
	"testing"

	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestReadOf_NamesWhatItLeavesOut asks questions with a word that changes what is asked and of which no rule makes anything: the answer is computed
// without it, and says so, or is a search.
func TestReadOf_NamesWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	s, err := asktest.Planned()
	if err != nil {
		t.Fatal(err)
	}
	snapshot, err := asktest.SnapshotOf(s)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"seit wann liegt PAY-127 rum und wer hat's?":                         "seit wann",
		"when in the last months did we close the most":                      "the most",
		"tickets closed in the last weeks":                                   "weeks",
		"What did Lena and Kofi talk about in their 1:1?":                    "talk about",
		"which tickets were worked on last week":                             "worked",
		"mobile tickets grouped by who does them":                            "who",
		"how late is the oldest overdue ticket":                              "how late",
		"how much did sprint 23 cost us":                                     "cost",
		"compare Dana and Joe: open tickets, points, overdue":                "points",
		"what was the fastest one we ever closed, and who did it":            "who did it",
		"Which tickets were created in this sprint and already closed in it": "created",
		"was the ledger milestone late and by how much":                      "how much",
		"how many payouts were late in the february incident":                "how many",
		"is everything from the incident review done?":                       "everything",
		"Wer hat außer Dana noch Go-Kenntnisse?":                             "außer",
		"who is away and who is overloaded":                                  "overloaded",
		"no progress on PAY-101?":                                            "no progress",
		"who pays for it?":                                                   "it",
		"which meetings did Ruth skip":                                       "skip",
		"which growth ideas did we archive":                                  "archive",
		"percent complete of each checklist":                                 "checklist",
		"whats still open for the pilot?":                                    "still open",
		"sven's to dos, tickets + meeting stuff":                             "tickets",
		"Offene Aufgaben aus den Meetings, je Person":                        "Meetings",
		"what was finished in the last sprint but one":                       "last sprint",
		"backlog size at the end of january?":                                "at the end of january",
		"what does QA need to test this week":                                "test",
		"support complaints: what did we agree to do about the spam mails?":  "complaints",
		"Wann ist Kofi im Urlaub und was ist in der Zeit fällig?":            "fällig",
		"which of my tickets should be closed first":                         "should",
		"Do we have more critical tickets now than a month ago?":             "more",
	} {
		r := question.ReadOf("Dana Reyes", text, snapshot, asktest.Now())
		if left := slices.Concat(r.Ignored, r.Unknown); !slices.Contains(left, want) {
			t.Errorf("%q: read as %q, left out %q; want that it names %q", text, r.Plans[0].Describe(asktest.Now()), left, want)
		}
	}
}

// TestReadOf_EmptyWords asks questions whose words of that sort are read by a rule, or say nothing where they stand.
func TestReadOf_EmptyWords(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"how many tickets is Tom doing":                                "tickets, owner Tom Becker, open, counted",
		"how many hours is Tom doing":                                  "people, of Tom Becker, capacity",
		"which tickets mention holidays":                               "tickets, with the word \"holiday\"",
		"tickets about vacation":                                       "search: vacation",
		"which tickets need an owner":                                  "tickets, unassigned, open",
		"Welche Tickets brauchen noch eine Schätzung?":                 "tickets, without story points, open",
		"which tickets need a decision":                                "search",
		"only overdue tickets":                                         "tickets, due before today, open",
		"tickets w/o a sprint, high prio only":                         "tickets, without sprint, priority High",
		"Which label has the most open work?":                          "tickets, open, grouped by labels",
		"when is code freeze again?":                                   "records, when",
		"average time from creation to done of mobile":                 "tickets, labels mobile, average of days to resolve",
		"first ticket we ever finished?":                               "tickets, done, the first 1 by resolved, least first",
		"Which open items mention the acquirer?":                       "tickets, open, with the word \"acquirer\"",
		"who was in the retro":                                         "records, owned",
		"Gibt es kritische Tickets, an denen gerade niemand arbeitet?": "tickets, unassigned, priority Critical",
		"tickets in Sprint 25 that belong to nobody":                   "tickets, unassigned, Sprint 25",
		"which people work less than 40 hours":                         "people, capacity less than 40",
	})
}

// TestReadOf_HowItGoes reads how something stands, what is blocked by a ticket, and who is away.
func TestReadOf_HowItGoes(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"how is launch in germany going":                       "objectives, coverage",
		"how far along is sprint 24":                           "tickets, Sprint 24, grouped by status",
		"how is PAY-101 going?":                                "records, status, due",
		"PCI evidence - how far along are we":                  "records, status, items",
		"Who reported the deadlock with the refunds and when?": "records, reported, created",
		"where do we stand with stories":                       "tickets, type Story, grouped by status",
		"how are we doing?":                                    "tickets, grouped by status",
		"how's Tom doing?":                                     "people, of Tom Becker, capacity",
		"Wie läuft Sprint 24?":                                 "tickets, Sprint 24, grouped by status",
		"how are things in sprint 24":                          "tickets, Sprint 24, grouped by status",
		"what does PAY-145 block":                              "tickets, that wait for the ticket, waits",
		"what is PAY-145 blocking?":                            "tickets, that wait for the ticket, waits",
		"what blocks PAY-145":                                  "tickets, what the ticket waits for, waits",
		"who is off next week?":                                "people, away, from 2026-03-16, until 2026-03-22",
		"is Kofi away tomorrow":                                "people, of Kofi Mensah, away, from 2026-03-12, until 2026-03-12",
		"who's on vacation in April?":                          "people, away, from 2026-04-01, until 2026-04-30",
		"Wer ist nächste Woche nicht da?":                      "people, away, from 2026-03-16, until 2026-03-22",
		"when is Mei away":                                     "people, of Mei Chen, away, from 2026-03-11",
		"how late is PAY-127":                                  "records, status, due, days left",
		"Days until code freeze?":                              "records, when, days left",
		"team capacity in hours per week?":                     "people, total, capacity",
		"who's the most loaded engineer":                       "people, role Engineer, busiest, capacity",
		"whom do I ask about kubernetes?":                      "people, skills kubernetes",
		"has PAY-101 been started":                             "records, status",
		"how much of sprint 24 does ana own":                   "tickets, Sprint 24, owner Ana Souza, share of tickets that are Sprint 24",
	})
}

// TestReadOf_OnePeriodAgainstAnother reads comparisons of two weeks, months or years.
func TestReadOf_OnePeriodAgainstAnother(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"did we close more last week than the week before?":           "tickets, resolved 2026-03-02 to 2026-03-08 or resolved 2026-02-23 to 2026-03-01, per week in which they were resolved",
		"compare tickets closed in February and January":              "tickets, resolved 2026-02 or resolved 2026-01, per month in which they were resolved",
		"did we create fewer tickets in March than in February":       "tickets, created 2026-03 or created 2026-02, per month in which they were created",
		"Wurden im Februar mehr Tickets geschlossen als im Januar?":   "tickets, resolved 2026-02 or resolved 2026-01, per month in which they were resolved",
		"did Dana close more this month than last month":              "tickets, resolved 2026-03 or resolved 2026-02, owner Dana Reyes, per month in which they were resolved",
		"were more bugs created in 2026 than in 2025?":                "tickets, created 2026-01-01 to 2026-12-31 or created 2025-01-01 to 2025-12-31, type Bug, per year in which they were created",
		"todo items for lena for the rest of the week":                "tickets, due 2026-03-11 to 2026-03-15, open, to do, owner Lena Vogt",
		"tickets due for the rest of the month":                       "tickets, due 2026-03-11 to 2026-03-31, open",
		"tickets closed in February vs January per label":             "search: January",
		"which of the tickets in sprint 23 never got finished":        "tickets, open, Sprint 23",
		"anything in sprint 24 nobody has started yet?":               "tickets, Sprint 24, to do",
		"what's both security and frontend?":                          "tickets, labels security, labels frontend",
		"both critical and blocked and owned by nobody":               "tickets, unassigned, priority Critical, blocked",
		"everything that has to do with refunds and isn't finished":   "tickets, open, with the word \"refund\"",
		"how many of carlas tickets are done, share of total":         "tickets, reporter Carla Neumann, done, share of tickets that are reporter Carla Neumann",
		"Wie viele Tickets hat jeder Entwickler im Dezember beendet?": "tickets, resolved 2025-12, owner Dana Reyes or Joe Martinez or Tom Becker or Kofi Mensah or Mei Chen or Ruth Adler, grouped by owner",
	})
}
