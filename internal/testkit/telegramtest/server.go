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
	"net/http"
	"strings"
	"sync"
	"testing"

	"chela/internal/testkit/channeltest"
)

// A Server is the Bot API with one bot. Its methods may be called by many at once.
type Server struct {
	Token string
	Bot   User

	*channeltest.Server
	channeltest.Faults[string]
	t testing.TB

	mu      sync.Mutex
	updates updates
	hook    *hook // nil without a webhook
	chats   map[int64]*chat
	files   map[string][]byte
	presses map[string]bool // by id: whether it was answered
	lastID  int64           // of a callback query
	limit   channeltest.Limit
}

// New starts a server, which ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		Token:   "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
		Bot:     User{ID: 110201543, IsBot: true, FirstName: "Chela", Username: "chela_bot"},
		t:       t,
		chats:   make(map[int64]*chat),
		files:   make(map[string][]byte),
		presses: make(map[string]bool),
	}
	s.updates.next = 870_000_001
	s.Server = channeltest.New(t, "Telegram", s.serve, channeltest.Hooks{})
	s.Start()
	t.Cleanup(func() {
		s.mu.Lock()
		h := s.hook
		s.hook = nil
		s.mu.Unlock()
		h.stop()
	})
	return s
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
	f := s.Due(named)
	if f.Before(w, r, say) {
		s.Happened()
		return
	}
	if token != s.Token {
		write(w, refusal(http.StatusUnauthorized, "Unauthorized"))
		return
	}
	if file {
		s.Called(named)
		s.download(w, method)
		return
	}
	body, err := params(r)
	if err != nil {
		write(w, refusal(http.StatusBadRequest, "Bad Request: "+err.Error()))
		return
	}
	s.Called(named)
	a := s.dispatch(r, method, body)
	if f.After(w, r, say) {
		return
	}
	write(w, a)
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
