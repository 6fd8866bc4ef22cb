package gateway

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"chela/internal/fault"
)

// origins refuses requests that a page from elsewhere makes in somebody's browser: the
// Host must be one of ours, and the page of the same origin.
func (h *Hall) origins(next http.Handler) http.Handler {
	var crossOrigin http.CrossOriginProtection
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.ours(r.Host) {
			h.Fail(w, r, fault.New(fault.Denied, "The host %q is not one of this daemon's; name it with --host.", r.Host))
			return
		}
		if crossOrigin.Check(r) != nil || fromElsewhere(r) {
			h.Fail(w, r, fault.New(fault.Denied, "Pages from %q may not call this daemon.", cmp.Or(r.Header.Get("Origin"), "elsewhere")))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// fromElsewhere reports whether a page of another origin makes the request, be it only one that reads.
// Another port is another origin. A link from elsewhere may lead here.
func fromElsewhere(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "":
		o := r.Header.Get("Origin")
		if o == "" {
			return false
		}
		u, err := url.Parse(o)
		return err != nil || u.Scheme != "http" && u.Scheme != "https" || Secure(r) && u.Scheme != "https" || !strings.EqualFold(u.Host, r.Host)
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	return !reads || r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Origin") != ""
}

func (h *Hall) ours(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if ip := net.ParseIP(name); ip != nil && ip.IsLoopback() {
		return true
	}
	return name == "localhost" || slices.Contains(h.opts.Hosts, name)
}

// Asked is how somebody asks: under which host, by TLS or not, and from the page of which origin.
type Asked struct {
	Host   string
	TLS    bool   // as [SecureContext] says
	Origin string // as the header says it; empty for who is no page
}

// Origin returns the origin by which whoever asked reaches the daemon, such as https://chela.example.com, and whether
// they ask from the page. The page knows it also behind a proxy that speaks TLS for us; only one of our hosts is believed.
func (h *Hall) Origin(a Asked) (origin string, page bool) {
	u, err := url.Parse(a.Origin)
	if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && h.ours(u.Host) {
		return u.Scheme + "://" + u.Host, true
	}
	at := url.URL{Scheme: "http", Host: a.Host}
	if a.TLS {
		at.Scheme = "https"
	}
	return at.String(), false
}
