package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/disk"
	"chela/internal/fault"
	"chela/internal/mcp"
	"chela/internal/tool"
)

// What is taken of a server, in bytes.
const (
	mostMessage = 4 << 20
	mostBody    = 16 << 20 // of one answer over HTTP, which may be a stream of messages
	mostErrors  = 2 << 10  // of what a program writes about itself, the end
)

// programTime is how long a program may run.
const programTime = 12 * time.Hour

// connected returns the session with a server, and opens one when there is none. After a failure it is refused for
// a while.
func (s *Servers) connected(ctx context.Context, h *host) (*sdk.ClientSession, error) {
	select {
	case h.turn <- struct{}{}: // one connects, the others have what it got
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-h.turn }()
	s.mu.Lock()
	c, server, retry, failed := h.session, h.known.Server, h.retry, h.failed
	h.used = time.Now()
	s.mu.Unlock()
	switch {
	case s.base.Err() != nil:
		return nil, fault.New(fault.Unavailable, "The daemon stops.")
	case c != nil:
		return c, nil
	case server.Disabled:
		return nil, fault.New(fault.Unavailable, "The MCP server %s is disabled.", server.Name)
	case time.Now().Before(retry):
		return nil, fault.New(fault.Unavailable, "The MCP server %s failed and is tried again in %s. %s", server.Name, time.Until(retry).Round(time.Second), failed)
	}
	c, end, err := s.connect(ctx, server, s.self(s.answering(h, server, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{}, Logger: slog.New(slog.DiscardHandler),
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { s.again(server.Name) },
	})), "")
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			h.fail(err)
		}
		return nil, err
	}
	if s.base.Err() != nil || !same(h.known.Server, server) {
		go func() { _ = c.Close(); end() }() // it is another by now
		return nil, fault.New(fault.Unavailable, "The MCP server %s was changed meanwhile. Try again.", server.Name)
	}
	h.session, h.end, h.failures, h.failed, h.retry, h.door.challenge = c, end, 0, "", time.Time{}, nil
	s.all.Go(func() {
		err := c.Wait()
		end()
		s.mu.Lock()
		defer s.mu.Unlock()
		if h.session != c {
			return // it was left
		}
		h.session, h.end = nil, nil
		if s.base.Err() == nil {
			h.fail(s.broke(server.Name, ended(err)))
		}
	})
	return c, nil
}

// probe asks a server that was too late for a call whether it is there at all. One that does not answer that, and has nothing
// else in hand, is left: the next call starts it anew.
func (s *Servers) probe(h *host, c *sdk.ClientSession) {
	s.mu.Lock()
	alone := c != nil && h.session == c && h.calls == 1 && !h.probed // the late call is still counted
	h.probed = h.probed || alone
	s.mu.Unlock()
	if !alone || s.base.Err() != nil {
		return
	}
	s.all.Go(func() {
		ctx, cancel := context.WithTimeout(s.base, probeTime)
		defer cancel()
		_ = c.Ping(ctx, nil) // any answer will do
		s.mu.Lock()
		defer s.mu.Unlock()
		h.probed = false
		if errors.Is(ctx.Err(), context.DeadlineExceeded) && h.session == c && s.base.Err() == nil {
			h.leave()
			h.fail(fault.New(fault.Unavailable, "The MCP server %s did not answer a call, nor when it was asked whether it is there; it was left.", h.known.Name))
		}
	})
}

// ended is why a connection is over; err may be nil.
func ended(err error) error {
	if err == nil {
		return errors.New("the connection ended")
	}
	return fmt.Errorf("the connection ended: %w", err)
}

// fail notes a failure, after which the server is left alone. The caller holds the mutex of all.
func (h *host) fail(err error) {
	pause := firstPause << min(h.failures, 20)
	h.failures++
	h.failed, h.retry = fault.TextOf(err), time.Now().Add(min(pause, longPause))
}

