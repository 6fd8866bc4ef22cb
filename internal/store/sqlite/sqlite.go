// Package sqlite keeps the store in one SQLite file: one process, no service. All
// writes go through one writer, whose transactions are shared by all who wait
// (writer.go), each synced to disk before it is acknowledged.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite" // also registers the driver
	sqlitelib "modernc.org/sqlite/lib"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
	"chela/internal/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations are the numbered steps of the schema.
func Migrations() fs.FS {
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return sub
}

// A Backend implements [store.Backend].
type Backend struct {
	read   *sql.DB
	write  *sql.DB
	writer *writer
	stmts  sync.Map // query → *sql.Stmt of read
	kept   atomic.Int32
}

var _ store.Backend = (*Backend)(nil)

// private makes the file, or takes it, for its owner alone; the files that SQLite puts
// beside it have its mode.
func private(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = errors.Join(f.Chmod(0o600), f.Close())
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The database %s cannot be opened for writing.", path)
	}
	return nil
}

// Open opens the file at path, making it and its folder when they are missing, and
// brings its schema up to date. A file newer than this program is refused.
func Open(ctx context.Context, path string) (*store.DB, error) {
	if err := functions(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The folder %s for the database cannot be made.", filepath.Dir(path))
	}
	if err := private(path); err != nil {
		return nil, err
	}
	if err := migrate(ctx, path); err != nil {
		return nil, err
	}
	read, err := sql.Open("sqlite", dsn(path, "query_only(1)"))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	readers := max(4, runtime.GOMAXPROCS(0)) // kept open: each has its statements
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	write, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), read.Close())
	}
	w, err := newWriter(ctx, write)
	if err != nil {
		return nil, errors.Join(err, read.Close(), write.Close())
	}
	return store.New(&Backend{read: read, write: write, writer: w}, store.Options{}), nil
}

// functions gives SQLite what PostgreSQL has by a migration: desk_fold, a text in small
// letters of any language, without the NUL characters that the other cannot hold. The driver takes it once for the process.
var functions = sync.OnceValue(func() error { //nolint:gochecknoglobals // the driver's registry is one too
	return sqlite.RegisterDeterministicScalarFunction("desk_fold", 1, func(_ *sqlite.FunctionContext, in []driver.Value) (driver.Value, error) {
		text, ok := in[0].(string)
		if raw, is := in[0].([]byte); is {
			text, ok = string(raw), true
		}
		if !ok {
			return nil, fmt.Errorf("desk_fold takes a text, not %T", in[0])
		}
		return strings.ToLower(strings.ReplaceAll(text, "\x00", "")), nil
	})
})

// dsn asks for full durability: a commit is on disk before it is acknowledged.
func dsn(path string, more ...string) string {
	q := url.Values{"_pragma": append([]string{
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "cache_size(-16000)", "wal_autocheckpoint(2000)", "temp_store(MEMORY)",
	}, more...)}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// Name implements [store.Backend].
func (*Backend) Name() string { return "sqlite" }

// Query implements [store.Backend]. Statements are kept: preparing one costs as much
// as running it.
func (b *Backend) Query(ctx context.Context, query string, args ...any) (store.Rows, error) {
	if s, ok := b.stmts.Load(query); ok {
		return s.(*sql.Stmt).QueryContext(ctx, args...) //nolint:forcetypeassert,rowserrcheck // only we store here; the caller asks Err
	}
	if strings.HasPrefix(query, store.Once) || b.kept.Add(1) > maxKept {
		return b.read.QueryContext(ctx, query, args...) //nolint:rowserrcheck // the caller asks Err
	}
	s, err := b.read.PrepareContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", query, err)
	}
	if other, loaded := b.stmts.LoadOrStore(query, s); loaded {
		_ = s.Close()         //nolint:sqlclosecheck // somebody else kept one meanwhile
		s = other.(*sql.Stmt) //nolint:forcetypeassert // only we store here
	}
	return s.QueryContext(ctx, args...) //nolint:rowserrcheck // the caller asks Err
}

// maxKept bounds the statements that are kept for reading.
const maxKept = 300

// Reserve implements [store.Backend]. There is one writer, so positions follow the
// last one; the writer knows it.
func (*Backend) Reserve(ctx context.Context, c store.Conn, streams []string, n int) ([]event.Seq, map[string]store.Head, error) {
	heads, err := store.Heads(ctx, c, streams)
	if err != nil {
		return nil, nil, err
	}
	w := c.(*conn).w //nolint:forcetypeassert // Transact gave it
	if w.end < 0 {
		if w.end, err = end(c.Query(ctx, nil, store.Statement{SQL: selectEnd})); err != nil {
			return nil, nil, err
		}
	}
	out := make([]event.Seq, n)
	for i := range out {
		w.end++
		out[i] = w.end
	}
	return out, heads, nil
}

const selectEnd = "SELECT coalesce(max(seq), 0) FROM log_events"

func end(rows store.Rows, err error) (out event.Seq, _ error) {
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }() // rows.Err has the cause
	for rows.Next() {
		if err := rows.Scan(&out); err != nil {
			return 0, err
		}
	}
	return out, rows.Err()
}

// Horizon implements [store.Backend]: what is committed is in order.
func (b *Backend) Horizon(ctx context.Context) (event.Seq, error) {
	return end(b.Query(ctx, selectEnd))
}

// Wake implements [store.Backend]: nobody else writes to the file.
func (*Backend) Wake(context.Context, []run.ID) {}

// Listen implements [store.Backend].
func (*Backend) Listen(ctx context.Context, _ func([]run.ID)) error {
	<-ctx.Done()
	return nil
}

// Close finishes the writes in hand and closes the file.
func (b *Backend) Close() error {
	return errors.Join(b.writer.close(), b.read.Close(), b.write.Close())
}

// IsUnique reports whether err says that a unique value is there already.
func IsUnique(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code() == sqlitelib.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlitelib.SQLITE_CONSTRAINT_PRIMARYKEY)
}
