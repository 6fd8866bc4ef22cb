package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"chela/internal/agent"
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
	named, model, err := talk.Named(asks.Model)
	if err != nil {
		return err
	}
	if model != "" {
		return d.forward(w, r, caller, model, "/responses", raw, asks.Stream)
	}
	in, err := readAsk(raw)
	if err != nil {
		return err
	}
	m, results, err := d.asked(r.Context(), caller, in)
	if err != nil {
		return err
	}
	m.Agent = string(named)
	acc, before, err := d.talk.Accept(r.Context(), m, results, func(m *talk.Message) {
		if session := r.Header.Get("X-Session-ID"); session != "" && m.Thread == "" {
			d.history.Place(talk.Exchange{Model: in.Model, Session: session}, m)
		}
	})
	if err != nil {
		return err
	}
	w.Header().Set("X-Session-ID", acc.Thread)
	a := made{door: d, in: in, acc: acc, caller: caller, before: before, leaves: strings.EqualFold(r.Header.Get("X-Chela-On-Disconnect"), "cancel")}
	if err := d.place(r.Context(), &a, results); err != nil {
		return err
	}
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

// readAsk reads a call for an agent.
func readAsk(raw []byte) (in wire.Ask, err error) {
	if err := spelt[wire.Ask](raw); err != nil {
		return in, err
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return in, gateway.Unread(err)
	}
	for _, tool := range in.Tools {
		if err := spelt[wire.AskTool](tool); err != nil {
			return in, err
		}
	}
	return in, spelt[[]wire.Item](in.Input)
}

// asked is what a call says to an agent, in which conversation, and the results of the program's own tools.
func (d *door) asked(ctx context.Context, caller gateway.Caller, in wire.Ask) (m talk.Message, results []talk.ClientResult, err error) {
	m = talk.Message{Message: inbox.Message{From: caller.Party(), Channel: caller.How.Channel(), Background: in.Background}}
	items, err := in.Items()
	if err != nil {
		return m, nil, gateway.Unread(err)
	}
	h := heard{door: d, message: &m}
	if in.Instructions != "" {
		h.before = append(h.before, "The program that asks gives these instructions:\n"+in.Instructions)
	}
	for _, item := range items {
		if err := h.take(item); err != nil {
			return m, nil, err
		}
	}
	var must string
	if m.Client, must, err = d.clientOf(in); err != nil {
		return m, nil, err
	}
	known, err := d.talk.Known(ctx, m.From, h.results)
	if err != nil {
		return m, nil, err
	}
	if m.Text = strings.Join(h.news, "\n\n"); !known {
		m.Text = strings.Join(append(h.before, h.news...), "\n\n")
	}
	if len(h.news) == 0 && len(m.Images) == 0 && len(h.results) > 0 {
		return d.goesOn(ctx, caller, in, m, h.results)
	}
	if len(h.news) == 0 && len(m.Images) == 0 {
		m.Text = ""
	}
	if strings.TrimSpace(m.Text) == "" && len(m.Images) == 0 {
		return m, nil, fault.BadField("input", "The last message has to be the user's, and say something.")
	}
	if in.Text != nil && in.Text.Format.Type == "json_schema" || in.Text != nil && in.Text.Format.Type == "json_object" {
		m.Text += "\n\nAnswer with one JSON value and nothing else, without a code fence."
		if len(in.Text.Format.Schema) > 0 {
			m.Text += " It fits this JSON Schema: " + string(in.Text.Format.Schema)
		}
	}
	m.Text += must
	return d.goesOn(ctx, caller, in, m, h.results)
}

// goesOn finds the conversation of the answer that a call names before it.
func (d *door) goesOn(ctx context.Context, caller gateway.Caller, in wire.Ask, m talk.Message, results []talk.ClientResult) (talk.Message, []talk.ClientResult, error) {
	if in.Previous == "" {
		return m, results, nil
	}
	earlier, _, err := d.answerOf(ctx, caller, in.Previous)
	if none, is := errors.AsType[*noResponse](err); is {
		none.before = true
	}
	m.Thread = earlier.Thread
	return m, results, err
}