// broke is a failure of a server as a fault; what it says itself stands in one line.
func (s *Servers) broke(name string, err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	text := []rune(mcp.Line(err.Error()))
	return fault.Wrap(err, fault.Unavailable, "The MCP server %s failed: %s.", name, strings.TrimSuffix(string(text[:min(len(text), 500)]), "."))
}

// self is Chela as a client.
func (s *Servers) self(as *sdk.ClientOptions) *sdk.Client {
	return sdk.NewClient(&sdk.Implementation{Name: "chela", Title: "Chela", Version: s.Version}, as)
}

// connect starts a server or calls it, and is introduced. end ends what the session runs on.
func (s *Servers) connect(ctx context.Context, server mcp.Server, client *sdk.Client, version string) (c *sdk.ClientSession, end func(), err error) {
	secrets, err := s.secretsOf(ctx, server)
	if err != nil {
		return nil, nil, err
	}
	over, end, said := s.overHTTP(server, secrets), func() {}, func() string { return "" }
	switch {
	case server.Worker != nil:
		over, end, err = s.toWorker(ctx, server)
	case server.A2A:
		over, end, err = s.overA2A(ctx, server, secrets)
	case server.URL == "":
		over, end, said, err = s.start(server, secrets)
	}
	if err != nil {
		return nil, nil, err
	}
	began, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	c, err = introduce(began, client, over, version)
	if err != nil {
		end()
		if s.barred(server.Name) { // what came after that says less
			return nil, nil, asksForLogin(server.Name)
		}
		if more := said(); more != "" {
			err = fmt.Errorf("%w; it wrote: %s", err, more)
		}
		return nil, nil, s.broke(server.Name, err)
	}
	return c, end, nil
}

// secretsOf are the secrets of a server, by the variable or the header that gets them.
func (s *Servers) secretsOf(ctx context.Context, server mcp.Server) (secrets map[string]string, err error) {
	secrets = make(map[string]string)
	for to, name := range server.Secrets {
		if secrets[to], err = s.Secrets(ctx, name); err != nil {
			return nil, fault.Wrap(err, fault.Unavailable, "The MCP server %s needs the secret %s, which cannot be given. %s", server.Name, name, fault.TextOf(err))
		}
	}
	return secrets, nil
}

// introduce connects, and gives up when ctx ends, whether the transport does or not.
func introduce(ctx context.Context, client *sdk.Client, over sdk.Transport, version string) (*sdk.ClientSession, error) {
	type got struct {
		c   *sdk.ClientSession
		err error
	}
	done := make(chan got, 1)
	live := context.WithoutCancel(ctx) // the stream of an older transport lives on it
	go func() {
		c, err := client.Connect(live, over, &sdk.ClientSessionOptions{ProtocolVersion: version})
		done <- got{c, err}
	}()
	select {
	case g := <-done:
		return g.c, g.err
	case <-ctx.Done():
		go func() {
			if g := <-done; g.err == nil {
				_ = g.c.Close() // too late
			}
		}()
		return nil, errors.New("it did not introduce itself in time")
	}
}

// again looks at a server's tools after it said that they have changed.
func (s *Servers) again(name string) {
	h, err := s.host(name)
	if err != nil {
		return
	}
	s.mu.Lock()
	c := h.session
	s.mu.Unlock()
	if c == nil || s.base.Err() != nil {
		return
	}
	s.all.Go(func() {
		ctx, cancel := context.WithTimeout(s.base, connectTime)
		defer cancel()
		if err := s.look(ctx, h, c); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "look at the changed tools of an MCP server", "server", name, "err", err)
		}
	})
}

