// Package store keeps the log and everything projected from it in one SQL
// database. A change is an append: [Tx.Append] records events and the projector
// (project.go) writes the tables people see in the same transaction. SQL lives
// here and, where the databases truly differ, in store/sqlite and store/postgres;
// schema.go says of every table what it is. What can be asked is by subject, see
// [Queries]. Start with [DB] and log.go.
package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"chela/internal/event"
	"chela/internal/run"
)

// A Backend is what truly differs between the databases.
type Backend interface {
	Name() string
	// Transact runs fn and then the statements it returns in one transaction, and
	// returns when that is durable. Concurrent calls may share a commit, yet each
	// succeeds or fails alone. fn may be run again when the database asks for it, so it
	// must not have effects of its own. committed is called once when others can read what was
	// written, which may be before it is durable; not when it failed.
	Transact(ctx context.Context, fn func(Conn) ([]Statement, error), committed func()) error
	// Query reads outside any transaction, seeing what is committed.
	Query(ctx context.Context, query string, args ...any) (Rows, error)
	// Reserve locks the streams, which must be sorted, until the transaction ends
	// and returns n rising positions of the log and where the streams stand; new ones
	// are not among those. Then it looks.
	Reserve(ctx context.Context, c Conn, streams []string, n int, looks ...Look) ([]event.Seq, map[string]Head, error)
	// Lock returns the statement that locks a stream as Reserve does; ok is false where
	// transactions come one after the other anyway.
	Lock(stream string) (s Statement, ok bool)
	// Horizon returns the newest position that readers may see: no transaction in
	// flight can still record a lower one.
	Horizon(ctx context.Context) (event.Seq, error)
	// Snapshot calls fn with a query that reads what was committed at one moment, the same for all that fn asks. Nobody waits for it.
	// Rows are read to their end, or closed, before the next are asked for.
	Snapshot(ctx context.Context, fn func(query func(query string, args ...any) (Rows, error)) error) error
	// Reached has the next position of the log be past end, up to which the transaction has brought events from elsewhere.
	Reached(ctx context.Context, c Conn, end event.Seq) error
	// Wake tells other processes on the same database that the log grew, which
	// runs ended or began to wait with it, and what else changed.
	Wake(ctx context.Context, settled []run.ID, topics []event.Topic)
	// Listen calls heard when another process grew the log, until ctx is done.
	Listen(ctx context.Context, heard func(News)) error
	// Process names this process among all that share the database; empty where it has the database for itself.
	Process() string
	// Disconnect ends the connections of another process, so that what it had begun is undone and nobody waits for it.
	// What it does after that begins anew.
	Disconnect(ctx context.Context, process string) error
	// Writable says why nothing more is recorded, when that is so until the store is opened again.
	Writable() error
	Close() error
}

// News is what another process tells.
type News struct {
	Settled []run.ID // runs that ended or began to wait
	Topics  []event.Topic
	Missed  bool // something may have been said that was not heard: anything may have changed
}

// A Statement is SQL with ? for each of its arguments.
type Statement struct {
	SQL  string
	Args []any
}

// A Look is a query in a transaction, and what is done with what it found.
type Look struct {
	Statement
	Found func(Rows) error
}

// Rows are what a query found; they are closed after use.
type Rows interface {
	Next() bool
	Scan(into ...any) error
	Columns() ([]string, error)
	Err() error
	Close() error
}

// A Conn is one transaction's connection. Statements that are given together may be
// sent together.
type Conn interface {
	// Exec runs the statements and returns how many rows the last one touched.
	Exec(ctx context.Context, in ...Statement) (int64, error)
	// Query runs the statements before, and then the query.
	Query(ctx context.Context, before []Statement, query Statement) (Rows, error)
	// Look runs the statements before, and then looks, one after the other: each sees what is committed
	// when it is its turn.
	Look(ctx context.Context, before []Statement, looks ...Look) error
}

// A DB is one connection to the log and its projections. Safe for concurrent use.
type DB struct {
	Queries
	Backend Backend
	mint    *event.Mint
	observe func([]event.Event, time.Duration)

	members // what is kept in memory of the organization
	signs   signs
	common  commonWords
	uses    uses

	mu    sync.Mutex // guards the rest
	waits map[event.Topic]map[chan struct{}]struct{}
	runs  map[run.ID]map[chan run.Finished]struct{} // waiters for the end of a run
}

// Options change how a store records. The zero value is the default.
type Options struct {
	Mint *event.Mint // of times and ids, here and of all that write here; nil is the real one
	// Observe is told of the events of each transaction when it is durable, and how long it took; nil is nobody.
	Observe func(events []event.Event, took time.Duration)
}

