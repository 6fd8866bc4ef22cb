package chart_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"chela/internal/chart"
)

// lived is a week in which one ticket was finished, one is blocked and late, and one went away.
func lived(t *testing.T) chart.History {
	t.Helper()
	return journal(t, events(t, []did{
		{1, "res_1", `{"name":"Dana"}`},
		{1, "tkt_1", `{"status":"TODO"}`},
		{1, "tkt_2", `{"status":"TODO","dueDate":"2026-03-04"}`},
		{1, "tkt_3", `{"status":"TODO"}`},
		{1, "asg_1", `{"resourceId":"res_1","ticketId":"tkt_1"}`},
		{2, "tkt_1", `{"status":"IN_PROGRESS"}`},
		{3, "tkt_2", `{"status":"BLOCKED"}`},
		{4, "tkt_1", `{"status":"DONE"}`},
		{4, "asg_1", "deleted"},
		{5, "tkt_3", "deleted"},
	})).History(nil)
}

func TestHistory_StandingsCountEachMoment(t *testing.T) {
	t.Parallel()
	got := lived(t).Standings([]time.Time{start, day(1), day(2), day(3), day(4), day(5)})
	for i := range got {
		got[i].At = time.Time{}
	}
	want := []chart.Standing{
		{},
		{Open: 3, Unassigned: 2},
		{Open: 3, InProgress: 1, Unassigned: 2},
		{Open: 3, InProgress: 1, Blocked: 1, Unassigned: 2},
		{Open: 2, Blocked: 1, Overdue: 1, Unassigned: 2},
		{Open: 1, Blocked: 1, Overdue: 1, Unassigned: 1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("the standings are\n%+v\nwant\n%+v", got, want)
	}
}

func TestHistory_TellsWhatIsFinishedAndHowLongItTook(t *testing.T) {
	t.Parallel()
	h := lived(t)
	finished := func(now time.Time) map[string]time.Time {
		p := h.Pace(now)
		return maps.Collect(p.Finished())
	}
	begun := func(now time.Time, id string) int {
		p := h.Pace(now)
		if at := p.Begun(new(chart.Numbers), 3, id); !at.IsZero() {
			return at.Day()
		}
		return 0
	}
	if got := finished(day(3)); len(got) != 0 {
		t.Errorf("on the third day %v are finished, want none", got)
	}
	if got := finished(day(5)); len(got) != 1 || got["tkt_1"].Day() != 5 {
		t.Errorf("on the fifth day %v are finished, want tkt_1 on 5 March", got)
	}
	last, ids, in := h.Pace(day(5)), []string{"tkt_1", "tkt_2", "tkt_9"}, new(chart.Numbers)
	for range 2 { // looked up, and kept
		for place, id := range ids {
			if got := last.FinishedAt(in, place, id); got.IsZero() != (id != "tkt_1") || id == "tkt_1" && got.Day() != 5 {
				t.Errorf("%s was finished at %v, want tkt_1 on 5 March, and the others not", id, got)
			}
		}
	}
	if other := lived(t).Pace(day(3)); !other.FinishedAt(in, 0, "tkt_2").IsZero() || other.Begun(in, 1, "tkt_1").Day() != 3 {
		t.Error("the places of one journal are taken for those of another")
	}
	if got := [3]int{begun(day(3), "tkt_1"), begun(day(3), "tkt_2"), begun(day(3), "tkt_9")}; got != [3]int{3, 0, 0} {
		t.Errorf("on the third day the work on the tickets began on %v, want on tkt_1 on 3 March", got)
	}
	if got := [3]int{begun(day(5), "tkt_1"), begun(day(5), "tkt_2"), begun(day(5), "tkt_3")}; got != [3]int{} {
		t.Errorf("on the fifth day the work on the tickets began on %v, want none: one is done, of the other nothing says that it was begun", got)
	}
	if got := h.Pace(day(5)).Usual; got != 2 {
		t.Errorf("tickets usually take %v days, want 2", got)
	}
	if got := h.Pace(day(3)).Usual; got != 0 {
		t.Errorf("before any is finished tickets usually take %v days, want 0", got)
	}
}
