package discord

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// limits is what Discord has said about how much it takes (discord.com/developers/docs/topics/rate-limits):
// of each bucket and chat when it is open again. Which bucket a route has, an answer says.
type limits struct {
	mu      sync.Mutex // guards the rest
	buckets map[string]string
	shut    map[bucket]time.Time
	all     time.Time // until when nothing is taken
}

type bucket struct{ name, chat string }

func newLimits() *limits {
	return &limits{buckets: make(map[string]string), shut: make(map[bucket]time.Time)}
}

// wait is how long a route takes nothing in a chat.
func (l *limits) wait(route, chat string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	until := l.shut[l.bucket(route, chat)]
	if l.all.After(until) {
		until = l.all
	}
	return max(time.Until(until), 0)
}

// bucket names the bucket of a route. The caller holds mu.
func (l *limits) bucket(route, chat string) bucket {
	if name := l.buckets[route]; name != "" {
		return bucket{name, chat}
	}
	return bucket{route, chat}
}

// heed reads the headers of an answer.
func (l *limits) heed(route, chat string, h http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if name := h.Get("X-RateLimit-Bucket"); name != "" && len(name) <= 100 {
		l.buckets[route] = name
	}
	left, err := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	if err != nil || left > 0 {
		return
	}
	after, _ := strconv.ParseFloat(h.Get("X-RateLimit-Reset-After"), 64) // none is 0
	l.shutFor(l.bucket(route, chat), seconds(after))
}

// stop keeps what was refused with 429 from being asked again too early.
func (l *limits) stop(route, chat string, h http.Header, after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.Get("X-RateLimit-Global") == "true" || h.Get("X-RateLimit-Scope") == "global" {
		l.all = time.Now().Add(after)
		return
	}
	l.shutFor(l.bucket(route, chat), after)
}

// shutFor shuts a bucket and forgets those that are open again. The caller holds mu.
func (l *limits) shutFor(b bucket, d time.Duration) {
	now := time.Now()
	for old, until := range l.shut {
		if until.Before(now) {
			delete(l.shut, old)
		}
	}
	if d > 0 {
		l.shut[b] = now.Add(d)
	}
}
