package answer_test

import (
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/question"
	"chela/internal/testkit/asktest"
)

// TestCompute_WithoutATracker asks for days of creation and priorities where no tracker says when tickets were created: they were created when
// their records were. A sprint whose plan names no days is when an objective says.
func TestCompute_WithoutATracker(t *testing.T) {
	t.Parallel()
	records := []desk.Record{
		{ID: "prj_a", Kind: desk.Project, Project: "prj_a", Version: 1, Body: []byte(`{"name":"P"}`)},
		{ID: "obj_a", Kind: desk.Objective, Body: []byte(`{"outcome":"O","status":"COMMITTED","sprintName":"Sprint 7","startDate":"2026-03-02","endDate":"2026-03-20"}`)},
		{ID: "spr_a", Kind: desk.SprintPlan, Body: []byte(`{"name":"Sprint 7"}`)},
	}
	for i, x := range []struct{ priority, created string }{{"LOW", "2026-01-05"}, {"CRITICAL", "2026-02-03"}, {"MEDIUM", "2026-02-09"}, {"HIGH", "2026-03-02"}} {
		r := desk.Record{ID: "tkt_" + string(rune('a'+i)), Kind: desk.Ticket, Body: []byte(`{"title":"` + x.priority + `","status":"TODO","type":"BUG","priority":"` + x.priority + `","sprint":"Sprint 7"}`)}
		r.CreatedAt = desk.Date(x.created).Time()
		records = append(records, r)
	}
	for i := range records {
		records[i].Project, records[i].Version = "prj_a", 1
		if records[i].CreatedAt.IsZero() {
			records[i].CreatedAt = asktest.Now()
		}
		records[i].UpdatedAt = records[i].CreatedAt
	}
	s := of(t, records)
	for text, want := range map[string]string{
		"Which month had the most bugs?":         "2026-02 has the most: 2 of 4 tickets: type Bug.",
		"tickets per month":                      "4 tickets, by month: 2026-01 1, 2026-02 2, 2026-03 1.",
		"oldest bug":                             "LOW: created 2026-01-05. It is the first of 4 tickets",
		"the first 1 bug":                        "LOW: created 2026-01-05. It is the first of 4 tickets",
		"the 1 most important ticket":            "CRITICAL: priority Critical. It is the first of 4 tickets",
		"How many days are left in this sprint?": "Sprint 7: end 2026-03-20; days left 9.",
		"When does Sprint 7 end?":                "Sprint 7: end 2026-03-20.",
	} {
		plan := question.Read(text, s, asktest.Now()).Plans[0]
		a, err := s.Compute(plan, asktest.Now())
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(a.Sentence, want) {
			t.Errorf("%s, read as %s: got %q, want %q", text, plan.Describe(asktest.Now()), a.Sentence, want)
		}
		if plan.Per != "" && (a.Table == nil || !strings.Contains(a.Table.Rows[0].Filter, "externalCreated:none created:2026-")) {
			t.Errorf("%s: got the rows %+v, want filters that find their tickets", text, a.Table)
		}
	}
	order := question.Read("tickets sorted by priority", s, asktest.Now()).Plans[0]
	a, err := s.Compute(order, asktest.Now())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range a.Table.Rows {
		got = append(got, r.ID)
	}
	if all := strings.Join(got, " "); all != "tkt_b tkt_d tkt_c tkt_a" {
		t.Errorf("sorted by priority: got %s, want critical, high, medium, low", all)
	}
}
