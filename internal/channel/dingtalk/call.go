package dingtalk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
)

// maxReply is more than any answer to us has.
const maxReply = 1 << 20

// tokenHeader is where the interfaces under /v1.0 take the access token.
const tokenHeader = "x-acs-dingtalk-access-token"

// caller asks DingTalk's interfaces.
type caller struct {
	hosts  hosts
	id     string // of the app
	secret string
	http   httpcall.Client
	now    func() time.Time
	asking chan struct{} // holds one: whoever asks for a token

	mu    sync.Mutex // guards the rest
	token string
	until time.Time
}

// A failure is a call that was not answered, or with no. It has no secret in it.
type failure struct {
	httpcall.Failure
	Code string // DingTalk's, in words under /v1.0 and a number elsewhere; "" when the answer is not its
}

// failureOf returns the failure in err's tree, or one that says as much as err.
func failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	return &failure{Failure: *httpcall.FailureOf(err)}
}

// unsent is a failure before what matters was sent.
func unsent(err error) error {
	f := *failureOf(err)
	f.Written = false
	return &f
}

// Codes of the interfaces before /v1.0 and of session webhooks; the documentation calls the
// pages "global error codes" and "custom robots".
const (
	codeBusy     = "-1"
	codeTooFast  = "410100"
	codePerMin   = "130101" // more than 20 messages a minute
	codeNoToken  = "40014"
	codeOldToken = "42001"
)

// limited reports whether DingTalk says that we ask too often.
func (f *failure) limited() bool {
	return f.Status == http.StatusTooManyRequests || f.Code == codeTooFast || f.Code == codePerMin ||
		strings.Contains(f.Code, "QpsLimit") || strings.Contains(strings.ToLower(f.Code), "throttl")
}

// stale reports whether DingTalk does not take the access token.
func (f *failure) stale() bool {
	return f.Code != "" && f.Status == http.StatusUnauthorized || strings.Contains(f.Code, "InvalidAuthentication") || f.Code == codeNoToken || f.Code == codeOldToken
}

// unknownApp reports whether DingTalk does not take the app's id and secret.
func (f *failure) unknownApp() bool {
	if f.Code == "" || f.limited() {
		return false
	}
	return f.Status == http.StatusBadRequest || f.Status == http.StatusUnauthorized || f.Status == http.StatusForbidden
}

// How long it is waited where DingTalk says only that it is too much: a robot that sends more
// than 20 messages a minute is not heard for ten ("custom robots", limits).
const (
	shortLimit = time.Second
	longLimit  = 10 * time.Minute
)

// verdict is what a failure means for something that was to be sent.
func (f *failure) verdict() error {
	no := &channel.Refusal{Text: f.Text, After: f.After}
	switch {
	case f.limited() && (f.Code == codeTooFast || f.Code == codePerMin):
		no.After = max(f.After, longLimit)
	case f.limited():
		no.After = max(f.After, shortLimit)
	case !f.Written, f.Status == http.StatusServiceUnavailable, f.Code == codeBusy:
	case f.Status == 0, f.Code == "" && f.Status < 400, f.Status >= 500:
		return f // nobody knows
	case f.Code != "" && f.Status != http.StatusUnauthorized && f.Status != http.StatusForbidden:
		no.Final = true
	}
	return no
}

// call asks an interface under /v1.0 and reads its answer into result. When the access token
// is not taken, it asks once more with a new one.
func (c *caller) call(ctx context.Context, method, path string, params, result any) error {
	body, err := encode(params)
	if err != nil {
		return unsent(err)
	}
	return c.signed(ctx, func(token string) error {
		header := http.Header{"Content-Type": {"application/json"}, tokenHeader: {token}}
		return c.do(ctx, method, c.hosts.api+path, header, body, result)
	})
}

// signed has something done with an access token, and once more with a new one.
func (c *caller) signed(ctx context.Context, do func(token string) error) error {
	for again := false; ; again = true {
		token, err := c.access(ctx)
		if err != nil {
			return unsent(err)
		}
		if err = do(token); err == nil {
			return nil
		}
		if again || !failureOf(err).stale() {
			return err
		}
		c.forget(token)
	}
}

// encode writes JSON as it is counted: without the longer form of < > and &.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// do makes a request and reads its answer. An error is a [*failure].
func (c *caller) do(ctx context.Context, method, address string, header http.Header, body []byte, result any) error {
	header.Set("Accept", "application/json") // else it is XML
	out, err := c.http.Do(ctx, httpcall.Request{Method: method, Address: address, Header: header, Body: body})
	if err != nil {
		return err
	}
	if f := c.refusal(out); f != nil {
		return f
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(out.Body, result); err != nil {
		return &httpcall.Failure{Status: out.Status, Written: true, Cause: err, Text: "an answer of DingTalk cannot be read"}
	}
	return nil
}

// refusal reads the no of an answer, which each generation of the interfaces says in its own way.
func (c *caller) refusal(out httpcall.Answer) *failure {
	var says struct {
		Code    word  `json:"code"`
		Message word  `json:"message"`
		ErrCode word  `json:"errcode"`
		ErrMsg  word  `json:"errmsg"`
		Success *bool `json:"success"`
	}
	readable := json.Unmarshal(out.Body, &says) == nil
	f := &failure{Failure: httpcall.Failure{Status: out.Status, Written: true, After: httpcall.RetryAfter(out.Header)}}
	switch ok := out.Status >= 200 && out.Status < 300; {
	case ok && readable && says.ErrCode != "" && says.ErrCode != "0":
		f.Code, f.Text = string(says.ErrCode), string(says.ErrMsg)
	case ok && readable && says.Success != nil && !*says.Success:
		f.Code, f.Text = "unsuccessful", string(says.Message)
		if says.Code != "" {
			f.Code = string(says.Code)
		}
	case ok:
		return nil
	case readable && says.Code != "":
		f.Code, f.Text = string(says.Code), string(says.Message)
	case readable && says.ErrCode != "":
		f.Code, f.Text = string(says.ErrCode), string(says.ErrMsg)
	default:
		f.Text = fmt.Sprintf("the answer with status %d is none of DingTalk's", out.Status)
		return f
	}
	f.Text = c.hide(oneLine(f.Text + " (" + f.Code + ")"))
	return f
}

// hide takes the secret and the token out of a text.
func (c *caller) hide(text string) string {
	c.mu.Lock()
	token := c.token
	c.mu.Unlock()
	for _, s := range []string{c.secret, token} {
		if s != "" {
			text = strings.ReplaceAll(text, s, "***")
		}
	}
	return text
}
