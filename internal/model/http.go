package model

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// NewHTTPClient returns a client that keeps connections and gives up connecting
// after 10 s; how long an answer may take is the caller's context.
func NewHTTPClient() *http.Client {
	d := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	const mostAtOnce = 16 << 10 // of a call goes out in one write, in bytes
	return &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: d.DialContext, MaxIdleConns: 256, MaxIdleConnsPerHost: 256,
		IdleConnTimeout: 90 * time.Second, WriteBufferSize: mostAtOnce, TLSHandshakeTimeout: 10 * time.Second, ForceAttemptHTTP2: true,
	}}
}

// maxAnswer bounds a whole answer, in bytes.
const maxAnswer = 32 << 20

// Post sends one call. A refusal becomes an *[Error]. The caller closes the body, whose reads fail
// once nothing has come for idle after its first bytes; 0 waits for ever.
func Post(ctx context.Context, c *http.Client, p Provider, name, url string, header http.Header, body []byte, idle time.Duration) (io.ReadCloser, error) {
	call := &paced{idle: idle}
	ctx, call.cancel = context.WithCancel(ctx)
	out, err := post(ctx, c, p, name, url, header, body)
	if err != nil {
		call.cancel()
		return nil, err
	}
	call.in = out
	return call, nil
}

// errIdle is the cause of a call that is cut because nothing comes any more.
var errIdle = errors.New("nothing came any more")

// A paced body ends its call when nothing comes for a while after its first bytes.
type paced struct {
	in     io.ReadCloser
	idle   time.Duration
	cancel context.CancelFunc
	timer  *time.Timer
	cut    atomic.Bool
}

func (p *paced) Read(into []byte) (int, error) {
	n, err := p.in.Read(into)
	if p.cut.Load() && err != nil {
		return n, errIdle
	}
	switch {
	case n == 0 || p.idle == 0:
	case p.timer == nil:
		p.timer = time.AfterFunc(p.idle, func() {
			p.cut.Store(true)
			p.cancel()
		})
	default:
		p.timer.Reset(p.idle)
	}
	return n, err
}

func (p *paced) Close() error {
	if p.timer != nil {
		p.timer.Stop()
	}
	defer p.cancel()
	return p.in.Close()
}

func newPost(ctx context.Context, p Provider, name, url string, header http.Header, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil || req.URL.Host == "" {
		return nil, &Error{Reason: Format, Provider: p.Name, Model: name, Detail: "its base_url is not an address.", Cause: err}
	}
	req.Header = header
	return req, nil
}

func post(ctx context.Context, c *http.Client, p Provider, name, url string, header http.Header, body []byte) (io.ReadCloser, error) {
	req, err := newPost(ctx, p, name, url, header, body)
	if err != nil {
		return nil, err
	}
	res, err := c.Do(req)
	if err != nil {
		return nil, Transport(ctx, p.Name, name, err)
	}
	if res.StatusCode == http.StatusOK {
		return struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxAnswer), res.Body}, nil
	}
	defer func() { _ = res.Body.Close() }() // the refusal is what counts
	raw, _ := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	r := ReadRefusal(raw)
	e := Classify(p.Name, name, res.StatusCode, r.Type+" "+r.Status, string(r.Code), r.Message)
	e.RetryAfter = cmp.Or(retryAfter(res.Header.Get("Retry-After")), r.RetryAfter())
	return nil, e
}

// Read reads the body of an answer: with stream, which is given what to show as it comes,
// when it is to be shown, else as a whole. shown is what has been shown, also when it broke.
func Read[T any](in io.Reader, show func(Delta), stream func(io.Reader, func(string)) (T, error), whole func([]byte) (T, error)) (got T, shown string, err error) {
	if show != nil {
		got, err = stream(in, func(text string) {
			shown += text
			show(Delta{Text: text})
		})
		return got, shown, err
	}
	raw, err := io.ReadAll(in)
	if err != nil {
		return got, "", err
	}
	got, err = whole(raw)
	return got, "", err
}

func retryAfter(value string) time.Duration {
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return time.Duration(min(s, 3600) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(time.Until(at), 0), time.Hour)
	}
	return 0
}
