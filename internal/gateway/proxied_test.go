package gateway_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"chela/internal/config"
	"chela/internal/daemon"
)

// A knock is a request with a wrong token.
type knock struct{ method, path, body, header, value string }

// knocks are the ways to try tokens, at each door.
func knocks(cookie string) map[string]knock {
	const bearer, wrong = "Authorization", "Bearer chela_wrong"
	return map[string]knock{
		"the API":               {"GET", "/api/me", "", bearer, wrong},
		"the API by a cookie":   {"GET", "/api/me", "", "Cookie", cookie + "=chela_wrong"},
		"a stream":              {"GET", "/api/events", "", bearer, wrong},
		"the export of the log": {"GET", "/api/log/export", "", bearer, wrong},
		"an artifact":           {"GET", "/api/artifacts/x", "", bearer, wrong},
		"an invitation":         {"POST", "/api/persons/accept", `{"token":"chela_wrong"}`, "X-Nothing", "x"},
		"a login link":          {"GET", "/login?t=chela_wrong", "", "X-Nothing", "x"},
		"chat completions":      {"POST", "/v1/chat/completions", "{}", bearer, wrong},
		"responses":             {"POST", "/v1/responses", "{}", bearer, wrong},
		"messages":              {"POST", "/v1/messages", "{}", "X-Api-Key", "chela_wrong"},
		"models":                {"GET", "/v1/models", "", bearer, wrong},
		"A2A":                   {"POST", "/a2a/pm", "{}", bearer, wrong},
		"a card":                {"GET", "/.well-known/agent-card.json", "", bearer, wrong},
		"Clutch":                {"POST", "/api/clutch", "{}", bearer, wrong},
		"MCP":                   {"POST", "/mcp", "{}", bearer, wrong},
		"the WebSocket":         {"GET", "/ws", "", bearer, wrong},
		"metrics":               {"GET", "/metrics", "", bearer, wrong},
		"a webhook":             {"POST", "/webhooks/github", "{}", "X-Hub-Signature-256", "sha256=00"},
	}
}

// A front is a daemon that is called from any address.
type front struct {
	*daemon.Daemon

	cookie string
}

func newFront(t *testing.T, proxies config.Proxies) front {
	t.Helper()
	cfg, err := config.Load(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cfg.NoSchedules, cfg.Vault.Key, cfg.Proxies = true, "file", proxies
	d, err := daemon.New(t.Context(), cfg, slog.New(slog.DiscardHandler), daemon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() }) // its files go with the test
	f := front{Daemon: d}
	hook := knock{"PUT", "/api/webhooks/incoming/github", `{"kind":"github","agent":"pm","say":"Look at it.","events":["github.issues.*"]}`, "Authorization", "Bearer " + d.Token()}
	if w := f.from("127.0.0.1:1", hook); w.Code >= 300 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	f.cookie, _, _ = strings.Cut(f.login(t, "127.0.0.1:1"), "=")
	return f
}

// from sends a knock from an address, with headers by their names.
func (f front) from(peer string, k knock, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(k.method, "http://localhost"+k.path, strings.NewReader(k.body))
	r.RemoteAddr = peer
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(k.header, k.value)
	if k.path == "/ws" {
		headers = append([]string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-Websocket-Version", "13", "Sec-Websocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}, headers...)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	f.Handler().ServeHTTP(w, r)
	return w
}

// login opens a login link, and returns the cookie that it sets.
func (f front) login(t *testing.T, peer string, headers ...string) string {
	t.Helper()
	var link struct{ Path string }
	w := f.from("127.0.0.1:1", knock{"POST", "/api/login-link", "", "Authorization", "Bearer " + f.Token()})
	if err := json.Unmarshal(w.Body.Bytes(), &link); err != nil {
		t.Fatal(err)
	}
	return f.from(peer, knock{"GET", link.Path, "", "X-Nothing", "x"}, headers...).Header().Get("Set-Cookie")
}

// spoofed are headers that say that a request came from elsewhere, another place each time.
func spoofed(n int) []string {
	at := fmt.Sprintf("203.0.113.%d", n)
	return []string{"X-Forwarded-For", at, "Forwarded", "for=" + at, "X-Real-Ip", at, "X-Forwarded-Proto", "https", "X-Forwarded-Host", "evil.example"}
}

