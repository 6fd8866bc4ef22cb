package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"chela/internal/report"
)

// TestReport_LinksFindTheRecords: the list behind each number has as many records as the number says, also of days that are
// over and of more tickets than a filter can name.
func TestReport_LinksFindTheRecords(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	project, tickets := e.newProject("Payments")
	at := "/api/projects/" + project
	add := func(body map[string]any) { e.call(e.owner, http.MethodPost, at+"/tickets", body, nil) }
	for i := range 95 {
		add(map[string]any{"title": fmt.Sprintf("Old %d", i), "status": "DONE", "sprint": "S1", "externalCreated": "2021-02-03", "externalResolved": fmt.Sprintf("2021-%02d-10T08:00:00Z", 2+i%2)})
	}
	add(map[string]any{"title": "Open since then", "externalCreated": "2021-01-20", "owner": "Ann"})
	add(map[string]any{"title": "Came done", "status": "DONE"})
	add(map[string]any{"title": "Late", "status": "BLOCKED", "dueDate": "2021-03-01", "blockedBy": tickets})
	for name, c := range map[string]struct {
		query string
		want  map[string]float64
	}{
		"this week":     {"", map[string]float64{"Finished": 1, "Created": 4, "In all": 100, "Done": 97, "Late": 1, "Blocked": 1, "Unassigned": 2}},
		"since 2021":    {"from=2021-01-01", map[string]float64{"Finished": 96, "Created": 100, "In all": 100, "Done": 97, "Late": 1, "Blocked": 1, "Unassigned": 2}},
		"February":      {"from=2021-02-01&to=2021-02-28", map[string]float64{"Finished": 48, "Created": 95, "In all": 96, "Done": 48}},
		"of a sprint":   {"from=2021-02-01&sprint=s1", map[string]float64{"Finished": 96, "Created": 97, "In all": 97, "Done": 96, "Late": 0, "Blocked": 0, "Unassigned": 1}},
		"at a moment":   {"from=2021-01-01&asOf=today", map[string]float64{"Finished": 96, "Created": 100, "In all": 100, "Done": 97, "Late": 1, "Blocked": 1, "Unassigned": 2}},
		"before it all": {"from=2020-02-01&to=2020-02-28", map[string]float64{"Finished": 0, "Created": 0, "In all": 0, "Done": 0, "Late": 0, "Blocked": 0, "Unassigned": 0}},
	} {
		var r report.Report
		e.call(e.owner, http.MethodGet, at+"/report?"+c.query, nil, &r)
		if len(r.Numbers) != len(c.want) {
			t.Errorf("%s: got the numbers %+v, want %v", name, r.Numbers, c.want)
		}
		for _, n := range r.Numbers {
			want, said := c.want[n.Name]
			if !said || n.Value != want || n.Value > 0 && n.Query == "" {
				t.Errorf("%s: %s is %v with the filter %q, want %v with one", name, n.Name, n.Value, n.Query, want)
			}
			if n.Query == "" {
				continue
			}
			var list struct {
				Total int `json:"total"`
			}
			q := url.Values{"filter": {n.Query}, "asOf": {string(n.AsOf)}, "limit": {"1"}}
			e.call(e.owner, http.MethodGet, at+"/tickets?"+q.Encode(), nil, &list)
			if float64(list.Total) != n.Value {
				t.Errorf("%s: %s is %v, and %q as of %q finds %d", name, n.Name, n.Value, n.Query, n.AsOf, list.Total)
			}
		}
	}
}
