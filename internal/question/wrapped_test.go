package question_test

import (
	"testing"

	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestReadOf_WhatIsSaidAround drops what people say around a question, and nothing that is part of it.
func TestReadOf_WhatIsSaidAround(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"Hi! Hope you're well – could you remind me when the code freeze is due?":                              "records, due",
		"sorry to bother you again, just quickly: how many open tickets in Sprint 24, not counting sub-tasks?": "tickets, open, Sprint 24, not type Subtask, counted",
		"ok so basically my boss wants a number: how many tickets are overdue":                                 "tickets, due before today, open, counted",
		"Guten Morgen, was steht heute bei Dana an?":                                                           "tickets, due 2026-03-11, open, owner Dana Reyes",
		"Kannst du mir sagen, wer PAY-131 hat?":                                                                "records, owned",
		"do you know if PAY-131 is done":                                                                       "records, status",
		"Morning team, quick one: who has PAY-131?":                                                            "records, owned",
		"whats up with Priya":                  "people, of Priya Natarajan, capacity",
		"what moved since yesterday's standup": "tickets, changed since 2026-03-10",
		"is pay 109 done yet":                  "records, status",
		"who owns PAY 131":                     "records, owned",
		"remind me to call Tom tomorrow":       "search: remind",
		"Refunds: how many open tickets":       "search: Refunds",
		"Dana, how many open tickets":          "tickets, open, owner Dana Reyes, counted",
	})
}

// TestReadOf_WhoHasNone reads who has none of some tickets.
func TestReadOf_WhoHasNone(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"who has no critical tickets":                              "tickets, priority Critical, who has none of them, grouped by owner",
		"team, who has no overdue tickets?":                        "tickets, due before today, open, who has none of them, grouped by owner",
		"who has no blocked tickets in Sprint 24":                  "tickets, blocked, Sprint 24, who has none of them, grouped by owner",
		"Who hasn't closed a single ticket in the past two weeks?": "tickets, resolved 2026-02-25 to 2026-03-11, who has none of them, grouped by owner",
		"Which people have no tickets?":                            "tickets, who has none of them, grouped by owner",
		"who doesn't have a critical bug":                          "tickets, priority Critical, type Bug, who has none of them, grouped by owner",
		"wer hat diese Woche nichts geschlossen":                   "tickets, resolved 2026-03-09 to 2026-03-15, who has none of them, grouped by owner",
		"who has no tickets assigned":                              "people, idle, capacity",
		"tickets that have no owner":                               "tickets, unassigned, open",
		"which objectives have no tickets":                         "objectives, without tickets, coverage",
	})
}

// TestReadOf_Dependencies reads what is asked of the net of tickets that wait for each other, and of parents and children.
func TestReadOf_Dependencies(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"what is the longest chain of blockers":                             "tickets, the longest chain of those that wait for each other, waits",
		"any circular dependencies?":                                        "tickets, that wait for themselves by way of others, waits",
		"Welche Tickets warten aufeinander?":                                "tickets, that wait for themselves by way of others, waits",
		"which ticket blocks the most others":                               "tickets, for which the most others wait, waits",
		"What single fix would unblock the most people?":                    "tickets, for which the most others wait, waits",
		"what depends on PAY-120 directly or indirectly":                    "tickets, that wait for the ticket, by way of others too, waits",
		"is Lena a bottleneck":                                              "search: bottleneck",
		"what is the priority of the deadlock ticket":                       "records, priority",
		"Which sub-tasks are still open under a closed parent?":             "tickets, open, type Subtask, whose parent is closed",
		"Which epics have all children done but are still open themselves?": "tickets, open, type Epic, whose children are all closed",
		"which stories have no epic":                                        "tickets, without parent, type Story",
		"are there tasks which belong to no epic":                           "tickets, without parent",
		"which open tickets block something and are late themselves":        "search: themselves",
		"average story points of closed epics":                              "tickets, closed, type Epic, average of story points",
	})
}

// TestReadOf_WhomToAsk reads who knows about something, what one alone can, and whether a day will be reached.
func TestReadOf_WhomToAsk(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"who should I talk to about checkout":               `tickets, with the word "checkout", grouped by owner`,
		"wer kennt sich mit dem Checkout aus":               `tickets, with the word "checkout", grouped by owner`,
		"who should I talk to about postgres?":              "people, skills postgres",
		"which skills does only one person have":            "people, unique, capacity",
		"Which skills would we lose if Priya left?":         "people, of Priya Natarajan, unique, capacity",
		"will we make the code freeze":                      "records, status, when, days left",
		"Can you tell me whether Beta is going to make it?": "records, status, when, days left",
		"Schaffen wir die General availability noch?":       "records, status, when, days left",
		"Which objective is worst covered":                  "objectives, open, coverage",
		"Welches Ziel ist am besten abgedeckt?":             "objectives, open, coverage",
	})
}

