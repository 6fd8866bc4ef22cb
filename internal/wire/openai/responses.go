package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"chela/internal/wire"
)

// An Ask is a call of the Responses API, as far as we act on it.
type Ask struct {
	Model        string            `json:"model"`
	Input        json.RawMessage   `json:"input"` // a text, or items
	Instructions string            `json:"instructions"`
	Previous     string            `json:"previous_response_id"`
	Stream       bool              `json:"stream"`
	Background   bool              `json:"background"`
	Store        *bool             `json:"store"`
	User         string            `json:"user"`
	Metadata     map[string]string `json:"metadata"`
	Tools        []json.RawMessage `json:"tools"`
	ToolChoice   json.RawMessage   `json:"tool_choice"`
	Parallel     *bool             `json:"parallel_tool_calls"`
	Text         *AskText          `json:"text"`
}

// An AskText says how an answer is formed.
type AskText struct {
	Format struct {
		Type   string          `json:"type"`
		Schema json.RawMessage `json:"schema"`
	} `json:"format"`
}

// An Item is a part of the input: a message, a call of an earlier answer, or its result. One of another type is not acted on.
type Item struct {
	Type    string          `json:"type"` // message, function_call, function_call_output
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"` // a text, or parts

	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"` // a text, or parts
}

// An ItemPart is a part of a message.
type ItemPart struct {
	Type     string `json:"type"` // input_text, output_text, input_image
	Text     string `json:"text"`
	ImageURL string `json:"image_url"`
}

// Items reads the input: a text is one message of the user's.
func (a Ask) Items() ([]Item, error) {
	if len(a.Input) == 0 {
		return nil, errors.New("input: it is missing")
	}
	var text string
	if json.Unmarshal(a.Input, &text) == nil {
		return []Item{{Type: "message", Role: "user", Content: a.Input}}, nil
	}
	var out []Item
	if err := json.Unmarshal(a.Input, &out); err != nil {
		return nil, fmt.Errorf("input is a text or a list of items: %w", err)
	}
	for i := range out {
		if out[i].Type == "" {
			out[i].Type = "message"
		}
	}
	return out, nil
}

// Parts reads the content of a message: a text is one part.
func (i Item) Parts() ([]ItemPart, error) {
	var text string
	if json.Unmarshal(i.Content, &text) == nil {
		return []ItemPart{{Type: "input_text", Text: text}}, nil
	}
	var out []ItemPart
	if err := json.Unmarshal(i.Content, &out); err != nil {
		return nil, fmt.Errorf("the content of a message is a text or a list of parts: %w", err)
	}
	return out, nil
}

// A Made is an answer of the Responses API.
type Made struct {
	ID           string            `json:"id"`
	Object       string            `json:"object"` // response
	CreatedAt    int64             `json:"created_at"`
	Status       string            `json:"status"` // queued, in_progress, completed, failed, cancelled
	Background   bool              `json:"background"`
	Error        *MadeError        `json:"error"`
	Incomplete   *struct{}         `json:"incomplete_details"` // nothing is cut here
	Instructions *string           `json:"instructions"`
	Metadata     map[string]string `json:"metadata"`
	Model        string            `json:"model"`
	Output       []MadeItem        `json:"output"`
	Parallel     bool              `json:"parallel_tool_calls"`
	Previous     *string           `json:"previous_response_id"`
	Store        bool              `json:"store"`
	Temperature  *float64          `json:"temperature"`
	TopP         *float64          `json:"top_p"`
	Text         json.RawMessage   `json:"text"`
	ToolChoice   string            `json:"tool_choice"`
	Tools        []json.RawMessage `json:"tools"`
	Usage        *MadeUsage        `json:"usage"`
}

