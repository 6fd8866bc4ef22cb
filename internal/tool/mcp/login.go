package mcp

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/mcp"
	"chela/internal/run"
)

// Grants keep what logins gave, where no call can ask for it.
type Grants interface {
	Keep(ctx context.Context, by event.Party, name, value string, drafts ...event.Draft) error
	Kept(ctx context.Context, name string) (string, error)
}

// loginTime is how long a person may take to log in.
const loginTime = 10 * time.Minute

// mostGrant bounds the answers of an authorization server, in bytes.
const mostGrant = 1 << 20

// A door is how a server is logged in to. The mutex of all servers guards it.
type door struct {
	tokens    oauth2.TokenSource // nil without a login
	read      bool               // what is kept was looked at
	challenge *challenge         // the last refusal, which a login answers; nil when there is none
	handler   *auth.AuthorizationCodeHandler
	redirect  string      // of the handler
	by        event.Party // who logged in last
}

// A challenge is what a server said to whom it does not let in.
type challenge struct {
	request *http.Request
	status  int
	header  http.Header
}

// A login is one that a person is at.
type login struct {
	back   string                         // the place of the page at which they began it; "" is elsewhere
	at     chan string                    // where they give it, with room for one
	answer chan *auth.AuthorizationResult // with room for one; nil is a refusal
	ended  chan struct{}                  // closed when it has been taken in, or not
}

// A grant is what a login gave, as it is kept.
type grant struct {
	Server string // its address: another is not given the token
	Config oauth2.Config
	Token  *oauth2.Token
}

func grantName(server string) string { return "mcp/" + server }

// An asker logs in with what is kept. A server that refuses that needs a person.
type asker struct {
	*Servers
	server mcp.Server
}

// TokenSource implements [auth.OAuthHandler].
func (a *asker) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	h, err := a.host(a.server.Name)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	tokens, read := h.door.tokens, h.door.read
	a.mu.Unlock()
	if tokens != nil || read || a.Grants == nil {
		return tokens, nil
	}
	raw, err := a.Grants.Kept(ctx, grantName(a.server.Name))
	if err != nil {
		return nil, err
	}
	var g grant
	if raw != "" {
		if err := json.Unmarshal([]byte(raw), &g); err != nil {
			return nil, fmt.Errorf("read the login with %s: %w", a.server.Name, err)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if h.door.read = true; g.Token != nil && g.Server == a.server.URL && h.door.tokens == nil {
		h.door.tokens = a.keeping(a.server, &g.Config, g.Token)
	}
	return h.door.tokens, nil
}

// Authorize implements [auth.OAuthHandler]: it notes why nobody is let in.
func (a *asker) Authorize(_ context.Context, req *http.Request, res *http.Response) error {
	defer func() { _ = res.Body.Close() }() // only its head says something
	said, err := oauthex.ParseWWWAuthenticate(res.Header.Values("WWW-Authenticate"))
	if err != nil {
		return err
	}
	short := false
	for _, c := range said {
		short = short || c.Params["error"] == "insufficient_scope"
	}
	if res.StatusCode == http.StatusForbidden && !short {
		return nil // it is no login that is missing
	}
	h, err := a.host(a.server.Name)
	if err != nil {
		return err
	}
	a.mu.Lock()
	h.door.challenge = &challenge{req.Clone(a.base), res.StatusCode, res.Header.Clone()}
	a.mu.Unlock()
	return asksForLogin(a.server.Name)
}

func asksForLogin(name string) error {
	return fault.New(fault.Unavailable, "The MCP server %s asks for a login. An owner gives it by `chela mcp login %s`, or in the view Doors.", name, name)
}

// barred reports whether a server asks for a login.
func (s *Servers) barred(name string) bool {
	h, err := s.host(name)
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return h.door.challenge != nil
}

// client is how authorization servers are asked: each address is checked, and https where the server's own is not inside.
func (s *Servers) client(server mcp.Server) *http.Client {
	return &http.Client{Transport: &plain{server, s.dialled(server)}, Timeout: connectTime}
}

type plain struct {
	server mcp.Server
	over   http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (p *plain) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && !p.server.Inside {
		return nil, fault.New(fault.Denied, "The login with %s leads to %s, which is no https.", p.server.Name, r.URL.Host)
	}
	res, err := p.over.RoundTrip(r)
	if err == nil {
		res.Body = &bounded{res.Body, mostGrant}
	}
	return res, err
}

// keeping are the tokens of a login; one that is made anew is kept.
func (s *Servers) keeping(server mcp.Server, c *oauth2.Config, t *oauth2.Token) oauth2.TokenSource {
	ctx := context.WithValue(s.base, oauth2.HTTPClient, s.client(server))
	return &kept{s: s, server: server, config: c, now: t, source: c.TokenSource(ctx, t)}
}

type kept struct {
	s      *Servers
	server mcp.Server
	config *oauth2.Config
	now    *oauth2.Token
	source oauth2.TokenSource
}

// Token implements [oauth2.TokenSource].
func (k *kept) Token() (*oauth2.Token, error) {
	t, err := k.source.Token()
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The login with the MCP server %s is not valid any more. An owner gives it by `chela mcp login %s`, or in the view Doors.", k.server.Name, k.server.Name)
	}
	k.s.mu.Lock()
	anew := subtle.ConstantTimeCompare([]byte(t.AccessToken), []byte(k.now.AccessToken)) == 0
	k.now = t
	k.s.mu.Unlock()
	if anew {
		if err := k.s.keep(k.s.base, run.Chela(), k.server, k.config, t); err != nil {
			k.s.Log.Warn("keep the login with an MCP server", "server", k.server.Name, "err", err)
		}
	}
	return t, nil
}

