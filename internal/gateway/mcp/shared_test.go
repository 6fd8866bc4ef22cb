package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// shareWays are the specifications that clients of a shared server speak.
var shareWays = []string{"2026-07-28", "2025-11-25"}

// A hub is a server of others.
type hub struct {
	url    string
	server *sdk.Server
	called chan string // the tools that were called
	left   chan string // those whose call was cancelled
}

// result is what the tool look gives: more than a text.
const result = `{"content":[{"type":"text","text":"seen"},{"type":"audio","data":"AAAA","mimeType":"audio/wav"}],"structuredContent":{"deep":[1,2]}}`

// newHub starts a server with tools, a resource, a prompt and completion.
func newHub(t *testing.T) *hub {
	t.Helper()
	h := &hub{called: make(chan string, 100), left: make(chan string, 10)}
	h.server = sdk.NewServer(&sdk.Implementation{Name: "hub-of-others", Version: "7"}, &sdk.ServerOptions{
		Instructions: "Look, then leap.",
		CompletionHandler: func(_ context.Context, r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{r.Params.Argument.Value + "ern"}}}, nil
		},
		SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
	})
	h.add("look", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		out := new(sdk.CallToolResult)
		return out, json.Unmarshal([]byte(result), out)
	})
	h.add("tell", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "the key is sesame-open-0042"}}}, nil
	})
	h.add("ask", asks)
	h.add("wait", func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		<-ctx.Done()
		h.left <- "wait"
		return nil, ctx.Err()
	})
	h.server.AddResource(&sdk.Resource{URI: "hub://notes", Name: "notes"}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "a note"}}}, nil
	})
	h.server.AddPrompt(&sdk.Prompt{Name: "greet", Arguments: []*sdk.PromptArgument{{Name: "whom"}}}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Greet " + r.Params.Arguments["whom"]}}}}, nil
	})
	of := func(*http.Request) *sdk.Server { return h.server }
	sessions := sdk.NewStreamableHTTPHandler(of, nil)
	single := sdk.NewStreamableHTTPHandler(of, &sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= "2026-07-28" {
			single.ServeHTTP(w, r)
			return
		}
		sessions.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	h.url = s.URL
	return h
}

func (h *hub) add(name string, do sdk.ToolHandler) {
	h.server.AddTool(&sdk.Tool{Name: name, Description: "Of the hub: " + name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		h.called <- name
		return do(ctx, r)
	})
}

// asks puts a question to the user of the client by the way that its specification has.
func asks(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	form := &sdk.ElicitParams{Message: "Which colour?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"colour":{"type":"string"}}}`)}
	got, ok := r.Params.InputResponses["colour"].(*sdk.ElicitResult)
	switch c := r.ClientCapabilities(); {
	case c == nil || c.Elicitation == nil:
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "nobody can be asked"}}}, nil
	case r.ProtocolVersion() < "2026-07-28":
		var err error
		if got, err = r.Session.Elicit(ctx, form); err != nil {
			return nil, err
		}
	case !ok:
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"colour": form}, RequestState: "half"}, nil
	}
	text, _ := got.Content["colour"].(string)
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: got.Action + " " + text + " " + r.Params.RequestState}}}, nil
}

// A raw server answers as a script says, which the SDK would not.
func rawServer(t *testing.T, tools string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&asked) // a GET has no body
		answer := map[string]string{
			"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}`,
			"tools/list": `{"tools":` + tools + `}`, "tools/call": `{"content":[{"type":"text","text":"done"}]}`,
		}[asked.Method]
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case len(asked.ID) == 0:
			w.WriteHeader(http.StatusAccepted)
		case answer == "":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"error":{"code":-32601,"message":"no"}}`)) // as below
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":` + answer + `}`)) // the client is gone
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestShared_OddSchemas offers what can be offered of a server whose schemas are odd, at both doors.
func TestShared_OddSchemas(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.use(t, &hub{url: rawServer(t, `[{"name":"bare","description":"B.","inputSchema":{"properties":{"a":{"type":"string"}}}},
		{"name":"heads","description":"H.","inputSchema":{"type":"object","properties":{"a":{"type":"array","x-mcp-header":"no header\r\n"}}}}]`)}, "")
	r.share(`{}`)
	for _, way := range shareWays {
		c := r.connect(t, way, r.token, atHub, nil)
		if got := names(t, c); got != "bare" {
			t.Errorf("%s: got the tools %q", way, got)
		}
		if text, res := call(t, c, "bare", nil); res.IsError || text != "done" {
			t.Errorf("%s: got %q", way, text)
		}
		if got := names(t, r.connect(t, way, r.token, "?agent=coder", nil)); !strings.Contains(got, "hub__bare") || strings.Contains(got, "hub__heads") {
			t.Errorf("%s: at our own door: got the tools %q", way, got)
		}
	}
}

