package test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/fault"
)

// TestPlan_WhatIsPlanned writes every kind of plan and note over the API and reads it again
// after a kill.
func TestPlan_WhatIsPlanned(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		base := "/api/projects/" + newProject(t, d)
		ids := make(map[string]string)
		for _, c := range []struct{ plural, body string }{
			{"phases", `{"name":"Beta","sortOrder":1,"startDate":"2026-03-01","exitCriteria":["10 users"]}`},
			{"milestones", `{"name":"First user","targetDate":"2026-04-01","phaseId":"{phases}","owner":"Ann Lee"}`},
			{"checklist-templates", `{"name":"Release","category":"RELEASE_READINESS","items":[{"text":"Rollback tried"}]}`},
			{"checklists", `{"name":"2.4","phaseId":"{phases}","templateId":"{checklist-templates}","items":[{"text":"Rollback tried","checked":true},{"text":"Notes written"}]}`},
			{"ideas", `{"title":"Retry cards","content":"Three times."}`},
			{"links", `{"url":"https://example.com/runbook","title":"Runbook","phaseIds":["{phases}"]}`},
			{"reminders", `{"message":"Call Bob","triggerAt":"2090-03-09"}`},
			{"reconciliations", `{"sourceType":"JIRA_DUMP","conflicts":[{"field":"status","sourceValue":"Done","ticketValue":"TODO"}]}`},
		} {
			body := c.body
			for k, id := range ids {
				body = strings.ReplaceAll(body, "{"+k+"}", id)
			}
			var made struct {
				ID string `json:"id"`
			}
			d.must(t, "POST", base+"/"+c.plural, json.RawMessage(body), &made)
			ids[c.plural] = made.ID
		}
		var promoted struct {
			Ticket string `json:"ticketId"`
		}
		d.must(t, "POST", base+"/ideas/"+ids["ideas"]+"/promote", nil, &promoted)
		refused(t, d, base, ids)
		d.kill()
		d = s.running(t)
		for plural := range ids {
			var l list
			if d.must(t, "GET", base+"/"+plural, nil, &l); l.Total != 1 || l.Items[0].ID != ids[plural] {
				t.Errorf("%s: %+v", plural, l)
			}
		}
		var plan struct {
			Markdown string `json:"markdown"`
			Phases   int    `json:"phaseCount"`
		}
		d.must(t, "GET", base+"/plan", nil, &plan)
		if plan.Phases != 1 || !strings.Contains(plan.Markdown, "| 2026-04-01 | First user | UPCOMING | Beta | Ann Lee |") {
			t.Errorf("%+v", plan)
		}
		var progress []struct {
			Percent    float64 `json:"percentDone"`
			Unassigned int     `json:"unassignedItems"`
		}
		if d.must(t, "GET", base+"/checklist-progress", nil, &progress); len(progress) != 1 || progress[0].Percent != 50 || progress[0].Unassigned != 1 {
			t.Errorf("%+v", progress)
		}
		var ticket struct {
			Body struct {
				Title string `json:"title"`
			} `json:"body"`
		}
		if d.must(t, "GET", base+"/tickets/"+promoted.Ticket, nil, &ticket); ticket.Body.Title != "Retry cards" {
			t.Errorf("%+v", ticket)
		}
		d.stop()
		s.verified(t)
	})
}

// refused are changes that the records do not take.
func refused(t *testing.T, d *daemon, base string, ids map[string]string) {
	t.Helper()
	for _, c := range []struct {
		method, path, body string
		kind               fault.Kind
	}{
		{"POST", "/phases", `{"name":"P","startDate":"2026-03-02","endDate":"2026-03-01"}`, fault.Invalid},
		{"POST", "/milestones", `{"name":"M","phaseId":"phs_none"}`, fault.Invalid},
		{"POST", "/links", `{"url":"javascript:alert(1)"}`, fault.Invalid},
		{"POST", "/reminders", `{"message":"m"}`, fault.Invalid},
		{"PATCH", "/ideas/" + ids["ideas"], `{"status":"NEW"}`, fault.Conflict},
		{"PATCH", "/reconciliations/" + ids["reconciliations"], `{"status":"APPLIED"}`, fault.Conflict},
		{"POST", "/ideas/ida_none/promote", ``, fault.NotFound},
	} {
		var in any
		if c.body != "" {
			in = json.RawMessage(c.body)
		}
		if err := d.try(c.method, base+c.path, in, nil); err == nil || fault.KindOf(err) != c.kind {
			t.Errorf("%s %s %s: %v", c.method, c.path, c.body, err)
		}
	}
}

