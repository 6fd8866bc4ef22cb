package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"chela/internal/config"
	"chela/internal/gateway/client"
	"chela/internal/testkit/daemontest"
)

// An edge is a daemon in this process, as its clients see it.
type edge struct {
	t     *testing.T
	url   string
	owner string // a token
}

// newEdge runs a daemon on a database of its own.
func newEdge(t *testing.T, change ...func(*config.Config)) *edge {
	t.Helper()
	d := daemontest.Run(t, daemontest.Setup{Change: func(cfg *config.Config) {
		for _, c := range change {
			c(cfg)
		}
	}})
	return &edge{t: t, url: d.URL, owner: d.Token}
}

// call calls the API and expects that it works.
func (e *edge) call(token, method, path string, in, out any) {
	e.t.Helper()
	if err := client.New(e.url, token).Call(e.t.Context(), method, path, in, out); err != nil {
		e.t.Fatalf("%s %s: %v", method, path, err)
	}
}

// member invites a person with a role and returns their token and id.
func (e *edge) member(name, role string) (token, id string) {
	e.t.Helper()
	var link struct {
		Token string `json:"token"`
	}
	e.call(e.owner, http.MethodPost, "/api/persons/invite", map[string]string{"name": name, "role": role}, &link)
	var made struct {
		Token  string `json:"token"`
		Person struct {
			ID string `json:"id"`
		} `json:"person"`
	}
	e.call("", http.MethodPost, "/api/persons/accept", map[string]string{"token": link.Token}, &made)
	return made.Token, made.Person.ID
}

// send sends a body as it is, with headers by their names, and returns the answer.
func (e *edge) send(token, method, path, body string, headers ...string) (code int, said string, h http.Header) {
	e.t.Helper()
	r, err := http.NewRequestWithContext(e.t.Context(), method, e.url+path, strings.NewReader(body))
	if err != nil {
		e.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header[http.CanonicalHeaderKey(headers[i])] = []string{headers[i+1]}
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
		}
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		e.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }() // read to its end
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	return res.StatusCode, string(raw), res.Header
}
