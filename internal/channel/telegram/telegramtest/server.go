// Package telegramtest is a server of Telegram's Bot API for tests, made after its
// documentation (core.telegram.org/bots/api). People speak through [Server.Say] and its kin;
// what a bot sends is in [Server.Sent], in the order in which it was taken. What goes wrong on
// the way is told with [Server.Fault].
package telegramtest

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long [Server.Wait] waits before the test fails.
const patience = 30 * time.Second

// A Server is the Bot API with one bot. Its methods may be called by many at once.
type Server struct {
	Token string
	Bot   User

	t    testing.TB
	addr string

	mu      sync.Mutex
	http    *http.Server // nil while it is down
	stopped chan struct{}
	changed chan struct{} // closed, and made anew, whenever something happened

	updates updates
	hook    *hook // nil without a webhook
	chats   map[int64]*chat
	files   map[string][]byte
	presses map[string]bool // by id: whether it was answered
	lastID  int64           // of a callback query
	calls   map[string]int
	faults  []*Fault
	limit   limit
}

// New starts a server, which ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		Token:   "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
		Bot:     User{ID: 110201543, IsBot: true, FirstName: "Chela", Username: "chela_bot"},
		t:       t,
		addr:    "127.0.0.1:0",
		changed: make(chan struct{}),
		chats:   make(map[int64]*chat),
		files:   make(map[string][]byte),
		presses: make(map[string]bool),
		calls:   make(map[string]int),
	}
	s.updates.next = 870_000_001
	s.Start()
	t.Cleanup(func() {
		s.Stop()
		s.mu.Lock()
		h := s.hook
		s.hook = nil
		s.mu.Unlock()
		h.stop()
	})
	return s
}

// URL is the base of the API's addresses; it stays the same after a restart.
func (s *Server) URL() string { return "http://" + s.addr }

// Start listens again after [Server.Stop], where it did before.
func (s *Server) Start() {
	s.t.Helper()
	l, err := net.Listen("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addr = l.Addr().String()
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve)}
	s.stopped = make(chan struct{})
	go func(h *http.Server, stopped chan struct{}) {
		defer close(stopped)
		if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.t.Errorf("the fake of Telegram: %v", err)
		}
	}(s.http, s.stopped)
}

// Stop closes the door and every connection. What was said meanwhile is kept.
func (s *Server) Stop() {
	s.mu.Lock()
	h, stopped := s.http, s.stopped
	s.http = nil
	s.mu.Unlock()
	if h != nil {
		_ = h.Close() // the connections are to break
		<-stopped
	}
}

// Restart is Stop and Start.
func (s *Server) Restart() {
	s.t.Helper()
	s.Stop()
	s.Start()
}

// Wait returns when the condition holds; it is asked after everything that happens here. The
// test fails when that takes too long.
func (s *Server) Wait(what string, holds func() bool) {
	s.t.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if holds() {
			return
		}
		select {
		case <-changed:
		case <-timeout.C:
			s.t.Fatalf("waited in vain for: %s", what)
		}
	}
}

// happened wakes who waits. The caller holds mu.
func (s *Server) happened() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Calls says how often a method was asked for and not lost before it was read.
func (s *Server) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

// serve finds the method, and what is to go wrong with it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	rest, file := strings.CutPrefix(r.URL.Path, "/file")
	token, method, found := strings.Cut(strings.TrimPrefix(rest, "/bot"), "/")
	if !found || !strings.HasPrefix(rest, "/bot") || !strings.Contains(token, ":") {
		write(w, refusal(http.StatusNotFound, "Not Found"))
		return
	}
	named := method
	if file {
		named = Download
	}
	f := s.fault(named)
	if f.before(w, r) {
		s.note(named, false)
		return
	}
	if token != s.Token {
		write(w, refusal(http.StatusUnauthorized, "Unauthorized"))
		return
	}
	if file {
		s.note(named, true)
		s.download(w, method)
		return
	}
	body, err := params(r)
	if err != nil {
		write(w, refusal(http.StatusBadRequest, "Bad Request: "+err.Error()))
		return
	}
	s.note(named, true)
	a := s.dispatch(r, method, body)
	if f.after(w, r) {
		return
	}
	write(w, a)
}

func (s *Server) note(method string, read bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if read {
		s.calls[method]++
	}
	s.happened()
}

func (s *Server) dispatch(r *http.Request, method string, body []byte) answer {
	switch strings.ToLower(method) {
	case "getme":
		return result(s.Bot)
	case "getupdates":
		return with(body, func(p getUpdates) answer { return s.getUpdates(r.Context(), p) })
	case "setwebhook":
		return with(body, s.setWebhook)
	case "deletewebhook":
		return with(body, s.deleteWebhook)
	case "getwebhookinfo":
		return s.webhookInfo()
	case "sendmessage":
		return with(body, s.sendMessage)
	case "editmessagetext":
		return with(body, s.editMessageText)
	case "sendphoto":
		return s.sendFile(r, body, "photo")
	case "senddocument":
		return s.sendFile(r, body, "document")
	case "sendchataction":
		return with(body, s.sendChatAction)
	case "answercallbackquery":
		return with(body, s.answerCallbackQuery)
	case "getfile":
		return with(body, s.getFile)
	}
	return refusal(http.StatusNotFound, "Not Found")
}

// with reads the parameters of a method.
func with[P any](body []byte, do func(P) answer) answer {
	var p P
	if err := json.Unmarshal(body, &p); err != nil {
		return refusal(http.StatusBadRequest, "Bad Request: "+err.Error())
	}
	return do(p)
}

func write(w http.ResponseWriter, a answer) {
	w.Header().Set("Content-Type", "application/json")
	if !a.OK {
		w.WriteHeader(a.Code)
	}
	_ = json.NewEncoder(w).Encode(a) // who has gone does not read it
}

// params returns the parameters as JSON, in whichever of the documented ways they came: in
// the query, as a form of either kind, or as JSON.
func params(r *http.Request) ([]byte, error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "application/json" {
		return io.ReadAll(r.Body)
	}
	err := r.ParseMultipartForm(1 << 20)
	if err != nil && !errors.Is(err, http.ErrNotMultipart) && !errors.Is(err, io.EOF) { // a form may be empty
		return nil, err
	}
	fields := make(map[string]json.RawMessage, len(r.Form))
	for name, values := range r.Form {
		raw := json.RawMessage(values[0])
		if name == "text" || name == "caption" || name == "callback_query_id" || !json.Valid(raw) {
			if raw, err = json.Marshal(values[0]); err != nil {
				return nil, err
			}
		}
		fields[name] = raw
	}
	return json.Marshal(fields)
}
