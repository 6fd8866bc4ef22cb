package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"chela/internal/fault"
	"chela/internal/pattern"
	"chela/internal/tool"
)

// A header is one that carries a secret, to the server that was asked and to no other.
type header struct {
	name  string // "" is none
	value tool.Secret
}

// authorization is where a secret goes when nothing else is said.
const authorization = "Authorization"

// ours are headers that belong to the connection, not to who asks.
var ours = []string{"Host", "Connection", "Content-Length", "Transfer-Encoding", "Te", "Trailer", "Upgrade", "Expect", "Proxy-Authorization", "Proxy-Connection", "Range"}

// ownScheme finds a value that says itself how it authorizes, as in "Basic dXNlcg==".
var ownScheme = pattern.New(`^[A-Za-z][A-Za-z-]* +\S+$`)

func headerName(name string) string {
	if name == "" {
		return authorization
	}
	return http.CanonicalHeaderKey(name)
}

// headerOf is the header that a call asks for.
func headerOf(c tool.Call, secret, name string) (header, error) {
	if secret == "" {
		if name != "" {
			return header{}, fault.BadField("header", "It is the header of a secret, and secret names none.")
		}
		return header{}, nil
	}
	h := header{name: headerName(name)}
	if !httpguts.ValidHeaderFieldName(h.name) || slices.Contains(ours, h.name) {
		return header{}, fault.BadField("header", "No secret is sent in a header of this name.")
	}
	value, ok := c.Secrets[secret]
	if !ok {
		return header{}, fault.New(fault.Denied, "The secret %s was not given to this call.", secret)
	}
	text := strings.TrimSpace(value.Reveal())
	if !httpguts.ValidHeaderFieldValue(text) || strings.ContainsAny(text, "\r\n") {
		return header{}, fault.New(fault.Invalid, "The secret %s has several lines or other characters that no header holds.", secret)
	}
	if h.name == authorization && !ownScheme.MatchString(text) {
		text = "Bearer " + text
	}
	h.value = tool.Secret(text)
	return h, nil
}

// put sets the header for the first server.
func (h header) put(r *http.Request) {
	if h.name != "" {
		r.Header.Set(h.name, h.value.Reveal())
	}
}

// leaves reports whether a request goes elsewhere than to where the first went, to which alone
// the header is sent.
func leaves(r *http.Request, first *url.URL) bool {
	return r.URL.Scheme != first.Scheme || r.URL.Host != first.Host
}
