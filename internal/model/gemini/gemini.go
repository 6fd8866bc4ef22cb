// Package gemini asks Google's models over the Gemini wire.
package gemini

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"chela/internal/event"
	"chela/internal/model"
	shared "chela/internal/wire"
	wire "chela/internal/wire/gemini"
)

type client struct {
	p    model.Provider
	http *http.Client
	base string
}

// Open is a [model.Opener].
func Open(p model.Provider, c *http.Client) (model.Model, error) {
	base := strings.TrimSuffix(strings.TrimRight(p.BaseURL, "/"), "/v1beta")
	if base == "" {
		base = "https://generativelanguage.googleapis.com"
	}
	return &client{p: p, http: c, base: base + "/v1beta/models/"}, nil
}

// Generate implements [model.Model].
func (c *client) Generate(ctx context.Context, r model.Request, show func(model.Delta)) (model.Answer, error) {
	body, err := c.body(r)
	if err != nil {
		return model.Answer{}, err
	}
	address := c.base + url.PathEscape(strings.TrimPrefix(r.Model, "models/"))
	if show != nil {
		address += ":streamGenerateContent?alt=sse"
	} else {
		address += ":generateContent"
	}
	in, err := model.Post(ctx, c.http, c.p, r.Model, address, http.Header{"Content-Type": {"application/json"}, "X-Goog-Api-Key": {c.p.Key}}, body, r.Idle)
	if err != nil {
		return model.Answer{}, err
	}
	defer func() { _ = in.Close() }() // read to its end, or given up
	got, shown, err := model.Read(in, show, wire.ReadStream, wire.ReadResponse)
	if err != nil {
		e := model.Transport(ctx, c.p.Name, r.Model, err)
		var f *wire.Failure
		if errors.As(err, &f) {
			e = model.Classify(c.p.Name, r.Model, f.Code, f.Status, "", f.Message)
			e.RetryAfter = f.RetryAfter()
		}
		e.Shown = shown
		return model.Answer{}, e
	}
	return c.answer(r, got, shown)
}

func (c *client) answer(r model.Request, got wire.Answer, shown string) (model.Answer, error) {
	a := model.Answer{Provider: c.p.Name, Model: r.Model, LeftOut: got.Over, Usage: model.Usage{
		InputTokens:     got.Usage.PromptTokenCount + got.Usage.ToolUsePromptTokenCount - got.Usage.CachedContentTokenCount,
		OutputTokens:    got.Usage.CandidatesTokenCount + got.Usage.ThoughtsTokenCount,
		CacheReadTokens: got.Usage.CachedContentTokenCount,
	}}
	switch got.FinishReason {
	case "STOP":
		a.Stop = model.StopEnd
	case "MAX_TOKENS":
		a.Stop = model.StopMaxTokens
	case "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL": // another attempt mostly goes well
		return model.Answer{}, &model.Error{Reason: model.Server, Provider: c.p.Name, Model: r.Model, Detail: "the model wrote a call that cannot be read", Shown: shown}
	default: // SAFETY, RECITATION, PROHIBITED_CONTENT, BLOCKLIST, SPII, LANGUAGE, OTHER and those to come
		a.Stop = model.StopRefusal
	}
	for _, p := range got.Parts {
		a.Parts = append(a.Parts, parts(p)...)
	}
	a.Finish()
	return a, nil
}

// parts turns a part of the wire into neutral ones. A signature on a text or a call is
// kept as a thought without words in front of it; [client.contents] puts it back.
func parts(p wire.Part) []model.Part {
	if p.Thought {
		return []model.Part{{Thinking: &model.Thinking{Text: p.Text, Signature: p.ThoughtSignature, Kind: model.KindGemini}}}
	}
	var out []model.Part
	if p.ThoughtSignature != "" && (p.FunctionCall != nil || p.Text != "") {
		out = append(out, model.Part{Thinking: &model.Thinking{Signature: p.ThoughtSignature, Kind: model.KindGemini}})
	}
	switch {
	case p.FunctionCall != nil:
		id := p.FunctionCall.ID
		if id == "" {
			id = event.NewID("call") //nolint:forbidigo // it names a call to Google, where ids are not ours to make
		}
		out = append(out, model.Part{Call: &model.ToolCall{ID: id, Name: p.FunctionCall.Name, Args: arguments(p.FunctionCall.Args)}})
	case p.Text != "":
		out = append(out, model.Part{Text: p.Text})
	}
	return out
}

