package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// key makes a key of the owner's and returns its token and id.
func (e *edge) key(body map[string]any) (token, id string) {
	e.t.Helper()
	var made struct {
		Key struct {
			ID string `json:"id"`
		} `json:"key"`
		Token string `json:"token"`
	}
	e.call(e.owner, http.MethodPost, "/api/keys", body, &made)
	return made.Token, made.Key.ID
}

// TestKey_KeepsAProgramWithinItsBounds plays what a key allows and what it does not, at each door.
func TestKey_KeepsAProgramWithinItsBounds(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var mine, other struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "Mine"}, &mine)
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "Other"}, &other)
	token, _ := e.key(map[string]any{"name": "build", "role": "editor", "project": mine.ID, "tools": []string{"read_tickets"}})
	var elsewhere struct {
		Run string `json:"runId"`
	}
	e.call(e.owner, http.MethodPost, "/api/intake", map[string]string{"projectId": other.ID, "content": "Ann: I will write it."}, &elsewhere)
	clutch := func(kind, from, run, payload string) string {
		return `{"v":"clutch/0.1","id":"msg_` + kind + `","thread_id":"thr_x","run_id":"` + run + `","task_id":"task_1","type":"` + kind + `","domain":"x","payload_type":"x.v1",` +
			`"ts":"2026-01-01T00:00:00Z","from":{"agent_id":"` + from + `"},"to":[],"payload":` + payload + `}`
	}
	chat := `{"model":"chela","messages":[{"role":"user","content":"/help"}]}`
	for _, c := range []struct {
		name, method, path, body string
		want                     int
	}{
		{"reads its project", "GET", "/api/projects/" + mine.ID + "/tickets", "", 200},
		{"writes in its project", "POST", "/api/projects/" + mine.ID + "/tickets", `{"title":"x"}`, 201},
		{"says who it is", "GET", "/api/me", "", 200},
		{"talks as OpenAI's clients do", "POST", "/v1/chat/completions", chat, 200},
		{"talks in a stream", "POST", "/v1/chat/completions", `{"model":"chela","stream":true,"messages":[{"role":"user","content":"/help"}]}`, 200},
		{"streams a chat", "POST", "/api/chat/new/stream", `{"text":"/help"}`, 200},
		{"opens a socket", "GET", "/ws", "", 426},
		{"talks as agents elsewhere do", "POST", "/a2a/message:send", `{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"/help"}]}}`, 200},
		{"talks so in another project", "POST", "/a2a/message:send?project=" + other.ID, `{"message":{"messageId":"m2","role":"ROLE_USER","parts":[{"text":"/help"}]}}`, 403},
		{"lists its tasks", "GET", "/a2a/tasks", "", 200},
		{"lists models", "GET", "/v1/models", "", 200},
		{"reads another project", "GET", "/api/projects/" + other.ID + "/tickets", "", 403},
		{"merges no threads", "POST", "/api/projects/" + mine.ID + "/threads/merge", `{"sourceThreadIds":null}`, 422},
		{"makes a project", "POST", "/api/projects", `{"name":"z"}`, 403},
		{"asks about its project", "POST", "/api/ask", `{"projectId":"` + mine.ID + `","question":"How many tickets are open?","computed":true}`, 200},
		{"asks about another project", "POST", "/api/ask", `{"projectId":"` + other.ID + `","question":"How many tickets are open?","computed":true}`, 403},
		{"imports into its project", "POST", "/api/intake", `{"projectId":"` + mine.ID + `","content":"Ann: I will write it."}`, 202},
		{"imports into another project", "POST", "/api/intake", `{"projectId":"` + other.ID + `","content":"Ann: I will write it."}`, 403},
		{"imports what somebody uploaded", "POST", "/api/intake", `{"projectId":"` + mine.ID + `","uploadIds":["upl_1"]}`, 403},
		{"previews an import into another project", "POST", "/api/intake/preview", `{"projectId":"` + other.ID + `","file":{"name":"a.csv","data":"YQ=="}}`, 403},
		{"imports by the pipeline into another project", "POST", "/api/intake/pipeline", `{"projectId":"` + other.ID + `","content":"x"}`, 403},
		{"copies its project", "POST", "/api/projects/" + mine.ID + "/copy", `{"name":"z"}`, 403},
		{"talks in another project", "POST", "/api/chat", `{"text":"/help","projectId":"` + other.ID + `"}`, 403},
		{"reads the log", "GET", "/api/log", "", 403},
		{"exports the log", "GET", "/api/log/export", "", 403},
		{"logs in", "POST", "/api/login-link", "", 403},
		{"makes a key", "POST", "/api/keys", `{"name":"more"}`, 403},
		{"calls another tool", "POST", "/api/tools/create_ticket/invoke", `{}`, 403},
		{"cancels a run of another project by Clutch", "POST", "/api/clutch", clutch("task.cancel", "agent:me", elsewhere.Run, `{}`), 403},
		{"changes an agent", "PATCH", "/api/agents/pm", `{"name":"x"}`, 403},
		{"follows a run of another project", "GET", "/api/runs/" + elsewhere.Run + "/stream", "", 403},
		{"exports its project", "GET", "/api/projects/" + mine.ID + "/export", "", 200},
		{"exports another project", "GET", "/api/projects/" + other.ID + "/export", "", 403},
		{"follows the log", "GET", "/api/events", "", 403},
		{"moves its conversation", "POST", "/api/chat", `{"text":"/project Other"}`, 403},
	} {
		if code, said, _ := e.send(token, c.method, c.path, c.body); code != c.want {
			t.Errorf("a key %s: %d %s, want %d", c.name, code, said, c.want)
		}
	}
	if code, said, _ := e.send(token, "GET", "/api/projects", ""); code != 200 || !strings.Contains(said, mine.ID) || strings.Contains(said, other.ID) {
		t.Errorf("the projects that the key sees: %d %s", code, said)
	}
	if _, said, _ := e.send(token, "POST", "/api/chat", `{"text":"/project"}`); !strings.Contains(said, "Mine") || strings.Contains(said, "Other") {
		t.Errorf("asked for the projects, a key for one is told %s", said)
	}
	whole, _ := e.key(map[string]any{"name": "whole", "role": "owner", "project": mine.ID})
	register := clutch("agent.register", "agent:outer", "run_1", `{"card":{"agent_id":"agent:outer","name":"Outer","endpoints":{"http":"https://example.com"}}}`)
	if code, said, _ := e.send(whole, "POST", "/api/clutch", register); code != 403 || !strings.Contains(said, "for one project") {
		t.Errorf("a key for one project registers an agent: %d %s", code, said)
	}
	owner, _ := e.key(map[string]any{"name": "auto", "role": "owner"})
	_, person := e.member("Vi", "viewer")
	if code, said, _ := e.send(owner, "PATCH", "/api/persons/"+person, `{"role":"owner"}`); code != 403 || !strings.Contains(said, "opens nothing for others") {
		t.Errorf("a key makes somebody an owner: %d %s", code, said)
	}
}

