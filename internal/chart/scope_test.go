package chart_test

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestScope_TellsWhenTicketsCameToASprint(t *testing.T) {
	t.Parallel()
	h := journal(t, events(t, []did{
		{1, "tkt_a", `{"title":"A","sprint":"Sprint 1"}`},
		{1, "tkt_b", `{"title":"B"}`},
		{3, "tkt_b", `{"sprint":"sprint 1"}`},
		{4, "tkt_a", `{"sprint":"Sprint 2"}`},
		{4, "tkt_c", `{"title":"C","sprint":"Sprint 1","externalCreated":"2025-01-01"}`},
		{5, "tkt_a", `{"sprint":"Sprint 1"}`},
		{6, "tkt_c", `{"sprint":null}`},
		{7, "tkt_b", "deleted"},
	})).History(nil)
	for _, want := range []struct {
		day            int
		id             string
		since          time.Time
		came, ok, left bool
	}{
		{2, "tkt_a", day(1), true, true, false},
		{4, "tkt_a", time.Time{}, false, false, true},
		{5, "tkt_a", day(5), false, true, false},
		{3, "tkt_b", day(3), false, true, false},
		{7, "tkt_b", time.Time{}, false, false, true},
		{5, "tkt_c", time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), true, true, false},
		{6, "tkt_c", time.Time{}, false, false, true},
		{7, "tkt_none", time.Time{}, false, false, false},
	} {
		s := h.Scope("Sprint 1", day(want.day).Add(time.Hour))
		since, came, ok := s.Joined(want.id)
		_, left := s.Left(want.id)
		if ok != want.ok || left != want.left || ok && (came != want.came || since.Truncate(24*time.Hour) != want.since.Truncate(24*time.Hour)) {
			t.Errorf("%s on day %d: got %v, %v, %v, left %v; want %+v", want.id, want.day, since, came, ok, left, want)
		}
	}
}

// TestScope_FollowsRandomChanges compares the answer with what a plain look at each change gives.
func TestScope_FollowsRandomChanges(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	sprints := []string{"null", `"S 1"`, `"S 2"`}
	for range 50 {
		made := []did{{1, "tkt_a", `{"title":"A"}`}}
		in, since, left := false, 0, false
		for d := 2; d < 20; d++ {
			if rnd.IntN(2) == 0 {
				continue
			}
			next := sprints[rnd.IntN(len(sprints))]
			made = append(made, did{d, "tkt_a", `{"sprint":` + next + `}`})
			switch is := next == `"S 1"`; {
			case is && !in:
				in, since, left = true, d, false
			case !is && in:
				in, left = false, true
			}
		}
		s := journal(t, events(t, made)).History(nil).Scope("S 1", day(30))
		at, came, ok := s.Joined("tkt_a")
		_, out := s.Left("tkt_a")
		if ok != in || out != left || came || in && at.Truncate(24*time.Hour) != day(since).Truncate(24*time.Hour) {
			t.Fatalf("%v: got %v, %v, %v, left %v; want in %v since day %d, left %v", made, at, came, ok, out, in, since, left)
		}
	}
}
