package sdk_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	anthropic "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"chela/internal/testkit/daemontest"
)

// newerClient is the second major version of Anthropic's own client, which speaks version 2026-10-21 of the API; sent are the
// versions that it named.
func newerClient(d daemontest.Daemon, sent *[]string) anthropic.Client {
	return anthropic.NewClient(option.WithBaseURL(d.URL), option.WithAPIKey(d.Token), option.WithMaxRetries(0),
		option.WithMiddleware(func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			*sent = append(*sent, r.Header.Get("Anthropic-Version"))
			return next(r)
		}))
}

// newerStream is the message that a streamed answer comes to.
func newerStream(t *testing.T, c anthropic.Client, ask anthropic.MessageNewParams) (whole anthropic.Message) {
	t.Helper()
	s := c.Messages.NewStreaming(t.Context(), ask)
	for s.Next() {
		must(t, whole.Accumulate(s.Current()))
	}
	must(t, s.Err())
	return whole
}

func toNewer(blocks ...anthropic.ContentBlockParamUnion) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{Model: "chela/pm", MaxTokens: 100, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(blocks...)}}
}

// TestGateway_SpeaksToAnthropicsNewerClient has the second major version of Anthropic's own client speak to an agent: whole and
// streamed, with a picture, about its tokens, and to one that is not there.
func TestGateway_SpeaksToAnthropicsNewerClient(t *testing.T) {
	t.Parallel()
	var sent []string
	d := daemontest.Run(t, daemontest.Setup{Script: `{"otherwise":[{"agentName":"","responseFallback":"The budget is fine."}]}`})
	c := newerClient(d, &sent)
	ask := toNewer(anthropic.NewTextBlock("How is the budget?"))
	whole, err := c.Messages.New(t.Context(), ask)
	must(t, err)
	if len(whole.Content) != 1 || whole.Content[0].Text != "The budget is fine." || whole.StopReason != "end_turn" {
		t.Errorf("got %+v, want the scripted answer and end_turn", whole)
	}
	if got := newerStream(t, c, ask); len(got.Content) != 1 || got.Content[0].Text != "The budget is fine." {
		t.Errorf("streamed %+v, want the scripted answer", got)
	}
	pixel := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n"))
	if got := newerStream(t, c, toNewer(anthropic.NewImageBlockBase64("image/png", pixel), anthropic.NewTextBlock("What is this?"))); got.StopReason != "end_turn" {
		t.Errorf("asked about a picture it says %+v", got)
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
	for _, v := range sent {
		if v != "2026-10-21" {
			t.Errorf("the client names version %q of the API, want 2026-10-21", v)
		}
	}
}

// TestClient_AnthropicsNewerClientCallsItsOwnTools has it call a tool of its own, and go on.
func TestClient_AnthropicsNewerClientCallsItsOwnTools(t *testing.T) {
	t.Parallel()
	var sent []string
	c := newerClient(daemontest.Run(t, daemontest.Setup{Script: caller}), &sent)
	ask := toNewer(anthropic.NewTextBlock("Bern?"))
	ask.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "get_weather", InputSchema: anthropic.ToolInputSchemaParam{}}}}
	first := newerStream(t, c, ask)
	if first.StopReason != "tool_use" || len(first.Content) != 2 || string(first.Content[1].Input) != `{"city":"Bern"}` {
		t.Fatalf("got %+v, want a text and a call", first)
	}
	ask.Messages = append(ask.Messages, first.ToParam(), anthropic.NewUserMessage(anthropic.NewToolResultBlock(first.Content[1].ID, "It is sunny.", false)))
	whole, err := c.Messages.New(t.Context(), ask)
	must(t, err)
	if len(whole.Content) != 1 || whole.Content[0].Text != "Sunny." || whole.StopReason != "end_turn" {
		t.Errorf("got %+v, want the answer", whole)
	}
}

// TestGateway_AnthropicsNewerClientGetsForms has it ask for JSON of a schema, and get what fits it.
func TestGateway_AnthropicsNewerClientGetsForms(t *testing.T) {
	t.Parallel()
	var sent []string
	c := newerClient(daemontest.Run(t, daemontest.Setup{Script: `{"otherwise":[{"agentName":"","responseFallback":"{\"city\":\"Bern\"}"}]}`}), &sent)
	ask := toNewer(anthropic.NewTextBlock("Which city?"))
	ask.OutputConfig = anthropic.OutputConfigParam{Format: anthropic.JSONOutputFormatParam{Schema: map[string]any{
		"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []string{"city"}, "additionalProperties": false,
	}}}
	got, err := c.Messages.New(t.Context(), ask)
	must(t, err)
	if len(got.Content) != 1 {
		t.Fatalf("got %+v, want a text", got)
	}
	same(t, []byte(got.Content[0].Text), []byte(`{"city":"Bern"}`))
}

// TestGateway_AnthropicsNewerClientLeaves has it hang up in the middle of an answer.
func TestGateway_AnthropicsNewerClientLeaves(t *testing.T) {
	t.Parallel()
	var sent []string
	c := newerClient(daemontest.Run(t, daemontest.Setup{Script: `{"otherwise":[{"agentName":"","responseFallback":"` + strings.Repeat("Slowly. ", 200) + `"}]}`}), &sent)
	ctx, leave := context.WithTimeout(t.Context(), time.Minute)
	defer leave()
	s := c.Messages.NewStreaming(ctx, toNewer(anthropic.NewTextBlock("Take your time.")), option.WithHeader("X-Chela-On-Disconnect", "cancel"))
	if !s.Next() {
		t.Fatalf("no event came: %v", s.Err())
	}
	leave()
	for s.Next() {
		continue // what had come already
	}
	whole, err := c.Messages.New(t.Context(), toNewer(anthropic.NewTextBlock("And again.")))
	must(t, err)
	if whole.StopReason != "end_turn" {
		t.Errorf("after it left the next answer is %+v", whole)
	}
}
