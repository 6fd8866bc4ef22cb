package question_test

import (
	"testing"

	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestRead_WholeQuestions holds which everyday questions of managers are read as a whole, and that others which are nearly such are not.
func TestRead_WholeQuestions(t *testing.T) {
	t.Parallel()
	records, err := asktest.Planned()
	if err != nil {
		t.Fatal(err)
	}
	s, err := asktest.SnapshotOf(records)
	if err != nil {
		t.Fatal(err)
	}
	const works, risks, slips, summary, take = "tickets, in progress or review, with their titles, grouped by owner", "tickets, and what else may go wrong", "tickets, those that are late or may be", "tickets, the main figures", "tickets, who could take it"
	const all = "tickets, open, when they will be done"
	const slipsToo = slips + ", and such milestones and phases"
	for text, want := range map[string]string{
		"When will we be done?":                                   all,
		"When will the open tickets be finished?":                 all,
		"by when will everything be done":                         all,
		"Can you tell me when we will be done?":                   all,
		"Wann sind wir fertig?":                                   all,
		"Bis wann sind alle offenen Tickets erledigt?":            all,
		"Wann sind alle offenen Tickets erledigt?":                all,
		"will Sprint 24 end in time":                              "tickets, open, Sprint 24, when they will be done",
		"How likely is it that we finish sprint 24?":              "tickets, open, Sprint 24, when they will be done",
		"Will we finish this sprint?":                             "tickets, open, Sprint 24, when they will be done",
		"will the sprint end in time":                             "tickets, open, Sprint 24, when they will be done",
		"Schaffen wir Sprint 24?":                                 "tickets, open, Sprint 24, when they will be done",
		"Schaffen wir den Sprint rechtzeitig?":                    "tickets, open, Sprint 24, when they will be done",
		"Wie wahrscheinlich ist es, dass wir Sprint 25 schaffen?": "tickets, open, Sprint 25, when they will be done",
		"will we be done by Friday":                               "tickets, open, until 2026-03-13, when they will be done",
		"Will we be done by Christmas?":                           "tickets, open, until 2026-12-26, when they will be done",
		"Sind wir bis Freitag fertig?":                            "tickets, open, until 2026-03-13, when they will be done",
		"who works on what":                                       works,
		"What is everyone working on right now?":                  works,
		"Was macht gerade wer?":                                   works,
		"Wer arbeitet woran?":                                     works,
		"who is working on what in sprint 24":                     works[:len("tickets, in progress or review")] + ", Sprint 24" + works[len("tickets, in progress or review"):],
		"What are the top risks?":                                 risks,
		"what are our biggest risks":                              risks,
		"risks":                                                   risks,
		"top 3 risks":                                             risks,
		"Was sind die größten Risiken?":                           risks,
		"What will slip?":                                         slipsToo,
		"what is at risk of slipping":                             slipsToo,
		"what is in danger":                                       slipsToo,
		"Was ist gefährdet?":                                      slipsToo,
		"Which tickets are at risk?":                              slips,
		"Which milestones will slip?":                             "milestones, those that are late or may be",
		"which milestones are at risk":                            "milestones, those that are late or may be",
		"Welche Meilensteine sind gefährdet?":                     "milestones, those that are late or may be",
		"Which phases will be late?":                              "phases, those that are late or may be",
		"Which tickets will slip in Sprint 24?":                   "tickets, Sprint 24, those that are late or may be",
		"Welche Tickets werden nicht rechtzeitig fertig?":         slips,
		"give me a summary":                                       summary,
		"status of the project":                                   summary,
		"how is the project doing":                                summary,
		"Wie steht das Projekt?":                                  summary,
		"Who should take PAY-101?":                                take,
		"wer soll PAY-101 übernehmen":                             take,
		"Wem soll ich PAY-101 geben?":                             take,

		// What is nearly such a question asks something else, and is read as it was.
		"When will PAY-101 be done?":            "",
		"When will Sprint 24 end?":              "",
		"when will the open bugs be done":       "",
		"Will we finish Sprint 99?":             "",
		"Is Sprint 24 done?":                    "",
		"who worked on what":                    "",
		"who works on PAY-101":                  "",
		"What is Joe working on?":               "",
		"Which objectives have risks?":          "",
		"what are the risks of refunds":         "",
		"What slipped last sprint?":             "",
		"What is late?":                         "",
		"summary of the last meeting":           "",
		"how is Sprint 24 doing":                "",
		"status of PAY-101":                     "",
		"who took PAY-101":                      "",
		"who should take the minutes":           "",
		"who should take PAY-99999":             "",
		`tickets with "who works on what"`:      "",
		"Wann ist Sprint 24 zu Ende?":           "",
		"Wer arbeitet an PAY-101?":              "",
		"Welche Tickets sind überfällig?":       "",
		"Wer hat PAY-101 übernommen?":           "",
		"Zusammenfassung der letzten Sitzung":   "",
		"when will we be done with the refunds": "",
	} {
		r := question.Read(text, s, asktest.Now())
		got := r.Plans[0].Describe(asktest.Now())
		if want != "" && (got != want || len(r.Ignored)+len(r.Unknown) > 0) {
			t.Errorf("%q: got %q, left out %q, want %q", text, got, r.Ignored, want)
		}
		if both := question.Both("", text, s, asktest.Now()); both != nil {
			t.Errorf("%q: got %d questions", text, len(both))
		}
		switch m := r.Plans[0].Measure; {
		case want != "":
		case m == question.Forecast || m == question.Slips || m == question.Risks || m == question.Suggest || m == question.Summary || r.Plans[0].State == question.Titles:
			t.Errorf("%q: got %q, which is another question", text, got)
		}
	}
}

// TestBoth reads two whole questions with an "and" between them, and nothing else.
func TestBoth(t *testing.T) {
	t.Parallel()
	s, err := asktest.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		"Who works on what, and what will slip?":            2,
		"Was macht gerade wer und was wird sich verspäten?": 2,
		"who works on what and what is overdue":             0,
		"and what will slip":                                0,
		"what will slip and":                                0,
		"and":                                               0,
	} {
		if got := question.Both("", text, s, asktest.Now()); len(got) != want {
			t.Errorf("%q: got %d questions, want %d", text, len(got), want)
		}
	}
}

// TestPlan_CheckOfTickets holds that what is computed of tickets is asked of no other records.
func TestPlan_CheckOfTickets(t *testing.T) {
	t.Parallel()
	for _, m := range []question.Measure{question.Forecast, question.Slips, question.Risks, question.Suggest, question.Summary} {
		if err := (question.Plan{Kind: desk.Thread, Measure: m}).Check(asktest.Now()); err == nil {
			t.Errorf("%s of threads is computed", m)
		}
		if err := (question.Plan{Kind: desk.Ticket, Measure: m}).Check(asktest.Now()); err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
}