// A MadeError says why there is no answer.
type MadeError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// A MadeItem is a message of an answer, or a call that its asker is to make.
type MadeItem struct {
	ID      string     `json:"id"`
	Type    string     `json:"type"` // message, function_call
	Status  string     `json:"status"`
	Role    string     `json:"role,omitempty"`
	Content []MadePart `json:"content,omitzero"`

	CallID    string  `json:"call_id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Arguments *string `json:"arguments,omitempty"`
}

// A MadePart is the text of a message.
type MadePart struct {
	Type        string            `json:"type"` // output_text
	Text        string            `json:"text"`
	Annotations []json.RawMessage `json:"annotations"`
}

// A MadeUsage is what an answer used, in tokens.
type MadeUsage struct {
	Input        int `json:"input_tokens"`
	InputDetails struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output        int `json:"output_tokens"`
	OutputDetails struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int `json:"total_tokens"`
}

// NewMade returns an answer with what is the same in all of ours.
func NewMade(id, model string, created int64) Made {
	return Made{
		ID: id, Object: "response", CreatedAt: created, Status: "in_progress", Model: model, Output: []MadeItem{}, Metadata: map[string]string{}, Parallel: true, Store: true,
		Text: json.RawMessage(`{"format":{"type":"text"}}`), ToolChoice: "auto", Tools: []json.RawMessage{},
	}
}

// Say puts a text into an answer, as its one message.
func (m *Made) Say(item, status, text string) {
	m.Output = []MadeItem{{ID: item, Type: "message", Status: status, Role: "assistant", Content: []MadePart{{Type: "output_text", Text: text, Annotations: []json.RawMessage{}}}}}
}

// Call adds a call to an answer, which its asker is to make.
func (m *Made) Call(c ToolCall) { m.Output = append(m.Output, callItem(c, "completed")) }

func callItem(c ToolCall, status string) MadeItem {
	return MadeItem{ID: "fc_" + strings.TrimPrefix(c.ID, "call_"), Type: "function_call", Status: status, CallID: c.ID, Name: c.Function.Name, Arguments: &c.Function.Arguments}
}

// A MadeStream writes an answer as events while it comes.
type MadeStream struct {
	w    io.Writer
	item string
	n    int
	open bool // the message was begun
	at   int  // how many calls came after it
}

// NewMadeStream returns a stream of an answer whose message has an id.
func NewMadeStream(w io.Writer, item string) *MadeStream { return &MadeStream{w: w, item: item} }

// send writes an event. Members are those of the event beside its type and number.
func (s *MadeStream) send(kind string, members map[string]any) error {
	members["type"], members["sequence_number"] = kind, s.n
	s.n++
	raw, err := json.Marshal(members)
	if err != nil {
		return fmt.Errorf("encode an event: %w", err)
	}
	return wire.WriteEvent(s.w, kind, raw)
}

// Status says how an answer stands: created, queued, in_progress, completed, failed or cancelled.
func (s *MadeStream) Status(kind string, m Made) error {
	return s.send("response."+kind, map[string]any{"response": m})
}

func (s *MadeStream) part(text string) MadePart {
	return MadePart{Type: "output_text", Text: text, Annotations: []json.RawMessage{}}
}

// Text adds to the message, which begins with it.
func (s *MadeStream) Text(more string) error {
	if !s.open {
		s.open = true
		item := MadeItem{ID: s.item, Type: "message", Status: "in_progress", Role: "assistant", Content: []MadePart{}}
		if err := s.send("response.output_item.added", map[string]any{"output_index": 0, "item": item}); err != nil {
			return err
		}
		if err := s.send("response.content_part.added", s.within(map[string]any{"part": s.part("")})); err != nil {
			return err
		}
	}
	return s.send("response.output_text.delta", s.within(map[string]any{"delta": more, "logprobs": []any{}}))
}

func (s *MadeStream) within(members map[string]any) map[string]any {
	members["item_id"], members["output_index"], members["content_index"] = s.item, 0, 0
	return members
}

// End ends the message with its whole text.
func (s *MadeStream) End(text string) error {
	if !s.open {
		if err := s.Text(""); err != nil {
			return err
		}
	}
	if err := s.send("response.output_text.done", s.within(map[string]any{"text": text, "logprobs": []any{}})); err != nil {
		return err
	}
	if err := s.send("response.content_part.done", s.within(map[string]any{"part": s.part(text)})); err != nil {
		return err
	}
	m := new(Made)
	m.Say(s.item, "completed", text)
	return s.send("response.output_item.done", map[string]any{"output_index": 0, "item": m.Output[0]})
}

// Calls ends the message, if it was begun, with its whole text, and writes the calls that come after it.
func (s *MadeStream) Calls(text string, calls []ToolCall) error {
	if s.open {
		if err := s.End(text); err != nil {
			return err
		}
	}
	for _, c := range calls {
		if err := s.call(c); err != nil {
			return err
		}
	}
	return nil
}

// call writes a call whole.
func (s *MadeStream) call(c ToolCall) error {
	index := s.at
	if s.open {
		index++
	}
	s.at++
	args, begun := c.Function.Arguments, c
	begun.Function.Arguments = ""
	item := callItem(begun, "in_progress")
	if err := s.send("response.output_item.added", map[string]any{"output_index": index, "item": item}); err != nil {
		return err
	}
	if err := s.send("response.function_call_arguments.delta", map[string]any{"item_id": item.ID, "output_index": index, "delta": args}); err != nil {
		return err
	}
	if err := s.send("response.function_call_arguments.done", map[string]any{"item_id": item.ID, "output_index": index, "name": c.Function.Name, "arguments": args}); err != nil {
		return err
	}
	return s.send("response.output_item.done", map[string]any{"output_index": index, "item": callItem(c, "completed")})
}
