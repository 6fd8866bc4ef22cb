package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"syscall"

	"github.com/pressly/goose/v3"
	"zombiezen.com/go/sqlite"

	"chela/internal/fault"
	"chela/internal/store"
)

// upToDate opens a file whose schema is the one of this program, so that [migrate] has nothing to do; nil is any other, and what
// cannot be read: migrate says why.
func upToDate(path string) *handle {
	h, err := openHandle(path, writing)
	if err != nil {
		return nil
	}
	applied, err := h.applied()
	current := false
	if err == nil {
		current, err = store.Current(applied, Migrations(), path)
	}
	if err != nil || !current {
		_ = h.close() // it was only read
		return nil
	}
	return h
}

// Current reports whether the file at path has the schema of this program. The error is why [Open] would refuse it. The file is read alone.
func Current(path string) (bool, error) {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		return false, fault.Wrap(err, fault.Unavailable, "The database %s cannot be opened for reading.", path)
	}
	h := &handle{c, make(map[string]*statement)}
	defer func() { _ = h.close() }() // it was only read
	there, err := h.versioned()
	if err != nil {
		return false, fault.Wrap(err, fault.Unavailable, "The database %s cannot be read. Is it a Chela database, and is the disk in order?", path)
	}
	if !there {
		return false, nil
	}
	applied, err := h.applied()
	if err != nil {
		return false, fault.Wrap(err, fault.Unavailable, "The database %s cannot be read. Is it a Chela database, and is the disk in order?", path)
	}
	return store.Current(applied, Migrations(), path)
}

// versioned reports whether a file has had steps of the schema.
func (h *handle) versioned() (bool, error) {
	s, err := h.prepare(store.Statement{SQL: "SELECT name FROM sqlite_master WHERE name = 'schema_versions'"})
	if err != nil {
		return false, err
	}
	defer h.done(s)
	return s.Step()
}

// applied are the steps of the schema that a file has.
func (h *handle) applied() (map[int64]bool, error) {
	s, err := h.prepare(store.Statement{SQL: "SELECT version_id FROM schema_versions WHERE version_id > 0"})
	if err != nil {
		return nil, err
	}
	defer h.done(s)
	out := make(map[int64]bool)
	for {
		if more, err := s.Step(); err != nil || !more {
			return out, err
		}
		out[s.ColumnInt64(0)] = true
	}
}

// migrate brings the file's schema up to date. A lock file lets one process at a
// time do so.
func migrate(ctx context.Context, path string) error {
	lock, err := os.OpenFile(path+".migrate", os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // beside the operator's database
	if err != nil {
		return fmt.Errorf("open the migration lock: %w", err)
	}
	defer func() { _ = lock.Close() }() // also releases the lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("take the migration lock: %w", err)
	}
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { _ = db.Close() }() // migrations are committed one by one
	return store.Migrate(ctx, goose.DialectSQLite3, db, Migrations(), path)
}
