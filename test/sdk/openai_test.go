package sdk_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"chela/internal/model"
	ours "chela/internal/model/openai"
	wire "chela/internal/wire/openai"
)

// gpt is a client of a server that gives the answers in turn, and what it was asked.
func gpt(t *testing.T, answers ...wire.Completion) (openai.Client, *[]wire.Request) {
	t.Helper()
	asked := new([]wire.Request)
	url := serve(t, "/v1/chat/completions", func(w http.ResponseWriter, _ *http.Request, body []byte) {
		r, tools, err := wire.ReadRequest(body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			must(t, wire.WriteError(w, &wire.Failure{Type: "invalid_request_error", Code: json.RawMessage(`"bad_call"`), Message: err.Error()}))
			return
		}
		for _, tool := range tools {
			if tool.Type != "function" || tool.Function.Name != "assign" || tool.Function.Description != "Gives work." {
				t.Errorf("%+v", tool)
			}
			same(t, tool.Function.Parameters, []byte(schema))
		}
		answer := answers[len(*asked)]
		*asked = append(*asked, r)
		if !r.Stream {
			must(t, wire.WriteResponse(w, answer))
			return
		}
		s, err := wire.Begin(streamed(w), answer)
		must(t, err)
		must(t, s.Reasoning(answer.Reasoning))
		for _, p := range pieces(answer.Text) {
			must(t, s.Text(p))
		}
		for _, p := range pieces(answer.Refusal) {
			must(t, s.Refusal(p))
		}
		for _, call := range answer.Calls {
			args := call.Function.Arguments
			call.Function.Arguments = ""
			must(t, s.Call(call))
			for _, p := range pieces(args) {
				must(t, s.Arguments(p))
			}
		}
		var usage *wire.Usage
		if r.StreamOptions != nil && r.StreamOptions.IncludeUsage {
			usage = &answer.Usage
		}
		must(t, s.End(answer.FinishReason, usage))
	})
	return openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("key"), option.WithMaxRetries(0)), asked
}

// askGPT sends one call, whole or streamed.
func askGPT(t *testing.T, c openai.Client, p openai.ChatCompletionNewParams, stream bool) *openai.ChatCompletion {
	t.Helper()
	if !stream {
		m, err := c.Chat.Completions.New(t.Context(), p)
		must(t, err)
		return m
	}
	p.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	var m openai.ChatCompletionAccumulator
	s := c.Chat.Completions.NewStreaming(t.Context(), p)
	for s.Next() {
		if !m.AddChunk(s.Current()) {
			t.Errorf("a chunk does not fit: %s", s.Current().RawJSON())
		}
	}
	must(t, s.Err())
	return &m.ChatCompletion
}

func gptSays(c wire.Completion) wire.Completion {
	c.ID, c.Created, c.Model = "chatcmpl-1", 1767603600, "gpt"
	c.Usage.PromptTokens, c.Usage.CompletionTokens, c.Usage.PromptTokensDetails.CachedTokens, c.Usage.CompletionTokensDetails.ReasoningTokens = 12, 7, 5, 2
	return c
}

func toGPT(text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "gpt", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)}}
}

func TestOpenAI_Text(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		c, asked := gpt(t, gptSays(wire.Completion{Reasoning: "Hm.", Text: "It is due on „Friday“ <17 h>.", FinishReason: "stop"}))
		p := toGPT("When?")
		p.Messages = append([]openai.ChatCompletionMessageParamUnion{openai.DeveloperMessage("Be brief.")}, p.Messages...)
		p.MaxCompletionTokens, p.Temperature = openai.Int(64), openai.Float(0.5)
		m := askGPT(t, c, p, stream)
		if m.ID != "chatcmpl-1" || m.Created != 1767603600 || m.Model != "gpt" || len(m.Choices) != 1 {
			t.Fatalf("%+v", m)
		}
		if choice := m.Choices[0]; choice.FinishReason != "stop" || choice.Message.Role != "assistant" || choice.Message.Content != "It is due on „Friday“ <17 h>." || choice.Message.Refusal != "" {
			t.Errorf("%+v", choice)
		}
		if u := m.Usage; u.PromptTokens != 12 || u.CompletionTokens != 7 || u.TotalTokens != 19 || u.PromptTokensDetails.CachedTokens != 5 || u.CompletionTokensDetails.ReasoningTokens != 2 {
			t.Errorf("stream %v: %+v", stream, u)
		}
		r := (*asked)[0]
		if r.Model != "gpt" || r.MaxTokens != 64 || *r.Temperature != 0.5 || len(r.Messages) != 2 || r.Messages[0].Role != "developer" || string(r.Messages[1].Content) != `"When?"` {
			t.Errorf("%+v", r)
		}
	}
}

