package openai

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"chela/internal/wire"
)

// ReadRequest reads a call and the tools that it offers. What it returns as an error is the
// caller's fault and says what is wrong.
func ReadRequest(raw []byte) (Request, []Tool, error) {
	var r Request
	var tools []Tool
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, nil, fmt.Errorf("the call cannot be read: %w", err)
	}
	if len(r.Tools) > 0 {
		if err := json.Unmarshal(r.Tools, &tools); err != nil {
			return r, nil, fmt.Errorf("tools: %w", err)
		}
	}
	r.MaxTokens, r.MaxCompletionTokens = cmp.Or(r.MaxCompletionTokens, r.MaxTokens), 0
	switch {
	case r.Model == "":
		return r, nil, errors.New("model: it is missing")
	case r.MaxTokens < 0:
		return r, nil, errors.New("max_completion_tokens: it must be at least 1")
	case len(r.Messages) == 0:
		return r, nil, errors.New("messages: there must be at least one")
	}
	if err := cmp.Or(r.ToolChoice.check(tools), r.Stop.check()); err != nil {
		return r, nil, err
	}
	for i, m := range r.Messages {
		if err := m.check(); err != nil {
			return r, nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	return r, tools, nil
}

func (m Message) check() error {
	switch m.Role {
	case "system", "developer", "user", "assistant":
	case "tool":
		if m.ToolCallID == "" {
			return errors.New("tool_call_id is missing")
		}
	default:
		return fmt.Errorf("%q is no role", m.Role)
	}
	_, err := m.Parts()
	return err
}

// Parts returns the content's pieces; a text is one.
func (m Message) Parts() ([]ContentPart, error) {
	if len(m.Content) == 0 || m.Content[0] != '"' {
		var parts []ContentPart
		if len(m.Content) == 0 {
			return nil, nil
		}
		if err := json.Unmarshal(m.Content, &parts); err != nil {
			return nil, fmt.Errorf("content: %w", err)
		}
		return parts, nil
	}
	p := ContentPart{Type: "text"}
	if err := json.Unmarshal(m.Content, &p.Text); err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	return []ContentPart{p}, nil
}

// out is an answer or a chunk as the wire writes it: what it always has is there though empty.
type out struct {
	ID      string      `json:"id"`
	Object  string      `json:"object"`
	Created int64       `json:"created"`
	Model   string      `json:"model"`
	Choices []outChoice `json:"choices"`
	Usage   *outUsage   `json:"usage,omitempty"`
}

type outChoice struct {
	Index        int         `json:"index"`
	Message      *outMessage `json:"message,omitempty"`
	Delta        *Delta      `json:"delta,omitempty"`
	FinishReason *string     `json:"finish_reason"`
}

type outMessage struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"`
	Refusal   *string    `json:"refusal"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`

	thoughts
}

type outUsage struct {
	Usage
	TotalTokens int `json:"total_tokens"`
}

func outUsageOf(u Usage) *outUsage { return &outUsage{u, u.PromptTokens + u.CompletionTokens} }

func outOf(c Completion, object string) out {
	return out{ID: c.ID, Object: object, Created: c.Created, Model: c.Model, Choices: []outChoice{}}
}

// WriteResponse writes a whole answer.
func WriteResponse(w io.Writer, c Completion) error {
	m := &outMessage{Role: "assistant", thoughts: thoughts{ReasoningContent: c.Reasoning}}
	for _, call := range c.Calls {
		call.Index, call.Type = nil, "function" // only chunks number them
		m.ToolCalls = append(m.ToolCalls, call)
	}
	if c.Refusal != "" {
		m.Refusal = &c.Refusal
	}
	if c.Text != "" || c.Refusal == "" && len(c.Calls) == 0 {
		m.Content = &c.Text
	}
	o := outOf(c, "chat.completion")
	o.Choices = append(o.Choices, outChoice{Message: m, FinishReason: &c.FinishReason})
	o.Usage = outUsageOf(c.Usage)
	return write(w, o)
}

// WriteError writes the body of a refused call.
func WriteError(w io.Writer, f *Failure) error { return write(w, failed{f}) }

type failed struct {
	Error *Failure `json:"error"`
}

func write(w io.Writer, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	if _, err := w.Write(raw); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}

// A Stream writes an answer as it comes, each chunk in one call of the writer's Write.
type Stream struct {
	w     io.Writer
	of    Completion // its ID, time and model, which every chunk has
	calls int        // begun
}

// Begin begins an answer: its ID, time and model.
func Begin(w io.Writer, c Completion) (*Stream, error) {
	s := &Stream{w: w, of: Completion{ID: c.ID, Created: c.Created, Model: c.Model}}
	return s, s.add(Delta{Role: "assistant"}, nil)
}

func (s *Stream) send(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode chunk: %w", err)
	}
	return wire.WriteEvent(s.w, "", raw)
}

func (s *Stream) add(d Delta, finish *string) error {
	o := outOf(s.of, "chat.completion.chunk")
	o.Choices = append(o.Choices, outChoice{Delta: &d, FinishReason: finish})
	return s.send(o)
}

// Text adds to the answer.
func (s *Stream) Text(text string) error { return s.add(Delta{Content: text}, nil) }

// Reasoning adds to what the model thought aloud.
func (s *Stream) Reasoning(text string) error {
	return s.add(Delta{thoughts: thoughts{ReasoningContent: text}}, nil)
}

// Refusal adds to what is said in place of an answer.
func (s *Stream) Refusal(text string) error { return s.add(Delta{Refusal: text}, nil) }

// Call begins a call, with what there is of its arguments; [Stream.Arguments] adds to them.
func (s *Stream) Call(c ToolCall) error {
	index := s.calls
	s.calls++
	c.Index, c.Type = &index, "function"
	return s.add(Delta{ToolCalls: []ToolCall{c}}, nil)
}

// Arguments adds to the arguments of the last call.
func (s *Stream) Arguments(piece string) error {
	index := s.calls - 1
	return s.add(Delta{ToolCalls: []ToolCall{{Index: &index, Function: Function{Arguments: piece}}}}, nil)
}

// End ends the answer, with its usage when the call asked for it.
func (s *Stream) End(finish string, u *Usage) error {
	if err := s.add(Delta{}, &finish); err != nil {
		return err
	}
	if u != nil {
		o := outOf(s.of, "chat.completion.chunk")
		o.Usage = outUsageOf(*u)
		if err := s.send(o); err != nil {
			return err
		}
	}
	return wire.WriteEvent(s.w, "", []byte("[DONE]"))
}

// Fail ends the answer with an error.
func (s *Stream) Fail(f *Failure) error { return s.send(failed{f}) }
