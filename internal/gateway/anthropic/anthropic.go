// Package anthropic is the door for programs that speak Anthropic's API: /v1/messages and
// /v1/messages/count_tokens. The names of models are those of the door for OpenAI's programs, which also
// lists them.
package anthropic

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/model"
	"chela/internal/org"
	"chela/internal/prompt"
	"chela/internal/talk"
	wire "chela/internal/wire/anthropic"
)

// mostBytes bounds the body of a call, which carries pictures.
const mostBytes = 20 << 20

// The versions of the API. The newer one refuses what says how an answer is sampled.
const (
	older = "2023-06-01"
	newer = "2026-10-21"
)

type door struct {
	hall    *gateway.Hall
	talk    *talk.Talk
	history *talk.History
}

// New returns the doors.
func New(h *gateway.Hall, t *talk.Talk) []gateway.Door {
	d := &door{h, t, talk.NewHistory()}
	answer := func(fn func(w http.ResponseWriter, r *http.Request) error) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Request-Id", t.Store.Desk.Mint().ID("req"))
			if err := fn(w, r); err != nil {
				d.fail(w, r, err)
			}
		}
	}
	return []gateway.Door{
		{Path: "/v1/messages", Handler: answer(d.messages)},
		{Path: "/v1/messages/count_tokens", Handler: answer(d.count)},
		{Path: "/v1/messages/", Handler: answer(nothing)},
	}
}

// nothing answers for all addresses below /v1/messages that this door does not have.
func nothing(_ http.ResponseWriter, r *http.Request) error {
	return fault.New(fault.NotFound, "There is nothing at %s. Anthropic's API is taken at /v1/messages and /v1/messages/count_tokens.", r.URL.Path)
}

// fail answers in Anthropic's form, whose types programs branch on.
func (d *door) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := d.hall.Problem(r.Context(), err)
	kind := "invalid_request_error"
	switch p.Status {
	case http.StatusUnauthorized:
		kind = "authentication_error"
	case http.StatusForbidden:
		kind = "permission_error"
	case http.StatusNotFound:
		kind = "not_found_error"
	case http.StatusRequestEntityTooLarge:
		kind = "request_too_large"
	case http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case http.StatusUnprocessableEntity, http.StatusConflict:
		p.Status = http.StatusBadRequest
	case http.StatusServiceUnavailable:
		kind, p.Status = "overloaded_error", 529
	case http.StatusInternalServerError:
		kind = "api_error"
	}
	if p.RetryAfter != "" {
		w.Header().Set("Retry-After", p.RetryAfter)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.Status)
	_ = wire.WriteError(w, &wire.StreamError{Type: kind, Message: p.Detail}) // the client is gone
}

// only are the members that say where a call goes, and those that the newer version refuses.
type only struct {
	Model       string          `json:"model"`
	Stream      bool            `json:"stream"`
	MaxTokens   int             `json:"max_tokens"`
	Temperature json.RawMessage `json:"temperature"`
	TopP        json.RawMessage `json:"top_p"`
	TopK        json.RawMessage `json:"top_k"`
	Metadata    struct {
		UserID string `json:"user_id"`
	} `json:"metadata"`
}

// take permits the caller, reads the call, and holds it against the version of the API that it names.
func (d *door) take(r *http.Request) (gateway.Caller, []byte, only, error) {
	caller, raw, err := d.hall.Take(r, org.Editor, mostBytes)
	if err != nil {
		return caller, nil, only{}, err
	}
	if err := event.CheckRead(raw, reflect.TypeFor[only]()); err != nil {
		return caller, nil, only{}, err
	}
	var in only
	if err := json.Unmarshal(raw, &in); err != nil {
		return caller, nil, in, gateway.Unread(err)
	}
	switch v := r.Header.Get("Anthropic-Version"); v {
	case older:
	case newer:
		for name, value := range map[string]json.RawMessage{"temperature": in.Temperature, "top_p": in.TopP, "top_k": in.TopK} {
			if value != nil {
				return caller, nil, in, fault.BadField(name, "The version "+newer+" of the API takes no sampling parameters. Leave it out, or ask with the version "+older+".")
			}
		}
	default:
		return caller, nil, in, fault.BadField("anthropic-version", "The header names the version of the API.", older, newer)
	}
	return caller, raw, in, nil
}

