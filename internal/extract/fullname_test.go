package extract_test

import (
	"testing"

	"chela/internal/extract"
)

func TestOwners_AreNamedInFull(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Committee, 4 May 2026\nGeoff Bland (chair), Ina Roth\n\nACTION: Geoff to order the gravel\n":                "Geoff Bland",
		"Dear all,\n\nMr Adomako will call the hall by Friday.\n\nApproved by: Samuel Adomako, Lena Fisk\n":          "Samuel Adomako",
		"Notes by Ina Roth\n\nACTION: Geoff to order the gravel\n\nGeoff Bland, Geoff Marsh: no objections\n":        "Geoff",
		"Hi Nathalie,\n\nACTION: Nathalie to send the photos\n":                                                      "Nathalie",
		"Site walk, Sunil Mahtani and Nora Ophir\n\nACTION: SM to chase the supplier\nACTION: SM to tell the crew\n": "Sunil Mahtani",
	} {
		got := extract.ReadMinutes(text).Actions
		if len(got) == 0 || got[0].Owner != want {
			t.Errorf("%q gives %+v, want the owner %q", text, got, want)
		}
	}
}
