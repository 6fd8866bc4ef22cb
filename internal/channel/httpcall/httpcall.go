// Package httpcall calls a platform over HTTP. The platforms' folders share it: how a request is
// made within its time, what a call that failed means for a message, and how a channel's settings
// become a client. What a platform's own answers mean stays in its folder.
package httpcall

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"chela/internal/channel"
)

// A Client calls one platform.
type Client struct {
	HTTP   *http.Client             // as [Direct] returns it
	Within time.Duration            // how long an answer is waited for
	Most   int64                    // how many bytes of an answer are read
	Hide   func(text string) string // takes secrets out of a text; nil when none can be in it
}

// A Request is one call.
type Request struct {
	Method  string
	Address string
	Header  http.Header
	Body    []byte
	Within  time.Duration // [Client.Within] when it is 0
}

// An Answer is what a server said, whatever its status.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do makes a request and reads the whole answer. An error is a [*Failure].
func (c Client) Do(ctx context.Context, q Request) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, c.within(q))
	defer cancel()
	ctx, written := Written(ctx)
	req, err := q.http(ctx)
	if err != nil {
		return Answer{}, c.Failed(err, false)
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return Answer{}, c.Failed(err, written())
	}
	defer func() { _ = resp.Body.Close() }() // only read
	raw, err := io.ReadAll(io.LimitReader(resp.Body, c.Most))
	if err != nil {
		return Answer{}, c.Failed(err, true)
	}
	return Answer{resp.StatusCode, resp.Header, raw}, nil
}

// Open makes a request for a file, whose body the caller reads and closes: its time goes on until
// then. An error is a [*Failure], also when the status is not 200.
func (c Client) Open(ctx context.Context, q Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, c.within(q))
	req, err := q.http(ctx)
	if err != nil {
		cancel()
		return nil, c.Failed(err, false)
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		cancel()
		return nil, c.Failed(err, true)
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close() // the status is what counts
		cancel()
		return nil, &Failure{Status: resp.StatusCode, Written: true, Text: fmt.Sprintf("it answers with status %d", resp.StatusCode)}
	}
	resp.Body = &timed{resp.Body, cancel}
	return resp, nil
}

// Failed is a call without an answer. Its text and its cause have no address and no secret.
func (c Client) Failed(err error, written bool) *Failure {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // the other half is the address, which may be a secret
	}
	text := err.Error()
	if c.Hide != nil {
		text = c.Hide(text)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		text = "no answer in time"
		c.HTTP.CloseIdleConnections() // a dead one of HTTP/2 would be used again
	}
	return &Failure{Written: written, Text: text, Cause: errors.New(text)}
}

func (c Client) within(q Request) time.Duration {
	if q.Within != 0 {
		return q.Within
	}
	return c.Within
}

func (q Request) http(ctx context.Context) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, q.Method, q.Address, bytes.NewReader(q.Body))
	if err == nil && q.Header != nil {
		req.Header = q.Header
	}
	return req, err
}

// timed is a body whose deadline ends with it.
type timed struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (t *timed) Close() error {
	defer t.cancel()
	return t.ReadCloser.Close()
}

// A Failure is a call that was not answered, or was answered with an error. It has no secret in it.
// A platform's folder embeds it where the platform says more.
type Failure struct {
	Status  int           // of the answer; 0 when there was none
	Written bool          // the request may have reached the server
	Text    string        // what went wrong, and the way out
	After   time.Duration // when to ask again
	Cause   error
}

func (f *Failure) Error() string { return f.Text }

func (f *Failure) Unwrap() error { return f.Cause }

// FailureOf returns the failure in err's tree, or one that says as much as err.
func FailureOf(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return &Failure{Text: err.Error(), Written: true, Cause: err}
}

// Refusal is what a failure means for a message when the platform itself said nothing: the request
// never left, or a proxy answered. It is nil where nobody knows whether the message arrived.
func (f *Failure) Refusal() *channel.Refusal {
	switch {
	case f.Status == 0 && !f.Written:
		return &channel.Refusal{Text: f.Text}
	case f.Status == http.StatusTooManyRequests:
		return &channel.Refusal{Text: f.Text, After: max(f.After, time.Second)}
	case f.Status >= 300 && f.Status < 500 && f.Status != http.StatusRequestTimeout:
		return &channel.Refusal{Text: f.Text, After: f.After} // a proxy's no
	}
	return nil
}

// RetryAfter reads the header Retry-After in whole seconds, at most an hour. It is 0 without one.
func RetryAfter(h http.Header) time.Duration {
	s, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || s < 0 {
		return 0
	}
	return time.Duration(min(s, 3600)) * time.Second
}