// heard is the input of a call as far as it was read.
type heard struct {
	*door
	message      *talk.Message // gets the pictures
	before, news []string
	results      []talk.ClientResult // since the last answer
}

// take takes in the next item.
func (h *heard) take(item wire.Item) error {
	switch item.Type {
	case "function_call":
		h.answered(talk.Called(item.Name, item.CallID, item.Arguments))
		return nil
	case "function_call_output":
		r, err := h.resultOf(item)
		h.results = append(h.results, r)
		return err
	case "reasoning":
		return nil // an agent thinks for itself
	}
	text, images, err := h.itemOf(item)
	if err != nil {
		return err
	}
	switch item.Role {
	case "user":
		h.news, h.message.Images = append(h.news, text), append(h.message.Images, images...)
	case "system", "developer":
		h.before = append(h.before, "The program that asks gives these instructions:\n"+text)
	case "assistant":
		h.answered("assistant: " + text)
	}
	return nil
}

// answered takes in what an answer said before: what came before it is no news any more.
func (h *heard) answered(text string) {
	if len(h.results) > 0 {
		h.before = append(h.before, talk.Told(h.results))
	}
	h.before = append(append(h.before, said("user", h.news)...), text)
	h.news, h.results = nil, nil
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
	if err := spelt[[]wire.ItemPart](item.Content); err != nil {
		return "", nil, err
	}
	parts, err := item.Parts()
	if err != nil {
		return "", nil, gateway.Unread(err)
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "input_text", "output_text", "text":
			texts = append(texts, p.Text)
		case "input_image":
			raw, err := picture("input", &wire.ImageURL{URL: p.ImageURL})
			if err != nil {
				return "", nil, err
			}
			ref, err := d.talk.KeepPicture("input", raw)
			if err != nil {
				return "", nil, err
			}
			images = append(images, ref)
		default:
			return "", nil, fault.BadField("input", "A part of the type "+p.Type+" is not taken here.", "input_text", "input_image")
		}
	}
	return strings.Join(texts, "\n"), images, nil
}

// answerOf finds the run of an answer of the caller's, and how often the run had asked for calls before it; a
// [noResponse] says that there is none.
func (d *door) answerOf(ctx context.Context, caller gateway.Caller, id string) (r run.Run, stage int, err error) {
	missing := missingResponse(id)
	tail, ok := strings.CutPrefix(id, "resp_")
	tail, number, later := strings.Cut(tail, "_")
	if later {
		stage, err = strconv.Atoi(number)
	}
	if !ok || err != nil || stage < 0 {
		return run.Run{}, 0, missing
	}
	r, err = d.talk.Store.Runs.Run(ctx, run.ID("run_"+tail))
	if fault.KindOf(err) == fault.NotFound && err != nil || err == nil && r.By.AgentID != caller.Party().AgentID {
		return r, 0, missing
	}
	if err == nil && caller.Key != nil && r.By.Key != caller.Key.ID {
		return r, 0, missing // another program's
	}
	return r, stage, err
}

func missingResponse(id string) error {
	return &noResponse{error: fault.New(fault.NotFound, "There is no response %s of yours here.", id)}
}

