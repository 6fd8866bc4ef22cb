package anthropic

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

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
		out = append(out, talk.Turn{Role: m.Role, Text: textOf(m.Content)})
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

// message is what a call says to an agent: what came after the last answer, with its pictures.
func (d *door) message(caller gateway.Caller, r wire.Request, of talk.Exchange) (talk.Message, error) {
	m := talk.Message{Message: inbox.Message{From: caller.Party(), Channel: caller.How.Channel()}}
	system := len(of.Turns) - len(r.Messages)
	var news []string
	for _, in := range r.Messages[max(of.News()-system, 0):] {
		news = append(news, textOf(in.Content))
		for _, b := range in.Content {
			switch b.Type {
			case "text", "thinking", "redacted_thinking":
			case "image":
				if b.Source == nil || b.Source.Type != "base64" {
					return m, fault.BadField("messages", "A picture is sent with its bytes, as base64; addresses are not fetched.")
				}
				raw, err := base64.StdEncoding.DecodeString(b.Source.Data)
				if err != nil {
					return m, fault.BadField("messages", "The bytes of a picture are no base64.")
				}
				ref, err := d.talk.Files.Put(raw)
				if err != nil {
					return m, err
				}
				m.Images = append(m.Images, string(ref))
			default:
				return m, fault.BadField("messages", "A block of the type "+b.Type+" is not taken here.", "text", "image")
			}
		}
	}
	m.Text = strings.Join(news, "\n\n")
	if strings.TrimSpace(m.Text) == "" && len(m.Images) == 0 {
		return m, fault.BadField("messages", "The last message has to be the user's, and say something.")
	}
	if o := r.OutputConfig; o != nil && o.Format != nil && len(o.Format.Schema) > 0 {
		m.Text += "\n\nAnswer with one JSON value and nothing else, without a code fence. It fits this JSON Schema: " + string(o.Format.Schema)
	}
	return m, nil
}

// An answer is an agent's to one call.
type answer struct {
	*door
	req    wire.Request
	of     talk.Exchange
	acc    inbox.Accepted
	caller gateway.Caller
	leaves bool // the run is cancelled when the caller leaves
}

func (a answer) response() wire.Response {
	return wire.Response{ID: a.acc.Message, Model: a.req.Model, StopReason: "end_turn"}
}

// used is what the run spent on models.
func (a answer) used(ctx context.Context) wire.Usage {
	s := a.talk.Spent(ctx, run.ID(a.acc.Run))
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
	if reply.State == run.Done || reply.State == "" { // a command has no run
		text = reply.Reply
	}
	cut := talk.Cutter{Stops: a.req.Stops}
	text = cut.Take(text) + cut.Rest()
	out := a.response()
	out.Content, out.Usage = wire.Text(text), a.used(r.Context())
	a.history.Keep(a.caller.Party(), a.of, text, a.acc.Thread)
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
	if err == nil {
		err = s.Open(wire.Block{Type: "text"})
	}
	if err != nil {
		return // the client is gone
	}
	stop := out.KeepAlive(alive)
	defer stop()
	var said strings.Builder
	cut := talk.Cutter{Stops: a.req.Stops}
	say := func(more string) error {
		if more == "" {
			return nil
		}
		said.WriteString(more)
		return s.More(wire.Block{Text: more})
	}
	reply, err := a.talk.Follow(ctx, a.acc, talk.Viewer{
		Text:  func(more string) error { return say(cut.Take(more)) },
		Waits: func(reason string) error { return s.More(wire.Block{Text: talk.Waits(reason)}) },
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
	a.history.Keep(a.caller.Party(), a.of, said.String(), a.acc.Thread)
	_ = s.End("end_turn", a.used(ctx)) // the client is gone
}
