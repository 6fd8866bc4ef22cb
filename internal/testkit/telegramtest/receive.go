package telegramtest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// updates are those that the bot has not confirmed, and how it asks for them.
type updates struct {
	next    int64 // number
	pending []*update
	done    []*update          // confirmed, for Redeliver
	allowed []string           // nil is what the documentation gives by default
	poller  context.CancelFunc // of the getUpdates that waits
}

// keepDone is how many confirmed updates [Server.Redeliver] can give again.
const keepDone = 100

type getUpdates struct {
	Offset  int64    `json:"offset"`
	Limit   int      `json:"limit"`
	Timeout int      `json:"timeout"`
	Allowed []string `json:"allowed_updates"`
}

const (
	conflictPoller = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
	conflictHook   = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)

// getUpdates waits for updates. Of two that wait the later one ends the earlier.
func (s *Server) getUpdates(ctx context.Context, p getUpdates) answer {
	if p.Limit < 1 || p.Limit > 100 {
		p.Limit = 100
	}
	mine, end := context.WithCancel(ctx)
	defer end()
	s.mu.Lock()
	if s.hook != nil {
		s.mu.Unlock()
		return refusal(http.StatusConflict, conflictHook)
	}
	if s.updates.poller != nil {
		s.updates.poller()
	}
	s.updates.poller = end
	s.updates.confirm(p.Offset)
	if p.Allowed != nil {
		s.updates.allowed = p.Allowed
	}
	s.Happened()
	s.mu.Unlock()

	timeout := time.NewTimer(time.Duration(p.Timeout) * time.Second)
	defer timeout.Stop()
	late := p.Timeout == 0
	for {
		s.mu.Lock()
		switch {
		case mine.Err() != nil:
			s.mu.Unlock()
			return refusal(http.StatusConflict, conflictPoller)
		case s.hook != nil:
			s.mu.Unlock()
			return refusal(http.StatusConflict, conflictHook)
		case late || len(s.updates.pending) > 0:
			out := slices.Clone(s.updates.pending[:min(p.Limit, len(s.updates.pending))])
			s.updates.poller = nil
			s.mu.Unlock()
			if out == nil {
				out = []*update{}
			}
			return result(out)
		}
		changed := s.Changed()
		s.mu.Unlock()
		select {
		case <-changed:
		case <-timeout.C:
			late = true
		case <-mine.Done():
		}
	}
}

// confirm forgets what is before an offset; a negative one counts from the end.
func (u *updates) confirm(offset int64) {
	if offset < 0 {
		u.forget(max(0, len(u.pending)+int(offset)))
		return
	}
	n := 0
	for n < len(u.pending) && u.pending[n].ID < offset {
		n++
	}
	u.forget(n)
}

func (u *updates) forget(n int) {
	u.done = append(u.done, u.pending[:n]...)
	u.done = slices.Clone(u.done[max(0, len(u.done)-keepDone):])
	u.pending = slices.Clone(u.pending[n:])
}

// reactionUpdate is a kind of update that a bot gets only when it names it.
const reactionUpdate = "message_reaction"

// add takes an update that the bot wants. The caller holds the server's mu.
func (u *updates) add(up *update) {
	if u.allowed != nil && !slices.Contains(u.allowed, up.kind()) || u.allowed == nil && up.kind() == reactionUpdate {
		return
	}
	up.ID = u.next
	u.next++
	u.pending = append(u.pending, up)
}

// Pending returns how many updates the bot has not confirmed.
func (s *Server) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.updates.pending)
}

// Redeliver gives the newest confirmed updates again, up to a hundred, before all others.
func (s *Server) Redeliver() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.updates.pending = append(s.updates.done, s.updates.pending...)
	s.updates.done = nil
	s.Happened()
}

type setWebhook struct {
	URL     string   `json:"url"`
	Secret  string   `json:"secret_token"`
	Most    int      `json:"max_connections"`
	Allowed []string `json:"allowed_updates"`
	Drop    bool     `json:"drop_pending_updates"`
}

// hook sends the updates to an address, one after the other.
type hook struct {
	setWebhook
	cancel context.CancelFunc
	ended  chan struct{}

	lastError   string // under the server's mu
	lastErrorAt time.Time
}

func (h *hook) stop() {
	if h != nil {
		h.cancel()
		<-h.ended
	}
}

// setWebhook takes https, and http on this machine, as a Bot API server of one's own does.
func (s *Server) setWebhook(p setWebhook) answer {
	if p.URL == "" {
		return s.deleteWebhook(deleteWebhook{p.Drop})
	}
	if !strings.HasPrefix(p.URL, "https://") && !strings.HasPrefix(p.URL, "http://127.0.0.1:") {
		return refusal(http.StatusBadRequest, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook")
	}
	ctx, cancel := context.WithCancel(s.t.Context())
	h := &hook{setWebhook: p, cancel: cancel, ended: make(chan struct{})}
	s.mu.Lock()
	before := s.hook
	s.hook = h
	if p.Allowed != nil {
		s.updates.allowed = p.Allowed
	}
	if p.Drop {
		s.updates.pending = nil
	}
	s.Happened()
	s.mu.Unlock()
	before.stop()
	go s.push(ctx, h)
	return result(true)
}

type deleteWebhook struct {
	Drop bool `json:"drop_pending_updates"`
}

func (s *Server) deleteWebhook(p deleteWebhook) answer {
	s.mu.Lock()
	before := s.hook
	s.hook = nil
	if p.Drop {
		s.updates.pending = nil
	}
	s.Happened()
	s.mu.Unlock()
	before.stop()
	return result(true)
}

func (s *Server) webhookInfo() answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	var is struct {
		URL     string `json:"url"`
		Custom  bool   `json:"has_custom_certificate"`
		Pending int    `json:"pending_update_count"`
		ErrorAt int64  `json:"last_error_date,omitempty"`
		Error   string `json:"last_error_message,omitempty"`
	}
	if s.hook != nil {
		is.URL, is.Error = s.hook.URL, s.hook.lastError
		if is.Error != "" {
			is.ErrorAt = s.hook.lastErrorAt.Unix()
		}
	}
	is.Pending = len(s.updates.pending)
	return result(is)
}

// push sends each update until the answer is 2xx, a little later each time.
func (s *Server) push(ctx context.Context, h *hook) {
	defer close(h.ended)
	pause := time.Millisecond
	for ctx.Err() == nil {
		s.mu.Lock()
		changed := s.Changed()
		var next *update
		if len(s.updates.pending) > 0 {
			next = s.updates.pending[0]
		}
		s.mu.Unlock()
		if next == nil {
			select {
			case <-changed:
			case <-ctx.Done():
			}
			continue
		}
		wrong := h.post(ctx, result(next).Result)
		s.mu.Lock()
		if wrong == "" {
			s.updates.confirm(next.ID + 1)
		} else {
			h.lastError, h.lastErrorAt = wrong, time.Now()
		}
		s.Happened()
		s.mu.Unlock()
		if wrong == "" {
			pause = time.Millisecond
			continue
		}
		pause = min(2*pause, 200*time.Millisecond)
		again := time.NewTimer(pause)
		select {
		case <-again.C:
		case <-ctx.Done():
		}
		again.Stop()
	}
}

// post sends an update and returns what went wrong.
func (h *hook) post(ctx context.Context, body []byte) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	if h.Secret != "" {
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", h.Secret)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = resp.Body.Close() }() // only the status counts
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode/100 != 2 {
		return "Wrong response from the webhook: " + resp.Status
	}
	return ""
}
