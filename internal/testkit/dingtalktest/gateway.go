package dingtalktest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Frames have these types and topics.
const (
	System       = "SYSTEM"
	Event        = "EVENT"
	Callback     = "CALLBACK"
	TopicMessage = "/v1.0/im/bot/messages/get"
	TopicCard    = "/v1.0/card/instances/callback"
)

type openParams struct {
	ClientID      string `json:"clientId"`
	ClientSecret  string `json:"clientSecret"`
	Subscriptions []struct {
		Type  string `json:"type"`
		Topic string `json:"topic"`
	} `json:"subscriptions"`
}

// open gives a ticket for a connection. There are characters in it that an address cannot
// have as they are.
func (s *Server) open(p openParams) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.ClientID != s.ClientID || p.ClientSecret != s.ClientSecret {
		return refusal(http.StatusUnauthorized, "authFailed", "鉴权失败")
	}
	if len(p.Subscriptions) == 0 {
		return refusal(http.StatusBadRequest, "MissingSubscriptions", "Subscriptions is mandatory for this action.")
	}
	topics := make(map[string]bool)
	for _, sub := range p.Subscriptions {
		if sub.Type != System && sub.Type != Event && sub.Type != Callback {
			return refusal(http.StatusBadRequest, "invalidParameter.subscriptions", sub.Type)
		}
		topics[sub.Type+" "+sub.Topic] = true
	}
	for _, needed := range []string{Callback + " " + TopicMessage, Callback + " " + TopicCard} {
		if !topics[needed] {
			s.t.Errorf("nobody subscribes to %s", needed)
		}
	}
	ticket := s.id("a+b/c=&d %41-")
	s.tickets[ticket] = true
	return result(map[string]string{"endpoint": "wss://wss-open-connection.dingtalk.com:443/connect", "ticket": ticket})
}

// A socket is one connection.
type socket struct {
	conn *websocket.Conn
	mu   sync.Mutex // one writes at a time
	got  chan struct{}
}

func (k *socket) write(raw []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	_ = k.conn.SetWriteDeadline(time.Now().Add(30 * time.Second))
	_ = k.conn.WriteMessage(websocket.TextMessage, raw) // who has gone gets it later
}

// A delivery is a frame that is to be answered.
type delivery struct {
	id      string
	raw     []byte
	here    bool // it is about the connection that it was sent over, and does not come over another
	answers []Answer
	done    bool
}

// An Answer is what came to a frame.
type Answer struct {
	Code    int               `json:"code"`
	Headers map[string]string `json:"headers"`
	Message string            `json:"message"`
	Data    string            `json:"data"`
}

