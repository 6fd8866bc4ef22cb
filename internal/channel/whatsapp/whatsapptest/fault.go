package whatsapptest

import (
	"net"
	"net/http"
	"time"
)

// A Mishap is what goes wrong with a call.
type Mishap int

// The mishaps.
const (
	Fail         Mishap = iota // an answer with Fault.Status, 502 if not given, as of a proxy
	Say                        // an answer of the Graph API with the error Fault.Code; nothing is done
	CutBefore                  // the connection breaks before the request is done
	CutAfter                   // the request is done, and the connection breaks before the answer
	SayAfter                   // the request is done, and the answer is the error Fault.Code
	Silent                     // the connection stands and no answer comes; nothing is done
	TakeSilently               // the request is done and no answer comes
)

// The names of what can be asked for.
const (
	Number   = "number"   // who we are
	Messages = "messages" // sending
	Seen     = "seen"     // marking as read, typing
	Upload   = "upload"
	Media    = "media" // where a file lies
	Download = "download"
)

// A Fault is a mishap that is to come.
type Fault struct {
	Method string // empty for each
	What   Mishap
	Times  int // 0 is until [Server.Heal]
	Status int
	Code   int
	Text   string
}

// Fault has calls go wrong from now on. Of several that fit the first given counts.
func (s *Server) Fault(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// Heal ends all mishaps but those under way.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// fault returns what is to go wrong with a call, or nil.
func (s *Server) fault(method string) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if f.Method != "" && f.Method != method {
			continue
		}
		now := *f
		if f.Times == 1 {
			s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
		} else if f.Times > 1 {
			f.Times--
		}
		return &now
	}
	return nil
}

// before does what goes wrong before a request is done, and reports whether that was all.
func (f *Fault) before(w http.ResponseWriter, r *http.Request) bool {
	if f == nil {
		return false
	}
	switch f.What {
	case Fail:
		status := f.Status
		if status == 0 {
			status = http.StatusBadGateway
		}
		http.Error(w, "<html><h1>"+http.StatusText(status)+"</h1></html>", status)
	case Say:
		f.say(w)
	case CutBefore:
		cut(w)
	case Silent:
		<-r.Context().Done()
	case CutAfter, SayAfter, TakeSilently:
		return false
	}
	return true
}

// after does what goes wrong after a request was done, and reports whether that is the answer.
func (f *Fault) after(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case f == nil:
		return false
	case f.What == CutAfter:
		cut(w)
	case f.What == SayAfter:
		f.say(w)
	case f.What == TakeSilently:
		<-r.Context().Done()
	default:
		return false
	}
	return true
}

func (f *Fault) say(w http.ResponseWriter) {
	status := f.Status
	if status == 0 {
		status = http.StatusBadRequest
	}
	write(w, no(status, f.Code, f.Text))
}

// cut breaks the connection.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset, and no end in order
	}
	_ = conn.Close()
}

// limit is how many messages a chat takes in a time; none is no limit.
type limit struct {
	most int
	in   time.Duration
}

// Limit refuses messages when more than most come into a chat in a time.
func (s *Server) Limit(most int, in time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = limit{most, in}
}

// over reports whether a chat takes no more, and counts a message if it does.
func (l limit) over(c *chat, now time.Time) bool {
	if l.most == 0 {
		return false
	}
	for len(c.recent) > 0 && now.Sub(c.recent[0]) >= l.in {
		c.recent = c.recent[1:]
	}
	if len(c.recent) >= l.most {
		return true
	}
	c.recent = append(c.recent, now)
	return false
}