// arguments of a call that cannot be recorded are kept as a text, so that the tool can
// say what is wrong with them.
func arguments(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	if _, err := event.Canonical(raw); err == nil {
		return raw
	}
	return quote(raw)
}

func quote(raw json.RawMessage) json.RawMessage {
	quoted, err := json.Marshal(string(raw))
	if err != nil {
		panic("gemini: a text is always JSON: " + err.Error())
	}
	return quoted
}

// input is the reverse: the wire refuses a call whose arguments are no object.
func input(args json.RawMessage) json.RawMessage {
	switch text := strings.TrimSpace(string(args)); {
	case text == "":
		return json.RawMessage("{}")
	case text[0] == '{':
		return args
	default:
		return json.RawMessage(`{"unreadable":` + text + "}")
	}
}

func (c *client) body(r model.Request) ([]byte, error) {
	out := wire.Request{Contents: contents(r), GenerationConfig: wire.GenerationConfig{Temperature: r.Temperature, MaxOutputTokens: r.MaxTokens}}
	if r.System != "" {
		out.SystemInstruction = &wire.Content{Parts: []wire.Part{{Text: r.System}}}
	}
	var tools json.RawMessage
	var err error
	if r.Output != nil { // the wire refuses tools beside a form
		out.GenerationConfig.ResponseMIMEType = "application/json"
		if out.GenerationConfig.ResponseSchema, err = wire.SchemaOf(r.Output.Schema); err != nil {
			return nil, err
		}
	} else if tools, err = r.Tools.Encoded("gemini", encodeTools); err != nil {
		return nil, err
	}
	body, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode call: %w", err)
	}
	if len(tools) > 0 {
		body = shared.With(body, "tools", tools)
	}
	return body, nil
}

// unsigned is what Google's pages give in place of a signature for calls that another
// model wrote (ai.google.dev/gemini-api/docs/thought-signatures): Gemini 3 refuses a turn
// whose first call has none.
const unsigned = "skip_thought_signature_validator"

func contents(r model.Request) []wire.Content {
	out := []wire.Content{}
	for _, m := range r.Messages {
		role := "user"
		if m.Role == model.Assistant {
			role = "model"
		}
		parts := partsOf(m, strings.Contains(r.Model, "gemini-3"))
		if len(parts) == 0 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Parts = append(out[n-1].Parts, parts...)
			continue
		}
		out = append(out, wire.Content{Role: role, Parts: parts})
	}
	return out
}

func partsOf(m model.Message, mustSign bool) []wire.Part {
	var out, pictures []wire.Part // pictures of results stand after all of them
	signature := ""
	add := func(p wire.Part) {
		p.ThoughtSignature, signature = signature, ""
		out = append(out, p)
	}
	for _, p := range m.Parts {
		switch {
		case p.Result != nil:
			response := wire.Response{Output: p.Result.Text}
			if p.Result.IsError {
				response = wire.Response{Error: p.Result.Text}
			}
			add(wire.Part{FunctionResponse: &wire.FunctionResponse{ID: p.Result.CallID, Name: p.Result.Name, Response: response}})
			for _, i := range p.Result.Images {
				pictures = append(pictures, wire.Part{Text: p.Result.PictureOf()}, picture(i))
			}
		case p.Call != nil:
			if mustSign && signature == "" {
				signature = unsigned
			}
			mustSign = false // of calls at once only the first is signed
			add(wire.Part{FunctionCall: &wire.FunctionCall{ID: p.Call.ID, Name: p.Call.Name, Args: input(p.Call.Args)}})
		case p.Image != nil:
			add(picture(*p.Image))
		case p.Thinking != nil:
			if p.Thinking.Kind == model.KindGemini && p.Thinking.Text == "" {
				signature = p.Thinking.Signature
			}
		case p.Text != "":
			add(wire.Part{Text: p.Text})
		}
	}
	return append(out, pictures...)
}

func picture(i model.Image) wire.Part {
	return wire.Part{InlineData: &wire.Blob{MIMEType: i.MIMEType, Data: base64.StdEncoding.EncodeToString(i.Data)}}
}

func encodeTools(specs []model.ToolSpec) (json.RawMessage, error) {
	functions := make([]wire.Function, len(specs))
	for i, s := range specs {
		schema, err := wire.SchemaOf(s.Schema)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", s.Name, err)
		}
		functions[i] = wire.Function{Name: s.Name, Description: s.Help, Parameters: schema}
	}
	return json.Marshal([]wire.Tool{{FunctionDeclarations: functions}})
}
