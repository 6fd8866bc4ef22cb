package question_test

import (
	"slices"
	"testing"

	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// reads fails the test where a question is not read to the plan that it means, or leaves a word out. A plan "search" is one that names a word
// of it: "search: 10 %".
func reads(t *testing.T, cases map[string]string) {
	t.Helper()
	s, err := asktest.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range cases {
		r := question.ReadOf("Dana Reyes", text, s, asktest.Now())
		got, left := r.Plans[0].Describe(asktest.Now()), slices.Concat(r.Ignored, r.Unknown)
		if r.Plans[0].Measure == question.Search {
			got = "search"
			if len(left) > 0 {
				got += ": " + left[0]
			}
			left = nil
		}
		if got != want || len(left) > 0 {
			t.Errorf("%q: got %q, left out %q; want %q", text, got, left, want)
		}
	}
}

// TestReadOf_NamedPeriods reads quarters, halves, weeks of the calendar, feasts and beginnings.
func TestReadOf_NamedPeriods(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"tickets closed in Q4":                                 "tickets, resolved 2025-10-01 to 2025-12-31",
		"tickets closed in Q4 2025":                            "tickets, resolved 2025-10-01 to 2025-12-31",
		"tickets closed in Q4 of last year":                    "tickets, resolved 2025-10-01 to 2025-12-31",
		"tickets closed in 2025-Q4":                            "tickets, resolved 2025-10-01 to 2025-12-31",
		"tickets due in Q2":                                    "tickets, due 2026-04-01 to 2026-06-30, open",
		"milestones in the second quarter":                     "milestones, target date 2026-04-01 to 2026-06-30",
		"tickets closed in the 2nd quarter of 2025":            "tickets, resolved 2025-04-01 to 2025-06-30",
		"Tickets im 1. Quartal geschlossen":                    "tickets, resolved 2026-01-01 to 2026-03-31",
		"Im vierten Quartal 2025 geschlossene Tickets":         "tickets, resolved 2025-10-01 to 2025-12-31",
		"tickets closed in H2 2025":                            "tickets, resolved 2025-07-01 to 2025-12-31",
		"tickets closed in the first half of 2025":             "tickets, resolved 2025-01-01 to 2025-06-30",
		"tickets closed in week 8":                             "tickets, resolved 2026-02-16 to 2026-02-22",
		"Wie viele Tickets wurden in KW 9 geschlossen?":        "tickets, resolved 2026-02-23 to 2026-03-01, counted",
		"Tickets fällig in KW 13":                              "tickets, due 2026-03-23 to 2026-03-29, open",
		"tickets closed in cw50":                               "tickets, resolved 2025-12-08 to 2025-12-14",
		"what was closed before Christmas":                     "tickets, resolved before 2025-12-24",
		"tickets created since New Year":                       "tickets, created since 2026-01-01",
		"Was ist vor Weihnachten fertig geworden?":             "tickets, done, resolved before 2025-12-24",
		"what did the team get done in the past fortnight":     "tickets, done, resolved 2026-02-25 to 2026-03-11",
		"bugs older than a fortnight":                          "tickets, created before 2026-02-25, type Bug",
		"tickets closed since the beginning of February":       "tickets, resolved since 2026-02-01",
		"Welche Tickets wurden seit Anfang Februar erstellt?":  "tickets, created since 2026-02-01",
		"tickets created at the beginning of February":         "search: beginning",
		"tickets closed in the first week of March":            "search: week",
		"tickets closed last Wednesday":                        "tickets, resolved 2026-03-04",
		"tickets closed on Wednesday":                          "tickets, resolved 2026-03-11",
		"tickets due between April 1st and April 15th":         "tickets, due 2026-04-01 to 2026-04-15, open",
		"tickets due between March 20 and April 5":             "tickets, due 2026-03-20 to 2026-04-05, open",
		"tickets closed between March 20 and April 5":          "tickets, resolved 2025-03-20 to 2025-04-05",
		"tickets with over 5 points":                           "tickets, story points more than 5",
		"tickets open for over 60 days":                        "tickets, open, created before 2026-01-10",
		"What hasn't moved in over 60 days?":                   "tickets, changed before 2026-01-10, open",
		"tickets untouched for more than 5 days":               "tickets, changed before 2026-03-06, open",
		"bugs created over the last six months":                "tickets, created 2025-09-11 to 2026-03-11, type Bug",
		"tickets closed in week 2 of the sprint":               "search: week",
		"tickets of the fourth quarter of last year by status": "tickets, created 2025-10-01 to 2025-12-31, grouped by status",
	})
}

