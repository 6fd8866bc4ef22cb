// Package openai asks models over the Chat Completions wire: OpenAI itself and every
// compatible server (Ollama, vLLM, llama.cpp, OpenRouter).
package openai

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"chela/internal/event"
	"chela/internal/model"
	wire "chela/internal/wire/openai"
)

type client struct {
	p    model.Provider
	http *http.Client
	base string
	// zai says that it is one of Z.AI's endpoints; see [model.ZAI].
	zai bool
	// plain is set once the server has refused response_format and has answered
	// without it: the schema then goes into the prompt.
	plain atomic.Bool
}

// Open is a [model.Opener].
func Open(p model.Provider, c *http.Client) (model.Model, error) {
	base := strings.TrimRight(p.BaseURL, "/")
	if base == "" {
		base = "https://api.openai.com/v1"
	}
	_, zai := model.ZAI(base)
	return &client{p: p, http: c, base: base, zai: zai}, nil
}

// Generate implements [model.Model].
func (c *client) Generate(ctx context.Context, r model.Request, show func(model.Delta)) (model.Answer, error) {
	plain := c.plain.Load()
	a, err := c.once(ctx, r, show, plain)
	var me *model.Error
	if r.Output != nil && !plain && errors.As(err, &me) && me.Status == http.StatusBadRequest && me.Reason == model.Format {
		if a, err = c.once(ctx, r, show, true); err == nil {
			c.plain.Store(true)
		}
	}
	return a, err
}

func (c *client) once(ctx context.Context, r model.Request, show func(model.Delta), plain bool) (model.Answer, error) {
	body, err := c.body(r, show != nil, plain)
	if err != nil {
		return model.Answer{}, err
	}
	in, err := model.Post(ctx, c.http, c.p, r.Model, c.base+"/chat/completions", c.header("application/json"), body, r.Idle)
	if err != nil {
		return model.Answer{}, err
	}
	defer func() { _ = in.Close() }() // read to its end, or given up
	got, shown, err := model.Read(in, show, wire.ReadStream, wire.ReadResponse)
	if err != nil {
		e := c.failed(ctx, r.Model, err)
		e.Shown = shown
		return model.Answer{}, e
	}
	return c.answer(r, got, shown)
}

func (c *client) header(contentType string) http.Header {
	h := http.Header{"Content-Type": {contentType}}
	if c.p.Key != "" {
		h.Set("Authorization", "Bearer "+c.p.Key)
	}
	return h
}

// failed says what became of an answer that cannot be read.
func (c *client) failed(ctx context.Context, name string, err error) *model.Error {
	var f *wire.Failure
	if errors.As(err, &f) {
		return model.Classify(c.p.Name, name, f.Status(), f.Type, string(f.Code), f.Message)
	}
	return model.Transport(ctx, c.p.Name, name, err)
}

func (c *client) answer(r model.Request, got wire.Completion, shown string) (model.Answer, error) {
	a := model.Answer{Provider: c.p.Name, Model: r.Model, LeftOut: got.Over, Usage: model.Usage{
		InputTokens:     got.Usage.PromptTokens - got.Usage.PromptTokensDetails.CachedTokens,
		OutputTokens:    got.Usage.CompletionTokens,
		CacheReadTokens: got.Usage.PromptTokensDetails.CachedTokens,
	}}
	switch got.FinishReason {
	case "length", "model_context_window_exceeded": // the longer words are Z.AI's
		a.Stop = model.StopMaxTokens
	case "content_filter", "sensitive":
		a.Stop = model.StopRefusal
	case "network_error":
		return model.Answer{}, &model.Error{Reason: model.Server, Provider: c.p.Name, Model: r.Model, Detail: "the model's own connection broke", Shown: shown}
	default:
		a.Stop = model.StopEnd
	}
	if got.Refusal != "" {
		a.Stop = model.StopRefusal
		got.Text += got.Refusal
	}
	if got.Reasoning != "" {
		a.Parts = append(a.Parts, model.Part{Thinking: &model.Thinking{Text: got.Reasoning, Kind: model.KindOpenAI}})
	}
	if got.Text != "" {
		a.Parts = append(a.Parts, model.Part{Text: got.Text})
	}
	for _, call := range got.Calls {
		args := json.RawMessage(call.Function.Arguments)
		if strings.TrimSpace(call.Function.Arguments) == "" {
			args = json.RawMessage("{}")
		}
		if _, err := event.Canonical(args); err != nil { // no JSON, or none that can be recorded
			// Kept as a text, so that the tool can say what is wrong with it.
			quoted, err := json.Marshal(call.Function.Arguments)
			if err != nil {
				return a, fmt.Errorf("quote arguments: %w", err)
			}
			args = quoted
		}
		a.Parts = append(a.Parts, model.Part{Call: &model.ToolCall{ID: call.ID, Name: call.Function.Name, Args: args}})
	}
	a.Finish()
	return a, nil
}

