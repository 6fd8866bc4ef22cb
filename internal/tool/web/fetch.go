package web

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"chela/internal/fault"
	"chela/internal/netaddr"
	"chela/internal/tool"
)

// Bounds of a call.
const (
	connect      = 10 * time.Second
	whole        = 30 * time.Second
	maxRedirects = 5
	maxHeader    = 64 << 10 // bytes
)

// agentName is what servers are told.
const agentName = "Chela/1.0 (an agent that reads for a person)"

// A fetcher asks for addresses.
type fetcher struct {
	reach    Reach
	resolver *net.Resolver // nil is the system's
}

// An answer is what a server said.
type answer struct {
	url      *url.URL // that answered
	status   int
	kind     string // its content type
	body     []byte
	cut      bool   // there was more
	location string // of a redirect that was not followed
	hosts    hosts  // that had a part in it
	led      bool   // it was led on
	left     bool   // to elsewhere than what was asked
}

// ask asks for an address, with a header of its own, and reads at most limit bytes. Where the
// policy has rules about hosts, and after private data, it does not go on to another host.
func (f fetcher) ask(ctx context.Context, c tool.Call, raw string, own header, limit int) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, whole)
	defer cancel()
	u, err := netaddr.URL(raw)
	if err != nil {
		return answer{}, err
	}
	reach, err := f.reach(ctx)
	if err != nil {
		return answer{}, err
	}
	a := answer{url: u, hosts: hosts{u.Hostname()}}
	client := &http.Client{Transport: f.transport(reach), CheckRedirect: func(r *http.Request, via []*http.Request) error {
		return a.follow(r, via, reach.ByHost || tool.Private(c.Origins), own)
	}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return answer{}, fault.Wrap(err, fault.Invalid, "The address cannot be asked for.")
	}
	req.Header.Set("User-Agent", agentName)
	req.Header.Set("Accept", "text/html, text/*;q=0.9, */*;q=0.8")
	own.put(req)
	res, err := client.Do(req)
	if err != nil {
		return answer{}, f.unreachable(ctx, err, u, a)
	}
	defer func() { _ = res.Body.Close() }() // only read
	a.status, a.kind = res.StatusCode, res.Header.Get("Content-Type")
	a.body, err = io.ReadAll(io.LimitReader(res.Body, int64(limit)+1))
	if err != nil {
		return answer{}, f.unreachable(ctx, err, u, a)
	}
	if a.cut = len(a.body) > limit; a.cut {
		a.body = a.body[:limit]
	}
	return a, nil
}

// transport dials only what the policy permits. It takes no proxy from the environment,
// which would dial in its place, and keeps no connection.
func (f fetcher) transport(r netaddr.Reach) *http.Transport {
	d := &net.Dialer{Timeout: connect, Control: r.Control, Resolver: f.resolver}
	return &http.Transport{
		DialContext: d.DialContext, DisableKeepAlives: true, ForceAttemptHTTP2: true, TLSHandshakeTimeout: connect,
		MaxResponseHeaderBytes: maxHeader, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
}

// errEnough ends a chain of redirects.
var errEnough = fault.New(fault.Invalid, "The address leads on more than %d times.", maxRedirects)

// follow says whether a redirect is followed. It tells the next server nothing of the last.
func (a *answer) follow(r *http.Request, via []*http.Request, stay bool, own header) error {
	a.led = true
	if len(via) > maxRedirects {
		return errEnough
	}
	u, err := netaddr.URL(r.URL.String())
	if err != nil {
		return err
	}
	if stay && u.Hostname() != a.url.Hostname() {
		a.location = u.String()
		return http.ErrUseLastResponse
	}
	r.URL, a.url = u, u
	r.Header.Del("Referer")
	// Once elsewhere it is not sent again: who leads back would choose what is asked with it.
	if a.left = a.left || leaves(r, via[0].URL); a.left && own.name != "" {
		r.Header.Del(own.name)
	}
	if !slices.Contains(a.hosts, u.Hostname()) {
		a.hosts = append(a.hosts, u.Hostname())
	}
	return nil
}

// unreachable says in a sentence of ours why there is no answer. Of what servers say only
// addresses are in it.
func (f fetcher) unreachable(ctx context.Context, err error, first *url.URL, a answer) error {
	what := first.Host
	if a.led {
		what = "The address that " + what + " leads on to"
	}
	refused, isOurs := errors.AsType[*fault.Error](err)
	dns, isDNS := errors.AsType[*net.DNSError](err)
	_, isTLS := errors.AsType[*tls.CertificateVerificationError](err)
	timeout, isNet := errors.AsType[net.Error](err)
	switch {
	case isOurs && refused == errEnough:
		return refused
	case isOurs && a.led:
		return fault.Wrap(err, refused.Kind, "%s leads on to an address that is not opened. %s", first.Host, refused.Text)
	case isOurs:
		return refused
	case context.Cause(ctx) != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return context.Cause(ctx)
	case isDNS && dns.IsNotFound:
		return fault.Wrap(err, fault.NotFound, "%s does not exist: its name is not known. Check the spelling.", what)
	case isDNS:
		return fault.Wrap(err, fault.Unavailable, "The name of %s could not be looked up. Try again later.", what)
	case isTLS:
		return fault.Wrap(err, fault.Denied, "%s shows a certificate that is not trusted, so it was not read.", what)
	case context.Cause(ctx) != nil || isNet && timeout.Timeout():
		return fault.Wrap(err, fault.Unavailable, "%s did not answer in time (10 s to connect, 30 s in all).", what)
	}
	return fault.Wrap(err, fault.Unavailable, "%s could not be reached, or broke off.", what)
}
