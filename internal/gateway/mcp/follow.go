package mcp

import (
	"context"
	"maps"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
)

// mostWatched bounds the addresses that one session watches.
const mostWatched = 1000

// watch notes that a client wants to hear about a resource.
func (s *Server) watch(ctx context.Context, by *sdk.ServerSession, uri string) error {
	if _, err := s.look(ctx, uri); err != nil {
		if fault.KindOf(err) == fault.NotFound {
			return sdk.ResourceNotFoundError(uri)
		}
		return s.fail(ctx, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watched[by] == nil {
		s.watched[by] = make(map[string]bool)
	}
	if len(s.watched[by]) >= mostWatched {
		return s.fail(ctx, fault.New(fault.Unavailable, "A session hears about at most %d resources.", mostWatched))
	}
	s.watched[by][uri] = true
	return nil
}

func (s *Server) unwatch(by *sdk.ServerSession, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watched[by], uri)
}

// wanted are the resources that open sessions hear about; those of sessions that have ended are forgotten.
func (s *Server) wanted() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]bool)
	if len(s.watched) == 0 {
		return out
	}
	open := make(map[*sdk.ServerSession]bool)
	for session := range s.server.Sessions() {
		open[session] = true
	}
	for session, uris := range s.watched {
		if !open[session] {
			delete(s.watched, session)
			continue
		}
		maps.Copy(out, uris)
	}
	return out
}

// lookEvery is how often the log is looked at by itself: a wake-up from another node may be lost.
const lookEvery = 15 * time.Second

// mostRead is how many events are read at once.
const mostRead = 500

// Run tells clients of changed tools and resources until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	grown, stop := s.Store.Log.Subscribe(event.LogGrew)
	defer stop()
	at, err := s.Store.Log.End(ctx)
	if err != nil {
		return err
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.close()
			return nil
		case <-grown:
			if len(s.wanted()) == 0 {
				continue // who asks from now on hears of what was recorded since the last look
			}
		case <-tick.C:
			s.offerTools() // those of sources come and go
			s.refreshAll()
			s.relays.sweep(false)
			s.release(ctx)
		}
		if at, err = s.tell(ctx, at); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "tell clients of changes", "err", err)
		}
	}
}

// close ends the sessions that are open. What their calls began goes on.
func (s *Server) close() {
	s.closing.Store(true)
	s.relays.sweep(true)
	for session := range s.server.Sessions() {
		_ = session.Close() // its client is gone, or learns it
	}
}

// tell tells of what was recorded after a position, and returns up to where.
func (s *Server) tell(ctx context.Context, at event.Seq) (event.Seq, error) {
	wanted := s.wanted()
	if len(wanted) == 0 {
		return s.Store.Log.End(ctx)
	}
	touched := make(map[string]bool)
	for {
		all, end, err := s.Store.Log.Events(ctx, at, event.Filter{Limit: mostRead})
		if err != nil {
			return at, err
		}
		for _, e := range all {
			for _, uri := range touches(e.Event) {
				touched[uri] = true
			}
		}
		at = end
		if len(all) < mostRead {
			break
		}
	}
	maps.DeleteFunc(touched, func(uri string, _ bool) bool { return !wanted[uri] })
	for _, uri := range slices.Sorted(maps.Keys(touched)) {
		if err := s.server.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
			return at, err
		}
	}
	return at, nil
}

// touches are the addresses of what an event changes.
func touches(e event.Event) []string {
	m := e.Message
	out := []string{threadURI + m.ThreadID, runURI + m.RunID}
	if c, ok, err := desk.ChangeOf(e); ok && err == nil { // one that cannot be read is found by the log's own checks
		out = append(out, recordURI+c.ID, listURI+c.Project+"/"+c.Kind.Plural())
	}
	return out
}
