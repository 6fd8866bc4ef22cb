// Package postgres keeps the store in PostgreSQL, shared by any number of
// daemons. Positions of the log become visible out of order there; see Horizon.
package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations are the numbered steps of the schema.
func Migrations() fs.FS {
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return sub
}

// A Backend implements [store.Backend].
type Backend struct {
	pool   *pgxpool.Pool
	db     *sql.DB
	news   news
	rebind sync.Map // query → query with numbered placeholders
	joins  joins
	grown  grown
	ready  readiness
	// process names this process to the server, see [Backend.Process].
	process string
}

var _ store.Backend = (*Backend)(nil)

const lockMigrate = 0x6368656c61 // "chela"

// A pool has at least the usual number of connections, unless the address says another by pool_max_conns.
const (
	usualConnections  = 24
	fewestConnections = 4 // one listens, one writes, and both may wait for what a third reads
)

var sized = regexp.MustCompile(`\bpool_max_conns\s*=`)

// Open connects to url and brings the schema up to date.
func Open(ctx context.Context, url string) (*store.DB, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The PostgreSQL address cannot be read. It looks like postgres://user@host/database.")
	}
	cfg.MaxConns = max(cfg.MaxConns, fewestConnections)
	if !sized.MatchString(url) {
		cfg.MaxConns = max(cfg.MaxConns, usualConnections)
	}
	process := processName(cfg.ConnConfig.RuntimeParams[nameSetting])
	cfg.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		return settle(ctx, c, process, cfg.ConnConfig.RuntimeParams)
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open postgres: %w", err)
	}
	b := &Backend{pool: pool, db: stdlib.OpenDBFromPool(pool), news: news{teller: rand.Text()}, process: process}
	if err := b.migrate(ctx); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	db := store.New(b, store.Options{})
	if err := db.FillLists(ctx); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return db, nil
}

// Current reports whether the database at url has the schema of this program. The error is why [Open] would refuse it. It is read alone.
func Current(ctx context.Context, url string) (bool, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return false, fault.Wrap(err, fault.Invalid, "The PostgreSQL address cannot be read. It looks like postgres://user@host/database.")
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return false, unopened(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // it was only read
	var there bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass('schema_versions') IS NOT NULL").Scan(&there); err != nil || !there {
		return false, err
	}
	rows, err := conn.Query(ctx, "SELECT version_id FROM schema_versions WHERE version_id > 0")
	if err != nil {
		return false, err
	}
	versions, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return false, err
	}
	applied := make(map[int64]bool, len(versions))
	for _, v := range versions {
		applied[v] = true
	}
	return store.Current(applied, Migrations(), cfg.Database)
}

