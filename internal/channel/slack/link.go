package slack

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"time"

	"github.com/gorilla/websocket"

	"chela/internal/fault"
)

// A link is one connection of Socket Mode
// (docs.slack.dev/apis/events-api/using-socket-mode).
type link struct {
	conn *websocket.Conn
	ping time.Duration
}

// next reads a text. The time begins anew with each sign of life.
func (l *link) next() ([]byte, error) {
	if err := l.alive(""); err != nil {
		return nil, err
	}
	_, raw, err := l.conn.ReadMessage()
	return raw, err
}

func (l *link) alive(string) error { return l.conn.SetReadDeadline(time.Now().Add(lost * l.ping)) }

func (l *link) confirm(raw []byte) error {
	if err := l.conn.SetWriteDeadline(time.Now().Add(lost * l.ping)); err != nil {
		return err
	}
	return l.conn.WriteMessage(websocket.TextMessage, raw)
}

// open asks for an address for Socket Mode (docs.slack.dev/reference/methods/apps.connections.open).
func (a *Adapter) open(ctx context.Context) (string, error) {
	var out struct {
		URL string `json:"url"`
	}
	if err := a.api.call(ctx, a.app, "apps.connections.open", nil, &out); err != nil {
		return "", a.trouble(err)
	}
	return out.URL, nil
}

// dial opens a link and waits for its hello.
func (a *Adapter) dial(ctx context.Context) (*link, error) {
	a.mu.Lock()
	ticket, fresh := a.ticket, time.Since(a.granted) < ticketLife
	a.ticket = ""
	a.mu.Unlock()
	if ticket == "" || !fresh {
		var err error
		if ticket, err = a.open(ctx); err != nil {
			return nil, err
		}
	}
	u, err := a.api.place(ticket)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "Slack names no place to which the channel %s can connect: %s.", a.name, err.Error())
	}
	wait, cancel := context.WithTimeout(ctx, a.api.http.Within)
	defer cancel()
	conn, resp, err := a.api.http.Dialer().DialContext(wait, u.String(), nil)
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close() // the connection is what counts
	}
	if err != nil {
		f := a.api.http.Failed(err, false)
		return nil, fault.Wrap(f, fault.Unavailable, "The channel %s has no connection with Slack: %s", a.name, f.Text)
	}
	l := &link{conn: conn, ping: a.ping}
	conn.SetReadLimit(maxFrame)
	conn.SetPongHandler(l.alive)
	conn.SetPingHandler(func(data string) error {
		_ = conn.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(l.ping)) // a broken one is seen by who reads
		return l.alive("")
	})
	if err := a.greeted(wait, conn); err != nil {
		_ = conn.Close() // it did not become one
		return nil, err
	}
	return l, nil
}

// greeted waits for the hello.
func (a *Adapter) greeted(ctx context.Context, conn *websocket.Conn) error {
	cut := context.AfterFunc(ctx, func() { _ = conn.Close() }) // whoever reads is to wake
	defer cut()
	_, raw, err := conn.ReadMessage()
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The channel %s was not greeted by Slack.", a.name)
	}
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil || e.Type != "hello" {
		if err := a.shut(e.Reason); err != nil {
			return err
		}
		return fault.New(fault.Unavailable, "The channel %s was not greeted by Slack.", a.name)
	}
	return nil
}

// plainly is how a connection ended, without addresses.
func plainly(err error) string {
	if c, ok := errors.AsType[*websocket.CloseError](err); ok {
		return oneLine("it was closed: " + c.Text)
	}
	if t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err); ok && t.Timeout() {
		return "no sign of life came any more"
	}
	if errors.Is(err, websocket.ErrReadLimit) {
		return "a message was larger than any of Slack's"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "the other side does not encrypt"
	}
	return oneLine(err.Error())
}