// TestReadOf_MoreOfTwo reads which of two there are more of, and the share of one part among another.
func TestReadOf_MoreOfTwo(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"do we have more open bugs than open stories":                         "tickets, open, type Bug or Story, grouped by type",
		"are there more critical tickets than high ones":                      "tickets, priority Critical or High, grouped by priority",
		"are there more tickets in Sprint 24 than in Sprint 25":               "tickets, Sprint 24 or Sprint 25, grouped by sprint",
		"Hat Joe in Sprint 24 mehr Punkte geschafft als in Sprint 23?":        "tickets, owner Joe Martinez, Sprint 24 or Sprint 23, grouped by sprint, sum of story points",
		"What's the share of bugs among everything we finished in Sprint 24?": "tickets, done, Sprint 24, type Bug, share of tickets that are done, Sprint 24",
		"share of high and critical among open":                               "tickets, open, priority High or Critical, share of tickets that are open",
		"share of blocked tickets in Sprint 24":                               "tickets, Sprint 24, blocked, share of tickets that are Sprint 24",
		"Which label do we use most?":                                         "tickets, grouped by labels",
		"Which component attracts the most bugs?":                             "tickets, type Bug, grouped by labels",
		"WIP per person":                                 "tickets, in progress, grouped by owner",
		"any dupes in the tracker?":                      "tickets, duplicates",
		"which tickets were cancelled":                   "tickets, outcome Canceled",
		"who found the most issues among Sven and Priya": "search: Sven",
	})
}

// TestReadOf_WhatAnotherHandAsked reads what people who know the project asked, and what had been read otherwise.
func TestReadOf_WhatAnotherHandAsked(t *testing.T) {
	t.Parallel()
	reads(t, map[string]string{
		"Wie hoch ist der Anteil der Mobile-Tickets, die schon erledigt sind?": "tickets, labels mobile, done, share of tickets that are labels mobile",
		"Wie hoch ist der Anteil erledigter Tickets in Sprint 24 in Prozent?":  "tickets, Sprint 24, done, share of tickets that are Sprint 24",
		"Is Ana working on anything critical at the moment?":                   "tickets, owner Ana Souza, priority Critical, open",
		"what is Tom working on that is in review":                             "tickets, owner Tom Becker, review",
		"Has anyone but Lena, Tom or Mei got a milestone open?":                "milestones, not owner Lena Vogt, not owner Tom Becker, not owner Mei Chen, open",
		"Did we close more in Sprint 24 than in 23?":                           "tickets, closed, Sprint 24 or Sprint 23, grouped by sprint",
		"mobile or frontend, which one has more open?":                         "tickets, open, labels mobile or frontend, grouped by labels",
		"Whose open work adds up to the most story points?":                    "tickets, open, grouped by owner, sum of story points",
		"Which security tickets aren't tied to any objective?":                 "tickets, open, labels security, that serve no objective",
		"Which people on the team have zero tickets to their name?":            "tickets, who has none of them, grouped by owner",
		"Compare Joe and Dana by number of finished tickets":                   "tickets, done, owner Joe Martinez or Dana Reyes, grouped by owner",
		"Which in-progress items have gone quiet for over three weeks?":        "tickets, changed before 2026-02-18, open, in progress",
		"Which blind spots rated high have no owner?":                          "blindspots, unassigned, open, severity High",
		"Which reminders go off in the next 48 hours?":                         "reminders, rings at 2026-03-11 to 2026-03-13",
		"Which questions from our meetings has nobody answered yet?":           "threads, questions",
		"open tickets that could be closed this week":                          "search: could",
		"tickets that we could close this week":                                "search: could",
		"How many points are committed in Sprint 25?":                          "tickets, Sprint 25, sum of story points",
	})
}

// TestRead_MentionsOfNone answers which tickets mention a word that none has, rather than to search for it.
func TestRead_MentionsOfNone(t *testing.T) {
	t.Parallel()
	s, err := asktest.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Which tickets mention Stripe?", "Welche Tickets erwähnen Stripe?", "which open bugs mention the word Stripe"} {
		r := question.Read(text, s, asktest.Now())
		if r.Plans[0].Measure == question.Search || len(r.Unknown) > 0 {
			t.Errorf("%q: got %q, unknown %q; want a list", text, r.Plans[0].Describe(asktest.Now()), r.Unknown)
		}
	}
	if r := question.Read("Stripe tickets", s, asktest.Now()); r.Plans[0].Measure != question.Search {
		t.Errorf("tickets of a word that no record has: got %q, want a search", r.Plans[0].Describe(asktest.Now()))
	}
}

// TestRead_TheSprint takes "the sprint" for the one that runs, where the question asks when it begins or ends.
func TestRead_TheSprint(t *testing.T) {
	t.Parallel()
	records, err := asktest.Records("desk.json", "sprints.json")
	if err != nil {
		t.Fatal(err)
	}
	s, err := asktest.SnapshotOf(records)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"when does the sprint end":                "records, ends",
		"wann endet der Sprint":                   "records, ends",
		"how many days are left in the sprint":    "records, when, days left",
		"when does the sprint after this one end": "search",
		"which tickets are in the sprint":         "search",
	} {
		r := question.Read(text, s, asktest.Now())
		if got := r.Plans[0].Describe(asktest.Now()); got != want && (want != "search" || r.Plans[0].Measure != question.Search && len(r.Ignored) == 0) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
