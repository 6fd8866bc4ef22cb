package slacktest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// keepDone is how many acknowledged deliveries [Server.Redeliver] can give again.
const keepDone = 100

// A delivery is something that the app has not acknowledged.
type delivery struct {
	id      string
	kind    string
	payload json.RawMessage
	tries   int
	over    *link // on which it was sent last
	again   time.Time
}

// link is a connection of Socket Mode.
type link struct {
	conn *websocket.Conn
	deaf bool // it stands, and nothing comes or goes
	gone bool
}

// send puts something among what the app is to get. The caller holds mu.
func (s *Server) send(kind string, payload any) {
	raw, err := json.Marshal(payload)
	if err != nil {
		s.t.Errorf("a payload cannot be written: %v", err)
		return
	}
	s.pending = append(s.pending, &delivery{id: "envelope-" + strconv.FormatInt(s.number(), 10), kind: kind, payload: raw})
}

// Pending returns how many deliveries the app has not acknowledged.
func (s *Server) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.pending)
}

// Redeliver gives the newest acknowledged deliveries again, up to a hundred, before all others.
func (s *Server) Redeliver() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.done {
		d.over, d.again = nil, time.Time{}
	}
	s.pending = append(s.done, s.pending...)
	s.done = nil
	s.Happened()
}

// Hook has everything sent to an address instead of over Socket Mode; "" ends that.
func (s *Server) Hook(url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hook = url
	s.Happened()
}

// Turn has Socket Mode be turned on or off for the app.
func (s *Server) Turn(on bool) {
	s.mu.Lock()
	s.off = !on
	s.mu.Unlock()
	if !on {
		s.Announce("link_disabled")
	}
}

// Announce says on every connection that it will end soon.
func (s *Server) Announce(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.links {
		_ = l.conn.WriteJSON(map[string]any{"type": "disconnect", "reason": reason, "debug_info": map[string]string{"host": "wss-111.slack.com"}}) // who has gone does not read it
	}
}

// Links returns how many connections stand.
func (s *Server) Links() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.links)
}

// Cut breaks the oldest n connections.
func (s *Server) Cut(n int) {
	s.mu.Lock()
	links := slices.Clone(s.links[:min(n, len(s.links))])
	s.mu.Unlock()
	for _, l := range links {
		_ = l.conn.Close() // it is to break
	}
}

// Deafen has the connections that stand go on standing while nothing comes or goes.
func (s *Server) Deafen() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.links {
		l.deaf = true
	}
}

func (s *Server) connectionsOpen(arguments) answer {
	if s.off {
		return no("forbidden_team")
	}
	ticket := "ticket-" + strconv.FormatInt(s.number(), 10)
	s.tickets[ticket] = true
	return yes(answer{"url": "ws" + strings.TrimPrefix(s.URL(), "http") + "/link/?ticket=" + ticket + "&app_id=A0APP0001"})
}

// link takes a connection with a ticket that was not used yet.
func (s *Server) link(w http.ResponseWriter, r *http.Request) {
	ticket := r.URL.Query().Get("ticket")
	s.mu.Lock()
	ok := s.tickets[ticket]
	delete(s.tickets, ticket)
	s.mu.Unlock()
	if !ok {
		http.Error(w, "used", http.StatusForbidden)
		return
	}
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade answered
	}
	l := &link{conn: conn}
	conn.SetPingHandler(func(data string) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if l.deaf {
			return nil
		}
		return conn.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(time.Second))
	})
	s.mu.Lock()
	if s.Down() { // it goes down
		s.mu.Unlock()
		_ = conn.Close()
		return
	}
	_ = conn.WriteJSON(map[string]any{"type": "hello", "num_connections": len(s.links) + 1, "connection_info": map[string]string{"app_id": "A0APP0001"}, "debug_info": map[string]any{"host": "wss-111.slack.com", "approximate_connection_time": 18060}})
	s.links = append(s.links, l)
	s.Happened()
	s.work.Add(1)
	s.mu.Unlock()
	defer s.work.Done()
	s.listen(l)
}

