package api_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestInvite_GivesWhatItsMakerMayGive: an invitation is accepted as long as whoever made it may give its role, and a refused try
// does not spend it.
func TestInvite_GivesWhatItsMakerMayGive(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	for name, c := range map[string]struct {
		role    string // that is given
		lowered string // what becomes of the admin who gives it
		back    string
		needs   string // who is to be asked; "" when it is accepted
	}{
		"an admin":                  {"admin", `{"name":"Ann B"}`, `{"name":"Ann"}`, ""},
		"a role below":              {"viewer", `{"role":"owner"}`, `{"role":"admin"}`, ""},
		"a disabled one":            {"editor", `{"enabled":false}`, `{"enabled":true}`, "admin"},
		"an editor now":             {"viewer", `{"role":"editor"}`, `{"role":"admin"}`, "admin"},
		"a viewer gives an admin's": {"admin", `{"role":"viewer"}`, `{"role":"admin"}`, "admin"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			token, id := e.member("Ann", "admin")
			var link struct{ Token string }
			e.call(token, http.MethodPost, "/api/persons/invite", map[string]string{"name": "Bob", "role": c.role}, &link)
			body := `{"token":"` + link.Token + `"}`
			e.send(e.owner, http.MethodPatch, "/api/persons/"+id, c.lowered)
			code, said, _ := e.send("", http.MethodPost, "/api/persons/accept", body)
			if c.needs == "" {
				if code != http.StatusCreated {
					t.Errorf("%d %s, want that it is accepted", code, said)
				}
				if _, log, _ := e.send(e.owner, http.MethodGet, "/api/log?type=org.person.added&limit=500", ""); !strings.Contains(log, `"invited_by":"`+id+`"`) {
					t.Errorf("the log does not say that %s invited them: %s", id, log)
				}
				return
			}
			want := "Whoever invited Bob may not give the role " + c.role + " any more. Ask somebody with the role " + c.needs + " for another invitation."
			if code != http.StatusForbidden || !strings.Contains(said, want) {
				t.Errorf("%d %s, want %q", code, said, want)
			}
			e.send(e.owner, http.MethodPatch, "/api/persons/"+id, c.back)
			if code, said, _ := e.send("", http.MethodPost, "/api/persons/accept", body); code != http.StatusCreated {
				t.Errorf("once they may again: %d %s", code, said)
			}
		})
	}
}
