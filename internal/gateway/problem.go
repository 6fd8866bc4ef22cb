package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strconv"

	"chela/internal/fault"
)

// A Problem is how an error is answered: problem+json (RFC 9457).
type Problem struct {
	Status int     `json:"status"`
	Title  string  `json:"title"`
	Detail string  `json:"detail"`
	Errors []Field `json:"errors,omitempty"`

	RetryAfter string `json:"-"` // seconds, of the header; empty says nothing
}

// A Field says what is wrong with one field of a request.
type Field struct {
	Location string `json:"location"`
	Message  string `json:"message"`
	Value    any    `json:"value,omitempty"`
}

// A status is an error that is answered with a status of its own.
type status struct {
	error
	code  int
	after string
}

func (s *status) Unwrap() error { return s.error }

// WithStatus has an error be answered with a status of HTTP that its kind does not say.
func WithStatus(code int, err error) error { return &status{error: err, code: code} }

// Problem returns how an error is answered. Causes go to the daemon's log alone; that the caller
// has left is no fault.
func (h *Hall) Problem(ctx context.Context, err error) Problem {
	p := Problem{Status: map[fault.Kind]int{
		fault.Invalid: 422, fault.NotFound: 404, fault.Conflict: 409, fault.Denied: 403, fault.Unauthenticated: 401,
		fault.TooLarge: 413, fault.Unavailable: 503, fault.Internal: 500,
	}[fault.KindOf(err)]}
	if own, ok := errors.AsType[*status](err); ok {
		p.Status, p.RetryAfter = own.code, own.after
	} else if errors.Is(err, os.ErrDeadlineExceeded) && p.Status < 500 {
		p.Status = http.StatusRequestTimeout
	}
	left := ctx.Err() != nil && errors.Is(err, context.Canceled)
	if p.Status == http.StatusInternalServerError && !left {
		h.opts.Log.Error("a request failed", "err", err)
	}
	e, ok := errors.AsType[*fault.Error](err)
	if ok && e.After > 0 {
		p.Status, p.RetryAfter = http.StatusTooManyRequests, strconv.Itoa(max(1, seconds(e.After)))
	}
	p.Title, p.Detail = http.StatusText(p.Status), h.opts.Redact(fault.TextOf(err))
	if ok {
		for _, f := range e.Fields {
			p.Errors = append(p.Errors, Field{f.Name, h.opts.Redact(f.Text), f.Allowed})
		}
	}
	return p
}

// Fail answers a request with an error.
func (h *Hall) Fail(w http.ResponseWriter, r *http.Request, err error) {
	p := h.Problem(r.Context(), err)
	if p.RetryAfter != "" {
		w.Header().Set("Retry-After", p.RetryAfter)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // the client is gone
}
