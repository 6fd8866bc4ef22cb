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
	var records []desk.Record
	for _, c := range []struct {
		id, body string
		kind     desk.Kind
	}{
		{"res_amy", `{"name":"Amy Away","availability":0}`, desk.Resource},
		{"res_ida", `{"name":"Ida Frey","capacity":40}`, desk.Resource},
		{"res_zoe", `{"name":"Zoe Zero","capacity":0}`, desk.Resource},
		{"tkt_a", `{"title":"Write it down","status":"TODO","storyPoints":3}`, desk.Ticket},
		{"asg_a", `{"resourceId":"res_amy","ticketId":"tkt_a"}`, desk.Assignment},
	} {
		r, err := desk.Apply(desk.Record{}, desk.Change{ID: c.id, Kind: c.kind, Op: desk.Created, Version: 1, Set: json.RawMessage(c.body)}, asktest.Now(), "person/ann")
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	s, err := asktest.SnapshotOf(records)
	if err != nil {
		t.Fatal(err)
	}
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