// start starts a server's program in the sandbox.
func (s *Servers) start(server mcp.Server, secrets map[string]string) (over sdk.Transport, end func(), said func() string, err error) {
	in, to, err := os.Pipe() // a file: the runner does not wait for its end
	if err != nil {
		return nil, nil, nil, fmt.Errorf("make a pipe: %w", err)
	}
	from, out := io.Pipe()
	ctx, cancel := context.WithCancel(s.base)
	var errs tail
	job := tool.Job{
		Argv: server.Command, Input: in, Env: make(map[string]string), Network: server.Network, Limits: tool.Limits{Time: programTime, Output: mostErrors},
		Output: func(stderr bool, text []byte) {
			if stderr {
				errs.add(text)
				return
			}
			_, _ = out.Write(text) // nobody listens any more
		},
	}
	for _, f := range server.Folders {
		job.Folders = append(job.Folders, disk.Grant{Path: f})
	}
	for name, value := range server.Env {
		job.Env[name] = value
	}
	for name, value := range secrets {
		job.Env[name] = value
	}
	s.all.Go(func() {
		exit, err := s.Runner.Run(ctx, job)
		_ = in.Close() // the program's
		if err == nil {
			err = fmt.Errorf("the program ended with the code %d", exit.Code)
		}
		errs.end(err)
		_ = out.CloseWithError(err) // never fails
	})
	end = sync.OnceFunc(func() {
		cancel()
		_, _ = to.Close(), from.Close() // it is over
	})
	return &sdk.IOTransport{Reader: from, Writer: to, MaxLineLength: mostMessage}, end, errs.text, nil
}

// A tail is the end of what a program writes about itself, and why it ended. Safe for concurrent use.
type tail struct {
	mu   sync.Mutex // guards the rest
	said []byte
	why  error
}

func (t *tail) add(text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = append(t.said, text...)
	t.said = t.said[max(0, len(t.said)-mostErrors):]
}

func (t *tail) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.why = err
}

// text is what there is to say.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := strings.TrimSpace(mcp.Line(string(t.said)))
	if f, ok := errors.AsType[*fault.Error](t.why); ok { // with which code it ended is told where the pipe is read
		out = strings.TrimSpace(f.Text + " " + out)
	}
	return out
}

// overHTTP is the way to a server's address, and to nowhere else.
func (s *Servers) overHTTP(server mcp.Server, secrets map[string]string) sdk.Transport {
	client := &http.Client{Transport: &only{server: server, secrets: secrets, over: s.dialled(server)}}
	if server.SSE {
		return &sdk.SSEClientTransport{Endpoint: server.URL, HTTPClient: client, MaxEventSize: mostMessage}
	}
	return &sdk.StreamableClientTransport{Endpoint: server.URL, HTTPClient: client, MaxEventSize: mostMessage, OAuthHandler: &asker{s, server}}
}

// dialled is a transport that checks each address when it dials. An address inside is dialled where the server's
// entry says so, and no other of them.
func (s *Servers) dialled(server mcp.Server) http.RoundTripper {
	u, _ := url.Parse(server.URL) // checked when it was set
	return &http.Transport{
		ForceAttemptHTTP2: true, IdleConnTimeout: idleTime, TLSHandshakeTimeout: 10 * time.Second,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			d := net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
			if host, _, err := net.SplitHostPort(address); err != nil || !server.Inside || !strings.EqualFold(host, u.Hostname()) {
				reach, err := s.Reach(ctx)
				if err != nil {
					return nil, err
				}
				d.Control = reach.Control
			}
			return d.DialContext(ctx, network, address)
		},
	}
}

// An only sends requests to one server, with its secrets as headers, and bounds the answers.
type only struct {
	server  mcp.Server
	secrets map[string]string
	over    http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (o *only) RoundTrip(r *http.Request) (*http.Response, error) {
	u, err := url.Parse(o.server.URL)
	if err != nil {
		return nil, err
	}
	if r.URL.Host != u.Host || r.URL.Scheme != u.Scheme {
		return nil, fault.New(fault.Denied, "The MCP server %s leads to %s, which is another address.", o.server.Name, r.URL.Host)
	}
	r = r.Clone(r.Context())
	for name, value := range o.secrets {
		r.Header.Set(name, value)
	}
	res, err := o.over.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") { // its events are bounded one by one
		res.Body = &bounded{res.Body, mostBody}
	}
	return res, nil
}

// A bounded body ends with an error where it is too long.
type bounded struct {
	io.ReadCloser
	left int64
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fault.New(fault.TooLarge, "The answer has more than %d MB.", mostBody>>20)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
