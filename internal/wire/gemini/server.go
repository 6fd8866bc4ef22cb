package gemini

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"chela/internal/wire"
)

// ReadRequest reads a call and the tools that it offers; the model and whether a stream is
// wanted are in its address. What it returns as an error is the caller's fault and says what
// is wrong.
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
	if len(r.Contents) == 0 {
		return r, nil, errors.New("contents: there must be at least one")
	}
	if err := r.check(tools); err != nil {
		return r, nil, err
	}
	for i, c := range r.Contents {
		if c.Role != "" && c.Role != "user" && c.Role != "model" {
			return r, nil, fmt.Errorf("contents[%d].role: it is %q, neither user nor model", i, c.Role)
		}
	}
	return r, tools, nil
}

// outChunk is an answer or a piece of one as the wire writes it.
type outChunk struct {
	Candidates     []outCandidate `json:"candidates,omitempty"`
	PromptFeedback *outFeedback   `json:"promptFeedback,omitempty"`
	UsageMetadata  *outUsage      `json:"usageMetadata,omitempty"`
	ModelVersion   string         `json:"modelVersion,omitempty"`
	ResponseID     string         `json:"responseId,omitempty"`
}

type outCandidate struct {
	Content      Content `json:"content"`
	FinishReason string  `json:"finishReason,omitempty"`
	Index        int     `json:"index"`
}

type outFeedback struct {
	BlockReason string `json:"blockReason"`
}

type outUsage struct {
	Usage
	TotalTokenCount int `json:"totalTokenCount"`
}

func outOf(a Answer) outChunk {
	o := outChunk{ModelVersion: a.Model, ResponseID: a.ID}
	if a.FinishReason != "" {
		u := a.Usage
		o.UsageMetadata = &outUsage{u, u.PromptTokenCount + u.ToolUsePromptTokenCount + u.CandidatesTokenCount + u.ThoughtsTokenCount}
	}
	if a.Blocked {
		o.PromptFeedback = &outFeedback{a.FinishReason}
		return o
	}
	o.Candidates = []outCandidate{{Content: Content{Role: "model", Parts: append([]Part{}, a.Parts...)}, FinishReason: a.FinishReason}}
	return o
}

// WriteResponse writes a whole answer.
func WriteResponse(w io.Writer, a Answer) error { return write(w, outOf(a)) }

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
	w         io.Writer
	id, model string // every chunk has them
}

// NewStream writes an answer of the model to w.
func NewStream(w io.Writer, id, model string) *Stream { return &Stream{w, id, model} }

func (s *Stream) send(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode chunk: %w", err)
	}
	return wire.WriteEvent(s.w, "", raw)
}

// Add adds parts. A reader joins texts of one sort that follow each other.
func (s *Stream) Add(parts ...Part) error {
	return s.send(outOf(Answer{ID: s.id, Model: s.model, Parts: parts}))
}

// End ends the answer.
func (s *Stream) End(reason string, u Usage) error {
	return s.send(outOf(Answer{ID: s.id, Model: s.model, FinishReason: reason, Usage: u}))
}

// Block says, in place of an answer, why the prompt gets none.
func (s *Stream) Block(reason string, u Usage) error {
	return s.send(outOf(Answer{ID: s.id, Model: s.model, FinishReason: reason, Blocked: true, Usage: u}))
}

// Fail ends the answer with an error.
func (s *Stream) Fail(f *Failure) error { return s.send(failed{f}) }
