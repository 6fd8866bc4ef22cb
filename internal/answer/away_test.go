package answer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

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
