package openai

import (
	"encoding/json"
	"slices"
	"strings"

	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/session"
	"chela/internal/talk"
	wire "chela/internal/wire/openai"
)

// noFunction refuses a tool that a program could not call.
func noFunction(kind string) error {
	return fault.BadField("tools", "An agent calls a program's tools of the type function; "+kind+" is another.", "function")
}

// client are the tools that a call brings, as its tool_choice leaves them, and what the agent is told of them.
func (d *door) client(c call) (*session.ClientTools, string, error) {
	choice := c.req.ToolChoice
	if choice == nil {
		choice = &wire.ToolChoice{Mode: "auto"}
	}
	var offers []talk.Offer
	for _, t := range c.tools {
		if t.Type != "function" {
			return nil, "", noFunction(t.Type)
		}
		if choice.Mode != "none" && (len(choice.Allowed) == 0 || slices.Contains(choice.Allowed, t.Function.Name)) {
			offers = append(offers, talk.Offer{Name: t.Function.Name, Help: t.Function.Description, Schema: t.Function.Parameters})
		}
	}
	in, err := d.talk.Client(offers, c.req.ParallelToolCalls != nil && !*c.req.ParallelToolCalls)
	if err != nil || choice.Mode != "required" && choice.Mode != "function" {
		return in, "", err
	}
	return in, talk.MustCall(in, choice.Name), nil
}

// results are what the program got from the calls of the last answer.
func (c call) results() ([]talk.ClientResult, error) {
	var out []talk.ClientResult
	for _, m := range c.req.Messages[c.of.News():] {
		if m.Role != "tool" {
			continue
		}
		parts, err := m.Parts()
		if err != nil {
			return nil, gateway.Unread(err)
		}
		r := talk.ClientResult{Call: m.ToolCallID}
		for _, p := range parts {
			if p.Type != "text" {
				return nil, fault.BadField("messages", "The result of a tool has parts of text; "+p.Type+" is another.", "text")
			}
			r.Text += p.Text
		}
		out = append(out, r)
	}
	return out, nil
}

// callsOf are the calls that the program is to make.
func callsOf(calls []session.ClientCall) []wire.ToolCall {
	out := make([]wire.ToolCall, len(calls))
	for i, c := range calls {
		out[i] = wire.ToolCall{ID: c.ID, Type: "function", Function: wire.Function{Name: c.As, Arguments: string(c.Args)}}
	}
	return out
}

// clientOf are the tools that a call of the Responses API brings, and what the agent is told of them.
func (d *door) clientOf(in wire.Ask) (*session.ClientTools, string, error) {
	tools, choice, err := in.Offered()
	if err != nil {
		return nil, "", gateway.Unread(err)
	}
	var offers []talk.Offer
	for _, t := range tools {
		if t.Type != "function" {
			return nil, "", noFunction(t.Type)
		}
		if choice.Allows(t.Name) {
			offers = append(offers, talk.Offer{Name: t.Name, Help: t.Description, Schema: t.Parameters})
		}
	}
	own, err := d.talk.Client(offers, in.Parallel != nil && !*in.Parallel)
	if err != nil || choice.Mode != "required" && choice.Type != "function" {
		return own, "", err
	}
	return own, talk.MustCall(own, choice.Name), nil
}

// resultOf is a result in the input of a call of the Responses API.
func (d *door) resultOf(item wire.Item) (r talk.ClientResult, err error) {
	if item.CallID == "" {
		return r, fault.BadField("input", "A function_call_output names the call that it answers, by call_id.")
	}
	r.Call = item.CallID
	if json.Unmarshal(item.Output, &r.Text) == nil {
		return r, nil
	}
	item.Content, item.Type = item.Output, "message"
	r.Text, r.Images, err = d.itemOf(item)
	return r, err
}

// calledBefore is how a call of an earlier answer is told.
func calledBefore(calls []wire.ToolCall) string {
	var b strings.Builder
	for _, c := range calls {
		b.WriteString(talk.Called(c.Function.Name, c.ID, c.Function.Arguments))
	}
	return b.String()
}
