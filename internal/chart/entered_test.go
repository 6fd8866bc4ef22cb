package chart_test

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestEntered_TellsSinceWhenATicketHasItsStatus(t *testing.T) {
	t.Parallel()
	h := journal(t, events(t, []did{
		{1, "tkt_a", `{"title":"A","status":"TODO"}`},
		{2, "tkt_a", `{"status":"REVIEW"}`},
		{3, "tkt_a", `{"title":"A again"}`},
		{3, "tkt_b", `{"title":"B","status":"REVIEW","externalCreated":"2025-01-01"}`},
		{3, "tkt_c", `{"title":"C","status":"DONE","externalCreated":"2025-01-01","externalResolved":"2025-02-01"}`},
		{4, "tkt_a", `{"status":"BLOCKED"}`},
		{5, "tkt_a", `{"status":"REVIEW"}`},
		{6, "tkt_b", "deleted"},
	})).History(nil)
	for _, want := range []struct {
		day      int
		id       string
		since    time.Time
		came, ok bool
	}{
		{1, "tkt_a", day(1), true, true},
		{3, "tkt_a", day(2), false, true},
		{4, "tkt_a", day(4), false, true},
		{7, "tkt_a", day(5), false, true},
		{5, "tkt_b", day(3), true, true}, // its tracker made it in 2025, but in review it is since it came, or before
		{7, "tkt_b", time.Time{}, false, false},
		{7, "tkt_c", time.Date(2025, 2, 1, 0, 0, 0, 0, time.UTC), false, true},
		{7, "tkt_none", time.Time{}, false, false},
	} {
		since, came, ok := h.Entered(day(want.day)).Of(want.id)
		if since.Truncate(24*time.Hour) != want.since.Truncate(24*time.Hour) || came != want.came || ok != want.ok {
			t.Errorf("%s on day %d: got %v, %v, %v; want %v, %v, %v", want.id, want.day, since, came, ok, want.since, want.came, want.ok)
		}
	}
}

// TestEntered_FollowsRandomChanges compares the answer with what a plain look at each change gives.
func TestEntered_FollowsRandomChanges(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	states := []string{"TODO", "IN_PROGRESS", "REVIEW", "BLOCKED", "DONE"}
	for range 50 {
		var made []did
		status, since, changes := "", 0, 0
		for d := 1; d < 20; d++ {
			if rnd.IntN(2) == 0 {
				continue
			}
			next := states[rnd.IntN(len(states))]
			body := `{"status":"` + next + `"}`
			if status == "" {
				body = `{"title":"A","status":"` + next + `"}`
			}
			made = append(made, did{d, "tkt_a", body})
			if next != status {
				status, since = next, d
				changes++
			}
		}
		got, came, ok := journal(t, events(t, made)).History(nil).Entered(day(30)).Of("tkt_a")
		if ok != (status != "") || ok && (got.Truncate(24*time.Hour) != day(since).Truncate(24*time.Hour) || came != (changes == 1)) {
			t.Fatalf("%v: got %v, %v, %v; want day %d, came %v", made, got, came, ok, since, changes == 1)
		}
	}
}
