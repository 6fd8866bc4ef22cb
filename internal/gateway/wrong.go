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
}

// tries are what an address may get wrong.
type tries struct {
	left float64
	at   time.Time
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
	t.at = now
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

type addressKey struct{}

// addressed notes where a request comes from.
func addressed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), addressKey{}, r.RemoteAddr)))
	})
}

// addressOf is where a request comes from; a network of IPv6 is one address.
func addressOf(ctx context.Context) netip.Addr {
	at, _ := ctx.Value(addressKey{}).(string) // none in a test
	port, err := netip.ParseAddrPort(at)
	if err != nil {
		return netip.Addr{}
	}
	addr := port.Addr().Unmap().WithZone("")
	if addr.Is6() {
		net, _ := addr.Prefix(64) // every address of IPv6 has one
		return net.Addr()
	}
	return addr
}

// WrongToken is what is answered to a token that opens nothing.
func (h *Hall) WrongToken(ctx context.Context, err error) error {
	if err == nil || fault.KindOf(err) != fault.Unauthenticated || !h.wrongs.count(addressOf(ctx), time.Now()) {
		return err
	}
	h.wrongs.hold(ctx)
	return &status{fault.New(fault.Unauthenticated, "Many wrong tokens came from this address. Wait a second, then send the right one."), http.StatusTooManyRequests, "1"}
}
