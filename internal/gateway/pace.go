package gateway

import (
	"context"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

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
	perMinute int
	limit     *rate.Limiter // nil is no bound
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
	if at == nil || at.perMinute != k.PerMinute {
		at = &pace{perMinute: k.PerMinute}
		if k.PerMinute > 0 {
			at.limit = rate.NewLimiter(rate.Limit(float64(k.PerMinute)/60), max(1, k.PerMinute/6))
		}
		p.of[k.ID] = at
	}
	if at.inHand >= mostAtOnce {
		return fault.TooMany(time.Second, "The key %q has %d requests in hand, which is the most; send this one again in a second.", k.Name, at.inHand)
	}
	if at.limit != nil {
		r := at.limit.ReserveN(now, 1)
		if wait := r.DelayFrom(now); wait > 0 {
			r.CancelAt(now)
			return fault.TooMany(wait, "The key %q may make %d requests in a minute; send this one again in %d seconds.", k.Name, k.PerMinute, seconds(wait))
		}
	}
	at.inHand++
	context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		at.inHand--
	})
	return nil
}

func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }
