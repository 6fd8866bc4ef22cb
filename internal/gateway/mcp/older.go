package mcp

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/gateway"
)

// older is the transport of the specification of 2024-11-05: a stream of events by GET, and messages by POST to
// the address that its first event names.
type older struct {
	server *sdk.Server

	mu       sync.Mutex // guards sessions
	sessions map[string]*olderSession
}

type olderSession struct {
	transport *sdk.SSEServerTransport
	person    string // whose it is
}

// serve answers a request. Only who opened a session sends messages to it.
func (o *older) serve(w http.ResponseWriter, r *http.Request) {
	by := gateway.CallerOf(r.Context()).Person.ID
	switch r.Method {
	case http.MethodGet:
		o.hear(w, r, by)
	case http.MethodPost:
		o.mu.Lock()
		s := o.sessions[r.URL.Query().Get("session")]
		o.mu.Unlock()
		switch {
		case s == nil || s.person != by:
			http.Error(w, "The session does not exist.", http.StatusNotFound)
		case gateway.CheckMedia(r.Header.Get("Content-Type"), false) != nil:
			http.Error(w, "Content-Type must be 'application/json'", http.StatusUnsupportedMediaType)
		default:
			s.transport.ServeHTTP(w, r)
		}
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
	}
}

func (o *older) hear(w http.ResponseWriter, r *http.Request, by string) {
	id := rand.Text()
	q := r.URL.Query()
	q.Set("session", id)
	events := &answer{ResponseWriter: w, events: gateway.NewEvents(w)}
	t := &sdk.SSEServerTransport{Endpoint: r.URL.Path + "?" + q.Encode(), Response: events, MaxRequestBodyBytes: mostBytes}
	o.mu.Lock()
	if len(o.sessions) >= mostSessions {
		o.mu.Unlock()
		w.Header().Set("Retry-After", "60")
		http.Error(w, "Too many sessions are open.", http.StatusServiceUnavailable)
		return
	}
	o.sessions[id] = &olderSession{t, by}
	o.mu.Unlock()
	defer func() {
		o.mu.Lock()
		delete(o.sessions, id)
		o.mu.Unlock()
	}()
	ctx, end := context.WithCancel(r.Context())
	defer end()
	session, err := o.server.Connect(ctx, t, nil)
	if err != nil {
		return // the client is gone
	}
	defer func() { _ = session.Close() }() // the client is gone
	stop := events.events.KeepAlive(idle / 100)
	defer stop()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = session.Wait() // how it ended is the client's affair
	}()
	select {
	case <-ctx.Done():
		_ = session.Close() // the client is gone
		<-gone
	case <-gone:
	}
}

// An answer sends each event at once.
type answer struct {
	http.ResponseWriter
	events *gateway.Events
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) { return a.events.Write(p) }

// Unwrap is for [http.ResponseController].
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
