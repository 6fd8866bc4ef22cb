// Package bridge carries messages of the Model Context Protocol between the pipes of a program that starts us and
// the daemon's door at /mcp, as they are: a line on one side is a request on the other. It speaks for the
// specifications with sessions, which it opens again when the daemon was restarted, and for those without.
package bridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"chela/internal/fault"
	"chela/internal/wire"
)

// A Doer sends requests to the daemon with the caller's token.
type Doer interface {
	Do(r *http.Request) (*http.Response, error)
}

// A Bridge connects one program. Use it once.
type Bridge struct {
	daemon Doer
	url    string // of the door

	outMu sync.Mutex // guards out
	out   io.Writer

	mu      sync.Mutex // guards the rest
	hello   []byte     // the message that opened the session
	session string
	version string // that the session speaks
	cancels map[string]context.CancelFunc

	all sync.WaitGroup // what is under way
}

// New returns a bridge to the door at url, which writes what comes from there to out.
func New(daemon Doer, url string, out io.Writer) *Bridge {
	return &Bridge{daemon: daemon, url: url, out: out, cancels: make(map[string]context.CancelFunc)}
}

// metaVersion is where a message of such a specification names it.
const metaVersion = "io.modelcontextprotocol/protocolVersion"

// mostLine bounds a message, in bytes.
const mostLine = 16 << 20

// again is how long the daemon is left alone after it was away.
const again = time.Second

// A message is what is read of one.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Meta    map[string]json.RawMessage `json:"_meta"`
		Name    string                     `json:"name"`
		URI     string                     `json:"uri"`
		TaskID  string                     `json:"taskId"`
		Request json.RawMessage            `json:"requestId"`
	} `json:"params"`
	Result struct {
		Version string `json:"protocolVersion"`
	} `json:"result"`

	raw     []byte
	version string // the specification without sessions that it follows; "" is one with
}

// read reads a message. ok is false for what is none.
func read(raw []byte) (m message, ok bool) {
	if json.Unmarshal(raw, &m) != nil {
		var only struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(raw, &only) != nil { // members of other types are the daemon's affair
			return m, false
		}
		m = message{ID: only.ID, Method: only.Method}
	}
	m.raw = raw
	if v := m.Params.Meta[metaVersion]; v != nil && json.Unmarshal(v, &m.version) != nil {
		m.version = ""
	}
	return m, true
}

// Run carries messages until in or ctx ends.
func (b *Bridge) Run(ctx context.Context, in io.Reader) error {
	ctx, stop := context.WithCancel(ctx)
	defer b.all.Wait()
	defer stop()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, mostLine)
	for ctx.Err() == nil && lines.Scan() {
		raw := bytes.TrimSpace(bytes.Clone(lines.Bytes()))
		if len(raw) == 0 {
			continue
		}
		m, ok := read(raw)
		if !ok {
			b.refuse(nil, -32700, "The line is no message of JSON-RPC.")
			continue
		}
		b.take(ctx, m)
	}
	b.leave(ctx)
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fault.New(fault.TooLarge, "A message has more than %d MB.", mostLine>>20)
	}
	return lines.Err()
}

// take sends a message. What has an answer that may take long is not waited for.
func (b *Bridge) take(ctx context.Context, m message) {
	switch {
	case m.Method == "initialize":
		b.open(ctx, m)
	case m.Method == "notifications/cancelled" && b.cancelled(string(m.Params.Request)):
	case m.Method != "" && m.ID != nil:
		ctx, cancel := context.WithCancel(ctx)
		if m.version != "" { // its stream's end says that it is cancelled
			b.mu.Lock()
			b.cancels[string(m.ID)] = cancel
			b.mu.Unlock()
		}
		b.all.Go(func() {
			defer cancel()
			b.post(ctx, m)
			b.mu.Lock()
			delete(b.cancels, string(m.ID))
			b.mu.Unlock()
		})
	default:
		b.post(ctx, m)
	}
}

// cancelled ends the request of that id where its stream's end says so.
func (b *Bridge) cancelled(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	cancel, ok := b.cancels[id]
	if ok {
		cancel()
	}
	return ok
}

// open opens a session, and hears what the daemon says in it.
func (b *Bridge) open(ctx context.Context, m message) {
	if !b.post(ctx, m) {
		return
	}
	b.mu.Lock()
	b.hello = m.raw
	has := b.session != ""
	b.mu.Unlock()
	if has {
		b.all.Go(func() { b.hear(ctx) })
	}
}

// post sends a message and hands its answers on. It returns false when it could not be sent.
func (b *Bridge) post(ctx context.Context, m message) bool {
	res, err := b.send(ctx, m)
	if err == nil && res.StatusCode == http.StatusNotFound && m.version == "" && b.reopen(ctx, res) {
		res, err = b.send(ctx, m)
	}
	if err != nil {
		if ctx.Err() == nil {
			b.refuse(m.ID, -32603, fault.TextOf(err))
		}
		return false
	}
	defer func() { _ = res.Body.Close() }() // read to its end, or given up
	if res.StatusCode >= http.StatusMultipleChoices {
		b.failed(m, res)
		return false
	}
	if m.Method == "initialize" {
		b.mu.Lock()
		b.session = res.Header.Get("Mcp-Session-Id")
		b.mu.Unlock()
	}
	if err := b.answers(res, m.Method == "initialize", true); err != nil && ctx.Err() == nil {
		b.refuse(m.ID, -32603, "The daemon's answer broke off: "+err.Error()+".")
	}
	return true
}

func (b *Bridge) request(ctx context.Context, method string, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, b.url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make a request of %s: %w", b.url, err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	return r, nil
}

