package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"chela/internal/fault"
	"chela/internal/store"
)

// maxBatch bounds how many callers share one commit, and with it how long the
// first of them waits for the last.
const maxBatch = 256

// A writer owns the one connection that writes. Callers queue; it takes all who
// wait, runs each inside a savepoint of one transaction, commits once, and tells
// each how it went.
type writer struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt // owned by the loop
	queue chan *request        // closed by close; blocks callers when full
	done  chan struct{}        // closed by the loop when it has ended

	mu     sync.RWMutex // guards closed against sends on queue
	closed bool
}

type request struct {
	ctx  context.Context //nolint:containedctx // handed to the loop together with the call
	fn   func(store.Conn) error
	err  error
	done chan struct{} // closed by the loop
}

func newWriter(ctx context.Context, db *sql.DB) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("open the writing connection: %w", err)
	}
	w := &writer{conn: conn, stmts: make(map[string]*sql.Stmt), queue: make(chan *request, maxBatch), done: make(chan struct{})}
	go w.loop()
	return w, nil
}

// Transact implements [store.Backend].
func (b *Backend) Transact(ctx context.Context, fn func(store.Conn) error) error {
	r := &request{ctx: ctx, fn: fn, done: make(chan struct{})}
	if err := b.writer.send(r); err != nil {
		return err
	}
	// Once queued it will be answered: waiting here keeps "returned" and
	// "committed or not" the same thing.
	<-r.done
	return r.err
}

func (w *writer) send(r *request) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return fault.New(fault.Unavailable, "The database is closed.")
	}
	select {
	case w.queue <- r:
		return nil
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
}

func (w *writer) close() error {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.queue)
	}
	w.mu.Unlock()
	<-w.done
	return w.conn.Close()
}

func (w *writer) loop() {
	defer close(w.done)
	for r := range w.queue {
		batch := []*request{r}
		for more := true; more && len(batch) < maxBatch; {
			select {
			case r, ok := <-w.queue:
				if more = ok; ok {
					batch = append(batch, r)
				}
			default:
				more = false
			}
		}
		w.commit(batch)
	}
	for _, s := range w.stmts {
		_ = s.Close() // the connection is about to close
	}
}

// commit runs a batch. When the commit itself fails, all of it failed.
func (w *writer) commit(batch []*request) {
	defer func() {
		for _, r := range batch {
			close(r.done)
		}
	}()
	ctx := context.Background() //nolint:forbidigo // the transaction is everybody's: no caller's leaving may end it
	if err := w.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		fail(batch, err)
		return
	}
	fault.Point("before commit")
	for _, r := range batch {
		r.err = w.one(ctx, r, len(batch) > 1)
		if len(batch) == 1 && r.err != nil {
			_ = w.exec(ctx, "ROLLBACK") // the caller gets the cause
			return
		}
	}
	if err := w.exec(ctx, "COMMIT"); err != nil {
		_ = w.exec(ctx, "ROLLBACK") // the caller gets the cause
		fail(batch, fmt.Errorf("commit: %w", err))
		return
	}
	fault.Point("after commit")
}

func fail(batch []*request, err error) {
	for _, r := range batch {
		r.err = errors.Join(r.err, err)
	}
}

// one runs a caller's function; shared says that others are in the transaction,
// who must not suffer from its failure.
func (w *writer) one(ctx context.Context, r *request, shared bool) (err error) {
	if err := r.ctx.Err(); err != nil {
		return context.Cause(r.ctx)
	}
	if shared {
		if err := w.exec(ctx, "SAVEPOINT one"); err != nil {
			return err
		}
	}
	defer func() {
		if !shared {
			return
		}
		if err != nil {
			_ = w.exec(ctx, "ROLLBACK TO one") // the caller gets the cause
		}
		err = errors.Join(err, w.exec(ctx, "RELEASE one"))
	}()
	return r.fn(&conn{w: w})
}

func (w *writer) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := w.stmts[query]; ok {
		return s, nil
	}
	s, err := w.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", query, err)
	}
	if len(w.stmts) > 500 { // statements with many shapes of IN lists
		for q, s := range w.stmts {
			_ = s.Close() // it was not in use: the loop is the only user
			delete(w.stmts, q)
		}
	}
	w.stmts[query] = s
	return s, nil
}

func (w *writer) exec(ctx context.Context, query string) error {
	s, err := w.stmt(ctx, query) //nolint:sqlclosecheck // kept for the next use
	if err != nil {
		return err
	}
	_, err = s.ExecContext(ctx)
	return err
}

// conn implements [store.Conn] for one caller inside the shared transaction.
type conn struct{ w *writer }

func (c *conn) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	s, err := c.w.stmt(ctx, query) //nolint:sqlclosecheck // kept for the next use
	if err != nil {
		return 0, err
	}
	res, err := s.ExecContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return 0, translate(err)
	}
	return res.RowsAffected()
}

func (c *conn) Query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	s, err := c.w.stmt(ctx, query) //nolint:sqlclosecheck // kept for the next use
	if err != nil {
		return nil, err
	}
	return s.QueryContext(context.WithoutCancel(ctx), args...)
}

// SQL implements [store.Conn]: no library shares the writer's transaction.
func (*conn) SQL() *sql.Tx { return nil }

func translate(err error) error {
	if IsUnique(err) {
		return fault.Wrap(err, fault.Conflict, "The same thing is recorded already.")
	}
	return err
}
