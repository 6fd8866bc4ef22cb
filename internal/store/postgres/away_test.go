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

	"github.com/jackc/pgx/v5"

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

// on asks the server of an address for something beside the store.
func on(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }() // it has answered
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// TestBackend_AServerThatTakesNoChanges: who changes something on a standby, or on a server that was made read-only, is told so; whether the
// store takes changes follows from the latest try.
func TestBackend_AServerThatTakesNoChanges(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	name := pgx.Identifier{strings.TrimPrefix(u.Path, "/")}.Sanitize()
	on(t, address, "ALTER DATABASE "+name+" SET default_transaction_read_only = on")
	db, err := postgres.Open(t.Context(), with(address, "pool_max_conns=4"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // the test is over
	_, err = db.Log.Append(t.Context(), noted())
	for what, err := range map[string]error{"a change": err, "the store": db.Writable()} {
		if text := fault.TextOf(err); fault.KindOf(err) != fault.Unavailable || !strings.Contains(text, "it is a standby, or was made read-only") || !strings.Contains(text, "Nothing was changed") {
			t.Errorf("%s says %q (%v), want that the server takes no changes", what, text, err)
		}
	}
	if _, err := db.Log.End(t.Context()); err != nil || db.Writable() == nil {
		t.Errorf("reading: %v, and then the store says %v, want that it takes no changes", err, db.Writable())
	}
	on(t, with(address, "default_transaction_read_only=off"), "ALTER DATABASE "+name+" RESET default_transaction_read_only")
	on(t, address, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	if _, err := db.Log.Append(t.Context(), noted()); err != nil || db.Writable() != nil {
		t.Errorf("a change when it takes them again: %v, %v", err, db.Writable())
	}
}

// TestOpen_SaysWhyItIsRefused: what a server that answers says of the address is told, and not that it cannot be reached.
func TestOpen_SaysWhyItIsRefused(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	nowhere := *u
	nowhere.Path += "_that_is_not_there"
	closed := newLine(t, u.Host)
	if err := closed.listener.Close(); err != nil {
		t.Fatal(err)
	}
	away := *u
	away.Host = closed.listener.Addr().String()
	for address, want := range map[string]string{nowhere.String(): "has no such database", away.String(): "PostgreSQL cannot be reached. Is the server running"} {
		db, opened := postgres.Open(t.Context(), address)
		if opened == nil {
			_ = db.Close() // it must not have opened
		}
		_, looked := postgres.Current(t.Context(), address)
		for what, err := range map[string]error{"a start": opened, "a look": looked} {
			if text := fault.TextOf(err); fault.KindOf(err) != fault.Unavailable || !strings.Contains(text, want) {
				t.Errorf("%s says %q (%v), want %q", what, text, err, want)
			}
		}
	}
}
