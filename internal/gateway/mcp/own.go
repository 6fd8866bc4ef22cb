package mcp

import (
	"cmp"
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/talk"
)

// askAgent is the tool by which a client speaks to agents.
const askAgent = "ask_agent"

// addOwnTools adds the door's own tools: what a client of this protocol has no other way to do.
func (s *Server) addOwnTools() {
	no := false
	s.server.AddTool(&sdk.Tool{
		Name: askAgent, Description: "Say something to the organization's agents and get the answer. Without agent the controller answers or chooses a specialist. The result names the thread; name it again to go on.",
		InputSchema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["message"],"properties":{"message":{"type":"string"},"agent":{"type":"string","description":"name of the agent"},"thread":{"type":"string","description":"id of the conversation to go on with"},"projectId":{"type":"string"}}}`),
		Annotations: &sdk.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no},
	}, s.askAgent)
	s.server.AddTool(&sdk.Tool{
		Name: "await_run", Description: "Wait for a run, as for a call that waited for a person, and get what came of it.",
		InputSchema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["run"],"properties":{"run":{"type":"string","description":"id of the run, run_…"}}}`),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no},
	}, s.awaitRun)
}

type askIn struct {
	Message string `json:"message"`
	Agent   string `json:"agent,omitempty"`
	Thread  string `json:"thread,omitempty"`
	Project string `json:"projectId,omitempty"`
}

// begins reads a call that begins a run, as what for. It returns a result when there is nothing to begin: the call is refused,
// or it goes on with a run.
func (s *Server) begins(ctx context.Context, r *sdk.CallToolRequest, what string, in any) (c gateway.Caller, out *sdk.CallToolResult, err error) {
	if c, err = s.caller(ctx, r.Extra); err != nil {
		return c, nil, s.fail(ctx, err)
	}
	if r.Params.RequestState != "" {
		out, err = s.goOn(ctx, r, c, false)
		return c, out, err
	}
	if !c.Person.Role.AtLeast(org.Editor) {
		return c, s.said(ctx, fault.New(fault.Denied, "%s needs the role editor; %s has the role %s.", what, c.Person.Name, c.Person.Role)), nil
	}
	if err := event.DecodeStrict(r.Params.Arguments, in); err != nil {
		return c, s.said(ctx, err), nil
	}
	return c, nil, nil
}

func (s *Server) askAgent(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in askIn
	c, res, err := s.begins(ctx, r, "Speaking to agents", &in)
	if res != nil || err != nil {
		return res, err
	}
	as, _ := ctx.Value(aimKey{}).(aim)
	m := talk.Message{Message: inbox.Message{Thread: in.Thread, Text: in.Message, From: c.Party(), Channel: c.How.Channel(), Project: cmp.Or(in.Project, as.project)}}
	if name := cmp.Or(in.Agent, as.agent); name != "" {
		m.Agent = string(agentOf(name))
	}
	acc, err := s.Talk.Say(ctx, m)
	if err != nil {
		return s.said(ctx, err), nil
	}
	if acc.Run == "" {
		return &sdk.CallToolResult{Content: texts(acc.Reply)}, nil
	}
	if acc.Queued {
		if _, err := s.Talk.Await(ctx, acc); err != nil { // its run is there when it has its turn
			return s.said(ctx, err), nil
		}
	}
	return s.await(ctx, &waiter{Server: s, req: r, caller: c, id: run.ID(acc.Run)})
}

func (s *Server) awaitRun(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	c, err := s.caller(ctx, r.Extra)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	if r.Params.RequestState != "" {
		return s.goOn(ctx, r, c, true)
	}
	var in struct {
		Run string `json:"run"`
	}
	if err := event.DecodeStrict(r.Params.Arguments, &in); err != nil {
		return s.said(ctx, err), nil
	}
	if _, err := s.Store.Runs.Run(ctx, run.ID(in.Run)); err != nil {
		return s.said(ctx, err), nil
	}
	return s.await(ctx, &waiter{Server: s, req: r, caller: c, id: run.ID(in.Run), keeps: true})
}
