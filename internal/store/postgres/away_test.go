package postgres_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store/postgres"
	"chela/internal/testkit/pgtest"
)

// A line is a way to the server that can be cut and mended.
type line struct {
	listener net.Listener
	to       string

	mu    sync.Mutex // guards the rest
	cut   bool
	conns []net.Conn
}

func newLine(t *testing.T, to string) *line {
	t.Helper()
	l := &line{to: to}
	var err error
	if l.listener, err = new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.listener.Close(); l.set(true) }) // the test is over
	go func() {
		for {
			c, err := l.listener.Accept()
			if err != nil {
				return
			}
			l.join(c)
		}
	}()
	return l
}

// join passes on what comes, unless the line is cut.
func (l *line) join(c net.Conn) {
	there, err := net.Dial("tcp", l.to) //nolint:noctx // a test
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil || l.cut {
		_ = c.Close()
		return
	}
	l.conns = append(l.conns, c, there)
	go func() { _, _ = io.Copy(there, c); _ = there.Close() }() // either end may close
	go func() { _, _ = io.Copy(c, there); _ = c.Close() }()     // as above
}

func (l *line) set(cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	for _, c := range l.conns {
		_ = c.Close()
	}
	l.conns = nil
}

// TestBackend_AServerThatIsAway: while the server starts again, who reads or writes waits and then
// goes on; when it stays away they are told so in a sentence.
func TestBackend_AServerThatIsAway(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	l := newLine(t, u.Host)
	u.Host = l.listener.Addr().String()
	db, err := postgres.Open(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // its line may be cut
	note := func(ctx context.Context) error {
		_, err := db.Log.Append(ctx, noted())
		return err
	}
	if err := note(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.set(true)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := note(t.Context()); err != nil {
				t.Errorf("a write while it starts again: %v", err)
			}
		})
		all.Go(func() {
			if _, err := db.Log.End(t.Context()); err != nil && fault.KindOf(err) != fault.Unavailable {
				t.Errorf("a look while it starts again: %v", err)
			}
		})
	}
	time.AfterFunc(300*time.Millisecond, func() { l.set(false) })
	all.Wait()
	events, _, err := db.Log.Events(t.Context(), 0, event.Filter{Limit: 100})
	if err != nil || len(events) != 5 {
		t.Errorf("got %d events (%v), want each write once: 5", len(events), err)
	}
	l.set(true)
	soon, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
	defer cancel()
	err = note(soon)
	if text := fault.TextOf(err); err == nil || fault.KindOf(err) != fault.Unavailable || !strings.Contains(text, "PostgreSQL cannot be reached") || !strings.Contains(text, "try it again") {
		t.Errorf("got %q (%v), want a sentence with the way out", text, err)
	}
}
