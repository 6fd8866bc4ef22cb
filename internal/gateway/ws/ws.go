// Package ws is the door of programs that keep a connection: JSON-RPC 2.0 over a WebSocket at /ws, in both
// directions. A program says something, hears what happens in threads, projects and runs from a position of
// the log on, and answers questions that it is asked. It also takes the SUBSCRIBE messages of older programs.
// docs/gateway.md.
package ws

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"chela/internal/approval"
	"chela/internal/builder"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/org"
	"chela/internal/router"
	"chela/internal/run"
	"chela/internal/talk"
)

// A Log is where it is read what happens.
type Log interface {
	event.Notifier
	End(ctx context.Context) (event.Seq, error)
	Events(ctx context.Context, after event.Seq, f event.Filter) ([]event.Exported, event.Seq, error)
}

// Questions are what people are asked.
type Questions interface {
	Approval(ctx context.Context, id string) (approval.Approval, error)
	Approvals(ctx context.Context, s approval.Status, limit int) ([]approval.Approval, error)
}

// Parts are what the door asks.
type Parts struct {
	Talk      *talk.Talk
	Log       Log
	Questions Questions
	Answers   *approval.Decider
	Runs      *run.Engine
	Sessions  Sessions
	Kinds     []string // of events; what is subscribed fits some
}

// Sessions says where conversations stand with the router, and which plans build workflows.
type Sessions interface {
	builder.Store
	RouterSessions(ctx context.Context, thread string, limit int) ([]router.Session, error)
}

type door struct {
	Parts
	hall *gateway.Hall
}

// Times and bounds of a connection.
const (
	mostRead      = 1 << 20 // bytes of a message
	mostWaiting   = 1000    // messages that are not sent yet; who is further behind is sent away
	mostAtOnce    = 32      // calls that are worked on
	mostSubjects  = 50      // that are heard
	writeTime     = 10 * time.Second
	pingEvery     = 30 * time.Second
	silent        = 2 * pingEvery
	upgradeBuffer = 4 << 10
)

// New returns the door. A browser's page may only be of this very address.
func New(h *gateway.Hall, p Parts) gateway.Door {
	d := &door{p, h}
	up := &websocket.Upgrader{ReadBufferSize: upgradeBuffer, WriteBufferSize: upgradeBuffer}
	stream := h.Stream(org.Viewer, func(ctx context.Context, w http.ResponseWriter, r *http.Request) {
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			return // it has answered
		}
		d.serve(ctx, conn, gateway.CallerOf(r.Context()))
	})
	return gateway.Door{Path: "/ws", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !websocket.IsWebSocketUpgrade(r) {
			h.Fail(w, r, gateway.WithStatus(http.StatusUpgradeRequired, fault.New(fault.Invalid, "/ws is a WebSocket; ask for the upgrade.")))
			return
		}
		stream(w, r)
	})}
}

// A client is one connection.
type client struct {
	*door
	caller gateway.Caller
	conn   *websocket.Conn
	out    chan any
	end    context.CancelFunc
	calls  chan struct{}  // a place for each call that is worked on
	all    sync.WaitGroup // of what works for it

	count atomic.Int64 // subscriptions that there were

	mu       sync.Mutex // guards what follows
	subjects map[string]context.CancelFunc
	asked    map[string]func(json.RawMessage) // questions to the program, by the id of the call
}

func (d *door) serve(ctx context.Context, conn *websocket.Conn, caller gateway.Caller) {
	ctx, end := context.WithCancel(ctx)
	c := &client{
		door: d, caller: caller, conn: conn, out: make(chan any, mostWaiting), end: end, calls: make(chan struct{}, mostAtOnce),
		subjects: make(map[string]context.CancelFunc), asked: make(map[string]func(json.RawMessage)),
	}
	c.all.Go(func() { c.write(ctx) })
	stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Now()) }) // the reader returns
	c.read(ctx)
	stop()
	end()
	c.all.Wait()
	_ = conn.Close() // nothing is left to say
}

// read takes messages until the program leaves, or is silent.
func (c *client) read(ctx context.Context) {
	c.conn.SetReadLimit(mostRead)
	heard := func(string) error { return c.conn.SetReadDeadline(time.Now().Add(silent)) }
	c.conn.SetPongHandler(heard)
	for heard("") == nil && ctx.Err() == nil {
		kind, raw, err := c.conn.ReadMessage()
		if err != nil {
			return
		}
		if kind != websocket.TextMessage {
			c.send(failure(nil, codeInvalid, "A message is text."))
			continue
		}
		c.take(ctx, raw)
	}
}

// write sends what waits, and a ping from time to time.
func (c *client) write(ctx context.Context) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			_ = c.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseGoingAway, ""), time.Now().Add(writeTime)) // it is leaving
			return
		case v := <-c.out:
			if err = c.conn.SetWriteDeadline(time.Now().Add(writeTime)); err == nil {
				err = c.conn.WriteJSON(v)
			}
		case <-tick.C:
			err = c.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTime))
		}
		if err != nil {
			c.end()
			return
		}
	}
}

// send has something be sent. Who does not listen for long is sent away: it comes again with its cursor.
func (c *client) send(v any) {
	select {
	case c.out <- v:
	default:
		c.end()
	}
}

// Codes of JSON-RPC 2.0, and one of ours for what the organization refuses.
const (
	codeParse   = -32700
	codeInvalid = -32600
	codeMethod  = -32601
	codeParams  = -32602
	codeInside  = -32603
	codeRefused = -32000
)

// A reply is a message to the program.
type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *problem        `json:"error,omitempty"`
}

type problem struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func failure(id json.RawMessage, code int, text string) reply {
	if id == nil {
		id = json.RawMessage("null")
	}
	return reply{Version: "2.0", ID: id, Error: &problem{Code: code, Message: text}}
}

func note(method string, params any) reply {
	return reply{Version: "2.0", Method: method, Params: params}
}

// failed is an error as a reply.
func (c *client) failed(ctx context.Context, id json.RawMessage, err error) reply {
	p := c.hall.Problem(ctx, err)
	code := codeRefused
	switch {
	case errors.Is(err, errMethod):
		code = codeMethod
	case fault.KindOf(err) == fault.Invalid:
		code = codeParams
	case fault.KindOf(err) == fault.Internal:
		code = codeInside
	}
	out := failure(id, code, p.Detail)
	out.Error.Data = map[string]any{"status": p.Status}
	return out
}
