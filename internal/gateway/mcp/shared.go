package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/mcp"
	"chela/internal/run"
)

// Servers are the servers of others, of which an owner shares some with callers.
type Servers interface {
	Shared(name string) (mcp.Sharing, error)
	Open(ctx context.Context, name string, as *sdk.ClientOptions, answers sdk.Middleware, version string) (*sdk.ClientSession, error)
	Stands(name string, c *sdk.ClientSession) bool
	Look(ctx context.Context, name string, c *sdk.ClientSession) error
	Relay(id run.ID, do mcp.Relayed) (forget func())
	Asked(ctx context.Context, by event.Party, what mcp.Asked) error
}

// serversPath is where servers of others are shared, by name.
const serversPath = "/mcp/servers/"

// The methods of the protocol that begin what is told apart before the SDK reads it.
const (
	initialize = "initialize"
	listen     = "subscriptions/listen"
)

// An asking is what is read of a request before it is answered.
type asking struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		TaskID       string `json:"taskId"`
		Version      string `json:"protocolVersion"`
		Capabilities can    `json:"capabilities"`
	} `json:"params"`
}

// can is what a client can do for a server.
type can struct {
	Elicitation *sdk.ElicitationCapabilities `json:"elicitation"`
	Sampling    *sdk.SamplingCapabilities    `json:"sampling"` //nolint:staticcheck // of the specifications that have it
	Roots       *sdk.RootCapabilities        `json:"roots"`    //nolint:staticcheck // as above
}

type relayKey struct{}

// serveShared answers a request to a server of others.
func (s *Server) serveShared(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, serversPath)
	c := gateway.CallerOf(r.Context())
	sharing, err := s.Servers.Shared(name)
	if err == nil && !c.Person.Role.AtLeast(sharing.Least()) {
		err = fault.New(fault.Denied, "The MCP server %s is shared with the role %s and above; you have the role %s.", name, sharing.Least(), c.Person.Role)
	}
	if err != nil {
		s.hall.Fail(w, r, err)
		return
	}
	own := owner{name, c.Person.ID, c.Party().Key}
	if r.Header.Get("Mcp-Protocol-Version") >= stateless {
		s.serveOne(w, r, sharing, own)
		return
	}
	s.serveSession(w, r, sharing, own)
}

// peek reads what a request asks for, and leaves its body to be read again.
func peek(r *http.Request) (a asking) {
	if json.Unmarshal(bodyOf(r), &a) != nil {
		return asking{} // what is wrong is said where it is read whole
	}
	return a
}

// bodyOf is the body of a request, which is left to be read again.
func bodyOf(r *http.Request) []byte {
	if r.Method != http.MethodPost || r.Body == nil {
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(r.Body, mostBytes+1))
	rest := r.Body
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(raw), failing{err}, rest), rest}
	return raw
}

// failing is a reader that ends, or fails as another did.
type failing struct{ err error }

// Read implements [io.Reader].
func (f failing) Read([]byte) (int, error) { return 0, cmp.Or(f.err, io.EOF) }

// serveSession answers a request of a specification with sessions. Each session has one with the server for itself.
func (s *Server) serveSession(w http.ResponseWriter, r *http.Request, sharing mcp.Sharing, own owner) {
	id := r.Header.Get("Mcp-Session-Id")
	if id != "" {
		l := s.relays.session(id, own)
		if l == nil {
			http.Error(w, "session not found", http.StatusNotFound)
			return
		}
		s.answer(s.sharedSessions, w, r, l)
		s.relays.tidy(l)
		return
	}
	a := peek(r)
	if a.Method != initialize {
		s.answer(s.sharedSessions, w, r, nil)
		return
	}
	version := a.Params.Version
	if !slices.Contains(sdk.SupportedProtocolVersions(), version) || version >= stateless {
		version = newestOfSessions
	}
	l, err := s.openRelay(r.Context(), sharing, own, version, a.Params.Capabilities, false)
	if err != nil {
		s.hall.Fail(w, r, err)
		return
	}
	s.relays.keep(l)
	s.answer(s.sharedSessions, w, r, l)
	s.relays.tidy(l)
}

// newestOfSessions is the newest specification with sessions.
const newestOfSessions = "2025-11-25"

// serveOne answers a single request. It has a session with the server for as long as it takes, which its caller uses again.
func (s *Server) serveOne(w http.ResponseWriter, r *http.Request, sharing mcp.Sharing, own owner) {
	a := peek(r)
	listens := a.Method == listen
	l := s.relays.take(own)
	for l != nil && !s.Servers.Stands(own.server, l.session) { // it is about to end
		l.close()
		l = s.relays.take(own)
	}
	if l == nil || listens {
		if l != nil {
			s.relays.giveBack(l)
		}
		var err error
		if l, err = s.openRelay(r.Context(), sharing, own, stateless, can{}, listens); err != nil {
			s.hall.Fail(w, r, err)
			return
		}
	}
	l.refresh(s, sharing)
	s.answer(s.sharedSingle, w, r, l)
	if listens {
		l.close()
		return
	}
	if !l.awaits() { // else who answers its question goes on with it
		s.relays.giveBack(l)
	}
}

// answer has the SDK answer a request over a relay; without one it says what is wrong with the request.
func (s *Server) answer(h http.Handler, w http.ResponseWriter, r *http.Request, l *relay) {
	if l != nil {
		defer l.use()()
	}
	h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), relayKey{}, l)))
}

// of is the server that a request speaks to.
func (s *Server) of(r *http.Request) *sdk.Server {
	if l, _ := r.Context().Value(relayKey{}).(*relay); l != nil {
		return l.server
	}
	return s.nobody
}