// use adds a hub whose tools are accepted, and gives them to the agent coder.
func (r *room) use(t *testing.T, h *hub, entry string) {
	t.Helper()
	r.api(http.MethodPost, "/api/mcp/servers", `{"name":"hub","url":"`+h.url+`","inside":true`+entry+`}`, nil)
	var seen struct {
		Seen struct{ Digest string } `json:"seen"`
	}
	r.api(http.MethodPost, "/api/mcp/servers/hub/inspect", "", &seen)
	r.api(http.MethodPost, "/api/mcp/servers/hub/accept", `{"digest":"`+seen.Seen.Digest+`"}`, nil)
	r.api(http.MethodPatch, "/api/agents/coder", `{"tools":["hub__*"]}`, nil)
}

func (r *room) share(share string) { r.api(http.MethodPut, "/api/mcp/servers/hub/share", share, nil) }

const atHub = "/servers/hub"

func names(t *testing.T, c *sdk.ClientSession) string {
	t.Helper()
	var out []string
	for tool, err := range c.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, tool.Name)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestShared_IsTheServer uses a server of others through the door: it is that server, and each call is a run of ours.
func TestShared_IsTheServer(t *testing.T) {
	t.Parallel()
	for _, way := range shareWays {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			r, h := newRoom(t), newHub(t)
			r.use(t, h, "")
			r.share(`{"resources":true,"prompts":true}`)
			heard := make(chan string, 16)
			c := r.connect(t, way, r.token, atHub, &sdk.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, u *sdk.ResourceUpdatedNotificationRequest) { heard <- u.Params.URI }})
			if is := c.InitializeResult(); is.ServerInfo == nil || is.ServerInfo.Name != "hub-of-others" || is.Instructions != "Look, then leap." {
				t.Errorf("the server is %+v", is.ServerInfo)
			}
			if got := names(t, c); got != "ask look tell wait" {
				t.Errorf("got the tools %s", got)
			}
			text, res := call(t, c, "look", nil)
			raw, err := json.Marshal(res)
			if err != nil || text != "seen" || !strings.Contains(string(raw), `"audio/wav"`) || !strings.Contains(string(raw), `"deep":[1,2]`) {
				t.Errorf("got %s, %v, want all that the server gave", raw, err)
			}
			if got, err := c.ListResources(t.Context(), nil); err != nil || len(got.Resources) != 1 {
				t.Errorf("got %+v, %v", got, err)
			}
			if got, err := c.ListPrompts(t.Context(), nil); err != nil || len(got.Prompts) != 1 {
				t.Errorf("got %+v, %v", got, err)
			}
			if got, err := c.ListResourceTemplates(t.Context(), nil); err != nil || len(got.ResourceTemplates) != 0 {
				t.Errorf("got %+v, %v", got, err)
			}
			if got, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "hub://notes"}); err != nil || got.Contents[0].Text != "a note" {
				t.Errorf("got %+v, %v", got, err)
			}
			if _, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "hub://none"}); err == nil || !strings.Contains(err.Error(), "not found") {
				t.Errorf("got %v, want the server's own error", err)
			}
			got, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "greet", Arguments: map[string]string{"whom": "Ada"}})
			if text, ok := got.Messages[0].Content.(*sdk.TextContent); err != nil || !ok || text.Text != "Greet Ada" {
				t.Errorf("got %+v, %v", got, err)
			}
			done, err := c.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/prompt", Name: "greet"}, Argument: sdk.CompleteParamsArgument{Name: "whom", Value: "B"}})
			if err != nil || !slices.Contains(done.Completion.Values, "Bern") {
				t.Errorf("got %+v, %v", done, err)
			}
			r.hears(t, h, c, heard)
			r.recorded(t, "run.finished", "tool.call", "mcp.server.asked")
		})
	}
}

