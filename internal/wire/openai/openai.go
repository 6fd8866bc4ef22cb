// Package openai reads and writes OpenAI's Chat Completions wire
// (platform.openai.com/docs/api-reference/chat), which most servers of open models
// speak too. Unknown fields are tolerated.
package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"chela/internal/wire"
)

// A Request is the body of POST /chat/completions.
type Request struct {
	Model          string          `json:"model"`
	Messages       []Message       `json:"messages,omitempty"` // never empty
	Tools          json.RawMessage `json:"tools,omitempty"`    // []Tool
	ToolChoice     *ToolChoice     `json:"tool_choice,omitempty"`
	ResponseFormat *ResponseFormat `json:"response_format,omitempty"`
	MaxTokens      int             `json:"max_tokens,omitempty"`
	Temperature    *float64        `json:"temperature,omitempty"`
	Stop           Stops           `json:"stop,omitempty"`

	// MaxCompletionTokens is the newer name of MaxTokens, for which [ReadRequest] puts it.
	MaxCompletionTokens int `json:"max_completion_tokens,omitempty"`

	// ParallelToolCalls says whether an answer may hold several calls; it may when left out.
	ParallelToolCalls *bool `json:"parallel_tool_calls,omitempty"`

	Stream        bool           `json:"stream,omitempty"`
	StreamOptions *StreamOptions `json:"stream_options,omitempty"`
}

// StreamOptions asks for usage at a stream's end.
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// ResponseFormat asks for an answer that a JSON Schema describes.
type ResponseFormat struct {
	Type       string      `json:"type"` // json_schema, json_object
	JSONSchema *JSONSchema `json:"json_schema,omitempty"`
}

// JSONSchema is a named schema.
type JSONSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
}

// A Message is one turn. Content is a string or a list of [ContentPart].
type Message struct {
	Role       string          `json:"role"` // system, developer, user, assistant, tool
	Content    json.RawMessage `json:"content"`
	ToolCalls  []ToolCall      `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	Refusal    string          `json:"refusal,omitempty"`

	thoughts
}

// thoughts are what a model thinks aloud, in the words of DeepSeek, Z.AI and llama.cpp, or
// in those of OpenRouter, vLLM and Ollama. OpenAI's own shows none.
type thoughts struct {
	ReasoningContent string `json:"reasoning_content,omitempty"`
	Reasoning        string `json:"reasoning,omitempty"`
}

func (t thoughts) text() string { return cmp.Or(t.ReasoningContent, t.Reasoning) }

// A ContentPart is a piece of a message.
type ContentPart struct {
	Type     string    `json:"type"` // text, image_url
	Text     string    `json:"text,omitempty"`
	ImageURL *ImageURL `json:"image_url,omitempty"`
}

// ImageURL is a picture, here always as a data URL.
type ImageURL struct {
	URL string `json:"url"`
}

// A ToolCall is a call, or in a stream a piece of one.
type ToolCall struct {
	Index    *int     `json:"index,omitempty"`
	ID       string   `json:"id,omitempty"`
	Type     string   `json:"type,omitempty"`
	Function Function `json:"function"`
}

// A Function is a call's name and arguments, a text of JSON.
type Function struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// A Tool describes a function.
type Tool struct {
	Type     string       `json:"type"` // function
	Function ToolFunction `json:"function"`
}

// A ToolFunction is what a model sees of a tool.
type ToolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Usage counts tokens; cached ones are among the prompt's, thoughts among the completion's.
type Usage struct {
	PromptTokens        int `json:"prompt_tokens"`
	CompletionTokens    int `json:"completion_tokens"`
	PromptTokensDetails struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionTokensDetails struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// A Response is a whole answer, or one chunk of a streamed one.
type Response struct {
	ID      string   `json:"id"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []Choice `json:"choices"`
	Usage   *Usage   `json:"usage,omitempty"`
	Error   *Failure `json:"error,omitempty"`
}

// A Failure is an error that comes in place of an answer, or inside a stream; see
// [Stream.Fail] and [WriteError].
type Failure struct {
	Type    string          `json:"type"`
	Code    json.RawMessage `json:"code"` // a word, or an HTTP status
	Message string          `json:"message"`
}

func (f *Failure) Error() string { return "the provider reports an error: " + f.Message }

// Status returns the HTTP status that the code is, or 0.
func (f *Failure) Status() int {
	status, err := strconv.Atoi(string(f.Code))
	if err != nil || status < 400 || status > 599 {
		return 0
	}
	return status
}

// A Choice is one answer; only the first is ever asked for.
type Choice struct {
	Message      Message `json:"message"`
	Delta        Delta   `json:"delta"`
	FinishReason string  `json:"finish_reason"`
}

