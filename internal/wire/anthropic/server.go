package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

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
	switch {
	case r.Model == "":
		return r, nil, errors.New("model: it is missing")
	case r.MaxTokens < 1:
		return r, nil, errors.New("max_tokens: it must be at least 1")
	case len(r.Messages) == 0:
		return r, nil, errors.New("messages: there must be at least one")
	}
	if err := r.ToolChoice.check(tools); err != nil {
		return r, nil, err
	}
	for i, s := range r.Stops {
		if strings.TrimSpace(s) == "" { // the wire takes no blanks alone
			return r, nil, fmt.Errorf("stop_sequences.%d: it is empty", i)
		}
	}
	for i, m := range r.Messages {
		if m.Role != "user" && m.Role != "assistant" {
			return r, nil, fmt.Errorf("messages.%d.role: it is %q, neither user nor assistant", i, m.Role)
		}
	}
	return r, tools, nil
}

// outBlock is a block as the wire writes it: what its type always has is there though empty.
type outBlock struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"`
	Signature *string         `json:"signature,omitempty"`
	Data      string          `json:"data,omitempty"`
}

func outBlockOf(b Block) outBlock {
	o := outBlock{Type: b.Type, ID: b.ID, Name: b.Name, Data: b.Data}
	switch b.Type {
	case "text":
		o.Text = &b.Text
	case "thinking":
		o.Thinking, o.Signature = &b.Thinking, &b.Signature
	case "tool_use":
		if o.Input = b.Input; len(o.Input) == 0 {
			o.Input = json.RawMessage("{}")
		}
	}
	return o
}

// outMessage is an answer, or at the beginning of a stream what is known of it.
type outMessage struct {
	ID           string     `json:"id"`
	Type         string     `json:"type"`
	Role         string     `json:"role"`
	Model        string     `json:"model"`
	Content      []outBlock `json:"content"`
	StopReason   *string    `json:"stop_reason"`
	StopSequence *string    `json:"stop_sequence"` // null when none ended it
	Usage        Usage      `json:"usage"`
}

func outMessageOf(r Response) outMessage {
	return outMessage{ID: r.ID, Type: "message", Role: "assistant", Model: r.Model, Content: []outBlock{}, Usage: r.Usage}
}

// WriteResponse writes a whole answer.
func WriteResponse(w io.Writer, r Response) error {
	m := outMessageOf(r)
	m.StopReason, m.StopSequence = &r.StopReason, orNull(r.Stop)
	for _, b := range r.Content {
		m.Content = append(m.Content, outBlockOf(b))
	}
	return write(w, m)
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// WriteError writes the body of a refused call.
func WriteError(w io.Writer, e *StreamError) error { return write(w, failed(e)) }

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

// outEvent is any event of a stream.
type outEvent struct {
	Type    string      `json:"type"`
	Message *outMessage `json:"message,omitempty"`
	Index   *int        `json:"index,omitempty"`
	Block   *outBlock   `json:"content_block,omitempty"`
	Delta   any         `json:"delta,omitempty"` // one of the types below
	Usage   *Usage      `json:"usage,omitempty"`
	Error   *outError   `json:"error,omitempty"`
}

type (
	textDelta struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	inputDelta struct {
		Type string `json:"type"`
		JSON string `json:"partial_json"`
	}
	thinkingDelta struct {
		Type     string `json:"type"`
		Thinking string `json:"thinking"`
	}
	signatureDelta struct {
		Type      string `json:"type"`
		Signature string `json:"signature"`
	}
	endDelta struct {
		StopReason   string  `json:"stop_reason"`
		StopSequence *string `json:"stop_sequence"`
	}
	outError struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
)

func failed(e *StreamError) outEvent {
	return outEvent{Type: "error", Error: &outError{e.Type, e.Message}}
}

// A Stream writes an answer as it comes, each event in one call of the writer's Write.
type Stream struct {
	w      io.Writer
	blocks int // begun; the last is open
}

// Begin begins an answer: its ID, its model, and of its usage what is known.
func Begin(w io.Writer, r Response) (*Stream, error) {
	s, m := &Stream{w: w}, outMessageOf(r)
	return s, s.send(outEvent{Type: "message_start", Message: &m})
}

func (s *Stream) send(e outEvent) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	return wire.WriteEvent(s.w, e.Type, raw)
}

// Open ends the block before and begins b, with what it has of its content.
func (s *Stream) Open(b Block) error {
	if err := s.close(); err != nil {
		return err
	}
	begun, index := outBlockOf(Block{Type: b.Type, ID: b.ID, Name: b.Name, Data: b.Data}), s.blocks
	if err := s.send(outEvent{Type: "content_block_start", Index: &index, Block: &begun}); err != nil {
		return err
	}
	s.blocks++
	return s.More(b)
}

// More adds to the open block: text, thinking, a signature, or a piece of the input's JSON.
func (s *Stream) More(b Block) error {
	var deltas []any
	if b.Text != "" {
		deltas = append(deltas, textDelta{"text_delta", b.Text})
	}
	if b.Thinking != "" {
		deltas = append(deltas, thinkingDelta{"thinking_delta", b.Thinking})
	}
	if b.Signature != "" {
		deltas = append(deltas, signatureDelta{"signature_delta", b.Signature})
	}
	if len(b.Input) > 0 {
		deltas = append(deltas, inputDelta{"input_json_delta", string(b.Input)})
	}
	index := s.blocks - 1
	for _, d := range deltas {
		if err := s.send(outEvent{Type: "content_block_delta", Index: &index, Delta: d}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stream) close() error {
	if s.blocks == 0 {
		return nil
	}
	index := s.blocks - 1
	return s.send(outEvent{Type: "content_block_stop", Index: &index})
}

// End ends the answer. The usage is that of all of it.
func (s *Stream) End(stopReason string, u Usage) error {
	return s.end(endDelta{StopReason: stopReason}, u)
}

// EndBefore ends an answer that was about to say one of the call's stop sequences.
func (s *Stream) EndBefore(stop string, u Usage) error {
	return s.end(endDelta{StopReason: "stop_sequence", StopSequence: orNull(stop)}, u)
}

func (s *Stream) end(how endDelta, u Usage) error {
	if err := s.close(); err != nil {
		return err
	}
	if err := s.send(outEvent{Type: "message_delta", Delta: how, Usage: &u}); err != nil {
		return err
	}
	return s.send(outEvent{Type: "message_stop"})
}

// Fail ends the answer with an error.
func (s *Stream) Fail(e *StreamError) error { return s.send(failed(e)) }
