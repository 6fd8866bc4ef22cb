package gateway

import (
	"context"
	"math"
	"sync"
	"time"

	"chela/internal/fault"
	"chela/internal/org"
)

// mostAtOnce is how many requests of one key are in hand at the same time.
const mostAtOnce = 1024

// paces keep the programs of keys to what their keys allow, so that one does not take the daemon
// from the others. Safe for concurrent use.
type paces struct {
	mu sync.Mutex // guards the rest
	of map[string]*pace
}

type pace struct {
	window
	perMinute int // 0 is no bound
	inHand    int
}

// enter counts a request of a key until ctx ends. A refusal says when to come again.
func (p *paces) enter(ctx context.Context, k org.Key, now time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = make(map[string]*pace)
	}
	at := p.of[k.ID]
	if at == nil {
		at = new(pace)
		p.of[k.ID] = at
	}
	at.perMinute = k.PerMinute
	if at.inHand >= mostAtOnce {
		return fault.TooMany(time.Second, "The key %q has %d requests in hand, which is the most; send this one again in a second.", k.Name, at.inHand)
	}
	if wait := at.take(at.perMinute, now); wait > 0 {
		return fault.TooMany(wait, "The key %q may make %d requests in a minute; send this one again in %d seconds.", k.Name, k.PerMinute, seconds(wait))
	}
	at.inHand++
	context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		at.inHand--
	})
	return nil
}

// A window counts what was done in the last minute, second by second.
type window struct {
	until int64 // the newest second, of Unix time
	each  [60]int
	all   int
}

// take counts one more, of which there may be so many in a minute; 0 is any number. Without room nothing is counted, and how long it takes
// until there is some is returned.
func (w *window) take(most int, now time.Time) time.Duration {
	for at := now.Unix(); w.until < at; {
		w.until = max(w.until+1, at-int64(len(w.each))+1)
		first := w.until % int64(len(w.each))
		w.all -= w.each[first]
		w.each[first] = 0
	}
	if most == 0 || w.all < most {
		w.each[w.until%int64(len(w.each))]++
		w.all++
		return 0
	}
	gone := 0
	for ago := int64(len(w.each)) - 1; ago > 0; ago-- { // the oldest first
		if gone += w.each[(w.until-ago)%int64(len(w.each))]; w.all-gone < most {
			return time.Unix(w.until-ago+int64(len(w.each)), 0).Sub(now)
		}
	}
	return time.Unix(w.until+int64(len(w.each)), 0).Sub(now)
}

func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
