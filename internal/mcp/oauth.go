package mcp

import (
	"net/url"

	"chela/internal/fault"
)

// OAuth is as which client a login with a server is asked for. Without it, the server's authorization server is told of us.
type OAuth struct {
	ClientID string `json:"clientId,omitempty" doc:"as which the authorization server knows us"`
	Secret   string `json:"secret,omitempty" doc:"the name of the secret of the vault with the client's secret"`
	Metadata string `json:"metadata,omitempty" doc:"https address of a client ID metadata document, in place of clientId"`
	Issuer   string `json:"issuer,omitempty" doc:"the only authorization server at which clientId is used"`
}

// check reports the first thing wrong with how a login is asked for.
func (s Server) checkOAuth() error {
	o := s.OAuth
	switch {
	case o == nil:
		return nil
	case s.URL == "" || s.SSE:
		return fault.BadField("oauth", "A login is asked for by a server with an address, of the newer transport.")
	case o.Secret != "" && o.ClientID == "":
		return fault.BadField("oauth.clientId", "A client's secret belongs to its id.")
	case o.Metadata == "":
		return nil
	}
	if u, err := url.Parse(o.Metadata); err != nil || u.Scheme != "https" || u.Host == "" || u.Path == "" {
		return fault.BadField("oauth.metadata", "It is an address that begins with https:// and has a path.")
	}
	return nil
}