// hears holds that a subscriber hears of a change.
func (r *room) hears(t *testing.T, h *hub, c *sdk.ClientSession, heard <-chan string) {
	t.Helper()
	if err := c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "hub://notes"}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(deadline); ; {
		if err := h.server.ResourceUpdated(t.Context(), &sdk.ResourceUpdatedNotificationParams{URI: "hub://notes"}); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-heard:
			if got != "hub://notes" {
				t.Errorf("heard of %s", got)
			}
			return
		case <-time.After(50 * time.Millisecond):
			if time.Now().After(end) {
				t.Fatal("nothing is heard of a change")
			}
		}
	}
}

// recorded holds that events are in the log.
func (r *room) recorded(t *testing.T, kinds ...string) {
	t.Helper()
	for _, kind := range kinds {
		var all struct{ Events []json.RawMessage }
		if r.api(http.MethodGet, "/api/log?type="+kind, "", &all); len(all.Events) == 0 {
			t.Errorf("no %s is in the log", kind)
		}
	}
}

// TestShared_WhoMay holds who sees what of a shared server.
func TestShared_WhoMay(t *testing.T) {
	t.Parallel()
	r, h := newRoom(t), newHub(t)
	r.use(t, h, "")
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	enter := func(token string) int {
		code, _ := r.send(http.MethodPost, "/mcp"+atHub, hello, "Authorization", "Bearer "+token)
		return code
	}
	if code := enter(r.token); code != http.StatusNotFound {
		t.Errorf("a server that is not shared: got %d", code)
	}
	if code := enter("wrong"); code != http.StatusUnauthorized {
		t.Errorf("nobody: got %d", code)
	}
	r.share(`{"tools":["look"]}`)
	if code := enter(r.member("Vera", "viewer")); code != http.StatusForbidden {
		t.Errorf("a viewer: got %d", code)
	}
	for _, way := range shareWays {
		c := r.connect(t, way, r.token, atHub, nil)
		if got := names(t, c); got != "look" {
			t.Errorf("%s: of one tool that is shared: got %s", way, got)
		}
		if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "tell"}); err == nil {
			t.Errorf("%s: one that is not shared is called", way)
		}
		if caps := c.InitializeResult().Capabilities; caps.Resources != nil || caps.Prompts != nil {
			t.Errorf("%s: what is not shared is offered: %+v", way, caps)
		}
	}
	r.share(`{}`)
	var key struct {
		Token string `json:"token"`
	}
	r.api(http.MethodPost, "/api/keys", `{"name":"bot","role":"editor","tools":["hub__tell"]}`, &key)
	c := r.connect(t, "2025-11-25", key.Token, atHub, nil)
	if got := names(t, c); got != "tell" {
		t.Errorf("a key of one tool sees %s", got)
	}
	if text, res := call(t, c, "look", nil); !res.IsError || !strings.Contains(text, "does not allow") {
		t.Errorf("a key calls what it may not: %s", text)
	}
	r.api(http.MethodDelete, "/api/mcp/servers/hub/share", "", nil)
	if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "tell"}); err == nil {
		t.Error("a tool is called of a server that is not shared any more")
	}
	if len(h.called) > 0 {
		t.Errorf("the server was asked for %s", <-h.called)
	}
}

// TestShared_AsksTheCallersClient passes the questions of a server on, where the owner allows it.
func TestShared_AsksTheCallersClient(t *testing.T) {
	t.Parallel()
	for _, way := range shareWays {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			r, h := newRoom(t), newHub(t)
			r.use(t, h, "")
			user := &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"colour": "red"}}, nil
			}}
			r.share(`{}`)
			if text, _ := call(t, r.connect(t, way, r.token, atHub, user), "ask", nil); text != "nobody can be asked" {
				t.Errorf("without the owner's leave: got %q", text)
			}
			r.share(`{"questions":true}`)
			if text, _ := call(t, r.connect(t, way, r.token, atHub, nil), "ask", nil); text != "nobody can be asked" {
				t.Errorf("a client that cannot: got %q", text)
			}
			if text, _ := call(t, r.connect(t, way, r.token, atHub, user), "ask", nil); !strings.HasPrefix(text, "accept red") {
				t.Errorf("got %q", text)
			}
		})
	}
}

// TestShared_ChangedBetweenCalls: a call that comes after a change is not made over what ends by it.
func TestShared_ChangedBetweenCalls(t *testing.T) {
	t.Parallel()
	r, h := newRoom(t), newHub(t)
	r.use(t, h, "")
	r.share(`{}`)
	c := r.connect(t, "2026-07-28", r.token, atHub, nil)
	for n := range 20 {
		r.share(fmt.Sprintf(`{"questions":%t}`, n%2 == 0))
		if text, _ := call(t, c, "look", nil); text != "seen" {
			t.Errorf("after change %d: got %q", n, text)
		}
	}
}

