package openai_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"chela/internal/wire"
	"chela/internal/wire/openai"
)

func callOf(id, name, args string) openai.ToolCall {
	return openai.ToolCall{ID: id, Type: "function", Function: openai.Function{Name: name, Arguments: args}}
}

func usageOf(prompt, completion, cached int) (u openai.Usage) {
	u.PromptTokens, u.CompletionTokens, u.PromptTokensDetails.CachedTokens = prompt, completion, cached
	return u
}

const gpt = "gpt-4.1-2025-04-14"

// of gives an answer the ID and time that most of the recorded ones have.
func of(c openai.Completion) openai.Completion {
	c.ID, c.Created = "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG", 1741570283
	return c
}

func thought(u openai.Usage, tokens int) openai.Usage {
	u.CompletionTokensDetails.ReasoningTokens = tokens
	return u
}

// streams are the recorded streams that end well, and what they say.
func streams() map[string]openai.Completion {
	return map[string]openai.Completion{
		"text.sse": {ID: "chatcmpl-1", Created: 1760000000, Model: "gpt-4o-2024-11-20", Text: "It is due on Friday — 17 h.", FinishReason: "stop", Usage: usageOf(120, 9, 64)},
		"tools.sse": {
			ID: "chatcmpl-2", Model: "gpt-4o", FinishReason: "tool_calls", Usage: usageOf(50, 20, 0),
			Calls: []openai.ToolCall{callOf("call_a", "read_tickets", `{"status":"TODO"}`), callOf("call_b", "read_threads", "{}")},
		},
		"parallel.sse": of(openai.Completion{ // the calls' pieces are mixed
			Model: gpt, Text: "I look at „Zürich“ first. 🚚", FinishReason: "tool_calls", Usage: usageOf(1310, 58, 1024),
			Calls: []openai.ToolCall{callOf("call_DdmO9pD3xa9XTPNJ32zg2hcA", "read_tickets", `{"text":"Z\u00fcrich"}`), callOf("call_GhE2kQx1bW0vTnY7pLm4sRfU", "capacity_report", "{}")},
		}),
		"oneindex.sse": of(openai.Completion{ // as Gemini's compatible server does it
			Model: "gemini-2.5-flash", FinishReason: "stop", Usage: usageOf(60, 24, 0),
			Calls: []openai.ToolCall{callOf("function-call-1", "weather", `{"city":"Bern"}`), callOf("function-call-2", "weather", `{"city":"Basel"}`)},
		}),
		"thinking.sse": { // DeepSeek's
			ID: "7f1c2a0e-5d53-4a8e-9d2b-0f6f1c0a77aa", Created: 1762340011, Model: "deepseek-reasoner", FinishReason: "stop", Usage: thought(usageOf(182, 96, 128), 80),
			Reasoning: "Count the „blocked“ tickets.", Text: "Three are blocked.",
		},
		"reasoning.sse": { // OpenRouter's
			ID: "gen-1762340077-Jq2", Created: 1762340077, Model: "qwen/qwen3-235b-a22b-thinking-2507", FinishReason: "stop", Usage: thought(usageOf(41, 19, 16), 12),
			Reasoning: "Friday is the 9th.", Text: "The 9th.",
		},
		"zai.sse": { // its calls come whole, its usage with the end
			ID: "20251121101452a7c1e09b", Created: 1763690092, Model: "glm-4.6", FinishReason: "tool_calls", Usage: usageOf(310, 46, 192),
			Reasoning: "\nThe blocked ones, then the open ones.", Text: "\nI look.",
			Calls: []openai.ToolCall{callOf("call_-7842163554183201841", "read_tickets", `{"status":"BLOCKED"}`), callOf("call_-7842163554183201842", "read_tickets", `{"status":"TODO"}`)},
		},
		"refusal.sse": of(openai.Completion{Model: gpt, Refusal: "I can't help with that.", FinishReason: "stop", Usage: usageOf(1310, 58, 1024)}),
		"length.sse":  of(openai.Completion{Model: "llama3.1", Text: "One, two, thr", FinishReason: "length"}),
	}
}

// read reads a stream, and checks that what was shown is what is answered.
func read(t *testing.T, in io.Reader) (openai.Completion, error) {
	t.Helper()
	var shown strings.Builder
	c, err := openai.ReadStream(in, func(s string) { shown.WriteString(s) })
	if shown.String() != c.Text {
		t.Fatalf("shown %q, answered %q", shown.String(), c.Text)
	}
	for i := range c.Calls {
		c.Calls[i].Index = nil
	}
	return c, err
}

