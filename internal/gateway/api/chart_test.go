package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"chela/internal/chart"
	"chela/internal/report"
)

// newProject makes a project with two tickets, one of them done.
func (e *edge) newProject(name string) (project string, tickets []string) {
	e.t.Helper()
	var made struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": name}, &made)
	project = made.ID
	for _, title := range []string{"One", "Two"} {
		e.call(e.owner, http.MethodPost, "/api/projects/"+project+"/tickets", map[string]any{"title": title, "sprint": "S1", "storyPoints": 3}, &made)
		tickets = append(tickets, made.ID)
	}
	for _, status := range []string{"IN_PROGRESS", "DONE"} {
		e.call(e.owner, http.MethodPatch, "/api/projects/"+project+"/tickets/"+tickets[0], map[string]string{"status": status}, nil)
	}
	return project, tickets
}

func TestChart_ComesAsJSONAndCSV(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	project, tickets := e.newProject("Payments")
	viewer, _ := e.member("Vera", "viewer")
	base := "/api/projects/" + project + "/charts/"
	var c chart.Chart
	e.call(viewer, http.MethodGet, base+"throughput?from=today", nil, &c)
	if got := c.Series[0].Points[len(c.Series[0].Points)-1]; got.Value != 1 || got.StoryPoints != 3 || !slices.Equal(got.Records, tickets[:1]) {
		t.Errorf("throughput: got %+v, want the ticket %s", got, tickets[0])
	}
	var list struct {
		Total int `json:"total"`
	}
	e.call(viewer, http.MethodGet, base+"flow?from=today", nil, &c)
	for _, s := range c.Series {
		p := s.Points[0]
		if p.Value == 0 {
			continue
		}
		e.call(viewer, http.MethodGet, "/api/projects/"+project+"/tickets?filter="+p.Query, nil, &list)
		if float64(list.Total) != p.Value {
			t.Errorf("flow, %s: the filter %s finds %d, want %v", s.Name, p.Query, list.Total, p.Value)
		}
	}
	for name, a := range map[string]struct{ path, accept string }{
		"by the header": {"flow?from=today", "text/csv"}, "by the query": {"flow?from=today&format=csv", "application/json"},
	} {
		code, said, h := e.send(viewer, http.MethodGet, base+a.path, "", "Accept", a.accept)
		if kind := h.Get("Content-Type"); code != http.StatusOK || !strings.HasPrefix(kind, "text/csv") || !strings.HasPrefix(said, "series,at,tickets") {
			t.Errorf("CSV %s: got %d %s %q", name, code, kind, said)
		}
	}
	for _, about := range chart.All() {
		e.call(viewer, http.MethodGet, base+string(about.Name), nil, &c)
		if c.Name != about.Name {
			t.Errorf("got the chart %q, want %q", c.Name, about.Name)
		}
	}
}

func TestChart_Refuses(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	project, _ := e.newProject("Payments")
	for name, a := range map[string]struct {
		token, path string
		code        int
		says        string
	}{
		"nobody":             {"", "/api/projects/" + project + "/charts/flow", http.StatusUnauthorized, ""},
		"an unknown chart":   {e.owner, "/api/projects/" + project + "/charts/pie", http.StatusNotFound, "throughput"},
		"an unknown project": {e.owner, "/api/projects/prj_none/charts/flow", http.StatusNotFound, "prj_none"},
		"a wrong day":        {e.owner, "/api/projects/" + project + "/charts/flow?from=someday", http.StatusUnprocessableEntity, "someday"},
		"an unknown sprint":  {e.owner, "/api/projects/" + project + "/charts/burn-up?sprint=S9", http.StatusNotFound, "S9"},
		"a wrong step":       {e.owner, "/api/projects/" + project + "/charts/flow?by=hour", http.StatusUnprocessableEntity, "by"},
	} {
		if code, said, _ := e.send(a.token, http.MethodGet, a.path, ""); code != a.code || !strings.Contains(said, a.says) {
			t.Errorf("%s: got %d %s, want %d and %q", name, code, said, a.code, a.says)
		}
	}
}

func TestReport_ComesAsJSONAndMarkdown(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	project, tickets := e.newProject("Payments")
	viewer, _ := e.member("Vera", "viewer")
	path := "/api/projects/" + project + "/report"
	var r report.Report
	e.call(viewer, http.MethodGet, path+"?sprint=s1", nil, &r)
	if r.Project != "Payments" || r.Sprint != "S1" || r.Numbers[0].Value != 1 || !slices.Equal(r.Numbers[0].Records, tickets[:1]) || len(r.Finished) != 1 {
		t.Errorf("got %+v, want one finished ticket", r)
	}
	for name, a := range map[string]struct{ path, accept string }{"by the header": {path, "text/markdown"}, "by the query": {path + "?format=markdown&base=http://page", ""}} {
		code, said, h := e.send(viewer, http.MethodGet, a.path, "", "Accept", a.accept)
		if kind := h.Get("Content-Type"); code != http.StatusOK || !strings.HasPrefix(kind, "text/markdown") || !strings.Contains(said, "/records/"+tickets[0]) {
			t.Errorf("Markdown %s: got %d %s %q", name, code, kind, said)
		}
	}
	for name, a := range map[string]struct {
		token, path string
		code        int
	}{
		"nobody": {"", path, http.StatusUnauthorized}, "an unknown project": {viewer, "/api/projects/prj_none/report", http.StatusNotFound},
		"an unknown sprint": {viewer, path + "?sprint=S9", http.StatusNotFound}, "a script as base": {viewer, path + "?base=javascript:x", http.StatusUnprocessableEntity},
	} {
		if code, said, _ := e.send(a.token, http.MethodGet, a.path, ""); code != a.code {
			t.Errorf("%s: got %d %s, want %d", name, code, said, a.code)
		}
	}
}
