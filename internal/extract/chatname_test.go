package extract_test

import (
	"testing"

	"chela/internal/extract"
)

func TestChatName_IsThatOfTheGroupOrOfWhoWrites(t *testing.T) {
	t.Parallel()
	const (
		secret = "24/11/2026, 18:01 - Messages and calls are end-to-end encrypted. Only people in this chat can read, listen to, or share them. Learn more.\n"
		rob    = "24/11/2026, 18:03 - Rob Hill: I'll book the venue tomorrow\n"
		nina   = "26/11/2026, 06:04 - Nina Berg: I'll order the cake tomorrow\n"
	)
	for name, c := range map[string]struct{ text, want string }{
		"a group":              {secret + "24/11/2026, 18:01 - Rob Hill created group \"Launch crew\"\n" + rob + nina, "Launch crew"},
		"a group with a colon": {secret + "24/11/2026, 18:01 - Rob Hill created group \"Launch: crew\"\n" + rob + nina, "Launch: crew"},
		"it was named anew":    {secret + "24/11/2026, 18:01 - Rob Hill created group “Launch crew”\n" + rob + "25/11/2026, 18:01 - Nina Berg changed the subject from “Launch crew” to “Launch party”\n" + nina, "Launch party"},
		"the name alone":       {secret + "24/11/2026, 18:01 - Rob Hill changed the group name to \"Cake\"\n" + rob, "Cake"},
		"of an iPhone":         {"[24/11/2026, 18:03:40] Launch crew: \u200eMessages and calls are end-to-end encrypted.\n[24/11/2026, 18:03:41] Rob Hill: \u200eRob Hill created group “Launch crew”\n\u200e[24/11/2026, 6:04:02\u202fPM] Nina Berg: ok\n", "Launch crew"},
		"in German":            {"24.11.26, 18:01 - Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt.\n24.11.26, 18:02 - Jonas Weber hat die Gruppe „Sommerfest“ erstellt.\n24.11.26, 18:03 - Jonas Weber: Ich buche morgen den Raum\n", "Sommerfest"},
		"German, named anew":   {"24.11.26, 18:02 - Jonas Weber hat den Betreff von „Fest“ zu „Sommerfest“ geändert.\n24.11.26, 18:03 - Jonas Weber: gut\n", "Sommerfest"},
		"two people":           {secret + rob + nina, "Rob Hill and Nina Berg, 2026-11-24 to 2026-11-26"},
		"one day":              {secret + rob, "Rob Hill, 2026-11-24"},
		"many":                 {secret + rob + nina + "26/11/2026, 06:05 - Ann: ok\n26/11/2026, 06:06 - Bo: ok\n26/11/2026, 06:07 - Cy: ok\n", "Rob Hill, Nina Berg, Ann and 2 more, 2026-11-24 to 2026-11-26"},
		"somebody joined":      {"11/24/26, 6:01 PM - Rob Hill joined using this group's invite link\n11/24/26, 6:03 PM - Rob Hill: ok\n", "Rob Hill, 2026-11-24"},
		"a person says so":     {rob + "24/11/2026, 18:04 - Nina Berg: Joe created group \"Spam\"\n", ""},
		"it begins with words": {rob + nina, ""},
		"minutes":              {"# Sync\n\nAnn: ok\n", ""},
		"nobody writes":        {secret + "24/11/2026, 18:01 - Rob Hill created group \"Launch crew\"\n", ""},
	} {
		if got := extract.ReadMinutes(c.text).Chat; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
