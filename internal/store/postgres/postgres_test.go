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

// with is an address that says something more.
func with(url, says string) string {
	if says == "" {
		return url
	}
	if strings.Contains(url, "?") {
		return url + "&" + says
	}
	return url + "?" + says
}

// TestOpen_Settings holds what connections ask of the server, unless the address asks for something else: that it compiles no statement, and
// ends a transaction that stands still.
func TestOpen_Settings(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	for _, c := range []struct{ says, setting, want string }{
		{"", "jit", "off"},
		{"jit=on", "jit", "on"},
		{"", "idle_in_transaction_session_timeout", "10s"},
		{"jit=on", "idle_in_transaction_session_timeout", "10s"},
		{"idle_in_transaction_session_timeout=1min", "idle_in_transaction_session_timeout", "1min"},
	} {
		db, err := postgres.Open(t.Context(), with(url, c.says))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := db.Query(t.Context(), "SHOW "+c.setting)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for rows.Next() {
			if err := rows.Scan(&got); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close(), db.Close()); err != nil || got != c.want {
			t.Errorf("with %q %s is %q, %v, want %q", c.says, c.setting, got, err, c.want)
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
