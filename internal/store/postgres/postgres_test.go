package postgres_test

import (
	"context"
	"errors"
	"strings"
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

// TestOpen_NothingIsCompiled holds that the server compiles no statement, unless the address asks for it.
func TestOpen_NothingIsCompiled(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	for asked, want := range map[string]string{"": "off", "jit=on": "on"} {
		address := url
		if asked != "" {
			sign := "?"
			if strings.Contains(url, "?") {
				sign = "&"
			}
			address += sign + asked
		}
		db, err := postgres.Open(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := db.Query(t.Context(), "SHOW jit")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for rows.Next() {
			if err := rows.Scan(&got); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close(), db.Close()); err != nil || got != want {
			t.Errorf("with %q jit is %q, %v, want %q", asked, got, err, want)
		}
	}
}

// TestCurrent_ReadsTheSchema: an empty database is none of this program's schema, and is left empty.
func TestCurrent_ReadsTheSchema(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{pgtest.URL(t): true, pgtest.Empty(t): false} {
		for range 2 {
			if got, err := postgres.Current(t.Context(), url); err != nil || got != want {
				t.Errorf("%s is current: %v, %v, want %v", url, got, err, want)
			}
		}
	}
	if _, err := postgres.Current(t.Context(), "postgres://nobody@127.0.0.1:1/none"); err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("a server that is not there: %v", err)
	}
}
