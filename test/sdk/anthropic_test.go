package sdk_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"chela/internal/model"
	ours "chela/internal/model/anthropic"
	wire "chela/internal/wire/anthropic"
)

// claude is a client of a server that gives the answers in turn, and what it was asked.
func claude(t *testing.T, answers ...wire.Response) (anthropic.Client, *[]wire.Request) {
	t.Helper()
	asked := new([]wire.Request)
	url := serve(t, "/v1/messages", func(w http.ResponseWriter, _ *http.Request, body []byte) {
		r, tools, err := wire.ReadRequest(body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			must(t, wire.WriteError(w, &wire.StreamError{Type: "invalid_request_error", Message: err.Error()}))
			return
		}
		for _, tool := range tools {
			if tool.Name != "assign" || tool.Description != "Gives work." {
				t.Errorf("%+v", tool)
			}
			same(t, tool.InputSchema, []byte(schema))
		}
		answer := answers[len(*asked)]
		*asked = append(*asked, r)
		if !r.Stream {
			must(t, wire.WriteResponse(w, answer))
			return
		}
		s, err := wire.Begin(streamed(w), answer)
		must(t, err)
		for _, b := range answer.Content {
			must(t, s.Open(wire.Block{Type: b.Type, ID: b.ID, Name: b.Name, Data: b.Data}))
			for _, p := range pieces(b.Text) {
				must(t, s.More(wire.Block{Text: p}))
			}
			for _, p := range pieces(string(b.Input)) {
				must(t, s.More(wire.Block{Input: json.RawMessage(p)}))
			}
			must(t, s.More(wire.Block{Thinking: b.Thinking, Signature: b.Signature}))
		}
		must(t, s.End(answer.StopReason, answer.Usage))
	})
	return anthropic.NewClient(option.WithBaseURL(url), option.WithAPIKey("key"), option.WithMaxRetries(0)), asked
}

// askClaude sends one call, whole or streamed.
func askClaude(t *testing.T, c anthropic.Client, p anthropic.MessageNewParams, stream bool) *anthropic.Message {
	t.Helper()
	if !stream {
		m, err := c.Messages.New(t.Context(), p)
		must(t, err)
		return m
	}
	var m anthropic.Message
	s := c.Messages.NewStreaming(t.Context(), p)
	for s.Next() {
		must(t, m.Accumulate(s.Current()))
	}
	must(t, s.Err())
	return &m
}

func claudeSays(stop string, blocks ...wire.Block) wire.Response {
	return wire.Response{ID: "msg_1", Model: "claude", StopReason: stop, Content: blocks, Usage: wire.Usage{InputTokens: 12, OutputTokens: 7, CacheReadInputTokens: 5, CacheCreationInputTokens: 3}}
}

func toClaude(text string) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{Model: "claude", MaxTokens: 64, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(text))}}
}

func TestAnthropic_Text(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		c, asked := claude(t, claudeSays("end_turn",
			wire.Block{Type: "thinking", Thinking: "Hm.", Signature: "c2ln"}, wire.Block{Type: "redacted_thinking", Data: "xyz"}, wire.Block{Type: "text", Text: "It is due on „Friday“ <17 h>."}))
		p := toClaude("When?")
		p.System = []anthropic.TextBlockParam{{Text: "Be brief."}}
		p.Temperature = anthropic.Float(0.5)
		m := askClaude(t, c, p, stream)
		if m.ID != "msg_1" || m.Model != "claude" || m.Role != "assistant" || m.StopReason != anthropic.StopReasonEndTurn || len(m.Content) != 3 {
			t.Fatalf("%+v", m)
		}
		if b := m.Content[0].AsThinking(); b.Thinking != "Hm." || b.Signature != "c2ln" {
			t.Errorf("%+v", b)
		}
		if b := m.Content[1].AsRedactedThinking(); b.Data != "xyz" {
			t.Errorf("%+v", b)
		}
		if b := m.Content[2].AsText(); b.Text != "It is due on „Friday“ <17 h>." {
			t.Errorf("%+v", b)
		}
		if u := m.Usage; u.InputTokens != 12 || u.OutputTokens != 7 || u.CacheReadInputTokens != 5 || u.CacheCreationInputTokens != 3 {
			t.Errorf("%+v", u)
		}
		if r := (*asked)[0]; r.Model != "claude" || r.MaxTokens != 64 || *r.Temperature != 0.5 || !reflect.DeepEqual(r.System, wire.Text("Be brief.")) || !reflect.DeepEqual(r.Messages, []wire.Message{{Role: "user", Content: wire.Text("When?")}}) {
			t.Errorf("%+v", r)
		}
	}
}

