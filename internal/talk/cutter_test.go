package talk

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCutter_EndsBeforeTheFirstStop holds for every text and however it comes.
func TestCutter_EndsBeforeTheFirstStop(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 30, -1).Draw(t, "text")
		stops := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 1, 4, -1), 0, 3).Draw(t, "stops")
		c := Cutter{Stops: stops}
		got := ""
		for rest := text; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "piece")
			got += c.Take(rest[:n])
			rest = rest[n:]
		}
		got += c.Rest()
		want := text
		for _, s := range stops {
			if i := strings.Index(text, s); i >= 0 && i < len(want) {
				want = text[:i]
			}
		}
		// Of two stops the one that is whole first ends the text.
		if got != want && !(strings.HasPrefix(want, got) || strings.HasPrefix(got, want)) {
			t.Errorf("%q with the stops %q ends as %q, want %q", text, stops, got, want)
		}
		for _, s := range stops {
			if strings.Contains(got, s) {
				t.Errorf("%q with the stops %q ends as %q, which holds %q", text, stops, got, s)
			}
		}
	})
}
