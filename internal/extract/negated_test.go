package extract_test

import (
	"slices"
	"testing"

	"chela/internal/extract"
)

// listedUnder reads one item of a list below a heading.
func listedUnder(heading, line string) extract.Minutes {
	return extract.ReadMinutes("# Weekly 2026-11-27\n\nAttendees: Joe, Ann, Tom, Maria\n\n## " + heading + "\n- " + line + "\n")
}

func TestActions_WhatIsNotToBeDone(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"Ann: none", "Joe: nothing", "Joe: n/a", "Ann: none this week", "Joe: nothing new", "Joe - nothing to do", "Tom: no actions", "Ann: no updates",
		"No action items this week.", "No action for Tom.", "No new actions were assigned", "There are no open tasks.", "No further action required", "None for now", "Nothing to report",
		"Tom does not need to update the wiki anymore.", "Tom doesn't have to call the vendor", "Ann no longer needs to write the report", "Joe won't book the venue", "Joe need not call them",
		"Maria will not attend next week.", "Ann will no longer maintain the wiki", "Olga will not attend next week.", "Olga does not need to come",
		"Cancelled: Joe to book the venue", "Canceled - Joe to book the venue", "[cancelled] Joe to book the venue", "Joe to book the venue (cancelled)", "Joe to book the venue - cancelled",
		"Joe: cancelled: book the venue", "Obsolete: Ann to migrate the database", "Ann to migrate the database (no longer needed)", "Dropped: Tom to order shirts", "Withdrawn: Tom to order shirts",
		"Postponed: Ann to write the survey", "Ann to write the survey (deferred)", "Ann to write the survey — on hold", "Action (cancelled): Joe to book the venue", "Action: none", "ACTION: cancelled - Joe to book the venue",
		"[ ] Cancelled: Joe to book the venue", "This is no longer needed: Joe to write the plan", "The workshop was cancelled", "Joe: nothing, he is on leave", "Done: Ann to order the cake", "Rejected: Joe to buy a robot",
		"Keine Aufgaben", "Keine neuen Maßnahmen diese Woche", "Ann: nichts", "Nichts zu tun", "Entfällt: Tom bucht den Raum", "Tom bucht den Raum (entfällt)", "Tom muss das Wiki nicht mehr aktualisieren",
		"Abgesagt: Joe bucht den Raum", "Vertagt: Ann schreibt die Umfrage",
	} {
		for _, a := range listedUnder("Actions", line).Actions {
			if !a.Done && !a.Dropped {
				t.Errorf("%q gives the action %q of %q, want none", line, a.Text, a.Owner)
			}
		}
	}
}

func TestActions_WhatOnlySoundsSo(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"Joe to write the none-handling code":                                "Joe|write the none-handling code",
		"Ann: do not deploy on Fridays before the freeze ends":               "Ann|do not deploy on Fridays before the freeze ends",
		"Joe to tell the team that the offsite is cancelled":                 "Joe|tell the team that the offsite is cancelled",
		"Ann to cancel the venue":                                            "Ann|cancel the venue",
		"Tom to remove the tasks that are no longer needed":                  "Tom|remove the tasks that are no longer needed",
		"Joe to check that no action is lost":                                "Joe|check that no action is lost",
		"Ann: find out why nothing was logged":                               "Ann|find out why nothing was logged",
		"Ann to ask those who will not attend":                               "Ann|ask those who will not attend",
		"Joe to document the postponed release":                              "Joe|document the postponed release",
		"Ann: cancelled orders report for finance":                           "Ann|cancelled orders report for finance",
		"Tom: explain to Maria that she does not need to sign":               "Tom|explain to Maria that she does not need to sign",
		"Tom to make sure the on-call does not need to restart it":           "Tom|make sure the on-call does not need to restart it",
		"Ann: no deploys before the freeze ends, tell the team":              "Ann|no deploys before the freeze ends, tell the team",
		"Joe to move the survey, postponed to Friday, into the new tool":     "Joe|move the survey, postponed to Friday, into the new tool",
		"Ann to write the survey (postponed to 2026-12-11)":                  "Ann|write the survey (postponed to 2026-12-11)",
		"Joe to list what we won't do":                                       "Joe|list what we won't do",
		"Ann to send the form for \"nothing to declare\" to the accountants": "Ann|send the form for \"nothing to declare\" to the accountants",
		"Joe to check why orders were cancelled":                             "Joe|check why orders were cancelled",
		"Joe: fix the login (pending)":                                       "Joe|fix the login (pending)",
		"None, but Ann to check the logs":                                    "Ann|None, but Ann to check the logs",
		"~~Joe~~ Ann to book the venue":                                      "Ann|book the venue",
		"Firebase won't start on the new nodes (Ann)":                        "Ann|Firebase won't start on the new nodes",
		"Tom does not need to update the wiki, Ann will do it instead":       "Ann|Tom does not need to update the wiki, Ann will do it instead",
		"Joe to fix the tests, none of them run":                             "Joe|fix the tests, none of them run",
	} {
		got := listedUnder("Actions", line).Actions
		if len(got) != 1 || got[0].Owner+"|"+got[0].Text != want || got[0].Done || got[0].Dropped {
			t.Errorf("%q gives %+v, want %q", line, got, want)
		}
	}
}

