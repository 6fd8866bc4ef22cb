package httpcall

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"chela/internal/channel"
	"chela/internal/fault"
)

// Direct returns a client that does not follow redirects, because one would take a token or a
// secret address along, and that sets no limit to a call, because each call has its own.
func Direct(c *http.Client) *http.Client {
	if c == nil {
		c = http.DefaultClient
	}
	own := *c
	own.Timeout = 0
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// Dialer returns a dialer of WebSockets that goes the way of the client: its proxy and its TLS.
func (c Client) Dialer() *websocket.Dialer {
	d := &websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: c.Within}
	t, ok := c.HTTP.Transport.(*http.Transport)
	if !ok || t == nil {
		return d
	}
	d.Proxy, d.NetDialContext = t.Proxy, t.DialContext
	if t.TLSClientConfig != nil {
		d.TLSClientConfig = t.TLSClientConfig.Clone()
		d.TLSClientConfig.NextProtos = slices.DeleteFunc(d.TLSClientConfig.NextProtos, func(p string) bool { return p == "h2" })
	}
	return d
}

// Base returns the address that a configuration reaches its platform at, which is home when the
// configuration names none.
func Base(c channel.Config, home string) (*url.URL, error) {
	base, err := url.Parse(strings.TrimRight(cmp.Or(c.BaseURL, home), "/"))
	if err != nil || base.Host == "" {
		return nil, fault.BadField("base_url", "It is an address such as https://proxy.example.com.")
	}
	return base, nil
}

// Duration reads a setting that is a time from least to most; otherwise is what it is when not set.
func Duration(settings map[string]string, name string, otherwise, least, most time.Duration) (time.Duration, error) {
	text := settings[name]
	if text == "" {
		return otherwise, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < least || d > most {
		return 0, fault.BadField(name, "It is a time from "+plain(least)+" to "+plain(most)+", such as "+plain(otherwise)+".")
	}
	return d, nil
}

// plain writes a time without the parts that are 0: 5m and not 5m0s.
func plain(d time.Duration) string {
	text := d.String()
	if s, ok := strings.CutSuffix(text, "m0s"); ok {
		text = s + "m"
	}
	if s, ok := strings.CutSuffix(text, "h0m"); ok {
		text = s + "h"
	}
	return text
}
