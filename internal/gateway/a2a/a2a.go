// Package a2a is the door for agents and programs of other organizations that speak A2A (Agent2Agent), versions 1.0 and
// 0.3: /a2a is the organization, which routes what is said, and /a2a/AGENT is one agent. A message is a message in a
// conversation like any other; its context is the conversation, and its task is the run that answers it. What a task says of
// itself is read from the log, so every node and a daemon that was restarted know it.
package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2acompat/a2av0"
	srv "github.com/a2aproject/a2a-go/v2/a2asrv"

	"chela/internal/approval"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/talk"
)

// A Store is what the door looks up beside what [talk.Talk] does.
type Store struct {
	Runs          Runs
	Conversations Conversations
	Questions     approval.Reader
}

// Runs lists runs.
type Runs interface {
	RunList(ctx context.Context, f run.Filter) ([]run.Run, error)
}

// Conversations knows which messages wait for their turn.
type Conversations interface {
	Waiting(ctx context.Context, thread string) ([]session.Waiting, error)
}

// Parts are what the door drives.
type Parts struct {
	Store   Store
	Talk    *talk.Talk
	Answers *approval.Decider
	Version string // of the daemon
}

const (
	root     = "/a2a"
	cardPath = "/.well-known/agent-card.json"

	mostBytes = 20 << 20 // of a request, which carries files
	alive     = 15 * time.Second

	challenge = `Bearer realm="Chela"` // for who is not known
)

type door struct {
	Parts
	hall     *gateway.Hall
	rpc      http.Handler // JSON-RPC, version 1.0
	older    http.Handler // JSON-RPC, version 0.3
	resource http.Handler // HTTP+JSON, version 1.0
}

// New returns the door.
func New(h *gateway.Hall, p Parts) []gateway.Door {
	d := &door{Parts: p, hall: h}
	keep := srv.WithTransportKeepAlive(alive) // a panic is the hall's
	d.rpc, d.older, d.resource = srv.NewJSONRPCHandler(d, keep), a2av0.NewJSONRPCHandler(d, keep), srv.NewRESTHandler(d, keep)
	return []gateway.Door{
		{Path: cardPath, Handler: http.HandlerFunc(d.serveCard)},
		{Path: root, Handler: http.HandlerFunc(d.serve)},
		{Path: root + "/", Handler: http.HandlerFunc(d.serve)},
	}
}

// An aim is what the address of a request names.
type aim struct {
	agent   string // its name; empty is the organization
	under   string // what is asked for below the agent's address, as the HTTP+JSON binding has it; empty is JSON-RPC
	project string // in which a conversation begins
	at      string // the address up to the agent, as https://host/a2a/pm
}

type aimKey struct{}

// aimOf returns what the address of a request names.
func aimOf(ctx context.Context) aim {
	a, _ := ctx.Value(aimKey{}).(aim)
	return a
}

// bound reports whether a path begins as the HTTP+JSON binding has it.
func bound(first string) bool {
	return first == "tasks" || first == "extendedAgentCard" || strings.HasPrefix(first, "message:")
}

// aim reads an address below the door's.
func (d *door) aim(r *http.Request) (a aim, err error) {
	under := strings.TrimPrefix(r.URL.Path, root)
	none := fault.New(fault.NotFound, "There is nothing at %s. A2A is spoken at /a2a, and with one agent at /a2a/AGENT.", r.URL.Path)
	if strings.Contains(under, "//") || under != "" && path.Clean(under) != "/"+strings.Trim(under, "/") {
		return a, none
	}
	a.at = origin(r) + root
	if first, rest, _ := strings.Cut(strings.TrimPrefix(under, "/"), "/"); first != "" && !bound(first) {
		if org.AgentID("agent:"+first).Check() != nil {
			return a, none
		}
		a.agent, under = first, "/"+rest
		a.at += "/" + first
	}
	if under = strings.TrimSuffix(under, "/"); under != "" && under != cardPath {
		if first, _, _ := strings.Cut(under[1:], "/"); !bound(first) {
			return a, none
		}
	}
	a.under, a.project = under, r.URL.Query().Get("project")
	return a, nil
}

