package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestMisfit_SaysWhatFits: a field that does not fit is named by its name, in words of people.
func TestMisfit_SaysWhatFits(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var project struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "P"}, &project)
	for name, c := range map[string]struct{ method, path, body, want string }{
		"a choice of a query":   {"GET", "/api/runs?state=lost", "", `"state: That is not one of the choices. Allowed: queued, running, waiting, done, failed, cancelled."`},
		"a number of a query":   {"GET", "/api/instances?limit=many", "", `"limit: It takes a whole number."`},
		"too great a number":    {"GET", "/api/instances?limit=501", "", `"limit: It is at most 500."`},
		"a truth of a query":    {"GET", "/api/instances?open=maybe", "", `"open: It takes true or false."`},
		"a choice":              {"PUT", "/api/budgets", `{"scope":"moon","per":"day"}`, `"scope: That is not one of the choices. Allowed: organization, project, agent, key."`},
		"two fields":            {"PUT", "/api/budgets", `{"scope":"moon","per":5}`, "per: "},
		"another kind":          {"POST", "/api/chat", `{"text":5}`, `"text: It takes a text."`},
		"nothing":               {"POST", "/api/chat", `{}`, `"text: The field is required."`},
		"a list":                {"POST", "/api/chat", `[]`, `"It takes an object."`},
		"an object inside":      {"POST", "/api/workflows/x/run", `{"inputs":[1]}`, `"inputs: It takes an object."`},
		"too many":              {"POST", "/api/chat", `{"text":"x","images":["","","","","","","","",""]}`, `"images: It has at most 8 items."`},
		"what a list's item is": {"POST", "/api/chat", `{"text":"x","images":[5]}`, `images[0]: It takes a text.`},
	} {
		code, said, _ := e.send(e.owner, c.method, c.path, c.body)
		if code != http.StatusUnprocessableEntity || !strings.Contains(said, c.want) || strings.Contains(said, "expected ") || strings.Contains(said, "validation failed") || strings.Contains(said, "body") {
			t.Errorf("%s: got %d %s, want %q", name, code, said, c.want)
		}
	}
}
