package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"chela/internal/fault"
)

// A Reason classifies a failed call.
type Reason string

// The reasons. A caller branches on these and never on text.
const (
	Billing         Reason = "billing"
	RateLimit       Reason = "rate_limit"
	Auth            Reason = "auth"
	TimedOut        Reason = "timeout"
	Server          Reason = "server"
	Format          Reason = "format"
	ModelNotFound   Reason = "model_not_found"
	ContextOverflow Reason = "context_overflow"
	Canceled        Reason = "cancelled"
	NoneConfigured  Reason = "none_configured"
	AllCooling      Reason = "all_cooling"
	NoTools         Reason = "no_tools"
	TooLong         Reason = "too_long" // an audio file
)

// An Error is a failed call.
type Error struct {
	Reason     Reason
	Provider   string
	Model      string
	Status     int           // HTTP status, 0 when there was no answer
	RetryAfter time.Duration // as the provider asked
	Detail     string        // the provider's own words, for the log
	Cause      error
	// Shown is the text that the person has seen before the stream broke.
	Shown string
}

func (e *Error) Error() string {
	s := fmt.Sprintf("model %s/%s: %s", e.Provider, e.Model, e.Reason)
	if e.Status != 0 {
		s += fmt.Sprintf(" (%d)", e.Status)
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap returns the sentence for people and the cause.
func (e *Error) Unwrap() []error {
	out := []error{e.sentence()}
	if e.Cause != nil {
		out = append(out, e.Cause)
	}
	return out
}

func (e *Error) sentence() *fault.Error {
	name := e.Provider
	switch e.Reason {
	case Billing:
		return fault.New(fault.Unavailable, "%s refuses the call because of billing: check the account's credit.", name)
	case RateLimit:
		if wait := e.RetryAfter.Round(time.Minute); wait > time.Minute {
			return fault.New(fault.Unavailable, "%s is limiting our calls; try again in %d minutes.", name, int(wait.Minutes()))
		}
		return fault.New(fault.Unavailable, "%s is limiting our calls; try again in a minute.", name)
	case Auth:
		return fault.New(fault.Unavailable, "%s does not accept the key; set it with `chela setup` or on the Models page.", name)
	case TimedOut:
		return fault.New(fault.Unavailable, "%s did not answer in time.", name)
	case Server:
		return fault.New(fault.Unavailable, "%s cannot be reached, or it failed. Check its address on the Models page, or try again later.", name)
	case Format:
		return fault.New(fault.Unavailable, "%s did not understand the call, or its answer cannot be read: %s", name, e.Detail)
	case ModelNotFound:
		return fault.New(fault.Unavailable, "%s has no model %s; choose another with `chela setup` or on the Models page.", name, e.Model)
	case ContextOverflow:
		return fault.New(fault.TooLarge, "The conversation is too long for the model %s.", e.Model)
	case Canceled:
		return fault.New(fault.Unavailable, "The call to %s was cancelled.", name)
	case NoTools:
		return fault.New(fault.Unavailable, "The model %s cannot call tools: give the agent another model, or no tools. If it can, say `prices: [{match: %s, tools: true}]` in chela.yaml.", e.Model, e.Model)
	case TooLong:
		return fault.New(fault.TooLarge, "The audio file is too long for the model %s.", e.Model)
	case AllCooling:
		return fault.New(fault.Unavailable, "%s", e.Detail)
	case NoneConfigured:
		return fault.New(fault.Unavailable, "No model is configured: run `chela setup`, or set ANTHROPIC_API_KEY, OPENAI_API_KEY, OPENAI_BASE_URL, GEMINI_API_KEY or ZAI_API_KEY and start again.")
	}
	return fault.New(fault.Unavailable, "%s could not answer.", name)
}

// Retryable reports whether the same call may succeed later.
func (r Reason) Retryable() bool { return r == RateLimit || r == TimedOut || r == Server }

// Classify makes an Error of a provider's refusal. code and kind are the provider's
// own words for it, where the wire has them.
func Classify(provider, name string, status int, kind, code, detail string) *Error {
	return &Error{Reason: reasonOf(status, kind+" "+code, detail), Provider: provider, Model: name, Status: status, Detail: clip(detail)}
}

// refusals maps words in a provider's code, type or message to reasons; the first
// that fits wins. Only this table looks at text.
var refusals = []struct {
	word   string
	reason Reason
}{
	{"context_length_exceeded", ContextOverflow},
	{"prompt is too long", ContextOverflow},
	{"maximum context length", ContextOverflow},
	{"context window", ContextOverflow},
	{"exceed_context_size", ContextOverflow},
	{"exceeds the maximum number of tokens", ContextOverflow}, // Gemini
	{"prompt exceeds max length", ContextOverflow},            // Z.AI
	{"insufficient_quota", Billing},
	{"insufficient balance", Billing}, // Z.AI, with the status of a rate limit
	{"rate_limit", RateLimit},         // before billing, whose page its message may name
	{"resource_exhausted", RateLimit}, // likewise
	{"billing", Billing},
	{"credit balance", Billing},
	{"api_key_invalid", Auth},   // Gemini, with the status of a bad call
	{"api key not valid", Auth}, // likewise
	{"api key expired", Auth},   // likewise
	{"model_not_found", ModelNotFound},
	{"overloaded", Server},
}

func reasonOf(status int, code, detail string) Reason {
	text := strings.ToLower(code + " " + detail)
	for _, r := range refusals {
		if strings.Contains(text, r.word) {
			return r.reason
		}
	}
	switch {
	case status == 401 || status == 403:
		return Auth
	case status == 402:
		return Billing
	case status == 404:
		return ModelNotFound
	case status == 408 || status == 504:
		return TimedOut
	case status == 413:
		return ContextOverflow
	case status == 429:
		return RateLimit
	case status >= 500, status == 0: // 0: it came inside an answer that had begun well
		return Server
	}
	return Format
}

// Transport makes an Error of a call that got no answer.
func Transport(ctx context.Context, provider, name string, err error) *Error {
	e := &Error{Provider: provider, Model: name, Cause: err, Reason: Server}
	var ne net.Error
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		e.Reason = Canceled
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(err, errIdle), errors.As(err, &ne) && ne.Timeout():
		e.Reason = TimedOut
	}
	return e
}

func clip(s string) string {
	if len(s) > 500 {
		s = s[:500] + "…"
	}
	return strings.ToValidUTF8(s, "")
}

// A Refusal is the error in a refused call's body, in the words of every wire.
type Refusal struct {
	Type    string          `json:"type"`
	Status  string          `json:"status"` // Gemini's word for the type
	Code    json.RawMessage `json:"code"`   // a word, or an HTTP status
	Message string          `json:"message"`
	Details []struct {
		RetryDelay string `json:"retryDelay"` // Gemini's Retry-After, such as "35s"
	} `json:"details"`
}

// ReadRefusal reads the body of a refused call. A body of another form is the message.
func ReadRefusal(raw []byte) Refusal {
	var b struct {
		Error Refusal `json:"error"`
	}
	raw = bytes.TrimSpace(raw)
	inner := raw
	if bytes.HasPrefix(raw, []byte("[")) { // Gemini's, when it was asked for a stream
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
			inner = list[0]
		}
	}
	if json.Unmarshal(inner, &b) != nil || b.Error.Message == "" {
		return Refusal{Message: string(raw)}
	}
	return b.Error
}

// RetryAfter is how long the body asks to wait, or 0.
func (r Refusal) RetryAfter() time.Duration {
	for _, d := range r.Details {
		if wait, err := time.ParseDuration(d.RetryDelay); err == nil && wait > 0 {
			return min(wait, time.Hour)
		}
	}
	return 0
}
