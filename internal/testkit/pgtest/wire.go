package pgtest

import (
	"io"
	"net"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// A Wire stands between a process and its server, and writes down what is asked.
type Wire struct {
	to    string     // the server's host and port
	mu    sync.Mutex // guards asked
	asked []Trip
}

// A Trip is what one round trip carries.
type Trip struct {
	Statements []string // as the server is sent them
	Commits    bool     // it ends a transaction that wrote
}

var changes = regexp.MustCompile(`^(INSERT|UPDATE|DELETE|WITH .*(INSERT|UPDATE|DELETE)) `)

// Watch returns an address by which the database at another is reached, and the wire that all goes over that is asked there.
// Whoever connects by it has gone when the test ends.
func Watch(t testing.TB, address string) (string, *Wire) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed with the test
	if err != nil {
		t.Fatal(err)
	}
	w := &Wire{to: u.Host}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() { w.pass(c) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		open.Wait()
	})
	u.Host = l.Addr().String()
	q := u.Query()
	q.Set("sslmode", "disable")
	u.RawQuery = q.Encode()
	return u.String(), w
}

// Take returns what was asked since the last call.
func (w *Wire) Take() []Trip {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := w.asked
	w.asked = nil
	return out
}

// pass passes one connection on until either side ends it.
func (w *Wire) pass(client net.Conn) {
	defer func() { _ = client.Close() }() // it has ended
	server, err := net.Dial("tcp", w.to)  //nolint:noctx // it is closed with the client
	if err != nil {
		return
	}
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(client, server) // ends with the connection
		_ = client.Close()
	})
	defer back.Wait()
	defer func() { _ = server.Close() }() // it has ended
	from := pgproto3.NewBackend(client, io.Discard)
	begin, err := from.ReceiveStartupMessage()
	if err == nil && send(server, begin) == nil {
		_ = w.read(from, server) // ends with the connection
	}
}

// read passes on what the client sends, and writes down what it asks. Preparing a statement, which is done once for a
// connection, is not counted.
func (w *Wire) read(from *pgproto3.Backend, server io.Writer) error {
	prepared := make(map[string]string)
	var bound string
	var asked []string
	var c transaction
	for {
		m, err := from.Receive()
		if err != nil {
			return err
		}
		switch m := m.(type) {
		case *pgproto3.Parse:
			prepared[m.Name] = m.Query
		case *pgproto3.Bind:
			bound = prepared[m.PreparedStatement]
		case *pgproto3.Execute:
			asked = append(asked, strings.Join(strings.Fields(bound), " "))
		case *pgproto3.Query:
			w.note(&c, []string{m.String})
		case *pgproto3.Sync:
			w.note(&c, asked)
			asked = nil
		}
		if err := send(server, m); err != nil {
			return err
		}
	}
}

// A transaction is the one that a connection is in.
type transaction struct{ open, wrote bool }

func (w *Wire) note(in *transaction, asked []string) {
	if len(asked) == 0 {
		return
	}
	t := Trip{Statements: asked}
	for _, s := range asked {
		switch {
		case s == "BEGIN":
			*in = transaction{open: true}
		case s == "COMMIT" || s == "ROLLBACK":
			t.Commits, *in = s == "COMMIT" && in.wrote, transaction{}
		case changes.MatchString(s):
			in.wrote = true
		}
	}
	if !in.open && in.wrote {
		t.Commits, in.wrote = true, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, t)
}

func send(to io.Writer, m pgproto3.FrontendMessage) error {
	raw, err := m.Encode(nil)
	if err != nil {
		return err
	}
	_, err = to.Write(raw)
	return err
}
