package question_test

import (
	"slices"
	"testing"

	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestReadOf_WhatPeopleSay reads questions in the words of people, each to the plan that it means. The day is a Wednesday.
func TestReadOf_WhatPeopleSay(t *testing.T) {
	t.Parallel()
	s, err := asktest.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range said() {
		r := question.ReadOf("Dana Reyes", text, s, asktest.Now())
		if got := r.Plans[0].Describe(asktest.Now()); got != want || len(r.Ignored) > 0 {
			t.Errorf("%q: got %q, left out %q; want %q", text, got, r.Ignored, want)
		}
	}
}

// said are questions in the words of people, with the plans that they mean.
func said() map[string]string {
	return map[string]string{
		// days to come, and days that were
		"What is due on Friday?":                         "tickets, due 2026-03-13, open",
		"What was due on Friday?":                        "tickets, due 2026-03-06, open",
		"Was ist am Freitag fällig?":                     "tickets, due 2026-03-13, open",
		"Was war am Freitag fällig?":                     "tickets, due 2026-03-06, open",
		"What is due this Friday?":                       "tickets, due 2026-03-13, open",
		"Which tickets are due before Friday?":           "tickets, due before 2026-03-13, open",
		"What did Dana close on Monday?":                 "tickets, resolved 2026-03-09, owner Dana Reyes",
		"Which tickets are due by the end of the month?": "tickets, due before 2026-04-01, open",
		"tickets due before the end of the quarter":      "tickets, due before 2026-04-01, open",
		"what's due at the end of next month":            "tickets, due 2026-04-30, open",
		"Was ist bis Monatsende fällig?":                 "tickets, due before 2026-04-01, open",
		"What changed in the last 24 hours?":             "tickets, updated 2026-03-10 to 2026-03-11",
		"What happened yesterday?":                       "tickets, changed 2026-03-10",
		"What happened in the last meeting?":             "threads, date 2026-03-09",
		"tickets nobody has touched in a month":          "tickets, changed until 2026-02-11, open",
		"How many days are left until code freeze?":      "records, when, days left",
		// what comes first
		"the highest priority ticket":                       "tickets, open, the first 10 by priority, greatest first",
		"Wichtigste Tickets von Joe":                        "tickets, open, owner Joe Martinez, the first 10 by priority, greatest first",
		"How many of the most important are open?":          "tickets, open, priority Critical, counted",
		"Is PAY-104 the most important ticket?":             "records, priority",
		"What should I work on next?":                       "tickets, open, not blocked, owner Dana Reyes, the first 10 by priority, greatest first",
		"Was soll ich als nächstes tun?":                    "tickets, open, not blocked, owner Dana Reyes, the first 10 by priority, greatest first",
		"Which ticket should we do first?":                  "tickets, open, not blocked, the first 10 by priority, greatest first",
		"When was the last bug closed?":                     "tickets, closed, type Bug, the first 1 by resolved, greatest first",
		"last 3 bugs closed":                                "tickets, closed, type Bug, the first 3 by resolved, greatest first",
		"Who closed a ticket last?":                         "tickets, closed, the first 1 by resolved, greatest first",
		"When was the last ticket created?":                 "tickets, the first 1 by created, greatest first",
		"milestones since February":                         "milestones, target date since 2026-02-01",
		"milestones after April":                            "milestones, target date since 2026-05-01",
		"blindspots since February":                         "blindspots, created since 2026-02-01",
		"tickets due since February":                        "tickets, due since 2026-02-01, open",
		"What must Joe finish by Friday?":                   "tickets, due before 2026-03-14, open, owner Joe Martinez",
		"Which tickets need to be closed this week?":        "tickets, due 2026-03-09 to 2026-03-15, open",
		"Who has the most to do?":                           "people, busiest, capacity",
		"Who has the least to do?":                          "people, capacity",
		"Which tickets block others?":                       "tickets, waits",
		"what is Tom doing today":                           "tickets, open, owner Tom Becker",
		"Was macht Tom heute?":                              "tickets, open, owner Tom Becker",
		"what will Tom do next":                             "tickets, open, not blocked, owner Tom Becker, the first 10 by priority, greatest first",
		"tickets blocked by Tom":                            "tickets, of Tom Becker, that wait for them",
		"tickets closed by Tom":                             "tickets, closed, owner Tom Becker",
		"How many open tickets were there on 1 March?":      "tickets, created before 2026-03-02, open or resolved since 2026-03-02, counted",
		"when will PAY-101 be done":                         "records, status, due",
		"list all labels":                                   "tickets, grouped by labels",
		"which sprints are there":                           "tickets, grouped by sprint",
		"tickets closed in may":                             "tickets, resolved 2025-05",
		"Welche Tickets sind seit mehr als 30 Tagen offen?": "tickets, created before 2026-02-09, open",
		// comparisons
		"Does Dana have more open tickets than Joe?": "tickets, open, owner Dana Reyes or Joe Martinez, grouped by owner",
		"Who has fewer stories, Dana or Joe?":        "tickets, type Story, owner Dana Reyes or Joe Martinez, grouped by owner",
		"Compare bugs and stories":                   "tickets, type Bug or Story, grouped by type",
		"Which label is used most?":                  "tickets, grouped by labels",
		// whether it holds for all
		"Are all stories estimated?":            "tickets, type Story, with story points, share of tickets that are type Story",
		"Does every open ticket have an owner?": "tickets, open, with owner, share of tickets that are open",
		"Are all tickets of Dana done?":         "tickets, owner Dana Reyes, done, share of tickets that are owner Dana Reyes",
		"Does every milestone have an owner?":   "milestones, with owner, share of all milestones",
		"Does every objective have tickets?":    "objectives, without tickets, coverage",
		// who waits for whom
		"What is Dana waiting for?":             "tickets, of Dana Reyes, what they wait for",
		"Worauf wartet Dana?":                   "tickets, of Dana Reyes, what they wait for",
		"What blocks Dana?":                     "tickets, of Dana Reyes, what they wait for",
		"Who is waiting for Dana?":              "tickets, of Dana Reyes, that wait for them",
		"What does Dana block?":                 "tickets, of Dana Reyes, that wait for them",
		"Which tickets are blocked by PAY-144?": "tickets, that wait for the ticket, waits",
		"Is PAY-101 blocked by PAY-144?":        "tickets, what the ticket waits for, waits",
		"Who is blocked?":                       "tickets, blocked, grouped by owner",
		"Who has overdue tickets?":              "tickets, due before today, open, grouped by owner",
		// people
		"Who is Lena Vogt?":                 "records",
		"What is Tom good at?":              "records, skills",
		"Who is over capacity?":             "people, overloaded, capacity",
		"Who is underutilized?":             "people, underutilized, capacity",
		"Who is not utilized?":              "people, underutilized, capacity",
		"Wer ist nicht ausgelastet?":        "people, underutilized, capacity",
		"How many resources do we have?":    "people, counted",
		"Which resources are free?":         "people, capacity",
		"List all resources":                "people",
		"How is Sprint 23?":                 "tickets, Sprint 23, grouped by status",
		"Is Sprint 24 on track?":            "tickets, Sprint 24, grouped by status",
		"Sprint 24 health":                  "tickets, Sprint 24, grouped by status",
		"How is objective coverage?":        "objectives, coverage",
		"What is the total capacity of QA?": "people, role QA, total, capacity",
		"What did we promise Nordbank?":     `threads, about "nordbank", actions`,
		"Who closes stories the fastest?":   "tickets, closed, type Story, grouped by owner, average of days to resolve",
		// how tickets ended, and where they came from
		"How many tickets are closed?":                      "tickets, closed, counted",
		"How many tickets are done?":                        "tickets, done, counted",
		"Which closed tickets were not delivered?":          "tickets, closed, not done",
		"Which tickets were rejected last year?":            "tickets, resolved 2025-01-01 to 2025-12-31, outcome Rejected",
		"tickets created in 2025 and still open":            "tickets, created 2025-01-01 to 2025-12-31, open",
		"How many tickets spilled over?":                    "tickets, with earlier sprints, counted",
		"Which tickets were carried over into Sprint 24?":   "tickets, with earlier sprints, Sprint 24",
		"How many tickets were carried over from Sprint 23": "tickets, earlier sprints Sprint 23, counted",
		"tickets in Sprint 24 that were in Sprint 23":       "tickets, Sprint 24, earlier sprints Sprint 23",
		"how fast do we close stories":                      "tickets, closed, type Story, average of days to resolve",
		"throughput per week":                               "tickets, done, per week in which they were resolved",
		// objectives, phases and checklists
		"How many tickets does Launch in Germany have?":      "tickets, objectives obj_0004abcdefghjkmnpqrstvwxyz, counted",
		"Who works on Launch in Germany?":                    "tickets, objectives obj_0004abcdefghjkmnpqrstvwxyz, grouped by owner",
		"Which milestones serve Launch in Germany?":          "milestones, objectives obj_0004abcdefghjkmnpqrstvwxyz",
		"Which objectives serve Sprint 24?":                  "objectives, sprint Sprint 24",
		"How complete is the checklist Ready for the pilot?": "records, status, items",
		// how tickets ended, and in which order
		"Which duplicates were closed in 2021?": "tickets, resolved 2021-01-01 to 2021-12-31, outcome Duplicate",
		"top 5 slowest stories of 2025":         "tickets, resolved 2025-01-01 to 2025-12-31, type Story, the first 5 by days to resolve, greatest first",
		"number of tickets per resolution":      "tickets, grouped by outcome",
		"tickets by outcome":                    "tickets, grouped by outcome",
		"What outcome does PAY-120 have?":       "records, outcome",
		"tickets updated in the last week":      "tickets, updated 2026-03-04 to 2026-03-11",
		"tickets updated last week":             "tickets, updated 2026-03-02 to 2026-03-08",
		// as people write
		"tickts of dana that r blocked":                         "tickets, owner Dana Reyes, blocked",
		"tickets with security and backend labels":              "tickets, labels security, labels backend",
		"number of tickets closed in each of the last 3 months": "tickets, resolved 2025-12-11 to 2026-03-11, per month in which they were resolved",
		"which of the tickets are Joe's":                        "tickets, owner Joe Martinez",
		// German
		"Wer hat PAY-101 gemeldet?":                       "records, reported",
		"Ist PAY-101 blockiert?":                          "records, status, blockers",
		"Wann war das letzte Treffen?":                    "threads, date 2026-03-09",
		"Wie viele Besprechungen gab es im Februar?":      "threads, date 2026-02, counted",
		"Welche Meilensteine kommen im April?":            "milestones, target date 2026-04",
		"am 13.3. fällig":                                 "tickets, due 2026-03-13, open",
		"Was muss Mei noch machen?":                       "tickets, open, owner Mei Chen",
		"Wie viele Punkte wurden in Sprint 22 geliefert?": "tickets, done, Sprint 22, sum of story points",
		"Wie alt sind die offenen Tickets im Schnitt?":    "tickets, open, average of days open",
		"Welche 3 Tickets sind die größten?":              "tickets, the first 3 by story points, greatest first",
		"tickets with version 3.3":                        `tickets, with the word "version", with the word "3.3"`,
		"Danas offene Tickets":                            "tickets, open, owner Dana Reyes",
		"Lenas Zusagen":                                   "threads, of Lena Vogt, actions",
		"Welche Aufgaben muss Joe bis Freitag erledigen?": "tickets, due before 2026-03-14, open, owner Joe Martinez",
		"Bis wann muss PAY-101 fertig sein?":              "records, due",
		"Wer hat am wenigsten zu tun?":                    "people, capacity",
		"Worauf wartet PAY-101?":                          "tickets, what the ticket waits for, waits",
		"Wovon hängt PAY-101 ab?":                         "tickets, what the ticket waits for, waits",
		"Was ist unsere Velocity?":                        "tickets, done, grouped by sprint, sum of story points",
		// orders
		"all open tickets sorted by due date":                  "tickets, open, by due, least first",
		"list open tickets ordered by priority":                "tickets, open, by priority, greatest first",
		"sort tickets by points ascending":                     "tickets, by story points, least first",
		"open tickets by priority":                             "tickets, open, grouped by priority",
		"show the first 5 tickets":                             "tickets, the first 5 by created, least first",
		"what was the first ticket we closed?":                 "tickets, closed, the first 1 by resolved, least first",
		"first milestone":                                      "milestones, the first 1 by target date, least first",
		"last ticket Dana closed":                              "tickets, closed, owner Dana Reyes, the first 1 by resolved, greatest first",
		"Which person has the most overdue tickets?":           "tickets, due before today, open, grouped by owner",
		"open refund tickets of Mei":                           `tickets, open, owner Mei Chen, with the word "refund"`,
		"Which high priority tickets are not being worked on?": "tickets, open, priority High, not in progress",
		"how much does Mei have to do":                         "tickets, open, owner Mei Chen, counted",
		"since when is PAY-101 open?":                          "records, created, days to resolve",
		"which of PAY-101 and PAY-102 are done?":               "records, status",
		// by words, and by roles
		"tickets about timeouts or retries":     `tickets, with the word "timeout" or with the word "retry" or with the word "retries"`,
		"tickets whose title contains refund":   `tickets, title containing "refund"`,
		"open tickets without sprint and owner": "tickets, open, without sprint, unassigned",
		"open tickets of the designers":         "tickets, open, owner Ana Souza",
		"Which designers have overdue tickets?": "tickets, due before today, open, owner Ana Souza, grouped by owner",
		"who is the busiest engineer":           "people, role Engineer, busiest, capacity",
		"Is anyone free?":                       "people, capacity",
		// what is of what
		"subtasks of PAY-101":                         "tickets, parent tkt_0001abcdefghjkmnpqrstvwxyz",
		"Which milestones belong to the build phase?": "milestones, phase phs_0002abcdefghjkmnpqrstvwxyz",
		"How many stories per epic?":                  "tickets, type Story, grouped by parent",
		"Is PAY-104 a duplicate?":                     "tickets, that are the same as the ticket",
		"Tickets owned by both Dana and Joe":          "tickets, owner Dana Reyes, owner Joe Martinez",
		"Give me all tickets Dana and Joe share":      "tickets, owner Dana Reyes, owner Joe Martinez",
		"Tickets owned by Dana but reported by Carla": "tickets, owner Dana Reyes, reporter Carla Neumann",
		"How much of Sprint 24 is done?":              "tickets, Sprint 24, done, share of tickets that are Sprint 24",
		"What share of tickets in Sprint 24 is done?": "tickets, Sprint 24, done, share of tickets that are Sprint 24",
		"What is in progress in Sprint 24?":           "tickets, in progress, Sprint 24",
		"Which checklists are incomplete?":            "checklists, open",
		"Which ideas are new?":                        "ideas, new",
		"action items from the 1:1":                   `threads, about "1:1", actions`,
		"What do we remember about Nordbank?":         `memories, with the word "nordbank"`,
		"Is PAY-105 critical?":                        "records, priority",
		"Who created PAY-101?":                        "records, reporter",
		"What sprint was PAY-101 in before?":          "records, earlier sprints",
		// how long, and how large
		"average resolution time per month":          "tickets, per month in which they were resolved, average of days to resolve",
		"Which tickets took longest in February":     "tickets, resolved 2026-02, the first 10 by days to resolve, greatest first",
		"5 biggest stories":                          "tickets, type Story, the first 5 by story points, greatest first",
		"Which month had the most tickets created?":  "tickets, per month in which they were created",
		"How many open tickets does everyone have?":  "tickets, open, grouped by owner",
		"What is everybody working on?":              "tickets, in progress or review, with their titles, grouped by owner",
		"Wie viele Tickets hat jeder offen?":         "tickets, open, grouped by owner",
		"How many blocker issues are open?":          "tickets, open, priority Critical, counted",
		"Haben alle offenen Tickets einen Besitzer?": "tickets, open, with owner, share of tickets that are open",
		"Welche Tickets warten auf Review?":          "tickets, review",
		"tickets without a resolution":               "tickets, open",
		// records
		"Do we have any ticket for dark mode?": `tickets, with the word "dark", with the word "mode"`,
		"How long has PAY-104 been open?":      "records, days to resolve",
		"Who is on the team?":                  "people",
		"What are the risks?":                  "tickets, and what else may go wrong",
		"tickets with a due date":              "tickets, with a due date",
	}
}

// TestReadOf_WhatNoRecordTells asks what no plan tells: the answer is a search that names the word.
func TestReadOf_WhatNoRecordTells(t *testing.T) {
	t.Parallel()
	s, err := asktest.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"Who commented on the most tickets?":                     "commented on",
		"Which tickets were reopened?":                           "reopened",
		"Can we ship on Friday?":                                 "Can",
		"How did the number of open tickets change in February?": "change",
		"Which tickets are due before the release?":              "before",
		"risky tickets":                                          "risky",
		"tickets updated by Tom":                                 "updated",
		"tickets assigned by Tom":                                "assigned",
		"what was Tom working on last week":                      "last week",
		"tickets resolved the same day":                          "the same day",
		"tickets by status and priority":                         "priority",
		"Which tickets affect version 3.3?":                      "affect",
		"tickets per customer":                                   "per",
		"which of them are Joe's":                                "them",
		"Which objectives will we miss?":                         "will",
		"Which phase comes after build?":                         "after",
		"longest meeting":                                        "longest",
		"What share of tickets is done by owner":                 "owner",
		"Which tickets should be closed?":                        "should",
		"Which milestones were completed late?":                  "late",
		"Will Dana finish everything by Friday?":                 "Will",
		"Tickets labelled security or api":                       "or",
		"Which ticket was blocked the longest?":                  "longest",
	} {
		r := question.ReadOf("Dana Reyes", text, s, asktest.Now())
		if r.Plans[0].Measure != question.Search || !slices.Contains(r.Ignored, want) {
			t.Errorf("%q: got %q, left out %q; want a search that leaves out %q", text, r.Plans[0].Describe(asktest.Now()), r.Ignored, want)
		}
	}
	if got := question.Read("Which tickets are waiting for a decision?", s, asktest.Now()); got.Plans[0].Measure != question.Search {
		t.Errorf("what tickets wait for is no decision that was taken: got %q, want a search", got.Plans[0].Describe(asktest.Now()))
	}
	if got := question.Read("When is the next release?", s, asktest.Now()); got.Plans[0].Measure != question.Search {
		t.Errorf("a checklist is no next release: got %q, want a search", got.Plans[0].Describe(asktest.Now()))
	}
	if got := question.Read("When will the release ship?", s, asktest.Now()); got.Plans[0].Measure != question.Search {
		t.Errorf("of a checklist no record says when it ships: got %q, want a search", got.Plans[0].Describe(asktest.Now()))
	}
}

