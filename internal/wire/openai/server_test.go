package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"chela/internal/wire/openai"
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

// pieces cuts s after every n letters.
func pieces(s string, n int) (out []string) {
	for rest := []rune(s); len(rest) > 0; rest = rest[min(n, len(rest)):] {
		out = append(out, string(rest[:min(n, len(rest))]))
	}
	return out
}

// stream writes what was read of an answer, its contents in pieces of n letters, and what
// ended it.
func stream(t failing, c openai.Completion, ended error, n int) []byte {
	t.Helper()
	var out bytes.Buffer
	s, err := openai.Begin(&out, c)
	must(t, err)
	for _, p := range pieces(c.Reasoning, n) {
		must(t, s.Reasoning(p))
	}
	for _, p := range pieces(c.Text, n) {
		must(t, s.Text(p))
	}
	for _, p := range pieces(c.Refusal, n) {
		must(t, s.Refusal(p))
	}
	for _, call := range c.Calls {
		args := pieces(call.Function.Arguments, n)
		call.Function.Arguments = ""
		must(t, s.Call(call))
		for _, p := range args {
			must(t, s.Arguments(p))
		}
	}
	var failed *openai.Failure
	switch {
	case errors.As(ended, &failed):
		must(t, s.Fail(failed))
	case ended == nil:
		must(t, s.End(c.FinishReason, &c.Usage))
	}
	return out.Bytes()
}

// checkAgain holds that an answer, or what came of one, is the same after it was written
// and read again.
func checkAgain(t *testing.T, c openai.Completion, ended error) {
	t.Helper()
	if ended != nil {
		c.FinishReason, c.Usage = "", openai.Usage{} // they are said at the end
	}
	got, err := read(t, bytes.NewReader(stream(t, c, ended, 3)))
	if !reflect.DeepEqual(got, c) || (err == nil) != (ended == nil) {
		t.Fatalf("%v, before %v\n%+v\n%+v", err, ended, got, c)
	}
	var failed, before *openai.Failure
	if errors.As(ended, &before) && (!errors.As(err, &failed) || !reflect.DeepEqual(failed, before)) {
		t.Fatalf("%v, before %v", err, ended)
	}
}

// TestServer_AnyAnswerIsReadAsWritten cuts texts and arguments anywhere.
func TestServer_AnyAnswerIsReadAsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := openai.Completion{
			ID: rapid.String().Draw(t, "id"), Created: rapid.Int64().Draw(t, "created"), Model: rapid.String().Draw(t, "model"), Reasoning: rapid.String().Draw(t, "reasoning"), Text: rapid.String().Draw(t, "text"),
			Refusal: rapid.String().Draw(t, "refusal"), FinishReason: rapid.SampledFrom([]string{"stop", "tool_calls", "length", "content_filter"}).Draw(t, "finish"),
			Usage: thought(usageOf(rapid.IntRange(0, 9).Draw(t, "prompt"), rapid.IntRange(0, 9).Draw(t, "completion"), rapid.IntRange(0, 9).Draw(t, "cached")), rapid.IntRange(0, 9).Draw(t, "thought")),
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "calls") {
			want.Calls = append(want.Calls, callOf("call_"+string(rune('a'+i)), rapid.String().Draw(t, "name"), rapid.String().Draw(t, "args")))
		}
		got, err := openai.ReadStream(bytes.NewReader(stream(t, want, nil, rapid.IntRange(1, 40).Draw(t, "n"))), nil)
		for i := range got.Calls {
			got.Calls[i].Index = nil
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\n%+v\n%+v", err, got, want)
		}
		var whole bytes.Buffer
		must(t, openai.WriteResponse(&whole, want))
		if got, err := openai.ReadResponse(whole.Bytes()); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("whole: %v\n%+v\n%+v", err, got, want)
		}
	})
}

