// Package discordtest is a server of Discord for tests, made after its documentation
// (discord.com/developers/docs, version 10): the REST API with one bot, and its gateway. People
// speak through [Server.Say] and its kin; what the bot sends is in [Server.Sent], in the order
// in which it was taken. What goes wrong on the way is told with [Server.Fault], [Server.Cut],
// [Server.Deaf] and the like.
package discordtest

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/testkit/channeltest"
)

// Guild is the server on which all channels are that are not private, and OurRole the role that
// it made for the bot.
const (
	Guild   = "900000000000000001"
	OurRole = "900000000000000002"
)

// A Server is Discord with one bot. Its methods may be called by many at once.
type Server struct {
	Token string
	Bot   User

	*channeltest.Server
	channeltest.Faults[string]
	t testing.TB

	mu      sync.Mutex
	sockets map[*socket]bool
	open    sync.WaitGroup // of the sockets

	every      time.Duration
	deaf       bool
	noContent  bool
	starts     int // of sessions, that are left
	sessions   map[string]*session
	identified int
	resumed    int
	lastID     uint64 // of now
	lastOld    uint64 // how many are older

	chats   map[string]*chat
	nonces  map[string]string // of the bot's messages, by channel and nonce
	presses map[string]*press
	files   map[string][]byte
	limit   channeltest.Limit
}

// New starts a server, which ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		Token:    "MTAwMDAwMDAwMDAwMDAwMDAx.GfAkE1.not-a-real-token-of-anybody",
		Bot:      User{ID: "100000000000000001", Username: "chela", Bot: true},
		t:        t,
		sockets:  make(map[*socket]bool),
		every:    20 * time.Second,
		starts:   1000,
		sessions: make(map[string]*session),
		chats:    make(map[string]*chat),
		nonces:   make(map[string]string),
		presses:  make(map[string]*press),
		files:    make(map[string][]byte),
	}
	s.Server = channeltest.New(t, "Discord", s.serve, channeltest.Hooks{
		Down: func() {
			s.Cut()
			s.open.Wait()
		},
		Ask: s.askAll,
	})
	s.Start()
	return s
}

// An answer is what a call returns.
type answer struct {
	status int
	body   any
	header map[string]string
}

func ok(body any) answer { return answer{status: http.StatusOK, body: body} }

// no is an answer of an error (discord.com/developers/docs/reference#error-messages).
func no(status, code int, message string) answer {
	return answer{status: status, body: struct {
		Message string `json:"message"`
		Code    int    `json:"code"`
	}{message, code}}
}

// invalid is the answer to a field that is wrong.
func invalid(field, message string) answer {
	type leaf struct {
		Errors []map[string]string `json:"_errors"`
	}
	return answer{status: http.StatusBadRequest, body: struct {
		Message string          `json:"message"`
		Code    int             `json:"code"`
		Errors  map[string]leaf `json:"errors"`
	}{"Invalid Form Body", 50035, map[string]leaf{field: {[]map[string]string{{"code": "INVALID", "message": message}}}}}}
}

// serve finds what is asked for, and what is to go wrong with it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/gateway" || r.URL.Path == "/gateway/" {
		s.socket(w, r)
		return
	}
	named, handle := s.route(r)
	f := s.Due(named)
	if f.Before(w, r, say) {
		s.Happened()
		return
	}
	if !strings.HasPrefix(r.UserAgent(), "DiscordBot (") {
		http.Error(w, "<html>error code: 1010</html>", http.StatusForbidden)
		return
	}
	if named == Download {
		s.Called(named)
		s.download(w, r)
		return
	}
	if named != Callback && r.Header.Get("Authorization") != "Bot "+s.Token {
		write(w, no(http.StatusUnauthorized, 0, "401: Unauthorized"))
		return
	}
	s.Called(named)
	a := handle(r)
	if f.After(w, r, say) {
		return
	}
	write(w, a)
}

// The names of what can be asked for.
const (
	Me       = "me"
	Gateway  = "gateway"
	Look     = "look" // at a channel
	History  = "history"
	Make     = "make" // a message
	Change   = "change"
	Typing   = "typing"
	Callback = "callback"
	Download = "download"
)

func (s *Server) route(r *http.Request) (string, func(*http.Request) answer) {
	if strings.HasPrefix(r.URL.Path, "/attachments/") {
		return Download, nil
	}
	rest, found := strings.CutPrefix(r.URL.Path, "/api/v10/")
	if found {
		parts := strings.Split(rest, "/")
		key := r.Method + " " + parts[0]
		switch {
		case key == "GET users" && rest == "users/@me":
			return Me, s.me
		case key == "GET gateway" && rest == "gateway/bot":
			return Gateway, s.gateway
		case key == "GET channels" && len(parts) == 2:
			return Look, func(*http.Request) answer { return s.look(parts[1]) }
		case key == "GET channels" && len(parts) == 3 && parts[2] == "messages":
			return History, func(r *http.Request) answer { return s.history(parts[1], r.URL.Query()) }
		case key == "POST channels" && len(parts) == 3 && parts[2] == "messages":
			return Make, func(r *http.Request) answer { return s.posted(r, func(p post) answer { return s.make(parts[1], p) }) }
		case key == "PATCH channels" && len(parts) == 4 && parts[2] == "messages":
			return Change, func(r *http.Request) answer {
				return s.posted(r, func(p post) answer { return s.change(parts[1], parts[3], p) })
			}
		case key == "POST channels" && len(parts) == 3 && parts[2] == "typing":
			return Typing, func(*http.Request) answer { return s.typing(parts[1]) }
		case key == "POST interactions" && len(parts) == 4 && parts[3] == "callback":
			return Callback, func(r *http.Request) answer { return s.callback(r, parts[1], parts[2]) }
		}
	}
	return "", func(*http.Request) answer { return no(http.StatusNotFound, 0, "404: Not Found") }
}

func write(w http.ResponseWriter, a answer) {
	w.Header().Set("Content-Type", "application/json")
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	if a.status != http.StatusNoContent {
		_ = json.NewEncoder(w).Encode(a.body) // who has gone does not read it
	}
}

func (s *Server) gateway(*http.Request) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	type limit struct {
		Total     int `json:"total"`
		Remaining int `json:"remaining"`
		After     int `json:"reset_after"`
		Most      int `json:"max_concurrency"`
	}
	return ok(struct {
		URL    string `json:"url"`
		Shards int    `json:"shards"`
		Limit  limit  `json:"session_start_limit"`
	}{s.gatewayURL(), 1, limit{1000, s.starts, 14_400_000, 1}})
}

// gatewayURL is where bots connect.
func (s *Server) gatewayURL() string { return "ws" + strings.TrimPrefix(s.URL(), "http") + "/gateway" }

// Starts sets how many sessions the bot may still begin today.
func (s *Server) Starts(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starts = n
}

// me answers who the bot is.
func (s *Server) me(*http.Request) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ok(s.Bot)
}