// TestShared_IsAskedAbout has a person decide about a call that the guard asks about, before the server hears of it.
func TestShared_IsAskedAbout(t *testing.T) {
	t.Parallel()
	for _, way := range shareWays {
		for choice, done := range map[string]bool{"approve": true, "deny": false} {
			t.Run(way+" "+choice, func(t *testing.T) {
				t.Parallel()
				r, h := newRoom(t), newHub(t)
				r.use(t, h, `,"risk":"EXEC_SHELL"`)
				r.share(`{"resources":true}`)
				asked := make(chan string, 4)
				c := r.connect(t, way, r.token, atHub, answering("accept", choice, asked))
				text, res := call(t, c, "look", nil)
				if res.IsError == done || (text == "seen") != done {
					t.Errorf("got %q", text)
				}
				if q := <-asked; !strings.Contains(q, "look of the MCP server hub") {
					t.Errorf("the user was asked %q", q)
				}
				if got := len(h.called) > 0; got != done {
					t.Errorf("the server was called: %v", got)
				}
				_, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "hub://notes"})
				if (err == nil) != done {
					t.Errorf("a resource: got %v", err)
				}
			})
		}
	}
}

// TestShared_CancelledCall ends a call at the server when its client cancels it.
func TestShared_CancelledCall(t *testing.T) {
	t.Parallel()
	for _, way := range shareWays {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			r, h := newRoom(t), newHub(t)
			r.use(t, h, "")
			r.share(`{}`)
			c := r.connect(t, way, r.token, atHub, nil)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-h.called
				cancel()
			}()
			if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "wait"}); err == nil {
				t.Error("the call has a result")
			}
			select {
			case <-h.left:
			case <-time.After(deadline):
				t.Error("the server does not hear of it")
			}
		})
	}
}

// TestShared_KeepsSecretsAndDigests takes our secrets out of what a server gives, and calls no tool that has changed.
func TestShared_KeepsSecretsAndDigests(t *testing.T) {
	t.Parallel()
	r, h := newRoom(t), newHub(t)
	r.api(http.MethodPut, "/api/vault/secrets/HUB", `{"value":"sesame-open-0042"}`, nil)
	r.use(t, h, `,"secrets":{"X-Key":"HUB"}`)
	r.share(`{}`)
	for _, way := range shareWays {
		if text, _ := call(t, r.connect(t, way, r.token, atHub, nil), "tell", nil); strings.Contains(text, "sesame") || !strings.Contains(text, "the key is") {
			t.Errorf("%s: got %q", way, text)
		}
	}
	h.server.AddTool(&sdk.Tool{Name: "look", Description: "Another.", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		h.called <- "another"
		return &sdk.CallToolResult{}, nil
	})
	for _, way := range shareWays {
		c := r.connect(t, way, r.token, atHub, nil)
		for end := time.Now().Add(deadline); strings.Contains(names(t, c), "look"); {
			if time.Now().After(end) {
				t.Fatalf("%s: a changed tool is offered", way)
			}
		}
		if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "look"}); err == nil {
			t.Errorf("%s: a changed tool is called", way)
		}
	}
	for len(h.called) > 0 {
		if got := <-h.called; got == "another" {
			t.Error("the server was asked for it")
		}
	}
}

// TestShared_MakesPlace lets clients in that come after those that left without a word.
func TestShared_MakesPlace(t *testing.T) {
	t.Parallel()
	r, h := newRoom(t), newHub(t)
	r.use(t, h, "")
	r.share(`{}`)
	enter := func(body string, headers ...string) (int, string) {
		res := r.ask(http.MethodPost, "/mcp"+atHub, body, append(headers, "Authorization", "Bearer "+r.token)...)
		_, err := io.Copy(io.Discard, res.Body) // at its end the session is at rest
		if err := errors.Join(err, res.Body.Close()); err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, res.Header.Get("Mcp-Session-Id")
	}
	var first string
	for n := range 66 { // 64 have a place
		code, id := enter(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		if code != http.StatusOK {
			t.Fatalf("client %d: got %d", n+1, code)
		}
		if first == "" {
			first = id
		}
	}
	if code, _ := enter(`{"jsonrpc":"2.0","id":2,"method":"ping"}`, "Mcp-Session-Id", first); code != http.StatusNotFound {
		t.Errorf("the client that made place: got %d, want that it begins anew", code)
	}
}