func TestAnthropic_Tools(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		c, asked := claude(t,
			claudeSays("tool_use", wire.Block{Type: "text", Text: "I look."},
				wire.Block{Type: "tool_use", ID: "toolu_a", Name: "assign", Input: json.RawMessage(`{"owner":"Zoë","days":2}`)}, wire.Block{Type: "tool_use", ID: "toolu_b", Name: "assign", Input: json.RawMessage(`{}`)}),
			claudeSays("end_turn", wire.Block{Type: "text", Text: "Done."}))
		p := toClaude("Give it to Zoë.")
		tool := anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{Properties: schemaMap(t)["properties"], Required: []string{"owner"}, ExtraFields: map[string]any{"additionalProperties": false}}, "assign")
		tool.OfTool.Description = anthropic.String("Gives work.")
		p.Tools = []anthropic.ToolUnionParam{tool}
		p.ToolChoice = anthropic.ToolChoiceUnionParam{OfAny: &anthropic.ToolChoiceAnyParam{}}
		m := askClaude(t, c, p, stream)
		if m.StopReason != anthropic.StopReasonToolUse || len(m.Content) != 3 {
			t.Fatalf("%+v", m)
		}
		a, b := m.Content[1].AsToolUse(), m.Content[2].AsToolUse()
		if a.ID != "toolu_a" || a.Name != "assign" || b.ID != "toolu_b" {
			t.Errorf("%+v %+v", a, b)
		}
		same(t, a.Input, []byte(`{"owner":"Zoë","days":2}`))
		same(t, b.Input, []byte(`{}`))

		p.Messages = append(p.Messages, m.ToParam(), anthropic.NewUserMessage(anthropic.NewToolResultBlock("toolu_a", "given", false), anthropic.NewToolResultBlock("toolu_b", "who?", true)))
		if m = askClaude(t, c, p, stream); m.Content[0].AsText().Text != "Done." {
			t.Errorf("%+v", m)
		}
		if choice := (*asked)[0].ToolChoice; choice == nil || choice.Type != "any" {
			t.Errorf("%+v", choice)
		}
		turns := (*asked)[1].Messages
		if len(turns) != 3 || turns[1].Role != "assistant" || len(turns[1].Content) != 3 || turns[1].Content[1].ID != "toolu_a" {
			t.Fatalf("%+v", turns)
		}
		same(t, turns[1].Content[1].Input, []byte(`{"owner":"Zoë","days":2}`))
		want := wire.Blocks{{Type: "tool_result", ToolUseID: "toolu_a", Content: wire.Text("given")}, {Type: "tool_result", ToolUseID: "toolu_b", Content: wire.Text("who?"), IsError: true}}
		if !reflect.DeepEqual(turns[2].Content, want) {
			t.Errorf("%+v", turns[2])
		}
	}
}

