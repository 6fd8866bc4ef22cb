package openai

import (
	"encoding/json"
	"testing"
)

// same holds that a request is written as json.Marshal writes it, and so each message alone.
func same(t *testing.T, r Request) {
	t.Helper()
	for _, m := range r.Messages {
		want, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.encode(nil)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s, %v\nwant %s", got, err, want)
		}
	}
	plain, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]json.RawMessage
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	if err := json.Unmarshal(plain, &want); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Errorf("%s\nwant %s", raw, plain)
	}
	for key, value := range want {
		if string(got[key]) != string(value) {
			t.Errorf("%s: %s\nwant %s", key, got[key], value)
		}
	}
}

func TestRequest_RequestsAreWrittenAsEver(t *testing.T) {
	t.Parallel()
	half, yes, index := 0.5, true, 1
	call := ToolCall{Index: &index, ID: "c1", Type: "function", Function: Function{Name: "look", Arguments: `{"a":"<b>"}`}}
	for _, r := range []Request{
		{Model: "m"},
		{Model: "m", Messages: []Message{{Role: "user"}}, Tools: json.RawMessage(`[]`)},
		{
			Model: "m", MaxTokens: 7, Temperature: &half, Stop: Stops{"x"}, ParallelToolCalls: &yes, Stream: true, StreamOptions: &StreamOptions{IncludeUsage: true},
			ResponseFormat: &ResponseFormat{Type: "json_schema", JSONSchema: &JSONSchema{Name: "n", Schema: json.RawMessage(`{"type":"object"}`)}},
			Tools:          json.RawMessage(`[{"type":"function"}]`),
			Messages: []Message{
				{Role: "system", Content: json.RawMessage(`"be \u003cbrief\u003e"`)},
				{Role: "us\"er", Content: json.RawMessage(`[{"type":"text","text":"x"}]`)},
				{Role: "assistant", Content: json.RawMessage("null"), ToolCalls: []ToolCall{call}, thoughts: thoughts{Reasoning: "because"}},
				{Role: "tool", Content: json.RawMessage(`"done"`), ToolCallID: "c1"},
				{Role: "assistant", Content: json.RawMessage(`"no"`), Refusal: "no", thoughts: thoughts{ReasoningContent: "hm"}},
			},
		},
	} {
		same(t, r)
	}
}

// FuzzEncode: whatever people and models say, the request is JSON and says that.
func FuzzEncode(f *testing.F) {
	f.Add("user", "hello", "", "", "", "")
	f.Add("tool", "\xff\x00\u2028", "c1", "look", `{"a":1}`, "thought")
	f.Add("assistant", `"}]`, "", `"`, "{", `\`)
	f.Fuzz(func(t *testing.T, role, text, id, name, args, thought string) {
		content, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		m := Message{Role: role, Content: content, ToolCallID: id, thoughts: thoughts{Reasoning: thought}}
		if name != "" {
			m.ToolCalls = []ToolCall{{ID: id, Type: "function", Function: Function{Name: name, Arguments: args}}}
		}
		same(t, Request{Model: name, Messages: []Message{m, {Role: "user", Content: content}}})
	})
}
