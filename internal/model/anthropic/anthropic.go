// Package anthropic asks Anthropic's models over the Messages wire.
package anthropic

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"chela/internal/event"
	"chela/internal/model"
	shared "chela/internal/wire"
	wire "chela/internal/wire/anthropic"
)

type client struct {
	p    model.Provider
	http *http.Client
	url  string
	zai  bool // it is Z.AI's; see [model.ZAI]
}

// Open is a [model.Opener].
func Open(p model.Provider, c *http.Client) (model.Model, error) {
	base := strings.TrimSuffix(strings.TrimRight(p.BaseURL, "/"), "/v1")
	if base == "" {
		base = "https://api.anthropic.com"
	}
	_, zai := model.ZAI(base)
	return &client{p: p, http: c, url: base + "/v1/messages", zai: zai}, nil
}

// Generate implements [model.Model].
func (c *client) Generate(ctx context.Context, r model.Request, show func(model.Delta)) (model.Answer, error) {
	body, err := c.body(r, show != nil)
	if err != nil {
		return model.Answer{}, err
	}
	in, err := model.Post(ctx, c.http, c.p, r.Model, c.url, c.header(), body, r.Idle)
	if err != nil {
		return model.Answer{}, err
	}
	defer func() { _ = in.Close() }() // read to its end, or given up
	got, shown, err := model.Read(in, show, wire.ReadStream, wire.ReadResponse)
	if err != nil {
		e := model.Transport(ctx, c.p.Name, r.Model, err)
		var se *wire.StreamError
		if errors.As(err, &se) {
			e = model.Classify(c.p.Name, r.Model, 0, se.Type, "", se.Message)
		}
		e.Shown = shown
		return model.Answer{}, e
	}
	return c.answer(r, got), nil
}

func (c *client) header() http.Header {
	h := http.Header{"Content-Type": {"application/json"}, "Anthropic-Version": {"2023-06-01"}}
	if c.zai {
		h.Set("Authorization", "Bearer "+c.p.Key)
	} else {
		h.Set("X-Api-Key", c.p.Key)
	}
	return h
}

// Forward implements [model.Forwarder]. The path is one of the vendor's below /v1/messages, such as
// /count_tokens, or empty.
func (c *client) Forward(ctx context.Context, path string, header http.Header, body []byte) (*http.Response, error) {
	h := c.header()
	for _, name := range []string{"Accept", "Anthropic-Version", "Anthropic-Beta"} {
		if v := header.Values(name); len(v) > 0 {
			h[name] = v
		}
	}
	return model.Send(ctx, c.http, c.p, c.url+path, h, body)
}

func (c *client) answer(r model.Request, got wire.Response) model.Answer {
	a := model.Answer{Provider: c.p.Name, Model: r.Model, Stop: model.StopEnd, LeftOut: got.Over, Usage: model.Usage{
		InputTokens: got.Usage.InputTokens, OutputTokens: got.Usage.OutputTokens,
		CacheReadTokens: got.Usage.CacheReadInputTokens, CacheWriteTokens: got.Usage.CacheCreationInputTokens,
	}}
	switch got.StopReason {
	case "max_tokens", "model_context_window_exceeded":
		a.Stop = model.StopMaxTokens
	case "refusal":
		a.Stop = model.StopRefusal
	}
	for _, b := range got.Content {
		switch b.Type {
		case "text":
			a.Parts = append(a.Parts, model.Part{Text: b.Text})
		case "thinking":
			a.Parts = append(a.Parts, model.Part{Thinking: &model.Thinking{Text: b.Thinking, Signature: b.Signature}})
		case "tool_use":
			args := arguments(b.Input)
			if r.Output != nil && b.Name == r.Output.Name {
				a.Parts = append(a.Parts, model.Part{Text: string(args)})
				continue
			}
			a.Parts = append(a.Parts, model.Part{Call: &model.ToolCall{ID: b.ID, Name: b.Name, Args: args}})
		}
	}
	a.Finish()
	return a
}

// arguments of a call that are no JSON, or none that can be recorded, are kept as a text, so that the tool can say
// what is wrong with them.
func arguments(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	if _, err := event.Canonical(raw); err == nil {
		return raw
	}
	quoted, err := json.Marshal(string(raw))
	if err != nil {
		panic("anthropic: a text is always JSON: " + err.Error())
	}
	return quoted
}