func TestAnthropic_PicturesAndForms(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		c, asked := claude(t, claudeSays("end_turn", wire.Block{Type: "text", Text: `{"owner":"Zoë"}`}))
		p := toClaude("Who?")
		p.Messages[0].Content = append(p.Messages[0].Content, anthropic.NewImageBlockBase64("image/png", base64.StdEncoding.EncodeToString([]byte(picture))))
		p.OutputConfig = anthropic.OutputConfigParam{Format: anthropic.JSONOutputFormatParam{Schema: schemaMap(t)}}
		if m := askClaude(t, c, p, stream); m.Content[0].AsText().Text != `{"owner":"Zoë"}` {
			t.Errorf("%+v", m)
		}
		r := (*asked)[0]
		if s := r.Messages[0].Content[1].Source; s == nil || *s != (wire.Source{Type: "base64", MediaType: "image/png", Data: base64.StdEncoding.EncodeToString([]byte(picture))}) {
			t.Errorf("%+v", s)
		}
		same(t, r.OutputConfig.Format.Schema, []byte(schema))
	}
}

func TestAnthropic_Refusal(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		c, _ := claude(t, claudeSays("refusal", wire.Block{Type: "text", Text: "I cannot."}))
		if m := askClaude(t, c, toClaude("Do it"), stream); m.StopReason != anthropic.StopReasonRefusal || m.Content[0].AsText().Text != "I cannot." {
			t.Errorf("%+v", m)
		}
	}
}

func TestAnthropic_Errors(t *testing.T) {
	t.Parallel()
	c, _ := claude(t)
	var e *anthropic.Error
	if _, err := c.Messages.New(t.Context(), anthropic.MessageNewParams{Model: "claude", MaxTokens: 1}); !errors.As(err, &e) || e.StatusCode != http.StatusBadRequest || e.Type() != "invalid_request_error" {
		t.Errorf("%v", err)
	}
	url := serve(t, "/v1/messages", func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		s, err := wire.Begin(streamed(w), claudeSays(""))
		must(t, err)
		must(t, s.Open(wire.Block{Type: "text", Text: "Half"}))
		must(t, s.Fail(&wire.StreamError{Type: "overloaded_error", Message: "Overloaded"}))
	})
	c = anthropic.NewClient(option.WithBaseURL(url), option.WithAPIKey("key"), option.WithMaxRetries(0))
	var m anthropic.Message
	s := c.Messages.NewStreaming(t.Context(), toClaude("x"))
	for s.Next() {
		must(t, m.Accumulate(s.Current()))
	}
	if err := s.Err(); !errors.As(err, &e) || e.Type() != "overloaded_error" || len(m.Content) != 1 || m.Content[0].Text != "Half" {
		t.Errorf("%v after %+v", err, m)
	}
}

// TestAnthropic_ReadsOurCalls compares what the SDK understands of a call with what was sent.
func TestAnthropic_ReadsOurCalls(t *testing.T) {
	t.Parallel()
	for how, show := range calls() {
		for _, form := range []*model.Schema{nil, {Name: "answer", Schema: json.RawMessage(schema)}} {
			r := conversation()
			r.Output = form
			sent := sentBy(t, ours.Open, "/v1/messages", r, show)
			var p anthropic.MessageNewParams
			must(t, json.Unmarshal(sent, &p))
			if len(p.Messages) != 3 || p.Messages[1].Content[0].OfThinking == nil || p.Messages[2].Content[1].OfToolResult.ToolUseID != "c2" || p.Tools[0].OfTool == nil {
				t.Errorf("%s: %+v", how, p)
			}
			p.SetExtraFields(map[string]any{"stream": show != nil})
			again, err := json.Marshal(p)
			must(t, err)
			same(t, again, withStream(t, sent))
		}
	}
}

// withStream says that no stream is wanted where nothing is said.
func withStream(t *testing.T, sent []byte) []byte {
	t.Helper()
	var m map[string]json.RawMessage
	must(t, json.Unmarshal(sent, &m))
	if m["stream"] == nil {
		m["stream"] = json.RawMessage("false")
	}
	raw, err := json.Marshal(m)
	must(t, err)
	return raw
}
