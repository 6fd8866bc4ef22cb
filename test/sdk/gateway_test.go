package sdk_test

import (
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	claudes "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"chela/internal/testkit/daemontest"
)

// gateway runs a daemon whose agents answer from a script, and returns its address and a token.
func gateway(t *testing.T) (url, token string) {
	t.Helper()
	d := daemontest.Run(t, daemontest.Setup{Script: `{"otherwise":[{"agentName":"","responseFallback":"The budget is fine."}]}`})
	return d.URL, d.Token
}

// clientOf is OpenAI's own client.
func clientOf(url, token string) openai.Client {
	return openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey(token), option.WithMaxRetries(0))
}

// streamOf is the choice that a streamed answer comes to.
func streamOf(t *testing.T, c openai.Client, ask openai.ChatCompletionNewParams) openai.ChatCompletionChoice {
	t.Helper()
	s := c.Chat.Completions.NewStreaming(t.Context(), ask)
	var acc openai.ChatCompletionAccumulator
	for s.Next() {
		if !acc.AddChunk(s.Current()) {
			t.Errorf("a chunk does not fit the stream: %+v", s.Current())
		}
	}
	must(t, s.Err())
	return acc.Choices[0]
}

// TestGateway_SpeaksToOpenAIsClient has OpenAI's own client speak to an agent.
func TestGateway_SpeaksToOpenAIsClient(t *testing.T) {
	t.Parallel()
	url, token := gateway(t)
	c := clientOf(url, token)
	page, err := c.Models.List(t.Context())
	must(t, err)
	if len(page.Data) < 3 {
		t.Errorf("%d models are listed, want the agents and the model", len(page.Data))
	}
	ask := openai.ChatCompletionNewParams{Model: "chela/pm", Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("Be brief."), openai.UserMessage("How is the budget?")}}
	whole, err := c.Chat.Completions.New(t.Context(), ask)
	must(t, err)
	if got := whole.Choices[0].Message.Content; got != "The budget is fine." || whole.Choices[0].FinishReason != "stop" {
		t.Errorf("got %q and %s, want the scripted answer and stop", got, whole.Choices[0].FinishReason)
	}
	ask.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)}
	if got := streamOf(t, c, ask).Message.Content; got != "The budget is fine." {
		t.Errorf("streamed %q, want the scripted answer", got)
	}
	_, err = c.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: "chela/nobody", Messages: ask.Messages})
	if apierr, ok := err.(*openai.Error); !ok || apierr.StatusCode != 404 || !strings.Contains(apierr.Message, "nobody") { //nolint:errorlint // the client returns it bare
		t.Errorf("an agent that is not there gives %v, want OpenAI's error with 404", err)
	}
}

// TestGateway_SpeaksToAnthropicsClient has Anthropic's own client speak to an agent.
func TestGateway_SpeaksToAnthropicsClient(t *testing.T) {
	t.Parallel()
	url, token := gateway(t)
	c := anthropic.NewClient(claudes.WithBaseURL(url), claudes.WithAPIKey(token), claudes.WithMaxRetries(0))
	ask := anthropic.MessageNewParams{
		Model: "chela/pm", MaxTokens: 100, System: []anthropic.TextBlockParam{{Text: "Be brief."}},
		Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("How is the budget?"))},
	}
	whole, err := c.Messages.New(t.Context(), ask)
	must(t, err)
	if len(whole.Content) != 1 || whole.Content[0].Text != "The budget is fine." || whole.StopReason != "end_turn" {
		t.Errorf("got %+v, want the scripted answer and end_turn", whole)
	}
	s := c.Messages.NewStreaming(t.Context(), ask)
	var acc anthropic.Message
	for s.Next() {
		must(t, acc.Accumulate(s.Current()))
	}
	must(t, s.Err())
	if len(acc.Content) != 1 || acc.Content[0].Text != "The budget is fine." {
		t.Errorf("streamed %+v, want the scripted answer", acc)
	}
	counted, err := c.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{Model: "chela/pm", Messages: ask.Messages})
	must(t, err)
	if counted.InputTokens < 5 {
		t.Errorf("%d tokens are counted, want some", counted.InputTokens)
	}
	ask.Model = "chela/nobody"
	_, err = c.Messages.New(t.Context(), ask)
	if apierr, ok := err.(*anthropic.Error); !ok || apierr.StatusCode != 404 || !strings.Contains(apierr.RawJSON(), "not_found_error") { //nolint:errorlint // the client returns it bare
		t.Errorf("an agent that is not there gives %v, want Anthropic's error with 404", err)
	}
}

// TestGateway_ResponsesSpeakToOpenAIsClient has OpenAI's own client use the Responses API: whole, streamed, and going on.
func TestGateway_ResponsesSpeakToOpenAIsClient(t *testing.T) {
	t.Parallel()
	url, token := gateway(t)
	c := clientOf(url, token)
	ask := responses.ResponseNewParams{Model: "chela/pm", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("How is the budget?")}}
	whole, err := c.Responses.New(t.Context(), ask)
	must(t, err)
	if whole.OutputText() != "The budget is fine." || whole.Status != "completed" {
		t.Errorf("got %q, %s", whole.OutputText(), whole.Status)
	}
	ask.PreviousResponseID = openai.String(whole.ID)
	stream := c.Responses.NewStreaming(t.Context(), ask)
	said, done := "", false
	for stream.Next() {
		switch e := stream.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			said += e.Delta
		case responses.ResponseCompletedEvent:
			done = e.Response.PreviousResponseID == whole.ID
		}
	}
	must(t, stream.Err())
	if said != "The budget is fine." || !done {
		t.Errorf("the stream says %q and is completed: %t", said, done)
	}
	got, err := c.Responses.Get(t.Context(), whole.ID, responses.ResponseGetParams{})
	must(t, err)
	if got.OutputText() != whole.OutputText() {
		t.Errorf("looked at again it says %q", got.OutputText())
	}
}
