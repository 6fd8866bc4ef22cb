package answer_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"chela/internal/answer"
	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestCompute_Held answers how long tickets have had their status; of those that came here with it no more is known than that.
func TestCompute_Held(t *testing.T) {
	t.Parallel()
	made := []desk.Change{
		{ID: "tkt_long", Kind: desk.Ticket, Set: json.RawMessage(`{"title":"Long","externalRef":"T-1","status":"REVIEW"}`)},
		{ID: "tkt_new", Kind: desk.Ticket, Set: json.RawMessage(`{"title":"New","externalRef":"T-2","status":"REVIEW"}`)},
		{ID: "tkt_came", Kind: desk.Ticket, Set: json.RawMessage(`{"title":"Came","externalRef":"T-3","status":"REVIEW"}`)},
		{ID: "tkt_came2", Kind: desk.Ticket, Set: json.RawMessage(`{"title":"Came long ago","externalRef":"T-4","status":"REVIEW"}`)},
		{ID: "tkt_stuck", Kind: desk.Ticket, Set: json.RawMessage(`{"title":"Stuck","externalRef":"T-5","status":"BLOCKED"}`)},
	}
	s := deskOf(t, made...)
	now := asktest.Now()
	since := func(id string) (time.Time, bool, bool) {
		switch id {
		case "tkt_long":
			return now.AddDate(0, 0, -20), false, true
		case "tkt_new":
			return now.AddDate(0, 0, -2), false, true
		case "tkt_came":
			return now.AddDate(0, 0, -1), true, true
		case "tkt_came2":
			return now.AddDate(0, 0, -30), true, true
		case "tkt_stuck":
			return now.AddDate(0, 0, -8), false, true
		}
		return time.Time{}, false, false
	}
	came := "Of 1 more ticket no record tells since when: they came here with that status."
	for text, want := range map[string][]string{
		"Which tickets have been in review for longer than two weeks?": {"2 tickets: review, since 2026-02-24 or before: Came long ago (T-4) since 2026-02-09 or before (30 or more days), Long (T-1) since 2026-02-19 (20 days).", came},
		"tickets in review for less than 5 days":                       {"1 ticket: review, since 2026-03-06 or later: New (T-2) since 2026-03-09 (2 days).", "Of 2 more tickets no record tells since when: they came here with that status."},
		"Which ticket has been in review the longest?":                 {"Came long ago (T-4) since 2026-02-09 or before (30 or more days): the longest of 4 tickets: review.", "1 other ticket came here with that status, and may have had it longer."},
		"anything blocked for more than two weeks":                     {"0 of 1 ticket: blocked, since 2026-02-24 or before."},
		"how many tickets have been blocked for more than a week":      {"1 ticket: blocked, since 2026-03-03 or before: Stuck (T-5) since 2026-03-03 (8 days)."},
		"since when is T-5 blocked":                                    {"Stuck (T-5): status Blocked; in this status since 2026-03-03 (8 days)."},
		"how long has T-3 been in review":                              {"Came (T-3): status Review; in this status since 2026-03-10 or before: it came here so."},
	} {
		r := question.Read(text, s, now)
		if !r.Plans[0].Stays() {
			t.Errorf("%s: got %s, want a plan over how long tickets have had their status", text, r.Plans[0].Describe(now))
			continue
		}
		a, err := s.ComputeWith(r.Plans[0], now, answer.Beyond{Since: since})
		if err != nil {
			t.Fatal(err)
		}
		if got := append([]string{a.Sentence}, a.Notes...); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
