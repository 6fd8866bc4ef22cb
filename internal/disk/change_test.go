package disk_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/disk"
)

// TestChanges_AreThoseOfTheWhole: the changes of several programs, taken in one after the other, are those from before the
// first to after the last.
func TestChanges_AreThoseOfTheWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		there := map[string]bool{}
		for i := range 6 {
			there[fmt.Sprint(i)] = i%2 == 0
		}
		first := map[string]bool{}
		for p, is := range there {
			first[p] = is
		}
		touched := map[string]bool{}
		var c disk.Changes
		for range rapid.IntRange(0, 12).Draw(t, "programs") {
			p := fmt.Sprint(rapid.IntRange(0, 5).Draw(t, "file"))
			how := disk.Made
			if there[p] {
				how = rapid.SampledFrom([]disk.How{disk.Changed, disk.Deleted}).Draw(t, "how")
			}
			there[p], touched[p] = how != disk.Deleted, true
			var one disk.Changes
			one.Add(disk.Change{Path: p, How: how})
			c.Join(&one)
		}
		got := map[string]disk.How{}
		for _, f := range c.Files {
			got[f.Path] = f.How
		}
		for p := range there {
			want := disk.How("")
			switch {
			case touched[p] && !first[p] && there[p]:
				want = disk.Made
			case touched[p] && first[p] && there[p]:
				want = disk.Changed
			case first[p] && !there[p]:
				want = disk.Deleted
			}
			if got[p] != want {
				t.Fatalf("%s is %q, want %q", p, got[p], want)
			}
		}
	})
}

// TestChanges_AreBounded: what was there before is listed first, and the rest is counted.
func TestChanges_AreBounded(t *testing.T) {
	t.Parallel()
	var c disk.Changes
	for i := range 150 {
		c.Add(disk.Change{Path: fmt.Sprintf("made%03d", i), How: disk.Made})
	}
	c.Add(disk.Change{Path: "was", How: disk.Deleted})
	if len(c.Files) != 100 || c.More != 51 || c.Files[0].Path != "was" || len(c.Old()) != 1 {
		t.Errorf("%d listed, %d more, first %v, want 100 listed with what was there before, 51 more", len(c.Files), c.More, c.Files[0])
	}
	if (*disk.Changes)(nil).Noted() != nil || c.Words() == "" {
		t.Error("nothing is told where there is something, or something where there is nothing")
	}
}
