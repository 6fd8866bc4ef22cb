package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/mcp"
	"chela/internal/run"
	"chela/internal/talk"
)

// A relayedRun is a run that asks a shared server for something over a client's relay.
type relayedRun struct {
	id     run.ID
	relay  *relay
	caller gateway.Caller
	begun  time.Time
	forget func()

	mu   sync.Mutex // guards the rest
	res  any        // the server's result, whole
	err  error
	made bool
}

// A relayedRequest is what a client asks a shared server for: by which tool of ours a run does so, and how it is done.
type relayedRequest struct {
	ours string
	args json.RawMessage
	// do asks the server. It returns the whole result, and what of it is recorded.
	do func(ctx context.Context, args json.RawMessage, id run.ID) (whole any, said *sdk.CallToolResult, err error)
}

// relayByRun has a run do a relayed request, and waits for it. It returns the server's result as whole, or a result of ours in its place: the
// client is asked first, or the run says why there is none.
func (s *Server) relayByRun(ctx context.Context, l *relay, r *sdk.CallToolRequest, e relayedRequest) (whole any, ours *sdk.CallToolResult, err error) {
	c, err := s.caller(ctx, r.Extra)
	if err != nil {
		return nil, nil, s.fail(ctx, err)
	}
	if state, ok := strings.CutPrefix(r.Params.RequestState, ourState); ok {
		return s.resumeRelayed(ctx, r, c, state)
	}
	as, _ := ctx.Value(aimKey{}).(aim)
	call := talk.Call{Tool: e.ours, Args: e.args, From: c.Party(), Project: as.project, Run: s.Talk.NewRun()}
	if as.agent != "" {
		call.Agent = agentOf(as.agent)
	}
	k := &relayedRun{id: call.Run, relay: l, caller: c, begun: time.Now()}
	k.forget = s.Servers.Relay(k.id, func(ctx context.Context, args json.RawMessage) (*sdk.CallToolResult, error) {
		whole, said, err := e.do(ctx, args, k.id)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.res, k.err, k.made = whole, err, true
		return said, err
	})
	if _, err := s.Talk.Call(ctx, call); err != nil {
		k.forget()
		return nil, s.said(ctx, err), nil
	}
	return s.awaitRelayed(ctx, k, &waiter{Server: s, req: r, caller: c, id: k.id, shared: true})
}

// resumeRelayed goes on with a relayed request about which the client's user has answered a question of ours.
func (s *Server) resumeRelayed(ctx context.Context, r *sdk.CallToolRequest, c gateway.Caller, state string) (whole any, ours *sdk.CallToolResult, err error) {
	id, asked, _ := strings.Cut(state, " ")
	s.mu.Lock()
	k := s.pending[run.ID(id)]
	mine := k != nil && k.caller.Party() == c.Party()
	if mine {
		delete(s.pending, k.id)
	}
	s.mu.Unlock()
	if !mine {
		return nil, nil, s.fail(ctx, fault.New(fault.NotFound, "There is no call of yours that waits as %q.", r.Params.RequestState))
	}
	k.relay.settle()
	w := &waiter{Server: s, req: r, caller: c, id: k.id, shared: true}
	if got, ok := r.Params.InputResponses[asked].(*sdk.ElicitResult); ok {
		if err := s.answered(ctx, asked, got, c); err != nil {
			s.Log.WarnContext(ctx, "a client's answer does not count", "approval", asked, "err", err)
		}
		w.known = run.ForPerson + asked // it is asked once; who closes the question leaves it to others
	}
	defer k.relay.take(ctx, r.Session)()
	whole, ours, err = s.awaitRelayed(ctx, k, w)
	if !k.relay.awaits() {
		s.relays.giveBack(k.relay)
	}
	return whole, ours, err
}

// awaitRelayed waits for the run of a relayed request.
func (s *Server) awaitRelayed(ctx context.Context, k *relayedRun, w *waiter) (whole any, ours *sdk.CallToolResult, err error) {
	ours, err = s.await(ctx, w)
	if err == nil && strings.HasPrefix(ours.RequestState, ourState) {
		k.relay.suspend()
		s.mu.Lock()
		s.pending[k.id] = k
		s.mu.Unlock()
		return nil, ours, nil
	}
	k.forget()
	if err != nil {
		return nil, nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if said, ok := errors.AsType[*jsonrpc.Error](k.err); k.made && ok {
		return nil, nil, said
	}
	if !k.made || k.err != nil {
		return nil, ours, nil // the run says why, or was worked elsewhere
	}
	return k.res, nil, nil
}

// suspend notes that a run of a relay waits for the client's answer; settle, that it has come.
func (l *relay) suspend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun++
}

func (l *relay) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun--
}

// answerTime is how long a run is kept whose client has to answer a question of ours.
const answerTime = time.Hour

// release forgets the runs whose clients did not come back with an answer.
func (s *Server) release(ctx context.Context) {
	s.mu.Lock()
	var gone []*relayedRun
	for id, k := range s.pending {
		r, err := s.Store.Runs.Run(ctx, id)
		if time.Since(k.begun) > answerTime || err == nil && r.State.Final() && time.Since(k.begun) > restTime {
			gone = append(gone, k)
			delete(s.pending, id)
		}
	}
	s.mu.Unlock()
	for _, k := range gone {
		k.forget()
		if k.relay.settle(); !k.relay.awaits() {
			s.relays.giveBack(k.relay)
		}
	}
}

