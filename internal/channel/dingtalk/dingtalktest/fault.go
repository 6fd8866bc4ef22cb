package dingtalktest

import (
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"time"
)

// The interfaces, by their paths.
const (
	Token      = "/v1.0/oauth2/accessToken"
	Open       = "/v1.0/gateway/connections/open"
	Socket     = "/connect"
	SendPerson = "/v1.0/robot/oToMessages/batchSend"
	SendGroup  = "/v1.0/robot/groupMessages/send"
	Download   = "/v1.0/robot/messageFiles/download"
	CreateCard = "/v1.0/card/instances/createAndDeliver"
	ChangeCard = "/v1.0/card/instances"
	WriteCard  = "/v1.0/card/streaming"
	Upload     = "/media/upload"
	Session    = "/robot/sendBySession"
	Files      = "/files/" // where downloads lie
)

// A Mishap is what goes wrong with a call.
type Mishap int

// The mishaps.
const (
	Fail      Mishap = iota // an answer with Fault.Status, 502 if not given, as of a proxy
	Refuse                  // DingTalk's no, with Fault.Status and Fault.Code
	TooMany                 // 429, to come again after Fault.For
	CutBefore               // the connection breaks before the request is read
	CutAfter                // the request is done, and the connection breaks before the answer
	Silent                  // the connection stands and no answer comes; nothing is done
	Slow                    // the request is done at once and answered after Fault.For
	Empty                   // nothing is done, and the answer is an empty object
)

// A Fault is a mishap that is to come.
type Fault struct {
	Path   string // empty for each
	What   Mishap
	Times  int // 0 is until [Server.Heal]
	Status int
	Code   string
	For    time.Duration
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
func (s *Server) fault(path string) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if f.Path != "" && f.Path != path {
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
	case Refuse:
		refusal(f.Status, f.Code, "no").write(w)
	case TooMany:
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.For.Seconds()))))
		refusal(http.StatusTooManyRequests, "Throttling", "too many").write(w)
	case CutBefore:
		cut(w)
	case Silent:
		_, _ = io.Copy(io.Discard, r.Body) // the server hears the other side go only after the body
		<-r.Context().Done()
	case Empty:
		result(struct{}{}).write(w)
	case CutAfter, Slow:
		return false
	}
	return true
}

// after does what goes wrong after a request was done, and reports whether there is no answer.
func (f *Fault) after(w http.ResponseWriter, r *http.Request) bool {
	if f == nil {
		return false
	}
	if f.What == CutAfter {
		cut(w)
		return true
	}
	if f.What == Slow {
		late := time.NewTimer(f.For)
		defer late.Stop()
		select {
		case <-late.C:
		case <-r.Context().Done():
			return true
		}
	}
	return false
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
	most   int
	in     time.Duration
	recent map[string][]time.Time
}

// Limit refuses messages when more than most come into a chat in a time.
func (s *Server) Limit(most int, in time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = limit{most, in, make(map[string][]time.Time)}
}

// over returns how long a chat takes no more, counting a message if it does.
func (l limit) over(chat string, now time.Time) time.Duration {
	if l.most == 0 {
		return 0
	}
	recent := l.recent[chat]
	for len(recent) > 0 && now.Sub(recent[0]) >= l.in {
		recent = recent[1:]
	}
	if len(recent) >= l.most {
		return l.in - now.Sub(recent[0])
	}
	l.recent[chat] = append(recent, now)
	return 0
}
