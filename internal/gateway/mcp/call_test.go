package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// deadline bounds what a test waits for.
const deadline = 20 * time.Second

// answering puts questions to a test, which answers them.
func answering(action, choice string, asked chan<- string) *sdk.ClientOptions {
	return &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		asked <- r.Params.Message
		out := &sdk.ElicitResult{Action: action}
		if choice != "" {
			out.Content = map[string]any{"decision": choice, "note": "As you say."}
		}
		return out, nil
	}}
}

// TestServer_AnApprovedEdit has the user of an editor decide about edits that its model asks for.
func TestServer_AnApprovedEdit(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	if err := os.MkdirAll(filepath.Join(r.dir, "workspace", "coder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, way := range ways {
		for name, c := range map[string]struct {
			action, choice string
			done           bool
		}{
			"approved": {"accept", "approve", true},
			"denied":   {"accept", "deny", false},
			"declined": {"decline", "", false},
		} {
			t.Run(way+" "+name, func(t *testing.T) {
				t.Parallel()
				asked := make(chan string, 4)
				client := r.connect(t, way, r.token, "?agent=coder", answering(c.action, c.choice, asked))
				file := way + name + ".txt"
				if err := os.WriteFile(filepath.Join(r.dir, "workspace", "coder", file), []byte("a slow loop\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				text, res := call(t, client, "edit_file", map[string]any{"path": file, "old_text": "slow", "new_text": "fast"})
				raw, err := os.ReadFile(filepath.Join(r.dir, "workspace", "coder", file))
				if err != nil {
					t.Fatal(err)
				}
				if c.done == res.IsError || strings.Contains(string(raw), "fast") != c.done {
					t.Errorf("got %q and the file %q, want that it is %s", text, raw, name)
				}
				if q := <-asked; !strings.Contains(q, "+a fast loop") || !strings.Contains(q, file) {
					t.Errorf("the user was asked %q, want what would change", q)
				}
			})
		}
	}
}

// pending waits for the question that is asked, and returns its id and digest.
func (r *room) pending(t *testing.T) (id, digest string) {
	t.Helper()
	for end := time.Now().Add(deadline); time.Now().Before(end); {
		var all []struct{ ID, Digest string }
		if r.api(http.MethodGet, "/api/approvals?status=pending", "", &all); len(all) > 0 {
			return all[0].ID, all[0].Digest
		}
	}
	t.Fatal("nothing is asked")
	return "", ""
}

// TestServer_WaitsForThePage has calls of clients that cannot ask wait until somebody answers elsewhere.
func TestServer_WaitsForThePage(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t)
			heard := make(chan string, 100)
			c := r.connect(t, way, r.token, "?agent=coder", &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, p *sdk.ProgressNotificationClientRequest) { heard <- p.Params.Message }})

			text, res := call(t, c, "write_file", map[string]any{"path": "one.txt", "content": "1"}) // it hears of no progress
			if res.IsError || !strings.Contains(text, "chela approval approve apr_") || !strings.Contains(text, "await_run") {
				t.Fatalf("got %q, want how it goes on", text)
			}
			id, digest := r.pending(t)
			r.api(http.MethodPost, "/api/approvals/"+id, `{"choice":"approve","digest":"`+digest+`"}`, nil)
			if text, res := call(t, c, "await_run", map[string]any{"run": res.Meta["chela/run"]}); res.IsError || !strings.Contains(text, "one.txt") {
				t.Errorf("got %q, want the result", text)
			}

			p := &sdk.CallToolParams{Name: "write_file", Arguments: map[string]any{"path": "two.txt", "content": "2"}}
			p.SetProgressToken("t1")
			answered := make(chan struct{}) // the call may be over before whoever answered hears so
			go func() {
				defer close(answered)
				for text := range heard {
					if strings.Contains(text, "chela approval approve") {
						id, digest := r.pending(t)
						r.api(http.MethodPost, "/api/approvals/"+id, `{"choice":"approve","digest":"`+digest+`"}`, nil)
						return
					}
				}
			}()
			res, err := c.CallTool(t.Context(), p)
			if err != nil || res.IsError || !strings.Contains(textOf(res), "two.txt") {
				t.Fatalf("got %+v, %v", res, err)
			}
			<-answered
		})
	}
}

// TestServer_CancelledCall ends the run of a call that its client cancels.
func TestServer_CancelledCall(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t)
			c := r.connect(t, way, r.token, "?agent=coder", nil)
			p := &sdk.CallToolParams{Name: "write_file", Arguments: map[string]any{"path": "one.txt", "content": "1"}}
			p.SetProgressToken("t1") // it waits as long as it takes
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				r.pending(t)
				cancel()
			}()
			if _, err := c.CallTool(ctx, p); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want that it is cancelled", err)
			}
			state := ""
			for end := time.Now().Add(deadline); state != "cancelled" && time.Now().Before(end); {
				var all []struct{ State string }
				r.api(http.MethodGet, "/api/runs?kind=invocation", "", &all)
				state = all[0].State
			}
			if state != "cancelled" {
				t.Errorf("the run is %s, want it cancelled", state)
			}
		})
	}
}