func (s *Servers) keep(ctx context.Context, by event.Party, server mcp.Server, c *oauth2.Config, t *oauth2.Token) error {
	if s.Grants == nil {
		return nil
	}
	raw, err := json.Marshal(grant{server.URL, *c, t})
	if err != nil {
		return fmt.Errorf("encode the login with %s: %w", server.Name, err)
	}
	return s.Grants.Keep(ctx, by, grantName(server.Name), string(raw))
}

// Login begins a login with a server that asks for one, and returns the address at which a person gives it. Their browser
// is sent back to redirect, which calls [Servers.LoggedIn]; back is the place of the page at which they go on, "" for who began
// elsewhere. A fault.Conflict says that the server asks for none.
func (s *Servers) Login(ctx context.Context, by event.Party, name, redirect, back string) (string, error) {
	if err := s.load(ctx); err != nil {
		return "", err
	}
	h, err := s.host(name)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	asks, server := h.door.challenge, h.known.Server
	s.mu.Unlock()
	if asks == nil {
		_, err := s.Inspect(ctx, name)
		s.mu.Lock()
		asks = h.door.challenge
		s.mu.Unlock()
		switch {
		case asks == nil && err != nil:
			return "", err
		case asks == nil:
			return "", fault.New(fault.Conflict, "The MCP server %s asks for no login.", name)
		}
	}
	handler, err := s.handler(ctx, h, server, redirect)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	h.door.by, h.failed = by, ""
	s.mu.Unlock()
	l, done := &login{back, make(chan string, 1), make(chan *auth.AuthorizationResult, 1), make(chan struct{})}, make(chan error, 1)
	s.all.Go(func() {
		defer close(l.ended)
		over, cancel := context.WithTimeout(context.WithValue(s.base, loginKey{}, l), loginTime)
		defer cancel()
		err := handler.Authorize(over, asks.request.Clone(over), &http.Response{StatusCode: asks.status, Header: asks.header, Body: http.NoBody})
		s.loggedIn(h, server, err)
		done <- err
	})
	select {
	case at := <-l.at:
		return at, nil
	case err := <-done:
		if err == nil {
			err = errors.New("it asked for nothing")
		}
		return "", s.broke(name, err)
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

type loginKey struct{} // the login that a person is at

// loggedIn takes in how a login ended.
func (s *Servers) loggedIn(h *host, server mcp.Server, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !same(h.known.Server, server) {
		return
	}
	if err != nil {
		h.failed = fault.TextOf(s.broke(server.Name, err))
		return
	}
	h.door.challenge = nil
	h.failures, h.failed, h.retry = 0, "", time.Time{}
	h.leave() // it is introduced anew
}

// handler returns what logs in to a server, which knows what was granted before.
func (s *Servers) handler(ctx context.Context, h *host, server mcp.Server, redirect string) (*auth.AuthorizationCodeHandler, error) {
	s.mu.Lock()
	old, at := h.door.handler, h.door.redirect
	s.mu.Unlock()
	if old != nil && at == redirect {
		return old, nil
	}
	c := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: redirect, AuthorizationCodeFetcher: s.fetch(server), RequestRefreshToken: true, Client: s.client(server),
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "Chela", RedirectURIs: []string{redirect}, GrantTypes: []string{"authorization_code", "refresh_token"}, SoftwareVersion: s.Version,
		}},
		NewTokenSource: func(ctx context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			tokens := s.keeping(server, c, t)
			s.mu.Lock()
			h.door.tokens, h.door.read = tokens, true
			by := h.door.by
			s.mu.Unlock()
			return tokens, s.keep(ctx, by, server, c, t)
		},
	}
	if o := server.OAuth; o != nil && o.ClientID != "" {
		c.PreregisteredClient = &oauthex.ClientCredentials{ClientID: o.ClientID, Issuer: o.Issuer}
		if o.Secret != "" {
			secret, err := s.Secrets(ctx, o.Secret)
			if err != nil {
				return nil, err
			}
			c.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: secret}
		}
	} else if o != nil && o.Metadata != "" {
		c.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{URL: o.Metadata}
	}
	made, err := auth.NewAuthorizationCodeHandler(c)
	if err != nil {
		return nil, s.broke(server.Name, err)
	}
	s.mu.Lock()
	h.door.handler, h.door.redirect = made, redirect
	s.mu.Unlock()
	return made, nil
}

