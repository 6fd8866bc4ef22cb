package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/fault"
	"chela/internal/mcp"
)

// An owner is whose a relay is: of one server, and of one key or person.
type owner struct{ server, person, key string }

// A relay joins a client of a caller and a shared server: what the client sees of it, and a session with it. Clients of
// specifications with sessions have one each; of a later one, each request has one for as long as it takes. Safe for
// concurrent use.
type relay struct {
	own     owner
	id      string // of the client's session
	server  *sdk.Server
	session *sdk.ClientSession
	listens bool

	mu       sync.Mutex // guards the rest
	tools    map[string]string
	requests []*inFlight // the requests in hand, the newest last
	using    int         // requests over HTTP that are open, streams too
	begun    int         // requests that have a run which waits for the client's answer
	rested   time.Time
	closed   bool
}

// An inFlight is a request of the client's that is in hand.
type inFlight struct {
	ctx  context.Context //nolint:containedctx // what the server sends meanwhile belongs to it
	with *sdk.ServerSession
}

// relays are those that are open.
type relays struct {
	mu       sync.Mutex        // guards the rest
	sessions map[string]*relay // by the client's session
	idle     map[owner][]*relay
}

// restTime is how long a relay of single requests is kept for the next one.
const restTime = 2 * time.Minute

// openRelay opens a relay for a client. One that listens hears what changes in the server's lists.
func (s *Server) openRelay(ctx context.Context, sharing mcp.Sharing, own owner, version string, can can, listens bool) (*relay, error) {
	l := &relay{own: own, id: rand.Text(), listens: listens, tools: make(map[string]string), rested: time.Now()}
	ready := make(chan struct{}) // what the server says before is heard after
	as := s.clientFor(l, ready, sharing, can, version)
	session, err := s.openFree(ctx, own, as, l.answering(sharing, can), version)
	if said, ok := errors.AsType[*jsonrpc.Error](err); ok && version < stateless && said.Code != 0 { // it may speak later ones alone
		if later, again := s.Servers.Open(ctx, own.server, s.clientFor(l, ready, sharing, can, version), l.answering(sharing, can), ""); again == nil {
			session, err = later, nil
		}
	}
	if err != nil {
		return nil, err
	}
	l.session = session
	l.server = s.serverFor(l, sharing)
	l.refresh(s, sharing)
	close(ready)
	go func() {
		_ = session.Wait() // the client learns it by its next request
		l.close()
		s.relays.forget(l)
	}()
	return l, nil
}

// Where a server is used by as many clients as it may be, the oldest relay of the same owner that is not in use makes place.
const (
	evictTries = 20
	evictPause = 50 * time.Millisecond
)

// openFree opens a session with a server, for which another one of its owner is closed when there is no place.
func (s *Server) openFree(ctx context.Context, own owner, as *sdk.ClientOptions, answers sdk.Middleware, version string) (*sdk.ClientSession, error) {
	session, err := s.Servers.Open(ctx, own.server, as, answers, version)
	if !full(err) || !s.relays.evict(own) {
		return session, err
	}
	for n := 0; n < evictTries; n++ { // it ends soon
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(evictPause):
		}
		if session, err = s.Servers.Open(ctx, own.server, as, answers, version); err == nil {
			return session, nil
		}
		if !full(err) {
			return nil, err
		}
	}
	return nil, err
}

// full reports whether an error says that there is no place now.
func full(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.After > 0
}

// close ends a relay, and the client's session with it.
func (l *relay) close() {
	l.mu.Lock()
	was := l.closed
	l.closed = true
	l.mu.Unlock()
	if was {
		return
	}
	for session := range l.server.Sessions() {
		_ = session.Close() // its client is gone, or learns it
	}
	_ = l.session.Close() // it is left
}

// take notes a request that is in hand, until done is called.
func (l *relay) take(ctx context.Context, with *sdk.ServerSession) (done func()) {
	h := &inFlight{ctx, with}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, h)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.requests = slices.DeleteFunc(l.requests, func(o *inFlight) bool { return o == h })
	}
}

// use notes that a request of the client's is open, until done is called.
func (l *relay) use() (done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.using++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.using--
		l.rested = time.Now()
	}
}

// newest is the newest request in hand, to which belongs what the server sends; nil without one.
func (l *relay) newest() *inFlight {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.requests) == 0 {
		return nil
	}
	return l.requests[len(l.requests)-1]
}

// awaits reports whether a run of the relay waits for the client's answer.
func (l *relay) awaits() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun > 0
}

