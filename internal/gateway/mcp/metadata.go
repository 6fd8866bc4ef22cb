package mcp

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"chela/internal/fault"
	"chela/internal/gateway"
)

// metadataPath is where clients learn how the door is opened (RFC 9728), followed by the door's own path.
const metadataPath = "/.well-known/oauth-protected-resource"

// metadataDoors are open to everybody: they say no more than that a key is a bearer token.
func metadataDoors() []gateway.Door {
	var out []gateway.Door
	for _, at := range []string{"", "/mcp", "/mcp/sse", serversPath} {
		out = append(out, gateway.Door{Path: metadataPath + at, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { metadata(w, r, at) })})
	}
	return out
}

// metadata describes the door at a path; "" is /mcp. Keys are made in Chela, so no authorization server is named.
func metadata(w http.ResponseWriter, r *http.Request, at string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "Only GET is taken here.", http.StatusMethodNotAllowed)
		return
	}
	switch at {
	case "":
		at = "/mcp"
	case serversPath:
		at = strings.TrimPrefix(r.URL.Path, metadataPath)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "max-age=3600")
	_ = json.NewEncoder(w).Encode(oauthex.ProtectedResourceMetadata{ // the client is gone
		Resource: origin(r) + at, BearerMethodsSupported: []string{"header"}, ResourceName: "Chela",
	})
}

// origin is where a client has found us.
func origin(r *http.Request) string {
	if gateway.Secure(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// challenge says to who is not known how the door is opened.
func challenge(w http.ResponseWriter, r *http.Request, err error) {
	if fault.KindOf(err) == fault.Unauthenticated {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+origin(r)+metadataPath+r.URL.Path+`"`)
	}
}
