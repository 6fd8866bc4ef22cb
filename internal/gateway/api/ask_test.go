package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestAsk_MyTicketsAreThoseOfWhoAsks: a person is known on the desk by their name; of the owner, who has no tickets there, the answer says why
// it is a search.
func TestAsk_MyTicketsAreThoseOfWhoAsks(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var project struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "P"}, &project)
	for title, owner := range map[string]string{"Pay": "Dana Reyes", "Ship": "Joe Martinez"} {
		e.call(e.owner, http.MethodPost, "/api/projects/"+project.ID+"/tickets", map[string]string{"title": title, "owner": owner}, nil)
	}
	dana, _ := e.member("Dana Reyes", "viewer")
	for token, want := range map[string]string{dana: "1 ticket: owner Dana Reyes: Pay.", e.owner: "as you are"} {
		var got struct {
			Answer string   `json:"answer"`
			Notes  []string `json:"notes"`
		}
		e.call(token, http.MethodPost, "/api/ask", map[string]any{"projectId": project.ID, "question": "my tickets", "computed": true}, &got)
		if said := got.Answer + " " + strings.Join(got.Notes, " "); !strings.Contains(said, want) {
			t.Errorf("got %q, want %q", said, want)
		}
	}
}
