// Package mcp connects to servers of the Model Context Protocol and offers their accepted tools to agents. A server
// is started at the first call and left when it is idle; one that fails is left alone for a while that grows.
// Programs run in the sandbox with the secrets that the server's entry names. What a server offers is compared
// with what an owner accepted at each connection, and what differs is not offered. Servers get nothing of us but
// calls: no files, no models, and no questions to people unless an owner allows them.
package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/artifact"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/mcp"
	"chela/internal/netaddr"
	"chela/internal/run"
	"chela/internal/tool"
	"chela/internal/worker"
)

// A Store keeps the servers.
type Store interface {
	event.Notifier
	Servers(ctx context.Context) ([]mcp.Known, error)
	Change(ctx context.Context, name string, fn func(mcp.Known) ([]event.Draft, error)) error
}

// Parts are what servers are reached with.
type Parts struct {
	Store   Store
	Place   func(event.Party) event.Place // where a fact of the organization belongs
	Offer   func(prefix string, tools []*tool.Tool)
	Runner  tool.Runner
	Reach   func(context.Context) (netaddr.Reach, error)
	Secrets func(ctx context.Context, name string) (string, error)
	Grants  Grants // of logins; nil keeps none
	Workers *worker.Tasks
	Files   *artifact.Files
	Version string
	Log     *slog.Logger
}

// How long things take.
const (
	connectTime = 30 * time.Second // to start and to be introduced
	probeTime   = 5 * time.Second  // to say that it is there
	idleTime    = 10 * time.Minute
	lookEvery   = 15 * time.Second
	firstPause  = 2 * time.Second // after a failure; then twice as long each time
	longPause   = 10 * time.Minute
)

// Servers are the servers of others. Safe for concurrent use.
type Servers struct {
	Parts
	base context.Context //nolint:containedctx // of what outlives a call: the daemon's, from Run on
	stop context.CancelFunc

	loading sync.Mutex // one loads at a time, so that what was read last is what counts

	mu      sync.Mutex // guards the rest, and what is in each host
	hosts   map[string]*host
	asked   map[string]*login // logins that a person is at, by their state
	relayed map[run.ID]mcp.Relayed

	all sync.WaitGroup // what is under way
}

// A host is what is known here of one server.
type host struct {
	known   mcp.Known
	offered string // what was offered last, to see whether it is another
	turn    chan struct{}

	lane    chan struct{} // held by the call in hand on a session over which the server may ask
	inquiry *inquiry      // of that call

	session  *sdk.ClientSession // nil while it is not connected
	end      func()             // ends what the session runs on
	used     time.Time
	calls    int  // in hand
	probed   bool // it is being asked whether it is there
	failures int  // in a row
	failed   string
	retry    time.Time

	opened  map[*sdk.ClientSession]struct{} // sessions of callers
	callers int                             // that have a session, or are about to

	door door // how it is logged in to
}

// New returns servers that are connected to when they are needed.
func New(ctx context.Context, p Parts) *Servers {
	base, stop := context.WithCancel(context.WithoutCancel(ctx))
	return &Servers{Parts: p, base: base, stop: stop, hosts: make(map[string]*host), asked: make(map[string]*login), relayed: make(map[run.ID]mcp.Relayed)}
}

// Run offers what is accepted, as it changes, until ctx ends.
func (s *Servers) Run(ctx context.Context) error {
	changed, forget := s.Store.Subscribe(event.ServersChanged)
	defer forget()
	defer s.Close()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if err := s.load(ctx); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "read the MCP servers", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-tick.C:
			s.leaveIdle()
		}
	}
}

// Close leaves all servers.
func (s *Servers) Close() {
	s.stop()
	s.mu.Lock()
	for _, h := range s.hosts {
		h.leaveAll()
	}
	s.mu.Unlock()
	s.all.Wait()
}

