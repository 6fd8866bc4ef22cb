package extract_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/extract"
)

func TestAssume_GivesDaysToATextThatSaysNone(t *testing.T) {
	t.Parallel()
	sunday := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"a chat":             {"Rob: can somebody book the venue?\nNina: I'll book the venue tomorrow\nRob: I'll order the cake by Friday\n", []string{"Nina 2026-11-30: book the venue tomorrow", "Rob 2026-12-04: order the cake by Friday"}},
		"with hours":         {"Priya Raman\n  9:02 AM\nmorning all\n\nTom Becker\n  9:05 AM\nI'll update the runbook tomorrow\n", []string{"Tom Becker 2026-11-30: update the runbook tomorrow"}},
		"of yesterday":       {"Priya Raman  Yesterday at 9:02 AM\nmorning all\n\nTom Becker  Yesterday at 9:05 AM\nI'll update the runbook tomorrow\n\nPriya Raman  Today at 8:05 AM\nI'll tell support tomorrow\n", []string{"Tom Becker 2026-11-29: update the runbook tomorrow", "Priya Raman 2026-11-30: tell support tomorrow"}},
		"of a day last week": {"Tom Becker  Thursday 9:05 AM\nI'll update the runbook tomorrow\n\nPriya Raman  Today at 8:05 AM\nok\n", []string{"Tom Becker 2026-11-27: update the runbook tomorrow"}},
		"minutes":            {"# Sync\n\n## Action items\n- Ann to send the report by Friday\n- Bo to call the vendor\n- [x] Cy to order the cake by Friday\n", []string{"Ann 2026-12-04: send the report by Friday"}},
		"a day without year": {"# Sync\n\n## Action items\n- Ann to send the report by 5 December\n", []string{"Ann 2026-12-05: send the report by 5 December"}},
		"minutes with a day": {"# Sync\nDate: 2026-03-05\n\n## Action items\n- Ann to send the report\n- Bo to call by Friday\n", nil},
		"a chat with a day":  {"[24/11/2026, 18:03:40] Rob: I'll book the venue\n[24/11/2026, 18:04:40] Nina: I'll order the cake tomorrow\n", nil},
		"nothing is due":     {"Rob: I'll book the venue\nNina: I'll order the cake\n", nil},
		"a day that is told": {"# Sync\n\n## Action items\n- Ann to send the report by 2026-03-09\n", nil},
	} {
		m := extract.ReadMinutes(c.text)
		before := m
		var got []string
		for _, a := range m.Assume(c.text, sunday) {
			got = append(got, a.Owner+" "+date(a.Due)+": "+a.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s gives %q, want %q", name, got, c.want)
		}
		if !m.Date.Equal(before.Date) || len(m.Actions) != len(before.Actions) {
			t.Errorf("%s: something else changed", name)
		}
		if again := m.Assume(c.text, sunday); len(again) > 0 {
			t.Errorf("%s: days are assumed twice: %v", name, again)
		}
		if none := m.Assume(c.text, time.Time{}); len(none) > 0 {
			t.Errorf("%s: without a day: %v", name, strings.Join(got, " "))
		}
	}
}
