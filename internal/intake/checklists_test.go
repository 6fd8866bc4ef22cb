package intake

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/desk"
)

func itemsOf(s string) (out []desk.Item) {
	for _, x := range strings.Fields(s) {
		out = append(out, desk.Item{Text: x[1:], Checked: x[0] == '+'})
	}
	return out
}

func TestMergedItems_KeepsWhatAPersonDid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ base, mine, theirs, want string }{
		"nothing changed":       {"-a +b", "-a +b", "-a +b", "-a +b"},
		"checked by the source": {"-a", "-a", "+a", "+a"},
		"checked here":          {"-a", "+a", "-a", "+a"},
		"checked on both sides": {"-a", "+a", "+a", "+a"},
		"unchecked by source":   {"+a", "+a", "-a", "-a"},
		"added on both sides":   {"-a", "-a -m", "-a -s", "-a -m -s"},
		"taken out here":        {"-a -b", "-b", "+a -b", "-b"},
		"dropped by the source": {"-a -b", "-a -b", "-b", "-b"},
		"dropped, checked here": {"-a -b", "+a -b", "-b", "+a -b"},
	} {
		got := mergedItems(itemDigests(itemsOf(c.base)), itemsOf(c.mine), itemsOf(c.theirs))
		if want := itemsOf(c.want); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// TestMergedItems_TheSameExportChangesNothing plays random items and edits: an export that says what the last one said
// leaves a checklist as people made it.
func TestMergedItems_TheSameExportChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		some := func(name string) []desk.Item {
			texts := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d"}), rapid.ID).Draw(t, name)
			out := make([]desk.Item, len(texts))
			for i, x := range texts {
				out[i] = desk.Item{Text: x, Checked: rapid.Bool().Draw(t, name+x)}
			}
			return out
		}
		source, mine := some("source"), some("mine")
		if got := mergedItems(itemDigests(source), mine, source); fmt.Sprint(got) != fmt.Sprint(mine) {
			t.Fatalf("got %v, want %v as they were", got, mine)
		}
		newer := some("newer")
		for _, x := range newer {
			had := slices.ContainsFunc(source, func(s desk.Item) bool { return s.Text == x.Text })
			if got := mergedItems(itemDigests(source), mine, newer); !had && !slices.ContainsFunc(got, func(g desk.Item) bool { return g.Text == x.Text }) {
				t.Fatalf("got %v without the new item %v", got, x)
			}
		}
	})
}

func TestInCircle_FindsParentsOfThemselves(t *testing.T) {
	t.Parallel()
	known := map[string]relation{"b": {parent: "a"}, "c": {parent: "b"}, "x": {parent: "y"}, "y": {parent: "x"}}
	for _, c := range []struct {
		ticket, parent string
		want           bool
	}{{"a", "c", true}, {"a", "b", true}, {"c", "b", false}, {"d", "c", false}, {"d", "x", true}, {"d", "none", false}} {
		if got := inCircle(known, c.ticket, c.parent); got != c.want {
			t.Errorf("%s below %s: got %v, want %v", c.ticket, c.parent, got, c.want)
		}
	}
}

func TestStateBy_Days(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	day := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		start, end time.Time
		want       string
	}{{day(1), day(3), "CLOSED"}, {day(1), day(4), "ACTIVE"}, {day(5), day(9), "PLANNED"}, {day(4), time.Time{}, "ACTIVE"}, {time.Time{}, day(3), "CLOSED"}, {time.Time{}, day(9), ""}, {time.Time{}, time.Time{}, ""}} {
		if got := stateBy(c.start, c.end, now); got != c.want {
			t.Errorf("%s to %s: got %q, want %q", c.start, c.end, got, c.want)
		}
	}
}

func TestAdopt_TakesWhatOnlyTheSourceChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base, mine, said string
		free             bool
		want             string
		asked            int
	}{
		"not told":            {"a", "b", "", false, "b", 0},
		"the source alone":    {"a", "a", "c", false, "c", 0},
		"a person alone":      {"a", "b", "a", false, "b", 0},
		"both":                {"a", "b", "c", false, "b", 1},
		"never imported":      {"", "b", "c", false, "b", 1},
		"nobody wrote it":     {"", "b", "c", true, "c", 0},
		"nothing is there":    {"", "", "c", false, "c", 0},
		"taken out by person": {"a", "", "c", false, "", 1},
	} {
		got, imported := c.mine, map[string]string{}
		if c.base != "" {
			imported["f"] = digest(c.base)
		}
		asked := adopt(imported, c.free, []member{{"f", c.mine, c.said, func(v string) { got = v }}})
		if got != c.want || len(asked) != c.asked {
			t.Errorf("%s: got %q and %d asked, want %q and %d", name, got, len(asked), c.want, c.asked)
		}
	}
}