func (b *Bridge) send(ctx context.Context, m message) (*http.Response, error) {
	r, err := b.request(ctx, http.MethodPost, m.raw)
	if err != nil {
		return nil, err
	}
	if m.version == "" {
		if m.Method != "initialize" {
			b.inSession(r)
		}
		return b.daemon.Do(r)
	}
	r.Header.Set("Mcp-Protocol-Version", m.version)
	if m.Method != "" {
		r.Header.Set("Mcp-Method", m.Method)
	}
	switch m.Method {
	case "tools/call", "prompts/get":
		r.Header.Set("Mcp-Name", m.Params.Name)
	case "resources/read":
		r.Header.Set("Mcp-Name", m.Params.URI)
	case "tasks/get", "tasks/update", "tasks/cancel":
		r.Header.Set("Mcp-Name", m.Params.TaskID)
	}
	return b.daemon.Do(r)
}

func (b *Bridge) inSession(r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != "" {
		r.Header.Set("Mcp-Session-Id", b.session)
	}
	if b.version != "" {
		r.Header.Set("Mcp-Protocol-Version", b.version)
	}
}

// answers hands on what a response carries. first says that it opens a session; told, that the program hears it.
func (b *Bridge) answers(res *http.Response, first, told bool) error {
	if res.StatusCode == http.StatusAccepted || res.StatusCode == http.StatusNoContent {
		return nil
	}
	take := func(data []byte) error {
		if m, ok := read(data); ok && first && m.Result.Version != "" {
			b.mu.Lock()
			b.version = m.Result.Version
			b.mu.Unlock()
		}
		if !told {
			return nil
		}
		return b.write(data)
	}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		raw, err := io.ReadAll(io.LimitReader(res.Body, mostLine))
		if err != nil || len(raw) == 0 {
			return err
		}
		return take(raw)
	}
	in := wire.NewSSE(res.Body)
	for {
		_, data, err := in.Next()
		if err == io.EOF { //nolint:errorlint // Next returns it bare
			return nil
		}
		if err != nil {
			return err
		}
		if len(data) > 0 {
			if err := take(data); err != nil {
				return err
			}
		}
	}
}

// write writes a message as one line.
func (b *Bridge) write(raw []byte) error {
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		return nil //nolint:nilerr // no message
	}
	line.WriteByte('\n')
	b.outMu.Lock()
	defer b.outMu.Unlock()
	_, err := b.out.Write(line.Bytes())
	return err
}

// refuse answers a request with an error. A notification has no answer.
func (b *Bridge) refuse(id json.RawMessage, code int, text string) {
	if id == nil && code != -32700 {
		return
	}
	if id == nil {
		id = json.RawMessage("null")
	}
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}})
	if err == nil {
		_ = b.write(raw) // the program is gone
	}
}

// mostRefusal bounds what is read of a refusal, in bytes.
const mostRefusal = 1 << 20

// failed hands on why the daemon refuses a message: its own error of JSON-RPC, or a sentence.
func (b *Bridge) failed(m message, res *http.Response) {
	raw, err := io.ReadAll(io.LimitReader(res.Body, mostRefusal))
	if err != nil {
		b.refuse(m.ID, -32603, "The daemon's answer broke off: "+err.Error()+".")
		return
	}
	var own struct {
		Version string `json:"jsonrpc"`
		Detail  string `json:"detail"`
	}
	_ = json.Unmarshal(raw, &own) // a text
	switch {
	case own.Version != "":
		_ = b.write(raw) // the program is gone
	case own.Detail != "":
		b.refuse(m.ID, -32603, own.Detail)
	default:
		b.refuse(m.ID, -32603, fmt.Sprintf("The daemon answered %d: %s", res.StatusCode, strings.TrimSpace(string(raw))))
	}
}

// reopen opens a session anew that a daemon does not know any more, as after its restart.
func (b *Bridge) reopen(ctx context.Context, refused *http.Response) bool {
	b.mu.Lock()
	hello, had := b.hello, b.session
	b.mu.Unlock()
	if hello == nil || had == "" {
		return false
	}
	_ = refused.Body.Close() // another answer follows
	m, _ := read(hello)
	res, err := b.send(ctx, m)
	if err != nil {
		return false
	}
	defer func() { _ = res.Body.Close() }() // read to its end
	if res.StatusCode >= http.StatusMultipleChoices || b.answers(res, true, false) != nil {
		return false
	}
	b.mu.Lock()
	b.session = res.Header.Get("Mcp-Session-Id")
	b.mu.Unlock()
	ready, _ := read([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	done, err := b.send(ctx, ready)
	if err != nil {
		return false
	}
	_ = done.Body.Close() // it says nothing
	return true
}

// hear hands on what the daemon says by itself in a session.
func (b *Bridge) hear(ctx context.Context) {
	for ctx.Err() == nil {
		r, err := b.request(ctx, http.MethodGet, nil)
		if err != nil {
			return
		}
		b.inSession(r)
		if res, err := b.daemon.Do(r); err == nil {
			if res.StatusCode < http.StatusMultipleChoices {
				_ = b.answers(res, false, true) // it begins again
			}
			_ = res.Body.Close() // read to its end
		}
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}

// leave closes the session.
func (b *Bridge) leave(ctx context.Context) {
	b.mu.Lock()
	open := b.session != ""
	b.mu.Unlock()
	if !open {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), again)
	defer cancel()
	r, err := b.request(ctx, http.MethodDelete, nil)
	if err != nil {
		return
	}
	b.inSession(r)
	if res, err := b.daemon.Do(r); err == nil {
		_ = res.Body.Close() // it says nothing
	}
}
