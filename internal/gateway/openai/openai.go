// Package openai is the door for programs that speak OpenAI's API: /v1/chat/completions, /v1/responses,
// /v1/embeddings and /v1/models. A model "chela/NAME" is an agent, "chela" the controller; "chela/model/PROVIDER/NAME" is
// a configured model, to which a call is passed on as it is.
package openai

import (
	"encoding/json"
	"errors"
	"net/http"

	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/talk"
	wire "chela/internal/wire/openai"
)

// mostBytes bounds the body of a call, which carries pictures.
const mostBytes = 20 << 20

type door struct {
	hall    *gateway.Hall
	talk    *talk.Talk
	history *talk.History
}

// New returns the door.
func New(h *gateway.Hall, t *talk.Talk) []gateway.Door {
	d := &door{h, t, talk.NewHistory()}
	answer := func(fn func(w http.ResponseWriter, r *http.Request) error) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Request-Id", t.Store.Desk.Mint().ID("req"))
			if err := fn(w, r); err != nil {
				d.fail(w, r, err)
			}
		}
	}
	return []gateway.Door{
		{Path: "/v1/chat/completions", Handler: answer(d.completions)},
		{Path: "/v1/responses", Handler: answer(d.responses)},
		{Path: responsesPath, Handler: answer(d.oneResponse)},
		{Path: "/v1/embeddings", Handler: answer(d.embeddings)},
		{Path: "/v1/models", Handler: answer(d.models)},
		{Path: "/v1/models/", Handler: answer(d.oneModel)},
		{Path: "/v1/", Handler: answer(nothing)},
	}
}

// An unknownURL says that there is nothing at an address.
type unknownURL struct{ error }

// Unwrap returns the sentence.
func (u *unknownURL) Unwrap() error { return u.error }

// nothing answers for all addresses below /v1 that no door has.
func nothing(_ http.ResponseWriter, r *http.Request) error {
	return &unknownURL{fault.New(fault.NotFound, "There is nothing at %s. OpenAI's API is taken at /v1/chat/completions, /v1/responses, /v1/embeddings and /v1/models.", r.URL.Path)}
}

// A noResponse says that there is no response of an id.
type noResponse struct {
	error
	before bool // the call names it as the one before
}

// Unwrap returns the sentence.
func (n *noResponse) Unwrap() error { return n.error }

// Failures are answered in OpenAI's form, whose codes programs branch on.
func (d *door) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := d.hall.Problem(r.Context(), err)
	f := wire.Failure{Type: "invalid_request_error", Code: json.RawMessage("null"), Message: p.Detail}
	switch p.Status {
	case http.StatusUnauthorized:
		f.Code = json.RawMessage(`"invalid_api_key"`)
	case http.StatusForbidden:
		f.Type = "permission_error"
	case http.StatusNotFound:
		if _, is := errors.AsType[*unknownURL](err); is {
			f.Code = json.RawMessage(`"unknown_url"`)
		} else if _, is := errors.AsType[*noResponse](err); !is {
			f.Code = json.RawMessage(`"model_not_found"`)
		}
	case http.StatusUnprocessableEntity, http.StatusConflict:
		p.Status = http.StatusBadRequest
	case http.StatusTooManyRequests:
		f.Type, f.Code = "requests", json.RawMessage(`"rate_limit_exceeded"`)
	case http.StatusInternalServerError, http.StatusServiceUnavailable:
		f.Type = "server_error"
	}
	if none, is := errors.AsType[*noResponse](err); is && none.before {
		p.Status, f.Code = http.StatusBadRequest, json.RawMessage(`"previous_response_not_found"`)
	}
	if p.RetryAfter != "" {
		w.Header().Set("Retry-After", p.RetryAfter)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.Status)
	_ = wire.WriteError(w, &f) // the client is gone
}
