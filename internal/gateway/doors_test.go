package gateway_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"chela/internal/config"
	"chela/internal/daemon"
	"chela/internal/event"
)

// A said is a message that comes through any door.
type said struct{ thread, agent, text string }

// speak sends a message through a door, and returns the status, the answer, and the thread that it is in.
type speak func(t *testing.T, doors http.Handler, token string, m said) (code int, answer, thread string)

// everyDoor are the ways to say something.
func everyDoor() map[string]speak {
	post := func(t *testing.T, doors http.Handler, token, path, kind, body string) (int, string) {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		doors.ServeHTTP(w, r)
		raw, err := io.ReadAll(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		return w.Code, string(raw)
	}
	of := func(answer, field string) string {
		var got map[string]any
		_ = json.Unmarshal([]byte(answer), &got) // a problem has no thread
		thread, _ := got[field].(string)
		return thread
	}
	return map[string]speak{
		"the API": func(t *testing.T, doors http.Handler, token string, m said) (int, string, string) {
			t.Helper()
			body, _ := json.Marshal(map[string]string{"threadId": m.thread, "agent": m.agent, "text": m.text}) // texts are JSON
			code, answer := post(t, doors, token, "/api/chat", "application/json", string(body))
			return code, answer, of(answer, "threadId")
		},
		"Clutch": func(t *testing.T, doors http.Handler, token string, m said) (int, string, string) {
			t.Helper()
			body := fmt.Sprintf(`{"v":"clutch/0.1","id":%q,"thread_id":%q,"run_id":"run_1","task_id":"task_1","type":"chat.message","domain":"chat","payload_type":"chat.message.v1",`+
				`"from":{"agent_id":"agent:x","role":"agent"},"to":[{"agent_id":%q,"role":"agent"}],"ts":"2026-03-01T10:00:00Z","payload":{"message":%q}}`,
				event.NewID("msg"), m.thread, cmp.Or(m.agent, "agent:controller"), m.text) //nolint:forbidigo // a message of its own
			code, answer := post(t, doors, token, "/api/clutch", "application/json", body)
			return code, answer, of(answer, "thread_id")
		},
		"A2A": func(t *testing.T, doors http.Handler, token string, m said) (int, string, string) {
			t.Helper()
			body := fmt.Sprintf(`{"message":{"messageId":%q,"role":"ROLE_USER","contextId":%q,"parts":[{"text":%q}]}}`, event.NewID("msg"), m.thread, m.text) //nolint:forbidigo // a message of its own
			path := "/a2a/message:send"
			if m.agent != "" {
				path = "/a2a/" + strings.TrimPrefix(m.agent, "agent:") + "/message:send"
			}
			code, answer := post(t, doors, token, path, "application/json", body)
			if code == http.StatusBadRequest { // the protocol has one status for what is wrong with a request
				if code = http.StatusUnprocessableEntity; strings.Contains(answer, "does not exist") {
					code = http.StatusNotFound
				}
			}
			var got struct{ Message json.RawMessage }
			_ = json.Unmarshal([]byte(answer), &got) // an error has none
			return code, answer, of(string(got.Message), "contextId")
		},
		"the door of the example": func(t *testing.T, doors http.Handler, token string, m said) (int, string, string) {
			t.Helper()
			code, answer := post(t, doors, token, "/plain?"+url.Values{"thread": {m.thread}, "agent": {m.agent}}.Encode(), "text/plain", m.text)
			return code, answer, m.thread
		},
	}
}

// TestEveryDoor_KeepsTheSameRules says the same things through every door: a thread that is a record of
// a project is a conversation in that project, and nothing is said to an agent that is not there.
func TestEveryDoor_KeepsTheSameRules(t *testing.T) {
	t.Parallel()
	cfg, err := config.Load(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cfg.NoSchedules = true
	d, err := daemon.New(t.Context(), cfg, slog.New(slog.DiscardHandler), daemon.Options{Doors: []daemon.Door{newPlain}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() }) // its files go with the test
	call := func(method, path, body string, out any) {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+d.Token())
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, r)
		if err := json.Unmarshal(w.Body.Bytes(), out); err != nil || w.Code >= 300 {
			t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
	}
	var project struct{ ID string }
	call(http.MethodPost, "/api/projects", `{"name":"P"}`, &project)
	for name, door := range everyDoor() {
		t.Run(name, func(t *testing.T) {
			var record struct{ ID string }
			call(http.MethodPost, "/api/projects/"+project.ID+"/threads", fmt.Sprintf(`{"title":"For %s"}`, name), &record)
			if code, answer, thread := door(t, d.Handler(), d.Token(), said{record.ID, "", "/help"}); code >= 300 || thread != record.ID {
				t.Fatalf("got %d %s in %q, want it said in %s", code, answer, thread, record.ID)
			}
			var talk struct{ Project string }
			call(http.MethodGet, "/api/conversations/"+record.ID, "", &talk)
			if talk.Project != project.ID {
				t.Errorf("the conversation is in the project %q, want %s", talk.Project, project.ID)
			}
			if code, answer, _ := door(t, d.Handler(), d.Token(), said{record.ID, "agent:nobody", "Hello"}); code != http.StatusNotFound || !strings.Contains(answer, "nobody") {
				t.Errorf("got %d %s, want that the agent is not there", code, answer)
			}
			if code, answer, _ := door(t, d.Handler(), "chela_wrong", said{record.ID, "", "Hello"}); code != http.StatusUnauthorized {
				t.Errorf("got %d %s for a wrong token, want 401", code, answer)
			}
			if code, answer, _ := door(t, d.Handler(), d.Token(), said{record.ID, "", "  "}); code != http.StatusUnprocessableEntity {
				t.Errorf("got %d %s for nothing, want 422", code, answer)
			}
		})
	}
}
