package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLinked_WhatANewerExportLinksIsAskedWhereBothChanged imports an export, edits links, a milestone, a sprint and a
// checklist by hand, and imports a newer one that links tickets with one that arrives with it: where both changed, the person is asked.
func TestLinked_WhatANewerExportLinksIsAskedWhereBothChanged(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		project := newProject(t, d)
		base := "/api/projects/" + project
		file := func(due, goal, over, parent, extra string, done bool) []byte {
			box := map[bool]string{true: "x", false: " "}[done]
			return []byte(`[{"key":"P-1","title":"Retry","state":"open","body":"- [` + box + `] Ask\n- [ ] Pay","milestone":{"title":"v2","state":"open","due_on":"` + due + `"},
				"sprint":{"name":"S 7","startDate":"2026-03-02","endDate":"` + over + `","goal":"` + goal + `","state":"active"}},
				{"key":"P-2","title":"Ship","state":"open","parent":"` + parent + `"},{"key":"P-3","title":"Ship it","state":"closed","duplicate_of":"` + parent + `"}` + extra + `]`)
		}
		takeIn(t, d, project, "issues.json", file("2026-03-31T08:00:00Z", "All of it", "2026-03-13", "P-1", "", false))
		tickets := ticketsByRef(t, d, base)
		d.must(t, "PATCH", base+"/tickets/"+tickets["P-2"].ID, rawJSON(`{"parentTicketId":"`+tickets["P-3"].ID+`"}`), nil)
		d.must(t, "PATCH", base+"/tickets/"+tickets["P-3"].ID, rawJSON(`{"duplicateOf":"`+tickets["P-2"].ID+`"}`), nil)
		stones, plans, lists := onlyOf(t, d, base+"/milestones"), onlyOf(t, d, base+"/sprint-plans"), onlyOf(t, d, base+"/checklists")
		d.must(t, "PATCH", base+"/milestones/"+stones.ID, rawJSON(`{"targetDate":"2026-04-10"}`), nil)
		d.must(t, "PATCH", base+"/sprint-plans/"+plans.ID, rawJSON(`{"goal":"Some of it"}`), nil)
		if plans.Body.Start != "2026-03-02" || plans.Body.End != "2026-03-13" || plans.Body.Status != "ACTIVE" || stones.Body.Due != "2026-03-31" || !slices.Equal(stones.Body.Tickets, []string{tickets["P-1"].ID}) {
			t.Errorf("got %+v and %+v, want what the export says", plans, stones)
		}
		if len(lists.Body.Items) != 2 || lists.Body.Items[0].Checked {
			t.Errorf("got the checklist %+v, want two open items", lists)
		}
		d.must(t, "PATCH", base+"/checklists/"+lists.ID, rawJSON(`{"items":[{"text":"Ask"},{"text":"Ours","checked":true}]}`), nil)

		newer := filepath.Join(s.data, "issues.json")
		if err := os.WriteFile(newer, file("2026-05-31T08:00:00Z", "Half of it", "2026-03-20", "P-9", `,{"key":"P-9","title":"Retry anew","state":"open"}`, true), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, errs, code := s.chela(t, "", "import", newer, "-p", "Payments", "--preview"); code != 0 || !strings.Contains(out, "To decide: 2 fields") {
			t.Errorf("the preview says\n%s%s\nwant 2 fields to decide", out, errs)
		}
		if out, errs, code := s.chela(t, "", "import", newer, "-p", "Payments"); code != 0 || !strings.Contains(out, "To decide: 4 fields") {
			t.Errorf("the import says\n%s%s\nwant 4 fields to decide", out, errs)
		}
		now := ticketsByRef(t, d, base)
		if got := now["P-2"].Body.Parent; got != tickets["P-3"].ID {
			t.Errorf("got the parent %q, want the one of a person, %q", got, tickets["P-3"].ID)
		}
		if x := onlyOf(t, d, base+"/sprint-plans"); x.Body.Goal != "Some of it" || x.Body.End != "2026-03-20" {
			t.Errorf("got %+v, want the person's goal and the source's end", x)
		}
		items := onlyOf(t, d, base+"/checklists").Body.Items
		if len(items) != 2 || !items[0].Checked || items[1].Text != "Ours" {
			t.Errorf("got %+v, want what the source checked and what a person added, and not what a person took out", items)
		}
		var asked struct {
			Items []struct {
				ID   string          `json:"id"`
				Body json.RawMessage `json:"body"`
			} `json:"items"`
		}
		d.must(t, "GET", base+"/reconciliations?status=REVIEWED", nil, &asked)
		if len(asked.Items) != 1 {
			t.Fatalf("%d reconciliations are open, want 1", len(asked.Items))
		}
		out, errs, code := s.chela(t, "", "reconcile", "show", asked.Items[0].ID, "-p", "Payments")
		for _, want := range []string{"parentTicketId P-3 Ship it → P-9 Retry anew", "duplicateOf P-2 Ship → P-9 Retry anew", "targetDate 2026-04-10 → 2026-05-31", "goal Some of it → Half of it"} {
			if code != 0 || !strings.Contains(out, want) {
				t.Errorf("%q is not asked:\n%s%s", want, out, errs)
			}
		}
		if out, errs, code := s.chela(t, "", "reconcile", "decide", asked.Items[0].ID, "theirs", "-p", "Payments"); code != 0 || !strings.Contains(out, "0 left to decide") {
			t.Errorf("%s%s", out, errs)
		}
		if got, want := ticketsByRef(t, d, base)["P-2"].Body.Parent, now["P-9"].ID; got != want {
			t.Errorf("got the parent %q, want %q", got, want)
		}
		if x, y := onlyOf(t, d, base+"/milestones"), onlyOf(t, d, base+"/sprint-plans"); x.Body.Due != "2026-05-31" || y.Body.Goal != "Half of it" {
			t.Errorf("got %+v and %+v, want what the source says", x, y)
		}
		d.stop()
		s.verified(t)
	})
}