// TestServer_Roles shows each caller what they may use, and asks nobody who may not answer.
func TestServer_Roles(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	viewer := r.member("Vera", "viewer")
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			names := func(token, query string) string {
				var out []string
				for tool, err := range r.connect(t, way, token, query, nil).Tools(t.Context(), nil) {
					if err != nil {
						t.Fatal(err)
					}
					out = append(out, tool.Name)
				}
				return " " + strings.Join(out, " ") + " "
			}
			all, less, pm := names(r.token, ""), names(viewer, ""), names(r.token, "?agent=pm")
			for list, c := range map[string]struct{ has, not string }{
				all:  {"create_ticket read_tickets write_file ask_agent await_run", "nothing"},
				less: {"read_tickets await_run", "create_ticket write_file ask_agent start_workflow"},
				pm:   {"update_ticket", "write_file shell_exec"},
			} {
				for _, n := range strings.Fields(c.has) {
					if !strings.Contains(list, " "+n+" ") {
						t.Errorf("%s is not in%s", n, list)
					}
				}
				for _, n := range strings.Fields(c.not) {
					if strings.Contains(list, " "+n+" ") {
						t.Errorf("%s is in%s", n, list)
					}
				}
			}
			if text, res := call(t, r.connect(t, way, r.token, "", nil), "read_tickets", map[string]any{}); !res.IsError || !strings.Contains(text, "projectId") || !strings.Contains(text, "?project=ID") {
				t.Errorf("a call in no project: got %q, want how a client names one", text)
			}
			c := r.connect(t, way, viewer, "", nil)
			if text, res := call(t, c, "create_ticket", map[string]any{"title": "No"}); !res.IsError || !strings.Contains(text, "editor") {
				t.Errorf("a viewer's ticket: got %q", text)
			}
			if text, res := call(t, c, "ask_agent", map[string]any{"message": "Hello"}); !res.IsError || !strings.Contains(text, "editor") {
				t.Errorf("a viewer's message: got %q", text)
			}
		})
	}
}

// TestServer_Keys keeps a program within its key, and lets it answer nothing.
func TestServer_Keys(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	var key struct{ Token string }
	r.api(http.MethodPost, "/api/keys", `{"name":"An editor","role":"editor","tools":["read_tickets","write_file"]}`, &key)
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			asked := make(chan string, 1)
			c := r.connect(t, way, key.Token, "?agent=coder", answering("accept", "approve", asked))
			var names []string
			for tool, err := range c.Tools(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, tool.Name)
			}
			if got, want := strings.Join(names, " "), "ask_agent await_run read_tickets start_workflow write_file"; got != want {
				t.Errorf("got the tools %s, want %s", got, want)
			}
			if text, res := call(t, c, "edit_file", map[string]any{"path": "a", "old_text": "b", "new_text": "c"}); !res.IsError || !strings.Contains(text, "does not allow") {
				t.Errorf("a tool that the key does not name: got %q", text)
			}
			if text, _ := call(t, c, "write_file", map[string]any{"path": way, "content": "1"}); !strings.Contains(text, "chela approval approve") || len(asked) > 0 {
				t.Errorf("got %q, want that a person is asked elsewhere", text)
			}
		})
	}
}