// TestReadOf_Untold reads what no plan tells as a search that names it.
func TestReadOf_Untold(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"which 10% of tickets are the oldest":                   "search: 10 %",
		"what was the busiest month":                            "search: month",
		"how many people work on payments?":                     "search: work on",
		"how many sprints have we completed":                    "search: sprints",
		"When is the code freeze and how many tickets are open": "search: how many",
		"which features will miss the code freeze":              "search: features",
		`tickets mentioning "screen reader"`:                    `tickets, title containing "screen reader" or description containing "screen reader"`,
	})
}

// TestReadOf_Shares reads shares: of what, and of which whole.
func TestReadOf_Shares(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"What percentage of overdue tickets":                    "tickets, due before today, open, share of all tickets",
		"share of blocked tickets":                              "tickets, blocked, share of all tickets",
		"Anteil der Bugs":                                       "tickets, type Bug, share of all tickets",
		"share of done tickets in Sprint 24":                    "tickets, Sprint 24, done, share of tickets that are Sprint 24",
		"Anteil der abgelehnten Tickets dieses Jahr":            "tickets, resolved 2026-01-01 to 2026-12-31, outcome Rejected, share of tickets that are resolved 2026-01-01 to 2026-12-31",
		"what percentage of tickets is blocked":                 "tickets, blocked, share of all tickets",
		"share of open bugs":                                    "search: share",
		"what percentage of bugs are done":                      "tickets, type Bug, done, share of tickets that are type Bug",
		"percentage of high priority tickets closed last month": "tickets, priority High, resolved 2026-02, share of tickets that are priority High",
	})
}

// TestReadOf_Typos reads everyday words as what they are, and not as typos of others.
func TestReadOf_Typos(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"tikets in sprnt 24 that are blockd":                   "tickets, Sprint 24, blocked",
		"rank the epics by size":                               "tickets, type Epic, by story points, greatest first",
		"tickets that are stable":                              "search: stable",
		"tickets for the checkout that nobody picked up":       "tickets, unassigned, open, with the word \"checkout\"",
		"any bug older than a year thats still open":           "tickets, created before 2025-03-11, open, type Bug",
		"are there tickets good for a beginner":                "search: good",
		"hey quick one - how many bugs did we fix last month?": "tickets, done, resolved 2026-02, type Bug, counted",
		"moin, kurze frage: wie viele bugs sind gerade offen?": "tickets, open, type Bug, counted",
		"tikets mit hoher prio ohne besitzer":                  "tickets, unassigned, open, priority High",
	})
}

// TestReadOf_WhatIsAsked reads what questions are about: what is to come, what is in no sprint, what somebody is at, and what belongs to a meeting.
func TestReadOf_WhatIsAsked(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"what about last week?":                                   "search",
		"What is planned for Q2?":                                 "tickets, due 2026-04-01 to 2026-06-30, open",
		"what's coming up next week":                              "tickets, due 2026-03-16 to 2026-03-22, open",
		"tickets for next month":                                  "tickets, due 2026-04, open",
		"Which deadlines are coming up?":                          "milestones, target date since 2026-03-11, open",
		"which milestones are coming up this quarter":             "milestones, target date 2026-01-01 to 2026-03-31, target date since 2026-03-11",
		"was there any retro in February?":                        "search",
		"bugs that are not in a sprint, not assigned and not low": "tickets, without sprint, unassigned, open, type Bug, not priority Low",
		"tickets with no objective and no sprint":                 "tickets, open, without sprint, that serve no objective",
		"high priority tickets without an objective":              "tickets, open, priority High, that serve no objective",
		"Wie viele Tickets sind nicht eingeplant?":                "tickets, without sprint, counted",
		"Show me the backlog ordered by priority":                 "tickets, without sprint, open, by priority, greatest first",
		"What does Sven work on?":                                 "tickets, owner Sven Olsen, open",
		"Woran arbeitet Mei?":                                     "tickets, owner Mei Chen, open",
		"Seit wann ist PAY-142 blockiert?":                        "records, status, in this status since",
		"who wrote the ticket about dark mode?":                   "records, reported",
		"Which tickets have a deadline this week?":                "tickets, due 2026-03-09 to 2026-03-15, open",
		"Welche Epics haben noch keine fällige Deadline?":         "tickets, without a due date, open, type Epic",
		"which tasks from the retro are still open":               `threads, open, about "retrospective", actions`,
		"Welche Aufgaben aus der Retrospektive sind noch offen?":  "search: retrospektive",
		"avg no of tickets closed per day in feb":                 "tickets, resolved 2026-02, per day in which they were resolved, on average",
		"Wie lange brauchen wir im Schnitt für einen Bug?":        "tickets, type Bug, average of days to resolve",
	})
}

