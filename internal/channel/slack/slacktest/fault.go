package slacktest

import (
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"time"
)

// A Mishap is what goes wrong with a call.
type Mishap int

// The mishaps.
const (
	Fail         Mishap = iota // an answer with Fault.Status, 502 if not given, as of a proxy
	Say                        // an answer of Slack's with the error Fault.Code; nothing is done
	TooMany                    // 429, to come again after Fault.For
	CutBefore                  // the connection breaks before the request is done
	CutAfter                   // the request is done, and the connection breaks before the answer
	FailAfter                  // the request is done, and the answer is that of a broken proxy
	Silent                     // the connection stands and no answer comes; nothing is done
	TakeSilently               // the request is done and no answer comes
)

// The names that other addresses have among the methods.
const (
	Download = "download"
	Upload   = "upload"
	Socket   = "socket"
)

// A Fault is a mishap that is to come.
type Fault struct {
	Method string // empty for each
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
		f.broken(w)
	case Say:
		write(w, no(f.Code))
	case TooMany:
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.For.Seconds()))))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"ok":false,"error":"ratelimited"}`)
	case CutBefore:
		cut(w)
	case Silent:
		_, _ = io.Copy(io.Discard, r.Body) // the server hears the other side go only after the body
		<-r.Context().Done()
	case CutAfter, FailAfter, TakeSilently:
		return false
	}
	return true
}

// after does what goes wrong after a request was done, and reports whether there is no answer.
func (f *Fault) after(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case f == nil:
		return false
	case f.What == CutAfter:
		cut(w)
	case f.What == FailAfter:
		f.broken(w)
	case f.What == TakeSilently:
		<-r.Context().Done()
	default:
		return false
	}
	return true
}

func (f *Fault) broken(w http.ResponseWriter) {
	status := f.Status
	if status == 0 {
		status = http.StatusBadGateway
	}
	http.Error(w, "<html><h1>"+http.StatusText(status)+"</h1></html>", status)
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