func (d *door) messages(w http.ResponseWriter, r *http.Request) error {
	caller, raw, in, err := d.take(r)
	if err != nil {
		return err
	}
	agent, model, err := talk.Named(in.Model)
	if err != nil {
		return err
	}
	if model != "" {
		return d.forward(w, r, caller, model, "", raw, in)
	}
	req, tools, err := read(raw)
	if err != nil {
		return err
	}
	of := talk.Exchange{Model: in.Model, Session: r.Header.Get("X-Session-ID"), User: in.Metadata.UserID, Turns: turns(req)}
	m, results, err := d.message(caller, req, tools, of)
	if err != nil {
		return err
	}
	m.Agent = string(agent)
	acc, before, err := d.talk.Accept(r.Context(), m, results, func(m *talk.Message) { d.history.Place(of, m) })
	if err != nil {
		return err
	}
	w.Header().Set("X-Session-ID", acc.Thread)
	a := answer{d, req, of, acc, caller, before, strings.EqualFold(r.Header.Get("X-Chela-On-Disconnect"), "cancel")}
	if req.Stream {
		d.hall.Stream(org.Editor, a.stream)(w, r.WithContext(caller.With(r.Context())))
		return nil
	}
	return a.whole(w, r)
}

// read reads a call for an agent. A member of ours that is there twice, or in another case, is refused: two readers might take it
// differently.
func read(raw []byte) (wire.Request, []wire.Tool, error) {
	err := event.CheckRead(raw, reflect.TypeFor[wire.Request]())
	if err != nil {
		return wire.Request{}, nil, err
	}
	req, tools, err := wire.ReadRequest(raw)
	if err != nil {
		return req, nil, gateway.Unread(err)
	}
	if len(req.Tools) > 0 {
		err = event.CheckRead(req.Tools, reflect.TypeFor[[]wire.Tool]())
	}
	return req, tools, err
}

// count tells how many tokens a call has: a model's vendor counts its own; for an agent it is estimated.
func (d *door) count(w http.ResponseWriter, r *http.Request) error {
	caller, raw, in, err := d.take(r)
	if err != nil {
		return err
	}
	_, model, err := talk.Named(in.Model)
	if err != nil {
		return err
	}
	if model != "" {
		return d.forward(w, r, caller, model, "/count_tokens", raw, in)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]int{"input_tokens": prompt.EstimateSize(len(raw))}) // the client is gone
	return nil
}

// forward passes a call on to a model, as long as its caller may ask: one whose key is revoked hears no more of the answer.
func (d *door) forward(w http.ResponseWriter, r *http.Request, caller gateway.Caller, name, path string, raw []byte, in only) error {
	return d.hall.While(w, r, caller, org.Editor, func(w http.ResponseWriter, r *http.Request) error {
		return d.pass(w, r, caller, name, path, raw, in)
	})
}

// pass hands a call on to a model, as it is but for the model's name and a bound of the answer.
func (d *door) pass(w http.ResponseWriter, r *http.Request, caller gateway.Caller, name, path string, raw []byte, in only) error {
	var body map[string]json.RawMessage
	if err := json.Unmarshal(raw, &body); err != nil {
		return gateway.Unread(err)
	}
	if err := event.CheckSpelling(body, "", "model", "stream", "max_tokens"); err != nil {
		return err
	}
	if in.MaxTokens < 0 { // some servers take that for no bound
		return fault.BadField("max_tokens", "The most tokens of an answer are a number from 1 on.")
	}
	began := false
	err := d.talk.Forward(r.Context(), talk.Forward{
		By: caller.Party(), Name: name, Kind: model.KindAnthropic, Path: path, Header: r.Header, Size: len(raw), Most: in.MaxTokens, Free: path == "/count_tokens",
		Write: func(model string, most int) (_ []byte, err error) {
			if body["model"], err = json.Marshal(model); err != nil {
				return nil, err
			}
			if most > 0 && path == "" && in.MaxTokens > most {
				if body["max_tokens"], err = json.Marshal(most); err != nil {
					return nil, err
				}
			}
			return json.Marshal(body)
		},
		Deliver: func(res model.Forwarded) (used model.Usage, err error) {
			began = true
			err = gateway.Relay(w, res.Response, func(data []byte) bool {
				used = usageIn(data, used)
				return true
			}, gateway.Event{Name: "error", Data: `{"type":"error","error":{"type":"api_error","message":"` + gateway.BrokeOff + `"}}`})
			return used, err
		},
	})
	if began {
		return nil // its answer has been given, whatever it was
	}
	return err
}

// usageIn adds what an answer, or an event of a stream, says of what was used.
func usageIn(raw []byte, used model.Usage) model.Usage {
	var in struct {
		Usage   *wire.Usage `json:"usage"`
		Message *struct {
			Usage *wire.Usage `json:"usage"`
		} `json:"message"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return used
	}
	if in.Message != nil && in.Usage == nil {
		in.Usage = in.Message.Usage
	}
	if u := in.Usage; u != nil {
		used.InputTokens, used.OutputTokens = max(used.InputTokens, u.InputTokens), max(used.OutputTokens, u.OutputTokens)
		used.CacheReadTokens, used.CacheWriteTokens = max(used.CacheReadTokens, u.CacheReadInputTokens), max(used.CacheWriteTokens, u.CacheCreationInputTokens)
	}
	return used
}
