package anthropic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/wire/anthropic"
)

type failing interface {
	Helper()
	Fatalf(format string, args ...any)
}

func must(t failing, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// stream writes what was read of an answer, its contents in pieces of at most n bytes, and
// what ended it.
func stream(t failing, r anthropic.Response, ended error, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	s, err := anthropic.Begin(&out, anthropic.Response{ID: r.ID, Model: r.Model, Usage: r.Usage})
	must(t, err)
	for _, b := range r.Content {
		must(t, s.Open(anthropic.Block{Type: b.Type, ID: b.ID, Name: b.Name, Data: b.Data}))
		for rest := []rune(b.Text); len(rest) > 0; rest = rest[min(n, len(rest)):] {
			must(t, s.More(anthropic.Block{Text: string(rest[:min(n, len(rest))])}))
		}
		must(t, s.More(anthropic.Block{Thinking: b.Thinking, Signature: b.Signature}))
		for rest := []rune(string(b.Input)); len(rest) > 0; rest = rest[min(n, len(rest)):] {
			must(t, s.More(anthropic.Block{Input: json.RawMessage(string(rest[:min(n, len(rest))]))}))
		}
	}
	var failed *anthropic.StreamError
	switch {
	case errors.As(ended, &failed):
		must(t, s.Fail(failed))
	case ended == nil:
		must(t, s.End(r.StopReason, r.Usage))
	}
	return out.Bytes()
}

// checkAgain holds that an answer, or what came of one, is the same after it was written
// and read again.
func checkAgain(t *testing.T, r anthropic.Response, ended error) {
	t.Helper()
	if r.Type == "" {
		return // nothing of it came
	}
	if ended != nil {
		r.StopReason = "" // it is said at the end
	}
	raw := stream(t, r, ended, 3)
	got, err := read(t, bytes.NewReader(raw))
	if !reflect.DeepEqual(got, r) || (err == nil) != (ended == nil) {
		t.Fatalf("%v, before %v\n%+v\n%+v", err, ended, got, r)
	}
	var failed, before *anthropic.StreamError
	if errors.As(ended, &before) && (!errors.As(err, &failed) || *failed != *before) {
		t.Fatalf("%v, before %v", err, ended)
	}
}

// TestServer_AnyAnswerIsReadAsWritten cuts texts and inputs anywhere.
func TestServer_AnyAnswerIsReadAsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := anthropic.Response{
			ID: rapid.String().Draw(t, "id"), Type: "message", Model: rapid.String().Draw(t, "model"), StopReason: rapid.SampledFrom([]string{"end_turn", "tool_use", "max_tokens", "refusal"}).Draw(t, "stop"),
			Usage: anthropic.Usage{InputTokens: rapid.IntRange(0, 9).Draw(t, "in"), OutputTokens: rapid.IntRange(0, 9).Draw(t, "out"), CacheReadInputTokens: rapid.IntRange(0, 9).Draw(t, "read"), CacheCreationInputTokens: rapid.IntRange(0, 9).Draw(t, "written")},
		}
		for range rapid.IntRange(0, 5).Draw(t, "blocks") {
			s := rapid.String().Draw(t, "text")
			want.Content = append(want.Content, rapid.SampledFrom([]anthropic.Block{
				text(s), {Type: "thinking", Thinking: s, Signature: "c2ln"}, {Type: "redacted_thinking", Data: s}, call("toolu_1", s, ""), call("toolu_2", "f", `{"a":[1,{"b":null}]}`),
			}).Draw(t, "block"))
		}
		got, err := anthropic.ReadStream(bytes.NewReader(stream(t, want, nil, rapid.IntRange(1, 40).Draw(t, "n"))), nil)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\n%+v\n%+v", err, got, want)
		}
		for i := range want.Content { // a whole one always has its input
			if want.Content[i].Type == "tool_use" && want.Content[i].Input == nil {
				want.Content[i].Input = json.RawMessage("{}")
			}
		}
		if want.Content == nil {
			want.Content = []anthropic.Block{}
		}
		var whole bytes.Buffer
		must(t, anthropic.WriteResponse(&whole, want))
		if got, err := anthropic.ReadResponse(whole.Bytes()); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("whole: %v\n%+v\n%+v", err, got, want)
		}
	})
}