func TestRecorded_Streams(t *testing.T) {
	t.Parallel()
	for name, want := range streams() {
		t.Run(name, func(t *testing.T) {
			raw := recorded(t, name)
			for how, in := range map[string]io.Reader{
				"at once":         bytes.NewReader(raw),
				"byte by byte":    iotest.OneByteReader(bytes.NewReader(raw)),
				"with CRLF":       bytes.NewReader(bytes.ReplaceAll(raw, []byte("\n"), []byte("\r\n"))),
				"without [DONE]":  bytes.NewReader(bytes.TrimSuffix(raw, []byte("data: [DONE]\n\n"))),
				"without its end": bytes.NewReader(bytes.TrimRight(raw, "\n")),
			} {
				got, err := read(t, in)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %v\n%+v\n%+v", how, err, got, want)
				}
				checkAgain(t, got, err)
			}
		})
	}
}

// TestRecorded_EveryCut cuts every stream at every byte, once as if the server had closed it
// and once as if the connection had broken.
func TestRecorded_EveryCut(t *testing.T) {
	t.Parallel()
	for name, want := range streams() {
		t.Run(name, func(t *testing.T) {
			whole := recorded(t, name)
			finished := bytes.Index(whole, []byte(`"finish_reason":"`))
			for n := range whole {
				got, err := read(t, bytes.NewReader(whole[:n]))
				checkAgain(t, got, err)
				switch {
				case err == nil && n < finished:
					t.Fatalf("cut at %d it is a whole answer: %+v", n, got)
				case err == nil && (got.Text != want.Text || got.Refusal != want.Refusal || got.Reasoning != want.Reasoning || got.FinishReason != want.FinishReason || !reflect.DeepEqual(got.Calls, want.Calls)):
					t.Fatalf("cut at %d it lacks something: %+v", n, got)
				case !strings.HasPrefix(want.Text, got.Text) || !strings.HasPrefix(want.Refusal, got.Refusal) || !strings.HasPrefix(want.Reasoning, got.Reasoning) || len(got.Calls) > len(want.Calls):
					t.Fatalf("cut at %d it says %+v", n, got)
				}
				_, err = read(t, io.MultiReader(bytes.NewReader(whole[:n]), iotest.ErrReader(io.ErrUnexpectedEOF)))
				if err == nil {
					t.Fatalf("a connection that breaks at %d gives a whole answer", n)
				}
			}
		})
	}
}

// TestRecorded_ACutBetweenChunksIsNamed holds what callers may ask of the error.
func TestRecorded_ACutBetweenChunksIsNamed(t *testing.T) {
	t.Parallel()
	raw := recorded(t, "parallel.sse")
	first := raw[:bytes.Index(raw, []byte("\n\n"))+2]
	if _, err := read(t, bytes.NewReader(first)); !errors.Is(err, wire.ErrTruncated) {
		t.Errorf("closed: %v", err)
	}
	if _, err := read(t, io.MultiReader(bytes.NewReader(first), iotest.ErrReader(io.ErrUnexpectedEOF))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("broken: %v", err)
	}
}

func TestRecorded_AnErrorInsideAStream(t *testing.T) {
	t.Parallel()
	got, err := read(t, bytes.NewReader(recorded(t, "error.sse")))
	var f *openai.Failure
	if !errors.As(err, &f) || f.Status() != 429 || f.Message != "Rate limit exceeded upstream" || got.Text != "Half" || got.FinishReason != "" {
		t.Errorf("%+v %v", got, err)
	}
	checkAgain(t, got, err)
	for raw, want := range map[string]struct {
		status int
		code   string
	}{
		`{"error":{"message":"x","type":"server_error","code":500}}`:                      {500, "500"},
		`{"error":{"message":"x","type":"invalid","code":"context_length_exceeded"}}`:     {0, `"context_length_exceeded"`},
		`{"error":{"message":"x","code":null}}`:                                           {0, "null"},
		`{"error":{"message":"x","code":7}}`:                                              {0, "7"},
		`{"error":{"message":"x","code":200}}`:                                            {0, "200"},
		`{"error":{"message":"x"},"choices":[{"message":{"content":"never said"}}]}`:      {0, ""},
		`{"id":"gen-1","error":{"message":"x","code":502,"metadata":{}},"user_id":"u_1"}`: {502, "502"},
	} {
		for how, read := range map[string]func() (openai.Completion, error){
			"streamed": func() (openai.Completion, error) { return read(t, strings.NewReader("data: "+raw+"\n\n")) },
			"whole":    func() (openai.Completion, error) { return openai.ReadResponse([]byte(raw)) },
		} {
			var f *openai.Failure
			if c, err := read(); !errors.As(err, &f) || f.Status() != want.status || string(f.Code) != want.code || f.Message != "x" || c.Text != "" {
				t.Errorf("%s %s: %+v %v", how, raw, f, err)
			}
		}
	}
}

