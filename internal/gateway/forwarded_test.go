package gateway

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"testing"
	"time"

	"chela/internal/event"
)

func proxies(networks ...string) (p Proxies) {
	for _, n := range networks {
		p.Trusted = append(p.Trusted, netip.MustParsePrefix(n))
	}
	return p
}

// TestArrived_WhoIsBelieved: only the word of a trusted proxy counts, and of what it handed on only what trusted ones wrote.
func TestArrived_WhoIsBelieved(t *testing.T) {
	t.Parallel()
	one := proxies("10.0.0.1/32", "127.0.0.0/8", "fd00::/8")
	rfc := one
	rfc.Forwarded = true
	const x, proto, rfc7239 = "X-Forwarded-For", "X-Forwarded-Proto", "Forwarded"
	for name, c := range map[string]struct {
		proxies Proxies
		peer    string
		tls     bool
		headers []string
		from    string
		secure  bool
		doubted bool
	}{
		"nothing is said":                   {one, "10.0.0.1:9", false, nil, "10.0.0.1", false, false},
		"nobody is trusted":                 {Proxies{}, "127.0.0.1:9", false, []string{x, "192.0.2.7", proto, "https"}, "127.0.0.1", false, true},
		"a stranger":                        {one, "192.0.2.9:9", false, []string{x, "192.0.2.7", proto, "https", rfc7239, "for=192.0.2.7;proto=https", "X-Real-Ip", "192.0.2.7"}, "192.0.2.9", false, true},
		"a stranger by TLS":                 {one, "192.0.2.9:9", true, []string{proto, "http"}, "192.0.2.9", true, true},
		"a proxy":                           {one, "10.0.0.1:9", false, []string{x, "192.0.2.7", proto, "https"}, "192.0.2.7", true, false},
		"a proxy of IPv6":                   {one, "[fd00::5%eth0]:9", false, []string{x, "2001:db8::7", proto, "HTTPS"}, "2001:db8::7", true, false},
		"an IPv4 address in IPv6":           {one, "[::ffff:10.0.0.1]:9", false, []string{x, "::ffff:192.0.2.7"}, "192.0.2.7", false, false},
		"with ports":                        {one, "10.0.0.1:9", false, []string{x, "[2001:db8::7]:443"}, "2001:db8::7", false, false},
		"plain before TLS between machines": {one, "10.0.0.1:9", true, []string{x, "192.0.2.7", proto, "http"}, "192.0.2.7", false, false},
		"what the client wrote itself":      {one, "10.0.0.1:9", false, []string{x, "203.0.113.1, 127.0.0.1, 192.0.2.7", proto, "http"}, "192.0.2.7", false, false},
		"in lines of its own":               {one, "10.0.0.1:9", false, []string{x, "203.0.113.1", x, "192.0.2.7", proto, "https", proto, "http"}, "192.0.2.7", false, false},
		"a proxy before a proxy":            {one, "10.0.0.1:9", false, []string{x, "203.0.113.1, 192.0.2.7, 127.0.0.3", proto, "https"}, "192.0.2.7", true, false},
		"each with its scheme":              {one, "10.0.0.1:9", false, []string{x, "192.0.2.7, 127.0.0.3", proto, "http, https, http"}, "192.0.2.7", true, false},
		"proxies alone":                     {one, "10.0.0.1:9", false, []string{x, "127.0.0.3"}, "127.0.0.3", false, false},
		"no address":                        {one, "10.0.0.1:9", false, []string{x, "192.0.2.7, unknown", proto, "https"}, "10.0.0.1", true, false},
		"an empty word":                     {one, "10.0.0.1:9", false, []string{x, "192.0.2.7,"}, "10.0.0.1", false, false},
		"a scheme alone":                    {one, "10.0.0.1:9", false, []string{proto, "https"}, "10.0.0.1", true, false},
		"no scheme":                         {one, "10.0.0.1:9", true, []string{x, "192.0.2.7", proto, "gopher"}, "192.0.2.7", true, false},
		"Forwarded that nobody writes":      {one, "10.0.0.1:9", false, []string{rfc7239, "for=203.0.113.1;proto=https", x, "192.0.2.7"}, "192.0.2.7", false, false},
		"X-Real-IP":                         {one, "10.0.0.1:9", false, []string{"X-Real-Ip", "192.0.2.7"}, "10.0.0.1", false, false},

		"Forwarded":                       {rfc, "10.0.0.1:9", false, []string{rfc7239, `by=10.0.0.1; For="[2001:db8::7]:4711"; proto=https`}, "2001:db8::7", true, false},
		"Forwarded of two":                {rfc, "10.0.0.1:9", false, []string{rfc7239, `for=203.0.113.1, for=192.0.2.7;proto=https, for=127.0.0.3;proto=http`}, "192.0.2.7", true, false},
		"X-Forwarded-For that is not his": {rfc, "10.0.0.1:9", false, []string{x, "203.0.113.1", proto, "https", rfc7239, "for=192.0.2.7"}, "192.0.2.7", false, false},
		"a quote that is not closed":      {rfc, "10.0.0.1:9", false, []string{rfc7239, `for="203.0.113.1, for=192.0.2.7;proto=http`}, "192.0.2.7", false, false},
		"a quote over all":                {rfc, "10.0.0.1:9", false, []string{rfc7239, `for=192.0.2.7;x="`}, "10.0.0.1", false, false},
		"a comma in quotes":               {rfc, "10.0.0.1:9", false, []string{rfc7239, `for=203.0.113.1, for=192.0.2.7;x="a,b"`}, "192.0.2.7", false, false},
		"who hides":                       {rfc, "10.0.0.1:9", false, []string{rfc7239, `for=203.0.113.1, for="_hidden";proto=https`}, "10.0.0.1", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			r.RemoteAddr = c.peer
			if c.tls {
				r.TLS = new(tls.ConnectionState)
			}
			for i := 0; i < len(c.headers); i += 2 {
				r.Header.Add(c.headers[i], c.headers[i+1])
			}
			said := r.Header.Clone()
			var got arrival
			h := New(nil, Options{Proxies: c.proxies})
			h.arrived(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = arrivalOf(r.Context())
				if Secure(r) != got.tls || SecureContext(r.Context()) != got.tls {
					t.Error("whether it is secure is said in two ways")
				}
				for _, name := range forwarding {
					if r.Header.Get(name) != "" {
						t.Errorf("%s reaches a door", name)
					}
				}
			})).ServeHTTP(nil, r)
			if want := (arrival{netip.MustParseAddr(c.from), c.secure, c.doubted}); got != want {
				t.Errorf("it came %+v, want %+v", got, want)
			}
			if len(said) != len(r.Header) {
				t.Error("the request of the server was changed")
			}
		})
	}
}

