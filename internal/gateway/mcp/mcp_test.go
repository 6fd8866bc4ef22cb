package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/daemon"
	"chela/internal/testkit/daemontest"
)

// A room is a daemon in this process with agents that answer from a script.
type room struct {
	t     testing.TB
	dir   string
	url   string
	token string
}

func newRoom(t testing.TB) *room {
	t.Helper()
	return newRoomOf(t, 100*time.Millisecond)
}

// newRoomOf returns a room in which a call takes long after a time.
func newRoomOf(t testing.TB, long time.Duration) *room {
	t.Helper()
	d := daemontest.Run(t, daemontest.Setup{
		Script:  `{"otherwise":[{"agentName":"pm","responseFallback":"The plan holds."},{"agentName":"","responseFallback":"Done."}]}`,
		Options: daemon.Options{Beat: long},
	})
	return &room{t, d.Dir, d.URL, d.Token}
}

// api calls the REST API, and reads the answer into out unless that is nil.
func (r *room) api(method, path, body string, out any) {
	r.t.Helper()
	code, raw := r.send(method, path, body, "Authorization", "Bearer "+r.token)
	if code >= 300 {
		r.t.Fatalf("%s %s: got %d %s", method, path, code, raw)
	}
	if out != nil {
		if err := json.Unmarshal([]byte(raw), out); err != nil {
			r.t.Fatal(err)
		}
	}
}

// send sends a request and returns the answer.
func (r *room) send(method, path, body string, headers ...string) (code int, said string) {
	r.t.Helper()
	res := r.ask(method, path, body, headers...)
	defer func() { _ = res.Body.Close() }() // read to its end
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode, string(raw)
}

func (r *room) ask(method, path, body string, headers ...string) *http.Response {
	r.t.Helper()
	q, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	return res
}

// project makes a project and returns its id.
func (r *room) project() string {
	r.t.Helper()
	var p struct {
		ID string `json:"id"`
	}
	r.api(http.MethodPost, "/api/projects", `{"name":"Shop"}`, &p)
	return p.ID
}

// member makes a person with a role and returns their token.
func (r *room) member(name, role string) string {
	r.t.Helper()
	var link, key struct {
		Token string `json:"token"`
	}
	r.api(http.MethodPost, "/api/persons/invite", `{"name":"`+name+`","role":"`+role+`"}`, &link)
	r.api(http.MethodPost, "/api/persons/accept", `{"token":"`+link.Token+`"}`, &key)
	return key.Token
}

// bearing adds a token to requests.
type bearing string

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// The ways to the door.
var ways = []string{"2026-07-28", "2025-11-25", "2024-11-05"}

// connect opens a session of the SDK's client.
func (r *room) connect(t testing.TB, way, token, query string, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	client := &http.Client{Transport: bearing(token)}
	var over sdk.Transport = &sdk.StreamableClientTransport{Endpoint: r.url + "/mcp" + query, HTTPClient: client}
	if way == "2024-11-05" {
		over = &sdk.SSEClientTransport{Endpoint: r.url + "/mcp/sse" + query, HTTPClient: client}
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(), over, &sdk.ClientSessionOptions{ProtocolVersion: way})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // the daemon may be gone
	return c
}

// call calls a tool and returns what it said.
func call(t *testing.T, c *sdk.ClientSession, name string, args map[string]any) (text string, res *sdk.CallToolResult) {
	t.Helper()
	res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	return textOf(res), res
}

func textOf(res *sdk.CallToolResult) string {
	var all []string
	for _, c := range res.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			all = append(all, t.Text)
		}
	}
	return strings.Join(all, "\n")
}

