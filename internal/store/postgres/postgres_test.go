package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"

	"github.com/pressly/goose/v3"

	"chela/internal/store"
	"chela/internal/store/pgtest"
	"chela/internal/store/postgres"
	"chela/internal/store/storetest"
)

func TestMain(m *testing.M) {
	pgtest.Prepare(func(url string) error {
		db, err := postgres.Open(context.Background(), url)
		if err != nil {
			return err
		}
		return db.Close()
	})
	pgtest.Main(m)
}

func open(t *testing.T) (*store.DB, func() (*store.DB, error)) {
	url := pgtest.URL(t)
	again := func() (*store.DB, error) { return postgres.Open(t.Context(), url) }
	db, err := again()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // a test may have closed it
	return db, again
}

func Test(t *testing.T) {
	t.Parallel()
	storetest.Test(t, open)
}

// older is a database that is opened again after its schema was taken down.
func older(t *testing.T, test func(*testing.T, storetest.Opener, func(version int64) error)) {
	url := pgtest.URL(t)
	again := func() (*store.DB, error) { return postgres.Open(t.Context(), url) }
	test(t, func(t *testing.T) (*store.DB, func() (*store.DB, error)) {
		db, err := again()
		if err != nil {
			t.Fatal(err)
		}
		return db, again
	}, func(version int64) error {
		raw, err := sql.Open("pgx", url)
		if err != nil {
			return err
		}
		return errors.Join(store.Revert(t.Context(), goose.DialectPostgres, raw, postgres.Migrations(), version), raw.Close())
	})
}

func TestOlderDatabasesAreIndexed(t *testing.T) {
	t.Parallel()
	older(t, storetest.Fill)
}

func TestOlderLogsAreTheSame(t *testing.T) {
	t.Parallel()
	older(t, storetest.Older)
}

func TestTwoProcessesMayOpenAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			db, err := postgres.Open(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}
