package answer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestCompute_Away answers who is away in a time, from the days that people's records hold.
func TestCompute_Away(t *testing.T) {
	t.Parallel()
	s := deskOf(
		t,
		desk.Change{ID: "res_amy", Kind: desk.Resource, Set: json.RawMessage(`{"name":"Amy Adams","role":"QA","away":["2026-03-16 to 2026-03-20","2026-05-01"]}`)},
		desk.Change{ID: "res_ida", Kind: desk.Resource, Set: json.RawMessage(`{"name":"Ida Frey","role":"ENGINEER","away":["2026-03-11"]}`)},
		desk.Change{ID: "res_zoe", Kind: desk.Resource, Set: json.RawMessage(`{"name":"Zoe Zimmer","role":"ENGINEER"}`)},
	)
	for text, want := range map[string]string{
		"Who is away?":                      "1 person is away on 2026-03-11: Ida Frey (2026-03-11).",
		"Who is off next week?":             "1 person is away from 2026-03-16 to 2026-03-22: Amy Adams (2026-03-16 to 2026-03-20).",
		"Which engineers are away in March": "1 person is away from 2026-03-01 to 2026-03-31: Ida Frey (2026-03-11).",
		"When is Amy on vacation":           "1 person is away from 2026-03-11 on: Amy Adams (2026-03-16 to 2026-03-20, 2026-05-01).",
		"Is Zoe away in March?":             "No days away from 2026-03-01 to 2026-03-31 are recorded of Zoe Zimmer.",
		"Wer ist im April nicht da":         "No days away from 2026-04-01 to 2026-04-30 are recorded of 3 people.",
	} {
		a, err := s.Compute(question.Read(text, s, asktest.Now()).Plans[0], asktest.Now())
		if err != nil {
			t.Fatal(err)
		}
		if a.Sentence != want || len(a.Sources) == 0 != strings.HasPrefix(want, "No days") {
			t.Errorf("%s: got %q with %d sources, want %q", text, a.Sentence, len(a.Sources), want)
		}
	}
}

// TestCompute_WhoIsAway: who has no hours is overloaded with a ticket and not idle without one.
func TestCompute_WhoIsAway(t *testing.T) {
	t.Parallel()
	s := deskOf(
		t,
		desk.Change{ID: "res_amy", Kind: desk.Resource, Set: json.RawMessage(`{"name":"Amy Away","availability":0}`)},
		desk.Change{ID: "res_ida", Kind: desk.Resource, Set: json.RawMessage(`{"name":"Ida Frey","capacity":40}`)},
		desk.Change{ID: "res_zoe", Kind: desk.Resource, Set: json.RawMessage(`{"name":"Zoe Zero","capacity":0}`)},
		desk.Change{ID: "tkt_a", Kind: desk.Ticket, Set: json.RawMessage(`{"title":"Write it down","status":"TODO","storyPoints":3}`)},
		desk.Change{ID: "asg_a", Kind: desk.Assignment, Set: json.RawMessage(`{"resourceId":"res_amy","ticketId":"tkt_a"}`)},
	)
	for text, want := range map[string]string{
		"Who is overloaded?":                 "1 person is overloaded: Amy Away (no hours for 1 open ticket).",
		"Who is idle?":                       "1 person is idle: Ida Frey (0 % allocated).",
		"Who is underutilized?":              "1 person is underutilized: Ida Frey (0 % allocated).",
		"How much capacity has Amy Away?":    "Amy Away has no hours a week, and 1 open ticket.",
		"How many hours does Zoe Zero have?": "Zoe Zero has no hours a week, and 0 open tickets.",
	} {
		a, err := s.Compute(question.Read(text, s, asktest.Now()).Plans[0], asktest.Now())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(a.Sentence, want) {
			t.Errorf("%s: got %q, want %q", text, a.Sentence, want)
		}
	}
}
