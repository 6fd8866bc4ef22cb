// Package channeltest has what the tests of all platforms share: of their servers the address
// that stays ([Server]), what goes wrong ([Faults]) and how much a chat takes ([Limit]); of
// their adapters the log ([Inbox]) and how they are run ([Run], [Keep]). What only one platform
// has is with its server, as in telegramtest.
package channeltest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

const (
	// patience is how long somebody waits before the test fails.
	patience = 30 * time.Second
	// ask is how often it is looked whether what is waited for holds, and [Hooks].Ask is called.
	ask = 10 * time.Millisecond
)

// A Server is what the servers of all platforms have in common; each embeds one. Its methods
// may be called by many at once, and by who holds a lock of the platform's.
type Server struct {
	pulse
	t        testing.TB
	platform string
	serve    http.HandlerFunc
	hooks    Hooks

	mu      sync.Mutex
	addr    string
	http    *http.Server  // nil while it is down
	stopped chan struct{} // closed when http has ended
	calls   map[string]int
}

// Hooks are what a platform's server does besides. Each may be nil.
type Hooks struct {
	Up   func() // when it listens
	Down func() // when it listens no more; it ends the connections that are no longer HTTP's
	Ask  func() // now and then while a test waits
}

// New makes a server that does not listen yet, and ends with the test.
func New(t testing.TB, platform string, serve http.HandlerFunc, hooks Hooks) *Server {
	s := &Server{t: t, platform: platform, serve: serve, hooks: hooks, calls: make(map[string]int)}
	t.Cleanup(s.Stop)
	return s
}

// URL is the base of all addresses; it stays the same after a restart.
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "http://" + s.addr
}

// listen listens where the server did before, or at a port below those that the system gives to
// connections: it is free again when the server comes back. The caller holds mu.
func (s *Server) listen() (l net.Listener, err error) {
	for range 200 {
		addr := s.addr
		if addr == "" {
			addr = fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(22_000)) //nolint:gosec // no secret
		}
		if l, err = net.Listen("tcp", addr); err == nil {
			return l, nil
		}
		<-time.After(ask)
	}
	return nil, err
}

// Start listens, after [Server.Stop] where it did before.
func (s *Server) Start() {
	s.t.Helper()
	s.mu.Lock()
	l, err := s.listen()
	if err != nil {
		s.mu.Unlock()
		s.t.Fatal(err)
	}
	s.addr = l.Addr().String()
	h, stopped := &http.Server{Handler: s.serve}, make(chan struct{})
	s.http, s.stopped = h, stopped
	s.mu.Unlock()
	go func() {
		defer close(stopped)
		if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.t.Errorf("the fake of %s: %v", s.platform, err)
		}
	}()
	if s.hooks.Up != nil {
		s.hooks.Up()
	}
}

// Stop closes the door and every connection. What the platform knows, and what is said
// meanwhile, is kept.
func (s *Server) Stop() {
	s.mu.Lock()
	h, stopped := s.http, s.stopped
	s.http = nil
	s.mu.Unlock()
	if h == nil {
		return
	}
	_ = h.Close() // the connections are to break
	<-stopped
	if s.hooks.Down != nil {
		s.hooks.Down()
	}
}

// Restart is Stop and Start.
func (s *Server) Restart() {
	s.t.Helper()
	s.Stop()
	s.Start()
}

// Down reports whether it does not listen.
func (s *Server) Down() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.http == nil
}

// Wait returns when the condition holds; it is asked after everything that happens here. The
// test fails when that takes too long.
func (s *Server) Wait(what string, holds func() bool) {
	s.t.Helper()
	s.wait(s.t, what, holds, s.hooks.Ask)
}

// Called counts a call that was read.
func (s *Server) Called(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[method]++
	s.Happened()
}

// Calls says how often a method was asked for and not lost before it was read.
func (s *Server) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// A pulse wakes who waits whenever something happens.
type pulse struct {
	beat    sync.Mutex
	changed chan struct{} // closed when something happens; nil when nobody waits
}

// Changed returns what is closed when something happens next.
func (p *pulse) Changed() <-chan struct{} {
	p.beat.Lock()
	defer p.beat.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}

// Happened wakes who waits. What happened has to be there already.
func (p *pulse) Happened() {
	p.beat.Lock()
	defer p.beat.Unlock()
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

func (p *pulse) wait(t testing.TB, what string, holds func() bool, asking func()) {
	t.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	tick := time.NewTicker(ask) // what holds may be of somebody else
	defer tick.Stop()
	for {
		changed := p.Changed()
		if holds() {
			return
		}
		select {
		case <-changed:
		case <-tick.C:
			if asking != nil {
				asking()
			}
		case <-timeout.C:
			t.Fatalf("waited in vain for: %s", what)
		}
	}
}