// TestKey_IsShownOnceAndRevoked holds that no list shows a token, and that a revoked key opens nothing.
func TestKey_IsShownOnceAndRevoked(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	token, id := e.key(map[string]any{"name": "build", "role": "viewer", "perMinute": 600, "budget": map[string]any{"usd": 1.5}})
	for _, path := range []string{"/api/keys", "/api/tokens", "/api/budgets"} {
		code, said, _ := e.send(e.owner, http.MethodGet, path, "")
		if code != http.StatusOK || strings.Contains(said, token) || !strings.Contains(said, id) {
			t.Errorf("%s says %d %s", path, code, said)
		}
	}
	if code, said, _ := e.send(token, http.MethodPatch, "/api/agents/pm", `{"name":"x"}`); code != http.StatusForbidden || !strings.Contains(said, "the key") {
		t.Errorf("a key of a viewer changes an agent: %d %s", code, said)
	}
	e.call(e.owner, http.MethodDelete, "/api/tokens/"+id, nil, nil)
	if code, said, _ := e.send(token, http.MethodGet, "/api/me", ""); code != http.StatusUnauthorized {
		t.Errorf("a revoked key: %d %s", code, said)
	}
}

// TestKey_IsHeldToItsPace holds that a key that asks too often is told when to come again, and nobody else is.
func TestKey_IsHeldToItsPace(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	token, _ := e.key(map[string]any{"name": "flood", "perMinute": 12})
	for i := range 12 {
		if code, _, _ := e.send(token, http.MethodGet, "/api/me", ""); code != http.StatusOK {
			t.Fatalf("request %d of 12 in a minute: %d", i+1, code)
		}
	}
	if code, _, h := e.send(token, http.MethodGet, "/api/me", ""); code != http.StatusTooManyRequests || h.Get("Retry-After") == "" {
		t.Errorf("one more: %d, Retry-After %q", code, h.Get("Retry-After"))
	}
	if code, _, _ := e.send(e.owner, http.MethodGet, "/api/me", ""); code != http.StatusOK {
		t.Errorf("its person: %d", code)
	}
}

