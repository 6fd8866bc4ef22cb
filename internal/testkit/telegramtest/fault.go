package telegramtest

import (
	"math"
	"net/http"
	"time"

	"chela/internal/testkit/channeltest"
)

// The mishaps that Telegram has; channeltest says what each is.
const (
	Fail      = channeltest.Fail
	TooMany   = channeltest.TooMany
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

// Download is the name that fetching a file has among the methods.
const Download = "download"

// say gives the answer to the one mishap of which Telegram speaks.
func say(w http.ResponseWriter, f *Fault) { write(w, tooMany(f.For)) }

func tooMany(after time.Duration) answer {
	seconds := int64(math.Ceil(after.Seconds()))
	a := refusal(http.StatusTooManyRequests, "Too Many Requests: retry after "+time.Duration(seconds*int64(time.Second)).String())
	a.Parameters = &parameters{RetryAfter: seconds}
	return a
}

// Limit refuses messages with 429 when more than most come into a chat in a time.
func (s *Server) Limit(most int, in time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = channeltest.Limit{Most: most, In: in}
}