// FuzzFollow: whatever a client writes before it, what the trusted proxy adds at the end is what counts.
func FuzzFollow(f *testing.F) {
	f.Add("203.0.113.1", "http")
	f.Add(`for="203.0.113.1`, `",";`)
	f.Add(`for=127.0.0.1;proto=http, "`, "https,https")
	f.Fuzz(func(t *testing.T, before, proto string) {
		for _, p := range []Proxies{{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}}, {Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}, Forwarded: true}} {
			h := http.Header{forwardedFor: {before, "192.0.2.7"}, forwardedProto: {proto, "https"}, forwarded: {before, "for=192.0.2.7;proto=https"}}
			if got, want := p.follow(arrival{from: netip.MustParseAddr("10.0.0.1")}, h), (arrival{from: netip.MustParseAddr("192.0.2.7"), tls: true}); got != want {
				t.Errorf("after %q and %q it came %+v, want %+v", before, proto, got, want)
			}
		}
	})
}

// TestDoubts_AreFew keeps the addresses of few proxies, and forgets them after a day.
func TestDoubts_AreFew(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	s := &clocked{mint: event.NewMint(now)}
	h := New(s, Options{})
	for i := range byte(20) {
		h.doubts.note(netip.AddrFrom4([4]byte{10, 0, 0, i}), now)
	}
	if got := h.Doubted(); len(got) != mostDoubts || got[0] != "10.0.0.0" {
		t.Errorf("%v are kept, want %d", got, mostDoubts)
	}
	now = now.Add(doubtLasts + time.Minute)
	s.mint = event.NewMint(now)
	h.doubts.note(netip.MustParseAddr("10.0.1.1"), now)
	if got := h.Doubted(); !slices.Equal(got, []string{"10.0.1.1"}) {
		t.Errorf("%v are kept a day later", got)
	}
}

// A clocked is a store that knows the time alone.
type clocked struct {
	Store

	mint *event.Mint
}

func (c *clocked) Mint() *event.Mint { return c.mint }