// TestKey_BadKeysAreRefused names what is wrong with each.
func TestKey_BadKeysAreRefused(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	editor, _ := e.member("Ed", "editor")
	for body, want := range map[string]string{
		`{"name":""}`:                                     "what the key is for",
		`{"name":"x","role":"admin"}`:                     "You have the role editor",
		`{"name":"x","tools":["no_such_tool"]}`:           "no_such_tool",
		`{"name":"x","project":"prj_none"}`:               "prj_none",
		`{"name":"x","tools":[]}`:                         "The list is empty",
		`{"name":"x","perMinute":-1}`:                     "perMinute",
		`{"name":"x","expiresAt":"2001-01-01T00:00:00Z"}`: "time to come",
		`{"name":"x","budget":{"usd":-1}}`:                "from 0 on",
	} {
		if code, said, _ := e.send(editor, http.MethodPost, "/api/keys", body); code < 400 || code >= 500 || !strings.Contains(said, want) {
			t.Errorf("%s: %d %s, want it to say %q", body, code, said, want)
		}
	}
}

// TestKey_WhatOneSaysIsItsOwn: two keys of a person that name a message alike say two things, and one that says it again says it once. What
// one began it follows.
func TestKey_WhatOneSaysIsItsOwn(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	var project struct {
		ID string `json:"id"`
	}
	e.call(e.owner, http.MethodPost, "/api/projects", map[string]string{"name": "Mine"}, &project)
	one, _ := e.key(map[string]any{"name": "one", "project": project.ID})
	two, _ := e.key(map[string]any{"name": "two"})
	say := func(token string) (out struct {
		Thread string `json:"threadId"`
		Run    string `json:"runId"`
		Again  bool   `json:"again"`
	},
	) {
		t.Helper()
		e.call(token, http.MethodPost, "/api/chat", map[string]string{"text": "Hello", "idempotencyKey": "k1"}, &out)
		return out
	}
	first := say(one)
	if again := say(one); !again.Again || again.Thread != first.Thread {
		t.Errorf("said again, it is in %+v, want %+v", again, first)
	}
	for _, token := range []string{two, e.owner} {
		if other := say(token); other.Again || other.Thread == first.Thread {
			t.Errorf("another one's message is taken for it: %+v", other)
		}
	}
	if code, said, _ := e.send(one, http.MethodGet, "/api/runs/"+first.Run+"/stream", ""); code != http.StatusOK {
		t.Errorf("the key follows its run: %d %s", code, said)
	}
}

// TestKey_SaysWhenItWasUsed also holds that a key made without a role is no owner's.
func TestKey_SaysWhenItWasUsed(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	token, id := e.key(map[string]any{"name": "build"})
	list := func() (role string, used *time.Time) {
		t.Helper()
		var keys []struct {
			ID   string     `json:"id"`
			Role string     `json:"role"`
			Used *time.Time `json:"usedAt"`
		}
		e.call(e.owner, http.MethodGet, "/api/keys", nil, &keys)
		if len(keys) != 1 || keys[0].ID != id {
			t.Fatalf("got the keys %+v", keys)
		}
		return keys[0].Role, keys[0].Used
	}
	if role, used := list(); role != "editor" || used != nil {
		t.Errorf("a new key has the role %s and was used at %v", role, used)
	}
	e.call(token, http.MethodGet, "/api/me", nil, nil)
	if _, used := list(); used == nil || time.Since(*used) > time.Minute {
		t.Errorf("a used key was used at %v", used)
	}
	var tokens []struct {
		Label string     `json:"label"`
		Used  *time.Time `json:"used_at"`
	}
	e.call(e.owner, http.MethodGet, "/api/tokens", nil, &tokens)
	for _, k := range tokens {
		if k.Used == nil {
			t.Errorf("the token %q, which opened something, is said to be unused", k.Label)
		}
	}
}