// TestServer_EveryTransport uses tools, resources and prompts by each specification.
func TestServer_EveryTransport(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	project := r.project()
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			heard := make(chan string, 16)
			c := r.connect(t, way, r.token, "", &sdk.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, u *sdk.ResourceUpdatedNotificationRequest) { heard <- u.Params.URI }})
			if got := c.InitializeResult().ProtocolVersion; way != "2026-07-28" && got != way {
				t.Errorf("the session speaks %s, want %s", got, way)
			}
			text, res := call(t, c, "create_ticket", map[string]any{"projectId": project, "title": "Renew the certificate " + way})
			object, ok := res.StructuredContent.(map[string]any)
			if res.IsError || !ok || object["status"] != "created" {
				t.Fatalf("got %s", text)
			}
			if text, res := call(t, c, "read_tickets", map[string]any{"projectId": project}); res.IsError || !strings.Contains(text, "certificate "+way) {
				t.Errorf("got %s", text)
			}
			if text, res := call(t, c, "read_tickets", map[string]any{"colour": "red"}); !res.IsError || !strings.Contains(text, "colour") {
				t.Errorf("arguments that do not fit: got %s", text)
			}
			var ran struct {
				Run struct {
					Kind  string `json:"kind"`
					State string `json:"state"`
				} `json:"run"`
			}
			id, _ := res.Meta["chela/run"].(string)
			if r.api(http.MethodGet, "/api/runs/"+id, "", &ran); ran.Run.Kind != "invocation" || ran.Run.State != "done" {
				t.Errorf("the run of the call: %+v", ran)
			}
			if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "no_such_tool"}); err == nil || !strings.Contains(err.Error(), "no_such_tool") {
				t.Errorf("a tool of no such name: got %v", err)
			}
			ticket, _ := object["id"].(string)
			r.resources(t, c, project, ticket, heard)
			r.prompts(t, c)
		})
	}
}

func (r *room) resources(t *testing.T, c *sdk.ClientSession, project, ticket string, heard <-chan string) {
	t.Helper()
	uri := "chela://records/" + ticket
	got, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
	if err != nil || !strings.Contains(got.Contents[0].Text, "Renew the certificate") {
		t.Fatalf("got %+v, %v", got, err)
	}
	if got, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "chela://projects/" + project + "/tickets"}); err != nil || !strings.Contains(got.Contents[0].Text, ticket) {
		t.Errorf("the tickets: got %+v, %v", got, err)
	}
	for _, none := range []string{"chela://records/tkt_none", "chela://runs/run_none", "chela://threads/thr_none", "chela://artifacts/artifact:none", "chela://projects/" + project + "/wishes", "chela://nothing/x", "file:///etc/passwd"} {
		if _, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: none}); err == nil || !strings.Contains(err.Error(), "not found") {
			t.Errorf("%s: got %v, want that it is not found", none, err)
		}
	}
	for arg, want := range map[string]string{"kind": "tickets", "project": project} {
		done, err := c.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/resource", URI: "chela://projects/{project}/{kind}"}, Argument: sdk.CompleteParamsArgument{Name: arg, Value: want[:3]}})
		if err != nil || !slices.Contains(done.Completion.Values, want) {
			t.Errorf("what %s may be: got %+v, %v", arg, done, err)
		}
	}
	if page, err := c.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: "threads 1000"}); err != nil || page.Resources == nil {
		t.Errorf("a page without resources: got %+v, %v, want an empty list", page, err)
	}
	var listed []string
	for res, err := range c.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, res.URI)
	}
	if all := strings.Join(listed, " "); !strings.Contains(all, "chela://records/"+project) || !strings.Contains(all, "chela://runs/run_") {
		t.Errorf("got the resources %s", all)
	}
	if err := c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}); err != nil {
		t.Fatal(err)
	}
	if text, res := call(t, c, "update_ticket", map[string]any{"projectId": project, "ticketId": ticket, "title": "Renew the certificate now"}); res.IsError {
		t.Fatal(text)
	}
	select {
	case got := <-heard:
		if got != uri {
			t.Errorf("heard of %s, want %s", got, uri)
		}
	case <-time.After(20 * time.Second):
		t.Error("nothing is heard of a change")
	}
}

func (r *room) prompts(t *testing.T, c *sdk.ClientSession) {
	t.Helper()
	got, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "pm", Arguments: map[string]string{"task": "Plan the week."}})
	if err != nil {
		t.Fatal(err)
	}
	if text, ok := got.Messages[0].Content.(*sdk.TextContent); !ok || !strings.HasSuffix(text.Text, "Plan the week.") {
		t.Errorf("got %+v", got.Messages[0].Content)
	}
	if text, res := call(t, c, "ask_agent", map[string]any{"agent": "pm", "message": "How is the plan?"}); res.IsError || !strings.Contains(text, "The plan holds.") || !strings.Contains(text, "thr_") {
		t.Errorf("got %s", text)
	}
}
