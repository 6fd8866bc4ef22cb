package dingtalk

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// maxFrame is more than a message can have: some thousand characters, each of them up to
// twelve bytes in JSON within JSON, and what goes with them.
const maxFrame = 1 << 20

// An opening is what a connection is asked for with. We take nothing of the events of the
// organization; who subscribes to none does not count as connected in DingTalk's console.
type opening struct {
	ID            string         `json:"clientId"`
	Secret        string         `json:"clientSecret"`
	Subscriptions []subscription `json:"subscriptions"`
	Agent         string         `json:"ua"`
}

type subscription struct {
	Type  string `json:"type"`
	Topic string `json:"topic"`
}

func subscriptions() []subscription {
	return []subscription{
		{typeSystem, topicPing},
		{typeSystem, topicDisconnect},
		{typeEvent, topicAll},
		{typeCallback, topicMessage},
		{typeCallback, topicCard},
	}
}

// A link is one connection.
type link struct {
	conn   *websocket.Conn
	answer time.Duration // how long a write may take
	hands  sync.WaitGroup

	mu sync.Mutex // held while a frame is written: the connection takes one at a time
}

// connect opens a connection.
func (a *Adapter) connect(ctx context.Context) (*link, error) {
	body, err := encode(opening{a.api.id, a.api.secret, subscriptions(), "chela"})
	if err != nil {
		return nil, err
	}
	var got struct {
		Endpoint word `json:"endpoint"`
		Ticket   word `json:"ticket"`
	}
	header := http.Header{"Content-Type": {"application/json"}}
	if err := a.api.do(ctx, http.MethodPost, a.api.hosts.api+"/v1.0/gateway/connections/open", header, body, &got); err != nil {
		return nil, err
	}
	if got.Endpoint == "" || got.Ticket == "" {
		return nil, errors.New("what answers is not DingTalk: it names no endpoint and ticket; look at base_url")
	}
	u, err := a.api.hosts.at(string(got.Endpoint))
	if err != nil {
		return nil, err
	}
	q := u.Query()
	q.Set("ticket", string(got.Ticket))
	u.RawQuery = q.Encode()
	conn, resp, err := a.api.http.Dialer().DialContext(ctx, u.String(), nil)
	if resp != nil && resp.Body != nil {
		_ = resp.Body.Close() // only its status counts
	}
	if err != nil && resp != nil {
		return nil, errors.New("the connection is refused with status " + resp.Status)
	}
	if err != nil {
		return nil, a.api.http.Failed(err, false)
	}
	return &link{conn: conn, answer: a.api.http.Within}, nil
}

// read returns the next frame. One that is larger than any of DingTalk's is returned as far
// as it was read, so that nothing can be made of it: to break the connection would bring it again.
func (l *link) read() ([]byte, error) {
	kind, r, err := l.conn.NextReader()
	if err != nil {
		return nil, err
	}
	if kind != websocket.TextMessage {
		return nil, nil
	}
	return io.ReadAll(io.LimitReader(r, maxFrame))
}

// write answers a frame.
func (l *link) write(a answer) error {
	raw, err := json.Marshal(a)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.conn.SetWriteDeadline(time.Now().Add(l.answer)); err != nil {
		return err
	}
	return l.conn.WriteMessage(websocket.TextMessage, raw)
}

// watch asks from time to time whether the other side is there, until ctx is done. Whoever
// says nothing for that time and the time of an answer is not: the next read fails.
func (l *link) watch(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := l.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(l.answer)); err != nil {
				return // the reader hears of it
			}
		}
	}
}

// heard gives the other side time again.
func (l *link) heard(every time.Duration) error {
	return l.conn.SetReadDeadline(time.Now().Add(every + l.answer))
}
