package api_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/config"
)

// TestReach_AddressesInside has an admin set addresses inside in every place that takes one: they
// are refused until an owner has set them or the policy lists them.
func TestReach_AddressesInside(t *testing.T) {
	t.Parallel()
	var data string
	e := newEdge(t, func(c *config.Config) { data = c.Data })
	admin, _ := e.member("Ann", "admin")
	places := map[string]func(url string) (path, body string){
		"the address of a channel": func(url string) (string, string) {
			return "/api/channels/one", fmt.Sprintf(`{"kind":"telegram","base_url":%q,"off":true,"secrets":{"token":"1:abcdefghijklmnopqrstuvwxyz"}}`, url)
		},
		"a setting of a channel": func(url string) (string, string) {
			return "/api/channels/two", fmt.Sprintf(`{"kind":"webhook","off":true,"settings":{"url":%q},"secrets":{"secret":"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}}`, url)
		},
		"the address of a model": func(url string) (string, string) {
			return "/api/models", fmt.Sprintf(`[{"name":"ours","kind":"openai","base_url":%q,"model":"m","key":"k"}]`, url)
		},
	}
	inside := []string{"http://127.0.0.1:9", "http://localhost:9", "http://10.0.0.1", "http://169.254.169.254/latest", "http://[::1]:9", "http://[::ffff:127.0.0.1]:9", "http://2130706433"}
	for name, place := range places {
		for _, url := range inside {
			path, body := place(url)
			if code, said, _ := e.send(admin, http.MethodPut, path, body); code != http.StatusForbidden && code != http.StatusUnprocessableEntity || !strings.Contains(said, "base_url") {
				t.Errorf("an admin sets %s to %s: %d %s, want it refused", name, url, code, said)
			}
		}
		path, body := place(inside[0])
		if code, said, _ := e.send(e.owner, http.MethodPut, path, body); code != http.StatusOK {
			t.Errorf("an owner sets %s to %s: %d %s, want 200", name, inside[0], code, said)
		}
		if code, said, _ := e.send(admin, http.MethodPut, path, body); code != http.StatusOK {
			t.Errorf("an admin leaves %s as the owner has set it: %d %s, want 200", name, code, said)
		}
	}
	if err := os.WriteFile(filepath.Join(data, "policy.yaml"), []byte("version: 1\nnetwork: [10.0.0.1]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, place := range places {
		path, body := place("http://10.0.0.1:9")
		if name == "the address of a channel" {
			path = "/api/channels/three"
		}
		if name == "a setting of a channel" {
			path = "/api/channels/four"
		}
		if code, said, _ := e.send(admin, http.MethodPut, path, body); code != http.StatusOK {
			t.Errorf("an admin sets %s to what the policy lists: %d %s, want 200", name, code, said)
		}
	}
}

func TestReach_ChannelWithAnAgent(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	body := func(agent string) string {
		return fmt.Sprintf(`{"kind":"webhook","agent":%q,"off":true,"secrets":{"secret":"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}}`, agent)
	}
	if code, said, _ := e.send(e.owner, http.MethodPut, "/api/channels/portal", body("agent:nobody")); code != http.StatusUnprocessableEntity || !strings.Contains(said, "There is no agent nobody") {
		t.Errorf("a channel with an agent that is not there: %d %s, want 422", code, said)
	}
	for _, name := range []string{"agent:pm", "pm"} {
		if code, said, _ := e.send(e.owner, http.MethodPut, "/api/channels/portal", body(name)); code != http.StatusOK {
			t.Errorf("a channel with the agent %s: %d %s, want 200", name, code, said)
		}
	}
}

// TestReach_Webhooks has an admin tell addresses inside: none is taken until an owner has set it.
func TestReach_Webhooks(t *testing.T) {
	t.Parallel()
	e := newEdge(t, func(c *config.Config) { c.Vault.Key = "file" })
	admin, _ := e.member("Ann", "admin")
	editor, _ := e.member("Ed", "editor")
	hook := func(url string) string {
		return fmt.Sprintf(`{"name":"x","url":%q,"events":["run.*"],"off":true}`, url)
	}
	for _, url := range []string{"http://127.0.0.1:9", "http://localhost:9", "http://169.254.169.254/latest", "http://[::ffff:127.0.0.1]:9", "http://2130706433", "ftp://example.com", "http://me:pw@example.com"} {
		if code, said, _ := e.send(admin, http.MethodPost, "/api/webhooks", hook(url)); code != http.StatusForbidden && code != http.StatusUnprocessableEntity {
			t.Errorf("an admin tells %s: %d %s, want it refused", url, code, said)
		}
	}
	var made struct {
		Webhook struct {
			ID string `json:"id"`
		} `json:"webhook"`
	}
	e.call(e.owner, http.MethodPost, "/api/webhooks", map[string]any{"name": "x", "url": "http://127.0.0.1:9", "events": []string{"run.*"}, "off": true}, &made)
	path := "/api/webhooks/" + made.Webhook.ID
	if code, said, _ := e.send(admin, http.MethodPut, path, hook("http://127.0.0.1:9")); code != http.StatusOK {
		t.Errorf("an admin leaves the address as the owner has set it: %d %s", code, said)
	}
	if code, said, _ := e.send(admin, http.MethodPut, path, hook("http://127.0.0.1:10")); code != http.StatusForbidden {
		t.Errorf("an admin changes the address: %d %s, want 403", code, said)
	}
	for _, path := range []string{"/api/webhooks", "/api/webhooks/failures", "/api/webhooks/incoming"} {
		if code, _, _ := e.send(editor, http.MethodGet, path, ""); code != http.StatusForbidden {
			t.Errorf("an editor reads %s: %d, want 403", path, code)
		}
	}
}
