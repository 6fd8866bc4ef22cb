package dbos_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"chela/internal/run"
	"chela/internal/run/dbos"
	"chela/internal/run/runtest"
	"chela/internal/store"
	"chela/internal/store/pgtest"
	"chela/internal/store/postgres"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// muted is a store in which some nodes' beats do not arrive.
type muted struct {
	*store.DB
	mu     sync.Mutex
	silent map[string]bool
}

func (m *muted) Beat(ctx context.Context, node string, at time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.silent[node] {
		return true, nil
	}
	return m.DB.Beat(ctx, node, at)
}

func Test(t *testing.T) {
	runtest.Test(t, func(t *testing.T) runtest.Fixture {
		url := pgtest.URL(t)
		db, err := postgres.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() }) // the database goes with the test
		m := &muted{DB: db, silent: make(map[string]bool)}
		return runtest.Fixture{
			Store: store.Runs{DB: db},
			Dispatcher: func(node string, lanes run.Lanes) run.Dispatcher {
				d, err := dbos.New(t.Context(), url, m, node, dbos.Options{
					Lanes: lanes, Beat: 50 * time.Millisecond, Silent: 500 * time.Millisecond, Watch: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
				})
				if err != nil {
					t.Fatal(err)
				}
				return d
			},
			Silence: func(node string) {
				m.mu.Lock()
				defer m.mu.Unlock()
				m.silent[node] = true
			},
		}
	})
}