func TestActions_WhatWasCalledOff(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"Cancelled: Joe to book the venue", "Joe: book the venue (cancelled)", "[ ] [dropped] Joe to book the venue", "Postponed: Joe to book the venue"} {
		if got := listedUnder("Actions", line).Actions; len(got) != 1 || !got[0].Dropped || got[0].Owner != "Joe" {
			t.Errorf("%q gives %+v, want Joe's action, dropped", line, got)
		}
	}
}

func TestActions_NotToBeDoneInSentences(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Tom does not need to update the wiki anymore.\n", "Maria will not attend next week.\n", "Joe won't send the report this week.\n", "No action for Tom.\n",
		"| Action | Owner |\n|---|---|\n| none | Ann |\n| Cancelled: book the venue | Joe |\n| n/a | Tom |\n",
	} {
		if got := extract.ReadMinutes("# Weekly 2026-11-27\n\nAttendees: Joe, Ann, Tom, Maria\n\n" + text).Actions; slices.ContainsFunc(got, func(a extract.Action) bool { return !a.Dropped }) {
			t.Errorf("%q gives the actions %+v, want none", text, got)
		}
	}
}

func TestDecisions_WhatWasNotDecided(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"No decisions were made.", "No decision.", "None this week", "No consensus on the naming.", "There was no agreement on the price", "No decision on the vendor yet",
		"Postponed: choice of the CI vendor.", "Deferred - the naming of the service", "Choice of the CI vendor (postponed)", "Choice of the CI vendor: deferred", "The choice of the vendor was postponed.",
		"~~Use MySQL~~", "[x] ~~Use MySQL~~", "Do we decide on tabs? Not yet.", "Tabs or spaces? Still open", "We did not decide yet", "We didn't decide on the vendor.", "We have not yet agreed on a date",
		"Not decided: the price of the plan", "The team could not agree on a name", "Withdrawn: the proposal to merge the teams", "Tabled: the new logo", "Pending: approval of the budget",
		"Decision deferred to next week", "Deferred to next week", "We deferred the decision on pricing", "Vote postponed", "Still open: pricing", "Naming: no consensus", "We'll decide next week", "To be decided by the board",
		"Nothing was decided.", "Not decided yet", "No decision needed", "Undecided whether to use Go", "Keine Einigung beim Namen",
		"Keine Beschlüsse", "Es wurde noch keine Entscheidung getroffen", "Noch nicht entschieden: der Name", "Vertagt: Wahl des Anbieters", "Die Wahl des Anbieters wurde vertagt.", "Wir haben uns nicht geeinigt",
	} {
		if got := listedUnder("Decisions", line).Decisions; len(got) != 0 {
			t.Errorf("%q gives the decision %q, want none", line, got[0].Text)
		}
	}
	for _, text := range []string{"We talked about the name. We did not decide yet.\n", "Decision: no consensus on the naming\n", "Decision: postponed\n", "~~Decision: use MySQL~~\n", "Decision: ~~use MySQL~~\n"} {
		if got := extract.ReadMinutes("# Weekly 2026-11-27\n\nAttendees: Joe, Ann\n\n" + text).Decisions; len(got) != 0 {
			t.Errorf("%q gives the decision %q, want none", text, got[0].Text)
		}
	}
}

func TestDecisions_ToLeaveSomethingOut(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"We decided not to use MySQL", "No deploys on Fridays", "No new features before May", "Do not deploy on Fridays before the freeze ends", "The launch is postponed to 3 March",
		"Postpone the offsite", "Cancelled: the summer party", "Dropped: support for the old browser", "Postponed: the launch to 3 March", "No consensus needed for small changes",
		"No agreement with ACME before legal has read it", "Nothing is merged without a review", "We won't renew the contract", "The old plan is no longer sold",
		"Ann decides on names; names that are not yet decided go to Joe", "Rejected: the offer of ACME", "Open the office at 8", "Keine neuen Funktionen vor Mai",
		"We agreed to postpone the launch", "We postponed the vote and approved the budget", "No change to the price", "Do we use tabs? Yes, tabs.", "~~Use MySQL~~ Use PostgreSQL for all services", "We do not agree to the price increase",
	} {
		if got := listedUnder("Decisions", line).Decisions; len(got) != 1 {
			t.Errorf("%q gives the decisions %+v, want one", line, got)
		}
	}
}

func TestNames_OfAList(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][]string{
		"Ann/Tom": {"Ann", "Tom"}, "Tom + Joe": {"Tom", "Joe"}, "Ann, Bo and Cy": {"Ann", "Bo", "Cy"}, "Ann & Bo": {"Ann", "Bo"}, "Anna und Bo": {"Anna", "Bo"}, "Ann; Bo": {"Ann", "Bo"},
		"@ann/@bo": {"@ann", "@bo"}, "@org/team": {"@org/team"}, "Ann Lee": {"Ann Lee"}, "R/D": {"R/D"}, "Backend/Frontend": {"Backend/Frontend"}, "joe+jira@example.org": {"joe+jira@example.org"}, "Ann, Bo, and Cy": {"Ann", "Bo", "Cy"},
		"Sandy Anderson": {"Sandy Anderson"}, "": nil,
	} {
		if got := extract.Names(list); !slices.Equal(got, want) {
			t.Errorf("Names(%q) = %q, want %q", list, got, want)
		}
	}
}
