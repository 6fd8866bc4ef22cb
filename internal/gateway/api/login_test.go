package api_test

import (
	"net/http"
	"testing"
)

// TestLogin_AUsedLinkSaysSo leads a browser with a link that opens nothing to the page, and a program to an error.
func TestLogin_AUsedLinkSaysSo(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var link struct {
		Path string `json:"path"`
	}
	e.call(e.owner, http.MethodPost, "/api/login-link", nil, &link)
	code, _, h := e.send("", http.MethodGet, link.Path+"&to=%2Fruns", "", "Accept", "text/html")
	cookie := h.Get("Set-Cookie")
	if code != http.StatusSeeOther || h.Get("Location") != "/runs" || cookie == "" {
		t.Fatalf("the link: %d to %q with the cookie %q", code, h.Get("Location"), cookie)
	}
	for name, c := range map[string]struct {
		headers []string
		code    int
		to      string
	}{
		"a browser":                   {[]string{"Accept", "text/html,*/*"}, http.StatusSeeOther, "/?login=closed"},
		"a browser that is logged in": {[]string{"Accept", "text/html", "Cookie", cookie}, http.StatusSeeOther, "/runs"},
		"a program":                   {[]string{"Accept", "application/json"}, http.StatusUnauthorized, ""},
	} {
		if code, said, h := e.send("", http.MethodGet, link.Path+"&to=%2Fruns", "", c.headers...); code != c.code || h.Get("Location") != c.to {
			t.Errorf("%s with the used link: %d %s to %q, want %d to %q", name, code, said, h.Get("Location"), c.code, c.to)
		}
	}
}
