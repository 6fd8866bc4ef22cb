package whatsapptest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Hook sets the address to which updates go, as the app's page does: it is asked first whether
// it is ours. The updates go one after the other, each until it was taken.
func (s *Server) Hook(address string) error {
	const challenge = "1158201444"
	q := url.Values{"hub.mode": {"subscribe"}, "hub.challenge": {challenge}, "hub.verify_token": {s.Verify}}
	resp, err := http.Get(address + "?" + q.Encode())
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // only read
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || string(raw) != challenge {
		return fmt.Errorf("the address could not be validated: %s, %q", resp.Status, raw)
	}
	s.Unhook()
	ctx, cancel := context.WithCancel(s.t.Context())
	done := make(chan struct{})
	s.mu.Lock()
	s.hook, s.pump, s.pumped = address, cancel, done
	s.mu.Unlock()
	go func() {
		defer close(done)
		s.deliver(ctx)
	}()
	return nil
}

// Unhook ends the deliveries; what was said from then on waits.
func (s *Server) Unhook() {
	s.mu.Lock()
	pump, done := s.pump, s.pumped
	s.pump = nil
	s.mu.Unlock()
	if pump != nil {
		pump()
		<-done
	}
}

// Together has the updates of what do go in one body, in the order in which they are made.
func (s *Server) Together(do func()) {
	s.mu.Lock()
	s.held = true
	s.mu.Unlock()
	do()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = false
	body := update{message: s.batch}
	s.batch = nil
	s.queue = append(s.queue, body)
	s.Happened()
}

// Foreign has a message for another number of the account go along.
func (s *Server) Foreign(c Chat, from User, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.of(c, from, s.next(from.ID), Message{Type: "text", Content: Text{text}})
	u.number = "999999999999999"
	s.add(u)
}

// Redeliver has all that was taken come again.
func (s *Server) Redeliver() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, s.history...)
	s.Happened()
}

// Pending is how many updates were not taken yet.
func (s *Server) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue)
}

// Tries is how many deliveries were not taken.
func (s *Server) Tries() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tries
}

// deliver sends updates until ctx is done. What was not taken is sent again after a while.
func (s *Server) deliver(ctx context.Context) {
	wait := time.Millisecond
	for {
		s.mu.Lock()
		changed := s.Changed()
		var next *update
		if len(s.queue) > 0 {
			next = &s.queue[0]
		}
		address := s.hook
		s.mu.Unlock()
		if next == nil {
			select {
			case <-ctx.Done():
				return
			case <-changed:
			}
			continue
		}
		body, err := json.Marshal(body(*next))
		if err != nil {
			s.t.Errorf("an update: %v", err)
			return
		}
		code, err := s.PostTo(ctx, address, body)
		s.mu.Lock()
		if err == nil && code == http.StatusOK {
			s.history, s.queue = append(s.history, s.queue[0]), s.queue[1:]
			wait = time.Millisecond
		} else {
			s.tries++
			wait = min(2*wait, 100*time.Millisecond)
		}
		s.Happened()
		s.mu.Unlock()
		if err == nil && code == http.StatusOK {
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// PostTo posts a body with its signature and returns the status of the answer.
func (s *Server) PostTo(ctx context.Context, address string, body []byte) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Hub-Signature-256", s.Signature(body))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }() // only read
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// Signature is what shows that a body is WhatsApp's.
func (s *Server) Signature(body []byte) string {
	mac := hmac.New(sha256.New, []byte(s.AppSecret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// body is a whole update: one entry, with a change for each message or status.
func body(u update) any {
	list := []update{u}
	if several, ok := u.message.([]update); ok {
		list = several
	}
	var changes []any
	for _, one := range list {
		value := map[string]any{"messaging_product": "whatsapp", "metadata": map[string]any{"display_phone_number": "15550783881", "phone_number_id": one.number}}
		if one.contact != nil {
			value["contacts"] = []any{one.contact}
		}
		if one.message != nil {
			value["messages"] = []any{one.message}
		}
		if one.status != nil {
			value["statuses"] = []any{one.status}
		}
		changes = append(changes, map[string]any{"field": "messages", "value": value})
	}
	return map[string]any{"object": "whatsapp_business_account", "entry": []any{map[string]any{"id": "102290129340398", "changes": changes}}}
}