func TestServer_ARequestIsRead(t *testing.T) {
	t.Parallel()
	raw := `{"model":"m","max_completion_tokens":5,"stream":true,"stream_options":{"include_usage":true},"user":"u","messages":[
		{"role":"developer","content":"Be brief."},
		{"role":"user","content":[{"type":"text","text":"Look"},{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n","detail":"low"}}]},
		{"role":"assistant","content":null,"reasoning_content":"Hm.","tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"a","content":"seen"}],
		"tools":[{"type":"function","function":{"name":"look","description":"Looks.","strict":true,"parameters":{"type":"object"}}}],
		"response_format":{"type":"json_schema","json_schema":{"name":"f","strict":true,"schema":{"type":"object"}}}}`
	r, tools, err := openai.ReadRequest([]byte(raw))
	must(t, err)
	if r.Model != "m" || r.MaxTokens != 5 || !r.Stream || !r.StreamOptions.IncludeUsage || r.ResponseFormat.JSONSchema.Name != "f" || string(r.ResponseFormat.JSONSchema.Schema) != `{"type":"object"}` {
		t.Errorf("%+v", r)
	}
	if len(tools) != 1 || tools[0].Function.Name != "look" || string(tools[0].Function.Parameters) != `{"type":"object"}` {
		t.Errorf("%+v", tools)
	}
	want := [][]openai.ContentPart{{{Type: "text", Text: "Be brief."}}, {{Type: "text", Text: "Look"}, {Type: "image_url", ImageURL: &openai.ImageURL{URL: "data:image/png;base64,cG5n"}}}, nil, {{Type: "text", Text: "seen"}}}
	for i, m := range r.Messages {
		if got, err := m.Parts(); err != nil || !reflect.DeepEqual(got, want[i]) {
			t.Errorf("%d: %+v %v", i, got, err)
		}
	}
	if m := r.Messages[2]; !reflect.DeepEqual(m.ToolCalls, []openai.ToolCall{callOf("a", "look", "{}")}) || m.ReasoningContent != "Hm." || r.Messages[3].ToolCallID != "a" {
		t.Errorf("%+v", r.Messages)
	}
}

func TestServer_ACallThatCannotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	for raw, says := range map[string]string{
		"":   "the call cannot be read",
		"[]": "the call cannot be read",
		`{"messages":[{"role":"user","content":"x"}]}`: "model",
		`{"model":"m"}`: "messages",
		`{"model":"m","max_tokens":-1,"messages":[{"role":"user","content":"x"}]}`:             "max_completion_tokens",
		`{"model":"m","messages":[{"role":"user","content":"x"},{"role":"me"}]}`:               `messages[1]: "me" is no role`,
		`{"model":"m","messages":[{"role":"tool","content":"x"}]}`:                             "messages[0]: tool_call_id",
		`{"model":"m","messages":[{"role":"user","content":5}]}`:                               "messages[0]: content",
		`{"model":"m","messages":[{"role":"user","content":"x"}],"tools":{"type":"function"}}`: "tools",
	} {
		if _, _, err := openai.ReadRequest([]byte(raw)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestServer_ARefusedCallIsWritten(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	must(t, openai.WriteError(&out, &openai.Failure{Type: "invalid_request_error", Code: json.RawMessage(`"model_not_found"`), Message: "No such model."}))
	if want := `{"error":{"type":"invalid_request_error","code":"model_not_found","message":"No such model."}}`; out.String() != want {
		t.Errorf("%s", out.String())
	}
	broken := brokenWriter{}
	if _, err := openai.Begin(broken, openai.Completion{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader who has gone: %v", err)
	}
	if err := openai.WriteResponse(broken, openai.Completion{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader who has gone: %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func FuzzReadRequest(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"x"}]},{"role":"tool","tool_call_id":"a","content":"x"}],"tools":[{"type":"function","function":{"name":"f"}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, tools, err := openai.ReadRequest(raw)
		if err != nil {
			return
		}
		again, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		got, sameTools, err := openai.ReadRequest(again)
		if err != nil || len(sameTools) != len(tools) || len(got.Messages) != len(r.Messages) {
			t.Fatalf("%v\n%s\n%s", err, raw, again)
		}
	})
}
