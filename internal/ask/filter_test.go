package ask_test

import (
	"encoding/json"
	"testing"

	"chela/internal/ask"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/query"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestAsk_FiltersAsListsDo computes the plans of all questions over records in the store: each finds as many
// records as the list does that the plan's filter opens.
func TestAsk_FiltersAsListsDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	records, err := asktest.Records("desk.json")
	if err != nil {
		t.Fatal(err)
	}
	w.change(func(c *clerk.Work) error {
		for _, r := range records {
			var body map[string]any
			if err := json.Unmarshal(r.Body, &body); err != nil {
				return err
			}
			for _, ref := range []string{"blockedBy", "objectiveIds", "recordIds", "phaseId", "closedOn"} {
				delete(body, ref) // ids of another project, and what nobody writes
			}
			raw, err := json.Marshal(body)
			if err != nil {
				return err
			}
			if r.Kind == desk.Project || r.Kind.Association() || r.Kind == desk.DeltaPack || r.Kind == desk.Thread {
				continue
			}
			if _, err := c.Create(r.Kind, raw); err != nil {
				return err
			}
		}
		return nil
	})
	s, err := asktest.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	questions, err := asktest.Questions()
	if err != nil {
		t.Fatal(err)
	}
	asker := ask.New(clerk.NewCache(w.db.Desk), w.db.Budgets, w.db.Log, w.model, w.db.Roster)
	compared := 0
	for _, q := range questions {
		p := question.Read(q.Text, s, asktest.Now()).Plans[0]
		if p.Filter == "" || p.State != "" || p.Measure == question.Capacity {
			continue
		}
		p.Measure, p.Sort, p.Limit, p.Of, p.By, p.Per, p.Base = question.Count, "", 0, "", "", "", ""
		a, err := asker.Ask(t.Context(), ask.Question{Project: w.project, Plan: &p, Computed: true, By: event.Party{AgentID: "agent:person/per_1", Role: "person"}})
		if err != nil {
			t.Fatal(err)
		}
		fields, err := desk.Fields(p.Kind)
		if err != nil {
			t.Fatal(err)
		}
		where, err := query.Parse(p.Filter, fields, w.db.Desk.Mint().Now())
		if err != nil {
			t.Fatal(err)
		}
		page, err := w.db.Desk.Records(t.Context(), clerk.Query{Project: w.project, Kind: p.Kind, Where: where})
		if err != nil {
			t.Fatal(err)
		}
		if a.Total != page.Total {
			t.Errorf("%s of %q: got %d records, the list has %d", p.Filter, q.Text, a.Total, page.Total)
		}
		compared++
	}
	if compared < 60 {
		t.Errorf("got %d filters, want 60 or more", compared)
	}
}
