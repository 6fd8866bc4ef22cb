package mcp

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	engine "chela/internal/agent"
	"chela/internal/fault"
	"chela/internal/mcp"
	"chela/internal/tool"
)

// What a call and a result of the server that stands for an agent of others say beside their content.
const (
	metaOnce  = "chela/once"  // of a call: it does not wait for the end of a task
	metaTask  = "chela/task"  // of a result: the task
	metaState = "chela/state" // in which it ended or asks for something; empty while it goes on
	// metaContext is of a result: the conversation of the agent of others.
	metaContext = "chela/context"
)

// stands says beside a result how a task stands, in which conversation of the agent of others.
func stands(task, state, context string) sdk.Meta {
	return sdk.Meta{metaTask: task, metaState: state, metaContext: context}
}

// standing reads what [stands] said.
func standing(said sdk.Meta) (out tool.Standing) {
	out.Task, _ = said[metaTask].(string)
	out.State, _ = said[metaState].(string)
	out.Context, _ = said[metaContext].(string)
	return out
}

// following adds to the result of a call what is recorded with it: that its conversation hears of a task that goes on, or knows what came of one by
// this result.
func (s *Servers) following(name string, c tool.Call, args map[string]any, said sdk.Meta, out tool.Result) (tool.Result, error) {
	h, err := s.host(name)
	if err != nil {
		return out, nil //nolint:nilerr // it was removed just now, and its tasks are not followed
	}
	s.mu.Lock()
	server := h.known.Server
	s.mu.Unlock()
	if !server.Agent() {
		return out, nil
	}
	now := standing(said)
	if now != (tool.Standing{}) {
		out.Stands = &now
	}
	if now.Task == "" {
		return out, nil
	}
	if now.State != "" {
		if d, ok := mcp.Settles(server, now.Task, now.State, c); ok && args["task"] != nil { // a task that ended at once was not followed
			out.Drafts = append(out.Drafts, d)
		}
		return out, nil
	}
	hears := string(c.Agent)
	if engine.IsChild(c.Place.Task) { // who began it has more to say than a child that is gone by then
		hears = c.Run.Agent
	}
	d, ok, err := mcp.Follows(server, now.Task, hears, c)
	if err != nil || !ok {
		return out, err
	}
	out.Drafts = append(out.Drafts, d)
	out.Text += "\n[This conversation is told when the task ends or asks something. You need not wait for it.]"
	return out, nil
}

// lookTime bounds one look at a task that is followed.
const lookTime = 30 * time.Second

// MayLookAt says why a server cannot be asked about a task that it was given, a sentence; "" says that it can.
func (s *Servers) MayLookAt(ctx context.Context, g mcp.Given) (why string, err error) {
	_, why, err = s.lookAt(ctx, g)
	return why, err
}

func (s *Servers) lookAt(ctx context.Context, g mcp.Given) (look mcp.Definition, why string, err error) {
	if err := s.load(ctx); err != nil {
		return look, "", err
	}
	h, err := s.host(g.Server)
	if err != nil {
		return look, fault.TextOf(err), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	look, why = h.known.LookAt(g)
	return look, why, nil
}

// LookAt asks a server how a task stands that it was given, as its tool tells, and does not wait for its end. An error says that it is not known now.
func (s *Servers) LookAt(ctx context.Context, g mcp.Given) (mcp.Standing, error) {
	look, why, err := s.lookAt(ctx, g)
	if err != nil || why != "" {
		return mcp.Standing{Over: why}, err
	}
	ctx, done := context.WithTimeout(ctx, lookTime)
	defer done()
	out, said, err := s.callOf(ctx, g.Server, look, tool.Call{Name: g.Server + "__" + look.Name}, map[string]any{"task": g.Task}, sdk.Meta{metaOnce: true})
	switch {
	case fault.KindOf(err) == fault.Denied && err != nil: // it was looked at anew, and says something else of itself
		return mcp.Standing{Over: fault.TextOf(err)}, nil
	case err != nil:
		return mcp.Standing{}, err
	}
	now := standing(said)
	if now.Task != g.Task {
		return mcp.Standing{}, fault.New(fault.Unavailable, "The agent %s does not say how the task %s stands.", g.Server, g.Task)
	}
	return mcp.Standing{State: now.State, Result: out}, nil
}
