package store

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"

	"chela/internal/fault"
)

// firstSchema is the version of the oldest schema that is taken on. Those before it were of
// programs that nobody released.
const firstSchema = 30

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
	if err := foreign(current, target, name); err != nil {
		return err
	}
	// One that was numbered lower and came later is missing, too.
	if pending, err := p.HasPending(ctx); err != nil || !pending {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate %s: %w", name, err)
	}
	return nil
}

// foreign refuses a schema that this program does not take on.
func foreign(current, target int64, name string) error {
	switch {
	case current > target:
		return fault.New(fault.Conflict, "The database %s has schema %d, this program knows up to %d. Use the newer Chela that last opened it.", name, current, target)
	case current > 0 && current < firstSchema:
		return fault.New(fault.Conflict, "The database %s was made by a Chela before its first release (schema %d) and cannot be taken on. Export what you need with that program, and begin with an empty database.", name, current)
	}
	return nil
}

// Current reports whether the steps that a database has are those of this program. The error is what [Migrate] would refuse.
func Current(applied map[int64]bool, steps fs.FS, name string) (bool, error) {
	list, err := fs.ReadDir(steps, ".")
	if err != nil {
		return false, fmt.Errorf("read migrations: %w", err)
	}
	all, target, current := len(applied) == len(list), int64(0), int64(0)
	for _, step := range list {
		version, err := goose.NumericComponent(step.Name())
		if err != nil {
			return false, fmt.Errorf("read migrations: %w", err)
		}
		all, target = all && applied[version], max(target, version)
	}
	for version := range applied {
		current = max(current, version)
	}
	return all, foreign(current, target, name)
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

func provider(dialect goose.Dialect, db *sql.DB, steps fs.FS) (*goose.Provider, error) {
	p, err := goose.NewProvider(dialect, db, steps, goose.WithTableName("schema_versions"), goose.WithDisableGlobalRegistry(true), goose.WithAllowOutofOrder(true))
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	return p, nil
}
