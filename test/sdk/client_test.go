package sdk_test

import (
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	claudes "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"chela/internal/testkit/daemontest"
)

// caller is a script of an agent that asks a program for the weather, and answers.
const caller = `{"steps":[{"userQuery":"Bern?","agentResponses":[{"agentName":"pm","responseFallback":"I look.","toolCalls":[{"name":"get_weather","args":{"city":"Bern"}}]},{"agentName":"pm","responseFallback":"Sunny."}]}]}`

func TestClient_OpenAIsClientCallsItsOwnTools(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: caller})
	c := clientOf(d.URL, d.Token)
	ask := openai.ChatCompletionNewParams{
		Model: "chela/pm", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Bern?")},
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "get_weather", Parameters: shared.FunctionParameters{"type": "object"}})},
	}
	first := streamOf(t, c, ask)
	if first.FinishReason != "tool_calls" || len(first.Message.ToolCalls) != 1 || first.Message.ToolCalls[0].Function.Arguments != `{"city":"Bern"}` || first.Message.Content != "I look." {
		t.Fatalf("got %+v, want one call beside a text", first)
	}
	ask.Messages = append(ask.Messages, first.Message.ToParam(), openai.ToolMessage("It is sunny.", first.Message.ToolCalls[0].ID))
	whole, err := c.Chat.Completions.New(t.Context(), ask)
	must(t, err)
	if got := whole.Choices[0].Message.Content; got != "Sunny." || whole.Choices[0].FinishReason != "stop" {
		t.Errorf("got %q and %s, want the answer", got, whole.Choices[0].FinishReason)
	}
}

func TestClient_ResponsesCallTheirOwnTools(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: caller})
	c := clientOf(d.URL, d.Token)
	ask := responses.ResponseNewParams{
		Model: "chela/pm", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Bern?")},
		Tools: []responses.ToolUnionParam{responses.ToolParamOfFunction("get_weather", map[string]any{"type": "object"}, false)},
	}
	stream := c.Responses.NewStreaming(t.Context(), ask)
	var done responses.Response
	args := ""
	for stream.Next() {
		switch e := stream.Current().AsAny().(type) {
		case responses.ResponseFunctionCallArgumentsDoneEvent:
			args = e.Arguments
		case responses.ResponseCompletedEvent:
			done = e.Response
		}
	}
	must(t, stream.Err())
	if len(done.Output) != 2 || args != `{"city":"Bern"}` {
		t.Fatalf("got %s and %+v, want a message and a call", args, done.Output)
	}
	call, ok := done.Output[1].AsAny().(responses.ResponseFunctionToolCall)
	if !ok || call.Name != "get_weather" {
		t.Fatalf("got %+v, want a call", done.Output[1])
	}
	whole, err := c.Responses.New(t.Context(), responses.ResponseNewParams{
		Model: "chela/pm", PreviousResponseID: openai.String(done.ID), Tools: ask.Tools,
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{{OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{
			CallID: openai.String(call.CallID), Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String("It is sunny.")},
		}}}},
	})
	must(t, err)
	if whole.OutputText() != "Sunny." || whole.ID == done.ID {
		t.Errorf("got %q as %s, want the answer under another id than %s", whole.OutputText(), whole.ID, done.ID)
	}
}

func TestClient_AnthropicsClientCallsItsOwnTools(t *testing.T) {
	t.Parallel()
	d := daemontest.Run(t, daemontest.Setup{Script: caller})
	c := anthropic.NewClient(claudes.WithBaseURL(d.URL), claudes.WithAPIKey(d.Token), claudes.WithMaxRetries(0))
	ask := anthropic.MessageNewParams{
		Model: "chela/pm", MaxTokens: 100, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Bern?"))},
		Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "get_weather", InputSchema: anthropic.ToolInputSchemaParam{}}}},
	}
	s := c.Messages.NewStreaming(t.Context(), ask)
	var acc anthropic.Message
	for s.Next() {
		must(t, acc.Accumulate(s.Current()))
	}
	must(t, s.Err())
	if acc.StopReason != "tool_use" || len(acc.Content) != 2 || string(acc.Content[1].Input) != `{"city":"Bern"}` {
		t.Fatalf("got %+v, want a text and a call", acc)
	}
	ask.Messages = append(ask.Messages, acc.ToParam(), anthropic.NewUserMessage(anthropic.NewToolResultBlock(acc.Content[1].ID, "It is sunny.", false)))
	whole, err := c.Messages.New(t.Context(), ask)
	must(t, err)
	if len(whole.Content) != 1 || whole.Content[0].Text != "Sunny." || whole.StopReason != "end_turn" {
		t.Errorf("got %+v, want the answer", whole)
	}
}
