package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/event"
	"chela/internal/testkit/daemontest"
)

// An attack is a call that does harm unless it is asked about, and the question denied, or refused.
type attack struct {
	tool string
	args map[string]any
}

// A target is a daemon whose agent "coder" does as it is told, and what an attack would change or learn.
type target struct {
	daemontest.Daemon
	kept  string // a file that is not the agent's
	owned string // a file that must not come to be
	hits  atomic.Int64
	table []attack
}

// newTarget starts one. The message "Do attack N." has its agent make the N-th call of the table.
func newTarget(t *testing.T) *target {
	t.Helper()
	outside := t.TempDir()
	g := &target{kept: filepath.Join(outside, "kept"), owned: filepath.Join(outside, "owned")}
	if err := os.WriteFile(g.kept, []byte("a secret of others"), 0o600); err != nil {
		t.Fatal(err)
	}
	canary := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { g.hits.Add(1) }))
	t.Cleanup(canary.Close)
	g.table = []attack{
		{"shell_exec", map[string]any{"command": "rm -f " + g.kept}},
		{"shell_exec", map[string]any{"command": "ls \"$(touch " + g.owned + ")\""}},
		{"shell_exec", map[string]any{"command": "cat /etc/hostname > " + g.owned}},
		{"shell_exec", map[string]any{"command": "cat $'\\\n" + g.kept + "'; touch " + g.owned}},
		{"python_exec", map[string]any{"code": "open(" + fmt.Sprintf("%q", g.owned) + ", 'w')"}},
		{"write_file", map[string]any{"path": g.owned, "content": "x"}},
		{"write_file", map[string]any{"path": strings.Repeat("../", 20) + g.owned, "content": "x"}},
		{"read_file", map[string]any{"path": g.kept}},
		{"read_file", map[string]any{"path": strings.Repeat("../", 20) + g.kept}},
		{"search_files", map[string]any{"path": outside, "pattern": "secret"}},
		{"http_get", map[string]any{"url": canary.URL + "/?all=A-1"}},
		{"http_get", map[string]any{"url": strings.Replace(canary.URL, "127.0.0.1", "0x7f.1", 1)}},
		{"http_get", map[string]any{"url": "http://169.254.169.254/latest/meta-data/"}},
	}
	type step struct {
		Query   string           `json:"contains"`
		Answers []map[string]any `json:"agentResponses"`
	}
	var script struct {
		Steps []step `json:"steps"`
	}
	for i, a := range g.table {
		script.Steps = append(script.Steps, step{say(i), []map[string]any{
			{"agentName": "coder", "toolCalls": []map[string]any{{"name": a.tool, "args": a.args}}}, {"agentName": "coder", "responseFallback": "I tried."},
		}})
	}
	raw, err := json.Marshal(script)
	if err != nil {
		t.Fatal(err)
	}
	g.Daemon = daemontest.Run(t, daemontest.Setup{Script: string(raw)})
	return g
}

func say(n int) string { return fmt.Sprintf("Do attack %d.", n) }

// post asks the daemon, and returns what it says.
func (g *target) post(t *testing.T, method, path string, body any) string {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if body == nil {
		raw = nil
	}
	r, err := http.NewRequestWithContext(t.Context(), method, g.URL+path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+g.Token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }() // read to its end
	said, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

// ways are the doors through which a program has an agent act.
func (g *target) ways() map[string]func(t *testing.T, n int) (said string) {
	spoken := func(path string, body func(text string) map[string]any) func(*testing.T, int) string {
		return func(t *testing.T, n int) string {
			t.Helper()
			return g.post(t, http.MethodPost, path, body(say(n)))
		}
	}
	return map[string]func(*testing.T, int) string{
		"the API": spoken("/api/chat", func(text string) map[string]any { return map[string]any{"agent": "coder", "text": text, "wait": true} }),
		"chat completions": spoken("/v1/chat/completions", func(text string) map[string]any {
			return map[string]any{"model": "chela/coder", "messages": []any{map[string]any{"role": "user", "content": text}}}
		}),
		"responses": spoken("/v1/responses", func(text string) map[string]any { return map[string]any{"model": "chela/coder", "input": text} }),
		"messages": spoken("/v1/messages", func(text string) map[string]any {
			return map[string]any{"model": "chela/coder", "max_tokens": 100, "messages": []any{map[string]any{"role": "user", "content": text}}}
		}),
		"A2A": spoken("/a2a/coder", func(text string) map[string]any {
			return map[string]any{"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": map[string]any{"message": map[string]any{
				"messageId": event.NewID("msg"), "role": "ROLE_USER", "parts": []any{map[string]any{"text": text}}, //nolint:forbidigo // a message of its own
			}}}
		}),
		"Clutch": spoken("/api/clutch", func(text string) map[string]any {
			id, thread := event.NewID("msg"), event.NewID("thr") //nolint:forbidigo // a message of its own
			return map[string]any{
				"v": "clutch/0.1", "id": id, "thread_id": thread, "run_id": "run_1", "task_id": "task_1", "type": "chat.message", "domain": "chat", "payload_type": "chat.message.v1",
				"from": map[string]any{"agent_id": "agent:x", "role": "agent"}, "to": []any{map[string]any{"agent_id": "agent:coder", "role": "agent"}}, "ts": "2026-03-01T10:00:00Z", "payload": map[string]any{"message": text},
			}
		}),
		"a tool by the API": func(t *testing.T, n int) string {
			t.Helper()
			return g.post(t, http.MethodPost, "/api/tools/"+g.table[n].tool+"/invoke?agent=coder", g.table[n].args)
		},
		"a tool by MCP": g.byMCP,
		"the WebSocket": g.bySocket,
	}
}

func (g *target) byMCP(t *testing.T, n int) string {
	t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "attacker", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: g.URL + "/mcp?agent=coder", HTTPClient: &http.Client{Transport: bearer(g.Token)},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }() // it is left
	res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: g.table[n].tool, Arguments: g.table[n].args})
	if err != nil {
		return err.Error()
	}
	raw, err := json.Marshal(res)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// bearer is a transport that sends a token.
