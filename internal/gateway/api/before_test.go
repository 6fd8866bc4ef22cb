package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestMoment_BeforeAProjectWasMade: a moment at which a project was not there is said, wherever records are looked at as they were.
func TestMoment_BeforeAProjectWasMade(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	project, tickets := e.newProject("Payments")
	at := "/api/projects/" + project
	for _, path := range []string{at + "/tickets", at + "/tickets/" + tickets[0], at + "/capacity", at + "/plan", at + "/answers"} {
		if code, said, _ := e.send(e.owner, http.MethodGet, path+"?asOf=2020-01-01", ""); code != http.StatusNotFound || !strings.Contains(said, "The project was made after that moment, at ") {
			t.Errorf("%s: got %d %s", path, code, said)
		}
	}
	ask := `{"projectId":"` + project + `","question":"How many tickets are open?","asOf":"2020-01-01"}`
	if code, said, _ := e.send(e.owner, http.MethodPost, "/api/ask", ask); code != http.StatusNotFound || !strings.Contains(said, "The project was made after that moment") {
		t.Errorf("ask: got %d %s", code, said)
	}
	if code, said, _ := e.send(e.owner, http.MethodGet, "/api/projects/prj_none/tickets?asOf=2020-01-01", ""); code != http.StatusNotFound || strings.Contains(said, "was made") {
		t.Errorf("a project that never was: got %d %s", code, said)
	}
	var list struct {
		Total int `json:"total"`
	}
	e.call(e.owner, http.MethodPatch, at+"/tickets/"+tickets[0], map[string]string{"externalRef": "PAY-1"}, nil)
	if e.call(e.owner, http.MethodGet, at+"/tickets?filter=key:PAY-1", nil, &list); list.Total != 1 {
		t.Errorf("key:PAY-1 finds %d tickets, want 1", list.Total)
	}
}
