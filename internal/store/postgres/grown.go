package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"chela/internal/store"
)

// What a table is like, the server finds out by itself, up to minutes after it has grown. Until then it plans by what it was
// before: lists of a project that was just imported took four to twenty times as long as a minute later.
const (
	grownAfter = 5_000           // values, written here since it was looked at last
	grownDelay = 2 * time.Second // a second after a transaction the server counts its rows
)

// grown has the server look at tables that have doubled.
type grown struct {
	mu      sync.Mutex // guards the rest
	written int
	timer   *time.Timer        // set while a look is to come, or goes on
	stop    context.CancelFunc // of the last look
	closed  bool
	looks   sync.WaitGroup
}

// wrote counts what a transaction has written.
func (g *grown) wrote(ctx context.Context, in []store.Statement, look func(context.Context)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range in {
		g.written += len(s.Args)
	}
	if g.written < grownAfter || g.timer != nil || g.closed {
		return
	}
	g.written = 0
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	g.stop = cancel
	g.looks.Add(1)
	g.timer = time.AfterFunc(grownDelay, func() {
		defer g.looks.Done()
		defer cancel()
		look(ctx)
		g.mu.Lock()
		defer g.mu.Unlock()
		g.timer = nil
	})
}

// close ends a look that has begun, and has none follow.
func (g *grown) close() {
	g.mu.Lock()
	g.closed = true
	if g.stop != nil {
		g.stop()
	}
	if g.timer != nil && g.timer.Stop() {
		g.looks.Done()
	}
	g.mu.Unlock()
	g.looks.Wait()
}

// selectGrown are tables with twice the rows that the server knew of when it looked. Rows that only change do not count: after a look
// at a table each connection plans anew what it asks of it.
const selectGrown = `SELECT s.relname FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
	WHERE s.schemaname = current_schema() AND s.n_live_tup > 1000 AND s.n_live_tup > 2 * c.reltuples`

// lookAtGrown has the server look at tables that have grown. Where that fails it looks by itself, later.
func (b *Backend) lookAtGrown(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	found, err := b.pool.Query(ctx, selectGrown)
	if err != nil {
		return
	}
	names, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil {
		return
	}
	for _, name := range names {
		if _, err := b.pool.Exec(ctx, "ANALYZE (SKIP_LOCKED) "+pgx.Identifier{name}.Sanitize()); err != nil {
			return
		}
	}
}
