package daemon

import (
	"context"
	"errors"
	"path/filepath"

	"chela/internal/config"
	"chela/internal/store"
	"chela/internal/store/postgres"
	"chela/internal/store/sqlite"
)

// databaseFile is SQLite's, in the data folder.
const databaseFile = "chela.db"

// OpenStore opens the database that cfg names.
func OpenStore(ctx context.Context, cfg config.Config) (*store.DB, error) {
	return opened(ctx, cfg, sqlite.Open)
}

// OpenToRead opens the database that cfg names to be read, also one that may not be written.
func OpenToRead(ctx context.Context, cfg config.Config) (*store.DB, error) {
	return opened(ctx, cfg, sqlite.OpenToRead)
}

// opened opens a database that is whole.
func opened(ctx context.Context, cfg config.Config, file func(context.Context, string) (*store.DB, error)) (*store.DB, error) {
	if err := unfinished(cfg.Data); err != nil {
		return nil, err
	}
	var db *store.DB
	var err error
	if cfg.Postgres != "" {
		db, err = postgres.Open(ctx, cfg.Postgres)
	} else {
		db, err = file(ctx, filepath.Join(cfg.Data, databaseFile))
	}
	if err != nil {
		return nil, err
	}
	if err := db.Unfinished(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}
