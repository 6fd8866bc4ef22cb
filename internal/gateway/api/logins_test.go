package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chela/internal/config"
)

// TestLogins_StandInTheLog: who logged in, how and from where stands in the log, and so do the end of a login and wrong tokens that are
// slowed; for the person and for admins, without what opens anything.
func TestLogins_StandInTheLog(t *testing.T) {
	t.Parallel()
	e := newEdge(t, func(c *config.Config) { c.Proxies.Trusted = []string{"127.0.0.1"} })
	const here, there = "192.0.2.7", "198.51.100.9"
	viewer, id := e.member("Vera", "viewer")
	var link struct{ Path string }
	e.call(viewer, http.MethodPost, "/api/login-link", nil, &link)
	_, _, h := e.send("", http.MethodGet, link.Path, "", "X-Forwarded-For", here)
	cookie, _, _ := strings.Cut(h.Get("Set-Cookie"), ";")
	if code, _, _ := e.send("", http.MethodGet, link.Path, "", "X-Forwarded-For", there); code != http.StatusUnauthorized {
		t.Errorf("the link opens again: %d", code)
	}
	var key struct{ Token string }
	e.call(viewer, http.MethodPost, "/api/keys", map[string]string{"name": "build"}, &key)
	var tokens []struct{ ID, Purpose, Person string }
	e.call(viewer, http.MethodGet, "/api/tokens", nil, &tokens)
	for _, tok := range tokens {
		if tok.Purpose == "cookie" {
			e.send(e.owner, http.MethodDelete, "/api/tokens/"+tok.ID, "", "X-Forwarded-For", there)
		}
	}
	for range 40 {
		if code, _, _ := e.send("chela_wrong", http.MethodGet, "/api/me", "", "X-Forwarded-For", "203.0.113.5"); code == http.StatusTooManyRequests {
			break
		}
	}
	e.send("chela_wrong", http.MethodGet, "/api/me", "", "X-Forwarded-For", "203.0.113.5")
	_, all, _ := e.send(e.owner, http.MethodGet, "/api/log?type=org.login.*", "")
	for what, want := range map[string]int{
		fmt.Sprintf(`"how":"invitation","person":%q`, id): 1, fmt.Sprintf(`"how":"link","person":%q`, id): 1, fmt.Sprintf(`"how":"key","person":%q`, id): 1, fmt.Sprintf(`"how":"revoked","person":%q`, id): 1,
		`"address":"` + here + `"`: 1, `"address":"` + there + `"`: 1, `"address":"203.0.113.5","wrong":`: 1, "org.login.ended": 1, "org.login.refused": 1,
	} {
		if got := strings.Count(all, what); got != want {
			t.Errorf("%s stands in the log %d times, want %d: %s", what, got, want, all)
		}
	}
	_, value, _ := strings.Cut(cookie, "=")
	for _, secret := range []string{value, viewer, key.Token, strings.TrimPrefix(link.Path, "/login?t=")} {
		if _, log, _ := e.send(e.owner, http.MethodGet, "/api/log?limit=500", ""); secret == "" || strings.Contains(log, secret) {
			t.Errorf("the log has %q", secret)
		}
	}
	if _, own, _ := e.send(viewer, http.MethodGet, "/api/log?type=org.login.*", ""); !strings.Contains(own, here) || strings.Contains(own, "203.0.113.5") {
		t.Errorf("they see of themself: %s", own)
	}
	other, _ := e.member("Olga", "editor")
	for _, path := range []string{"/api/log?type=org.login.*", "/api/log?limit=500"} {
		if _, theirs, _ := e.send(other, http.MethodGet, path, ""); strings.Contains(theirs, here) || strings.Contains(theirs, "203.0.113.5") || !strings.Contains(theirs, "not_shown") {
			t.Errorf("somebody else sees: %s", theirs)
		}
	}
	if code, said, _ := e.send(e.owner, http.MethodGet, "/api/log/verify", ""); code != http.StatusOK || !strings.Contains(said, `"findings":[]`) && strings.Contains(said, `"findings":[{`) {
		t.Errorf("the log does not verify: %d %s", code, said)
	}
}
