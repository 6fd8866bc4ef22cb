package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"syscall"

	"github.com/pressly/goose/v3"

	"chela/internal/store"
)

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
