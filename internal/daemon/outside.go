package daemon

import (
	"context"
	"net"
	"net/http"
	"time"

	"chela/internal/model"
	"chela/internal/netaddr"
)

// clientOutside returns a client that reaches what agents reach: no address inside that the policy does
// not list under network, whatever a name resolves to and wherever an answer leads. It goes
// through no proxy, which would dial for it.
func clientOutside(reach func(context.Context) (netaddr.Reach, error)) *http.Client {
	t := &http.Transport{ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		r, err := reach(ctx)
		if err != nil {
			return nil, err
		}
		d := net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Control: r.Control}
		return d.DialContext(ctx, network, address)
	}
	return &http.Client{Transport: t}
}

// guarded opens a provider whose address nobody granted who may with a client that stays outside.
func guarded(open model.Opener, out *http.Client) model.Opener {
	return func(p model.Provider, c *http.Client) (model.Model, error) {
		if p.From == "settings" && p.BaseURL != "" && !p.Inside {
			c = out
		}
		return open(p, c)
	}
}