// accept takes a connection, sends what was not answered, and reads answers.
func (s *Server) accept(w http.ResponseWriter, r *http.Request) {
	ticket := r.URL.Query().Get("ticket")
	s.mu.Lock()
	known := s.tickets[ticket]
	delete(s.tickets, ticket)
	s.mu.Unlock()
	if !known {
		refusal(http.StatusUnauthorized, "invalidTicket", "the ticket is used or was never given").write(w)
		return
	}
	conn, err := new(websocket.Upgrader).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	k := &socket{conn: conn, got: make(chan struct{})}
	pong := conn.PingHandler()
	conn.SetPingHandler(func(data string) error {
		if s.silent() {
			return nil
		}
		s.mu.Lock()
		s.pings++
		s.Happened()
		s.mu.Unlock()
		return pong(data)
	})
	defer close(k.got)
	defer func() { _ = conn.Close() }()
	s.mu.Lock()
	s.socket = k
	s.opened++
	waiting := s.waiting()
	k.mu.Lock() // before all that comes from now on
	s.Happened()
	s.mu.Unlock()
	for _, raw := range waiting {
		_ = conn.WriteMessage(websocket.TextMessage, raw) // as write does
	}
	k.mu.Unlock()
	for {
		_, raw, err := conn.ReadMessage()
		if err != nil {
			break
		}
		if !s.silent() {
			s.answered(raw)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.socket == k {
		s.socket = nil
	}
	s.Happened()
}

// silent reports whether the server is frozen.
func (s *Server) silent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frozen
}

// answered notes an answer, which has to be one.
func (s *Server) answered(raw []byte) {
	var a Answer
	if err := json.Unmarshal(raw, &a); err != nil {
		s.t.Errorf("the answer %s cannot be read: %v", raw, err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.Happened()
	if a.Headers["contentType"] != "application/json" {
		s.t.Errorf("the answer %s has no content type", raw)
	}
	switch a.Code {
	case 200, 400, 404, 500:
	default:
		s.t.Errorf("the answer %s has a code that is not known", raw)
	}
	var says struct{ Status string }
	_ = json.Unmarshal([]byte(a.Data), &says) // it may be anything
	for _, d := range slices.Backward(s.deliveries) {
		if d.id == a.Headers["messageId"] {
			d.answers = append(d.answers, a)
			d.done = d.done || a.Code == 200 && says.Status != "LATER"
			return
		}
	}
	s.t.Errorf("the answer %s is to no frame", raw)
}

// Frame sends a frame and returns its id. data is JSON.
func (s *Server) Frame(kind, topic, data string) string {
	s.mu.Lock()
	id := s.id("frame-")
	raw, err := json.Marshal(map[string]any{
		"specVersion": "1.0", "type": kind, "time": time.Now().UnixMilli(), "data": data,
		"headers": map[string]string{"topic": topic, "messageId": id, "contentType": "application/json", "time": strconv.FormatInt(time.Now().UnixMilli(), 10), "connectionId": "c"},
	})
	s.mu.Unlock()
	if err != nil {
		s.t.Errorf("frame: %v", err)
	}
	s.send(&delivery{id: id, raw: raw, here: kind == System})
	return id
}

// Raw sends a frame as it is. id is what its answer names; without one none is expected, and
// it is sent once.
func (s *Server) Raw(id, raw string) { s.send(&delivery{id: id, raw: []byte(raw)}) }

func (s *Server) send(d *delivery) {
	s.mu.Lock()
	if d.id != "" {
		s.deliveries = append(s.deliveries, d)
	}
	k := s.socket
	frozen := s.frozen
	s.Happened()
	s.mu.Unlock()
	if k != nil && !frozen {
		k.write(d.raw)
	}
}

// Answers returns what came to a frame.
func (s *Server) Answers(id string) []Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.deliveries {
		if d.id == id {
			return d.answers
		}
	}
	return nil
}

// Codes returns the codes of all answers, frame by frame.
func (s *Server) Codes() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []int
	for _, d := range s.deliveries {
		for _, a := range d.answers {
			out = append(out, a.Code)
		}
	}
	return out
}

// Pending returns how many frames were not answered with success.
func (s *Server) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, d := range s.deliveries {
		if !d.done {
			n++
		}
	}
	return n
}

// keepDone is how many frames [Server.Redeliver] gives again.
const keepDone = 100

// Redeliver sends the newest frames again, up to a hundred, those that were answered, too.
func (s *Server) Redeliver() {
	s.mu.Lock()
	k := s.socket
	var all [][]byte
	for _, d := range s.deliveries[max(0, len(s.deliveries)-keepDone):] {
		all = append(all, d.raw)
		d.done = d.done && k != nil
	}
	s.mu.Unlock()
	if k == nil {
		return // they go to the next connection
	}
	for _, raw := range all {
		k.write(raw)
	}
}

// Opened returns how many connections were made so far.
func (s *Server) Opened() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

// Pings returns how many pings of the other side were answered.
func (s *Server) Pings() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pings
}

// Disconnect says that the connection is about to end, as DingTalk does before it does so,
// and returns the id of the frame. The connection stays until the other side leaves it; of a
// frozen server nobody hears that, so it is cut.
func (s *Server) Disconnect(reason string) string {
	raw, err := json.Marshal(map[string]string{"reason": reason})
	if err != nil {
		s.t.Errorf("disconnect: %v", err)
	}
	s.mu.Lock()
	k := s.socket
	s.mu.Unlock()
	id := s.Frame(System, "disconnect", string(raw))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.socket == k {
		s.socket = nil // what comes now goes to the next
	}
	if s.frozen && k != nil {
		_ = k.conn.Close()
	}
	return id
}

// Drop cuts the connection.
func (s *Server) Drop() {
	s.mu.Lock()
	k := s.socket
	s.socket = nil
	s.Happened()
	s.mu.Unlock()
	if k != nil {
		_ = k.conn.Close()
		<-k.got
	}
}

// Freeze has the connection stand while nothing comes over it any more and what comes to it
// is lost, and each that is opened, until [Server.Thaw].
func (s *Server) Freeze() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frozen = true
}

// Thaw ends what Freeze began, and sends what was not answered.
func (s *Server) Thaw() {
	s.mu.Lock()
	s.frozen = false
	k, waiting := s.socket, s.waiting()
	s.Happened()
	s.mu.Unlock()
	if k == nil {
		return
	}
	for _, raw := range waiting {
		k.write(raw)
	}
}

// waiting are the frames that were not answered. The caller holds mu.
func (s *Server) waiting() [][]byte {
	var out [][]byte
	for _, d := range s.deliveries {
		if !d.done && !d.here && !s.frozen {
			out = append(out, d.raw)
		}
	}
	return out
}