// fetch shows a person the address at which they log in, and waits until their browser comes back.
func (s *Servers) fetch(server mcp.Server) auth.AuthorizationCodeFetcher {
	return func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
		u, err := url.Parse(args.URL)
		if err != nil || u.Scheme != "https" && (u.Scheme != "http" || !server.Inside) || u.Host == "" {
			return nil, fault.New(fault.Denied, "The MCP server %s sends people who log in to an address that is no https.", server.Name)
		}
		l, ok := ctx.Value(loginKey{}).(*login)
		if !ok {
			return nil, errors.New("nobody logs in")
		}
		state := u.Query().Get("state")
		s.mu.Lock()
		s.asked[state] = l
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.asked, state)
		}()
		select {
		case l.at <- args.URL:
		default: // they were sent there before: this is another one, which nobody sees
			return nil, errors.New("it asked for a second login")
		}
		select {
		case got := <-l.answer:
			if got == nil {
				return nil, fault.New(fault.Denied, "The login was refused there.")
			}
			return got, nil
		case <-ctx.Done():
			return nil, fault.New(fault.Unavailable, "Nobody logged in within %s.", loginTime)
		}
	}
}

// takeTime is how long who comes back waits until their login is taken in.
const takeTime = 15 * time.Second

// LoggedIn takes in that a person's browser came back from a login, with what it brings, and returns the place of the page
// at which they began it, once the login is taken in. A fault.NotFound says that nobody here is at that login; a refusal of who
// began it on the page is told there.
func (s *Servers) LoggedIn(ctx context.Context, state, code, issuer string) (back string, err error) {
	s.mu.Lock()
	l := s.asked[state]
	delete(s.asked, state) // it counts once
	s.mu.Unlock()
	if l == nil || state == "" {
		return "", fault.New(fault.NotFound, "No login waits for this. Begin it again with `chela mcp login`, or on the page.")
	}
	if code == "" {
		l.answer <- nil
		err = fault.New(fault.Denied, "The login was refused there.")
	} else {
		l.answer <- &auth.AuthorizationResult{Code: code, State: state, Iss: issuer}
	}
	if l.back == "" {
		return "", err
	}
	wait := time.NewTimer(takeTime)
	defer wait.Stop()
	select {
	case <-l.ended:
	case <-wait.C: // the page sees how it ends
	case <-ctx.Done():
	}
	return l.back, nil
}
