package store

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"chela/internal/fault"
)

// Migrate applies the steps that are missing. name is how the sentence for people
// calls the database. The caller holds a lock against other processes.
func Migrate(ctx context.Context, dialect goose.Dialect, db *sql.DB, steps fs.FS, name string) error {
	p, err := provider(dialect, db, steps)
	if err != nil {
		return err
	}
	current, target, err := p.GetVersions(ctx)
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "The database %s cannot be read. Is it a Chela database, and is the disk in order?", name)
	}
	if current > target {
		return fault.New(fault.Conflict, "The database %s has schema %d, this program knows up to %d. Use the newer Chela that last opened it.", name, current, target)
	}
	if current == target {
		return nil
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate %s: %w", name, err)
	}
	return nil
}

// Revert takes the schema down to version, for tests of the way back.
func Revert(ctx context.Context, dialect goose.Dialect, db *sql.DB, steps fs.FS, version int64) error {
	p, err := provider(dialect, db, steps)
	if err != nil {
		return err
	}
	_, err = p.DownTo(ctx, version)
	return err
}

// stepFillSearch is the step that indexes the words of the records that are there, which
// SQL cannot do; 00003_search.sql makes the table.
const stepFillSearch = 4

func provider(dialect goose.Dialect, db *sql.DB, steps fs.FS) (*goose.Provider, error) {
	up := goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error { return fillSearch(ctx, tx, dialect) }}
	down := goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM desk_search")
		return err
	}}
	p, err := goose.NewProvider(dialect, db, steps, goose.WithTableName("schema_versions"), goose.WithDisableGlobalRegistry(true),
		goose.WithGoMigrations(goose.NewGoMigration(stepFillSearch, &up, &down)))
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	return p, nil
}