// TestEveryDoor_NobodyHidesWhereTheyKnockFrom: who tries tokens is slowed after ten, whatever their requests say of where they came
// from: without a proxy, and behind one, to which they can say it, too.
func TestEveryDoor_NobodyHidesWhereTheyKnockFrom(t *testing.T) {
	t.Parallel()
	bare, behind := newFront(t, config.Proxies{}), newFront(t, config.Proxies{Trusted: []string{"10.0.0.1"}})
	var all sync.WaitGroup // an answer that is slowed waits
	defer all.Wait()
	n := 0
	for door, k := range knocks(bare.cookie) {
		n++
		client, next := fmt.Sprintf("192.0.2.%d", n), fmt.Sprintf("198.51.100.%d", n)
		all.Go(func() {
			if !slowed(func(i int) int { return bare.from(client+":9", k, spoofed(i)...).Code }) {
				t.Errorf("%s: wrong tokens, each with another word of where it came from, are not slowed", door)
			}
		})
		other := k
		other.value = strings.Replace(k.value, bare.cookie, behind.cookie, 1)
		all.Go(func() {
			if !slowed(func(i int) int {
				said := spoofed(i)
				said[1] += ", " + client // as a proxy adds it
				return behind.from("10.0.0.1:9", other, said...).Code
			}) {
				t.Errorf("%s: wrong tokens of one client of a proxy are not slowed", door)
			}
			if code := behind.from("10.0.0.1:9", other, "X-Forwarded-For", next).Code; code == http.StatusTooManyRequests {
				t.Errorf("%s: another client of the proxy is slowed, too", door)
			}
		})
	}
}

// slowed reports whether one of many knocks is. On a busy machine some are forgiven meanwhile.
func slowed(knock func(n int) int) bool {
	for i := range 60 {
		if knock(i) == http.StatusTooManyRequests {
			return true
		}
	}
	return false
}

// TestLogin_CookieIsSecureBehindTLS: the cookie of a login is for TLS alone where a trusted proxy says that its client came so.
func TestLogin_CookieIsSecureBehindTLS(t *testing.T) {
	t.Parallel()
	f := newFront(t, config.Proxies{Trusted: []string{"10.0.0.0/24"}})
	for name, c := range map[string]struct {
		peer, proto string
		secure      bool
	}{
		"a proxy with TLS":    {"10.0.0.7:9", "https", true},
		"a proxy without TLS": {"10.0.0.7:9", "http", false},
		"a stranger":          {"192.0.2.1:9", "https", false},
		"nobody":              {"127.0.0.1:9", "", false},
	} {
		if got := f.login(t, c.peer, "X-Forwarded-For", "192.0.2.7", "X-Forwarded-Proto", c.proto); strings.Contains(got, "Secure") != c.secure || got == "" {
			t.Errorf("%s: the cookie is %q", name, got)
		}
	}
}

// TestStatus_SaysWhoIsDoubted: the addresses of proxies that are not trusted are told to admins, once somebody with a right token
// came from there.
func TestStatus_SaysWhoIsDoubted(t *testing.T) {
	t.Parallel()
	f := newFront(t, config.Proxies{Trusted: []string{"10.0.0.1"}})
	status := knock{"GET", "/api/status", "", "Authorization", "Bearer " + f.Token()}
	doubted := func() string {
		var s struct {
			Doubted []string `json:"doubted_proxies"`
		}
		if err := json.Unmarshal(f.from("127.0.0.1:1", status).Body.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		return strings.Join(s.Doubted, " ")
	}
	f.from("10.0.0.1:9", status, "X-Forwarded-For", "192.0.2.7")
	f.from("10.0.0.2:9", knock{"GET", "/api/me", "", "Authorization", "Bearer wrong"}, "X-Forwarded-For", "192.0.2.7")
	f.from("10.0.0.3:9", status)
	if got := doubted(); got != "" {
		t.Errorf("%s are doubted, want nobody", got)
	}
	f.from("10.0.0.2:9", status, "X-Forwarded-For", "192.0.2.7")
	if got := doubted(); got != "10.0.0.2" {
		t.Errorf("%q are doubted, want 10.0.0.2", got)
	}
}