// input is the reverse: the wire refuses a call whose input is no object.
func input(args json.RawMessage) json.RawMessage {
	switch args = bytes.TrimSpace(args); {
	case len(args) == 0:
		return json.RawMessage("{}")
	case args[0] == '{':
		return args
	}
	return slices.Concat([]byte(`{"unreadable":`), args, []byte("}"))
}

func (c *client) body(r model.Request, streamed bool) ([]byte, error) {
	tools, err := r.Tools.Encoded("anthropic", encodeTools)
	if err != nil {
		return nil, err
	}
	out := wire.Request{Model: r.Model, MaxTokens: r.MaxTokens, Temperature: r.Temperature, Stream: streamed}
	system := r.System
	switch {
	case r.Output != nil && c.zai: // tools cannot be forced there
		system, tools = r.Output.InWords(system), nil
	case r.Output != nil: // the one tool it may use is the form of its answer
		if tools, err = encodeTools([]model.ToolSpec{{Name: r.Output.Name, Help: "Give your answer.", Schema: r.Output.Schema}}); err != nil {
			return nil, err
		}
		out.ToolChoice = &wire.ToolChoice{Type: "tool", Name: r.Output.Name}
	}
	if strings.TrimSpace(system) != "" {
		out.System = []wire.Block{{Type: "text", Text: system, CacheControl: cached}}
	}
	for _, m := range r.Messages {
		role := "user"
		if m.Role == model.Assistant {
			role = "assistant"
		}
		blocks := blocksOf(m)
		if len(blocks) == 0 {
			continue
		}
		if n := len(out.Messages); n > 0 && out.Messages[n-1].Role == role {
			out.Messages[n-1].Content = append(out.Messages[n-1].Content, blocks...)
			continue
		}
		out.Messages = append(out.Messages, wire.Message{Role: role, Content: blocks})
	}
	markLast(out.Messages)
	body, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode call: %w", err)
	}
	if len(tools) > 0 {
		body = shared.With(body, "tools", tools)
	}
	return body, nil
}

// cached marks where a prefix ends that the next call is likely to begin with: the last
// tool, the system prompt, and the end of the history.
var cached = &wire.CacheControl{Type: "ephemeral"}

// markLast marks the end of the last turn that is the user's; results of tools are. The
// next call finds it although it goes on after it. The wire refuses the mark on thoughts,
// which a user has none of.
func markLast(messages []wire.Message) {
	for i := len(messages) - 1; i >= 0; i-- {
		if m := messages[i]; m.Role == "user" {
			m.Content[len(m.Content)-1].CacheControl = cached
			return
		}
	}
}

func blocksOf(m model.Message) []wire.Block {
	var out []wire.Block
	for _, p := range m.Parts {
		switch {
		case p.Result != nil:
			content := wire.Text(p.Result.Text)
			for _, i := range p.Result.Images {
				content = append(content, picture(i))
			}
			out = append(out, wire.Block{Type: "tool_result", ToolUseID: p.Result.CallID, Content: content, IsError: p.Result.IsError})
		case p.Call != nil:
			out = append(out, wire.Block{Type: "tool_use", ID: p.Call.ID, Name: p.Call.Name, Input: input(p.Call.Args)})
		case p.Image != nil:
			out = append(out, picture(*p.Image))
		case p.Thinking != nil:
			if p.Thinking.Signature != "" && p.Thinking.Kind == "" { // without one of its own the provider refuses it
				out = append(out, wire.Block{Type: "thinking", Thinking: p.Thinking.Text, Signature: p.Thinking.Signature})
			}
		case strings.TrimSpace(p.Text) != "": // the wire refuses empty texts
			out = append(out, wire.Block{Type: "text", Text: p.Text})
		}
	}
	return out
}

func picture(i model.Image) wire.Block {
	return wire.Block{Type: "image", Source: &wire.Source{Type: "base64", MediaType: i.MIMEType, Data: base64.StdEncoding.EncodeToString(i.Data)}}
}

func encodeTools(specs []model.ToolSpec) (json.RawMessage, error) {
	tools := make([]wire.Tool, len(specs))
	for i, s := range specs {
		tools[i] = wire.Tool{Name: s.Name, Description: s.Help, InputSchema: s.Schema}
	}
	tools[len(tools)-1].CacheControl = cached
	return json.Marshal(tools)
}
