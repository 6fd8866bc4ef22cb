// Package mcp is the door for clients of the Model Context Protocol: editors and agents outside. It offers the
// organization's tools, records and agents at /mcp (Streamable HTTP, the specifications of 2026-07-28 and
// 2025-11-25) and /mcp/sse (the older transport). A call of a tool is a run like any other: guard decides about
// it, and what it waits for is asked of the client's user where the client can.
package mcp

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/agent"
	"chela/internal/approval"
	"chela/internal/artifact"
	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/org"
	"chela/internal/run"
	"chela/internal/session"
	"chela/internal/talk"
	"chela/internal/tool"
)

// A Store is what clients read.
type Store struct {
	Desk          Desk
	Conversations Conversations
	Runs          Runs
	Questions     approval.Reader
	Agents        Agents
	People        People
	Log           Log
	Workflows     Workflows
}

// A Desk finds records.
type Desk interface {
	Record(ctx context.Context, id string) (desk.Record, error)
	Records(ctx context.Context, q clerk.Query) (clerk.Page, error)
}

// Conversations are what was said.
type Conversations interface {
	Session(ctx context.Context, id string) (session.Thread, error)
	Sessions(ctx context.Context, project, person string, limit, offset int) ([]session.View, error)
	LastMessages(ctx context.Context, thread string, upTo event.Seq, limit int) ([]session.Message, error)
}

// Runs are the runs.
type Runs interface {
	Run(ctx context.Context, id run.ID) (run.Run, error)
	RunList(ctx context.Context, f run.Filter) ([]run.Run, error)
}

// Agents are the members of the organization.
type Agents interface {
	Member(ctx context.Context, id org.AgentID) (agent.Member, error)
	Members(ctx context.Context) ([]agent.Member, error)
}

// People knows whose session it is.
type People interface {
	Person(ctx context.Context, id string) (org.Person, error)
}

// A Log tells what is recorded.
type Log interface {
	event.Notifier
	Events(ctx context.Context, after event.Seq, f event.Filter) ([]event.Exported, event.Seq, error)
	End(ctx context.Context) (event.Seq, error)
}

// Parts are what the door drives.
type Parts struct {
	Store   Store
	Talk    *talk.Talk
	Library Library
	Answers *approval.Decider
	Files   *artifact.Files
	Servers Servers             // of others
	Redact  func(string) string // takes secrets out of what they answer
	Version string              // of the daemon
	Beat    time.Duration       // how often a client hears that its call is still worked on; 0 is five seconds
	Log     *slog.Logger        // nil means slog.Default
}

// What the door bounds.
const (
	mostBytes    = 4 << 20          // of a request
	mostSessions = 1000             // that are open, of all callers
	idle         = 30 * time.Minute // after which a session ends
	usualBeat    = 5 * time.Second
	patience     = 9 // beats for which a client that hears of no progress waits for a person
)

// A Server is the door, and what tells its clients of changes.
type Server struct {
	Parts
	hall     *gateway.Hall
	server   *sdk.Server
	streamed http.Handler // of sessions, up to 2025-11-25
	single   http.Handler // of single requests, from 2026-07-28 on
	older    *older

	nobody         *sdk.Server  // for requests to a shared server that belong to no relay
	sharedSessions http.Handler // as streamed, of servers of others
	sharedSingle   http.Handler // as single
	relays         *relays

	closing atomic.Bool // the daemon stops

	mu      sync.Mutex // guards the rest
	tools   *tool.Set  // those that are offered now
	prompts map[string]offer
	watched map[*sdk.ServerSession]map[string]bool // addresses of resources that they hear about
	pending map[run.ID]*relayedRun                 // runs for a shared server whose client has to answer a question of ours
}

// New returns the door.
func New(h *gateway.Hall, p Parts) *Server {
	p.Beat = cmp.Or(p.Beat, usualBeat)
	if p.Log == nil {
		p.Log = slog.Default()
	}
	s := &Server{Parts: p, hall: h, tools: tool.NewSet(), prompts: make(map[string]offer), watched: make(map[*sdk.ServerSession]map[string]bool), pending: make(map[run.ID]*relayedRun), relays: newRelays()}
	s.server = sdk.NewServer(&sdk.Implementation{Name: "chela", Title: "Chela", Version: cmp.Or(p.Version, "dev")}, &sdk.ServerOptions{
		Instructions:      "The tools, records and agents of an engineering organization. A call acts under the permissions of whoever holds the key; where a person is asked first, it waits. Addresses of records begin with chela://records/.",
		Capabilities:      &sdk.ServerCapabilities{Logging: &sdk.LoggingCapabilities{}, Tools: &sdk.ToolCapabilities{ListChanged: true}, Prompts: &sdk.PromptCapabilities{ListChanged: true}, Resources: &sdk.ResourceCapabilities{Subscribe: true}, Extensions: map[string]any{tasksExtension: struct{}{}}}, //nolint:staticcheck // logging is deprecated by the specifications that have none
		CompletionHandler: s.complete,
		SetCacheable:      func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
		SubscribeHandler: func(ctx context.Context, r *sdk.SubscribeRequest) error {
			return s.watch(ctx, r.Session, r.Params.URI)
		},
		UnsubscribeHandler: func(_ context.Context, r *sdk.UnsubscribeRequest) error {
			s.unwatch(r.Session, r.Params.URI)
			return nil
		},
	})
	s.server.AddReceivingMiddleware(s.lists)
	s.addTasks(s.server)
	s.addResources()
	s.addOwnTools()
	s.addWorkflowTool()
	s.streamed, s.single = handlers(func(*http.Request) *sdk.Server { return s.server })
	s.nobody = sdk.NewServer(&sdk.Implementation{Name: "chela", Title: "Chela", Version: cmp.Or(p.Version, "dev")}, &sdk.ServerOptions{Logger: quiet(), Capabilities: &sdk.ServerCapabilities{}})
	s.sharedSessions, s.sharedSingle = handlers(s.of)
	s.older = &older{server: s.server, sessions: make(map[string]*olderSession)}
	return s
}

