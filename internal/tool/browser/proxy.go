package browser

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"chela/internal/fault"
	"chela/internal/netaddr"
	"chela/internal/tool"
)

// A proxy is the only way out of one Chromium. It listens on loopback, wants a secret that
// only that Chromium is told, and dials only what the policy permits when it dials: pages,
// what they load, where they lead, and the tunnels of https and WebSockets.
type proxy struct {
	reach    Reach
	resolver *net.Resolver // nil is the system's
	listener net.Listener
	server   *http.Server
	secret   string
	mark     string // of answers that are the proxy's own
	ctx      context.Context
	cancel   context.CancelFunc
	work     sync.WaitGroup

	mu      sync.Mutex // guards the rest
	refused []refusal  // since they were last taken
	onward  tool.Onward
	own     map[string]tool.Onward // of the calls that were about a host, by it
}

// A refusal is a connection that was not made.
type refusal struct {
	host string // with its port, as it was asked for
	text string // a sentence
}

const (
	connect    = 10 * time.Second
	maxRefused = 20
	user       = "chela"
	readyHost  = "chela.invalid" // answers by itself, so that Chromium learns the secret
	markHeader = "Chela-Proxy"
)

// newProxy starts a proxy that ends with ctx or close.
func newProxy(ctx context.Context, reach Reach, resolver *net.Resolver) (*proxy, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The browser has no way out: no port of this machine is free.")
	}
	p := &proxy{reach: reach, resolver: resolver, listener: l, secret: rand.Text(), mark: rand.Text(), own: make(map[string]tool.Onward)}
	p.ctx, p.cancel = context.WithCancel(ctx)
	p.server = &http.Server{
		Handler: p, ReadHeaderTimeout: connect, MaxHeaderBytes: 256 << 10, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return p.ctx },
	}
	p.work.Go(func() { _ = p.server.Serve(l) }) // it ends when it is closed
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// close ends the proxy with all its tunnels.
func (p *proxy) close() {
	p.cancel()
	_ = p.server.Close() // nothing is left to be said
	p.work.Wait()
}

// take returns what was refused since it was last asked.
func (p *proxy) take() []refusal {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.refused
	p.refused = nil
	return out
}

// follow has the proxy go where a call may go on to. What a call was about may go on to where
// that call might, also when the next is about another host.
func (p *proxy) follow(address string, onward tool.Onward) {
	u, err := netaddr.URL(address)
	if err != nil {
		return // the call says so
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onward = onward
	p.own[u.Hostname()] = onward
}

// errNowhere is that Chromium asked for something by itself.
var errNowhere = errors.New("it leads nowhere")

// judge refuses a host that the rules keep out of pages: of a document, of anything that it
// loads, of a worker, of a WebSocket.
func (p *proxy) judge(ctx context.Context, scheme, host string) error {
	to := url.URL{Scheme: scheme, Host: asRuled(host), Path: "/"}
	if to.Hostname() == nowhere {
		return errNowhere
	}
	p.mu.Lock()
	onward := p.own[to.Hostname()]
	if onward == nil {
		onward = p.onward
	}
	p.mu.Unlock()
	if onward == nil {
		return fault.New(fault.Denied, "Nobody has said where the browser may go.")
	}
	return onward(ctx, to.String())
}

// asRuled writes a host that Chromium names as rules about hosts do: it has lower-case ASCII
// and addresses in their usual form already, but names may end with a dot.
func asRuled(host string) string {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	name = strings.ToLower(strings.TrimRight(strings.Trim(name, "[]"), "."))
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	if port != "" {
		name += ":" + port
	}
	return name
}

// dial connects to what the policy permits now.
func (p *proxy) dial(ctx context.Context, network, address string) (net.Conn, error) {
	reach, err := p.reach(ctx)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: connect, Control: reach.Control, Resolver: p.resolver}
	return d.DialContext(ctx, network, address)
}

// ServeHTTP answers Chromium, and nobody else.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.knows(r) {
		w.Header().Set("Proxy-Authenticate", `Basic realm="chela"`)
		p.say(w, http.StatusProxyAuthRequired, "This is the way out of a browser of Chela's, and not of anybody else.")
		return
	}
	switch {
	case r.Method == http.MethodConnect:
		p.tunnel(w, r)
	case r.URL.Scheme != "http" || r.URL.Host == "":
		p.say(w, http.StatusBadRequest, "This is a proxy.")
	case r.URL.Host == readyHost:
		p.say(w, http.StatusOK, "Ready.")
	default:
		p.forward(w, r)
	}
}

func (p *proxy) knows(r *http.Request) bool {
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+p.secret))
	return subtle.ConstantTimeCompare([]byte(r.Header.Get("Proxy-Authorization")), []byte(want)) == 1
}

func (p *proxy) say(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set(markHeader, p.mark)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // nobody is left to hear that it failed
}

// fail says why there is no connection to a host.
func (p *proxy) fail(w http.ResponseWriter, host string, err error) {
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		p.mu.Lock()
		if r := (refusal{host, refused.Text}); len(p.refused) < maxRefused && !slices.Contains(p.refused, r) {
			p.refused = append(p.refused, r)
		}
		p.mu.Unlock()
		p.say(w, http.StatusForbidden, refused.Text)
		return
	}
	p.say(w, http.StatusBadGateway, "The host cannot be reached.")
}

// forward passes on a request without encryption. No connection is kept, so that each is
// judged.
func (p *proxy) forward(w http.ResponseWriter, r *http.Request) {
	if err := p.judge(r.Context(), "http", r.URL.Host); err != nil {
		p.fail(w, r.URL.Host, err)
		return
	}
	t := &http.Transport{DialContext: p.dial, DisableKeepAlives: true, DisableCompression: true}
	defer t.CloseIdleConnections()
	(&httputil.ReverseProxy{
		Transport: t, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(out *httputil.ProxyRequest) { out.Out.Header.Del("Proxy-Authorization") },
		ModifyResponse: func(res *http.Response) error {
			res.Header.Del(markHeader)
			res.Header.Del("Proxy-Authenticate")
			if res.StatusCode == http.StatusProxyAuthRequired { // would make Chromium forget the secret
				return errors.New("a server wants to be a proxy")
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { p.fail(w, r.URL.Host, err) },
	}).ServeHTTP(w, r)
}

// tunnel connects Chromium to a host and passes on what both say until one has ended.
func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	var out net.Conn
	err := p.judge(r.Context(), "https", r.Host)
	if err == nil {
		out, err = p.dial(r.Context(), "tcp", r.Host)
	}
	if err != nil {
		p.fail(w, r.Host, err)
		return
	}
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		_ = out.Close() // unused
		p.say(w, http.StatusInternalServerError, "There are no tunnels here.")
		return
	}
	in, buffered, err := hijacker.Hijack()
	if err != nil {
		_ = out.Close() // unused
		return
	}
	stop := context.AfterFunc(p.ctx, func() { _, _ = in.Close(), out.Close() })
	defer stop()
	defer func() { _, _ = in.Close(), out.Close() }() // both have ended
	if _, err := io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(out, buffered.Reader) // a tunnel ends when it ends
		if c, ok := out.(*net.TCPConn); ok {
			_ = c.CloseWrite() // the other side may have ended already
		}
	}()
	_, _ = io.Copy(in, out) // a tunnel ends when it ends
	_ = in.Close()          // wakes the other direction
	<-done
}
