package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/agent"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/instance"
	"chela/internal/run"
	"chela/internal/talk"
	"chela/internal/tool"
)

// What is told of a call of a server of others while it waits for a person of ours.
const (
	ourState = "chela "
	least    = 1e-6 // of progress
)

// runMeta names the run of a call in its result.
const runMeta = "chela/run"

// called returns the handler of calls of a tool of ours.
func (s *Server) called(t *tool.Tool) sdk.ToolHandler {
	return func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		c, err := s.caller(ctx, r.Extra)
		if err != nil {
			return nil, s.fail(ctx, err)
		}
		if r.Params.RequestState != "" {
			return s.goOn(ctx, r, c, false)
		}
		as, _ := ctx.Value(aimKey{}).(aim)
		call := talk.Call{Tool: t.Name, From: c.Party(), Project: as.project}
		if as.agent != "" {
			call.Agent = agentOf(as.agent)
		}
		args, project := apart(t, r.Params.Arguments)
		call.Args, call.Project = args, cmp.Or(project, as.project)
		id, err := s.Talk.Call(ctx, call)
		if err != nil {
			return s.said(ctx, err), nil
		}
		return s.await(ctx, &waiter{Server: s, req: r, caller: c, id: id})
	}
}

// goOn goes on with a call whose question the client's user has answered. keeps says that the call did not
// begin the run.
func (s *Server) goOn(ctx context.Context, r *sdk.CallToolRequest, c gateway.Caller, keeps bool) (*sdk.CallToolResult, error) {
	id, asked, _ := strings.Cut(r.Params.RequestState, " ")
	begun, err := s.Store.Runs.Run(ctx, run.ID(id))
	if err != nil || !keeps && !mine(begun, c) {
		return nil, s.fail(ctx, fault.New(fault.NotFound, "There is no call of yours that waits as %q.", r.Params.RequestState))
	}
	w := &waiter{Server: s, req: r, caller: c, id: begun.ID, keeps: keeps}
	if got, ok := r.Params.InputResponses[asked].(*sdk.ElicitResult); ok {
		if err := s.answered(ctx, asked, got, c); err != nil {
			return s.said(ctx, err), nil
		}
		w.known = run.ForPerson + asked // it is asked once; who closes the question leaves it to others
	}
	return s.await(ctx, w)
}

// said is an error as the result of a call, so that a model sees it.
func (s *Server) said(ctx context.Context, err error) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: texts(s.hall.Problem(ctx, err).Detail)}
}

func texts(all ...string) []sdk.Content {
	out := make([]sdk.Content, len(all))
	for i, t := range all {
		out[i] = &sdk.TextContent{Text: t}
	}
	return out
}

// await waits for a run on behalf of a call, which hears what the run waits for, and returns its result. A
// client that cancels the call ends a run that the call began.
func (s *Server) await(ctx context.Context, w *waiter) (*sdk.CallToolResult, error) {
	w.token = w.req.Params.GetProgressToken()
	out, err := s.wait(ctx, w)
	w.stop()
	if ctx.Err() != nil {
		return nil, w.left(ctx)
	}
	return out, err
}

func (s *Server) wait(ctx context.Context, w *waiter) (*sdk.CallToolResult, error) {
	for n := 1; ; n++ {
		now, err := s.Talk.Settle(ctx, w.id, w.known, s.Beat)
		switch {
		case err != nil:
			return nil, s.fail(ctx, err)
		case now.State.Final():
			return s.result(ctx, now)
		case w.promised(ctx, now):
			return &sdk.CallToolResult{}, nil // the task stands for it
		case now.State == run.Waiting && strings.HasPrefix(now.WaitsFor, run.ForPerson) && now.WaitsFor != w.known:
			n = 0
			if asks, err := w.ask(ctx, now); err != nil || asks != nil {
				return asks, err
			}
		}
		w.progress(ctx, now)
		if w.known != "" && now.WaitsFor == w.known && w.token == nil && n >= patience && !w.asking() && !w.shared {
			return &sdk.CallToolResult{Meta: sdk.Meta{runMeta: w.id}, Content: texts(waits(now) + " Then call await_run with the run " + string(w.id) + ".")}, nil
		}
	}
}

// result is what came of a run.
func (s *Server) result(ctx context.Context, r run.Run) (*sdk.CallToolResult, error) {
	out := &sdk.CallToolResult{Meta: sdk.Meta{runMeta: r.ID}}
	if r.Kind == instance.RunKind {
		if err := s.played(ctx, r, out); err != nil {
			return nil, s.fail(ctx, err)
		}
		return out, nil
	}
	if r.Kind != agent.InvocationKind {
		reply, err := s.Talk.Await(ctx, inbox.Accepted{Thread: r.Thread, Run: string(r.ID)})
		if err != nil {
			return nil, s.fail(ctx, err)
		}
		out.Meta["chela/thread"] = r.Thread
		out.IsError, out.Content = r.State != run.Done, texts(cmp.Or(reply.Reply, "The run is "+string(r.State)+"."), "The thread is "+r.Thread+".")
		return out, nil
	}
	got, err := s.Talk.Result(ctx, r)
	if err != nil {
		return nil, s.fail(ctx, err)
	}
	if !got.Success {
		out.IsError, out.Content = true, texts(cmp.Or(got.Error, "The call is "+string(r.State)+"."))
		return out, nil
	}
	text := string(got.Output)
	var plain string
	var object map[string]any
	if json.Unmarshal(got.Output, &plain) == nil {
		text = plain
	} else if json.Unmarshal(got.Output, &object) == nil {
		out.StructuredContent = got.Output
	}
	out.Content = s.contents(text, got)
	return out, nil
}

