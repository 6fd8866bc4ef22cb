// Package sdk lets the official SDKs of Anthropic, OpenAI and Google judge our wire packages:
// they drive a server that is made of nothing else, and their types read what our model
// clients send. It is a module of its own, so that chela does not depend on them.
package sdk_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"chela/internal/model"
)

const (
	picture = "\x89PNG\r\n\x1a\n"
	schema  = `{"type":"object","properties":{"owner":{"type":"string","description":"Who it is given to."},"days":{"type":"integer","minimum":1}},"required":["owner"],"additionalProperties":false}`
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same compares JSON by what it says.
func same(t *testing.T, got, want []byte) {
	t.Helper()
	var a, b any
	must(t, json.Unmarshal(got, &a))
	must(t, json.Unmarshal(want, &b))
	if !reflect.DeepEqual(a, b) {
		t.Errorf("\n%s\n%s", got, want)
	}
}

// schemaMap is the schema as the SDKs take it.
func schemaMap(t *testing.T) (m map[string]any) {
	t.Helper()
	must(t, json.Unmarshal([]byte(schema), &m))
	return m
}

// serve answers calls at a path with handle, which gets the call's body.
func serve(t *testing.T, path string, handle func(w http.ResponseWriter, r *http.Request, body []byte)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, path) {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		w.Header().Set("Content-Type", "application/json")
		handle(w, r, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// streamed sets the headers of a stream and returns where to write it: each write arrives at
// once.
func streamed(w http.ResponseWriter) io.Writer {
	w.Header().Set("Content-Type", "text/event-stream")
	return flusher{w, http.NewResponseController(w)}
}

type flusher struct {
	w io.Writer
	c *http.ResponseController
}

func (f flusher) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err == nil {
		err = f.c.Flush()
	}
	return n, err
}

// pieces cuts s in three.
func pieces(s string) []string {
	n := len([]rune(s)) / 3
	r := []rune(s)
	return []string{string(r[:n]), string(r[n : 2*n]), string(r[2*n:])}
}

// conversation is a call with everything that our model clients send.
func conversation() model.Request {
	warm := 0.25
	return model.Request{
		Model: "gemini-3-x", System: "You are pm.", MaxTokens: 100, Temperature: &warm,
		Messages: []model.Message{
			{Role: model.User, Parts: []model.Part{{Text: "Look"}, {Image: &model.Image{MIMEType: "image/png", Data: []byte(picture)}}}},
			{Role: model.Assistant, Parts: []model.Part{
				{Thinking: &model.Thinking{Text: "Hm.", Signature: "c2ln"}},
				{Text: "I look."},
				{Thinking: &model.Thinking{Signature: "c2ln", Kind: model.KindGemini}},
				{Call: &model.ToolCall{ID: "c1", Name: "look", Args: json.RawMessage(`{"owner":"Zoë"}`)}},
				{Call: &model.ToolCall{ID: "c2", Name: "look", Args: json.RawMessage(`{"days":1}`)}},
			}},
			{Role: model.Tool, Parts: []model.Part{{Result: &model.ToolResult{CallID: "c1", Name: "look", Text: "seen"}}, {Result: &model.ToolResult{CallID: "c2", Name: "look", Text: "not there", IsError: true}}}},
			{Role: model.User, Parts: []model.Part{{Text: "Again"}}},
		},
		Tools: model.NewToolset(model.ToolSpec{Name: "look", Help: "Looks.", Schema: json.RawMessage(schema)}),
	}
}

// sentBy returns the body of the call that a model client sends.
func sentBy(t *testing.T, open model.Opener, path string, r model.Request, show func(model.Delta)) []byte {
	t.Helper()
	var sent []byte
	url := serve(t, path, func(w http.ResponseWriter, _ *http.Request, body []byte) {
		sent = body
		w.WriteHeader(http.StatusTeapot) // the call is what counts
	})
	m, err := open(model.Provider{Name: "p", BaseURL: url, Key: "key"}, model.NewHTTPClient())
	must(t, err)
	if _, err := m.Generate(t.Context(), r, show); err == nil || sent == nil {
		t.Fatalf("nothing was sent: %v", err)
	}
	return sent
}

// calls are the two ways to send one.
func calls() map[string]func(model.Delta) {
	return map[string]func(model.Delta){"whole": nil, "streamed": func(model.Delta) {}}
}
