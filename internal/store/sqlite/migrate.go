package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/pressly/goose/v3"

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
	steps, wrong := fs.ReadDir(Migrations(), ".")
	for _, step := range steps {
		version, bad := goose.NumericComponent(step.Name())
		wrong = errors.Join(wrong, bad)
		if !applied[version] {
			err = errors.Join(err, fmt.Errorf("%s is not applied", step.Name()))
		}
	}
	if errors.Join(err, wrong) != nil || len(applied) != len(steps) {
		_ = h.close() // it was only read
		return nil
	}
	return h
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
