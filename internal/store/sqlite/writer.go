package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
)

// maxBatch bounds how many callers share one commit, and with it how long the
// first of them waits for the last.
const maxBatch = 256

// A writer owns the one connection that writes. Callers queue; it takes all who
// wait, runs them in one transaction, commits once, and tells each how it went.
type writer struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt // owned by the loop
	end   event.Seq            // owned by the loop: the last position taken, -1 when not known
	queue chan *request        // closed by close; blocks callers when full
	done  chan struct{}        // closed by the loop when it has ended

	mu     sync.RWMutex // guards closed against sends on queue
	closed bool
}

type request struct {
	ctx  context.Context //nolint:containedctx // handed to the loop together with the call
	fn   func(store.Conn) ([]store.Statement, error)
	err  error
	done chan struct{} // closed by the loop
}

func newWriter(ctx context.Context, db *sql.DB) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("open the writing connection: %w", err)
	}
	w := &writer{conn: conn, stmts: make(map[string]*sql.Stmt), end: -1, queue: make(chan *request, maxBatch), done: make(chan struct{})}
	go w.loop()
	return w, nil
}

// Transact implements [store.Backend].
func (b *Backend) Transact(ctx context.Context, fn func(store.Conn) ([]store.Statement, error)) error {
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

// commit runs a batch: first as if all will go well, and when one of many fails, again
// with each guarded from the others. A position that another process has taken meanwhile
// is found out here too: it is read anew.
func (w *writer) commit(batch []*request) {
	defer func() {
		for _, r := range batch {
			close(r.done)
		}
	}()
	knew := w.end >= 0
	failed := w.attempt(batch, false)
	if failed != nil && (len(batch) > 1 || knew && IsUnique(failed)) {
		_ = w.attempt(batch, true) // each request has how it went
	}
}

// attempt runs a batch in one transaction and sets how each request went. Guarded, one
// that fails leaves the others alone; else it ends the attempt, which then returns why.
// When the commit itself fails, all of it failed.
func (w *writer) attempt(batch []*request, guarded bool) error {
	ctx := context.Background() //nolint:forbidigo // the transaction is everybody's: no caller's leaving may end it
	if err := w.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return w.fail(batch, err)
	}
	fault.Point("before commit")
	for _, r := range batch {
		if r.err = w.one(ctx, r, guarded); r.err != nil && !guarded {
			w.rollback(ctx)
			return r.err
		}
	}
	if err := w.exec(ctx, "COMMIT"); err != nil {
		w.rollback(ctx)
		return w.fail(batch, fmt.Errorf("commit: %w", err))
	}
	fault.Point("after commit")
	return nil
}

func (w *writer) rollback(ctx context.Context) {
	w.end = -1
	_ = w.exec(ctx, "ROLLBACK") // the caller gets the cause
}

func (w *writer) fail(batch []*request, err error) error {
	for _, r := range batch {
		r.err = errors.Join(r.err, err)
	}
	return err
}

// one runs a caller's function and the statements it ends with.
func (w *writer) one(ctx context.Context, r *request, guarded bool) (err error) {
	if err := r.ctx.Err(); err != nil {
		return context.Cause(r.ctx)
	}
	if guarded {
		if err := w.exec(ctx, "SAVEPOINT one"); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				w.end = -1
				_ = w.exec(ctx, "ROLLBACK TO one") // the caller gets the cause
			}
			err = errors.Join(err, w.exec(ctx, "RELEASE one"))
		}()
	}
	c := &conn{w}
	last, err := r.fn(c)
	if err != nil || len(last) == 0 {
		return err
	}
	_, err = c.Exec(ctx, last...)
	return err
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

func (c *conn) Exec(ctx context.Context, in ...store.Statement) (int64, error) {
	ctx = context.WithoutCancel(ctx)
	var res sql.Result
	for _, st := range in {
		s, err := c.w.stmt(ctx, st.SQL) //nolint:sqlclosecheck // kept for the next use
		if err != nil {
			return 0, err
		}
		if res, err = s.ExecContext(ctx, st.Args...); err != nil {
			return 0, translate(err)
		}
	}
	if res == nil {
		return 0, nil
	}
	return res.RowsAffected()
}

func (c *conn) Query(ctx context.Context, before []store.Statement, query store.Statement) (store.Rows, error) {
	if _, err := c.Exec(ctx, before...); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	s, err := c.w.stmt(ctx, query.SQL) //nolint:sqlclosecheck // kept for the next use
	if err != nil {
		return nil, err
	}
	return s.QueryContext(ctx, query.Args...) //nolint:rowserrcheck // the caller asks Err
}

// Joined implements [store.Conn]: no library shares the writer's transaction.
func (*conn) Joined() any { return nil }

func translate(err error) error {
	if IsUnique(err) {
		return fault.Wrap(err, fault.Conflict, "The same thing is recorded already.")
	}
	return err
}