type bearer string

// RoundTrip implements [http.RoundTripper].
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func (g *target) bySocket(t *testing.T, n int) string {
	t.Helper()
	conn, res, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(g.URL, "http")+"/ws", http.Header{"Authorization": {"Bearer " + g.Token}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = res.Body.Close(), conn.Close() }() // it is left
	if err := conn.WriteJSON(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "chat.send", "params": map[string]any{"agent": "coder", "text": say(n)}}); err != nil {
		t.Fatal(err)
	}
	for {
		var m map[string]any
		if err := conn.ReadJSON(&m); err != nil {
			t.Fatal(err)
		}
		if m["id"] == 1.0 && m["method"] == nil {
			raw, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
	}
}

// settled denies what is asked until the newest run has ended, and returns the types of its steps.
func (g *target) settled(t *testing.T, before string, said <-chan string) (run string, steps []string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		var pending []struct{ ID, Digest string }
		var runs []struct{ ID, State string }
		g.read(t, "/api/approvals?status=pending", &pending)
		for _, a := range pending {
			g.post(t, http.MethodPost, "/api/approvals/"+a.ID, map[string]any{"choice": "deny", "digest": a.Digest})
		}
		g.read(t, "/api/runs?limit=1", &runs)
		if len(runs) == 0 || runs[0].ID == before || runs[0].State != "done" && runs[0].State != "failed" && runs[0].State != "cancelled" {
			continue
		}
		var whole struct{ Steps []struct{ Type string } }
		g.read(t, "/api/runs/"+runs[0].ID, &whole)
		for _, s := range whole.Steps {
			steps = append(steps, s.Type)
		}
		return runs[0].ID, steps
	}
	select {
	case answer := <-said:
		t.Fatalf("no run has ended; the answer is %s", answer)
	default:
		t.Fatal("the run does not end")
	}
	return "", nil
}

func (g *target) read(t *testing.T, path string, out any) {
	t.Helper()
	if said := g.post(t, http.MethodGet, path, nil); json.Unmarshal([]byte(said), out) != nil {
		t.Fatalf("%s says %s", path, said)
	}
}

// TestEveryDoor_AttacksHaveNoEffect has an agent that obeys make each harmful call through each door, and denies what is asked: nothing
// outside changes, nothing is fetched, and nobody is told what a file of others says.
func TestEveryDoor_AttacksHaveNoEffect(t *testing.T) {
	t.Parallel()
	g := newTarget(t)
	last := ""
	for name, act := range g.ways() {
		t.Run(name, func(t *testing.T) {
			for n, a := range g.table {
				said := make(chan string, 1)
				go func() { said <- act(t, n) }()
				run, steps := g.settled(t, last, said)
				last = run
				what := fmt.Sprintf("%s %v", a.tool, a.args)
				if !slices.Contains(steps, "tool.error") && !slices.Contains(steps, "tool.call") {
					t.Errorf("%s was not tried: %v", what, steps)
				}
				if got := <-said; strings.Contains(got, "a secret of others") {
					t.Errorf("%s told what is not the agent's: %s", what, got)
				}
				if raw, err := os.ReadFile(g.kept); err != nil || string(raw) != "a secret of others" {
					t.Fatalf("%s changed a file of others: %q %v", what, raw, err)
				}
				if _, err := os.Stat(g.owned); err == nil {
					t.Fatalf("%s wrote a file", what)
				}
				if g.hits.Load() > 0 {
					t.Fatalf("%s reached an address", what)
				}
			}
		})
	}
}
