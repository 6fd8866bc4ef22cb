package channeltest

import (
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// A Mishap is what goes wrong with a call.
type Mishap int

// The mishaps. Each platform names those that it has.
const (
	Fail         Mishap = iota // an answer with Fault.Status, 502 if not given, as of a proxy
	FailAfter                  // the request is done, and the answer is that of a broken proxy
	CutBefore                  // the connection breaks before the request is done
	CutAfter                   // the request is done, and the connection breaks before the answer
	Silent                     // the connection stands and no answer comes; nothing is done
	TakeSilently               // the request is done and no answer comes
	Slow                       // the request is done at once and answered after Fault.For
	Say                        // the platform's own answer with Fault.Code; nothing is done
	SayAfter                   // the request is done, and the answer is the one with Fault.Code
	TooMany                    // the platform's 429, to come again after Fault.For
	Own                        // and from here on those that only one platform has, which are answers
)

// A Fault is a mishap that is to come. C is what the platform's errors are known by.
type Fault[C any] struct {
	Method string // empty for each
	What   Mishap
	Times  int // 0 is until [Faults.Heal]
	Status int
	Code   C
	Text   string // that goes with the code
	For    time.Duration
}

// Faults are the mishaps that are to come; a platform's server embeds them.
type Faults[C any] struct {
	mu   sync.Mutex
	next []*Fault[C]
}

// Fault has calls go wrong from now on. Of several that fit the first given counts.
func (q *Faults[C]) Fault(f Fault[C]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next = append(q.next, &f)
}

// Heal ends all mishaps but those under way.
func (q *Faults[C]) Heal() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.next = nil
}

// Due returns what is to go wrong with a call, or nil.
func (q *Faults[C]) Due(method string) *Fault[C] {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, f := range q.next {
		if f.Method != "" && f.Method != method {
			continue
		}
		now := *f
		if f.Times == 1 {
			q.next = append(q.next[:i:i], q.next[i+1:]...)
		} else if f.Times > 1 {
			f.Times--
		}
		return &now
	}
	return nil
}

// Before does what goes wrong before a request is done, and reports whether that was all. say
// gives the platform's own answers.
func (f *Fault[C]) Before(w http.ResponseWriter, r *http.Request, say func(http.ResponseWriter, *Fault[C])) bool {
	if f == nil {
		return false
	}
	switch f.What {
	case CutAfter, FailAfter, SayAfter, TakeSilently, Slow:
		return false
	case Fail:
		f.fail(w)
	case CutBefore:
		cut(w)
	case Silent:
		_, _ = io.Copy(io.Discard, r.Body) // the server hears the other side go only after the body
		<-r.Context().Done()
	default:
		say(w, f)
	}
	return true
}

// After does what goes wrong after a request was done, and reports whether its answer is not to
// be given.
func (f *Fault[C]) After(w http.ResponseWriter, r *http.Request, say func(http.ResponseWriter, *Fault[C])) bool {
	if f == nil {
		return false
	}
	switch f.What {
	case CutAfter:
		cut(w)
	case FailAfter:
		f.fail(w)
	case SayAfter:
		say(w, f)
	case TakeSilently:
		<-r.Context().Done()
	case Slow:
		late := time.NewTimer(f.For)
		defer late.Stop()
		select {
		case <-late.C:
			return false
		case <-r.Context().Done():
		}
	default:
		return false
	}
	return true
}

func (f *Fault[C]) fail(w http.ResponseWriter) {
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

// A Limit is how many messages a chat takes in a time; none is no limit.
type Limit struct {
	Most int
	In   time.Duration
}

// Over returns how long a chat takes no more. When it takes one, now is added to when it took
// the recent ones.
func (l Limit) Over(recent *[]time.Time, now time.Time) time.Duration {
	if l.Most == 0 {
		return 0
	}
	for len(*recent) > 0 && now.Sub((*recent)[0]) >= l.In {
		*recent = (*recent)[1:]
	}
	if len(*recent) >= l.Most {
		return l.In - now.Sub((*recent)[0])
	}
	*recent = append(*recent, now)
	return 0
}
