package mcp_test

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/mcp"
	"chela/internal/testkit/mcptest"
)

// grants keep what logins gave, for one test.
type grants struct {
	mu   sync.Mutex // guards kept
	kept map[string]string
}

func (g *grants) Keep(_ context.Context, _ event.Party, name, value string, _ ...event.Draft) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.kept[name] = value
	return nil
}

func (g *grants) Kept(_ context.Context, name string) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.kept[name], nil
}

const comesBack = "http://localhost:1/api/mcp/callback"

func TestLogin_APersonLetsUsIn(t *testing.T) {
	t.Parallel()
	kept := &grants{kept: make(map[string]string)}
	at := mcptest.Guarded(t)
	r := newRoom(t)
	r.Grants = kept
	if _, err := r.Set(t.Context(), event.Place{}, mcp.Server{Name: "hub", URL: at, Inside: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Inspect(t.Context(), "hub"); err == nil || !strings.Contains(fault.TextOf(err), "chela mcp login hub") {
		t.Fatalf("who is not let in is told %v", err)
	}
	if all, err := r.Servers.Servers(t.Context()); err != nil || !all[0].Login {
		t.Errorf("got %+v, %v; want it to ask for a login", all, err)
	}
	state := begin(t, r)
	if _, err := r.LoggedIn(t.Context(), "another", "right", ""); fault.KindOf(err) != fault.NotFound {
		t.Errorf("another state gives %v", err)
	}
	if _, err := r.LoggedIn(t.Context(), state, "", ""); fault.KindOf(err) != fault.Denied {
		t.Errorf("a refusal gives %v", err)
	}
	if _, err := r.LoggedIn(t.Context(), state, "right", ""); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a state that was used gives %v", err)
	}
	if _, err := r.LoggedIn(t.Context(), begin(t, r), "right", ""); err != nil {
		t.Fatal(err)
	}
	inspect(t, r)
	if _, err := r.Login(t.Context(), event.Party{}, "hub", comesBack, ""); fault.KindOf(err) != fault.Conflict {
		t.Errorf("a login that nobody asks for gives %v", err)
	}
	again := newRoom(t) // after a restart
	again.Grants = kept
	if _, err := again.Set(t.Context(), event.Place{}, mcp.Server{Name: "hub", URL: at, Inside: true}); err != nil {
		t.Fatal(err)
	}
	inspect(t, again)
	other := newRoom(t)
	other.Grants = kept
	if _, err := other.Set(t.Context(), event.Place{}, mcp.Server{Name: "hub", URL: mcptest.Guarded(t), Inside: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Inspect(t.Context(), "hub"); err == nil {
		t.Error("a server at another address is given the token")
	}
}

// begin begins a login, and returns its state.
func begin(t *testing.T, r *room) string {
	t.Helper()
	address, err := r.Login(t.Context(), event.Party{AgentID: "agent:person/per_ann"}, "hub", comesBack, "")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil || u.Query().Get("redirect_uri") != comesBack || u.Query().Get("code_challenge") == "" {
		t.Fatalf("a person is sent to %s (%v)", address, err)
	}
	return u.Query().Get("state")
}

// inspect looks at the server until the login is taken in.
func inspect(t *testing.T, r *room) {
	t.Helper()
	for until := time.Now().Add(deadline); ; time.Sleep(10 * time.Millisecond) {
		st, err := r.Inspect(t.Context(), "hub")
		if err == nil && len(st.Seen.Tools) == 1 && !st.Login {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("got %+v, %v; want the tool", st, err)
		}
	}
}
