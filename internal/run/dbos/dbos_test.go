package dbos_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"chela/internal/event"
	"chela/internal/run"
	"chela/internal/run/dbos"
	"chela/internal/store"
	"chela/internal/store/postgres"
	"chela/internal/testkit/pgtest"
	"chela/internal/testkit/runtest"
)

func TestMain(m *testing.M) {
	pgtest.Prepare(func(url string) error {
		db, err := postgres.Open(context.Background(), url)
		if err != nil {
			return err
		}
		node, err := dbos.New(context.Background(), url, dbos.Store{Queue: db.Queue, Nodes: db.Cluster}, "local", dbos.Options{Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			return errors.Join(err, db.Close())
		}
		return errors.Join(node.Close(), db.Close())
	})
	pgtest.Main(m)
}

// muted is a store in which some nodes' beats do not arrive.
type muted struct {
	store.Queue
	store.Cluster
	db     *store.DB
	mu     sync.Mutex
	silent map[string]bool
	looks  chan struct{} // at the claims; what does not fit is not counted
	early  run.ID        // its claim is seen here before its node knows that it is recorded
}

func (m *muted) Claims(ctx context.Context, node string) (map[run.ID]int64, error) {
	select {
	case m.looks <- struct{}{}:
	default:
	}
	out, err := m.Queue.Claims(ctx, node)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.early != "" && err == nil {
		out[m.early] = 1
	}
	return out, err
}

func (m *muted) Beat(ctx context.Context, node string, at time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.silent[node] {
		return true, nil
	}
	return m.Cluster.Beat(ctx, node, at)
}

func Test(t *testing.T) {
	t.Parallel()
	runtest.Test(t, false, fixture)
}

func TestDbos_Warm(t *testing.T) {
	t.Parallel()
	runtest.Test(t, true, fixture)
}

func fixture(t *testing.T) runtest.Fixture {
	t.Helper()
	m, node := open(t)
	return runtest.Fixture{
		Store:    runtest.Store{Runs: m.db.Runs, Log: m.db.Log},
		Engine:   func(by run.Executor, o run.Options) *run.Engine { return run.New(m.db, m.db.Runs, by, o) },
		Executor: node,
		Silence: func(node string) {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.silent[node] = true
		},
	}
}

// open returns a fresh store, and what makes nodes of it.
func open(t *testing.T) (*muted, func(node string, lanes run.Lanes) run.Executor) {
	t.Helper()
	url := pgtest.URL(t)
	db, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // the database goes with the test
	m := &muted{Queue: db.Queue, Cluster: db.Cluster, db: db, silent: make(map[string]bool), looks: make(chan struct{}, 64)}
	return m, func(node string, lanes run.Lanes) run.Executor {
		d, err := dbos.New(t.Context(), url, dbos.Store{Queue: m, Nodes: m}, node, dbos.Options{
			Lanes: lanes, Beat: 50 * time.Millisecond, Silent: 2 * time.Second, Watch: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
}

// A run whose node does not know yet that its claim is recorded is not taken for one whose
// claim is gone.
func TestDbos_WhatIsNotClaimedYetIsLeftAlone(t *testing.T) {
	t.Parallel()
	m, node := open(t)
	looked := func(times int) error {
		for range times {
			select {
			case <-m.looks:
			case <-time.After(30 * time.Second):
				return errors.New("nobody looks at the claims")
			}
		}
		return nil
	}
	var direct atomic.Int32
	e := run.New(m.db, m.db.Runs, node("a", nil), run.Options{FlushDelay: time.Hour, Log: slog.New(slog.DiscardHandler)})
	e.Handle("chat", func(ctx context.Context, s *run.Segment) (run.Outcome, error) {
		claims, err := m.Queue.Claims(ctx, "a")
		if err != nil || len(claims) > 0 {
			return run.Outcome{State: run.Done}, err // by the library: claimed before it began
		}
		direct.Add(1)
		m.mu.Lock()
		m.early = s.Run.ID
		m.mu.Unlock()
		for len(m.looks) > 0 {
			<-m.looks
		}
		err = looked(4)
		if cause := context.Cause(ctx); err != nil || cause != nil {
			t.Errorf("the work was ended: %v, %v", cause, err) // it is begun again
		}
		return run.Outcome{State: run.Done}, nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- e.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	for n := 0; direct.Load() == 0; n++ {
		if n == 1000 {
			t.Fatal("no run was worked without a queue")
		}
		s := run.Spec{ID: run.ID(event.NewID("run")), Thread: event.NewID("thr"), Kind: "chat", Title: "x", By: run.Chela()} //nolint:forbidigo // a run of its own
		ended, forget := m.db.Runs.Settled(s.ID)
		if err := e.Write(t.Context(), func(b *run.Batch) error { return b.Start(s) }); err != nil {
			t.Fatal(err)
		}
		end := <-ended
		forget()
		if end.State != run.Done {
			t.Errorf("the run is %s: %s", end.State, end.Reason)
			return
		}
	}
}

// TestExecutor_ConnectionsAreFew: all lanes look for work at once when a node starts, and each connection
// costs the server more than what it is then used for.
func TestExecutor_ConnectionsAreFew(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // the database goes with the test
	node, err := dbos.New(t.Context(), url, dbos.Store{Queue: db.Queue, Nodes: db.Cluster}, "a", dbos.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	e := run.New(db, db.Runs, node, run.Options{Log: slog.New(slog.DiscardHandler)})
	e.Handle("chat", func(context.Context, *run.Segment) (run.Outcome, error) { return run.Outcome{State: run.Done}, nil })
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- e.Run(ctx) }()
	for range 20 {
		s := run.Spec{ID: run.ID(event.NewID("run")), Thread: event.NewID("thr"), Kind: "chat", Title: "x", By: run.Chela()} //nolint:forbidigo // a run of its own
		ended, forget := db.Runs.Settled(s.ID)
		if err := e.Write(t.Context(), func(b *run.Batch) error { return b.Start(s) }); err != nil {
			t.Fatal(err)
		}
		<-ended
		forget()
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	var got int
	const most = 4
	err = conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'chela queues'").Scan(&got)
	if err = errors.Join(err, conn.Close(t.Context())); err != nil || got < 1 || got > most {
		t.Errorf("the queues have %d connections, want 1 to %d: %v", got, most, err)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
