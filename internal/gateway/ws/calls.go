package ws

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"chela/internal/approval"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/talk"
)

// A message is what a program sends: a call, an answer to one of ours, or a message of older programs.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`

	Type    string `json:"type"`
	Session string `json:"sessionId"`
	Project string `json:"projectId"`
}

var errMethod = errors.New("the method is not known")

// take takes a message. Calls are worked on beside each other.
func (c *client) take(ctx context.Context, raw []byte) {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		code := codeParse
		if json.Valid(raw) {
			code = codeInvalid
		}
		c.send(failure(nil, code, "The message is no object of JSON-RPC 2.0."))
		return
	}
	if err := event.CheckRead(raw, reflect.TypeFor[message]()); err != nil {
		c.send(failure(nil, codeInvalid, fault.TextOf(err)))
		return
	}
	switch {
	case m.Type != "" && m.Version == "":
		c.older(ctx, m)
	case m.Version != "2.0" || m.ID != nil && !scalar(m.ID):
		c.send(failure(nil, codeInvalid, "The message is no object of JSON-RPC 2.0: it lacks \"jsonrpc\": \"2.0\", or its id is neither text nor number."))
	case m.Method == "" && (m.Result != nil || m.Error != nil):
		c.answered(m)
	default:
		select {
		case c.calls <- struct{}{}:
		default:
			c.send(failure(m.ID, codeRefused, "32 calls are worked on; send this one when another was answered."))
			return
		}
		c.all.Go(func() {
			defer func() { <-c.calls }()
			out, err := c.call(ctx, m)
			switch {
			case m.ID == nil: // nobody waits for an answer
			case err != nil:
				c.send(c.failed(ctx, m.ID, err))
			default:
				c.send(reply{Version: "2.0", ID: m.ID, Result: out})
			}
		})
	}
}

// scalar reports whether an id is text or a number.
func scalar(id json.RawMessage) bool { return !bytes.ContainsAny(id[:1], "{[tfn") }

// methods are what programs call.
var methods = map[string]func(*client, context.Context, json.RawMessage) (any, error){
	"ping":             func(*client, context.Context, json.RawMessage) (any, error) { return map[string]any{}, nil },
	"chat.send":        (*client).say,
	"run.cancel":       (*client).cancel,
	"subscribe":        (*client).subscribe,
	"unsubscribe":      (*client).unsubscribe,
	"session.watch":    (*client).watch,
	"approvals.list":   (*client).approvals,
	"approvals.decide": (*client).decide,
	"approvals.ask":    (*client).askMe,
}

func (c *client) call(ctx context.Context, m message) (any, error) {
	do := methods[m.Method]
	if do == nil {
		return nil, fault.Wrap(errMethod, fault.Invalid, "There is no method %q. There are ping, chat.send, run.cancel, subscribe, unsubscribe, session.watch, approvals.list, approvals.decide and approvals.ask.", m.Method)
	}
	return do(c, ctx, m.Params)
}

// paramsOf reads the parameters of a call.
func paramsOf[P any](raw json.RawMessage) (p P, err error) {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	return p, event.DecodeLean(raw, &p)
}

func (c *client) needs(role org.Role) error {
	if !c.caller.Person.Role.AtLeast(role) {
		return fault.New(fault.Denied, "This needs the role %s; you have the role %s.", role, c.caller.Person.Role)
	}
	return nil
}

// say says something, and shows the answer while it comes when stream is set.
func (c *client) say(ctx context.Context, raw json.RawMessage) (any, error) {
	p, err := paramsOf[struct {
		Text    string `json:"text"`
		Thread  string `json:"threadId"`
		Project string `json:"projectId"`
		Agent   string `json:"agent"`
		Key     string `json:"idempotencyKey"`
		Stream  bool   `json:"stream"`
	}](raw)
	if err != nil {
		return nil, err
	}
	if p.Text == "" {
		return nil, fault.BadField("text", "Say something.")
	}
	if p.Agent != "" {
		p.Agent = "agent:" + org.AgentID(p.Agent).Name()
	}
	m := talk.Message{Message: inbox.Message{Thread: p.Thread, Project: p.Project, Agent: p.Agent, Text: p.Text, Key: p.Key, From: c.caller.Party(), Channel: c.caller.How.Channel(), Trace: run.TraceOf(ctx)}}
	acc, err := c.Talk.Say(ctx, m)
	if err != nil || !p.Stream {
		return acc, err
	}
	said, err := c.Talk.Follow(ctx, acc, talk.Viewer{
		Text: func(more string) error {
			c.send(note("chat.delta", map[string]any{"threadId": acc.Thread, "runId": acc.Run, "text": more}))
			return ctx.Err()
		},
		Waits: func(reason string) error {
			c.send(note("chat.waits", map[string]any{"threadId": acc.Thread, "runId": acc.Run, "reason": reason}))
			return ctx.Err()
		},
	})
	return said, err
}

func (c *client) cancel(ctx context.Context, raw json.RawMessage) (any, error) {
	p, err := paramsOf[struct {
		Run string `json:"runId"`
	}](raw)
	if err == nil {
		err = c.needs(org.Editor)
	}
	if err != nil {
		return nil, err
	}
	return map[string]any{"runId": p.Run}, c.Runs.Write(ctx, func(b *run.Batch) error { return b.Cancel(run.ID(p.Run), c.caller.Party(), "A program cancelled it.") })
}

// mostQuestions bounds the questions of one answer.
const mostQuestions = 200

func (c *client) approvals(ctx context.Context, _ json.RawMessage) (any, error) {
	out, err := c.Questions.Approvals(ctx, approval.Pending, mostQuestions)
	return append([]approval.Approval{}, out...), err
}

func (c *client) decide(ctx context.Context, raw json.RawMessage) (any, error) {
	a, err := paramsOf[approval.Answer](raw)
	if err != nil {
		return nil, err
	}
	return map[string]any{"id": a.ID}, c.Answers.Decide(ctx, approval.Approver{Party: c.caller.Party(), Role: c.caller.Person.Role}, a)
}
