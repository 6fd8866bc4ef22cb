package mcp

import (
	"context"
	"log/slog"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/mcp"
	"chela/internal/run"
	"chela/internal/tool"
)

// What callers of a shared server have of it at the same time, on each node.
const (
	mostOpened   = 64 // sessions of callers with a server over HTTP
	mostPrograms = 8  // and with one that is a program, of which each is a process
)

// Share lets callers use a server at its own address, or ends that when share is nil.
func (s *Servers) Share(ctx context.Context, at event.Place, name string, share *mcp.Share) (mcp.State, error) {
	err := s.Store.Change(ctx, name, func(k mcp.Known) ([]event.Draft, error) {
		if k.Name == "" {
			return nil, missing(name)
		}
		k.Share = share
		if err := k.Check(); err != nil {
			return nil, err
		}
		return []event.Draft{mcp.SetKind.Draft(at, k.Server)}, nil
	})
	if err == nil {
		err = s.load(ctx)
	}
	if err != nil {
		return mcp.State{}, err
	}
	return s.state(ctx, name)
}

// Shared is what of a server is shared. A fault.NotFound says that nothing is.
func (s *Servers) Shared(name string) (mcp.Sharing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.hosts[name]; h != nil {
		if out, ok := h.known.Shared(tool.LocalNames(name, h.known.Offers())); ok {
			return out, nil
		}
	}
	return mcp.Sharing{}, fault.New(fault.NotFound, "No MCP server named %q is shared. An owner shares one with `chela mcp share`.", name)
}

// Open opens a session with a shared server for one caller, whose client answers what as says, and first what answers does. It asks
// for a version of the protocol, "" for the newest. The session ends when the server is changed, or not shared any more.
func (s *Servers) Open(ctx context.Context, name string, as *sdk.ClientOptions, answers sdk.Middleware, version string) (*sdk.ClientSession, error) {
	h, err := s.host(name)
	if err != nil {
		return nil, err
	}
	forget, err := s.enter(h)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	server := h.known.Server
	s.mu.Unlock()
	as.Logger = slog.New(slog.DiscardHandler)
	client := s.self(as)
	client.AddReceivingMiddleware(answers)
	c, end, err := s.connect(ctx, server, client, version)
	if err != nil {
		forget()
		s.mu.Lock()
		defer s.mu.Unlock()
		if ctx.Err() == nil && h.session == nil {
			h.fail(err)
		}
		return nil, err
	}
	s.mu.Lock()
	changed := s.base.Err() != nil || !same(h.known.Server, server)
	if !changed {
		h.opened[c] = struct{}{}
	}
	s.mu.Unlock()
	if changed {
		go func() { _ = c.Close(); end(); forget() }() // it is another by now
		return nil, fault.New(fault.Unavailable, "The MCP server %s was changed meanwhile. Try again.", name)
	}
	s.all.Go(func() {
		_ = c.Wait() // how it ended is told to who uses it
		end()
		s.mu.Lock()
		delete(h.opened, c)
		s.mu.Unlock()
		forget()
	})
	if err := s.look(ctx, h, c); err != nil {
		_ = c.Close() // it is of no use
		return nil, err
	}
	return c, nil
}

// Stands reports whether a session that was opened for a caller is still of use: one whose server was changed since ends soon.
func (s *Servers) Stands(name string, c *sdk.ClientSession) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hosts[name]
	if h == nil {
		return false
	}
	_, stands := h.opened[c]
	return stands
}

// Look compares what a server offers on a session of a caller with what an owner accepted.
func (s *Servers) Look(ctx context.Context, name string, c *sdk.ClientSession) error {
	h, err := s.host(name)
	if err != nil {
		return err
	}
	return s.look(ctx, h, c)
}

// enter takes the place of one more session of a caller, until forget is called.
func (s *Servers) enter(h *host) (forget func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, most := h.known.Name, mostOpened
	if h.known.URL == "" {
		most = mostPrograms
	}
	switch {
	case s.base.Err() != nil:
		return nil, fault.New(fault.Unavailable, "The daemon stops.")
	case h.known.Share == nil || h.known.Disabled:
		return nil, fault.New(fault.NotFound, "The MCP server %s is not shared.", name)
	case time.Now().Before(h.retry):
		return nil, fault.New(fault.Unavailable, "The MCP server %s failed and is tried again in %s.", name, time.Until(h.retry).Round(time.Second))
	case h.callers >= most:
		return nil, fault.TooMany(firstPause, "The MCP server %s is used by %d clients, which is the most. Try again when one has left.", name, most)
	}
	h.callers++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		h.callers--
	}), nil
}

// Relay has the run of a call do what a caller of a shared server asked for, over their own session, until forget is called. A
// call whose run is worked elsewhere, or after that, is made as an agent's.
func (s *Servers) Relay(id run.ID, do mcp.Relayed) (forget func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.relayed[id] = do
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.relayed, id)
	}
}

// relayedBy is what a run does for a caller; nil when it is a run like others.
func (s *Servers) relayedBy(id run.ID) mcp.Relayed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.relayed[id]
}

// Asked records that a caller asks a shared server for something that is no call.
func (s *Servers) Asked(ctx context.Context, by event.Party, what mcp.Asked) error {
	return s.Store.Change(ctx, what.Name, func(mcp.Known) ([]event.Draft, error) {
		return []event.Draft{mcp.AskedKind.Draft(s.Place(by), what)}, nil
	})
}