// listen takes what acknowledges, until the connection ends.
func (s *Server) listen(l *link) {
	for {
		var ack struct {
			ID string `json:"envelope_id"`
		}
		err := l.conn.ReadJSON(&ack)
		s.mu.Lock()
		switch {
		case err != nil:
			l.gone = true
			s.links = slices.DeleteFunc(s.links, func(o *link) bool { return o == l })
			_ = l.conn.Close()
		case ack.ID == "":
			s.t.Error("a message without an envelope_id came over Socket Mode")
		case !l.deaf:
			s.finished(func(d *delivery) bool { return d.id == ack.ID })
		}
		s.Happened()
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// finished takes deliveries from those that are pending. The caller holds mu.
func (s *Server) finished(is func(*delivery) bool) {
	for _, d := range s.pending {
		if is(d) {
			s.done = append(s.done, d)
		}
	}
	s.done = slices.Clone(s.done[max(0, len(s.done)-keepDone):])
	s.pending = slices.DeleteFunc(s.pending, is)
}

// pump sends what is due, until the server goes down.
func (s *Server) pump(ended <-chan struct{}) {
	for {
		s.mu.Lock()
		changed, hook := s.Changed(), s.hook
		if hook == "" {
			s.deal()
		}
		s.mu.Unlock()
		if hook != "" && s.post(ended, hook) {
			continue
		}
		timer := time.NewTimer(s.Again / 3)
		select {
		case <-ended:
			timer.Stop()
			return
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// deal sends over the connections, in turn, what was not sent or not acknowledged in time. The
// caller holds mu.
func (s *Server) deal() {
	now := time.Now()
	for _, d := range s.pending {
		if len(s.links) == 0 || d.over != nil && !d.over.gone && now.Before(d.again) {
			continue
		}
		s.turn++
		l := s.links[s.turn%len(s.links)]
		frame := map[string]any{"envelope_id": d.id, "type": d.kind, "payload": d.payload, "accepts_response_payload": d.kind == "interactive"}
		if d.tries > 0 {
			frame["retry_attempt"], frame["retry_reason"] = d.tries, "timeout"
		}
		d.over, d.again = l, now.Add(s.Again)
		d.tries++
		if !l.deaf {
			_ = l.conn.WriteJSON(frame) // a broken one is seen by who reads
		}
	}
}

// post sends the oldest pending delivery to the address, and reports whether it was taken.
func (s *Server) post(ended <-chan struct{}, hook string) bool {
	s.mu.Lock()
	if len(s.pending) == 0 {
		s.mu.Unlock()
		return false
	}
	d := *s.pending[0]
	s.pending[0].tries++
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(s.t.Context(), 3*time.Second) // as long as Slack waits
	defer cancel()
	go func() {
		select {
		case <-ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	body, kind := d.payload, "application/json"
	if d.kind == "interactive" {
		body, kind = []byte(url.Values{"payload": {string(d.payload)}}.Encode()), "application/x-www-form-urlencoded"
	}
	code, _, err := s.Request(ctx, hook, kind, body, time.Now(), d.tries)
	taken := err == nil && code/100 == 2
	if taken {
		s.mu.Lock()
		s.finished(func(o *delivery) bool { return o.id == d.id })
		s.Happened()
		s.mu.Unlock()
	}
	return taken
}

// Verify sends the challenge by which Slack finds out whether an address is the app's.
func (s *Server) Verify(hook, challenge string) (code int, answer string, err error) {
	body, err := json.Marshal(map[string]string{"token": "legacy", "type": "url_verification", "challenge": challenge})
	if err != nil {
		return 0, "", err
	}
	return s.Request(s.t.Context(), hook, "application/json", body, time.Now(), 0)
}

// Request sends a body as Slack does (docs.slack.dev/authentication/verifying-requests-from-slack).
func (s *Server) Request(ctx context.Context, hook, kind string, body []byte, at time.Time, tries int) (code int, answer string, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, hook, strings.NewReader(string(body)))
	if err != nil {
		return 0, "", err
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	req.Header.Set("Content-Type", kind)
	req.Header.Set("X-Slack-Request-Timestamp", stamp)
	req.Header.Set("X-Slack-Signature", s.Sign(stamp, body))
	if tries > 0 {
		req.Header.Set("X-Slack-Retry-Num", strconv.Itoa(tries))
		req.Header.Set("X-Slack-Retry-Reason", "http_error")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw), err
}

// Sign returns the signature of a body.
func (s *Server) Sign(stamp string, body []byte) string {
	m := hmac.New(sha256.New, []byte(s.Signing))
	_, _ = fmt.Fprintf(m, "v0:%s:%s", stamp, body) // never fails
	return "v0=" + hex.EncodeToString(m.Sum(nil))
}
