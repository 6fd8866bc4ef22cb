package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"chela/internal/channel"
	"chela/internal/fault"
)

// maxReply is more than a page of messages, the longest answer that we ask for, can have.
const maxReply = 32 << 20

// caller asks for methods of the Web API (docs.slack.dev/apis/web-api). Arguments go as a form,
// which every method takes; not every one takes JSON.
type caller struct {
	base   *url.URL
	http   *http.Client
	answer time.Duration // how long an answer is waited for
}

// A failure is a call that was not answered, or with no. It never has a token in it.
type failure struct {
	Status  int           // of HTTP; 0 when there was no answer
	Code    string        // Slack's name of the error; empty when the answer is none of Slack's
	Written bool          // the request may have reached Slack
	Text    string        // what went wrong, and the way out
	After   time.Duration // when to ask again
	Cause   error
}

func (f *failure) Error() string { return f.Text }

func (f *failure) Unwrap() error { return f.Cause }

// failureOf returns the failure in err's tree, or one that says as much as err.
func failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	return &failure{Text: err.Error(), Written: true, Cause: err}
}

// verdict is what a failure means for something that was to be sent.
func (f *failure) verdict() error {
	switch {
	case f.Status == 0 && !f.Written:
		return &channel.Refusal{Text: f.Text}
	case f.limited():
		return &channel.Refusal{Text: f.Text, After: max(f.After, time.Second)}
	case f.Code != "":
		switch w, _ := meaning(f.Code); w {
		case unclear:
			return f
		case later:
			return &channel.Refusal{Text: f.Text, After: f.After}
		case mended:
			return &channel.Refusal{Text: f.Text, After: 5 * time.Minute}
		case never:
			return &channel.Refusal{Text: f.Text, Final: true}
		}
	case f.Status >= 300 && f.Status < 500 && f.Status != http.StatusRequestTimeout:
		return &channel.Refusal{Text: f.Text, After: f.After} // a proxy's no
	}
	return f // nobody knows
}

// limited reports whether Slack asks for patience.
func (f *failure) limited() bool {
	return f.Status == http.StatusTooManyRequests || f.Code == "ratelimited" || f.Code == "rate_limited"
}

// reply is what every method answers with.
type reply struct {
	OK       bool   `json:"ok"`
	Error    string `json:"error"`
	Needed   string `json:"needed"` // scopes
	Metadata struct {
		Messages []string `json:"messages"` // what is wrong with the arguments
	} `json:"response_metadata"`
}

// call asks for a method and reads its answer into result, which may be nil. An error is a [*failure].
func (c caller) call(ctx context.Context, token, method string, args url.Values, result any) error {
	_, err := c.dated(ctx, token, method, args, result)
	return err
}

// dated is call that also returns when, by Slack's clock, it answered.
func (c caller) dated(ctx context.Context, token, method string, args url.Values, result any) (time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, c.answer)
	defer cancel()
	ctx, written := channel.Written(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.String()+"/api/"+method, strings.NewReader(args.Encode()))
	if err != nil {
		return time.Time{}, c.failed(err, false)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := c.http.Do(req)
	if err != nil {
		return time.Time{}, c.failed(err, written())
	}
	defer func() { _ = resp.Body.Close() }() // only read
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxReply))
	if err != nil {
		return time.Time{}, c.failed(err, true)
	}
	at, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		at = time.Now()
	}
	return at, read(resp, raw, result)
}

func read(resp *http.Response, raw []byte, result any) error {
	var r reply
	after := waitOf(resp.Header)
	if err := json.Unmarshal(raw, &r); err != nil || !r.OK && r.Error == "" || r.OK && resp.StatusCode != http.StatusOK {
		f := &failure{Status: resp.StatusCode, Written: true, After: after, Cause: err, Text: fmt.Sprintf("the answer with status %d is none of Slack's", resp.StatusCode)}
		if f.limited() {
			f.Text = "Slack asks us to wait"
		}
		return f
	}
	if !r.OK {
		code := oneLine(r.Error)
		text := code
		if _, words := meaning(code); words != "" {
			text += ": " + words
		}
		if r.Needed != "" {
			text += " It lacks " + oneLine(r.Needed) + "."
		}
		if len(r.Metadata.Messages) > 0 {
			text += " (" + oneLine(strings.Join(r.Metadata.Messages, "; ")) + ")"
		}
		return &failure{Status: resp.StatusCode, Code: code, Written: true, After: after, Text: text}
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return &failure{Status: http.StatusOK, Written: true, Cause: err, Text: "an answer of Slack cannot be read: " + err.Error()}
	}
	return nil
}

// waitOf reads Retry-After, whole seconds (docs.slack.dev/apis/web-api/rate-limits), at most an hour.
func waitOf(h http.Header) time.Duration {
	s, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || s < 0 {
		return 0
	}
	return time.Duration(min(s, 3600)) * time.Second
}

// failed is a call without an answer.
func (c caller) failed(err error, written bool) *failure {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // the other half is the address, which may be a secret
	}
	text := err.Error()
	if errors.Is(err, context.DeadlineExceeded) {
		text = "no answer in time"
		c.http.CloseIdleConnections() // a dead one of HTTP/2 would be used again
	}
	return &failure{Written: written, Text: text, Cause: errors.New(text)}
}

// place returns where something lies that Slack named by its address: at Slack or at our base.
// No other host is shown a token. With a base of our own, Slack's hosts are reached through it.
func (c caller) place(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, errors.New("its address cannot be read")
	}
	secure := u.Scheme == "https" || u.Scheme == "wss"
	if u.Scheme != "http" && u.Scheme != "ws" && !secure {
		return nil, errors.New("its address is none of the web")
	}
	if within(u.Host, c.base.Host) {
		if !secure && c.base.Scheme == "https" {
			return nil, errors.New("its address is not encrypted")
		}
		return u, nil
	}
	if !within(u.Hostname(), "slack.com") && !within(u.Hostname(), "slack-files.com") {
		return nil, errors.New("it does not lie at Slack")
	}
	if c.base.Host == "slack.com" {
		if u.Port() != "" || !secure {
			return nil, errors.New("it does not lie at Slack")
		}
		return u, nil
	}
	socket := strings.HasPrefix(u.Scheme, "ws")
	u.Scheme, u.Host, u.Path, u.RawPath = c.base.Scheme, c.base.Host, c.base.Path+u.Path, ""
	if socket {
		u.Scheme = strings.Replace(c.base.Scheme, "http", "ws", 1)
	}
	return u, nil
}

// within reports whether a host is another one or below it.
func within(host, top string) bool {
	host, top = strings.ToLower(host), strings.ToLower(top)
	return host == top || strings.HasSuffix(host, "."+top)
}

// trouble says to people why the connection does not stand.
func (a *Adapter) trouble(err error) error {
	f := failureOf(err)
	switch {
	case f.limited():
		return fault.Wrap(err, fault.Unavailable, "Slack asks the channel %s to wait %s.", a.name, max(f.After, time.Second))
	case denied(f.Code):
		return fault.Wrap(err, fault.Denied, "Slack does not take the tokens of the channel %s: %s", a.name, f.Text)
	}
	return fault.Wrap(err, fault.Unavailable, "The channel %s has no connection with Slack: %s", a.name, f.Text)
}
