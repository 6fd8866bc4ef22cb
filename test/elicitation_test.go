package test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// asker serves a tool that puts a form to people, and counts its calls.
func asker(t *testing.T, calls *atomic.Int32) string {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "hub", Version: "1"}, nil)
	server.AddTool(&sdk.Tool{Name: "ask", Description: "Asks.", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		calls.Add(1)
		got, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Where to?", RequestedSchema: json.RawMessage(`{"type":"object","required":["city"],"properties":{"city":{"type":"string"},"days":{"type":"integer","default":3}}}`)})
		if err != nil {
			return nil, err
		}
		said, err := json.Marshal(got.Content)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: got.Action + " " + string(said)}}}, err
	})
	s := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// A pending is a question that waits.
type pending struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Server string `json:"server"`
	Detail string `json:"detail"`
}

// question is the question that waits, of a kind.
func (d *daemon) question(t *testing.T, kind string) (q pending) {
	t.Helper()
	until(t, "a question "+kind, func() bool {
		var all []pending
		d.must(t, http.MethodGet, "/api/approvals?status=pending", nil, &all)
		for _, one := range all {
			if one.Kind == kind {
				q = one
				return true
			}
		}
		return false
	})
	return q
}

// TestElicitation_APersonIsAskedOnce has a server ask the person for whom it is called, whose answer goes to it. When the daemon is
// killed while another form waits, the form is withdrawn, and the call is not made again by itself, although it only reads.
func TestElicitation_APersonIsAskedOnce(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	w := newWorld(t, func(request) any { return text("I was asked.") })
	s := setup{data: t.TempDir(), env: w.env()}
	d := s.running(t)
	d.must(t, http.MethodPost, "/api/mcp/servers", map[string]any{"name": "hub", "url": asker(t, &calls), "inside": true, "elicitation": true, "seconds": 60, "risk": "READ_ONLY"}, nil)
	var seen struct {
		Seen struct {
			Digest string `json:"digest"`
		} `json:"seen"`
	}
	d.must(t, http.MethodPost, "/api/mcp/servers/hub/inspect", nil, &seen)
	d.must(t, http.MethodPost, "/api/mcp/servers/hub/accept", map[string]any{"digest": seen.Seen.Digest}, nil)
	d.must(t, http.MethodPatch, "/api/agents/coder", map[string]any{"tools": []string{"hub__*"}}, nil)
	if out, _, _ := s.chela(t, "", "doctor"); !strings.Contains(out, "hub may put forms to people") {
		t.Errorf("the doctor does not say that a call is short: %s", out)
	}
	called := func() chan string {
		out := make(chan string, 1)
		go func() {
			var got json.RawMessage
			_ = d.try(http.MethodPost, "/api/tools/hub__ask/invoke?agent=coder", map[string]any{}, &got) // of a daemon that is killed
			out <- string(got)
		}()
		return out
	}
	result := called()
	q := d.question(t, "elicitation")
	if q.Server != "hub" || !strings.Contains(q.Detail, "> Where to?") || !strings.Contains(q.Detail, "city: a text; has to be filled in") {
		t.Errorf("got %+v", q)
	}
	for _, wrong := range []map[string]any{{"choice": "accept"}, {"choice": "accept", "values": map[string]any{"city": 1}}, {"choice": "accept", "values": map[string]any{"city": "a", "more": 1}}, {"choice": "approve"}, {"choice": "decline", "values": map[string]any{"city": "a"}}} {
		if err := d.try(http.MethodPost, "/api/approvals/"+q.ID, wrong, nil); err == nil {
			t.Errorf("%v is taken", wrong)
		}
	}
	if out, errs, code := s.chela(t, "", "approval", "approve", q.ID, "--set", "city=Bad Honnef; Bonn"); code != 0 || !strings.Contains(out, "> Where to?") {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	if got := <-result; !strings.Contains(got, `accept {\"city\":\"Bad Honnef; Bonn\",\"days\":3}`) {
		t.Errorf("got %s", got)
	}
	called()
	q = d.question(t, "elicitation")
	d.kill()
	d = s.running(t)
	unknown := d.question(t, "outcome_unknown")
	var is struct {
		Status string `json:"status"`
		Answer struct {
			Choice string `json:"choice"`
		} `json:"answer"`
	}
	d.must(t, http.MethodGet, "/api/approvals/"+q.ID, nil, &is)
	if is.Status != "answered" || is.Answer.Choice != "expired" || calls.Load() != 2 {
		t.Errorf("after the kill the form is %+v, and the server was called %d times, want that it is withdrawn, and 2", is, calls.Load())
	}
	d.must(t, http.MethodPost, "/api/approvals/"+unknown.ID, map[string]any{"choice": "skip"}, nil)
	until(t, "the end of the run", func() bool {
		var all []pending
		d.must(t, http.MethodGet, "/api/approvals?status=pending", nil, &all)
		return len(all) == 0
	})
	if calls.Load() != 2 {
		t.Errorf("the server was called %d times, want 2", calls.Load())
	}
	d.stop()
	s.verified(t)
}