func TestServer_ARequestIsRead(t *testing.T) {
	t.Parallel()
	raw := `{"model":"m","max_tokens":5,"system":"Be brief.","stream":true,"metadata":{"user_id":"u"},"messages":[
		{"role":"user","content":"Look"},
		{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"look","input":{"x":1}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"seen"}]},{"type":"tool_result","tool_use_id":"b","is_error":true,"content":"not seen"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cG5n"}}]}],
		"tools":[{"name":"look","description":"Looks.","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"},"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}}`
	r, tools, err := anthropic.ReadRequest([]byte(raw))
	must(t, err)
	want := anthropic.Request{
		Model: "m", MaxTokens: 5, System: anthropic.Text("Be brief."), Stream: true, Tools: r.Tools, ToolChoice: &anthropic.ToolChoice{Type: "any"},
		OutputConfig: &anthropic.OutputConfig{Format: &anthropic.OutputFormat{Type: "json_schema", Schema: json.RawMessage(`{"type":"object"}`)}},
		Messages: []anthropic.Message{
			{Role: "user", Content: anthropic.Text("Look")},
			{Role: "assistant", Content: anthropic.Blocks{call("a", "look", `{"x":1}`)}},
			{Role: "user", Content: anthropic.Blocks{
				{Type: "tool_result", ToolUseID: "a", Content: anthropic.Text("seen")},
				{Type: "tool_result", ToolUseID: "b", IsError: true, Content: anthropic.Text("not seen")},
				{Type: "image", Source: &anthropic.Source{Type: "base64", MediaType: "image/png", Data: "cG5n"}},
			}},
		},
	}
	if !reflect.DeepEqual(r, want) || len(tools) != 1 || tools[0].Name != "look" || string(tools[0].InputSchema) != `{"type":"object"}` {
		t.Errorf("%+v %+v\n%+v", r, tools, want)
	}
}

func TestServer_ACallThatCannotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	for raw, says := range map[string]string{
		"":   "the call cannot be read",
		"[]": "the call cannot be read",
		`{"max_tokens":1,"messages":[{"role":"user","content":"x"}]}`:                                             "model",
		`{"model":"m","messages":[{"role":"user","content":"x"}]}`:                                                "max_tokens",
		`{"model":"m","max_tokens":1}`:                                                                            "messages",
		`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"},{"role":"system","content":"x"}]}`: `messages.1.role: it is "system"`,
		`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":5}]}`:                                   "the call cannot be read",
		`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],"tools":{"name":"look"}}`:         "tools",
	} {
		if _, _, err := anthropic.ReadRequest([]byte(raw)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestServer_ARefusedCallIsWritten(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	must(t, anthropic.WriteError(&out, &anthropic.StreamError{Type: "rate_limit_error", Message: "Slower."}))
	if want := `{"type":"error","error":{"type":"rate_limit_error","message":"Slower."}}`; out.String() != want {
		t.Errorf("%s", out.String())
	}
	broken := brokenWriter{}
	if _, err := anthropic.Begin(broken, anthropic.Response{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader who has gone: %v", err)
	}
	if err := anthropic.WriteResponse(broken, anthropic.Response{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader who has gone: %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func FuzzReadRequest(f *testing.F) {
	f.Add([]byte(`{"model":"m","max_tokens":5,"system":"s","messages":[{"role":"user","content":[{"type":"tool_result","content":"x"}]}],"tools":[{"name":"f","input_schema":{}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, tools, err := anthropic.ReadRequest(raw)
		if err != nil {
			return
		}
		again, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		got, sameTools, err := anthropic.ReadRequest(again)
		if err != nil || len(sameTools) != len(tools) || len(got.Messages) != len(r.Messages) {
			t.Fatalf("%v\n%s\n%s", err, raw, again)
		}
	})
}
