// Package store keeps the log and everything projected from it in one SQL
// database. A change is an append: [Tx.Append] records events and the projector
// (project.go) writes the tables people see in the same transaction. SQL lives
// here and, where the databases truly differ, in store/sqlite and store/postgres;
// schema.go says of every table what it is. Start with [DB] and log.go.
package store

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"chela/internal/event"
	"chela/internal/run"
)

// A Backend is what truly differs between the databases.
type Backend interface {
	Name() string
	// Transact runs fn in one transaction and returns when it is durable.
	// Concurrent calls may share a commit, yet each succeeds or fails alone. fn
	// may be run again when the database asks for it, so it must not have effects
	// of its own.
	Transact(ctx context.Context, fn func(Conn) error) error
	// Query reads outside any transaction, seeing what is committed.
	Query(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	// Reserve locks the streams, which must be sorted, until the transaction ends
	// and returns n rising positions of the log and where the streams stand; new ones
	// are not among those.
	Reserve(ctx context.Context, c Conn, streams []string, n int) ([]event.Seq, map[string]Head, error)
	// Horizon returns the newest position that readers may see: no transaction in
	// flight can still record a lower one.
	Horizon(ctx context.Context) (event.Seq, error)
	// Wake tells other processes on the same database that the log grew, and which
	// runs ended or began to wait with it.
	Wake(ctx context.Context, settled []string)
	// Listen calls heard when another process grew the log, until ctx is done.
	Listen(ctx context.Context, heard func(settled []string)) error
	Close() error
}

// A Conn is one transaction's connection. Queries use ? placeholders.
type Conn interface {
	Exec(ctx context.Context, query string, args ...any) (int64, error)
	Query(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	// SQL returns the transaction for a library that joins it, or nil.
	SQL() *sql.Tx
}

// A DB is the log and its projections. It implements the small store interfaces
// that the engine packages declare. Safe for concurrent use.
type DB struct {
	Backend
	now func() time.Time

	mu      sync.Mutex // guards the rest
	waiters map[chan struct{}]struct{}
	runs    map[string]map[chan struct{}]struct{} // waiters for the end of a run
}

// New wraps an opened and migrated backend.
func New(b Backend) *DB {
	return &DB{Backend: b, now: time.Now, waiters: make(map[chan struct{}]struct{}), runs: make(map[string]map[chan struct{}]struct{})}
}

// A Tx is one transaction.
type Tx struct {
	Conn
	db    *DB
	ctx   context.Context //nolint:containedctx // a transaction lives inside one call
	grown bool            // it appended events

	settled []string // runs that ended or began to wait
}

// Write runs fn in one transaction and returns when it is durable. Readers that
// wait are woken when fn appended events.
func (db *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	var tx *Tx
	err := db.Transact(ctx, func(c Conn) (err error) {
		defer func() {
			if p := recover(); p != nil { // the caller's bug must not end the writer of all
				err = fmt.Errorf("panic in a transaction: %v", p)
			}
		}()
		tx = &Tx{Conn: c, db: db, ctx: ctx}
		return fn(tx)
	})
	if err != nil || !tx.grown {
		return err
	}
	db.wakeLocal(tx.settled)
	db.Wake(ctx, tx.settled)
	return nil
}

// Grown returns a channel that receives after the log grew, here or in another
// process that [DB.Follow] hears of, and a function that ends it. The channel holds
// one signal; a slow receiver misses none, it only finds more events at once.
func (db *DB) Grown() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	db.mu.Lock()
	db.waiters[ch] = struct{}{}
	db.mu.Unlock()
	return ch, func() {
		db.mu.Lock()
		delete(db.waiters, ch)
		db.mu.Unlock()
	}
}

// Settled is as [DB.Grown] for one run: its channel receives after the run ended or
// began to wait.
func (db *DB) Settled(id run.ID) (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.runs[string(id)] == nil {
		db.runs[string(id)] = make(map[chan struct{}]struct{})
	}
	db.runs[string(id)][ch] = struct{}{}
	return ch, func() {
		db.mu.Lock()
		defer db.mu.Unlock()
		delete(db.runs[string(id)], ch)
		if len(db.runs[string(id)]) == 0 {
			delete(db.runs, string(id))
		}
	}
}

func (db *DB) wakeLocal(settled []string) {
	db.mu.Lock()
	defer db.mu.Unlock()
	signal(db.waiters)
	for _, id := range settled {
		signal(db.runs[id])
	}
}

func signal(waiters map[chan struct{}]struct{}) {
	for ch := range waiters {
		select {
		case ch <- struct{}{}:
		default: // one signal is waiting already
		}
	}
}

// Follow wakes local readers when another process on the same database grows the
// log, until ctx is done.
func (db *DB) Follow(ctx context.Context) error { return db.Listen(ctx, db.wakeLocal) }

// micros is how times are stored: microseconds since 1970, UTC, 0 for none.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}
