package question_test

import (
	"encoding/json"
	"testing"
	"time"

	"chela/internal/answer"
	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestRead_LabelsBeforeSynonyms takes a word for the label that tickets have, where the tables know it as another word for a priority or an outcome.
func TestRead_LabelsBeforeSynonyms(t *testing.T) {
	t.Parallel()
	d := answer.NewDictionary()
	var records []*answer.Record
	for id, body := range map[string]string{"tkt_a": `{"title":"A","labels":["Invalid"],"status":"CLOSED","outcome":"REJECTED"}`, "tkt_b": `{"title":"B","labels":["Trivial"],"priority":"LOW"}`} {
		r, err := desk.Apply(desk.Record{}, desk.Change{ID: id, Kind: desk.Ticket, Op: desk.Created, Version: 1, Set: json.RawMessage(body)}, asktest.Now().Add(-time.Hour), "agent:pm")
		if err != nil {
			t.Fatal(err)
		}
		b, err := desk.Decode(r)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, d.NewRecord(&r, b, nil, nil))
	}
	s := answer.NewSnapshot(d, records, answer.Source{})
	for text, want := range map[string]string{
		"How many tickets are invalid?":        "tickets, labels Invalid, counted",
		"How many tickets are rejected?":       "tickets, outcome Rejected, counted",
		"how many trivial tickets are open":    "tickets, open, labels Trivial, counted",
		"low priority tickets":                 "tickets, priority Low",
		"How many Major tickets are open?":     "tickets, open, priority High, counted",
		"open tickets with priority blocker":   "tickets, open, priority Critical",
		"How many tickets have priority Major": "tickets, priority High, counted",
	} {
		if got := question.Read(text, s, asktest.Now()).Plans[0].Describe(asktest.Now()); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
