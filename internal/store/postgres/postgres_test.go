package postgres_test

import (
	"context"
	"sync"
	"testing"

	"chela/internal/store"
	"chela/internal/store/postgres"
	"chela/internal/testkit/pgtest"
	"chela/internal/testkit/storetest"
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

func TestPostgres_TwoProcessesMayOpenAtOnce(t *testing.T) {
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
