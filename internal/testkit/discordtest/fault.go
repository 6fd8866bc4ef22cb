package discordtest

import (
	"net/http"
	"strconv"
	"time"

	"chela/internal/testkit/channeltest"
)

// The mishaps that Discord has; channeltest says what each is.
const (
	Fail      = channeltest.Fail
	TooMany   = channeltest.TooMany
	Everybody = channeltest.Own // 429 for all calls, to come again after Fault.For
	CutBefore = channeltest.CutBefore
	CutAfter  = channeltest.CutAfter
	Silent    = channeltest.Silent
	Slow      = channeltest.Slow
)

// A Mishap is one of them, and a Fault one that is to come.
type (
	Mishap = channeltest.Mishap
	Fault  = channeltest.Fault[string]
)

// say gives the answer to a mishap of which Discord speaks.
func say(w http.ResponseWriter, f *Fault) { write(w, tooMany(f.For, f.What == Everybody)) }

func tooMany(after time.Duration, global bool) answer {
	text := strconv.FormatFloat(after.Seconds(), 'f', 3, 64)
	a := answer{status: http.StatusTooManyRequests, header: map[string]string{"Retry-After": strconv.Itoa(int(after.Seconds()) + 1), "X-RateLimit-Scope": "user", "X-RateLimit-Reset-After": text}, body: struct {
		Message string  `json:"message"`
		After   float64 `json:"retry_after"`
		Global  bool    `json:"global"`
	}{"You are being rate limited.", after.Seconds(), global}}
	if global {
		a.header["X-RateLimit-Global"], a.header["X-RateLimit-Scope"] = "true", "global"
	}
	return a
}

// Limit refuses messages with 429 when more than most come into a chat in a time, and says in
// the headers of each answer how many are left.
func (s *Server) Limit(most int, in time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = channeltest.Limit{Most: most, In: in}
}

// counted counts a message into a chat: over says how long none is taken, header what is told.
// The caller holds mu.
func (s *Server) counted(c *chat, now time.Time) (over time.Duration, header map[string]string) {
	l := s.limit
	if over = l.Over(&c.recent, now); over > 0 || l.Most == 0 {
		return over, nil
	}
	return 0, map[string]string{
		"X-RateLimit-Limit":       strconv.Itoa(l.Most),
		"X-RateLimit-Remaining":   strconv.Itoa(l.Most - len(c.recent)),
		"X-RateLimit-Reset-After": strconv.FormatFloat((l.In - now.Sub(c.recent[0])).Seconds(), 'f', 3, 64),
		"X-RateLimit-Bucket":      "80c17d2f203122d936070c88c8d10f33",
	}
}
