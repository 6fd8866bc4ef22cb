package answer_test

import (
	"fmt"
	"testing"

	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestCompute_VersionsThatAreAffected asks for the labels that an import gives to what a version has, and for labels with points in them.
func TestCompute_VersionsThatAreAffected(t *testing.T) {
	t.Parallel()
	records, err := asktest.Imported()
	if err != nil {
		t.Fatal(err)
	}
	bodies := []string{`"status":"TODO","labels":["affects 3.3.1"]`, `"status":"TODO","labels":["affects 3.3.1","affects 3.4.0"]`, `"status":"DONE","labels":["affects 3.3.1","v2.1"]`, `"status":"TODO","labels":["affects 3.4.0"]`}
	for i := range records {
		if records[i].Kind == desk.Ticket && len(bodies) > 0 {
			records[i].Body = fmt.Appendf(nil, `{"title":"The printer stops %d",%s}`, len(bodies), bodies[0])
			bodies = bodies[1:]
		}
	}
	s := of(t, records)
	for text, want := range map[string]int{
		"Which tickets affect version 3.3.1?": 3, "How many open tickets affect 3.3.1?": 2, "Welche Tickets betreffen Version 3.4.0?": 2, "tickets labelled affects 3.4.0": 2,
		"tickets affecting 3.3.1 or 3.4.0": 4, "open tickets that affect 3.3.1 and not 3.4.0": 1, "tickets affected by release 3.3.1": 3, "Which tickets have the label v2.1?": 1,
	} {
		plan := question.Read(text, s, asktest.Now()).Plans[0]
		a, err := s.Compute(plan, asktest.Now())
		if err != nil {
			t.Fatal(err)
		}
		if a.Table.Total != want || plan.Measure == question.Search {
			t.Errorf("%s: got %q by %q, want %d tickets", text, a.Sentence, plan.Filter, want)
		}
	}
	if r := question.Read("Which tickets affect version 9.9?", s, asktest.Now()); r.Plans[0].Measure != question.Search && len(r.Ignored)+len(r.Unknown) == 0 {
		t.Errorf("a version that no ticket has is read as %q, with no word left out", r.Plans[0].Filter)
	}
}

// TestCompute_ValuesOfOthersAreWords asks about what only records of other kinds have as a value or a title: a tag of a link, a phase.
func TestCompute_ValuesOfOthersAreWords(t *testing.T) {
	t.Parallel()
	records, err := asktest.Imported()
	if err != nil {
		t.Fatal(err)
	}
	titles := []string{"Refunds wait too long", "The ledger counts refunds twice", "Print the ledger"}
	for i := range records {
		if records[i].Kind != desk.Ticket {
			continue
		}
		title := fmt.Sprintf("Print page %d", i)
		if len(titles) > 0 {
			title, titles = titles[0], titles[1:]
		}
		records[i].Body = fmt.Appendf(nil, `{"title":%q,"status":"TODO"}`, title)
	}
	records = append(records,
		desk.Record{ID: "lnk_1", Kind: desk.Link, Body: []byte(`{"title":"How money comes back","url":"https://example.org/","tags":["refunds"]}`)},
		desk.Record{ID: "phs_1", Kind: desk.Phase, Body: []byte(`{"name":"Ledger","status":"ACTIVE"}`)})
	s := of(t, records)
	for text, want := range map[string]int{
		"tickets about refunds": 2, "How many tickets are about refunds?": 2, "Tickets über Refunds": 2, "Welche Tickets handeln von refunds?": 2, "tickets mentioning the ledger": 2, "open tickets about ledgers and refunds": 1,
	} {
		r := question.Read(text, s, asktest.Now())
		a, err := s.Compute(r.Plans[0], asktest.Now())
		if err != nil {
			t.Fatal(err)
		}
		if a.Table == nil || a.Table.Total != want || len(r.Ignored) > 0 {
			t.Errorf("%s: got %q by %q without %q, want %d tickets", text, a.Sentence, r.Plans[0].Filter, r.Ignored, want)
		}
	}
}