func (b *Backend) migrate(ctx context.Context) error {
	conn, err := b.pool.Acquire(ctx)
	if err != nil {
		return unopened(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(lockMigrate)); err != nil {
		return fmt.Errorf("take the migration lock: %w", told(err))
	}
	defer func() {
		_, _ = conn.Exec(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", int64(lockMigrate))
	}() // ends with the connection at the latest
	err = store.Migrate(ctx, goose.DialectPostgres, b.db, Migrations(), b.pool.Config().ConnConfig.Database)
	if out, ok := refused(err); ok {
		return out
	}
	return err
}

// Writable implements [store.Backend]: what the server refuses is tried again with the next that is said, and with the next beat.
func (b *Backend) Writable() error { return b.ready.lacks() }

// Name implements [store.Backend].
func (*Backend) Name() string { return "postgres" }

// attempts bounds how often a transaction is run again when the database asks for it.
const attempts = 8

// Transact implements [store.Backend].
func (b *Backend) Transact(ctx context.Context, fn func(store.Conn) ([]store.Statement, error), committed func()) error {
	var err, away error // away: the server was, when it was tried before
	var begin time.Time // of that; what was tried may have taken long, and this process may have stood still in it
	for i := 0; i < attempts; i++ {
		if err = b.once(ctx, fn); err == nil {
			committed()
			return nil
		}
		if lost(err) && !errors.Is(err, errCommitting) {
			if away == nil {
				begin = time.Now()
			}
			if away = err; wait(ctx, begin) {
				i-- // it was not its turn
				continue
			}
		}
		if !again(err) {
			return told(since(away, err))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Duration(i*i) * time.Millisecond):
		}
	}
	if unique(err) {
		return fault.Wrap(err, fault.Conflict, "The same thing is recorded already.")
	}
	return err
}

// again reports whether the same transaction may succeed when run once more: it lost
// a race for a lock, or for a unique value that a second look will find, or the server ended it because this node stood still.
func again(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (e.Code == "40001" || e.Code == "40P01" || e.Code == "23505" || e.Code == stoodStill)
}

func unique(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == "23505"
}

// Query implements [store.Backend].
func (b *Backend) Query(ctx context.Context, query string, args ...any) (store.Rows, error) {
	var away error
	for begin := time.Now(); ; {
		found, err := b.pool.Query(ctx, b.bind(query), args...)
		if err == nil {
			return &rows{Rows: found}, nil
		}
		if !lost(err) || !wait(ctx, begin) {
			return nil, told(since(away, err))
		}
		away = err
	}
}

// bind numbers the placeholders. Our SQL has no question marks in literals.
func (b *Backend) bind(query string) string {
	if got, ok := b.rebind.Load(query); ok {
		return got.(string) //nolint:forcetypeassert // only we store here
	}
	var out strings.Builder
	n := 0
	for _, r := range query {
		if r == '?' {
			n++
			out.WriteString("$" + strconv.Itoa(n))
			continue
		}
		out.WriteRune(r)
	}
	if !strings.HasPrefix(query, store.Once) {
		b.rebind.Store(query, out.String())
	}
	return out.String()
}

// Reserve implements [store.Backend], in one round trip with the looks; log_reserve of the migrations
// does it. The streams' advisory locks are taken in order, so that two writers cannot
// wait for each other; positions are taken only under the lock, so they rise within a
// stream. Before that the transaction shows, by a shared advisory lock that all can see,
// from where on its positions can be; Horizon rests on it. Locks of streams have two
// keys, those of positions one.
func (*Backend) Reserve(ctx context.Context, c store.Conn, streams []string, n int, looks ...store.Look) ([]event.Seq, map[string]store.Head, error) {
	keys := make([]int32, len(streams))
	for i, s := range streams {
		keys[i] = lockKey(s)
	}
	out, heads := make([]event.Seq, 0, n), make(map[string]store.Head, len(streams))
	reserve := store.Look{Statement: store.Statement{SQL: "SELECT stream, head, hash, seq FROM log_reserve(?, ?, ?)", Args: []any{streams, keys, n}}}
	reserve.Found = func(rows store.Rows) error {
		for rows.Next() {
			var name, hash sql.NullString
			var head, seq sql.NullInt64
			if err := rows.Scan(&name, &head, &hash, &seq); err != nil {
				return err
			}
			if name.Valid {
				heads[name.String] = store.Head{Seq: head.Int64, Hash: hash.String}
			} else {
				out = append(out, event.Seq(seq.Int64))
			}
		}
		return rows.Err()
	}
	err := c.Look(ctx, nil, append([]store.Look{reserve}, looks...)...)
	return out, heads, err
}

func lockKey(stream string) int32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(stream)) // never fails
	return int32(h.Sum32())        //nolint:gosec // any 32 bits will do
}

// Lock implements [store.Backend].
func (*Backend) Lock(stream string) (store.Statement, bool) {
	return store.Statement{SQL: "SELECT pg_advisory_xact_lock(1, ?)", Args: []any{lockKey(stream)}}, true
}

// Horizon implements [store.Backend]. The statement looks at what is committed first, when it takes its
// snapshot, and at who is still writing second, in the server's memory: who took a position below the first
// and is not among the second is over, and another look, the caller's, sees what they recorded.
func (b *Backend) Horizon(ctx context.Context) (event.Seq, error) {
	var end int64
	var open sql.NullInt64
	err := b.pool.QueryRow(ctx, "SELECT ("+store.SelectEnd+`), (SELECT min((classid::bigint << 32) | objid::bigint) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`).Scan(&end, &open)
	if err != nil {
		return 0, fmt.Errorf("read the log's end: %w", told(err))
	}
	if open.Valid && open.Int64-1 < end {
		return event.Seq(open.Int64 - 1), nil
	}
	return event.Seq(end), nil
}

// Close ends all connections.
func (b *Backend) Close() error {
	b.news.senders.Wait()
	b.grown.close()
	err := b.db.Close()
	b.pool.Close()
	return err
}