// place finds out how often the run of an answer had asked for calls before it got results, and when the answer began.
func (d *door) place(ctx context.Context, a *made, results []talk.ClientResult) error {
	if a.acc.Run == "" {
		a.at = d.talk.Store.Desk.Mint().Now()
		return nil
	}
	if a.acc.Joined && len(results) > 0 {
		stages, err := d.talk.ClientCalls(ctx, run.ID(a.acc.Run))
		if err != nil {
			return err
		}
		for i, s := range stages {
			if s.Asks(results[0].Call) {
				a.stage, a.at = i+1, s.At
				return nil
			}
		}
	}
	r, err := d.talk.Store.Runs.Run(ctx, run.ID(a.acc.Run))
	a.at = r.CreatedAt
	return err
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
	of, stage, err := d.answerOf(r.Context(), caller, id)
	if err != nil {
		return err
	}
	background, err := talk.InBackground(of)
	if err != nil {
		return err
	}
	if what == "cancel" && !background {
		return fault.New(fault.Invalid, "The response %s was not made in the background, so it is not cancelled by its id. Say \"background\": true in the call that makes it, or cancel its run with `chela run cancel %s`.", id, of.ID)
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
	stages, err := d.talk.ClientCalls(r.Context(), of.ID)
	if err != nil {
		return err
	}
	if stage > len(stages) {
		return missingResponse(id)
	}
	if stage < len(stages) { // it asked for these
		reply.State, reply.Reply, reply.Calls = run.Waiting, stages[stage].Text, stages[stage].Calls
	}
	a := made{door: d, in: wire.Ask{Model: talk.ModelOf(of), Background: background}, acc: reply.Accepted, caller: caller, stage: stage, at: of.CreatedAt}
	if stage > 0 {
		a.at = stages[stage-1].At
	}
	return writeJSON(w, a.calling(r.Context(), reply, reply.Reply))
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
	before agent.Spend // what the run had used when this was asked
	stage  int         // how often the run had asked for calls before
	at     time.Time   // its beginning: its run's, or when the run asked for the calls before
	leaves bool        // the run is cancelled when the caller leaves
}

func (a made) id() string {
	if a.acc.Run != "" && a.stage > 0 {
		return fmt.Sprintf("resp_%s_%d", strings.TrimPrefix(a.acc.Run, "run_"), a.stage)
	}
	if a.acc.Run != "" {
		return "resp_" + strings.TrimPrefix(a.acc.Run, "run_")
	}
	return "resp_" + strings.TrimPrefix(a.acc.Message, "msg_")
}

func (a made) item() string { return "msg_" + strings.TrimPrefix(a.id(), "resp_") }

func (a made) begun(status string) wire.Made {
	m := wire.NewMade(a.id(), a.in.Model, a.at.Unix())
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
	if len(a.in.Tools) > 0 {
		m.Tools = a.in.Tools
	}
	m.Parallel = a.in.Parallel == nil || *a.in.Parallel
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
	case run.Waiting:
		if len(reply.Calls) > 0 {
			m.Status, m.Usage = "completed", a.usage(ctx)
			for _, c := range callsOf(reply.Calls) {
				m.Call(c)
			}
		}
	case run.Running:
	}
	return m
}

// calling is the answer with what was said before its calls.
func (a made) calling(ctx context.Context, reply talk.Reply, text string) wire.Made {
	m := a.of(ctx, reply)
	if calls := m.Output; len(reply.Calls) > 0 && text != "" {
		m.Say(a.item(), "completed", text)
		m.Output = append(m.Output, calls...)
	}
	return m
}

func (a made) usage(ctx context.Context) *wire.MadeUsage {
	s := talk.Less(a.talk.Spent(ctx, run.ID(a.acc.Run)), a.before)
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
	return writeJSON(w, a.calling(r.Context(), reply, reply.Reply))
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
	var said strings.Builder
	text := func(more string) error { said.WriteString(more); return s.Text(more) }
	reply, err := a.talk.Follow(ctx, a.acc, talk.Viewer{Text: text, Waits: func(reason string) error { return text(talk.Waits(reason)) }})
	err = a.talk.Ended(ctx, reply, err, a.caller.Party(), a.leaves && !a.in.Background)
	if errors.Is(err, context.Canceled) {
		return // the caller has left
	}
	m = a.calling(r.Context(), reply, said.String())
	switch {
	case len(reply.Calls) > 0:
		if s.Calls(said.String(), callsOf(reply.Calls)) == nil {
			_ = s.Status("completed", m) // the client is gone
		}
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
