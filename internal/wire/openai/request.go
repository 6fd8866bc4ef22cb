package openai

import (
	"encoding/json"
	"fmt"
)

// Encode writes a request as JSON. What is JSON already, the contents of messages and the tools, is
// taken as it is: a long conversation and many tools are not read once more with every call.
func (r Request) Encode() ([]byte, error) {
	model, err := json.Marshal(r.Model)
	if err != nil {
		return nil, fmt.Errorf("encode call: %w", err)
	}
	messages, tools := r.Messages, r.Tools
	r.Model, r.Messages, r.Tools = "", nil, nil
	rest, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode call: %w", err)
	}
	size := len(model) + len(rest) + len(tools) + 64
	for _, m := range messages {
		size += len(m.Content) + 64
	}
	out := append(append(make([]byte, 0, size), `{"model":`...), model...)
	for i, m := range messages {
		out = append(out, [2]string{`,"messages":[`, `,`}[min(i, 1)]...)
		if out, err = m.encode(out); err != nil {
			return nil, fmt.Errorf("encode call: %w", err)
		}
	}
	if len(messages) > 0 {
		out = append(out, ']')
	}
	out = append(out, rest[len(`{"model":""`):len(rest)-1]...)
	if len(tools) > 0 {
		out = append(append(out, `,"tools":`...), tools...)
	}
	return append(out, '}'), nil
}

// encode appends m as [json.Marshal] writes it.
func (m Message) encode(out []byte) ([]byte, error) {
	role, err := json.Marshal(m.Role)
	if err != nil {
		return nil, err
	}
	out = append(append(append(out, `{"role":`...), role...), `,"content":`...)
	if m.Content == nil {
		out = append(out, "null"...)
	}
	out = append(out, m.Content...)
	if len(m.ToolCalls) == 0 && m.ToolCallID == "" && m.Refusal == "" && m.thoughts == (thoughts{}) {
		return append(out, '}'), nil
	}
	rest, err := json.Marshal(struct {
		ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
		ToolCallID string     `json:"tool_call_id,omitempty"`
		Refusal    string     `json:"refusal,omitempty"`
		thoughts
	}{m.ToolCalls, m.ToolCallID, m.Refusal, m.thoughts})
	if err != nil {
		return nil, err
	}
	return append(append(out, ','), rest[1:]...), nil
}
