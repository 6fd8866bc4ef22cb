package ws_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"chela/internal/config"
	"chela/internal/gateway/client"
	"chela/internal/testkit/daemontest"
)

// A line is a program's connection to a daemon in this process.
type line struct {
	t     *testing.T
	url   string
	token string
	conn  *websocket.Conn
}

const script = `{"steps":[{"userQuery":"Make a ticket","agentResponses":[{"agentName":"pm","toolCalls":[{"name":"create_ticket","args":{"title":"From a socket"}}]},{"agentName":"pm","responseFallback":"Made."}]}],
	"otherwise":[{"agentName":"","responseFallback":"The budget is fine."}]}`

func newLine(t *testing.T) *line {
	t.Helper()
	d := daemontest.Run(t, daemontest.Setup{Script: script, Change: func(c *config.Config) {
		if err := os.WriteFile(filepath.Join(c.Data, "policy.yaml"), []byte("version: 1\nrules:\n  - {name: asked, answer: ask, tools: [create_ticket]}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}})
	l := &line{t: t, url: d.URL, token: d.Token}
	l.conn = l.dial(l.token)
	return l
}

func (l *line) dial(token string, headers ...string) *websocket.Conn {
	l.t.Helper()
	conn, err := l.try(token, headers...)
	if err != nil {
		l.t.Fatalf("dial: %v", err)
	}
	l.t.Cleanup(func() { _ = conn.Close() }) // it may be closed already
	return conn
}

func (l *line) try(token string, headers ...string) (*websocket.Conn, error) {
	h := http.Header{}
	if token != "" {
		h.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	conn, res, err := websocket.DefaultDialer.DialContext(l.t.Context(), "ws"+strings.TrimPrefix(l.url, "http")+"/ws", h)
	if res != nil {
		_ = res.Body.Close() // it has been taken over, or says why not
	}
	return conn, err
}

func (l *line) send(text string) {
	l.t.Helper()
	if err := l.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		l.t.Fatal(err)
	}
}

// until reads messages until one fits, and returns it with those before it.
func (l *line) until(what string, fits func(m map[string]any) bool) (found map[string]any, before []map[string]any) {
	l.t.Helper()
	if err := l.conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		l.t.Fatal(err)
	}
	for {
		var m map[string]any
		if err := l.conn.ReadJSON(&m); err != nil {
			l.t.Fatalf("%s did not come: %v; before it came %v", what, err, before)
		}
		if fits(m) {
			return m, before
		}
		before = append(before, m)
	}
}

func id(n float64) func(map[string]any) bool {
	return func(m map[string]any) bool { return m["id"] == n && m["method"] == nil }
}

// TestSocket_SaysAndHears has a program speak to an agent, hear the events of it, and go on from a cursor on another connection.
func TestSocket_SaysAndHears(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	l.send(`{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"type":"chat.message"}}`)
	began, _ := l.until("the subscription", id(1))
	after := began["result"].(map[string]any)["after"].(float64)
	l.send(`{"jsonrpc":"2.0","id":2,"method":"chat.send","params":{"text":"How is the budget?","agent":"pm","stream":true}}`)
	said, before := l.until("the answer", id(2))
	if r, ok := said["result"].(map[string]any); !ok || r["reply"] != "The budget is fine." {
		t.Errorf("answered %v", said)
	}
	delta := ""
	for _, m := range before {
		if p, ok := m["params"].(map[string]any); ok && m["method"] == "chat.delta" {
			delta += p["text"].(string)
		}
	}
	if delta != "The budget is fine." {
		t.Errorf("while it came, %q was shown", delta)
	}
	l.conn = l.dial(l.token)
	l.send(`{"jsonrpc":"2.0","id":"a","method":"subscribe","params":{"type":"chat.message","after":` + jsonOf(t, after) + `}}`)
	l.until("the answer as an event", func(m map[string]any) bool {
		p, _ := m["params"].(map[string]any)
		return m["method"] == "event" && strings.Contains(jsonOf(t, p["payload"]), "The budget is fine.")
	})
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestSocket_IsAskedAndAnswers has a program be called with a question, and its answer let the run go on.
func TestSocket_IsAskedAndAnswers(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	var project struct{ ID string }
	if err := client.New(l.url, l.token).Call(t.Context(), http.MethodPost, "/api/projects", map[string]string{"name": "P"}, &project); err != nil {
		t.Fatal(err)
	}
	l.send(`{"jsonrpc":"2.0","id":1,"method":"approvals.ask"}`)
	l.until("that it is asked", id(1))
	l.send(`{"jsonrpc":"2.0","id":2,"method":"chat.send","params":{"text":"Make a ticket","agent":"pm","projectId":"` + project.ID + `","stream":true}}`)
	asked, _ := l.until("the question", func(m map[string]any) bool { return m["method"] == "approval.decide" })
	l.send(`{"jsonrpc":"2.0","id":"nobody","result":{"choice":"approve"}}`) // decides nothing
	l.send(`{"jsonrpc":"2.0","id":"` + asked["id"].(string) + `","result":{"choice":"approve"}}`)
	said, _ := l.until("the answer", id(2))
	if r, ok := said["result"].(map[string]any); !ok || r["reply"] != "Made." {
		t.Errorf("after the approval it is answered %v", said)
	}
}

// TestSocket_OlderPrograms subscribe by the messages of the system that they were written for.
func TestSocket_OlderPrograms(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	var project struct{ ID string }
	c := client.New(l.url, l.token)
	if err := c.Call(t.Context(), http.MethodPost, "/api/projects", map[string]string{"name": "P"}, &project); err != nil {
		t.Fatal(err)
	}
	l.send(`{"type":"SUBSCRIBE_PROJECT","projectId":"` + project.ID + `"}`)
	l.until("the subscription", func(m map[string]any) bool { return m["type"] == "SUBSCRIBED" })
	if err := c.Call(t.Context(), http.MethodPost, "/api/projects/"+project.ID+"/tickets", map[string]string{"title": "x"}, nil); err != nil {
		t.Fatal(err)
	}
	l.until("the ticket", func(m map[string]any) bool {
		p, _ := m["payload"].(map[string]any)
		return m["type"] == "EVENT" && p["type"] == "desk.ticket.created"
	})
	l.send(`{"type":"SEND_MESSAGE"}`)
	l.until("a refusal", func(m map[string]any) bool { return m["type"] == "ERROR" })
}

// TestSocket_BadMessages are answered with the codes of JSON-RPC, and end nothing.
func TestSocket_BadMessages(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	for _, c := range []struct {
		text string
		want float64
	}{
		{`{`, -32700},
		{`[1]`, -32600},
		{`{"id":1,"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":"nothing","method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"text":"a","text":"b"}}`, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"Text":"a"}}`, -32602},
		{`{"jsonrpc":"2.0","id":1,"method":"nothing"}`, -32601},
		{`{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"text":""}}`, -32602},
		{`{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"words":"x"}}`, -32602},
		{`{"jsonrpc":"2.0","id":1,"method":"chat.send","params":{"text":"x","threadId":"thr_none"}}`, -32000},
		{`{"jsonrpc":"2.0","id":1,"method":"run.cancel","params":{"runId":"run_none"}}`, -32000},
		{`{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"type":"run.finishd"}}`, -32602},
		{`{"jsonrpc":"2.0","id":1,"method":"unsubscribe","params":{"subscription":"x"}}`, -32000},
		{`{"jsonrpc":"2.0","id":1,"method":"approvals.decide","params":{"id":"apr_none","choice":"approve"}}`, -32000},
	} {
		l.send(c.text)
		m, _ := l.until("an error for "+c.text, func(m map[string]any) bool { return m["error"] != nil })
		if e, ok := m["error"].(map[string]any); !ok || e["code"] != c.want || e["message"] == "" {
			t.Errorf("%s is answered %v, want the code %v", c.text, m, c.want)
		}
	}
	l.send(`{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	l.until("the answer to a ping", id(9))
}

// TestSocket_WhoComesIn holds that nobody comes in without a token or from another page, and that a token that is revoked
// ends the connection.
func TestSocket_WhoComesIn(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	for name, try := range map[string][]string{"no token": {""}, "a wrong token": {"chela_wrong"}, "another page": {l.token, "Origin", "https://evil.example"}} {
		if conn, err := l.try(try[0], try[1:]...); err == nil {
			_ = conn.Close()
			t.Errorf("who has %s comes in", name)
		}
	}
	var made struct {
		Key   struct{ ID string }
		Token string
	}
	c := client.New(l.url, l.token)
	if err := c.Call(t.Context(), http.MethodPost, "/api/keys", map[string]string{"name": "socket", "role": "viewer"}, &made); err != nil {
		t.Fatal(err)
	}
	l.conn = l.dial(made.Token)
	l.send(`{"jsonrpc":"2.0","id":1,"method":"run.cancel","params":{"runId":"run_x"}}`)
	m, _ := l.until("a refusal", id(1))
	if !strings.Contains(jsonOf(t, m), "needs the role editor") {
		t.Errorf("a viewer's key cancels a run: %v", m)
	}
	if err := c.Call(t.Context(), http.MethodDelete, "/api/tokens/"+made.Key.ID, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := l.conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.conn.ReadMessage(); err == nil || strings.Contains(err.Error(), "timeout") {
		t.Errorf("after its key was revoked the connection goes on: %v", err)
	}
}

// TestSocket_ShowsNobodyTheNotesOfOthers holds that a note is heard by its person alone, whatever is subscribed.
func TestSocket_ShowsNobodyTheNotesOfOthers(t *testing.T) {
	t.Parallel()
	l := newLine(t)
	owner := client.New(l.url, l.token)
	var link, made struct{ Token string }
	for _, c := range []struct {
		by   *client.Client
		path string
		body any
		out  any
	}{
		{owner, "/api/persons/invite", map[string]string{"name": "Eve", "role": "admin"}, &link},
		{owner, "/api/notes", map[string]string{"content": "The owner likes tea."}, nil},
	} {
		if err := c.by.Call(t.Context(), http.MethodPost, c.path, c.body, c.out); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.New(l.url, "").Call(t.Context(), http.MethodPost, "/api/persons/accept", map[string]string{"token": link.Token}, &made); err != nil {
		t.Fatal(err)
	}
	for token, shown := range map[string]bool{l.token: true, made.Token: false} {
		l.conn = l.dial(token)
		l.send(`{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"type":"memory.*","after":0}}`)
		m, _ := l.until("the note", func(m map[string]any) bool { return m["method"] == "event" })
		if strings.Contains(jsonOf(t, m), "likes tea") != shown {
			t.Errorf("is the owner: %t; the note comes as %v", shown, m)
		}
	}
}
