// Package stream is the ephemeral fan-out beside the log: token deltas, typing and
// progress ticks. It may lose what a slow reader does not take; nothing is decided
// from it.
package stream

import "sync"

// A Tick is one ephemeral message.
type Tick struct {
	Thread string `json:"thread"`
	Run    string `json:"run"`
	Task   string `json:"task,omitempty"`
	Agent  string `json:"agent,omitempty"`
	Kind   string `json:"kind"` // delta, phase, tool, reset
	Text   string `json:"text,omitempty"`
	At     int    `json:"at,omitempty"` // of a delta: how many characters of the answer came before it; an answer that is begun anew begins at 0
}

// A Hub passes ticks on. The zero value is ready. Safe for concurrent use.
type Hub struct {
	mu   sync.Mutex // guards subs
	subs map[*Sub]struct{}
}

// A Sub receives ticks.
type Sub struct {
	C      chan Tick // never closed; ticks beyond its room are dropped
	thread string
	hub    *Hub
}

// Subscribe begins to receive the ticks of a thread, or of all when it is empty.
func (h *Hub) Subscribe(thread string) *Sub {
	s := &Sub{C: make(chan Tick, 256), thread: thread, hub: h}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.subs == nil {
		h.subs = make(map[*Sub]struct{})
	}
	h.subs[s] = struct{}{}
	return s
}

// Close ends the subscription.
func (s *Sub) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	delete(s.hub.subs, s)
}

// Publish passes t to all who subscribed to its thread and have room.
func (h *Hub) Publish(t Tick) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		if s.thread != "" && s.thread != t.Thread {
			continue
		}
		select {
		case s.C <- t:
		default: // the reader is slow; it may miss ticks
		}
	}
}
