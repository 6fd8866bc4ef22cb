// Package anthropic reads and writes Anthropic's Messages wire
// (docs.anthropic.com/en/api/messages). Unknown fields are tolerated.
package anthropic

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"chela/internal/wire"
)

// A Request is the body of POST /v1/messages.
type Request struct {
	Model       string          `json:"model"`
	MaxTokens   int             `json:"max_tokens"`
	System      Blocks          `json:"system,omitempty"`
	Messages    []Message       `json:"messages"`
	Tools       json.RawMessage `json:"tools,omitempty"` // []Tool
	ToolChoice  *ToolChoice     `json:"tool_choice,omitempty"`
	Temperature *float64        `json:"temperature,omitempty"`
	Stops       []string        `json:"stop_sequences,omitempty"` // before which an answer ends
	Stream      bool            `json:"stream,omitempty"`

	OutputConfig *OutputConfig `json:"output_config,omitempty"`
}

// OutputConfig asks for an answer in a form.
type OutputConfig struct {
	Format *OutputFormat `json:"format,omitempty"`
}

// An OutputFormat is a form.
type OutputFormat struct {
	Type   string          `json:"type"` // json_schema
	Schema json.RawMessage `json:"schema"`
}

// ToolChoice says which tools an answer may or must call.
type ToolChoice struct {
	Type string `json:"type"`           // auto, any, tool, none
	Name string `json:"name,omitempty"` // of the tool that must be called
	// Single says that an answer holds one call at most.
	Single bool `json:"disable_parallel_tool_use,omitempty"`
}

// check reports a choice that the tools of the call cannot keep.
func (c *ToolChoice) check(tools []Tool) error {
	switch {
	case c == nil:
		return nil
	case !slices.Contains([]string{"auto", "any", "tool", "none"}, c.Type):
		return fmt.Errorf("tool_choice.type: %q is none of auto, any, tool and none", c.Type)
	case c.Type == "tool" && !slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == c.Name }):
		return fmt.Errorf("tool_choice.name: the call offers no tool %q", c.Name)
	case c.Type == "any" && len(tools) == 0:
		return errors.New("tool_choice: the call offers no tools")
	}
	return nil
}

// A Message is one turn.
type Message struct {
	Role    string `json:"role"` // user, assistant
	Content Blocks `json:"content"`
}

// Blocks are pieces of a turn. One text may stand on the wire without its block.
type Blocks []Block

// Text returns the pieces that are one text; none when there is nothing to say, for the wire
// refuses empty texts.
func Text(s string) Blocks {
	if s == "" {
		return nil
	}
	return Blocks{{Type: "text", Text: s}}
}

// UnmarshalJSON implements [json.Unmarshaler].
func (b *Blocks) UnmarshalJSON(raw []byte) error {
	if len(raw) == 0 || raw[0] != '"' {
		return json.Unmarshal(raw, (*[]Block)(b))
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	*b = Text(s)
	return nil
}

// A Block is one piece of a turn.
type Block struct {
	Type      string          `json:"type"` // text, image, tool_use, tool_result, thinking, redacted_thinking
	Text      string          `json:"text,omitempty"`
	Source    *Source         `json:"source,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   Blocks          `json:"content,omitempty"` // of a tool_result
	IsError   bool            `json:"is_error,omitempty"`
	Thinking  string          `json:"thinking,omitempty"`
	Signature string          `json:"signature,omitempty"`
	Data      string          `json:"data,omitempty"` // of a redacted_thinking

	CacheControl *CacheControl `json:"cache_control,omitempty"`
}

// CacheControl says that what comes up to here is to be cached: tools, system and
// messages, in this order. A call may have four.
type CacheControl struct {
	Type string `json:"type"` // ephemeral: for five minutes after its last use
}

// A Source is a picture's bytes.
type Source struct {
	Type      string `json:"type"` // base64
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

// A Tool describes a tool.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`

	CacheControl *CacheControl `json:"cache_control,omitempty"`
}

// Usage counts tokens; cached ones are apart from the input's.
type Usage struct {
	InputTokens              int `json:"input_tokens"`
	OutputTokens             int `json:"output_tokens"`
	CacheReadInputTokens     int `json:"cache_read_input_tokens"`
	CacheCreationInputTokens int `json:"cache_creation_input_tokens"`
}

// update takes in the totals that a stream gives at its end; what it does not count
// stays.
func (u *Usage) update(total Usage) {
	u.OutputTokens = total.OutputTokens
	u.InputTokens = max(u.InputTokens, total.InputTokens)
	u.CacheReadInputTokens = max(u.CacheReadInputTokens, total.CacheReadInputTokens)
	u.CacheCreationInputTokens = max(u.CacheCreationInputTokens, total.CacheCreationInputTokens)
}

// A Response is a whole answer.
type Response struct {
	ID         string  `json:"id"`
	Type       string  `json:"type"` // message
	Model      string  `json:"model"`
	Content    []Block `json:"content"`
	StopReason string  `json:"stop_reason"`
	Stop       string  `json:"stop_sequence"` // of the call's, before which it ended
	Usage      Usage   `json:"usage"`

	Over int `json:"-"` // calls of a stream beside Content that were not kept: they were too many
}

// ReadResponse reads a whole answer.
func ReadResponse(raw []byte) (Response, error) {
	var r Response
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, fmt.Errorf("the answer is not JSON: %w", err)
	}
	if r.Type != "message" {
		return r, fmt.Errorf("the answer is a %q, not a message", r.Type)
	}
	return r, nil
}