// leave ends a session. The caller holds mu.
func (h *host) leave() {
	if h.session != nil {
		go func(c *sdk.ClientSession, end func()) {
			_ = c.Close() // it is left
			end()
		}(h.session, h.end)
	}
	h.session, h.end = nil, nil
}

// leaveAll ends the sessions of callers, too. The caller holds mu.
func (h *host) leaveAll() {
	h.leave()
	for c := range h.opened {
		go func() { _ = c.Close() }() // it is left
	}
	clear(h.opened)
}

func (s *Servers) leaveIdle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.hosts {
		if h.session != nil && h.calls == 0 && time.Since(h.used) > idleTime {
			h.leave()
		}
	}
}

// load reads the servers, and offers what is accepted of them.
func (s *Servers) load(ctx context.Context) error {
	s.loading.Lock()
	defer s.loading.Unlock()
	list, err := s.Store.Servers(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	there := make(map[string]bool)
	for _, k := range list {
		there[k.Name] = true
		h := s.hosts[k.Name]
		if h == nil {
			h = &host{turn: make(chan struct{}, 1), lane: make(chan struct{}, 1), opened: make(map[*sdk.ClientSession]struct{})}
			s.hosts[k.Name] = h
		} else if !same(h.known.Server, k.Server) {
			h.leaveAll()
			h.failures, h.failed, h.retry, h.door = 0, "", time.Time{}, door{}
		}
		h.known = k
		s.offer(h)
	}
	for name, h := range s.hosts {
		if !there[name] {
			h.leaveAll()
			delete(s.hosts, name)
			s.Offer(name, nil)
		}
	}
	return nil
}

// same reports whether two entries say the same.
func same(a, b mcp.Server) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// offer offers the accepted tools of a server when they are others than before. The caller holds mu.
func (s *Servers) offer(h *host) {
	now := h.known.Offered()
	key, err := json.Marshal([]any{h.known.Server, now})
	if err != nil || string(key) == h.offered {
		return
	}
	h.offered = string(key)
	names := h.known.Offers() // what is shared beside the tools comes first
	tools := make([]*tool.Tool, 0, len(names))
	for _, name := range names[:len(names)-len(now)] {
		tools = append(tools, s.reader(h.known.Server, name))
	}
	for _, d := range now {
		tools = append(tools, s.tool(h.known.Server, d))
	}
	s.Offer(h.known.Name, tools)
}

// Servers returns what is known of each server, and how it is doing here.
func (s *Servers) Servers(ctx context.Context) ([]mcp.State, error) {
	list, err := s.Store.Servers(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]mcp.State, 0, len(list))
	for _, k := range list {
		st := mcp.State{Known: k, Changes: k.Changes()}
		if h := s.hosts[k.Name]; h != nil {
			st.Connected, st.Failures, st.Problem = h.session != nil, h.failures, h.failed
			st.Login = h.door.challenge != nil
			if h.failures > 0 {
				st.Retry = &h.retry
			}
		}
		out = append(out, st)
	}
	return out, nil
}

// state returns the state of one server.
func (s *Servers) state(ctx context.Context, name string) (mcp.State, error) {
	all, err := s.Servers(ctx)
	if err != nil {
		return mcp.State{}, err
	}
	i := slices.IndexFunc(all, func(st mcp.State) bool { return st.Name == name })
	if i < 0 {
		return mcp.State{}, missing(name)
	}
	return all[i], nil
}

func missing(name string) error {
	return fault.New(fault.NotFound, "There is no MCP server named %q; `chela mcp list` shows those that there are.", name)
}

// Set adds a server, or changes how one is reached. Its tools are offered once they are accepted.
func (s *Servers) Set(ctx context.Context, at event.Place, server mcp.Server) (mcp.State, error) {
	if err := server.Check(); err != nil {
		return mcp.State{}, err
	}
	err := s.Store.Change(ctx, server.Name, func(mcp.Known) ([]event.Draft, error) {
		return []event.Draft{mcp.SetKind.Draft(at, server)}, nil
	})
	if err == nil {
		err = s.load(ctx)
	}
	if err != nil {
		return mcp.State{}, err
	}
	return s.state(ctx, server.Name)
}

