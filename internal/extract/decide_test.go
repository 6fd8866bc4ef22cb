package extract_test

import (
	"strings"
	"testing"

	"chela/internal/extract"
)

func TestDecisions_InTheWaysPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"The board voted to close the north branch.",
		"Ann moved to extend the contract, seconded by Bo. All in favour.",
		"Motion to extend the contract passes with 6 votes.",
		"Vote on the new logo: 5 for, 2 against, approved.",
		"We move the stand-up to 9. Nobody objected.",
		"Budget of 20k approved.",
		"The proposal was adopted without changes.",
		"After some back and forth the team went with the second design.",
		"It was unanimously agreed to postpone the offsite.",
		"There was consensus to drop the field.",
		"We're going with the old vendor for another year.",
		"We use one queue per tenant, not one for all.",
		"From now on each release has a named lead.",
		"Compromise: two demos a month.",
		"The price stays at 20%.",
		"Nach kurzer Aussprache wurde beschlossen, den Beitrag nicht zu erhöhen.",
	} {
		m := extract.ReadMinutes("# Sync 2026-03-03\n\nPresent: Ann Lee, Bo Kim\n\n" + line + "\n")
		if len(m.Decisions) != 1 {
			t.Errorf("%q gives %d decisions, want 1", line, len(m.Decisions))
		}
	}
	for _, line := range []string{
		"We talked about the price.", "We should decide next week.", "Bo thinks we should use another queue.", "No decision was taken on the budget.",
		"PR 33 was approved by Ann.", "The customer has to approve the draft.", "The motion failed.", "We keep running into this.", "We do not know yet.",
		"Ann agrees with Bo.", "The board will decide in June.", "The minutes of May were approved.", "Let's pick this up next week.",
		"We could not agree on a date.", "Ann moved to close the branch, seconded by Bo. The motion failed.",
	} {
		m := extract.ReadMinutes("# Sync 2026-03-03\n\nPresent: Ann Lee, Bo Kim\n\n" + line + "\n")
		if len(m.Decisions) != 0 {
			t.Errorf("%q gives the decision %q, want none", line, m.Decisions[0].Text)
		}
	}
}

func TestDecisions_ProposedAndAgreedTo(t *testing.T) {
	t.Parallel()
	head := "Transcript 3 March 2026\n\nAnn Lee: Hi all.\nBo Kim: Hi.\n"
	for said, want := range map[string]string{
		"Ann Lee: Let's cancel the fair.\nBo Kim: Fine by me.\n":                                              "Let's cancel the fair",
		"Ann Lee: Let's cancel the fair.\nBo Kim: I'd rather not.\n":                                          "",
		"Ann Lee: Let's cancel the fair.\nAnn Lee: Yes.\n":                                                    "",
		"Ann Lee: I move that we sell the van.\nBo Kim: Seconded.\nAnn Lee: All in favour? Motion carries.\n": "I move that we sell the van",
		"Ann Lee: Blue or green?\nBo Kim: Green.\nAnn Lee: Okay, green it is.\n":                              "Okay, green it is.",
	} {
		var got []string
		for _, d := range extract.ReadMinutes(head + said).Decisions {
			got = append(got, d.Text)
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%q decides %q, want %q", said, got, want)
		}
	}
}

func TestOwners_AreThoseOfTheRollCall(t *testing.T) {
	t.Parallel()
	head := "# Sync 2026-03-03\n\nPresent: Elizabeth Warner (@lizw), Dr. Mona Okafor (chair), Robert Lee, Tobias Falk\n\n"
	for line, want := range map[string]string{
		"Liz to send the draft.":                        "Elizabeth Warner",
		"@lizw to send the draft.":                      "Elizabeth Warner",
		"EW to send the draft.":                         "Elizabeth Warner",
		"Dr. Okafor will send the draft.":               "Dr. Mona Okafor",
		"Chair to send the draft.":                      "Dr. Mona Okafor",
		"Bob and Tobi to send the draft.":               "Robert Lee, Tobias Falk",
		"Bob has read it. He will send the draft.":      "Robert Lee",
		"- Send the draft (Tobias, by Friday)":          "Tobias Falk",
		"- Draft is missing → Bob sends it to the bank": "Robert Lee",
		"Tobias sends the draft to the bank.":           "Tobias Falk",
		"The board asked Liz to send the draft.":        "Elizabeth Warner",
	} {
		m := extract.ReadMinutes(head + line + "\n")
		if len(m.Actions) != 1 || m.Actions[0].Owner != want {
			t.Errorf("%q gives %+v, want one action of %s", line, m.Actions, want)
		}
	}
	for _, line := range []string{
		"Jenkins will run the job.", "The vendor will send a quote.", "Robert explained the draft.", "Robert thinks that the draft is fine.",
		"This transcript was computer generated and will contain errors.", "Robert will be away next week.", "We've got the draft.",
	} {
		if m := extract.ReadMinutes(head + line + "\n"); len(m.Actions) != 0 {
			t.Errorf("%q gives %+v, want no action", line, m.Actions)
		}
	}
}

func TestHeadings_OfLists(t *testing.T) {
	t.Parallel()
	for heading, want := range map[string][2]int{
		"Next steps": {2, 0}, "Action items & owners": {2, 0}, "To do until the next meeting": {2, 0}, "Suggested next steps": {2, 0}, "Agreed measures": {2, 0},
		"Decisions": {0, 2}, "What we agreed": {0, 2}, "Key decisions made today": {0, 2}, "Resolutions": {0, 2},
		"Decisions and actions": {1, 1}, "Follow-up from last meeting": {0, 0}, "Decisions needed": {0, 0}, "Agenda": {0, 0}, "Notes": {0, 0},
	} {
		items := "- Ann: the room\n- Bo: the slides for Monday\n"
		switch want[0] {
		case 1:
			items = "- One release a month\n- Bo: the slides for Monday\n"
		case 0:
			items = "- One release a month\n- A demo each Friday\n"
		}
		m := extract.ReadMinutes("# Sync 2026-03-03\n\nPresent: Ann Lee, Bo Kim\n\n## " + heading + "\n\n" + items)
		if got := [2]int{len(m.Actions), len(m.Decisions)}; got != want {
			t.Errorf("below %q stand %d actions and %d decisions, want %v", heading, got[0], got[1], want)
		}
	}
}