// TestReadOf_WhatVerbsMean reads verbs that ask for other records than their words alone.
func TestReadOf_WhatVerbsMean(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"which tickets depend on PAY-118":                                       "tickets, that wait for the ticket, waits",
		"Welche Tickets hängen von PAY-118 ab?":                                 "tickets, that wait for the ticket, waits",
		"which phase ends next":                                                 "phases, end since 2026-03-11, the first 1 by end, least first",
		"which phase starts next":                                               "phases, start since 2026-03-11, the first 1 by start, least first",
		"Welche Ziele enden dieses Quartal?":                                    "objectives, end 2026-01-01 to 2026-03-31",
		"What's the scope of Sprint 25?":                                        "search",
		"how much work is left for the German launch?":                          "search",
		"tickets moved from Sprint 24 to Sprint 25":                             "tickets, earlier sprints Sprint 24, Sprint 25",
		"which tickets support the objective Launch in Germany":                 "tickets, that serve the objective",
		"Wie hoch ist die durchschnittliche Durchlaufzeit von Bugs im Februar?": "tickets, resolved 2026-02, type Bug, average of days to resolve",
		"what's left on the release checklist":                                  "records, status, items",
		"Was fehlt noch auf der Release checklist?":                             "records, status, items",
		"how many tickets did we open in January":                               "tickets, created 2026-01, counted",
		"how many tickets did we open and close in January":                     "search: open",
		"Has Joe written the runbook?":                                          "search",
		"who wrote PAY-112":                                                     "records, reported",
		"tickets in Sprint 24 that aren't started":                              "tickets, Sprint 24, to do",
		"Tickets, die noch nicht begonnen sind":                                 "tickets, to do",
		"How many days overdue is PAY-101?":                                     "records, status, due, days left",
	})
}

// TestReadOf_Days reads days of a month, and what numbers and who there are asked for.
func TestReadOf_Days(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"how many tickets were closed on the 23rd of February": "tickets, resolved 2026-02-23, counted",
		"tickets due on the 15th":                              "tickets, due 2026-03-15, open",
		"tickets due on the 31st":                              "tickets, due 2026-03-31, open",
		"tickets closed on the 31st":                           "tickets, resolved 2026-01-31",
		"Welche Tickets sind am 15. fällig?":                   "tickets, due 2026-03-15, open",
		"Was ist bis zum 20. fällig?":                          "tickets, due before 2026-03-21, open",
		"the 3rd ticket":                                       "search: 3rd",
		"tickets with points between 3 and 5":                  "tickets, story points at least 3, story points at most 5",
		"What are the next three milestones?":                  "milestones, target date since 2026-03-11, the first 3 by target date, least first",
		"who created PAY-218 and when":                         "records, reporter, created",
		"who should review PAY-111":                            "search: should",
		"tickets due within a week of the code freeze":         "search: code freeze",
		"what did we deliver in the last three sprints":        "search: last three sprints",
		"how long was PAY-142 blocked":                         "records, how long it was Blocked",
		"how long was PAY-142 in review last week":             "search: how long",
		"tickets about the status page":                        "tickets, with the word \"status\", with the word \"page\"",
		"issues about sprints":                                 "tickets, with the word \"sprint\"",
		"bugs about due dates":                                 "search: due",
		"tickets about refunds due this week":                  "tickets, due 2026-03-09 to 2026-03-15, open, with the word \"refund\"",
		"what did we decide not to do for Tom":                 "search: not",
		"What's blocking us from shipping the beta?":           "search: blocking",
		"How many tickets are assigned?":                       "tickets, with owner, counted",
		"Sind alle kritischen Tickets zugewiesen?":             "tickets, priority Critical, with owner, share of tickets that are priority Critical",
		"tickets assigned last week":                           "search: assigned",
	})
}

// TestReadOf_Several reads several sprints, labels and fields of one kind, and where years and months begin.
func TestReadOf_Several(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"how many bugs per week since the start of the year":         "tickets, created since 2026-01-01, type Bug, per week in which they were created",
		"Wie viele Bugs wurden seit Jahresbeginn geschlossen?":       "tickets, resolved since 2026-01-01, type Bug, counted",
		"Wie viele Tickets sind im letzten halben Jahr entstanden?":  "tickets, created 2025-09-11 to 2026-03-11, counted",
		"tickets with neither owner nor sprint":                      "tickets, unassigned, without sprint",
		"Welche Tickets haben weder Bearbeiter noch Sprint?":         "tickets, unassigned, without sprint",
		"tickets labelled both security and backend":                 "tickets, labels security, labels backend",
		"ideas tagged mobile":                                        "ideas, tags mobile",
		"tickets in Sprint 24 or 25":                                 "tickets, Sprint 24 or Sprint 25",
		"which tickets are in sprints 23, 24 and 25":                 "tickets, Sprint 23 or Sprint 24 or Sprint 25",
		"tickets in neither Sprint 24 nor 25":                        "tickets, not Sprint 24 or Sprint 25",
		"tickets in Sprint 24 and 5 points":                          "tickets, Sprint 24, story points 5",
		"Which engineers are overloaded and which are idle":          "search: idle",
		"how complete is Sprint 24":                                  "search: how complete",
		"how many days between code freeze and general availability": "search: between",
		"how long is the pilot phase":                                "records, starts, ends",
		"what do we know about Kofi's leave":                         "search",
		"which tickets came out of the incident review":              "search: came out of",
		"Was haben wir Nordbank zugesagt?":                           `threads, about "nordbank", actions`,
	})
}

