package openai

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/inbox"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/talk"
	wire "chela/internal/wire/openai"
)

// responsesPath is below which answers are looked at and cancelled.
const responsesPath = "/v1/responses/"

// responses answers a call of the Responses API: as an agent, or by the model to which it is passed on.
func (d *door) responses(w http.ResponseWriter, r *http.Request) error {
	caller, raw, err := d.hall.Take(r, org.Editor, mostBytes)
	if err != nil {
		return err
	}
	asks, err := readOnly(raw)
	if err != nil {
		return err
	}
	agent, model, err := talk.Named(asks.Model)
	if err != nil {
		return err
	}
	if model != "" {
		return d.forward(w, r, caller, model, "/responses", raw, asks.Stream)
	}
	var in wire.Ask
	if err := json.Unmarshal(raw, &in); err != nil {
		return fault.New(fault.Invalid, "The call cannot be read: %s.", err)
	}
	m, err := d.asked(r.Context(), caller, in)
	if err != nil {
		return err
	}
	if session := r.Header.Get("X-Session-ID"); session != "" && m.Thread == "" {
		d.history.Place(talk.Exchange{Model: in.Model, Session: session}, &m)
	}
	m.Agent = string(agent)
	acc, err := d.talk.Say(r.Context(), m)
	if err != nil {
		return err
	}
	w.Header().Set("X-Session-ID", acc.Thread)
	a := made{door: d, in: in, acc: acc, caller: caller, leaves: strings.EqualFold(r.Header.Get("X-Chela-On-Disconnect"), "cancel")}
	switch {
	case in.Stream:
		d.hall.Stream(org.Editor, a.stream)(w, r.WithContext(caller.With(r.Context())))
		return nil
	case in.Background && acc.Run != "":
		out := a.begun("queued")
		return writeJSON(w, out)
	}
	return a.whole(w, r)
}

// asked is what a call says to an agent, and in which conversation.
func (d *door) asked(ctx context.Context, caller gateway.Caller, in wire.Ask) (talk.Message, error) {
	m := talk.Message{Message: inbox.Message{From: caller.Party(), Channel: caller.How.Channel()}}
	if len(in.Tools) > 0 {
		return m, fault.BadField("tools", "An agent calls the tools that the organization gives it, and none of the caller's. Leave them out, or ask a model as chela/model/PROVIDER/MODEL.")
	}
	items, err := in.Items()
	if err != nil {
		return m, fault.New(fault.Invalid, "%s.", err)
	}
	var before, news []string
	if in.Instructions != "" {
		before = append(before, "The program that asks gives these instructions:\n"+in.Instructions)
	}
	for _, item := range items {
		text, images, err := d.itemOf(item)
		if err != nil {
			return m, err
		}
		switch item.Role {
		case "user":
			news, m.Images = append(news, text), append(m.Images, images...)
		case "system", "developer":
			before = append(before, "The program that asks gives these instructions:\n"+text)
		case "assistant":
			before, news = append(append(before, said("user", news)...), "assistant: "+text), nil
		}
	}
	m.Text = strings.Join(append(before, news...), "\n\n")
	if len(news) == 0 && len(m.Images) == 0 || strings.TrimSpace(m.Text) == "" && len(m.Images) == 0 {
		return m, fault.BadField("input", "The last message has to be the user's, and say something.")
	}
	if in.Text != nil && in.Text.Format.Type == "json_schema" || in.Text != nil && in.Text.Format.Type == "json_object" {
		m.Text += "\n\nAnswer with one JSON value and nothing else, without a code fence."
		if len(in.Text.Format.Schema) > 0 {
			m.Text += " It fits this JSON Schema: " + string(in.Text.Format.Schema)
		}
	}
	if in.Previous == "" {
		return m, nil
	}
	earlier, err := d.answerOf(ctx, caller, in.Previous)
	m.Thread = earlier.Thread
	return m, err
}

func said(by string, texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = by + ": " + t
	}
	return out
}

// itemOf reads the text and the pictures of a message. An item of another sort than a message is none of ours.
func (d *door) itemOf(item wire.Item) (text string, images []string, err error) {
	if item.Type != "message" {
		return "", nil, fault.BadField("input", "An item of the type "+item.Type+" is not taken by an agent.", "message")
	}
	parts, err := item.Parts()
	if err != nil {
		return "", nil, fault.New(fault.Invalid, "%s.", err)
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "input_text", "output_text", "text":
			texts = append(texts, p.Text)
		case "input_image":
			raw, err := picture(&wire.ImageURL{URL: p.ImageURL})
			if err != nil {
				return "", nil, err
			}
			ref, err := d.talk.Files.Put(raw)
			if err != nil {
				return "", nil, err
			}
			images = append(images, string(ref))
		default:
			return "", nil, fault.BadField("input", "A part of the type "+p.Type+" is not taken here.", "input_text", "input_image")
		}
	}
	return strings.Join(texts, "\n"), images, nil
}

// answerOf finds the run of an answer of the caller's; a fault.NotFound says that there is none.
func (d *door) answerOf(ctx context.Context, caller gateway.Caller, id string) (run.Run, error) {
	missing := fault.New(fault.NotFound, "There is no response %s of yours here.", id)
	tail, ok := strings.CutPrefix(id, "resp_")
	if !ok {
		return run.Run{}, missing
	}
	r, err := d.talk.Store.Runs.Run(ctx, run.ID("run_"+tail))
	if fault.KindOf(err) == fault.NotFound && err != nil || err == nil && r.By.AgentID != caller.Party().AgentID {
		return r, missing
	}
	if err == nil && caller.Key != nil && r.By.Key != caller.Key.ID {
		return r, missing // another program's
	}
	return r, err
}