// theirs is an error of a shared server as the client's: its own, or that it cannot be reached.
func (s *Server) theirs(ctx context.Context, err error) error {
	if said, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return said
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.fail(ctx, fault.Wrap(err, fault.Unavailable, "The MCP server cannot be reached now."))
}

// callShared returns the handler of calls of a tool of a shared server.
func (s *Server) callShared(l *relay, t mcp.SharedTool) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		sharing, err := s.Servers.Shared(l.own.server)
		if err != nil {
			return nil, s.fail(ctx, err)
		}
		args := r.Params.Arguments
		if len(args) == 0 || string(args) == "null" {
			args = json.RawMessage("{}")
		}
		whole, ours, err := s.relayByRun(ctx, l, r, relayedRequest{t.Ours, args, func(ctx context.Context, args json.RawMessage, id run.ID) (any, *sdk.CallToolResult, error) {
			p := &sdk.CallToolParams{Meta: l.metaFor(sharing, r.Params.Meta), Name: t.Name, InputResponses: r.Params.InputResponses, RequestState: r.Params.RequestState}
			p.Arguments, p.Meta["chela/key"] = args, string(id)
			got, err := l.session.CallTool(ctx, p)
			return got, got, err
		}})
		if err != nil || ours != nil {
			return ours, err
		}
		got, _ := whole.(*sdk.CallToolResult)
		return redacted(s, got)
	}
}

// readShared reads a resource of a shared server.
func (s *Server) readShared(ctx context.Context, l *relay, sharing mcp.Sharing, session *sdk.ServerSession, extra *sdk.RequestExtra, p *sdk.ReadResourceParams) (sdk.Result, error) {
	args, err := json.Marshal(map[string]any{"uri": p.URI})
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	r := &sdk.CallToolRequest{Session: session, Extra: extra, Params: &sdk.CallToolParamsRaw{Meta: p.Meta, InputResponses: p.InputResponses, RequestState: p.RequestState}}
	whole, ours, err := s.relayByRun(ctx, l, r, relayedRequest{sharing.Reads, args, func(ctx context.Context, args json.RawMessage, _ run.ID) (any, *sdk.CallToolResult, error) {
		in := &sdk.ReadResourceParams{Meta: l.metaFor(sharing, p.Meta), InputResponses: p.InputResponses, RequestState: p.RequestState}
		if err := json.Unmarshal(args, in); err != nil {
			return nil, nil, err
		}
		got, err := l.session.ReadResource(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return got, mcp.Contents(got), nil
	}})
	if err != nil {
		return nil, err
	}
	if ours != nil {
		return instead(ctx, s, ours, func(text string) *sdk.ReadResourceResult {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: p.URI, Text: text}}}
		})
	}
	got, _ := whole.(*sdk.ReadResourceResult)
	return redacted(s, got)
}

// promptShared gets a prompt of a shared server.
func (s *Server) promptShared(ctx context.Context, l *relay, sharing mcp.Sharing, session *sdk.ServerSession, extra *sdk.RequestExtra, p *sdk.GetPromptParams) (sdk.Result, error) {
	in := map[string]any{"name": p.Name}
	if len(p.Arguments) > 0 {
		in["arguments"] = p.Arguments
	}
	args, err := json.Marshal(in)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	r := &sdk.CallToolRequest{Session: session, Extra: extra, Params: &sdk.CallToolParamsRaw{Meta: p.Meta, InputResponses: p.InputResponses, RequestState: p.RequestState}}
	whole, ours, err := s.relayByRun(ctx, l, r, relayedRequest{sharing.Prompts, args, func(ctx context.Context, args json.RawMessage, _ run.ID) (any, *sdk.CallToolResult, error) {
		in := &sdk.GetPromptParams{Meta: l.metaFor(sharing, p.Meta), InputResponses: p.InputResponses, RequestState: p.RequestState}
		if err := json.Unmarshal(args, in); err != nil {
			return nil, nil, err
		}
		got, err := l.session.GetPrompt(ctx, in)
		if err != nil {
			return nil, nil, err
		}
		return got, mcp.Messages(got), nil
	}})
	if err != nil {
		return nil, err
	}
	if ours != nil {
		return instead(ctx, s, ours, func(text string) *sdk.GetPromptResult {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}}
		})
	}
	got, _ := whole.(*sdk.GetPromptResult)
	return redacted(s, got)
}

// instead is a result of ours as that of another method: a question, an error, or a text.
func instead[R any](ctx context.Context, s *Server, ours *sdk.CallToolResult, as func(text string) *R) (*R, error) {
	switch {
	case ours.IsError:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: plain(ours)}
	case ours.InputRequests == nil:
		return as(plain(ours)), nil
	}
	raw, err := json.Marshal(map[string]any{"resultType": "input_required", "inputRequests": ours.InputRequests, "requestState": ours.RequestState})
	if err == nil {
		out := new(R)
		if err = json.Unmarshal(raw, out); err == nil {
			return out, nil
		}
	}
	return nil, s.fail(ctx, err)
}

// plain is the text of a result of ours that stands for one of a server's.
func plain(ours *sdk.CallToolResult) string {
	text := ""
	for _, c := range ours.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			text += t.Text
		}
	}
	return text
}