// TestServer_Refuses answers bad requests in the protocol's own way.
func TestServer_Refuses(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	bearer := "Bearer " + r.token
	begin := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	for name, c := range map[string]struct {
		method, path, body, token string
		code                      int
	}{
		"nobody":           {"POST", "/mcp", begin, "", 401},
		"a wrong token":    {"POST", "/mcp", begin, "Bearer chela_wrong", 401},
		"nobody, older":    {"GET", "/mcp/sse", "", "", 401},
		"no JSON":          {"POST", "/mcp", `{"jsonrpc":`, bearer, 400},
		"cut in a string":  {"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"`, bearer, 400},
		"too large":        {"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("x", 5<<20) + `"}}`, bearer, 413},
		"nested":           {"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + strings.Repeat(`{"a":`, 200_000) + "1" + strings.Repeat("}", 200_000) + `}`, bearer, 400},
		"no session":       {"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, bearer, 400},
		"another method":   {"PUT", "/mcp", begin, bearer, 405},
		"an older session": {"POST", "/mcp/sse?session=none", begin, bearer, 404},
		"below the door":   {"GET", "/mcp/none", "", bearer, 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res := r.ask(c.method, c.path, c.body, "Authorization", c.token)
			_ = res.Body.Close()
			if res.StatusCode != c.code && !(c.code == 400 && answersError(r, c.method, c.path, c.body, c.token)) {
				t.Errorf("got %d, want %d", res.StatusCode, c.code)
			}
			if got := res.Header.Get("WWW-Authenticate"); c.code == 401 && !strings.HasPrefix(got, "Bearer") {
				t.Errorf("got WWW-Authenticate %q", got)
			}
		})
	}
}

// answersError reports whether a request is answered with an error of JSON-RPC.
func answersError(r *room, method, path, body, token string) bool {
	_, said := r.send(method, path, body, "Authorization", token)
	_, data, ok := strings.Cut(said, "data: ")
	if !ok {
		data = said
	}
	var m struct {
		Error *struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	return json.NewDecoder(strings.NewReader(data)).Decode(&m) == nil && m.Error != nil
}

// TestServer_SessionsOfOthers keeps who did not open a session out of it.
func TestServer_SessionsOfOthers(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	other := r.member("Eve", "editor")
	begin := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	res := r.ask(http.MethodPost, "/mcp", begin, "Authorization", "Bearer "+r.token)
	_ = res.Body.Close()
	id := res.Header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatal("no session is opened")
	}
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		if code, said := r.send(method, "/mcp", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, "Authorization", "Bearer "+other, "Mcp-Session-Id", id); code != http.StatusForbidden {
			t.Errorf("%s: got %d %s", method, code, said)
		}
	}
	c := r.connect(t, "2026-07-28", other, "", nil)
	_, mine := call(t, r.connect(t, "2026-07-28", r.token, "", nil), "read_tickets", map[string]any{"projectId": r.project()})
	run, _ := mine.Meta["chela/run"].(string)
	if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "read_tickets", Arguments: map[string]any{}, RequestState: run + " apr_1"}); err == nil {
		t.Error("the result of another's call is given away")
	}
}

// TestServer_ToolsOfAnotherDaemon has an agent of one daemon use the tools of another, which is an MCP server to it:
// with a secret of the vault, once an owner has accepted them, and asked about as the policy says.
func TestServer_ToolsOfAnotherDaemon(t *testing.T) {
	t.Parallel()
	ours, theirs := newRoom(t), newRoom(t)
	project := theirs.project()
	ours.api(http.MethodPut, "/api/vault/secrets/OTHER", `{"value":"Bearer `+theirs.token+`"}`, nil)
	ours.api(http.MethodPost, "/api/mcp/servers", `{"name":"other","url":"`+theirs.url+`/mcp","inside":true,"secrets":{"Authorization":"OTHER"},"risks":{"read_tickets":"READ_ONLY"}}`, nil)
	var seen struct {
		Seen struct {
			Digest string `json:"digest"`
		} `json:"seen"`
		Changes []struct{ Name string } `json:"changes"`
	}
	if ours.api(http.MethodPost, "/api/mcp/servers/other/inspect", "", &seen); len(seen.Changes) < 20 {
		t.Fatalf("got %+v", seen)
	}
	invoke := func(tool, args string) (code int, said string) {
		return ours.send(http.MethodPost, "/api/tools/"+tool+"/invoke?agent=coder", args, "Authorization", "Bearer "+ours.token)
	}
	if code, said := invoke("other__read_tickets", `{}`); code != http.StatusNotFound {
		t.Errorf("before it is accepted: got %d %s", code, said)
	}
	if code, said := ours.send(http.MethodPost, "/api/mcp/servers/other/accept", `{"digest":"`+seen.Seen.Digest+`"}`, "Authorization", "Bearer "+ours.member("Ed", "admin")); code != http.StatusForbidden {
		t.Errorf("an admin accepts: got %d %s", code, said)
	}
	ours.api(http.MethodPost, "/api/mcp/servers/other/accept", `{"digest":"`+seen.Seen.Digest+`"}`, nil)
	if _, said := invoke("other__read_tickets", `{"projectId":"`+project+`"}`); !strings.Contains(said, "may not use other__read_tickets") {
		t.Errorf("for an agent whose list does not name it: got %s", said)
	}
	ours.api(http.MethodPatch, "/api/agents/coder", `{"tools":["*","other__*"]}`, nil)
	if code, said := invoke("other__create_ticket", `{"projectId":"`+project+`","title":"From next door"}`); code != http.StatusOK || !strings.Contains(said, `"success":true`) {
		t.Errorf("got %d %s", code, said)
	}
	if code, said := invoke("other__read_tickets", `{"projectId":"`+project+`"}`); code != http.StatusOK || !strings.Contains(said, "From next door") {
		t.Errorf("got %d %s", code, said)
	}
	if _, said := ours.send(http.MethodGet, "/api/log?limit=500", "", "Authorization", "Bearer "+ours.token); strings.Contains(said, theirs.token) || !strings.Contains(said, "mcp.tools.accepted") {
		t.Error("the log shows the secret, or not what was accepted")
	}
	ours.api(http.MethodDelete, "/api/mcp/servers/other", "", nil)
	if code, said := invoke("other__read_tickets", `{}`); code != http.StatusNotFound || !strings.Contains(said, "not there any more") {
		t.Errorf("after it is removed: got %d %s", code, said)
	}
}
