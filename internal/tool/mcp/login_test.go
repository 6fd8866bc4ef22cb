package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/mcp"
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

// guarded is a server of one tool that lets in who has a token of its authorization server, which is at the same address.
func guarded(t *testing.T) string {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "guarded", Version: "1"}, nil)
	sdk.AddTool(server, &sdk.Tool{Name: "look", Description: "Looks."}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "seen"}}}, nil, nil
	})
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		if !strings.HasPrefix(token, "access-") {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{Expiration: time.Now().Add(time.Hour)}, nil
	}
	mux.Handle("/mcp", auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{ResourceMetadataURL: s.URL + "/.well-known/oauth-protected-resource/mcp"})(
		sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil),
	))
	say := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v) // the test sees what is missing
	}
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		say(w, map[string]any{"resource": s.URL + "/mcp", "authorization_servers": []string{s.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		say(w, map[string]any{
			"issuer": s.URL, "authorization_endpoint": s.URL + "/authorize", "token_endpoint": s.URL + "/token", "registration_endpoint": s.URL + "/register",
			"code_challenge_methods_supported": []string{"S256"}, "response_types_supported": []string{"code"}, "token_endpoint_auth_methods_supported": []string{"none"},
		})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		_ = json.NewDecoder(r.Body).Decode(&in) // what is missing is missed below
		in["client_id"] = "us"
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(in) // as above
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		if code := r.FormValue("code"); code != "right" || r.FormValue("code_verifier") == "" {
			http.Error(w, fmt.Sprintf("the code is %q", code), http.StatusBadRequest)
			return
		}
		say(w, map[string]any{"access_token": "access-1", "token_type": "Bearer", "expires_in": 3600, "refresh_token": "again"})
	})
	return s.URL + "/mcp"
}

const comesBack = "http://localhost:1/api/mcp/callback"

func TestLogin_APersonLetsUsIn(t *testing.T) {
	t.Parallel()
	kept := &grants{kept: make(map[string]string)}
	at := guarded(t)
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
	if err := r.LoggedIn("another", "right", ""); fault.KindOf(err) != fault.NotFound {
		t.Errorf("another state gives %v", err)
	}
	if err := r.LoggedIn(state, "", ""); fault.KindOf(err) != fault.Denied {
		t.Errorf("a refusal gives %v", err)
	}
	if err := r.LoggedIn(state, "right", ""); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a state that was used gives %v", err)
	}
	if err := r.LoggedIn(begin(t, r), "right", ""); err != nil {
		t.Fatal(err)
	}
	inspect(t, r)
	if _, err := r.Login(t.Context(), event.Party{}, "hub", comesBack); fault.KindOf(err) != fault.Conflict {
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
	if _, err := other.Set(t.Context(), event.Place{}, mcp.Server{Name: "hub", URL: guarded(t), Inside: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Inspect(t.Context(), "hub"); err == nil {
		t.Error("a server at another address is given the token")
	}
}

// begin begins a login, and returns its state.
func begin(t *testing.T, r *room) string {
	t.Helper()
	address, err := r.Login(t.Context(), event.Party{AgentID: "agent:person/per_ann"}, "hub", comesBack)
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