// A waiter waits for one run.
type waiter struct {
	*Server
	req    *sdk.CallToolRequest
	caller gateway.Caller
	id     run.ID
	known  string // what the run waits for, as it was asked about
	keeps  bool   // the run goes on when the client leaves
	shared bool   // it is a call of a server of others, which tells of its progress itself
	token  any    // of progress, nil when the client does not ask for it
	beats  float64
	cancel context.CancelFunc // of the question to the client, nil without one
	asked  chan struct{}      // closed when nobody is asked any more
}

// state is what the state of a question of ours begins with: a server of others has its own.
func (w *waiter) state() string {
	if w.shared {
		return ourState
	}
	return ""
}

// left ends what the call began, as its client has left or cancelled it.
func (w *waiter) left(ctx context.Context) error {
	err := ctx.Err()
	if w.keeps || w.closing.Load() {
		return err
	}
	stop := w.Talk.Runs.Write(context.WithoutCancel(ctx), func(b *run.Batch) error {
		return b.Cancel(w.id, w.caller.Party(), "The client cancelled the call.")
	})
	if stop != nil && fault.KindOf(stop) != fault.Conflict {
		w.Log.WarnContext(context.WithoutCancel(ctx), "cancel a run whose client has left", "run", w.id, "err", stop)
	}
	return err
}

// waits says what a run waits for, and how it goes on.
func waits(now run.Run) string {
	id := strings.TrimPrefix(now.WaitsFor, run.ForPerson)
	return fmt.Sprintf("%s It waits for a person: answer %s on the page under Approvals, or by `chela approval approve %s`.", now.Reason, id, id)
}

// progress tells a client that asked for it how a call stands: as progress, or as log messages of a level that it set.
func (w *waiter) progress(ctx context.Context, now run.Run) {
	known := w.known != "" && now.WaitsFor == w.known
	if w.shared && !known {
		return
	}
	w.beats++
	text := "The run " + string(w.id) + " is " + string(now.State) + "."
	if known {
		text = waits(now)
	}
	if w.req.ProtocolVersion() < stateless { // later ones have no log messages; none is sent before a level is set
		if err := w.req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Logger: "runs", Data: text}); err != nil && ctx.Err() == nil { //nolint:staticcheck // deprecated by the specifications that have none
			w.Log.DebugContext(ctx, "a client does not hear log messages", "run", w.id, "err", err)
		}
	}
	if w.token == nil {
		return
	}
	at := w.beats
	if w.shared {
		at *= least // the server's own comes after it
	}
	err := w.req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: w.token, Progress: at, Message: text})
	if err != nil && ctx.Err() == nil {
		w.Log.DebugContext(ctx, "a client does not hear of progress", "run", w.id, "err", err)
	}
}

// stop takes a question back that the client's user has not answered.
func (w *waiter) stop() {
	if w.cancel != nil {
		w.cancel()
		<-w.asked
		w.cancel = nil
	}
}

// asking reports whether the client's user has a question before them.
func (w *waiter) asking() bool {
	if w.cancel == nil {
		return false
	}
	select {
	case <-w.asked:
		return false
	default:
		return true
	}
}

// ask puts what a run waits for to the client's user, where the client can and they may answer. It returns a
// result when the client has to come again with the answer.
func (w *waiter) ask(ctx context.Context, now run.Run) (*sdk.CallToolResult, error) {
	w.stop()
	w.known = now.WaitsFor
	id, form, err := w.asks(ctx, now, w.caller, w.req.ClientCapabilities())
	if err != nil {
		return nil, w.fail(ctx, err)
	}
	if form == nil {
		return nil, nil //nolint:nilnil // nobody is asked here
	}
	if w.req.ProtocolVersion() >= stateless {
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{id: form}, RequestState: w.state() + string(w.id) + " " + id}, nil
	}
	asks, cancel := context.WithCancel(ctx)
	w.cancel, w.asked = cancel, make(chan struct{})
	go func(done chan struct{}) {
		defer close(done)
		got, err := w.req.Session.Elicit(asks, form)
		if err == nil {
			err = w.answered(asks, id, got, w.caller)
		}
		if err != nil && asks.Err() == nil {
			w.Log.WarnContext(asks, "a client's answer does not count", "approval", id, "err", err)
		}
	}(w.asked)
	return nil, nil //nolint:nilnil // the run goes on when it is answered
}