// TestPlan_AProjectAsAWhole exports, copies, and deletes one.
func TestPlan_AProjectAsAWhole(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		project := newProject(t, d)
		base := "/api/projects/" + project
		takeIn(t, d, project, "tickets.csv", documents.Tickets)
		d.must(t, "POST", base+"/phases", json.RawMessage(`{"name":"Beta"}`), nil)
		var export struct {
			Project struct {
				ID string `json:"id"`
			} `json:"project"`
			Records map[string][]any `json:"records"`
		}
		d.must(t, "GET", base+"/export", nil, &export)
		if export.Project.ID != project || len(export.Records["ticket"]) != 7 || len(export.Records["phase"]) != 1 {
			t.Errorf("%s with %d tickets", export.Project.ID, len(export.Records["ticket"]))
		}
		out, errs, code := s.chela(t, "", "project", "export", "-p", "Payments", "--format", "xlsx", "--out", filepath.Join(s.data, "out.xlsx"))
		raw, err := os.ReadFile(filepath.Join(s.data, "out.xlsx"))
		if code != 0 || err != nil || !strings.HasPrefix(string(raw), "PK") {
			t.Errorf("%d %v\n%s%s", code, err, out, errs)
		}
		var second struct {
			ID string `json:"id"`
		}
		d.must(t, "POST", base+"/copy", map[string]string{"name": "Second"}, &second)
		if err := d.try("POST", base+"/copy", map[string]string{"name": "Second"}, nil); fault.KindOf(err) != fault.Conflict {
			t.Errorf("copied twice to one name: %v", err)
		}
		templates(t, s, d, base)
		if _, errs, code := s.chela(t, "", "project", "delete", "-p", "Payments"); code != 2 || !strings.Contains(errs, "--yes") {
			t.Errorf("deleted without a word: %d %s", code, errs)
		}
		out, errs, code = s.chela(t, "", "project", "delete", "-p", "Payments", "--yes")
		if code != 0 || !strings.Contains(out, "7 tickets") {
			t.Errorf("%d\n%s%s", code, out, errs)
		}
		var l list
		if d.must(t, "GET", "/api/projects/"+second.ID+"/tickets", nil, &l); l.Total != 7 {
			t.Errorf("the copy has %d tickets", l.Total)
		}
		for _, path := range []string{"", "/tickets", "/export", "/plan"} {
			if err := d.try("GET", base+path, nil, nil); fault.KindOf(err) != fault.NotFound {
				t.Errorf("%s of a deleted project: %v", path, err)
			}
		}
		out, _, _ = s.chela(t, "", "project", "list")
		if strings.Contains(out, "Payments") || !strings.Contains(out, "Second") {
			t.Errorf("%s", out)
		}
		d.stop()
		s.verified(t)
	})
}

// templates archives the project and makes a template of it, and a project of that.
func templates(t *testing.T, s setup, d *daemon, base string) {
	t.Helper()
	for _, c := range []struct {
		says string
		code int
		args []string
	}{
		{"Payments is archived.", 0, []string{"archive", "-p", "Payments"}},
		{"Payments (archived)", 0, []string{"list", "--all"}},
		{"Payments is active.", 0, []string{"restore", "-p", "Payments"}},
		{"Release is prj_", 0, []string{"copy", "Release", "-p", "Payments", "--template", "--without", "ticket"}},
		{"Third is prj_", 0, []string{"create", "Third", "--from", "Release"}},
		{"There is a project named", 3, []string{"create", "Third"}},
		{"Allowed: objective", 3, []string{"copy", "Fourth", "-p", "Payments", "--without", "resource"}},
		{"Deleted prj_", 0, []string{"delete", "-p", "Release", "--yes"}},
		{"with 1 phase.", 0, []string{"delete", "-p", "Third", "--yes"}},
	} {
		out, errs, code := s.chela(t, "", append([]string{"project"}, c.args...)...)
		if !strings.Contains(out+errs, c.says) || code != c.code {
			t.Errorf("%v: %d\n%s%s", c.args, code, out, errs)
		}
		if c.args[0] != "archive" {
			continue
		}
		err := d.try("POST", base+"/ideas", json.RawMessage(`{"title":"Late"}`), nil)
		if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "project restore") {
			t.Errorf("a record of an archived project: %v", err)
		}
		if err := d.try("POST", "/api/intake", map[string]string{"projectId": strings.TrimPrefix(base, "/api/projects/"), "content": "Ann will call Bob."}, nil); fault.KindOf(err) != fault.Conflict {
			t.Errorf("an intake of an archived project: %v", err)
		}
		if out, _, _ := s.chela(t, "", "project", "list"); strings.Contains(out, "Payments") {
			t.Errorf("an archived project is listed: %s", out)
		}
	}
}