// A streamEvent is any event of a stream.
type streamEvent struct {
	Type    string   `json:"type"`
	Index   int      `json:"index"`
	Message Response `json:"message"`
	Block   Block    `json:"content_block"`
	Delta   struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		StopReason  string `json:"stop_reason"`
		Stop        string `json:"stop_sequence"`
	} `json:"delta"`
	Usage *Usage `json:"usage"`
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

// maxBlocks bounds the pieces of one answer that are kept.
const maxBlocks = 256

// A StreamError is an error that the provider sent inside a stream; see [Stream.Fail] and
// [WriteError].
type StreamError struct{ Type, Message string }

func (e *StreamError) Error() string { return e.Type + ": " + e.Message }

// ReadStream reads a streamed answer; show gets its text as it comes. A stream that
// ends before message_stop gives what came and wire.ErrTruncated.
func ReadStream(in io.Reader, show func(string)) (Response, error) {
	var r Response
	sse := wire.NewSSE(in)
	for {
		_, data, err := sse.Next()
		if err == io.EOF { //nolint:errorlint // Next returns it bare
			return r, wire.ErrTruncated
		}
		if err != nil {
			return r, err
		}
		var e streamEvent
		if err := json.Unmarshal(data, &e); err != nil {
			return r, fmt.Errorf("an event is not JSON: %w", err)
		}
		done, err := r.add(e, show)
		if err != nil || done {
			return r, err
		}
	}
}

func (r *Response) add(e streamEvent, show func(string)) (done bool, err error) {
	switch e.Type {
	case "message_start":
		if r.Type != "" {
			return false, errors.New("the answer begins twice")
		}
		*r = e.Message
		r.Content = nil
	case "content_block_start":
		if e.Index != len(r.Content)+r.Over || e.Index >= maxBlocks && e.Block.Type != "tool_use" {
			return false, fmt.Errorf("block %d of the answer comes out of order, or is one too many", e.Index)
		}
		if e.Index >= maxBlocks {
			r.Over++
			return false, nil
		}
		e.Block.Input = nil
		r.Content = append(r.Content, e.Block)
		if e.Block.Text != "" && show != nil {
			show(e.Block.Text)
		}
	case "content_block_delta":
		if e.Index < 0 || e.Index >= len(r.Content)+r.Over {
			return false, fmt.Errorf("block %d of the answer has no beginning", e.Index)
		}
		if e.Index >= len(r.Content) {
			return false, nil // of a call that is not kept
		}
		b := &r.Content[e.Index]
		b.Text += e.Delta.Text
		b.Thinking += e.Delta.Thinking
		b.Signature += e.Delta.Signature
		b.Input = append(b.Input, e.Delta.PartialJSON...)
		if e.Delta.Text != "" && show != nil {
			show(e.Delta.Text)
		}
	case "message_delta":
		r.StopReason = cmp.Or(e.Delta.StopReason, r.StopReason)
		r.Stop = cmp.Or(e.Delta.Stop, r.Stop)
		if e.Usage != nil {
			r.Usage.update(*e.Usage)
		}
	case "message_stop":
		if r.Type != "message" || r.StopReason == "" {
			return false, wire.ErrTruncated
		}
		return true, nil
	case "error":
		return false, &StreamError{e.Error.Type, e.Error.Message}
	}
	return false, nil
}
