// Package whatsapptest is a server of WhatsApp's Cloud API for tests, made after its
// documentation (developers.facebook.com/documentation/business-messaging/whatsapp). People speak
// through [Server.Say] and its kin, which goes to the address that [Server.Hook] was given; what
// a number sends is in [Server.Sent], in the order in which it was taken. What goes wrong on the
// way is told with [Server.Fault].
package whatsapptest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"chela/internal/testkit/channeltest"
)

// A Server is the Cloud API with one number. Its methods may be called by many at once.
type Server struct {
	Token     string
	AppSecret string
	Verify    string // what the address is asked for
	Number    string // the id of the number
	Display   string
	Name      string
	MediaHost string // at which files are said to lie

	*channeltest.Server
	channeltest.Faults[int]
	t testing.TB

	mu     sync.Mutex
	chats  map[string]*chat
	files  map[string]file
	seen   map[string]int // by id: how often it was marked as read
	lastID int
	limit  channeltest.Limit
	quiet  bool // no statuses come by themselves
	held   bool // updates are collected for one body

	queue   []update // that were not taken yet
	batch   []update
	history []update // that were taken
	hook    string
	tries   int // deliveries that were not taken
	pump    context.CancelFunc
	pumped  chan struct{}
}

// New starts a server, which ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		Token:     "EAAJBtestTokenOfASystemUser0123456789",
		AppSecret: "0123456789abcdef0123456789abcdef",
		Verify:    "of-our-own-choice",
		Number:    "106540352242922",
		Display:   "+1 555-078-3881",
		Name:      "Lucky Shrub",
		MediaHost: "https://lookaside.fbsbx.com",
		t:         t,
		chats:     make(map[string]*chat),
		files:     make(map[string]file),
		seen:      make(map[string]int),
	}
	s.Server = channeltest.New(t, "WhatsApp", s.serve, channeltest.Hooks{})
	s.Start()
	t.Cleanup(s.Unhook)
	return s
}

var versioned = regexp.MustCompile(`^/v[0-9]+\.[0-9]+/([^/]+)(?:/([a-z]+))?$`)

// serve finds what is asked for, and what is to go wrong with it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // who asked has gone
	}
	method, id := s.method(r, body)
	if method == "" {
		write(w, no(http.StatusBadRequest, 2500, "Unknown path components: "+r.URL.Path))
		return
	}
	f := s.Due(method)
	if f.Before(w, r, say) {
		s.Happened()
		return
	}
	if a, ok := s.allowed(r, method); !ok {
		write(w, a)
		return
	}
	s.Called(method)
	if method == Download {
		s.download(w, r)
		return
	}
	a := s.dispatch(method, id, r, body)
	if f.After(w, r, say) {
		return
	}
	write(w, a)
}

// method names what is asked for, by one of the names of [Fault].
func (s *Server) method(r *http.Request, body []byte) (method, id string) {
	if r.URL.Path == attachments && r.Method == http.MethodGet {
		return Download, ""
	}
	at := versioned.FindStringSubmatch(r.URL.Path)
	if at == nil {
		return "", ""
	}
	switch at[2] + " " + r.Method {
	case "messages POST":
		var p struct {
			Status string `json:"status"`
		}
		if json.Unmarshal(body, &p) == nil && p.Status != "" {
			return Seen, at[1]
		}
		return Messages, at[1]
	case "media POST":
		return Upload, at[1]
	case " GET":
		if at[1] == s.Number {
			return Number, at[1]
		}
		return Media, at[1]
	}
	return "", ""
}

// allowed looks at the token, and at the proof that the app's secret is known.
func (s *Server) allowed(r *http.Request, method string) (answer, bool) {
	if r.Header.Get("Authorization") != "Bearer "+s.Token {
		return no(http.StatusUnauthorized, 190, "Error validating access token: Session has expired"), false
	}
	mac := hmac.New(sha256.New, []byte(s.AppSecret))
	mac.Write([]byte(s.Token))
	if proof := r.URL.Query().Get("appsecret_proof"); method != Download && proof != "" && proof != hex.EncodeToString(mac.Sum(nil)) {
		return no(http.StatusBadRequest, 100, "Invalid appsecret_proof provided in the API argument"), false
	}
	return answer{}, true
}

func (s *Server) dispatch(method, id string, r *http.Request, body []byte) answer {
	if id != s.Number && method != Media {
		return no(http.StatusBadRequest, 100, "Unsupported request. Object with ID '"+id+"' does not exist, cannot be loaded due to missing permissions, or does not support this operation")
	}
	switch method {
	case Number:
		return s.number(r.URL.Query().Get("fields"))
	case Messages:
		return s.sendMessage(body)
	case Seen:
		return s.markSeen(body)
	case Upload:
		return s.upload(r.Header.Get("Content-Type"), body)
	}
	return s.mediaOf(id, r.URL.Query().Get("phone_number_id"))
}

// number says who we are, as far as it was asked.
func (s *Server) number(fields string) answer {
	all := map[string]string{"id": s.Number, "display_phone_number": s.Display, "verified_name": s.Name, "quality_rating": "GREEN"}
	out := map[string]string{"id": s.Number}
	if fields == "" {
		fields = "id,display_phone_number,verified_name,quality_rating"
	}
	for f := range strings.SplitSeq(fields, ",") {
		v, ok := all[f]
		if !ok {
			return no(http.StatusBadRequest, 100, "(#100) Tried accessing nonexisting field ("+f+")")
		}
		out[f] = v
	}
	return yes(out)
}
