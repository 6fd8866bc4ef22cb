package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
)

// TestBulk_NamesThePeopleThatItMakes: an owner whom nobody knows is named before and after the edit, and one who is there is not.
func TestBulk_NamesThePeopleThatItMakes(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	project, tickets := e.newProject("Payments")
	e.call(e.owner, http.MethodPost, "/api/projects/"+project+"/resources", map[string]any{"name": "Saad Ali"}, nil)
	for set, want := range map[string][]string{`{"owner":"Nobody Known"}`: {"Nobody Known"}, `{"owner":"Saad Ali"}`: nil, `{"priority":"HIGH"}`: nil} {
		var out struct {
			People []string `json:"newPeople"`
		}
		e.call(e.owner, http.MethodPost, "/api/projects/"+project+"/tickets/bulk", map[string]any{"ids": tickets, "set": json.RawMessage(set), "preview": true}, &out)
		if !slices.Equal(out.People, want) {
			t.Errorf("%s: new people %q, want %q", set, out.People, want)
		}
	}
}