func TestRecorded_AWholeReply(t *testing.T) {
	t.Parallel()
	raw := recorded(t, "whole.json")
	want := openai.Completion{
		ID: "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT", Created: 1741569952, Model: gpt, Text: "I look.", FinishReason: "tool_calls", Usage: usageOf(82, 17, 0),
		Calls: []openai.ToolCall{callOf("call_a", "read_tickets", "{\n\"text\": \"Zürich\"\n}"), callOf("call_b", "capacity_report", "{}")},
	}
	if got, err := openai.ReadResponse(raw); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n%+v\n%+v", err, got, want)
	}
	var again bytes.Buffer
	must(t, openai.WriteResponse(&again, want))
	if got, err := openai.ReadResponse(again.Bytes()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("again: %v\n%+v\n%+v", err, got, want)
	}
	for n := range len(bytes.TrimSpace(raw)) {
		if got, err := openai.ReadResponse(raw[:n]); err == nil {
			t.Fatalf("cut at %d it is %+v", n, got)
		}
	}
}

// TestRecorded_PiecesOfCalls holds the ways in which servers number the calls of an answer.
func TestRecorded_PiecesOfCalls(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ pieces, want []string }{
		"no index, an id begins a call":     {[]string{`{"id":"a","function":{"name":"f","arguments":"{\"x\""}}`, `{"function":{"arguments":":1}"}}`, `{"id":"b","function":{"name":"g","arguments":"{}"}}`}, []string{`a f {"x":1}`, "b g {}"}},
		"id and name are repeated":          {[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}`, `{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}`}, []string{"a f {}"}},
		"the id comes later":                {[]string{`{"index":0,"function":{"name":"f","arguments":"{"}}`, `{"index":0,"id":"a","function":{"arguments":"}"}}`}, []string{"a f {}"}},
		"one index, pieces without id":      {[]string{`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`, `{"index":0,"id":"b","function":{"name":"g","arguments":"{"}}`, `{"index":0,"function":{"arguments":"}"}}`}, []string{"a f {}", "b g {}"}},
		"indexes that are no small numbers": {[]string{`{"index":7,"id":"a","function":{"name":"f","arguments":"{"}}`, `{"index":-1,"id":"b","function":{"name":"g","arguments":"{}"}}`, `{"index":7,"function":{"arguments":"}"}}`}, []string{"a f {}", "b g {}"}},
	} {
		t.Run(name, func(t *testing.T) {
			in := ""
			for _, p := range c.pieces {
				in += `data: {"choices":[{"delta":{"tool_calls":[` + p + `]}}]}` + "\n\n"
			}
			got, err := read(t, strings.NewReader(in+`data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`+"\n\n"))
			var calls []string
			for _, call := range got.Calls {
				calls = append(calls, call.ID+" "+call.Function.Name+" "+call.Function.Arguments)
			}
			if err != nil || !reflect.DeepEqual(calls, c.want) {
				t.Errorf("%v %v", calls, err)
			}
		})
	}
	var many strings.Builder
	for i := range 200 {
		fmt.Fprintf(&many, `data: {"choices":[{"delta":{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"f","arguments":"{"}}]}}]}`+"\n\n", i, i)
		fmt.Fprintf(&many, `data: {"choices":[{"delta":{"tool_calls":[{"index":%d,"function":{"arguments":"}"}}]}}]}`+"\n\n", i)
	}
	many.WriteString(`data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}` + "\n\n")
	if c, err := read(t, strings.NewReader(many.String())); err != nil || len(c.Calls) != 128 || c.Over != 72 || c.Calls[127].Function.Arguments != "{}" {
		t.Errorf("too many calls: %d and %d over, %v", len(c.Calls), c.Over, err)
	}
}
