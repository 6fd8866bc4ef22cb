// Package client is the Go client of the REST API; the CLI and the tests use it. api.gen.go has
// a method for each operation, made by script/client; what is no JSON is written by hand.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"chela/internal/fault"
)

// A Client calls one daemon.
type Client struct {
	base  string
	token string
	http  *http.Client
}

// New returns a client of the daemon at base.
func New(base, token string) *Client {
	return &Client{base: strings.TrimRight(base, "/"), token: token, http: &http.Client{Timeout: 6 * time.Minute}}
}

// Address is where the daemon is asked.
func (c *Client) Address() string { return c.base }

// problem is problem+json (RFC 9457) as the API writes it.
type problem struct {
	Status int    `json:"status"`
	Detail string `json:"detail"`
	Errors []struct {
		Message  string `json:"message"`
		Location string `json:"location"`
	} `json:"errors"`
}

// Call sends in, when it is not nil, and reads the answer into out, when that is not
// nil. A refusal is a fault with the daemon's own sentence.
func (c *Client) Call(ctx context.Context, method, path string, in, out any) error {
	res, err := c.send(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // read to its end
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return c.away(method, err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("the answer of %s is not JSON: %w", path, err)
	}
	return nil
}

// Open sends a GET whose answer is read by the caller, who closes it.
func (c *Client) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	res, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// Backup has a backup written, which the caller reads to its end, however long that takes, and closes.
func (c *Client) Backup(ctx context.Context, vaultKey bool) (io.ReadCloser, error) {
	path := "/api/backup"
	if vaultKey {
		path += "?vaultKey=true"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, nil)
	if err != nil {
		return nil, fmt.Errorf("make a request of %s: %w", path, err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	res, err := (&http.Client{}).Do(req)
	if err != nil {
		return nil, c.away(http.MethodGet, err) // asking again does no harm
	}
	if res.StatusCode < 300 {
		return res.Body, nil
	}
	defer func() { _ = res.Body.Close() }() // the refusal is what counts
	raw, _ := io.ReadAll(io.LimitReader(res.Body, mostRefusal))
	return nil, refusal(res.StatusCode, raw)
}

// Do sends a request of another protocol, for as long as its context says; the caller closes the answer's body.
func (c *Client) Do(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+c.token)
	res, err := (&http.Client{}).Do(r)
	if err != nil {
		return nil, c.away(r.Method, err)
	}
	return res, nil
}

// away says that there is no answer. Once a request is sent, what it asks for may have been done.
func (c *Client) away(method string, err error) error {
	var op *net.OpError
	var late net.Error
	sent := errors.As(err, &op) && op.Op != "dial" || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &late) && late.Timeout() && op == nil
	switch {
	case sent && method == http.MethodGet:
		return fault.Wrap(err, fault.Unavailable, "The daemon at %s went away before it had answered. Ask again once it runs.", c.base)
	case sent:
		return fault.Wrap(err, fault.Unavailable, "The daemon at %s went away before it had answered, so this may have been done, or not. Look once it runs, before you do it again.", c.base)
	}
	return fault.Wrap(err, fault.Unavailable, "No daemon answers at %s. Start one with `chela serve`.", c.base)
}

// OpenChart opens a chart in the format that the query names; the caller closes it.
func (c *Client) OpenChart(ctx context.Context, project, name string, q ChartQuery) (io.ReadCloser, error) {
	return c.Open(ctx, "/api/projects/"+url.PathEscape(project)+"/charts/"+url.PathEscape(name)+q.encoded())
}

// OpenReport opens a report in the format that the query names; the caller closes it.
func (c *Client) OpenReport(ctx context.Context, project string, q ReportQuery) (io.ReadCloser, error) {
	return c.Open(ctx, "/api/projects/"+url.PathEscape(project)+"/report"+q.encoded())
}

func (c *Client) send(ctx context.Context, method, path string, in any) (*http.Response, error) {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("encode the request: %w", err)
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("make a request of %s: %w", path, err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, c.away(method, err)
	}
	if res.StatusCode < 300 {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }() // the refusal is what counts
	raw, _ := io.ReadAll(io.LimitReader(res.Body, mostRefusal))
	return nil, refusal(res.StatusCode, raw)
}

// mostRefusal bounds what is read of a refusal, in bytes.
const mostRefusal = 1 << 20

func refusal(status int, raw []byte) error {
	var p problem
	if json.Unmarshal(raw, &p) != nil || p.Detail == "" {
		p.Detail = fmt.Sprintf("The daemon answered %d.", status)
	}
	for _, e := range p.Errors {
		if e.Location != "" && !strings.Contains(p.Detail, e.Location) {
			p.Detail += " " + e.Location + ": " + e.Message
		}
	}
	kind := map[int]fault.Kind{401: fault.Unauthenticated, 403: fault.Denied, 404: fault.NotFound, 409: fault.Conflict, 413: fault.TooLarge, 429: fault.Unavailable, 503: fault.Unavailable}[status]
	if kind == fault.Internal && status >= 400 && status < 500 {
		kind = fault.Invalid
	}
	return fault.New(kind, "%s", p.Detail)
}