// TestPlan_MemoriesAndTools keeps memories of a project and of all, over the API, and asks
// which tools there are.
func TestPlan_MemoriesAndTools(t *testing.T) {
	t.Parallel()
	databases(t, func(t *testing.T, s setup) {
		d := s.running(t)
		project := newProject(t, d)
		var global, own struct {
			ID   string `json:"id"`
			Body struct {
				Scope   string `json:"scope"`
				Content string `json:"content"`
			} `json:"body"`
		}
		d.must(t, "POST", "/api/memories", map[string]any{"key": "style", "content": "Short words."}, &global)
		d.must(t, "POST", "/api/memories", map[string]any{"projectId": project, "key": "style", "content": "Even shorter words."}, &own)
		id := global.ID
		d.must(t, "POST", "/api/memories", map[string]any{"key": "style", "content": "Plain words."}, &global)
		if global.ID != id || global.Body.Scope != "GLOBAL" || global.Body.Content != "Plain words." || own.Body.Scope != "PROJECT" {
			t.Errorf("%+v %+v", global, own)
		}
		for query, want := range map[string]int{"": 1, "?projectId=" + project: 2, "?projectId=" + project + "&scope=PROJECT": 1, "?projectId=" + project + "&query=plain": 1, "?query=shorter": 0} {
			var l list
			if d.must(t, "GET", "/api/memories"+query, nil, &l); l.Total != want {
				t.Errorf("%q: %d", query, l.Total)
			}
		}
		var l list
		if d.must(t, "GET", "/api/projects/"+project+"/memories", nil, &l); l.Total != 2 {
			t.Errorf("the project sees %d", l.Total)
		}
		for name, err := range map[string]error{
			"of a project, and none named": d.try("POST", "/api/memories", map[string]any{"scope": "PROJECT", "key": "k", "content": "c"}, nil),
			"of all, and one named":        d.try("POST", "/api/memories", map[string]any{"projectId": project, "scope": "GLOBAL", "key": "k", "content": "c"}, nil),
			"another kind":                 d.try("GET", "/api/memories/"+project, nil, nil),
			"of no project":                d.try("GET", "/api/memories?projectId=prj_none", nil, nil),
			"a tool that is not there":     d.try("GET", "/api/tools/none", nil, nil),
		} {
			if k := fault.KindOf(err); err == nil || k != fault.Invalid && k != fault.NotFound {
				t.Errorf("%s: %v", name, err)
			}
		}
		d.must(t, "DELETE", "/api/memories/"+global.ID, nil, nil)
		d.must(t, "GET", "/api/memories/"+own.ID, nil, nil)
		if err := d.try("GET", "/api/memories/"+global.ID, nil, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("a forgotten one: %v", err)
		}
		var one struct {
			Risk   string         `json:"risk"`
			Schema map[string]any `json:"inputSchema"`
			Agents []string       `json:"agents"`
		}
		if d.must(t, "GET", "/api/tools/create_ticket", nil, &one); one.Risk != "WRITE_RECORDS" || one.Schema["type"] != "object" || len(one.Agents) < 3 {
			t.Errorf("%+v", one)
		}
		if out, errs, code := s.chela(t, "", "tools"); code != 0 || !strings.Contains(out, "read_upload ") || !strings.Contains(out, "pm, ") && !strings.Contains(out, ", pm") {
			t.Errorf("%d\n%s%s", code, out, errs)
		}
		d.stop()
		s.verified(t)
	})
}