// refresh has the client see the tools that are shared now.
func (l *relay) refresh(s *Server, sharing mcp.Sharing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := make(map[string]bool, len(sharing.Tools))
	for _, t := range sharing.Tools {
		now[t.Name] = true
		ours, ok := s.Talk.Tools.Now().Find(t.Ours)
		key := t.Digest + " " + t.Ours
		if !ok || l.tools[t.Name] == key {
			continue
		}
		shown := offered(ours)
		l.tools[t.Name] = key
		s.add(l.server, &sdk.Tool{Name: t.Name, Description: t.Description, InputSchema: anObject(t.Schema), Annotations: shown.Annotations, Meta: shown.Meta}, s.callShared(l, t))
	}
	for name := range l.tools {
		if !now[name] {
			l.server.RemoveTools(name)
			delete(l.tools, name)
		}
	}
}

// anObject is an accepted schema of arguments, which may leave it out that they are an object, with that.
func anObject(raw json.RawMessage) json.RawMessage {
	var s schema
	if json.Unmarshal(raw, &s) != nil || s == nil || s["type"] != nil {
		return raw
	}
	s["type"] = json.RawMessage(`"object"`)
	out, err := json.Marshal(s)
	if err != nil {
		return raw
	}
	return out
}

func newRelays() *relays {
	return &relays{sessions: make(map[string]*relay), idle: make(map[owner][]*relay)}
}

// keep keeps the relay of a client's session.
func (p *relays) keep(l *relay) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions[l.id] = l
}

// session returns the relay of a session that is its owner's; nil when there is none.
func (p *relays) session(id string, own owner) *relay {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.sessions[id]; l != nil && l.own == own {
		return l
	}
	return nil
}

// tidy closes the relay of a session that has ended, or has not begun.
func (p *relays) tidy(l *relay) {
	for range l.server.Sessions() {
		return
	}
	l.close()
	p.forget(l)
}

// take takes a relay that rests, for a single request of its owner; nil when there is none.
func (p *relays) take(own owner) *relay {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		all := p.idle[own]
		if len(all) == 0 {
			return nil
		}
		l := all[len(all)-1]
		p.idle[own] = all[:len(all)-1]
		if !l.over() {
			return l
		}
	}
}

// giveBack keeps a relay for the next request.
func (p *relays) giveBack(l *relay) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.over() {
		return
	}
	l.rest()
	p.idle[l.own] = append(p.idle[l.own], l)
}

func (l *relay) over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// old reports whether a relay is past its beginning, in which its client's session is not there yet.
func (l *relay) old() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.rested) > restTime
}

func (l *relay) rest() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rested = time.Now()
}

// forget forgets a relay that is closed.
func (p *relays) forget(l *relay) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.sessions, l.id)
	if p.idle[l.own] = slices.DeleteFunc(p.idle[l.own], func(o *relay) bool { return o == l }); len(p.idle[l.own]) == 0 {
		delete(p.idle, l.own)
	}
}

// sweep closes the relays that nobody uses any more; all of them, when the daemon stops.
func (p *relays) sweep(all bool) {
	p.mu.Lock()
	var gone, sessions []*relay
	for _, l := range p.sessions {
		sessions = append(sessions, l)
	}
	for own, rest := range p.idle {
		p.idle[own] = slices.DeleteFunc(rest, func(l *relay) bool {
			l.mu.Lock()
			defer l.mu.Unlock()
			over := all || time.Since(l.rested) > restTime
			if over {
				gone = append(gone, l)
			}
			return over
		})
	}
	p.mu.Unlock()
	for _, l := range gone {
		l.close()
	}
	for _, l := range sessions {
		if all {
			l.close()
		}
		if l.old() {
			p.tidy(l)
		}
	}
}

// evict closes a relay so that another one of its server has a place: the one that rests longest, whoever's it is, else the session of
// the same owner that was not used for longest; false says that all are in use.
func (p *relays) evict(own owner) bool {
	oldest := p.longest(own)
	if oldest == nil {
		return false
	}
	oldest.close()
	p.forget(oldest)
	return true
}

// longest is the relay that [relays.evict] closes; one that rests is taken, so that no request has it.
func (p *relays) longest(own owner) (out *relay) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var since time.Time
	older := func(l *relay) bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.using > 0 || l.begun > 0 || l.closed || out != nil && !l.rested.Before(since) {
			return false
		}
		since = l.rested
		return true
	}
	for of, rest := range p.idle {
		for _, l := range rest {
			if of.server == own.server && older(l) {
				out = l
			}
		}
	}
	if out != nil {
		p.idle[out.own] = slices.DeleteFunc(p.idle[out.own], func(l *relay) bool { return l == out })
		return out
	}
	for _, l := range p.sessions {
		if l.own == own && older(l) {
			out = l
		}
	}
	return out
}

// refreshAll has the clients of sessions see what is shared now.
func (s *Server) refreshAll() {
	s.relays.mu.Lock()
	var all []*relay
	for _, l := range s.relays.sessions {
		all = append(all, l)
	}
	s.relays.mu.Unlock()
	for _, l := range all {
		if sharing, err := s.Servers.Shared(l.own.server); err == nil {
			l.refresh(s, sharing)
			continue
		}
		l.close() // it is not shared any more
	}
}

// quiet is the log of what the SDK says of clients and servers of others.
func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
