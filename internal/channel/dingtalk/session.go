package dingtalk

import (
	"sync"
	"time"
)

// The most that a session webhook takes, and in what time ("custom robots", limits): who
// goes on all the same is not heard for ten minutes.
const (
	sessionMost = 20
	sessionSpan = time.Minute
	mostKept    = 1000
)

// sessions are the addresses at which outsiders can be answered, each for a while after they
// wrote. They are not kept over a restart: who writes again has a new one.
type sessions struct {
	now func() time.Time

	mu   sync.Mutex // guards the rest
	kept map[string]*session
}

type session struct {
	url   string
	until time.Time
	sent  []time.Time // the newest, the oldest first
}

func newSessions(now func() time.Time) *sessions {
	return &sessions{now: now, kept: make(map[string]*session)}
}

// keep notes at which address a chat can be answered, and until when.
func (s *sessions) keep(chat, url string, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if url == "" || !until.After(now) {
		return
	}
	if known := s.kept[chat]; known != nil {
		known.url, known.until = url, until
		return
	}
	if len(s.kept) >= mostKept {
		s.drop(now)
	}
	s.kept[chat] = &session{url: url, until: until}
}

// drop forgets those whose time is over, or else the one whose time is over first.
func (s *sessions) drop(now time.Time) {
	var first string
	for chat, k := range s.kept {
		if !k.until.After(now) {
			delete(s.kept, chat)
			continue
		}
		if f := s.kept[first]; f == nil || k.until.Before(f.until) {
			first = chat
		}
	}
	if len(s.kept) >= mostKept {
		delete(s.kept, first)
	}
}

// use returns the address of a chat and counts a message to it, "" when there is none, or
// how long none may go.
func (s *sessions) use(chat string) (url string, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	k := s.kept[chat]
	if k == nil || !k.until.After(now) {
		return "", 0
	}
	if len(k.sent) == sessionMost {
		if left := sessionSpan - now.Sub(k.sent[0]); left > 0 {
			return "", left
		}
		k.sent = k.sent[1:]
	}
	k.sent = append(k.sent, now)
	return k.url, 0
}
