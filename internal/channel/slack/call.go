package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"chela/internal/channel"
	"chela/internal/channel/httpcall"
	"chela/internal/fault"
)

// maxReply is more than a page of messages, the longest answer that we ask for, can have.
const maxReply = 32 << 20

// caller asks for methods of the Web API (docs.slack.dev/apis/web-api). Arguments go as a form,
// which every method takes; not every one takes JSON.
type caller struct {
	base *url.URL
	http httpcall.Client
}

// A failure is a call that was not answered, or with no. It never has a token in it.
type failure struct {
	httpcall.Failure
	Code string // Slack's name of the error; empty when the answer is none of Slack's
}

// failureOf returns the failure in err's tree, or one that says as much as err.
func failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	return &failure{Failure: *httpcall.FailureOf(err)}
}

// verdict is what a failure means for something that was to be sent.
func (f *failure) verdict() error {
	switch {
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
	}
	if no := f.Refusal(); f.Code == "" && no != nil {
		return no
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
	out, err := c.http.Do(ctx, httpcall.Request{
		Method: http.MethodPost, Address: c.base.String() + "/api/" + method, Body: []byte(args.Encode()),
		Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Authorization": {"Bearer " + token}},
	})
	if err != nil {
		return time.Time{}, err
	}
	at, err := http.ParseTime(out.Header.Get("Date"))
	if err != nil {
		at = time.Now()
	}
	return at, read(out, result)
}

func read(out httpcall.Answer, result any) error {
	var r reply
	after := httpcall.RetryAfter(out.Header)
	if err := json.Unmarshal(out.Body, &r); err != nil || !r.OK && r.Error == "" || r.OK && out.Status != http.StatusOK {
		f := &failure{Failure: httpcall.Failure{Status: out.Status, Written: true, After: after, Cause: err, Text: fmt.Sprintf("the answer with status %d is none of Slack's", out.Status)}}
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
		return &failure{Failure: httpcall.Failure{Status: out.Status, Written: true, After: after, Text: text}, Code: code}
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(out.Body, result); err != nil {
		return &httpcall.Failure{Status: http.StatusOK, Written: true, Cause: err, Text: "an answer of Slack cannot be read: " + err.Error()}
	}
	return nil
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
