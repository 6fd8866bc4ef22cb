package discordtest

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// A Mishap is what goes wrong with a call.
type Mishap int

// The mishaps.
const (
	Fail      Mishap = iota // an answer with Fault.Status, 502 if not given, as of a proxy
	TooMany                 // 429, to come again after Fault.For
	Everybody               // 429 for all calls, to come again after Fault.For
	CutBefore               // the connection breaks before the request is read
	CutAfter                // the request is done, and the connection breaks before the answer
	Silent                  // the connection stands and no answer comes; nothing is done
	Slow                    // the request is done at once and answered after Fault.For
)

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
		write(w, tooMany(f.For, false))
	case Everybody:
		write(w, tooMany(f.For, true))
	case CutBefore:
		cut(w)
	case Silent:
		_, _ = io.Copy(io.Discard, r.Body) // the server hears the other side go only after the body
		<-r.Context().Done()
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

func tooMany(after time.Duration, global bool) answer {
	text := strconv.FormatFloat(after.Seconds(), 'f', 3, 64)
	a := answer{status: http.StatusTooManyRequests, header: map[string]string{"Retry-After": strconv.Itoa(int(after.Seconds()) + 1), "X-RateLimit-Scope": "user", "X-RateLimit-Reset-After": text}, body: struct {
		Message string  `json:"message"`
		After   float64 `json:"retry_after"`
		Global  bool    `json:"global"`
	}{"You are being rate limited.", after.Seconds(), global}}
	if global {
		a.header["X-RateLimit-Global"], a.header["X-RateLimit-Scope"] = "true", "global"
	}
	return a
}

// limit is how many messages a chat takes in a time; none is no limit.
type limit struct {
	most int
	in   time.Duration
}

// Limit refuses messages with 429 when more than most come into a chat in a time, and says in
// the headers of each answer how many are left.
func (s *Server) Limit(most int, in time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = limit{most, in}
}

// count counts a message into a chat: over says how long none is taken, header what is told.
func (l limit) count(c *chat, now time.Time) (over time.Duration, header map[string]string) {
	if l.most == 0 {
		return 0, nil
	}
	for len(c.recent) > 0 && now.Sub(c.recent[0]) >= l.in {
		c.recent = c.recent[1:]
	}
	if len(c.recent) >= l.most {
		return l.in - now.Sub(c.recent[0]), nil
	}
	c.recent = append(c.recent, now)
	return 0, map[string]string{
		"X-RateLimit-Limit":       strconv.Itoa(l.most),
		"X-RateLimit-Remaining":   strconv.Itoa(l.most - len(c.recent)),
		"X-RateLimit-Reset-After": strconv.FormatFloat((l.in - now.Sub(c.recent[0])).Seconds(), 'f', 3, 64),
		"X-RateLimit-Bucket":      "80c17d2f203122d936070c88c8d10f33",
	}
}