// TestReadOf_OtherWords reads what has no record or no field as a search that names it.
func TestReadOf_OtherWords(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"is anybody on two critical tickets?":                "search: two",
		"which tickets have changed hands since january":     "tickets, from 2026-01-01, changes of owner",
		"tickets in Sprint 99":                               "search: Sprint 99",
		"which day of the week do we close the most":         "search: day of the week",
		"Wie viele Tickets werden am Wochenende geschlossen": "search: am Wochenende",
		"how many people work on checkouts?":                 "search: work on",
		"show me 5 open bugs":                                "tickets, open, type Bug",
		"5 oldest bugs":                                      "tickets, type Bug, the first 5 by created, least first",
	})
}

// TestReadOf_Answered reads what people ask often: trends, who is at something, what waits, and what came in.
func TestReadOf_Answered(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"what is the trend of new bugs over the last six months": "tickets, created 2025-09-11 to 2026-03-11, type Bug, per month in which they were created",
		"trend of closed tickets in the last 30 days":            "tickets, resolved 2026-02-09 to 2026-03-11, per week in which they were resolved",
		"Verlauf der geschlossenen Tickets":                      "tickets, closed, per month in which they were resolved",
		"trend of open bugs":                                     "search: trend",
		"what's on my plate?":                                    "tickets, owner Dana Reyes, open",
		"rank open stories by priority":                          "tickets, open, type Story, by priority, greatest first",
		"is anyone looking at the password reset mails?":         "records, owned",
		"who can help me with kubernetes":                        "people, skills kubernetes",
		"which bugs were closed without being fixed?":            "tickets, closed, not done, type Bug",
		"Welche Tickets kamen diese Woche neu rein?":             "tickets, created 2026-03-09 to 2026-03-15",
		"Welche Tickets sind von anderen abhängig?":              "tickets, waits",
		"distribution of story points by owner":                  "tickets, grouped by owner, sum of story points",
	})
}

// TestReadOf_Compared reads days that exclude each other, and what is denied or asked of nobody and of everybody.
func TestReadOf_Compared(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"story points closed this month compared to last month": "tickets, resolved 2026-03 or resolved 2026-02, per month in which they were resolved, sum of story points",
		"tickets created in January and closed in February":     "tickets, created 2026-01, resolved 2026-02",
		"tickets nobody estimated":                              "tickets, without story points",
		"tickets nobody closed":                                 "search: nobody",
		"which tickets got resolved on time":                    "search: on time",
		"Wurde PAY-138 pünktlich fertig?":                       "search: pünktlich",
		"who left the team":                                     "search: left the team",
		"ideas tagged growth that we haven't looked at yet":     "ideas, new, tags growth",
		"which tickets in review belong to Mei":                 "tickets, review, owner Mei Chen",
		"90th percentile of age of open tickets":                "tickets, open, percentile 90 of days open",
		"what can Priya do":                                     "records, skills",
		"what was the outcome of the retro":                     `threads, about "retrospective", decisions`,
		"what are we waiting for from the acquirer":             "search",
		"Worum geht es in PAY-118?":                             "records",
		"what did Joe finish in March so far":                   "tickets, done, resolved 2026-03, owner Joe Martinez",
	})
}

// TestReadOf_Ordered reads orders by age, averages by another name, and what is to be done today.
func TestReadOf_Ordered(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"Offene Tickets nach Alter":                         "tickets, open, by created, least first",
		"Tickets mit mindestens hoher Priorität":            "search: mindestens",
		"open tickets by age":                               "tickets, open, by created, least first",
		"Mittleres Alter der Tickets in Review":             "tickets, open, review, average of days open",
		"Mittlere Durchlaufzeit der Bugs":                   "tickets, type Bug, average of days to resolve",
		"Was soll ich heute machen?":                        "tickets, open, not blocked, owner Dana Reyes, the first 10 by priority, greatest first",
		"what should I do today?":                           "tickets, open, not blocked, owner Dana Reyes, the first 10 by priority, greatest first",
		"Was steht auf der Checkliste Ready for the pilot?": "records, status, items",
		"Average age of open bugs by owner":                 "tickets, open, type Bug, grouped by owner, average of days open",
	})
}
