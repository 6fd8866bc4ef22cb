package gateway

import (
	"context"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// Proxies are programs before the daemon that hand requests on. What a request says of where it came from is believed of them
// alone: anybody can write a header. The zero value believes nobody.
type Proxies struct {
	Trusted []netip.Prefix
	// Forwarded has them say it in the header Forwarded (RFC 7239); else they say it in X-Forwarded-For and X-Forwarded-Proto. It is
	// one or the other: a proxy hands on what it does not know, so its clients could write the one that it does not.
	Forwarded bool
}

// The headers in which a proxy says for whom a request comes.
const (
	forwardedFor   = "X-Forwarded-For"
	forwardedProto = "X-Forwarded-Proto"
	forwarded      = "Forwarded"
)

// forwarding are all headers by which a request says where it came from. None of them goes on to a door.
var forwarding = []string{forwardedFor, forwardedProto, forwarded, "X-Forwarded-Host", "X-Real-Ip"}

// An arrival is how a request came, as its sender has it: from which address, and whether by TLS.
type arrival struct {
	from    netip.Addr
	tls     bool
	doubted bool // it said something of that, and was not believed
}

type arrivalKey struct{}

// arrivalOf is how the request of ctx came; the zero arrival where that is not known.
func arrivalOf(ctx context.Context) arrival {
	a, _ := ctx.Value(arrivalKey{}).(arrival)
	return a
}

// Secure reports whether whoever asks reached us by TLS, be it up to a proxy that is trusted.
func Secure(r *http.Request) bool {
	if a, ok := r.Context().Value(arrivalKey{}).(arrival); ok {
		return a.tls
	}
	return r.TLS != nil
}

// SecureContext is [Secure] of the request of ctx.
func SecureContext(ctx context.Context) bool { return arrivalOf(ctx).tls }

// arrived notes how a request came, and takes out of it what it says of that.
func (h *Hall) arrived(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer, _ := hostOf(r.RemoteAddr) // none in some tests
		a := arrival{from: peer, tls: r.TLS != nil}
		if slices.ContainsFunc(forwarding, func(name string) bool { return len(r.Header[name]) > 0 }) {
			if h.opts.Proxies.trust(peer) {
				a = h.opts.Proxies.follow(a, r.Header)
			} else {
				a.doubted = true
			}
			r = r.Clone(r.Context())
			for _, name := range forwarding {
				r.Header.Del(name)
			}
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), arrivalKey{}, a)))
	})
}

func (p Proxies) trust(a netip.Addr) bool {
	return slices.ContainsFunc(p.Trusted, func(n netip.Prefix) bool { return n.Contains(a) })
}

// follow goes back from one proxy to the one before it, as long as they are trusted. Each has added its word at the end: what stands
// before the word of the first that is not trusted, anybody can have written.
func (p Proxies) follow(a arrival, h http.Header) arrival {
	word := alongside(strings.Join(h[forwardedFor], ","), strings.Join(h[forwardedProto], ","))
	if p.Forwarded {
		word = elements(strings.Join(h[forwarded], ","))
	}
	for p.trust(a.from) {
		from, proto, ok := word()
		if !ok {
			return a
		}
		switch strings.ToLower(proto) {
		case "https", "wss":
			a.tls = true
		case "http", "ws":
			a.tls = false
		}
		addr, known := hostOf(from)
		if !known { // "unknown", or a name that hides it
			return a
		}
		a.from = addr
	}
	return a
}

// alongside returns what reads the words of X-Forwarded-For and X-Forwarded-Proto, the last first.
func alongside(addresses, protos string) func() (from, proto string, ok bool) {
	return func() (from, proto string, ok bool) {
		ok = addresses != "" || protos != ""
		addresses, from = cutLast(addresses)
		protos, proto = cutLast(protos)
		return from, proto, ok
	}
}

// cutLast splits the last word off a list.
func cutLast(list string) (rest, last string) {
	if i := strings.LastIndexByte(list, ','); i >= 0 {
		return list[:i], strings.TrimSpace(list[i+1:])
	}
	return "", strings.TrimSpace(list)
}

// elements returns what reads the words of Forwarded, the last first. It is read from its end: what a client wrote before, as a quote
// that is not closed, does not reach into the word that a proxy added.
func elements(list string) func() (from, proto string, ok bool) {
	return func() (from, proto string, ok bool) {
		end := len(list)
		for at := end; at >= 0 && end > 0; {
			at = strings.LastIndexByte(list[:at], ',')
			if word := list[at+1 : end]; strings.Count(word, `"`)%2 == 0 {
				list = list[:max(at, 0)]
				from, proto = pairs(word)
				return from, proto, true
			}
		}
		list = ""
		return "", "", false
	}
}

// pairs reads one word of Forwarded.
func pairs(word string) (from, proto string) {
	for pair := range strings.SplitSeq(word, ";") {
		name, value, _ := strings.Cut(pair, "=")
		value = strings.Trim(strings.TrimSpace(value), `"`)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "for":
			from = value
		case "proto":
			proto = value
		}
	}
	return from, proto
}

// hostOf reads an address that may have a port. An IPv4 address within an IPv6 one is itself.
func hostOf(text string) (netip.Addr, bool) {
	a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	if err != nil {
		at, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}, false
		}
		a = at.Addr()
	}
	return a.Unmap().WithZone(""), true
}

// network is what an address counts as where wrong tokens are counted: of IPv6 a network is one address.
func network(a netip.Addr) netip.Addr {
	if a.Is6() {
		net, _ := a.Prefix(64) // every address of IPv6 has one
		return net.Addr()
	}
	return a
}

// What is kept of those that were not believed.
const (
	mostDoubts = 8
	doubtLasts = 24 * time.Hour
)

// doubts are addresses that came with a word of a proxy and a right token, and are not trusted. A stranger is not among them, so that
// nobody fills the list. Safe for concurrent use.
type doubts struct {
	mu sync.Mutex // guards of
	of map[netip.Addr]time.Time
}

func (d *doubts) note(a netip.Addr, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.of, func(_ netip.Addr, at time.Time) bool { return now.Sub(at) >= doubtLasts })
	if _, known := d.of[a]; !known && len(d.of) >= mostDoubts {
		return
	}
	if d.of == nil {
		d.of = make(map[netip.Addr]time.Time)
	}
	d.of[a] = now
}

// Doubted returns the addresses from which, within a day, callers came for whom a proxy spoke that is not trusted.
func (h *Hall) Doubted() []string {
	now := h.store.Mint().Now()
	h.doubts.mu.Lock()
	defer h.doubts.mu.Unlock()
	var out []string
	for a, at := range h.doubts.of {
		if a.IsValid() && now.Sub(at) < doubtLasts {
			out = append(out, a.String())
		}
	}
	slices.Sort(out)
	return out
}
