package openai

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/talk"
	wire "chela/internal/wire/openai"
)

// only are the members of a call that are read beside the wire's.
type only struct {
	Model  string `json:"model"`
	Stream bool   `json:"stream"`
	N      int    `json:"n"`
	User   string `json:"user"`
}

// spelt refuses what two readers of T might take differently: a member that is there twice, or is one of T's in another case. One that
// T does not have is none of ours.
func spelt[T any](raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	return event.CheckRead(raw, reflect.TypeFor[T]())
}

// readOnly reads what says where a call goes.
func readOnly(raw []byte) (out only, err error) {
	if err := spelt[only](raw); err != nil {
		return out, err
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return out, gateway.Unread(err)
	}
	return out, nil
}

// completions answers a call: as an agent, or by the model to which it is passed on.
func (d *door) completions(w http.ResponseWriter, r *http.Request) error {
	caller, raw, err := d.hall.Take(r, org.Editor, mostBytes)
	if err != nil {
		return err
	}
	asks, err := readOnly(raw)
	if err != nil {
		return err
	}
	named, model, err := talk.Named(asks.Model)
	if err != nil {
		return err
	}
	if model != "" {
		return d.forward(w, r, caller, model, "/chat/completions", raw, asks.Stream)
	}
	c, err := read(raw, asks, r.Header.Get("X-Session-ID"))
	if err != nil {
		return err
	}
	m, results, err := d.message(caller, c)
	if err != nil {
		return err
	}
	m.Agent = string(named)
	acc, before, err := d.talk.Accept(r.Context(), m, results, func(m *talk.Message) { d.history.Place(c.of, m) })
	if err != nil {
		return err
	}
	w.Header().Set("X-Session-ID", acc.Thread)
	a := answer{door: d, call: c, acc: acc, caller: caller, before: before, leaves: strings.EqualFold(r.Header.Get("X-Chela-On-Disconnect"), "cancel")}
	if c.req.Stream {
		d.hall.Stream(org.Editor, a.stream)(w, r.WithContext(caller.With(r.Context())))
		return nil
	}
	return a.whole(w, r)
}

// A call is what a program asks.
type call struct {
	req   wire.Request
	tools []wire.Tool
	of    talk.Exchange
}

// read reads a call for an agent.
func read(raw []byte, more only, session string) (call, error) {
	if err := spelt[wire.Request](raw); err != nil {
		return call{}, err
	}
	req, tools, err := wire.ReadRequest(raw)
	if err != nil {
		return call{}, gateway.Unread(err)
	}
	if err := spelt[[]wire.Tool](req.Tools); err != nil {
		return call{}, err
	}
	for _, m := range req.Messages {
		if err := spelt[[]wire.ContentPart](m.Content); err != nil {
			return call{}, err
		}
	}
	if more.N > 1 {
		return call{}, fault.BadField("n", "One answer is given to a call.")
	}
	return call{req, tools, talk.Exchange{Model: req.Model, Session: session, User: more.User, Turns: turns(req.Messages)}}, nil
}

// An answer is an agent's to one call.
type answer struct {
	*door
	call   call
	acc    inbox.Accepted
	caller gateway.Caller
	before agent.Spend // what the run had used when this was asked
	leaves bool        // the run is cancelled when the caller leaves
}

func (a answer) completion(began time.Time) wire.Completion {
	return wire.Completion{ID: "chatcmpl-" + strings.TrimPrefix(a.acc.Message, "msg_"), Created: began.Unix(), Model: a.call.req.Model, FinishReason: "stop"}
}

func (a answer) whole(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), talk.MaxWait)
	defer cancel()
	var waiting strings.Builder
	reply, err := a.talk.Follow(ctx, a.acc, talk.Viewer{
		Text:  func(string) error { return nil },
		Waits: func(reason string) error { waiting.WriteString(talk.Waits(reason)); return nil },
	})
	if err := a.talk.Ended(r.Context(), reply, err, a.caller.Party(), a.leaves); err != nil {
		return err
	}
	text := waiting.String()
	if reply.State == run.Done || reply.State == "" || len(reply.Calls) > 0 { // a command has no run
		text = reply.Reply
	}
	c := a.completion(a.talk.Store.Desk.Mint().Now())
	cut := talk.Cutter{Stops: a.call.req.Stop}
	c.Text = cut.Take(text) + cut.Rest()
	c.Usage = a.used(r.Context())
	if c.Calls = callsOf(reply.Calls); len(c.Calls) > 0 {
		c.FinishReason = "tool_calls"
	} else {
		a.history.Keep(a.caller.Party(), a.call.of, c.Text, a.acc.Thread)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = wire.WriteResponse(w, c) // the client is gone
	return nil
}

// used is what the run spent on models.
func (a answer) used(ctx context.Context) wire.Usage {
	s := talk.Less(a.talk.Spent(ctx, run.ID(a.acc.Run)), a.before)
	return wire.Usage{PromptTokens: s.InputTokens, CompletionTokens: s.OutputTokens}
}

// alive is how often a stream says that it is there.
const alive = 15 * time.Second

// stream answers while the agent writes.
func (a answer) stream(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	out := gateway.NewEvents(w)
	s, err := wire.Begin(out, a.completion(a.talk.Store.Desk.Mint().Now()))
	if err != nil {
		return
	}
	stop := out.KeepAlive(alive)
	defer stop()
	var said strings.Builder
	cut := talk.Cutter{Stops: a.call.req.Stop}
	reply, err := a.talk.Follow(ctx, a.acc, talk.Viewer{
		Text: func(more string) error {
			if more = cut.Take(more); more == "" {
				return nil
			}
			said.WriteString(more)
			return s.Text(more)
		},
		Waits: func(reason string) error { return s.Text(talk.Waits(reason)) },
	})
	err = a.talk.Ended(ctx, reply, err, a.caller.Party(), a.leaves)
	if err != nil {
		p := a.hall.Problem(ctx, err)
		_ = s.Fail(&wire.Failure{Type: "server_error", Code: []byte("null"), Message: p.Detail}) // the client is gone
		return
	}
	if more := cut.Rest(); more != "" {
		said.WriteString(more)
		if err := s.Text(more); err != nil {
			return
		}
	}
	var u *wire.Usage
	if o := a.call.req.StreamOptions; o != nil && o.IncludeUsage {
		used := a.used(r.Context())
		u = &used
	}
	finish := "stop"
	for _, c := range callsOf(reply.Calls) {
		finish = "tool_calls"
		if err := s.Call(c); err != nil {
			return
		}
	}
	if finish == "stop" {
		a.history.Keep(a.caller.Party(), a.call.of, said.String(), a.acc.Thread)
	}
	_ = s.End(finish, u) // the client is gone
}