// TestRead_WhatIsNoQuestion reads what asks for a change, and what asks what can be asked.
func TestRead_WhatIsNoQuestion(t *testing.T) {
	t.Parallel()
	s, err := asktest.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for text, act := range map[string]string{
		"close PAY-101": "close", "Create a ticket for the outage": "Create", "remind me tomorrow": "remind", "Lösche PAY-101": "Lösche",
		"closed tickets": "", "close to done": "", "Who should close PAY-101?": "", "add": "", "changed tickets": "",
		"Can you close Three?": "close", "could you please assign PAY-142 to Tom?": "assign", "please close the done tickets": "close", "fix PAY-101": "fix",
		"Kannst du PAY-101 schließen?": "schließen", "can you show me open bugs": "", "Can you tell me which tickets are blocked?": "", "update on PAY-101": "",
	} {
		if got := question.Read(text, s, asktest.Now()).Act; got != act {
			t.Errorf("%q: got the act %q, want %q", text, got, act)
		}
	}
	for text, help := range map[string]bool{"help": true, "What can I ask?": true, "Was kannst du?": true, "help with PAY-101": false, "": false} {
		if got := question.Read(text, s, asktest.Now()).Help; got != help {
			t.Errorf("%q: got %t, want %t", text, got, help)
		}
	}
}
