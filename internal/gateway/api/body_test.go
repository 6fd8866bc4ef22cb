package api_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"chela/internal/library"
)

// TestBody_Strict sends what one reader takes otherwise than another: it is refused, with the key.
func TestBody_Strict(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var project struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "P"}, &project)
	base := "/api/projects/" + project.ID
	for _, c := range []struct{ name, method, path, body, key string }{
		{"an approval twice", "POST", "/api/approvals/apr_1", `{"choice":"deny","choice":"approve"}`, "choice"},
		{"an approval in another case", "POST", "/api/approvals/apr_1", `{"Choice":"approve"}`, "Choice"},
		{"an approval in both", "POST", "/api/approvals/apr_1", `{"choice":"deny","CHOICE":"approve"}`, "CHOICE"},
		{"an unknown key", "POST", "/api/chat", `{"text":"hello","wiat":true}`, "wiat"},
		{"a role twice", "PATCH", "/api/persons/per_x", `{"role":"viewer","role":"owner"}`, "role"},
		{"a key of a list's member", "PUT", "/api/models", `[{"name":"a","kind":"openai","Key":"x"}]`, "Key"},
		{"a key in depth", "POST", "/api/sessions", `{"metadata":{"agentId":"a","agentId":"b"}}`, "metadata.agentId"},
		{"an optional body", "POST", base + "/extract", `{"dryRun":true,"dryRun":false}`, "dryRun"},
		{"a record", "POST", base + "/tickets", `{"title":"a","title":"b"}`, "title"},
		{"a record in another case", "POST", base + "/tickets", `{"title":"a","Title":"b"}`, "Title"},
		{"a patch", "PATCH", base, `{"name":"a","name":"b"}`, "name"},
		{"a record whose project it says", "POST", "/api/reminders", `{"projectId":"x","projectId":"` + project.ID + `","title":"a"}`, "projectId"},
		{"an agent", "POST", "/api/agents", `{"card":{"agent_id":"agent:a","agent_id":"agent:b"}}`, "card.agent_id"},
		{"the arguments of a tool", "POST", "/api/tools/memory/invoke", `{"a":1,"a":2}`, "a"},
		{"a message", "POST", "/api/clutch", `{"v":"1","v":"2"}`, "v"},
		{"the payload of a message", "POST", "/api/clutch", clutchChat(`{"Message":"hello"}`), "Message"},
		{"an intake", "POST", "/api/intake", `{"projectId":"x","projectId":"` + project.ID + `","content":"a"}`, "projectId"},
		{"a preview", "POST", "/api/intake/preview", `{"projectId":"x","file":{"name":"a.csv","Data":"YQ=="}}`, "file.Data"},
		{"a pipeline", "POST", "/api/intake/pipeline", `{"projectId":"x","Content":"a"}`, "Content"},
		{"a number that is too large", "POST", "/api/config/font-size", `{"fontSize":99999999999999999999}`, "it takes a whole number"},
		{"bytes that are none", "POST", "/api/workflows/bundle", `{"bundle":"zz"}`, "written in base64"},
		{"a large body with bytes that are none", "POST", "/api/intake/preview", `{"projectId":"x","file":{"name":"a.csv","data":"??"}}`, "written in base64"},
		{"a text with a NUL character", "POST", "/api/chat", `{"text":"hello\u0000"}`, "text: The text has a NUL character"},
		{"a name with a NUL character", "POST", "/api/persons/invite", `{"name":"Ann\u0000","role":"editor"}`, "name: The text has a NUL character"},
		{"an address with a NUL character", "GET", "/api/runs/run_%00", "", "The address has a NUL character"},
		{"a question with a NUL character", "GET", "/api/runs?thread=thr_%00", "", "The address has a NUL character"},
		{"more after the end", "POST", "/api/chat", `{"text":"hello"} {"text":"again"}`, "cannot be read at byte"},
	} {
		code, said, h := e.send(e.owner, c.method, c.path, c.body)
		if strings.Contains(said, "json: ") || strings.Contains(said, "strconv") {
			t.Errorf("%s: %s says how it was programmed", c.name, said)
		}
		if code != http.StatusUnprocessableEntity && code != http.StatusBadRequest || !strings.Contains(said, c.key) || h.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s %s, want 422 that names %s", c.name, code, h.Get("Content-Type"), said, c.key)
		}
	}
}

func clutchChat(payload string) string {
	return `{"v":"clutch/0.1","id":"msg_1","thread_id":"thr_1","run_id":"run_1","task_id":"task_1","type":"chat.message","from":{"agent_id":"agent:x","role":"agent"},"to":[{"agent_id":"agent:controller","role":"agent"}],"ts":"2026-03-01T10:00:00Z","payload":` + payload + `}`
}

// TestBody_ContentType: what a page may send without asking first is no body of the API.
func TestBody_ContentType(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	for _, c := range []struct {
		kind string
		want int
	}{
		{"application/json", http.StatusAccepted},
		{"application/json; charset=utf-8", http.StatusAccepted},
		{"", http.StatusUnsupportedMediaType},
		{"text/plain", http.StatusUnsupportedMediaType},
		{"application/x-www-form-urlencoded", http.StatusUnsupportedMediaType},
		{"multipart/form-data; boundary=x", http.StatusUnsupportedMediaType},
		{"application/cbor", http.StatusUnsupportedMediaType},
		{"a/b; c=\"", http.StatusUnsupportedMediaType},
	} {
		code, said, _ := e.send(e.owner, http.MethodPost, "/api/chat", `{"text":"/help"}`, "Content-Type", c.kind)
		if code != c.want {
			t.Errorf("%q: %d %s, want %d", c.kind, code, said, c.want)
		}
	}
	if code, said, _ := e.send(e.owner, http.MethodPost, "/api/intake/upload", `{}`); code != http.StatusUnsupportedMediaType {
		t.Errorf("an upload as JSON: %d %s, want %d", code, said, http.StatusUnsupportedMediaType)
	}
	if code, said, _ := e.send(e.owner, http.MethodPost, "/api/login-link", ""); code != http.StatusCreated {
		t.Errorf("no body where none is taken: %d %s, want %d", code, said, http.StatusCreated)
	}
}

// TestBody_ABundleMayHaveTheSizeOfTheLargest: one of the largest size is looked into, and a larger one is refused for its size.
func TestBody_ABundleMayHaveTheSizeOfTheLargest(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	for size, want := range map[int]struct {
		code int
		says string
	}{library.MaxBundle: {http.StatusUnprocessableEntity, "zip"}, library.MaxBundle + 1<<20: {http.StatusRequestEntityTooLarge, "takes up to"}} {
		body := `{"bundle":"` + base64.StdEncoding.EncodeToString(make([]byte, size)) + `"}`
		for _, path := range []string{"/api/workflows/bundle", "/api/workflows/import"} {
			if code, said, _ := e.send(e.owner, http.MethodPost, path, body); code != want.code || !strings.Contains(said, want.says) {
				t.Errorf("%d bytes to %s: %d %s, want %d with %q", size, path, code, said, want.code, want.says)
			}
		}
	}
}
