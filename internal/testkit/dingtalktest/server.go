// Package dingtalktest is a server of DingTalk for tests, made after its documentation
// (open.dingtalk.com) and the protocol of its stream SDKs. People speak through [Server.Say]
// and its kin; what a robot sends is in [Server.Sent], in the order in which it was taken. What
// goes wrong on the way is told with [Server.Fault]. All that it names is at DingTalk's own
// hosts: a client has to find it here by itself.
package dingtalktest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/testkit/channeltest"
)

// A Server is DingTalk with one app that has one robot. Its methods may be called by many at
// once.
type Server struct {
	ClientID     string
	ClientSecret string
	RobotCode    string
	Robot        string // its encrypted id, as in chatbotUserId
	Name         string // of the robot
	Template     string // the id of the template for cards

	*channeltest.Server
	channeltest.Faults[string]
	t testing.TB

	mu         sync.Mutex
	last       int // number of the last id
	token      string
	tickets    map[string]bool
	socket     *socket // nil without a connection
	opened     int
	pings      int
	frozen     bool
	deliveries []*delivery
	people     map[string]Person // by staff id
	groups     map[string]bool
	sessions   map[string]session
	media      map[string]upload
	files      map[string][]byte // by downloadCode
	cards      map[string]*Card
	sent       []*Sent
	limit      channeltest.Limit
	recent     map[string][]time.Time // by chat: when it took messages
	// undelivered is why cards are made and not delivered; empty when they are
	undelivered string
	life        time.Duration // of a session webhook
}

// New starts a server, which ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		ClientID: "dingtestclient", ClientSecret: "test-secret-0123456789", RobotCode: "dingtestclient",
		Robot: "$:LWCP_v1:$robot", Name: "Chela", Template: "test-template.schema",
		t: t, token: "token-0",
		tickets: make(map[string]bool), people: make(map[string]Person), groups: make(map[string]bool), sessions: make(map[string]session),
		media: make(map[string]upload), files: make(map[string][]byte), cards: make(map[string]*Card), recent: make(map[string][]time.Time),
		life: 90 * time.Minute,
	}
	s.Server = channeltest.New(t, "DingTalk", s.serve, channeltest.Hooks{Down: s.Drop})
	s.Start()
	return s
}

// id makes an id. The caller holds mu.
func (s *Server) id(kind string) string {
	s.last++
	return kind + strconv.Itoa(s.last)
}

// ExpireTokens has the access token that was given count no more.
func (s *Server) ExpireTokens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = s.id("token-")
}

// serve finds the interface, and what is to go wrong with it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if strings.HasPrefix(path, Files) {
		path = Files
	}
	f := s.Due(path)
	if f.Before(w, r, say) {
		s.Happened()
		return
	}
	s.Called(path)
	if path == Socket {
		s.accept(w, r)
		return
	}
	a := s.dispatch(r, path)
	if f.After(w, r, say) {
		return
	}
	a.write(w)
}

func (s *Server) dispatch(r *http.Request, path string) reply {
	method, do := http.MethodPost, (func(*http.Request) reply)(nil)
	switch path {
	case Token:
		do = with(s.accessToken)
	case Open:
		do = with(s.open)
	case SendPerson:
		do = s.guarded(with(s.batchSend))
	case SendGroup:
		do = s.guarded(with(s.groupSend))
	case Download:
		do = s.guarded(with(s.download))
	case CreateCard:
		do = s.guarded(with(s.createCard))
	case WriteCard:
		method, do = http.MethodPut, s.guarded(with(s.writeCard))
	case ChangeCard:
		method, do = http.MethodPut, s.guarded(with(s.changeCard))
	case Upload:
		do = s.upload
	case Session:
		do = func(r *http.Request) reply {
			return with(func(p sessionParams) reply { return s.bySession(r.URL.Query().Get("session"), p) })(r)
		}
	case Files:
		method, do = http.MethodGet, s.file
	}
	if do == nil || r.Method != method {
		return refusal(http.StatusNotFound, "InvalidAction.NotFound", "Specified api is not found, please check your url and method.")
	}
	return do(r)
}

// guarded lets in who has the access token.
func (s *Server) guarded(do func(*http.Request) reply) func(*http.Request) reply {
	return func(r *http.Request) reply {
		s.mu.Lock()
		token := s.token
		s.mu.Unlock()
		if r.Header.Get("x-acs-dingtalk-access-token") != token {
			return refusal(http.StatusUnauthorized, "InvalidAuthentication", "不合法的access_token")
		}
		return do(r)
	}
}

// with reads the parameters of an interface.
func with[P any](do func(P) reply) func(*http.Request) reply {
	return func(r *http.Request) reply {
		var p P
		if r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Accept") != "application/json" {
			return refusal(http.StatusBadRequest, "UnsupportedMediaType", "the content type and what is accepted have to be application/json")
		}
		raw, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(raw, &p)
		}
		if err != nil {
			return refusal(http.StatusBadRequest, "invalidParameter", err.Error())
		}
		return do(p)
	}
}

// A reply is what an interface answers.
type reply struct {
	status int
	kind   string
	body   []byte
}

func result(v any) reply {
	raw, err := json.Marshal(v)
	if err != nil {
		return refusal(http.StatusInternalServerError, "InternalError", err.Error())
	}
	return reply{http.StatusOK, "application/json", raw}
}

func refusal(status int, code, text string) reply {
	raw := fmt.Sprintf(`{"code":%q,"requestid":"1","message":%q}`, code, text)
	return reply{status, "application/json", []byte(raw)}
}

// old is how the interfaces before /v1.0 answer.
func old(code int, text string) reply {
	return reply{http.StatusOK, "application/json", fmt.Appendf(nil, `{"errcode":%d,"errmsg":%q}`, code, text)}
}

func (a reply) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", a.kind)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // who has gone does not read it
}