func (c *client) body(r model.Request, streamed, plain bool) ([]byte, error) {
	tools, err := r.Tools.Encoded("openai", encodeTools)
	if err != nil {
		return nil, err
	}
	out := wire.Request{Model: r.Model, Tools: tools, MaxTokens: r.MaxTokens, Temperature: r.Temperature, Stream: streamed}
	if streamed && !c.zai {
		out.StreamOptions = &wire.StreamOptions{IncludeUsage: true}
	}
	system := r.System
	if r.Output != nil {
		switch {
		case plain:
			system = r.Output.InWords(system)
		case c.zai:
			system = r.Output.InWords(system)
			out.ResponseFormat = &wire.ResponseFormat{Type: "json_object"}
		default:
			out.ResponseFormat = &wire.ResponseFormat{Type: "json_schema", JSONSchema: &wire.JSONSchema{Name: r.Output.Name, Schema: r.Output.Schema}}
		}
	}
	if system != "" {
		out.Messages = append(out.Messages, wire.Message{Role: "system", Content: quote(system)})
	}
	for _, m := range r.Messages {
		out.Messages = append(out.Messages, messages(m)...)
	}
	return out.Encode()
}

func quote(s string) json.RawMessage {
	raw, err := json.Marshal(s)
	if err != nil {
		panic("openai: a text is always JSON: " + err.Error())
	}
	return raw
}

// messages turns one neutral turn into the wire's: every result is a message. One of a tool
// holds text alone, so that the pictures of results follow them all, as the user's.
func messages(m model.Message) []wire.Message {
	var out []wire.Message
	turn := wire.Message{Role: string(m.Role), Content: json.RawMessage("null")}
	var text strings.Builder
	var parts []wire.ContentPart
	var pictures []wire.ContentPart
	for _, p := range m.Parts {
		switch {
		case p.Result != nil:
			out = append(out, wire.Message{Role: "tool", ToolCallID: p.Result.CallID, Content: quote(p.Result.Text)})
			for _, i := range p.Result.Images {
				pictures = append(pictures, wire.ContentPart{Type: "text", Text: p.Result.PictureOf()}, picture(i))
			}
		case p.Call != nil:
			turn.ToolCalls = append(turn.ToolCalls, wire.ToolCall{ID: p.Call.ID, Type: "function", Function: wire.Function{Name: p.Call.Name, Arguments: string(p.Call.Args)}})
		case p.Image != nil:
			parts = append(parts, picture(*p.Image))
		case p.Text != "":
			text.WriteString(p.Text)
		}
	}
	if m.Role == model.Tool {
		if len(pictures) > 0 {
			out = append(out, wire.Message{Role: "user", Content: list(pictures)})
		}
		return out
	}
	switch {
	case len(parts) > 0:
		if text.Len() > 0 {
			parts = append([]wire.ContentPart{{Type: "text", Text: text.String()}}, parts...)
		}
		turn.Content = list(parts)
	case text.Len() > 0 || len(turn.ToolCalls) == 0:
		turn.Content = quote(text.String())
	}
	return append(out, turn)
}

func picture(i model.Image) wire.ContentPart {
	return wire.ContentPart{Type: "image_url", ImageURL: &wire.ImageURL{URL: "data:" + i.MIMEType + ";base64," + base64.StdEncoding.EncodeToString(i.Data)}}
}

func list(parts []wire.ContentPart) json.RawMessage {
	raw, err := json.Marshal(parts)
	if err != nil {
		panic("openai: parts are always JSON: " + err.Error())
	}
	return raw
}

func encodeTools(specs []model.ToolSpec) (json.RawMessage, error) {
	tools := make([]wire.Tool, len(specs))
	for i, s := range specs {
		tools[i] = wire.Tool{Type: "function", Function: wire.ToolFunction{Name: s.Name, Description: s.Help, Parameters: s.Schema}}
	}
	return json.Marshal(tools)
}

// Forward implements [model.Forwarder]. The path is one of the vendor's, such as /chat/completions.
func (c *client) Forward(ctx context.Context, path string, header http.Header, body []byte) (*http.Response, error) {
	h := c.header("application/json")
	for _, name := range []string{"Accept", "Idempotency-Key", "Openai-Beta"} {
		if v := header.Values(name); len(v) > 0 {
			h[name] = v
		}
	}
	return model.Send(ctx, c.http, c.p, c.base+path, h, body)
}
