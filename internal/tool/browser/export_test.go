package browser

import (
	"context"
	"net"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// With changes how names are resolved, and gives Chromium further flags.
func (o Options) With(r *net.Resolver, flags ...chromedp.ExecAllocatorOption) Options {
	o.resolver, o.flags = r, flags
	return o
}

// Loading gives pages less time.
func (o Options) Loading(limit time.Duration) Options {
	o.load = limit
	return o
}

// A Proxy is the way out of a browser.
type Proxy struct{ *proxy }

// NewProxy starts a proxy.
func NewProxy(ctx context.Context, p Reach, r *net.Resolver) (Proxy, error) {
	out, err := newProxy(ctx, p, r)
	if err == nil {
		out.onward = func(context.Context, string) error { return nil }
	}
	return Proxy{out}, err
}

// Address is where it listens.
func (p Proxy) Address() string { return p.address() }

// Secret is what it wants.
func (p Proxy) Secret() string { return p.secret }

// Close ends it.
func (p Proxy) Close() { p.close() }

// Open counts the sessions that are open.
func (b *Browsers) Open() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.sessions)
}

// Alive reports whether the session of a conversation runs.
func (b *Browsers) Alive(thread string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.sessions[thread]
	return s != nil && s.alive()
}

// Rested waits until sessions that are being closed are closed.
func (b *Browsers) Rested() { b.work.Wait() }

// Outline tells a tree.
func Outline(nodes []*accessibility.Node) (string, map[string]cdp.BackendNodeID) {
	o := outline{refs: make(map[string]cdp.BackendNodeID)}
	o.add(nodes)
	return o.text(), o.refs
}

// ForModels returns a picture as models take it.
var ForModels = forModels

// ShownBytes and ShownSide bound such a picture.
const (
	ShownBytes = shownBytes
	ShownSide  = shownSide
)
