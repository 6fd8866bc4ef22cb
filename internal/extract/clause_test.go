package extract_test

import (
	"slices"
	"strings"
	"testing"

	"chela/internal/extract"
)

func TestActions_AreReadByWhoDoesWhat(t *testing.T) {
	t.Parallel()
	head := "# Sync 2026-03-03\n\nPresent: Ann Lee (clerk), Bo Kim, Cy Dow\n\n"
	for line, want := range map[string]string{
		"It was left with Ann to call the bank.":                      "Ann Lee",
		"The Clerk was asked to call the bank.":                       "Ann Lee",
		"Before the next meeting, Ann will call the bank.":            "Ann Lee",
		"Ann knows the bank and will send them the form.":             "Ann Lee",
		"Ann volunteered for the poster.":                             "Ann Lee",
		"Ann picks the story, Bo books the room.":                     "Ann Lee; Bo Kim",
		"Bo soll die Liste bis Freitag schicken.":                     "Bo Kim",
		"Next steps:\nAnn – bank letter\nBo: the slides":              "Ann Lee; Bo Kim",
		"Jobs arising\nThe letter to the bank      Ann    by Friday":  "Ann Lee",
		"Could someone find the key? Nobody can.":                     "",
		"Ann thinks that the bank is slow.":                           "",
		"Ann would call the bank if there were time.":                 "",
		"09:14 Ann deploys the new version":                           "",
		"If the bank agrees, Ann is happy. Bo has read the contract.": "",
	} {
		var owners []string
		for _, a := range extract.ReadMinutes(head + line + "\n").Actions {
			owners = append(owners, a.Owner)
		}
		slices.Sort(owners) // the order of clauses in a line does not matter
		if got := strings.Join(owners, "; "); got != want {
			t.Errorf("%q gives actions of %q, want %q", line, got, want)
		}
	}
}

func TestAttendees_InFurtherForms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# Sync\n\nAttendees:\nAnn Lee\nBo Kim\n":                                                      "Ann Lee, Bo Kim",
		"Board 3 March 2026\n\nThe meeting was attended by Ann Lee and Bo Kim. Cy Dow was excused.":    "Ann Lee, Bo Kim, -Cy Dow",
		"# Debrief\n\nIncident commander: Ann Lee\nScribe: Bo Kim\n":                                   "Ann Lee, Bo Kim",
		"# WG call\n\n| Member | Status |\n|---|---|\n| Ann Lee | present |\n| Bo Kim | apologies |\n": "Ann Lee, -Bo Kim",
		"Call 2026-03-03\n\nAnn Lee: here\nBo Kim: absent\n":                                           "Ann Lee, -Bo Kim",
		"Notes of the call (Ann, Bo and Cy).\n":                                                        "Ann, Bo, Cy",
		"<ann> present+\n<bo> regrets+ Cy\n<bo> present+\n":                                            "ann, -Cy, bo",
	} {
		var got []string
		for _, a := range extract.ReadMinutes(text).Attendees {
			name := a.Name
			if a.Absent {
				name = "-" + name
			}
			got = append(got, name)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}
