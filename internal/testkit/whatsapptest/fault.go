package whatsapptest

import (
	"net/http"
	"time"

	"chela/internal/testkit/channeltest"
)

// The mishaps that WhatsApp has; channeltest says what each is.
const (
	Fail         = channeltest.Fail
	Say          = channeltest.Say // an error of the Graph API
	CutBefore    = channeltest.CutBefore
	CutAfter     = channeltest.CutAfter
	SayAfter     = channeltest.SayAfter
	Silent       = channeltest.Silent
	TakeSilently = channeltest.TakeSilently
)

// A Fault is a mishap that is to come.
type Fault = channeltest.Fault[int]

// The names of what can be asked for.
const (
	Number   = "number"   // who we are
	Messages = "messages" // sending
	Seen     = "seen"     // marking as read, typing
	Upload   = "upload"
	Media    = "media" // where a file lies
	Download = "download"
)

// say gives the answer to a mishap of which WhatsApp speaks.
func say(w http.ResponseWriter, f *Fault) {
	status := f.Status
	if status == 0 {
		status = http.StatusBadRequest
	}
	write(w, no(status, f.Code, f.Text))
}

// Limit refuses messages when more than most come into a chat in a time.
func (s *Server) Limit(most int, in time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = channeltest.Limit{Most: most, In: in}
}
