package anthropic

import (
	"encoding/json"
	"fmt"

	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/session"
	"chela/internal/talk"
	wire "chela/internal/wire/anthropic"
)

// client are the tools that a call brings, as its tool_choice leaves them, and what the agent is told of them.
func (d *door) client(r wire.Request, tools []wire.Tool) (*session.ClientTools, string, error) {
	choice := r.ToolChoice
	if choice == nil {
		choice = &wire.ToolChoice{Type: "auto"}
	}
	if len(tools) == 0 || choice.Type == "none" {
		return nil, "", nil
	}
	var kinds []struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(r.Tools, &kinds); err != nil {
		return nil, "", gateway.Unread(fmt.Errorf("tools: %w", err))
	}
	offers := make([]talk.Offer, len(tools))
	for i, t := range tools {
		if k := kinds[i].Type; k != "" && k != "custom" {
			return nil, "", fault.BadField("tools", "An agent calls a program's tools that have an input_schema; one of the type "+k+" is the vendor's.", "custom")
		}
		offers[i] = talk.Offer{Name: t.Name, Help: t.Description, Schema: t.InputSchema}
	}
	in, err := d.talk.Client(offers, choice.Single)
	if err != nil || choice.Type == "auto" {
		return in, "", err
	}
	return in, talk.MustCall(in, choice.Name), nil
}

// result is what the program got from a call.
func (d *door) result(b wire.Block) (talk.ClientResult, error) {
	if b.ToolUseID == "" {
		return talk.ClientResult{}, fault.BadField("messages", "A tool_result names the call that it answers, by tool_use_id.")
	}
	out := talk.ClientResult{Call: b.ToolUseID, Text: textOf(b.Content), Failed: b.IsError}
	for _, part := range b.Content {
		ref, err := d.picture(part)
		if err != nil {
			return out, err
		}
		if ref != "" {
			out.Images = append(out.Images, ref)
		}
	}
	return out, nil
}

// callsOf are the calls that the program is to make.
func callsOf(calls []session.ClientCall) []wire.Block {
	out := make([]wire.Block, len(calls))
	for i, c := range calls {
		out[i] = wire.Block{Type: "tool_use", ID: c.ID, Name: c.As, Input: c.Args}
	}
	return out
}
