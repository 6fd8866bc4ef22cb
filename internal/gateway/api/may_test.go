package api_test

import (
	"net/http"
	"testing"
)

// TestMayChange_EveryDoor has an admin do to the owner what makes them speak as the owner or takes
// something from them; each of it an owner does.
func TestMayChange_EveryDoor(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	admin, _ := e.member("Ann", "admin")
	var persons []struct {
		ID   string `json:"id"`
		Role string `json:"role"`
	}
	e.call(e.owner, http.MethodGet, "/api/persons", nil, &persons)
	owner := persons[0].ID
	if persons[0].Role != "owner" {
		owner = persons[1].ID
	}
	e.call(e.owner, http.MethodPost, "/api/persons/"+owner+"/identities", map[string]string{"identity": "portal:boss"}, nil)
	e.call(e.owner, http.MethodPost, "/api/login-link", nil, nil)
	e.call(e.owner, http.MethodPost, "/api/persons/invite", map[string]string{"name": "Eve", "role": "owner"}, nil)
	var tokens []struct {
		ID      string `json:"id"`
		Person  string `json:"person"`
		Purpose string `json:"purpose"`
	}
	e.call(e.owner, http.MethodGet, "/api/tokens", nil, &tokens)
	ids := make(map[string]string)
	for _, tok := range tokens {
		if tok.Person == owner || tok.Purpose == "invite" {
			ids[tok.Purpose] = tok.ID
		}
	}
	channel := `{"kind":"webhook","secrets":{"secret":"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}}`
	for _, c := range []struct{ name, method, path, body string }{
		{"link an identity", "POST", "/api/persons/" + owner + "/identities", `{"identity":"email:boss@example.com"}`},
		{"unlink an identity", "DELETE", "/api/persons/" + owner + "/identities?identity=portal:other", ""},
		{"revoke a login link", "DELETE", "/api/tokens/" + ids["login"], ""},
		{"revoke an invitation", "DELETE", "/api/tokens/" + ids["invite"], ""},
		{"invite an owner", "POST", "/api/persons/invite", `{"name":"Eve","role":"owner"}`},
		{"rename the owner", "PATCH", "/api/persons/" + owner, `{"name":"Nobody"}`},
		{"enable the owner", "PATCH", "/api/persons/" + owner, `{"enabled":true}`},
		{"make the owner an owner", "PATCH", "/api/persons/" + owner, `{"role":"owner"}`},
		{"change a channel that knows the owner", "PUT", "/api/channels/portal", channel},
		{"remove a channel that knows the owner", "DELETE", "/api/channels/portal", ""},
		{"list who waits to be paired", "GET", "/api/pairings", ""},
	} {
		if code, said, _ := e.send(admin, c.method, c.path, c.body); code != http.StatusForbidden {
			t.Errorf("an admin may %s: %d %s, want 403", c.name, code, said)
		}
		if code, said, _ := e.send(e.owner, c.method, c.path, c.body); code == http.StatusForbidden || code >= 500 {
			t.Errorf("an owner may not %s: %d %s", c.name, code, said)
		}
	}
}
