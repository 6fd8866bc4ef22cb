package telegramtest

import (
	"math"
	"net"
	"net/http"
	"time"
)

// A Mishap is what goes wrong with a call.
type Mishap int

// The mishaps.
const (
	Fail      Mishap = iota // an answer with Fault.Status, 502 if not given, as of a proxy
	TooMany                 // 429, to come again after Fault.For
	CutBefore               // the connection breaks before the request is read
	CutAfter                // the request is done, and the connection breaks before the answer
	Silent                  // the connection stands and no answer comes; nothing is done
	Slow                    // the request is done at once and answered after Fault.For
)

// Download is the name that fetching a file has among the methods.
const Download = "download"

// A Fault is a mishap that is to come.
type Fault struct {
	Method string // empty for each
	What   Mishap
	Times  int // 0 is until [Server.Heal]
	Status int
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
	case TooMany:
		write(w, tooMany(f.For))
	case CutBefore:
		cut(w)
	case Silent:
		<-gone(r)
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

// gone is closed when who asked has gone, or the server ends.
func gone(r *http.Request) <-chan struct{} {
	_, _ = params(r) // the server hears the other side go only after the body
	return r.Context().Done()
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

func tooMany(after time.Duration) answer {
	seconds := int64(math.Ceil(after.Seconds()))
	a := refusal(http.StatusTooManyRequests, "Too Many Requests: retry after "+time.Duration(seconds*int64(time.Second)).String())
	a.Parameters = &parameters{RetryAfter: seconds}
	return a
}

// limit is how many messages a chat takes in a time; none is no limit.
type limit struct {
	most int
	in   time.Duration
}

// Limit refuses messages with 429 when more than most come into a chat in a time.
func (s *Server) Limit(most int, in time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = limit{most, in}
}

// over returns how long a chat takes no more, counting a message if it does.
func (l limit) over(c *chat, now time.Time) time.Duration {
	if l.most == 0 {
		return 0
	}
	for len(c.recent) > 0 && now.Sub(c.recent[0]) >= l.in {
		c.recent = c.recent[1:]
	}
	if len(c.recent) >= l.most {
		return l.in - now.Sub(c.recent[0])
	}
	c.recent = append(c.recent, now)
	return 0
}
