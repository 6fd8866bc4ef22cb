package cluster_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/run"
	"chela/internal/run/cluster"
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
		return db.Close()
	})
	pgtest.Main(m)
}

// muted is a store in which some nodes' beats do not arrive.
type muted struct {
	store.Queue
	nodes  store.Cluster
	db     *store.DB
	mu     sync.Mutex
	silent map[string]bool
	looks  chan struct{} // at the claims; what does not fit is not counted
	beats  atomic.Int64
	asked  atomic.Int64 // anything but beats
	early  run.ID       // its claim is seen here before its node knows that it is recorded
}

func (m *muted) Claims(ctx context.Context, node string) (map[run.ID]int64, error) {
	select {
	case m.looks <- struct{}{}:
	default:
	}
	m.asked.Add(1)
	out, err := m.Queue.Claims(ctx, node)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.early != "" && err == nil {
		out[m.early] = 1
	}
	return out, err
}

func (m *muted) Beat(ctx context.Context, node string, at time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.silent[node] {
		return nil
	}
	m.beats.Add(1)
	return m.nodes.Beat(ctx, node, at)
}

func (m *muted) Return(ctx context.Context, node string, at time.Time) error {
	return m.Beat(ctx, node, at)
}

func (m *muted) Cluster(ctx context.Context, node string, at time.Time) (run.Cluster, error) {
	m.asked.Add(1)
	return m.Queue.Cluster(ctx, node, at)
}

func (m *muted) Waiting(ctx context.Context, lane run.Lane) ([]run.Job, error) {
	m.asked.Add(1)
	return m.Queue.Waiting(ctx, lane)
}

func (m *muted) Direct(ctx context.Context, node string) ([]run.Job, error) {
	m.asked.Add(1)
	return m.Queue.Direct(ctx, node)
}

func (m *muted) StrikeOff(ctx context.Context, node string, last time.Time) (int64, bool, error) {
	return m.nodes.StrikeOff(ctx, node, last)
}

func Test(t *testing.T) {
	t.Parallel()
	runtest.Test(t, false, fixture)
}

func TestExecutor_Warm(t *testing.T) {
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
	db, err := postgres.Open(t.Context(), pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // the database goes with the test
	m := &muted{Queue: db.Queue, nodes: db.Cluster, db: db, silent: make(map[string]bool), looks: make(chan struct{}, 64)}
	return m, func(node string, lanes run.Lanes) run.Executor {
		return cluster.New(cluster.Store{Queue: m, Nodes: m, Wakes: db.Log}, node, cluster.Options{
			Lanes: lanes, Beat: 50 * time.Millisecond, Silent: 2 * time.Second, Watch: 50 * time.Millisecond, Log: slog.New(slog.DiscardHandler),
		})
	}
}

// A run whose node does not know yet that its claim is recorded is not taken for one whose
// claim is gone.
func TestExecutor_WhatIsNotClaimedYetIsLeftAlone(t *testing.T) {
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

// TestExecutor_AsksLittle: a node that has nothing to do asks the database twice a beat.
func TestExecutor_AsksLittle(t *testing.T) {
	t.Parallel()
	m, node := open(t)
	e := run.New(m.db, m.db.Runs, node("a", nil), run.Options{Log: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- e.Run(ctx) }()
	for late := time.Now().Add(30 * time.Second); m.beats.Load() < 10; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("the node does not beat")
		}
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	// The lanes are looked at once, at the start.
	if beats, asked := m.beats.Load(), m.asked.Load(); asked > beats+int64(len(run.DefaultLanes()))+1 {
		t.Errorf("with %d beats it asked %d times", beats, asked)
	}
}