// oneResponse answers for one answer: GET /v1/responses/ID, and POST …/cancel.
func (d *door) oneResponse(w http.ResponseWriter, r *http.Request) error {
	id, what, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, responsesPath), "/")
	if id == "compact" && r.Method == http.MethodPost {
		return d.compact(w, r)
	}
	if want := map[string]string{"": http.MethodGet, "cancel": http.MethodPost}[what]; want == "" || r.Method != want {
		return gateway.WithStatus(http.StatusMethodNotAllowed, fault.New(fault.Invalid, "%s does not take %s. What was said stays in the log.", r.URL.Path, r.Method))
	}
	caller, err := d.hall.PermitScoped(r, org.Editor)
	if err != nil {
		return err
	}
	of, err := d.answerOf(r.Context(), caller, id)
	if err != nil {
		return err
	}
	if what == "cancel" && !of.State.Final() {
		err := d.talk.Runs.Write(r.Context(), func(b *run.Batch) error { return b.Cancel(of.ID, caller.Party(), "The caller cancelled it.") })
		if err != nil && fault.KindOf(err) != fault.Conflict { // it has ended meanwhile
			return err
		}
	}
	reply, err := d.talk.Look(r.Context(), inbox.Accepted{Thread: of.Thread, Run: string(of.ID)})
	if err != nil {
		return err
	}
	a := made{door: d, in: wire.Ask{Model: talk.ModelOf(of), Background: true}, acc: reply.Accepted, caller: caller}
	return writeJSON(w, a.of(r.Context(), reply))
}

// compact passes the compacting of a conversation on to a model. Agents compact their own conversations.
func (d *door) compact(w http.ResponseWriter, r *http.Request) error {
	caller, raw, err := d.hall.Take(r, org.Editor, mostBytes)
	if err != nil {
		return err
	}
	asks, err := readOnly(raw)
	if err != nil {
		return err
	}
	_, model, err := talk.Named(asks.Model)
	if err == nil && model == "" {
		err = fault.BadField("model", "An agent compacts its conversations by itself. Name a model as chela/model/PROVIDER/MODEL.")
	}
	if err != nil {
		return err
	}
	return d.forward(w, r, caller, model, "/responses/compact", raw, false)
}

// A made is an agent's answer to one call.
type made struct {
	*door
	in     wire.Ask
	acc    inbox.Accepted
	caller gateway.Caller
	leaves bool // the run is cancelled when the caller leaves
}

func (a made) id() string {
	if a.acc.Run != "" {
		return "resp_" + strings.TrimPrefix(a.acc.Run, "run_")
	}
	return "resp_" + strings.TrimPrefix(a.acc.Message, "msg_")
}

func (a made) item() string { return "msg_" + strings.TrimPrefix(a.id(), "resp_") }

func (a made) begun(status string) wire.Made {
	m := wire.NewMade(a.id(), a.in.Model, a.talk.Store.Desk.Mint().Now().Unix())
	m.Status, m.Background = status, a.in.Background
	if a.in.Metadata != nil {
		m.Metadata = a.in.Metadata
	}
	if a.in.Previous != "" {
		m.Previous = &a.in.Previous
	}
	if a.in.Instructions != "" {
		m.Instructions = &a.in.Instructions
	}
	return m
}

// of is the answer as it stands.
func (a made) of(ctx context.Context, reply talk.Reply) wire.Made {
	m := a.begun("in_progress")
	switch reply.State {
	case run.Done, "":
		m.Status, m.Usage = "completed", a.usage(ctx)
		m.Say(a.item(), "completed", reply.Reply)
	case run.Failed:
		m.Status, m.Error = "failed", &wire.MadeError{Code: "server_error", Message: reply.Reply}
	case run.Cancelled:
		m.Status = "cancelled"
	case run.Queued:
		m.Status = "queued"
	case run.Running, run.Waiting:
	}
	return m
}

func (a made) usage(ctx context.Context) *wire.MadeUsage {
	s := a.talk.Spent(ctx, run.ID(a.acc.Run))
	return &wire.MadeUsage{Input: s.InputTokens, Output: s.OutputTokens, Total: s.InputTokens + s.OutputTokens}
}

func (a made) whole(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithTimeout(r.Context(), talk.MaxWait)
	defer cancel()
	reply, err := a.talk.Follow(ctx, a.acc, talk.Viewer{Text: func(string) error { return nil }, Waits: func(string) error { return nil }})
	err = a.talk.Ended(r.Context(), reply, err, a.caller.Party(), a.leaves)
	if err != nil && reply.State != run.Failed && reply.State != run.Cancelled {
		return err
	}
	return writeJSON(w, a.of(r.Context(), reply))
}

// stream answers while the agent writes.
func (a made) stream(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	out := gateway.NewEvents(w)
	s := wire.NewMadeStream(out, a.item())
	m := a.begun("in_progress")
	if s.Status("created", m) != nil || s.Status("in_progress", m) != nil {
		return
	}
	stop := out.KeepAlive(alive)
	defer stop()
	reply, err := a.talk.Follow(ctx, a.acc, talk.Viewer{Text: s.Text, Waits: func(reason string) error { return s.Text(talk.Waits(reason)) }})
	err = a.talk.Ended(ctx, reply, err, a.caller.Party(), a.leaves && !a.in.Background)
	if errors.Is(err, context.Canceled) {
		return // the caller has left
	}
	m = a.of(r.Context(), reply)
	switch {
	case m.Status == "completed":
		if s.End(reply.Reply) == nil {
			_ = s.Status("completed", m) // the client is gone
		}
	case err != nil:
		m.Status = "failed"
		m.Error = &wire.MadeError{Code: "server_error", Message: a.hall.Problem(ctx, err).Detail}
		_ = s.Status("failed", m) // the client is gone
	}
}

func writeJSON(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client is gone
	return nil
}
