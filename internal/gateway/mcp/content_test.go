package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/artifact"
	"chela/internal/daemon"
	"chela/internal/disk"
	"chela/internal/org"
	"chela/internal/testkit/daemontest"
	"chela/internal/tool"
)

// TestServer_PicturesAndLongResults gives clients the pictures of a result, and whole what agents see cut.
func TestServer_PicturesAndLongResults(t *testing.T) {
	t.Parallel()
	const picture = "\x89PNG\r\n\x1a\n0000IHDR"
	long := strings.Repeat("0123456789", 5_000)
	var ref artifact.Ref
	add := func(ours []*tool.Tool) []*tool.Tool {
		return append(ours, tool.StandIn(tool.Spec{Name: "draw", Help: "Draws.", Risk: tool.ReadOnly, Role: org.Viewer}, json.RawMessage(`{"type":"object"}`),
			func(json.RawMessage, disk.Folders) (tool.Act, error) { return tool.Act{}, nil },
			func(_ context.Context, c tool.Call) (tool.Result, error) {
				if strings.Contains(string(c.Args), "long") {
					return tool.Result{Text: long}, nil
				}
				return tool.Result{Text: "Drawn.", Shows: []string{string(ref)}}, nil
			}))
	}
	d := daemontest.Run(t, daemontest.Setup{Options: daemon.Options{Beat: 100 * time.Millisecond, Tools: add}})
	files, err := artifact.Open(filepath.Join(d.Dir, "artifacts"))
	if err != nil {
		t.Fatal(err)
	}
	if ref, err = files.Put([]byte(picture)); err != nil {
		t.Fatal(err)
	}
	r := &room{t, d.Dir, d.URL, d.Token}
	r.api(http.MethodPatch, "/api/agents/coder", `{"tools":["draw"]}`, nil)
	c := r.connect(t, "2026-07-28", r.token, "?agent=coder", nil)
	text, res := call(t, c, "draw", map[string]any{})
	if image, ok := res.Content[len(res.Content)-1].(*sdk.ImageContent); !ok || text != "Drawn." || string(image.Data) != picture || image.MIMEType != "image/png" {
		t.Errorf("got %+v, want the text and the picture", res.Content)
	}
	_, res = call(t, c, "draw", map[string]any{"long": true})
	whole, ok := res.Content[len(res.Content)-1].(*sdk.EmbeddedResource)
	if !ok || whole.Resource.Text != long || !strings.HasPrefix(whole.Resource.URI, "chela://artifacts/") {
		t.Fatalf("got %+v, want all of the result as a resource", res.Content)
	}
	again, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: whole.Resource.URI})
	if err != nil || again.Contents[0].Text != long {
		t.Errorf("read again it is %v, %v", again, err)
	}
}

const triage = "slug: triage\nname: Triage\ninputs:\n  - {name: report, type: text, required: true, description: What was reported.}\nsteps:\n  - id: sort\n    rule: [{when: 'inputs.report == \"fire\"', then: {severity: high}}, {then: {severity: low}}]\noutput: {severity: \"${sort.severity}\"}\n"

// TestServer_PlaysWorkflows offers a deployed workflow as a prompt, and plays it.
func TestServer_PlaysWorkflows(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	source, err := json.Marshal(map[string]string{"source": triage})
	if err != nil {
		t.Fatal(err)
	}
	r.api(http.MethodPost, "/api/workflows", string(source), nil)
	c := r.connect(t, "2026-07-28", r.token, "", nil)
	offered := func() *sdk.Prompt {
		list, err := c.ListPrompts(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list.Prompts {
			if p.Name == "triage" {
				return p
			}
		}
		return nil
	}
	if p := offered(); p != nil {
		t.Errorf("a draft is offered: %+v", p)
	}
	r.api(http.MethodPost, "/api/workflows/triage/deploy", `{"version":1}`, nil)
	if p := offered(); p == nil || len(p.Arguments) != 1 || p.Arguments[0].Name != "report" || !p.Arguments[0].Required {
		t.Fatalf("got %+v, want a prompt with the workflow's input", p)
	}
	got, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "triage", Arguments: map[string]string{"report": "fire"}})
	if err != nil || !strings.Contains(got.Messages[0].Content.(*sdk.TextContent).Text, "report (text): fire") {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "triage"}); err == nil || !strings.Contains(err.Error(), "report") {
		t.Errorf("without its input the prompt gives %v", err)
	}
	text, res := call(t, c, "start_workflow", map[string]any{"workflow": "triage", "inputs": map[string]any{"report": "fire"}})
	if res.IsError || text != `{"severity":"high"}` {
		t.Errorf("got %q (error %t), want what the workflow gives", text, res.IsError)
	}
	if text, res := call(t, c, "start_workflow", map[string]any{"workflow": "none"}); !res.IsError || !strings.Contains(text, "none") {
		t.Errorf("a workflow that is not there gives %q", text)
	}
	viewer := r.connect(t, "2026-07-28", r.member("Vic", "viewer"), "", nil)
	if text, res := call(t, viewer, "start_workflow", map[string]any{"workflow": "triage", "inputs": map[string]any{"report": "x"}}); !res.IsError || !strings.Contains(text, "editor") {
		t.Errorf("a viewer gets %q", text)
	}
}

// TestServer_TellsHowItIsOpened points who is not known to the door's metadata.
func TestServer_TellsHowItIsOpened(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	for _, path := range []string{"/mcp", "/mcp/sse"} {
		res := r.ask(http.MethodPost, path, "{}")
		_ = res.Body.Close() // not read
		at, ok := strings.CutPrefix(res.Header.Get("WWW-Authenticate"), `Bearer resource_metadata="`)
		if at = strings.TrimSuffix(at, `"`); res.StatusCode != http.StatusUnauthorized || !ok {
			t.Fatalf("%s: got %d, WWW-Authenticate %q", path, res.StatusCode, res.Header.Get("WWW-Authenticate"))
		}
		code, raw := r.send(http.MethodGet, strings.TrimPrefix(at, r.url), "")
		var meta struct {
			Resource string   `json:"resource"`
			Methods  []string `json:"bearer_methods_supported"`
		}
		if err := json.Unmarshal([]byte(raw), &meta); err != nil || code != http.StatusOK || meta.Resource != r.url+path || strings.Join(meta.Methods, " ") != "header" {
			t.Errorf("%s: got %d %s (%v), want the metadata of %s", at, code, raw, err, r.url+path)
		}
	}
	if code, _ := r.send(http.MethodPost, "/.well-known/oauth-protected-resource", "{}"); code != http.StatusMethodNotAllowed {
		t.Errorf("POST gives %d", code)
	}
}