// handlers answer requests of specifications with sessions, and single ones, to the server that of says.
func handlers(of func(*http.Request) *sdk.Server) (sessions, single http.Handler) {
	return sdk.NewStreamableHTTPHandler(of, &sdk.StreamableHTTPOptions{DisableLocalhostProtection: true, MaxRequestBodyBytes: mostBytes, SessionTimeout: idle}),
		sdk.NewStreamableHTTPHandler(of, &sdk.StreamableHTTPOptions{DisableLocalhostProtection: true, MaxRequestBodyBytes: mostBytes, Stateless: true, PropagateRequestCancellation: true})
}

// Doors returns the doors.
func (s *Server) Doors() []gateway.Door {
	return append(
		metadataDoors(),
		gateway.Door{Path: "/mcp", Handler: s.open(s.serve)},
		gateway.Door{Path: "/mcp/sse", Handler: s.open(s.older.serve)},
		gateway.Door{Path: serversPath, Handler: s.open(s.serveShared)},
	)
}

// stateless is the first specification without sessions.
const stateless = "2026-07-28"

// serve answers a request of Streamable HTTP by the specification that it names.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Mcp-Protocol-Version") >= stateless {
		if refused(w, r) {
			return
		}
		s.single.ServeHTTP(w, r)
		return
	}
	if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" && s.full() {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "Too many sessions are open.", http.StatusServiceUnavailable)
		return
	}
	s.streamed.ServeHTTP(w, r)
}

func (s *Server) full() bool {
	n := 0
	for range s.server.Sessions() {
		n++
	}
	return n >= mostSessions
}

// An aim is as whom and where the calls of a client are made, as its address says.
type aim struct{ agent, project string }

type aimKey struct{}

// callerInfo is where the caller of a request is in its token's information.
const callerInfo = "caller"

// open lets callers with a token in. The stream that answers ends with their right to hear it.
func (s *Server) open(next http.HandlerFunc) http.Handler {
	known := auth.RequireBearerToken(func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		c := gateway.CallerOf(ctx)
		return &auth.TokenInfo{UserID: c.Person.ID, Extra: map[string]any{callerInfo: c}}, nil
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
	stream := s.hall.Stream(org.Viewer, func(ctx context.Context, w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		r = r.Clone(context.WithValue(ctx, aimKey{}, aim{q.Get("agent"), q.Get("project")}))
		if key := r.Header.Get("X-Api-Key"); key != "" && r.Header.Get("Authorization") == "" {
			r.Header.Set("Authorization", "Bearer "+key)
		}
		known.ServeHTTP(w, r)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := s.hall.Authenticate(r); err != nil {
			challenge(w, r, err)
			s.hall.Fail(w, r, err)
			return
		}
		stream(w, r)
	})
}

// caller returns who makes a request, as they are now.
func (s *Server) caller(ctx context.Context, extra *sdk.RequestExtra) (gateway.Caller, error) {
	if extra != nil && extra.TokenInfo != nil {
		if c, ok := extra.TokenInfo.Extra[callerInfo].(gateway.Caller); ok {
			return c, nil
		}
	}
	c := gateway.CallerOf(ctx) // of the request that opened the session
	p, err := s.Store.People.Person(ctx, c.Person.ID)
	if err != nil || !p.Enabled {
		return gateway.Caller{}, fault.New(fault.Denied, "Nobody is known here. Send the token as `Authorization: Bearer …`.")
	}
	if c.Person = p; c.Key != nil {
		c.Person.Role = c.Key.Least(p.Role)
	}
	return c, nil
}

// fail turns an error into the protocol's.
func (s *Server) fail(ctx context.Context, err error) error {
	code := int64(jsonrpc.CodeInternalError)
	switch fault.KindOf(err) {
	case fault.Invalid, fault.NotFound, fault.TooLarge:
		code = jsonrpc.CodeInvalidParams
	case fault.Conflict, fault.Denied, fault.Unauthenticated, fault.Unavailable, fault.Internal:
	}
	return &jsonrpc.Error{Code: code, Message: s.hall.Problem(ctx, err).Detail}
}
