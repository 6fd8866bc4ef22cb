// Package slacktest is a server of Slack for tests, made after its documentation
// (docs.slack.dev): the Web API as far as a bot needs it, Socket Mode and the Events API. People
// speak through [Server.Say] and its kin; what the bot sends is in [Server.Sent]. What goes
// wrong on the way is told with [Server.Fault]. In one thing it is kinder than Slack: what was
// not acknowledged comes again until it is, and waits while nobody is connected; Slack gives
// up after three times.
package slacktest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/testkit/channeltest"
)

// A Server is Slack with one workspace and one app in it. Its methods may be called by many at once.
type Server struct {
	BotToken string
	AppToken string
	Signing  string
	Bot      User
	Again    time.Duration // after which it sends again what was not acknowledged

	*channeltest.Server
	channeltest.Faults[string]
	t testing.TB

	mu       sync.Mutex
	ended    chan struct{}  // closed when it goes down
	work     sync.WaitGroup // the goroutines of links and of the pump
	last     int64          // number of a ts, id or ticket
	users    map[string]User
	scopes   map[string]string // by method: what the app lacks for it
	chats    map[string]*chat
	files    map[string]*stored
	tickets  map[string]bool
	links    []*link
	turn     int // of the links
	off      bool
	hook     string
	pending  []*delivery
	done     []*delivery // acknowledged, for Redeliver
	statuses map[string]int
}

// New starts a server, which ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		BotToken: "xoxb-1111111111-2222222222-abcdefABCDEF",
		AppToken: "xapp-1-A0APP0001-3333333333-abcdef0123456789",
		Signing:  "8f742231b10e8888abcd99yyyzzz85a5",
		Bot:      User{ID: "U0BOT0001", Name: "chela", Bot: "B0BOT0001"},
		Again:    150 * time.Millisecond,
		t:        t,
		users:    make(map[string]User),
		scopes:   make(map[string]string),
		chats:    make(map[string]*chat),
		files:    make(map[string]*stored),
		tickets:  make(map[string]bool),
		statuses: make(map[string]int),
	}
	s.Server = channeltest.New(t, "Slack", s.serve, channeltest.Hooks{Up: s.up, Down: s.down})
	s.Start()
	return s
}

// up begins to send what is due.
func (s *Server) up() {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended := make(chan struct{})
	s.ended = ended
	s.work.Go(func() { s.pump(ended) })
}

// down breaks the connections.
func (s *Server) down() {
	s.mu.Lock()
	close(s.ended)
	links := slices.Clone(s.links)
	s.mu.Unlock()
	for _, l := range links {
		_ = l.conn.Close() // the connections are to break
	}
	s.work.Wait()
}

// number returns one that is used once. The caller holds mu.
func (s *Server) number() int64 {
	s.last++
	return s.last
}

// stamp returns the name of a message that is made now. The caller holds mu.
func (s *Server) stamp() string {
	return fmt.Sprintf("%d.%06d", time.Now().Unix(), s.number())
}

// serve finds the method, and what is to go wrong with it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	method, api := strings.CutPrefix(r.URL.Path, "/api/")
	switch {
	case api:
	case strings.HasPrefix(r.URL.Path, "/link"):
		method = Socket
	case strings.HasPrefix(r.URL.Path, "/files-pri/"):
		method = Download
	case strings.HasPrefix(r.URL.Path, "/upload/v1/"):
		method = Upload
	default:
		http.NotFound(w, r)
		return
	}
	if err := r.ParseForm(); err != nil && api {
		write(w, no("invalid_form_data"))
		return
	}
	f := s.Due(method)
	if f.Before(w, r, say) {
		s.Happened()
		return
	}
	s.Called(method)
	switch method {
	case Socket:
		s.link(w, r)
		return
	case Download:
		s.download(w, r)
		return
	case Upload:
		s.upload(w, r)
		return
	}
	a := s.dispatch(r, method)
	if f.After(w, r, say) {
		return
	}
	write(w, a)
}

// dispatch looks at the token and does what is asked for.
func (s *Server) dispatch(r *http.Request, method string) answer {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	defer s.mu.Unlock()
	want, other := s.BotToken, s.AppToken
	if method == "apps.connections.open" {
		want, other = other, want
	}
	switch {
	case !ok:
		return no("not_authed")
	case given == other:
		return no("not_allowed_token_type")
	case given != want:
		return no("invalid_auth")
	case r.Method != http.MethodPost:
		return no("invalid_post_type")
	}
	if needed := s.scopes[method]; needed != "" {
		a := no("missing_scope")
		a["needed"] = needed
		return a
	}
	do := map[string]func(arguments) answer{
		"auth.test":                    s.authTest,
		"apps.connections.open":        s.connectionsOpen,
		"chat.postMessage":             s.postMessage,
		"chat.update":                  s.update,
		"conversations.history":        s.history,
		"conversations.replies":        s.replies,
		"users.info":                   s.usersInfo,
		"files.info":                   s.filesInfo,
		"files.getUploadURLExternal":   s.uploadURL,
		"files.completeUploadExternal": s.completeUpload,
		"assistant.threads.setStatus":  s.setStatus,
	}[method]
	if do == nil {
		return no("unknown_method")
	}
	defer s.Happened()
	return do(arguments(r.PostForm))
}

// Lack has the app lack a scope that a method needs.
func (s *Server) Lack(method, scope string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scopes[method] = scope
}

func write(w http.ResponseWriter, a answer) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(a) // who has gone does not read it
}