// origin is where a client has found us.
func origin(r *http.Request) string {
	if gateway.Secure(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// serve answers at the organization's address and below it.
func (d *door) serve(w http.ResponseWriter, r *http.Request) {
	to, err := d.aim(r)
	if err != nil {
		d.hall.Fail(w, r, err)
		return
	}
	if to.under == cardPath {
		d.serveCard(w, r)
		return
	}
	c, raw, err := d.admit(r, to)
	if err != nil {
		d.turnAway(w, r, to, err)
		return
	}
	call, err := read(raw, r.Header, to)
	if err != nil {
		d.refuse(w, r, to, call, err)
		return
	}
	next := d.resource
	switch {
	case to.under == "" && strings.Contains(call.Method, "/"):
		next = d.older
	case to.under == "":
		next = d.rpc
	}
	d.hall.Stream(org.Viewer, func(ctx context.Context, w http.ResponseWriter, r *http.Request) {
		o := &outcome{ResponseWriter: w}
		r = r.Clone(context.WithValue(context.WithValue(ctx, aimKey{}, to), outcomeKey{}, o))
		r.URL.Path, r.URL.RawPath = to.under, ""
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(o, r)
	})(w, r.WithContext(c.With(r.Context())))
}

// admit permits the caller of a request and receives its body.
func (d *door) admit(r *http.Request, to aim) (c gateway.Caller, raw []byte, err error) {
	if to.under == "" || r.Method == http.MethodPost && r.ContentLength != 0 {
		return d.hall.Take(r, org.Viewer, mostBytes)
	}
	c, err = d.hall.PermitScoped(r, org.Viewer)
	return c, nil, err
}

// turnAway answers what is not admitted, with the status of HTTP that says so.
func (d *door) turnAway(w http.ResponseWriter, r *http.Request, to aim, err error) {
	p := d.hall.Problem(r.Context(), err)
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", challenge)
	}
	if p.Status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPost)
	}
	o := &outcome{ResponseWriter: w}
	o.problem.Store(&p)
	d.refuse(o, r, to, call{}, err)
}

// An outcome is an answer that has a status of HTTP of its own where an error says so.
type outcome struct {
	http.ResponseWriter
	problem atomic.Pointer[gateway.Problem] // that says so
	wrote   bool
}

type outcomeKey struct{}

// WriteHeader implements [http.ResponseWriter].
func (o *outcome) WriteHeader(status int) {
	if o.wrote {
		return
	}
	o.wrote = true
	if p := o.problem.Load(); p != nil {
		status = p.Status
		if p.RetryAfter != "" {
			o.Header().Set("Retry-After", p.RetryAfter)
		}
	}
	o.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (o *outcome) Write(b []byte) (int, error) {
	o.WriteHeader(http.StatusOK)
	return o.ResponseWriter.Write(b)
}

// Flush implements [http.Flusher].
func (o *outcome) Flush() {
	o.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(o.ResponseWriter).Flush() // the client is gone
}

// Unwrap is for [http.ResponseController].
func (o *outcome) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// A refusal answers a request with an error. The SDK writes it as the binding has it.
type refusal struct {
	srv.RequestHandler
	err error
}

// refuse answers a request with an error of the protocol before the SDK has read it.
func (d *door) refuse(w http.ResponseWriter, r *http.Request, to aim, c call, err error) {
	no := refusal{err: d.protocols(r.Context(), err)}
	asks := r.Clone(r.Context())
	if to.under != "" {
		asks.Method, asks.URL.Path, asks.URL.RawPath, asks.URL.RawQuery, asks.Body = http.MethodGet, "/tasks/none", "", "", http.NoBody
		srv.NewRESTHandler(no).ServeHTTP(w, asks)
		return
	}
	if len(c.ID) == 0 {
		c.ID = json.RawMessage("null")
	}
	raw := []byte(`{"jsonrpc":"2.0","method":"GetTask","params":{},"id":` + string(c.ID) + `}`)
	asks.Method, asks.Body, asks.ContentLength = http.MethodPost, io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	srv.NewJSONRPCHandler(no).ServeHTTP(w, asks)
}