func TestOpenAI_Tools(t *testing.T) {
	t.Parallel()
	call := func(id, args string) wire.ToolCall {
		return wire.ToolCall{ID: id, Function: wire.Function{Name: "assign", Arguments: args}}
	}
	for _, stream := range []bool{false, true} {
		c, asked := gpt(t,
			gptSays(wire.Completion{FinishReason: "tool_calls", Calls: []wire.ToolCall{call("call_a", `{"owner":"Zoë","days":2}`), call("call_b", `{}`)}}),
			gptSays(wire.Completion{FinishReason: "tool_calls", Text: "One more.", Calls: []wire.ToolCall{call("call_c", `{"owner":"Ada"}`)}}),
			gptSays(wire.Completion{Text: "Done.", FinishReason: "stop"}))
		p := toGPT("Give it to Zoë.")
		p.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "assign", Description: openai.String("Gives work."), Parameters: schemaMap(t), Strict: openai.Bool(true)})}
		m := askGPT(t, c, p, stream)
		got := m.Choices[0].Message.ToolCalls
		if m.Choices[0].FinishReason != "tool_calls" || len(got) != 2 || got[0].ID != "call_a" || got[0].Type != "function" || got[0].Function.Name != "assign" || got[0].Function.Arguments != `{"owner":"Zoë","days":2}` || got[1].ID != "call_b" || got[1].Function.Arguments != "{}" {
			t.Fatalf("%+v", m)
		}
		p.Messages = append(p.Messages, m.Choices[0].Message.ToParam(), openai.ToolMessage("given", "call_a"), openai.ToolMessage("who?", "call_b"))
		m = askGPT(t, c, p, stream)
		if got = m.Choices[0].Message.ToolCalls; m.Choices[0].Message.Content != "One more." || len(got) != 1 || got[0].ID != "call_c" {
			t.Fatalf("%+v", m)
		}
		p.Messages = append(p.Messages, m.Choices[0].Message.ToParam(), openai.ToolMessage("given", "call_c"))
		if m = askGPT(t, c, p, stream); m.Choices[0].Message.Content != "Done." {
			t.Errorf("%+v", m)
		}
		turns := (*asked)[2].Messages
		if len(turns) != 6 || len(turns[1].ToolCalls) != 2 || turns[1].ToolCalls[0].ID != "call_a" || turns[1].ToolCalls[0].Function.Arguments != `{"owner":"Zoë","days":2}` || turns[3].Role != "tool" || turns[3].ToolCallID != "call_b" || string(turns[3].Content) != `"who?"` {
			t.Errorf("%+v", turns)
		}
	}
}

func TestOpenAI_PicturesAndForms(t *testing.T) {
	t.Parallel()
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(picture))
	for _, stream := range []bool{false, true} {
		c, asked := gpt(t, gptSays(wire.Completion{Text: `{"owner":"Zoë"}`, FinishReason: "stop"}))
		p := openai.ChatCompletionNewParams{Model: "gpt", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
			openai.TextContentPart("Who?"), openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: url}),
		})}}
		p.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "answer", Strict: openai.Bool(true), Schema: schemaMap(t)},
		}}
		if m := askGPT(t, c, p, stream); m.Choices[0].Message.Content != `{"owner":"Zoë"}` {
			t.Errorf("%+v", m)
		}
		r := (*asked)[0]
		parts, err := r.Messages[0].Parts()
		if err != nil || !reflect.DeepEqual(parts, []wire.ContentPart{{Type: "text", Text: "Who?"}, {Type: "image_url", ImageURL: &wire.ImageURL{URL: url}}}) {
			t.Errorf("%+v %v", parts, err)
		}
		if f := r.ResponseFormat; f.Type != "json_schema" || f.JSONSchema.Name != "answer" {
			t.Errorf("%+v", f)
		}
		same(t, r.ResponseFormat.JSONSchema.Schema, []byte(schema))
	}
}

func TestOpenAI_Refusal(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		c, _ := gpt(t, gptSays(wire.Completion{Refusal: "I cannot.", FinishReason: "stop"}))
		if m := askGPT(t, c, toGPT("Do it"), stream); m.Choices[0].Message.Refusal != "I cannot." || m.Choices[0].Message.Content != "" {
			t.Errorf("%+v", m)
		}
	}
}

func TestOpenAI_Errors(t *testing.T) {
	t.Parallel()
	c, _ := gpt(t)
	var e *openai.Error
	if _, err := c.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: "gpt"}); !errors.As(err, &e) || e.StatusCode != http.StatusBadRequest || e.Type != "invalid_request_error" || e.Code != "bad_call" || e.Message == "" {
		t.Errorf("%v", err)
	}
	url := serve(t, "/v1/chat/completions", func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		s, err := wire.Begin(streamed(w), gptSays(wire.Completion{}))
		must(t, err)
		must(t, s.Text("Half"))
		must(t, s.Fail(&wire.Failure{Type: "server_error", Message: "Overloaded"}))
	})
	c = openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("key"), option.WithMaxRetries(0))
	var m openai.ChatCompletionAccumulator
	s := c.Chat.Completions.NewStreaming(t.Context(), toGPT("x"))
	for s.Next() {
		m.AddChunk(s.Current())
	}
	if err := s.Err(); err == nil || len(m.Choices) != 1 || m.Choices[0].Message.Content != "Half" {
		t.Errorf("%v after %+v", err, m)
	}
}

// TestOpenAI_ReadsOurCalls compares what the SDK understands of a call with what was sent.
func TestOpenAI_ReadsOurCalls(t *testing.T) {
	t.Parallel()
	for how, show := range calls() {
		for _, form := range []*model.Schema{nil, {Name: "answer", Schema: json.RawMessage(schema)}} {
			r := conversation()
			r.Output = form
			sent := sentBy(t, ours.Open, "/chat/completions", r, show)
			var p openai.ChatCompletionNewParams
			must(t, json.Unmarshal(sent, &p))
			if len(p.Messages) != 6 || len(p.Messages[2].OfAssistant.ToolCalls) != 2 || p.Messages[4].OfTool.ToolCallID != "c2" || p.Tools[0].OfFunction.Function.Name != "look" || (p.ResponseFormat.OfJSONSchema != nil) != (form != nil) {
				t.Errorf("%s: %+v", how, p)
			}
			p.SetExtraFields(map[string]any{"stream": show != nil})
			again, err := json.Marshal(p)
			must(t, err)
			same(t, again, withStream(t, sent))
		}
	}
}
