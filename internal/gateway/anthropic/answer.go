package anthropic

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"chela/internal/agent"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/run"
	"chela/internal/talk"
	wire "chela/internal/wire/anthropic"
)

// turns are the messages of a call as a history has them.
func turns(r wire.Request) []talk.Turn {
	var out []talk.Turn
	if s := textOf(r.System); s != "" {
		out = append(out, talk.Turn{Role: "system", Text: s})
	}
	for _, m := range r.Messages {
		out = append(out, talk.Turn{Role: m.Role, Text: told(m.Content)})
	}
	return out
}

func textOf(blocks wire.Blocks) (text string) {
	for _, b := range blocks {
		if b.Type == "text" {
			text += b.Text
		}
	}
	return text
}

// told is a message as a history tells it, with calls and their results.
func told(blocks wire.Blocks) string {
	text := textOf(blocks)
	for _, b := range blocks {
		switch b.Type {
		case "tool_use":
			text += talk.Called(b.Name, b.ID, string(b.Input))
		case "tool_result":
			text += "\n[The result of " + b.ToolUseID + ": " + textOf(b.Content) + "]"
		}
	}
	return text
}

// message is what a call says to an agent: what came after the last answer, with its pictures, and the results of the
// program's own tools.
func (d *door) message(caller gateway.Caller, r wire.Request, tools []wire.Tool, of talk.Exchange) (m talk.Message, results []talk.ClientResult, err error) {
	m = talk.Message{Message: inbox.Message{From: caller.Party(), Channel: caller.How.Channel()}}
	system := len(of.Turns) - len(r.Messages)
	var news []string
	for _, in := range r.Messages[max(of.News()-system, 0):] {
		news = append(news, textOf(in.Content))
		for _, b := range in.Content {
			if b.Type == "tool_result" {
				res, err := d.result(b)
				if err != nil {
					return m, nil, err
				}
				results = append(results, res)
				continue
			}
			ref, err := d.picture(b)
			if err != nil {
				return m, nil, err
			}
			if ref != "" {
				m.Images = append(m.Images, ref)
			}
		}
	}
	var must string
	if m.Client, must, err = d.client(r, tools); err != nil {
		return m, nil, err
	}
	m.Text = strings.TrimSpace(strings.Join(news, "\n\n"))
	if m.Text == "" && len(m.Images) == 0 {
		if len(results) > 0 {
			return m, results, nil
		}
		return m, nil, fault.BadField("messages", "The last message has to be the user's, and say something.")
	}
	if o := r.OutputConfig; o != nil && o.Format != nil && len(o.Format.Schema) > 0 {
		m.Text += "\n\nAnswer with one JSON value and nothing else, without a code fence. It fits this JSON Schema: " + string(o.Format.Schema)
	}
	m.Text += must
	return m, results, nil
}

// picture keeps the picture of a block; "" when it is none, and a fault.Invalid for one that is not taken.
func (d *door) picture(b wire.Block) (string, error) {
	switch b.Type {
	case "text", "thinking", "redacted_thinking":
		return "", nil
	case "image":
	default:
		return "", fault.BadField("messages", "A block of the type "+b.Type+" is not taken here.", "text", "image", "tool_result")
	}
	if b.Source == nil || b.Source.Type != "base64" {
		return "", fault.BadField("messages", "A picture is sent with its bytes, as base64; addresses are not fetched.")
	}
	raw, err := base64.StdEncoding.DecodeString(b.Source.Data)
	if err != nil {
		return "", fault.BadField("messages", "The bytes of a picture are no base64.")
	}
	return d.talk.KeepPicture("messages", raw)
}

// An answer is an agent's to one call.
type answer struct {
	*door
	req    wire.Request
	of     talk.Exchange
	acc    inbox.Accepted
	caller gateway.Caller
	before agent.Spend // what the run had used when this was asked
	leaves bool        // the run is cancelled when the caller leaves
}

func (a answer) response() wire.Response {
	return wire.Response{ID: a.acc.Message, Model: a.req.Model, StopReason: "end_turn"}
}

// used is what the run spent on models.
func (a answer) used(ctx context.Context) wire.Usage {
	s := talk.Less(a.talk.Spent(ctx, run.ID(a.acc.Run)), a.before)
	return wire.Usage{InputTokens: s.InputTokens, OutputTokens: s.OutputTokens}
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
	cut := talk.Cutter{Stops: a.req.Stops}
	text = cut.Take(text) + cut.Rest()
	out := a.response()
	out.Content, out.Usage = wire.Text(text), a.used(r.Context())
	if cut.At != "" {
		out.StopReason, out.Stop = "stop_sequence", cut.At
	}
	for _, b := range callsOf(reply.Calls) {
		out.StopReason, out.Stop, out.Content = "tool_use", "", append(out.Content, b)
	}
	if len(reply.Calls) == 0 {
		a.history.Keep(a.caller.Party(), a.of, text, a.acc.Thread)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = wire.WriteResponse(w, out) // the client is gone
	return nil
}

// alive is how often a stream says that it is there.
const alive = 15 * time.Second

// stream answers while the agent writes.
func (a answer) stream(ctx context.Context, w http.ResponseWriter, _ *http.Request) {
	out := gateway.NewEvents(w)
	s, err := wire.Begin(out, a.response())
	if err != nil {
		return // the client is gone
	}
	stop := out.KeepAlive(alive)
	defer stop()
	var said strings.Builder
	cut := talk.Cutter{Stops: a.req.Stops}
	open := false
	write := func(more string) error {
		if open {
			return s.More(wire.Block{Text: more})
		}
		open = true
		return s.Open(wire.Block{Type: "text", Text: more})
	}
	say := func(more string) error {
		if more == "" {
			return nil
		}
		said.WriteString(more)
		return write(more)
	}
	reply, err := a.talk.Follow(ctx, a.acc, talk.Viewer{
		Text:  func(more string) error { return say(cut.Take(more)) },
		Waits: func(reason string) error { return write(talk.Waits(reason)) },
	})
	err = a.talk.Ended(ctx, reply, err, a.caller.Party(), a.leaves)
	if err == nil {
		err = say(cut.Rest())
	}
	if err != nil {
		p := a.hall.Problem(ctx, err)
		_ = s.Fail(&wire.StreamError{Type: "api_error", Message: p.Detail}) // the client is gone
		return
	}
	a.end(ctx, s, open, said.String(), cut.At, reply)
}

// end ends a stream with the calls that the program is to make, if there are any. What was said may have ended before a stop of the call.
func (a answer) end(ctx context.Context, s *wire.Stream, open bool, said, before string, reply talk.Reply) {
	calls := callsOf(reply.Calls)
	for _, b := range calls {
		if err := s.Open(b); err != nil {
			return
		}
	}
	if len(calls) > 0 {
		_ = s.End("tool_use", a.used(ctx)) // the client is gone
		return
	}
	if !open && s.Open(wire.Block{Type: "text"}) != nil {
		return
	}
	a.history.Keep(a.caller.Party(), a.of, said, a.acc.Thread)
	if before != "" {
		_ = s.EndBefore(before, a.used(ctx)) // likewise
		return
	}
	_ = s.End("end_turn", a.used(ctx)) // likewise
}
