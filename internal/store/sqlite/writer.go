package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
)

// maxBatch bounds how many callers share one commit, and with it how long the
// first of them waits for the last.
const maxBatch = 256

// A writer owns the one connection that writes. Callers queue; it takes all who
// wait, runs them in one transaction, commits once, says that it can be read, syncs
// it, and tells each how it went.
type writer struct {
	handle  *handle   // owned by the loop, as the next two
	dirty   bool      // something may have been written since the last sync
	end     event.Seq // the last position taken, -1 when not known
	journal journal   // what the handle commits to; the loop syncs it
	room    room      // of the disk

	deferred []store.Statement // put off until the commit; the loop's, as the next
	accesses map[string]access // of statements

	queue chan *request // closed by drain; blocks callers when full
	done  chan struct{} // closed by the loop when it has ended

	mu     sync.RWMutex // guards closed against sends on queue
	closed bool
}

type request struct {
	ctx       context.Context //nolint:containedctx // handed to the loop together with the call
	fn        func(store.Conn) ([]store.Statement, error)
	committed func()
	err       error
	done      chan struct{} // closed by the loop
}

// writing is what the writer's handle has beside the pragmas of all: the loop syncs the journal itself.
const writing = "synchronous(NORMAL)"

func newWriter(path string, h *handle) *writer {
	w := &writer{handle: h, journal: journal{path: path + "-wal", data: syncData}, room: room{folder: filepath.Dir(path)}, end: -1, queue: make(chan *request, maxBatch), done: make(chan struct{}), accesses: make(map[string]access)}
	go w.loop()
	return w
}

// Transact implements [store.Backend].
func (b *Backend) Transact(ctx context.Context, fn func(store.Conn) ([]store.Statement, error), committed func()) error {
	r := &request{ctx: ctx, fn: fn, committed: committed, done: make(chan struct{})}
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
		return errOver()
	}
	select {
	case w.queue <- r:
		return nil
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
}

// drain returns when all that was queued is written; nothing more is.
func (w *writer) drain() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.queue)
	}
	w.mu.Unlock()
	<-w.done
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
	if failed != nil && w.journal.failed() == nil && (len(batch) > 1 || knew && isUnique(failed)) {
		_ = w.attempt(batch, true) // each request has how it went
	}
}

// attempt runs a batch in one transaction and sets how each request went. Guarded, one
// that fails leaves the others alone; else it ends the attempt, which then returns why.
// When the commit itself fails, all of it failed.
func (w *writer) attempt(batch []*request, guarded bool) error {
	if err := w.journal.failed(); err != nil {
		return w.fail(batch, err)
	}
	if err := w.command("BEGIN IMMEDIATE"); err != nil {
		return w.fail(batch, w.room.failed(err))
	}
	fault.Point("before commit")
	for _, r := range batch {
		if r.err = w.room.failed(w.one(r, guarded)); r.err != nil && !guarded {
			w.rollback()
			return r.err
		}
	}
	if err := w.room.failed(w.runDeferred()); err != nil {
		w.rollback()
		return w.fail(batch, err)
	}
	if err := w.command("COMMIT"); err != nil {
		w.rollback()
		return w.fail(batch, w.room.failed(fmt.Errorf("commit: %w", err)))
	}
	w.room.found()
	for _, r := range batch {
		if r.err == nil {
			r.committed()
		}
	}
	if err := w.sync(); err != nil {
		return w.fail(batch, err)
	}
	fault.Point("after commit")
	return nil
}

// sync returns when what was written is on disk.
func (w *writer) sync() error {
	if !w.dirty {
		return nil
	}
	w.dirty = false
	return w.journal.sync()
}

func (w *writer) rollback() {
	w.end, w.deferred = -1, nil
	_ = w.command("ROLLBACK") // the caller gets the cause
}

func (w *writer) command(query string) error { return w.handle.run(store.Statement{SQL: query}) }

func (w *writer) fail(batch []*request, err error) error {
	for _, r := range batch {
		r.err = errors.Join(r.err, err)
	}
	return err
}

// one runs a caller's function and the statements it ends with.
func (w *writer) one(r *request, guarded bool) (err error) {
	if err := r.ctx.Err(); err != nil {
		return context.Cause(r.ctx)
	}
	if guarded {
		if err := w.command("SAVEPOINT one"); err != nil {
			return err
		}
		defer func() {
			if err != nil {
				w.end, w.deferred = -1, nil
				_ = w.command("ROLLBACK TO one") // the caller gets the cause
			}
			err = errors.Join(err, w.command("RELEASE one"))
		}()
	}
	c := &conn{w}
	last, err := r.fn(c)
	if err == nil {
		_, err = c.Exec(r.ctx, last...)
	}
	if err == nil && guarded {
		err = w.runDeferred()
	}
	return err
}

// conn implements [store.Conn] for one caller inside the shared transaction.
type conn struct{ w *writer }

// Exec implements [store.Conn]. It is not interrupted: the transaction is everybody's.
func (c *conn) Exec(_ context.Context, in ...store.Statement) (int64, error) {
	for _, st := range in {
		if err := c.w.exec(st); err != nil {
			return 0, err
		}
	}
	if len(in) == 0 {
		return 0, nil
	}
	return int64(c.w.handle.conn.Changes()), nil
}

// Query implements [store.Conn]. It is not interrupted either.
func (c *conn) Query(ctx context.Context, before []store.Statement, query store.Statement) (store.Rows, error) {
	if _, err := c.Exec(ctx, before...); err != nil {
		return nil, err
	}
	if c.w.access(query.SQL) != none {
		if err := c.w.runDeferred(); err != nil {
			return nil, err
		}
	}
	s, err := c.w.handle.prepare(query)
	if err != nil {
		return nil, err
	}
	c.w.dirty = c.w.dirty || !strings.HasPrefix(query.SQL, "SELECT ")
	return &rows{s: s, done: func(err error) error {
		c.w.handle.done(s)
		return err
	}}, nil
}

// Look implements [store.Conn].
func (c *conn) Look(ctx context.Context, before []store.Statement, looks ...store.Look) error {
	if _, err := c.Exec(ctx, before...); err != nil {
		return err
	}
	for _, l := range looks {
		rows, err := c.Query(ctx, nil, l.Statement)
		if err != nil {
			return err
		}
		if err := errors.Join(l.Found(rows), rows.Close()); err != nil {
			return err
		}
	}
	return nil
}

func translate(err error) error {
	if isUnique(err) {
		return fault.Wrap(err, fault.Conflict, "The same thing is recorded already.")
	}
	return err
}
