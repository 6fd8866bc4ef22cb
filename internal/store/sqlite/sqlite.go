// Package sqlite keeps the store in one SQLite file: one process, no service. All
// writes go through one writer, whose transactions are shared by all who wait
// (writer.go), each synced to disk before it is acknowledged.
package sqlite

import (
	"cmp"
	"context"
	sqldriver "database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	driver "modernc.org/sqlite" // also registers itself
	"zombiezen.com/go/sqlite"

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
	readers *readers
	writer  *writer
	closed  func() error
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
	b, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	db := store.New(b, store.Options{})
	if err := db.FillLists(ctx); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return db, nil
}

func open(ctx context.Context, path string) (*Backend, error) {
	if err := functions(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "The folder %s for the database cannot be made.", filepath.Dir(path))
	}
	if err := private(path); err != nil {
		return nil, err
	}
	h := upToDate(path)
	if h == nil {
		err := migrate(ctx, path)
		if err != nil {
			return nil, err
		}
		if h, err = openHandle(path, writing); err != nil {
			return nil, err
		}
	}
	b := &Backend{readers: newReaders(path), writer: newWriter(path, h)}
	b.closed = sync.OnceValue(b.close)
	return b, nil
}

// functions gives the driver that migrates what [openHandle] gives a connection. It takes that once for the process.
var functions = sync.OnceValue(func() error { //nolint:gochecknoglobals // the driver's registry is one too
	bodies := driver.RegisterDeterministicScalarFunction("desk_body", 3, func(_ *driver.FunctionContext, in []sqldriver.Value) (sqldriver.Value, error) {
		payload, _ := in[0].(string) // any other is none of an event that made a record
		at, _ := in[1].(int64)
		text, _ := in[2].(string)
		return store.Body(payload, at, text), nil
	})
	return errors.Join(bodies, driver.RegisterDeterministicScalarFunction("desk_fold", 1, func(_ *driver.FunctionContext, in []sqldriver.Value) (sqldriver.Value, error) {
		switch v := in[0].(type) {
		case string:
			return fold(v), nil
		case []byte:
			return fold(string(v)), nil
		default:
			return nil, fmt.Errorf("desk_fold takes a text, not %T", v)
		}
	}))
})

// fold is what PostgreSQL has by a migration, desk_fold: a text in small letters of any
// language, without the NUL characters that the other cannot hold.
func fold(text string) string { return strings.ToLower(strings.ReplaceAll(text, "\x00", "")) }

// pragmas ask for full durability: a commit is on disk before it is acknowledged. The writer sees to that itself.
func pragmas() []string {
	return []string{
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "cache_size(-6000)", "wal_autocheckpoint(2000)", "temp_store(MEMORY)",
	}
}

// dsn is the file as the driver that migrates takes it.
func dsn(path string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + url.Values{"_pragma": pragmas()}.Encode()
}

// Name implements [store.Backend].
func (*Backend) Name() string { return "sqlite" }

// Reserve implements [store.Backend]. There is one writer, so positions follow the
// last one; the writer knows it.
func (b *Backend) Reserve(ctx context.Context, c store.Conn, streams []string, n int, looks ...store.Look) ([]event.Seq, map[string]store.Head, error) {
	heads, err := store.Heads(ctx, c, streams)
	if err != nil {
		return nil, nil, err
	}
	w := b.writer
	if w.end < 0 {
		if w.end, err = end(c.Query(ctx, nil, store.Statement{SQL: store.SelectEnd})); err != nil {
			return nil, nil, err
		}
	}
	out := make([]event.Seq, n)
	for i := range out {
		w.end++
		out[i] = w.end
	}
	return out, heads, c.Look(ctx, nil, looks...)
}

// Lock implements [store.Backend]: there is one writer.
func (*Backend) Lock(string) (store.Statement, bool) { return store.Statement{}, false }

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
	return end(b.Query(ctx, store.SelectEnd))
}

// Wake implements [store.Backend]: nobody else writes to the file.
func (*Backend) Wake(context.Context, []run.ID, []event.Topic) {}

// Listen implements [store.Backend].
func (*Backend) Listen(ctx context.Context, _ func(store.News)) error {
	<-ctx.Done()
	return nil
}

// Process implements [store.Backend].
func (*Backend) Process() string { return "" }

// Disconnect implements [store.Backend]: there is no other.
func (*Backend) Disconnect(context.Context, string) error { return nil }

// Writable implements [store.Backend]: the disk failed to keep what was written, or is full.
func (b *Backend) Writable() error {
	return cmp.Or(b.writer.journal.failed(), b.writer.room.lacks())
}

// Close finishes the writes in hand and closes the file. The connection that writes is the last:
// SQLite puts what is written into the file then.
func (b *Backend) Close() error { return b.closed() }

func (b *Backend) close() error {
	b.writer.drain()
	return errors.Join(b.readers.close(), b.writer.journal.close(), b.writer.handle.close())
}

// isUnique reports whether err says that a unique value is there already.
func isUnique(err error) bool {
	code := sqlite.ErrCode(err)
	return code == sqlite.ResultConstraintUnique || code == sqlite.ResultConstraintPrimaryKey
}
