package gateway

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"chela/internal/fault"
)

// Wrong tokens of one address: so many at once, then one a second. An answer beyond comes later.
const (
	freeWrongs  = 10
	wrongsEvery = time.Second
	wrongWaits  = time.Second
)

// What is kept of wrong tokens: addresses, and answers that are held back at the same time.
const (
	mostAddresses = 4096
	mostWaiting   = 256
)

// wrongs slow down who tries tokens. Right ones are never slowed, so that somebody behind the
// same address is not shut out. Safe for concurrent use.
type wrongs struct {
	mu      sync.Mutex // guards the rest
	by      map[netip.Addr]tries
	waiting int
	told    int       // refusals that were recorded since
	since   time.Time // begins the hour in which they are counted
}

// tries are what an address may get wrong.
type tries struct {
	left  float64
	at    time.Time
	wrong int       // since it had all tries
	told  time.Time // when that it is slowed was recorded last
}

// count counts a wrong token of an address and reports whether it is one too many.
func (w *wrongs) count(from netip.Addr, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	t, known := w.by[from]
	if !known {
		w.forget(now)
		t.left = freeWrongs
	} else {
		t.left = min(freeWrongs, t.left+float64(now.Sub(t.at))/float64(wrongsEvery))
	}
	if t.left == freeWrongs {
		t.wrong = 0
	}
	t.at = now
	t.wrong++
	slow := t.left < 1
	if !slow {
		t.left--
	}
	if w.by == nil {
		w.by = make(map[netip.Addr]tries)
	}
	w.by[from] = t
	return slow
}

// tell reports whether that an address is slowed has to be recorded now, takes it as recorded, and returns how many wrong tokens came.
func (w *wrongs) tell(from netip.Addr, now time.Time) (wrong int, due bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.by[from]
	if now.Sub(w.since) >= refusedEvery {
		w.told, w.since = 0, now
	}
	if now.Sub(t.told) < refusedEvery || w.told >= mostRefused {
		return 0, false
	}
	w.told++
	t.told = now
	w.by[from] = t
	return t.wrong, true
}

// forget makes room for an address: those that have all tries again are not needed, and when none
// has, any goes. The caller holds mu.
func (w *wrongs) forget(now time.Time) {
	if len(w.by) < mostAddresses {
		return
	}
	for a, t := range w.by {
		if now.Sub(t.at) >= freeWrongs*wrongsEvery {
			delete(w.by, a)
		}
	}
	for a := range w.by {
		if len(w.by) < mostAddresses {
			return
		}
		delete(w.by, a)
	}
}

// hold keeps an answer back, unless many are.
func (w *wrongs) hold(ctx context.Context) {
	w.mu.Lock()
	full := w.waiting >= mostWaiting
	if !full {
		w.waiting++
	}
	w.mu.Unlock()
	if full {
		return
	}
	wait := time.NewTimer(wrongWaits)
	defer wait.Stop()
	select {
	case <-ctx.Done():
	case <-wait.C:
	}
	w.mu.Lock()
	w.waiting--
	w.mu.Unlock()
}

// WrongToken is what is answered to a token that opens nothing.
func (h *Hall) WrongToken(ctx context.Context, err error) error {
	from, now := arrivalOf(ctx).from, time.Now()
	if err == nil || fault.KindOf(err) != fault.Unauthenticated || !h.wrongs.count(network(from), now) {
		return err
	}
	h.refused(ctx, from, now)
	h.wrongs.hold(ctx)
	return &status{fault.New(fault.Unauthenticated, "Many wrong tokens came from this address. Wait a second, then send the right one."), http.StatusTooManyRequests, "1"}
}