// Remove forgets a server.
func (s *Servers) Remove(ctx context.Context, at event.Place, name string) error {
	err := s.Store.Change(ctx, name, func(k mcp.Known) ([]event.Draft, error) {
		if k.Name == "" {
			return nil, missing(name)
		}
		return []event.Draft{mcp.RemovedKind.Draft(at, mcp.Removed{Name: name})}, nil
	})
	if err != nil {
		return err
	}
	return s.load(ctx)
}

// Accept lets agents have the tools of a server as they were seen under a digest. A fault.Conflict says that others
// were seen since.
func (s *Servers) Accept(ctx context.Context, at event.Place, name, digest string) (mcp.State, error) {
	err := s.Store.Change(ctx, name, func(k mcp.Known) ([]event.Draft, error) {
		switch {
		case k.Name == "":
			return nil, missing(name)
		case k.Seen.Digest == "":
			return nil, fault.New(fault.Conflict, "Nobody has seen the tools of %s yet; `chela mcp inspect %s` asks it.", name, name)
		case k.Seen.Digest != digest:
			return nil, fault.New(fault.Conflict, "The tools of %s are others than those of %.12s; look at them again and accept %.12s.", name, digest, k.Seen.Digest)
		}
		return []event.Draft{mcp.AcceptedKind.Draft(at, mcp.Accepted{Name: name, Digest: digest})}, nil
	})
	if err == nil {
		err = s.load(ctx)
	}
	if err != nil {
		return mcp.State{}, err
	}
	return s.state(ctx, name)
}

// Inspect connects to a server now and looks at its tools.
func (s *Servers) Inspect(ctx context.Context, name string) (mcp.State, error) {
	if err := s.load(ctx); err != nil {
		return mcp.State{}, err
	}
	h, err := s.host(name)
	if err != nil {
		return mcp.State{}, err
	}
	s.mu.Lock()
	h.retry = time.Time{} // somebody waits
	s.mu.Unlock()
	c, err := s.connected(ctx, h)
	if err == nil {
		err = s.look(ctx, h, c)
	}
	if err != nil {
		return mcp.State{}, err
	}
	return s.state(ctx, name)
}

func (s *Servers) host(name string) (*host, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hosts[name]
	if h == nil {
		return nil, missing(name)
	}
	return h, nil
}

// look compares what a server offers with what was seen before, and records it when that is something else.
func (s *Servers) look(ctx context.Context, h *host, c *sdk.ClientSession) error {
	s.mu.Lock()
	server := h.known.Server
	s.mu.Unlock()
	seen, err := list(ctx, server.Name, c)
	if err != nil {
		return s.broke(server.Name, err)
	}
	err = s.Store.Change(ctx, server.Name, func(k mcp.Known) ([]event.Draft, error) {
		if !same(k.Server, server) || k.Seen.Digest == seen.Digest {
			return nil, nil // another server was asked, or nothing is new
		}
		return []event.Draft{mcp.SeenKind.Draft(s.Place(run.Chela()), seen)}, nil
	})
	if err != nil {
		return err
	}
	return s.load(ctx)
}

// list asks a server for its tools.
func list(ctx context.Context, name string, c *sdk.ClientSession) (mcp.Seen, error) {
	var defs []mcp.Definition
	left := make(map[string]string)
	asked := 0
	for t, err := range c.Tools(ctx, nil) {
		if err != nil {
			return mcp.Seen{}, err
		}
		if asked++; asked > 2*mcp.MaxTools {
			break
		}
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			left[t.Name] = "Its schema is no JSON."
			continue
		}
		d, err := mcp.Define(t.Name, t.Description, schema)
		if err != nil {
			left[t.Name] = fault.TextOf(err)
			continue
		}
		defs = append(defs, d)
	}
	return mcp.See(name, defs, left), nil
}
