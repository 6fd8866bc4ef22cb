package answer_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"chela/internal/answer"
	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestCompute_ClosedTicketsWithoutADayAreSaid asks when tickets were closed, of which some came closed, where no tracker says
// when.
func TestCompute_ClosedTicketsWithoutADayAreSaid(t *testing.T) {
	t.Parallel()
	var made []desk.Change
	for i, body := range []string{
		`{"title":"From a tracker","status":"DONE","externalCreated":"2026-01-02","externalResolved":"2026-01-09"}`,
		`{"title":"Came closed","status":"DONE"}`, `{"title":"Came refused","status":"CLOSED"}`, `{"title":"Open","status":"TODO"}`,
	} {
		made = append(made, desk.Change{ID: string(rune('a' + i)), Kind: desk.Ticket, Set: json.RawMessage(body)})
	}
	s := deskOf(t, made...)
	for text, want := range map[string]bool{"How many tickets were closed per month?": true, "median time to resolve": true, "How many tickets are open?": false} {
		a, err := s.Compute(question.Read(text, s, asktest.Now()).Plans[0], asktest.Now())
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(a.Notes, func(n string) bool { return strings.HasPrefix(n, "2 closed tickets are counted by no day") }); got != want {
			t.Errorf("%s: got the notes %q, said %v, want %v", text, a.Notes, got, want)
		}
	}
}

// deskOf is a desk of the records that changes make, of which each says the id, the kind and the body.
func deskOf(t *testing.T, made ...desk.Change) *answer.Snapshot {
	t.Helper()
	var records []desk.Record
	for _, c := range made {
		c.Op, c.Version = desk.Created, 1
		r, err := desk.Apply(desk.Record{}, c, asktest.Now(), "person/ann")
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	s, err := asktest.SnapshotOf(records)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
