package chart_test

import (
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
	if got := h.Pace(day(3)).Finished; len(got) != 0 {
		t.Errorf("on the third day %v are finished, want none", got)
	}
	if got := h.Pace(day(5)).Finished; len(got) != 1 || got["tkt_1"].Day() != 5 {
		t.Errorf("on the fifth day %v are finished, want tkt_1 on 5 March", got)
	}
	if got := h.Pace(day(3)).Begun; len(got) != 1 || got["tkt_1"].Day() != 3 {
		t.Errorf("on the third day the work on %v has begun, want tkt_1 on 3 March", got)
	}
	if got := h.Pace(day(5)).Begun; len(got) != 0 {
		t.Errorf("on the fifth day %v are in work, want none: one is done, of the other nothing says that it was begun", got)
	}
	if got := h.Pace(day(5)).Usual; got != 2 {
		t.Errorf("tickets usually take %v days, want 2", got)
	}
	if got := h.Pace(day(3)).Usual; got != 0 {
		t.Errorf("before any is finished tickets usually take %v days, want 0", got)
	}
}