// A Delta is what a chunk adds.
type Delta struct {
	Role      string     `json:"role,omitempty"`
	Content   string     `json:"content,omitempty"`
	Refusal   string     `json:"refusal,omitempty"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`

	thoughts
}

// A Completion is a whole answer in either form.
type Completion struct {
	ID           string
	Created      int64 // in seconds
	Model        string
	Reasoning    string // what it thought aloud
	Text         string
	Refusal      string
	Calls        []ToolCall
	Over         int // calls of a stream beside Calls that were not kept: they were too many
	FinishReason string
	Usage        Usage

	over ToolCall // the last of those
}

// ReadResponse reads a whole answer.
func ReadResponse(raw []byte) (Completion, error) {
	var r Response
	if err := json.Unmarshal(raw, &r); err != nil {
		return Completion{}, fmt.Errorf("the answer is not JSON: %w", err)
	}
	if r.Error != nil {
		return Completion{}, r.Error
	}
	if len(r.Choices) == 0 {
		return Completion{}, fmt.Errorf("the answer has no choices")
	}
	m := r.Choices[0].Message
	c := Completion{ID: r.ID, Created: r.Created, Model: r.Model, Reasoning: m.text(), Calls: m.ToolCalls, FinishReason: r.Choices[0].FinishReason, Refusal: m.Refusal}
	if content := m.Content; len(content) > 0 && string(content) != "null" {
		if err := json.Unmarshal(content, &c.Text); err != nil {
			return c, fmt.Errorf("the answer's content is not a text: %w", err)
		}
	}
	if r.Usage != nil {
		c.Usage = *r.Usage
	}
	return c, nil
}

// ReadStream reads a streamed answer; show gets its text as it comes. A stream that
// ends before its last chunk gives what came and wire.ErrTruncated.
func ReadStream(in io.Reader, show func(string)) (Completion, error) {
	var c Completion
	sse := wire.NewSSE(in)
	for {
		_, data, err := sse.Next()
		if err == io.EOF { //nolint:errorlint // Next returns it bare
			if c.FinishReason != "" {
				return c, nil // some servers leave [DONE] out
			}
			return c, wire.ErrTruncated
		}
		if err != nil {
			return c, err
		}
		if string(data) == "[DONE]" {
			if c.FinishReason == "" {
				return c, wire.ErrTruncated
			}
			return c, nil
		}
		if err := c.add(data, show); err != nil {
			return c, err
		}
	}
}

func (c *Completion) add(data []byte, show func(string)) error {
	var r Response
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("a chunk is not JSON: %w", err)
	}
	if r.Error != nil {
		return r.Error
	}
	if r.Model != "" {
		c.Model = r.Model
	}
	c.ID, c.Created = cmp.Or(c.ID, r.ID), cmp.Or(c.Created, r.Created)
	if r.Usage != nil {
		c.Usage = *r.Usage
	}
	if len(r.Choices) == 0 {
		return nil
	}
	choice := r.Choices[0]
	if choice.Delta.Content != "" {
		c.Text += choice.Delta.Content
		if show != nil {
			show(choice.Delta.Content)
		}
	}
	c.Refusal += choice.Delta.Refusal
	c.Reasoning += choice.Delta.text()
	for _, piece := range choice.Delta.ToolCalls {
		c.addCall(piece)
	}
	if choice.FinishReason != "" {
		c.FinishReason = choice.FinishReason
	}
	return nil
}

// maxCalls bounds the tool calls of one answer that are kept.
const maxCalls = 128

// addCall finds the call that a piece belongs to. Those that are too many are counted.
func (c *Completion) addCall(piece ToolCall) {
	if c.Over > 0 && c.over.continues(piece) {
		return
	}
	at := len(c.Calls) - 1
	for at >= 0 && !c.Calls[at].continues(piece) {
		at--
	}
	switch {
	case at >= 0:
		t := &c.Calls[at]
		t.ID = cmp.Or(t.ID, piece.ID)
		t.Function.Name = cmp.Or(t.Function.Name, piece.Function.Name)
		t.Function.Arguments += piece.Function.Arguments
	case len(c.Calls) == maxCalls:
		c.Over++
		c.over = ToolCall{Index: piece.Index, ID: piece.ID}
	default:
		c.Calls = append(c.Calls, piece)
	}
}

// continues reports whether a piece goes on with the call. Some servers leave the index out, some give
// every call the index 0: another id is always another call.
func (t ToolCall) continues(piece ToolCall) bool {
	return (piece.Index == nil || t.Index != nil && *t.Index == *piece.Index) && (piece.ID == "" || t.ID == "" || piece.ID == t.ID)
}