// New wraps an opened and migrated backend.
func New(b Backend, o Options) *DB {
	db := &DB{Backend: b, mint: o.Mint, observe: o.Observe, waits: make(map[event.Topic]map[chan struct{}]struct{}), runs: make(map[run.ID]map[chan run.Finished]struct{})}
	db.Queries = queriesOf(db)
	return db
}

// Name is that of the database.
func (db *DB) Name() string { return db.Backend.Name() }

// Writable says why nothing more is recorded, when that is so until the store is opened again.
func (db *DB) Writable() error { return db.Backend.Writable() }

// Close closes the connection.
func (db *DB) Close() error { return db.Backend.Close() }

// Query reads outside any transaction, seeing what is committed.
func (db *DB) Query(ctx context.Context, query string, args ...any) (Rows, error) {
	return db.Backend.Query(ctx, query, args...)
}

// Mint is where the times and ids of what is recorded here come from.
func (db *DB) Mint() *event.Mint { return db.mint }

// Write runs fn in one transaction and returns when it is durable. Readers that
// wait are woken when fn appended events.
func (db *DB) Write(ctx context.Context, fn func(*Tx) error) error {
	var tx *Tx
	began := time.Now()
	err := db.Backend.Transact(ctx, func(c Conn) (last []Statement, err error) {
		defer func() {
			if p := recover(); p != nil { // the caller's bug must not end the writer of all
				err = fmt.Errorf("panic in a transaction: %v", p)
			}
			err = cmp.Or(err, tx.await()) // nothing is asked of the connection beside the end
		}()
		tx = &Tx{conn: c, db: db, ctx: ctx, heads: make(map[string]Head), settled: make(map[run.ID]run.Finished), topics: make(map[event.Topic]bool)}
		if err := fn(tx); err != nil {
			return nil, err
		}
		return tx.last()
	}, func() {
		for _, fn := range tx.committed {
			fn()
		}
	})
	if err != nil {
		return err
	}
	if tx.members {
		db.version.Add(1)
	}
	Budgets{base{db}}.settle(ctx, tx.reserved)
	if len(tx.fresh) > 0 {
		topics := slices.Sorted(maps.Keys(tx.topics))
		db.wake(tx.settled, append(topics, event.LogGrew)...)
		db.Backend.Wake(ctx, slices.Sorted(maps.Keys(tx.settled)), topics)
		if db.observe != nil {
			db.observe(tx.fresh, time.Since(began))
		}
	}
	return nil
}

// Subscribe implements [event.Notifier]. Changes of other processes are heard while [DB.Follow] runs.
func (db *DB) Subscribe(t event.Topic) (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.waits[t] == nil {
		db.waits[t] = make(map[chan struct{}]struct{})
	}
	db.waits[t][ch] = struct{}{}
	return ch, func() {
		db.mu.Lock()
		delete(db.waits[t], ch)
		db.mu.Unlock()
	}
}

// Settled is as [DB.Subscribe] for one run: its channel receives how the run ended, or that
// it waits, and the zero value when that happened in another process: then the caller
// has to look.
func (ru Runs) Settled(id run.ID) (<-chan run.Finished, func()) {
	ch := make(chan run.Finished, 1)
	ru.db.mu.Lock()
	defer ru.db.mu.Unlock()
	if ru.db.runs[id] == nil {
		ru.db.runs[id] = make(map[chan run.Finished]struct{})
	}
	ru.db.runs[id][ch] = struct{}{}
	return ch, func() {
		ru.db.mu.Lock()
		defer ru.db.mu.Unlock()
		delete(ru.db.runs[id], ch)
		if len(ru.db.runs[id]) == 0 {
			delete(ru.db.runs, id)
		}
	}
}

// wake tells who waits that topics changed, and how runs ended.
func (db *DB) wake(settled map[run.ID]run.Finished, topics ...event.Topic) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, t := range topics {
		for ch := range db.waits[t] {
			select {
			case ch <- struct{}{}:
			default: // one signal is waiting already
			}
		}
	}
	for id, how := range settled {
		for ch := range db.runs[id] {
			select {
			case <-ch: // what happened later counts
			default:
			}
			ch <- how // nobody else sends
		}
	}
}

// Follow wakes local readers when another process on the same database grows the
// log, until ctx is done.
func (db *DB) Follow(ctx context.Context) error {
	return db.Backend.Listen(ctx, func(n News) {
		topics := n.Topics
		if n.Missed {
			topics = db.awaited()
		}
		ends := make(map[run.ID]run.Finished, len(n.Settled))
		for _, id := range n.Settled {
			ends[id] = run.Finished{}
		}
		db.wake(ends, append(topics, event.LogGrew, event.NodesWrote)...)
	})
}

// awaited are the topics that somebody waits for.
func (db *DB) awaited() []event.Topic {
	db.mu.Lock()
	defer db.mu.Unlock()
	return slices.Collect(maps.Keys(db.waits))
}

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
