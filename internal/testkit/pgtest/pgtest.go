// Package pgtest gives tests databases on a real PostgreSQL: the server that
// CHELA_TEST_POSTGRES names, or else a temporary cluster of the local binaries, which
// ends with the test process.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"chela/internal/event"
)

// A cluster is one server for all tests of a process.
type cluster struct {
	once sync.Once
	url  string // of its superuser, without a database
	err  error
	stop func()

	admin struct { // the connection that makes databases and drops them
		sync.Mutex
		conn *pgx.Conn
	}

	prepare func(url string) error
	pattern string // the database that prepare has prepared
	byFile  bool   // whether a copy of it is made file by file, which costs less than by its log
}

var shared cluster //nolint:gochecknoglobals // one server for the process

// Main runs a package's tests, stops the cluster that they started, and does what else is to
// be done last: it ends the process. Every package that calls [URL] calls it from its TestMain.
func Main(m *testing.M, last ...func()) {
	code := m.Run()
	for _, do := range last {
		do()
	}
	if shared.pattern != "" {
		_ = shared.run("DROP DATABASE " + shared.pattern + " WITH (FORCE)") // a server of our own ends anyway
	}
	if shared.stop != nil {
		shared.stop()
	}
	os.Exit(code)
}

// Prepare has every database that [URL] returns begin as a copy of one that do has prepared,
// so that its schema is made once. It is called before the first URL; do leaves no
// connection behind.
func Prepare(do func(url string) error) { shared.prepare = do }

// URL returns the address of a fresh database, which is dropped after the test.
func URL(t testing.TB) string {
	t.Helper()
	return database(t, func() string { return shared.pattern })
}

// Empty is [URL] without what [Prepare] has prepared.
func Empty(t testing.TB) string {
	t.Helper()
	return database(t, func() string { return "" })
}

func database(t testing.TB, pattern func() string) string {
	t.Helper()
	shared.once.Do(shared.begin)
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	name, err := shared.create(pattern())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := shared.run("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return shared.url + "/" + name
}

// begin starts the server and makes the pattern of its databases.
func (c *cluster) begin() {
	if c.url, c.stop, c.err = start(); c.err != nil || c.prepare == nil {
		return
	}
	name, err := c.create("")
	if err == nil {
		err = c.prepare(c.url + "/" + name)
	}
	if err == nil {
		err = c.warm(name)
	}
	if err == nil {
		c.byFile, err = c.copiesFiles()
	}
	c.pattern, c.err = name, err
}

// warm connects once to a database whose schema is made: the server writes then what a connection has to know of its
// catalogs, and a copy has that, too. Without it the first connections to each copy read all of the catalogs.
func (c *cluster) warm(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.url+"/"+name)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// copiesFiles reports whether the server knows the word for that: all do it, those before 15 always.
func (c *cluster) copiesFiles() (known bool, err error) {
	err = c.with(func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT current_setting('server_version_num')::int >= 150000").Scan(&known)
	})
	return known, err
}

// create makes a database, a copy of another when that is named, and returns its name.
func (c *cluster) create(pattern string) (name string, err error) {
	name = strings.ReplaceAll(event.NewID("t"), "_", "")
	statement := "CREATE DATABASE " + name
	if pattern != "" {
		statement += " TEMPLATE " + pattern
		if c.byFile {
			statement += " STRATEGY FILE_COPY"
		}
	}
	return name, c.run(statement)
}

// run runs a statement as the server's superuser.
func (c *cluster) run(statement string) error {
	return c.with(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, statement)
		return err
	})
}

// with gives do the connection of the server's superuser, which is kept: a new one costs the server as much as the statement.
func (c *cluster) with(do func(context.Context, *pgx.Conn) error) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c.admin.Lock()
	defer c.admin.Unlock()
	if c.admin.conn == nil || c.admin.conn.IsClosed() {
		if c.admin.conn, err = pgx.Connect(ctx, c.url+"/postgres"); err != nil {
			return err
		}
	}
	return do(ctx, c.admin.conn)
}

func start() (url string, stop func(), err error) {
	if url := os.Getenv("CHELA_TEST_POSTGRES"); url != "" {
		return strings.TrimRight(url, "/"), nil, nil
	}
	bin, err := binaries()
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp(inMemory(), "chela-pg-")
	if err != nil {
		return "", nil, err
	}
	attr, err := ordinary(dir)
	if err != nil {
		return "", nil, err
	}
	run := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(filepath.Join(bin, name), args...) //nolint:gosec // the local PostgreSQL
		c.SysProcAttr = attr
		c.Dir = dir
		c.Env = append(os.Environ(), "LC_ALL=C")
		return c
	}
	data := filepath.Join(dir, "data")
	if out, err := run("initdb", "-D", data, "-U", "chela", "-A", "trust", "-E", "UTF8", "--no-sync").CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	port, err := freePort()
	if err != nil {
		return "", nil, err
	}
	server := run("postgres", "-D", data, "-p", strconv.Itoa(port), "-k", dir, "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=200", "-c", "fsync=off", "-c", "autovacuum=off", "-c", "shared_buffers=32MB", "-c", "full_page_writes=off", "-c", "wal_level=minimal", "-c", "max_wal_senders=0", "-c", "checkpoint_timeout=1h", "-c", "jit=off") // what a killed daemon has committed, the server holds
	server.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := server.Start(); err != nil {
		return "", nil, fmt.Errorf("start postgres: %w", err)
	}
	stop = func() {
		_ = server.Process.Signal(syscall.SIGQUIT) // its data goes with the folder
		_ = server.Wait()
		_ = os.RemoveAll(dir)
	}
	url = fmt.Sprintf("postgres://chela@127.0.0.1:%d", port)
	return url, stop, ready(url)
}

// inMemory is a folder whose files lie in memory, with room for many databases, or "" for the usual one.
func inMemory() string {
	const folder, room = "/dev/shm", 2 << 30
	var free syscall.Statfs_t
	if err := syscall.Statfs(folder, &free); err != nil || free.Bavail*uint64(free.Bsize) < room { //nolint:gosec // a size is not negative
		return ""
	}
	return folder
}

func ready(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := pgx.Connect(ctx, url+"/postgres")
		if err == nil {
			return c.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("postgres did not come up: %w", err)
		case <-tick.C:
		}
	}
}

// binaries finds the folder of initdb and postgres.
func binaries() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		return filepath.Dir(slices.Max(found)), nil
	}
	if p, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(p), nil
	}
	return "", errors.New("these tests need PostgreSQL's initdb and postgres: install them (Debian: apt-get install postgresql), or name a server's superuser in CHELA_TEST_POSTGRES")
}

// ordinary returns how to run as an ordinary user: initdb refuses root.
func ordinary(dir string) (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return &syscall.SysProcAttr{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2, os.Chown(dir, int(uid), int(gid))); err != nil { //nolint:gosec // 32 bits
			return nil, err
		}
		return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return nil, errors.New("these tests run as root and find no user postgres or nobody to run PostgreSQL as")
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed at once
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }() // the server takes the port
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(port)
}
