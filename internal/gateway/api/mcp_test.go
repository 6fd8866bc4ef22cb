package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"chela/internal/config"
	"chela/internal/testkit/mcptest"
)

// TestMCP_ALoginComesBackToWhereItBegan logs in to a server as a program does, as the page does, and as the page does behind a
// proxy that speaks TLS.
func TestMCP_ALoginComesBackToWhereItBegan(t *testing.T) {
	t.Parallel()
	e := newEdge(t, func(c *config.Config) { c.Hosts = []string{"chela.example.com"} })
	for name, c := range map[string]struct {
		origin, site string
		refused      bool
		redirect     string
		code         int
		back         string
	}{
		"a":     {"", "", false, e.url, http.StatusOK, ""},
		"page":  {e.url, "same-origin", false, e.url, http.StatusSeeOther, "/doors"},
		"proxy": {"https://chela.example.com", "same-origin", false, "https://chela.example.com", http.StatusSeeOther, "/doors"},
		"no":    {e.url, "same-origin", true, e.url, http.StatusSeeOther, "/doors"},
		"nope":  {"", "", true, e.url, http.StatusForbidden, ""},
	} {
		e.call(e.owner, http.MethodPost, "/api/mcp/servers", map[string]any{"name": name, "url": mcptest.Guarded(t), "inside": true}, nil)
		code, said, _ := e.send(e.owner, http.MethodPost, "/api/mcp/servers/"+name+"/login", "", "Origin", c.origin, "Sec-Fetch-Site", c.site)
		var login struct {
			URL string `json:"url"`
		}
		if err := json.Unmarshal([]byte(said), &login); err != nil || code != http.StatusOK {
			t.Fatalf("%s: a login begins with %d %s", name, code, said)
		}
		u, err := url.Parse(login.URL)
		if err != nil || u.Query().Get("redirect_uri") != c.redirect+"/api/mcp/callback" {
			t.Errorf("%s: a person is sent to %s, want one that sends them back to %s", name, login.URL, c.redirect)
			continue
		}
		brings := url.Values{"state": {u.Query().Get("state")}, "code": {"right"}}
		if c.refused {
			brings = url.Values{"state": {u.Query().Get("state")}, "error": {"access_denied"}}
		}
		code, said, h := e.send("", http.MethodGet, "/api/mcp/callback?"+brings.Encode(), "")
		if code != c.code || h.Get("Location") != c.back {
			t.Errorf("%s: who comes back gets %d to %q, %s; want %d to %q", name, code, h.Get("Location"), said, c.code, c.back)
		}
		if code != http.StatusSeeOther {
			continue
		}
		var all []struct {
			Name    string `json:"name"`
			Login   bool   `json:"login"`
			Problem string `json:"problem"`
		}
		e.call(e.owner, http.MethodGet, "/api/mcp/servers", nil, &all)
		for _, s := range all {
			if s.Name == name && (s.Login != c.refused || strings.Contains(s.Problem, "refused") != c.refused) {
				t.Errorf("%s: the page finds %+v", name, s)
			}
		}
	}
}
