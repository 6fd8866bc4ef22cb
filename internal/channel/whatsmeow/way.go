//go:build whatsmeow

package whatsmeow

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxFile is the largest file that we fetch.
const maxFile = 100 << 20

// A way carries what goes to WhatsApp: to its own hosts only, since a message may name any address of a file, or all
// of it to a proxy.
type way struct {
	next http.RoundTripper
	base *url.URL // none is WhatsApp's own
}

// over returns a client that does not follow and sets no limit to a call, because each has its own.
func over(c *http.Client, base *url.URL) *http.Client {
	w := way{next: http.DefaultTransport, base: base}
	if c != nil && c.Transport != nil {
		w.next = c.Transport
	}
	return &http.Client{Transport: w, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// RoundTrip implements [http.RoundTripper].
func (w way) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := ofWhatsApp(r.URL); err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // it is not sent
		}
		return nil, err
	}
	if w.base != nil {
		r = r.Clone(r.Context())
		r.URL.Scheme, r.URL.Host, r.Host = w.base.Scheme, w.base.Host, ""
		r.URL.Path, r.URL.RawPath = w.base.Path+r.URL.Path, ""
	}
	resp, err := w.next.RoundTrip(r)
	if err == nil && resp.StatusCode != http.StatusSwitchingProtocols {
		resp.Body = &bounded{resp.Body, maxFile + 1<<10}
	}
	return resp, err
}

// ofWhatsApp says that an address is none of WhatsApp's.
func ofWhatsApp(u *url.URL) error {
	host := u.Hostname()
	for _, domain := range []string{"whatsapp.com", "whatsapp.net", "fbcdn.net"} {
		if u.Scheme == "https" && u.User == nil && u.Port() == "" && (host == domain || strings.HasSuffix(host, "."+domain)) {
			return nil
		}
	}
	return errors.New("the address at " + oneLine(u.Host) + " is not WhatsApp's")
}

// bounded is a body that ends with an error when more comes than may.
type bounded struct {
	io.ReadCloser
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left+1)])
	if b.left -= n; b.left < 0 {
		return 0, errors.New("more came than the 100 MB that a file may have")
	}
	return n, err
}
