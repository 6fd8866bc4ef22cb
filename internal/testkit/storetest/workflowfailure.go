package storetest

import (
	"fmt"
	"slices"
	"testing"

	"chela/internal/event"
	"chela/internal/library"
)

// triggerFailures holds that the last failures of each trigger are kept, and no more.
func triggerFailures(t *testing.T, open Opener) {
	db, _ := open(t)
	fail := func(slug string, version, trigger, n int) {
		t.Helper()
		_, err := db.Log.Append(t.Context(), library.TriggerFailedKind.Draft(place(event.OrgStream), library.TriggerFailed{
			Slug: slug, Version: version, Trigger: trigger, On: "event a", Event: fmt.Sprint(n), Problem: "It does not fit.", Count: n,
		}))
		check(t, err)
	}
	for n := 1; n <= library.KeptFailures+3; n++ {
		fail("storm", 1, 0, n)
	}
	fail("storm", 2, 1, 1)
	fail("calm", 1, 0, 1)
	read := func(slug string) []library.TriggerFailure {
		t.Helper()
		out, err := db.Workflows.TriggerFailures(t.Context(), slug)
		check(t, err)
		return out
	}
	all := read("storm")
	if len(all) != library.KeptFailures+1 || all[0].Version != 2 || all[1].Count != library.KeptFailures+3 || all[len(all)-1].Count != 4 || all[0].At.IsZero() {
		t.Errorf("kept are %+v", all)
	}
	if !slices.IsSortedFunc(all, func(a, b library.TriggerFailure) int { return int(b.Seq - a.Seq) }) {
		t.Errorf("they are not newest first: %+v", all)
	}
	if got := read(""); len(got) != library.KeptFailures+2 || got[0].Slug != "calm" || got[0].Problem != "It does not fit." || got[0].On != "event a" {
		t.Errorf("of all there are %+v", got)
	}
	if got := read("none"); len(got) != 0 {
		t.Errorf("of another there are %+v", got)
	}
}