// A planned is a milestone, a sprint plan or a checklist.
type planned struct {
	ID   string `json:"id"`
	Body struct {
		Goal    string   `json:"goal"`
		Start   string   `json:"startDate"`
		End     string   `json:"endDate"`
		Status  string   `json:"status"`
		Due     string   `json:"targetDate"`
		Tickets []string `json:"ticketIds"`
		Items   []struct {
			Text    string `json:"text"`
			Checked bool   `json:"checked"`
		} `json:"items"`
	} `json:"body"`
}

// onlyOf is the one record of a list.
func onlyOf(t *testing.T, d *daemon, path string) planned {
	t.Helper()
	var all struct {
		Items []planned `json:"items"`
	}
	if d.must(t, "GET", path, nil, &all); len(all.Items) != 1 {
		t.Fatalf("%s: %d records, want 1", path, len(all.Items))
	}
	return all.Items[0]
}

// TestLinked_BadInputEndsInASentence imports parents of themselves, days that are none and hostile markup: every ticket is
// there, and the intake says what was left out.
func TestLinked_BadInputEndsInASentence(t *testing.T) {
	t.Parallel()
	s := setup{data: t.TempDir()}
	d := s.running(t)
	project := newProject(t, d)
	base := "/api/projects/" + project
	items := strings.Repeat("- [ ] item\n", 3000)
	raw := "Issue key,Summary,Status,Parent key,Due date,Cycle Name,Cycle Start,Cycle End,Milestone,Description\n" +
		"P-1,One,To Do,P-3,31/Feb/26,C 1,13/Mar/26,02/Mar/26,v1,\"<div><script>alert(1)</script><b>x</b> <a href=\"\"javascript:alert(1)\"\">y</a></div>\"\n" +
		"P-2,Two,To Do,P-1,soon,C 1,,,,\"" + items + "\"\n" +
		"P-3,Three,To Do,P-2,,C 2,never,,,\"" + strings.Repeat("<div>", 3000) + "deep" + strings.Repeat("</div>", 3000) + "\"\n"
	r := takeIn(t, d, project, "bad.csv", []byte(raw))
	tickets := ticketsByRef(t, d, base)
	if len(tickets) != 3 || tickets["P-3"].Body.Description != "deep" || tickets["P-1"].Body.Description != "**x** y" {
		t.Errorf("got %+v, want three tickets with their words", tickets)
	}
	if n := len(onlyOf(t, d, base+"/checklists").Body.Items); n != 1000 {
		t.Errorf("got %d items, want the first 1,000", n)
	}
	var intake struct {
		Body struct {
			Problems []string `json:"problems"`
		} `json:"body"`
	}
	d.must(t, "GET", base+"/intakes/"+r.Intake, nil, &intake)
	said := strings.Join(intake.Body.Problems, "\n")
	for _, want := range []string{"P-3 is its own parent by way of P-2; it was left without one.", `the date "31/Feb/26" in due is not known`, `the date "never" in sprint start is not known`, "a ticket has more than 1,000 items to check"} {
		if !strings.Contains(said, want) {
			t.Errorf("got\n%s\nwant %q among it", said, want)
		}
	}
	d.stop()
	s.verified(t)
}
