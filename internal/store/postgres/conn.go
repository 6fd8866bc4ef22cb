package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"chela/internal/fault"
	"chela/internal/store"
)

// conn implements [store.Conn]: a transaction on one connection. What is given together
// is one round trip; the transaction begins with the first and commits with the last.
type conn struct {
	pooled *pgxpool.Conn
	b      *Backend
	begun  bool
	wrote  bool // something was changed
}

// once runs fn in a transaction.
func (b *Backend) once(ctx context.Context, fn func(store.Conn) ([]store.Statement, error)) (err error) {
	pooled, err := b.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer pooled.Release() // closes it when it is inside a transaction
	c := &conn{pooled: pooled, b: b}
	fault.Point("before commit")
	last, err := fn(c)
	c.wrote = c.wrote || len(last) > 0
	defer func() {
		if c.wrote || err != nil {
			b.ready.note(err)
		}
	}()
	if err == nil && !c.begun && len(last) > 0 {
		if err = c.alone(ctx, last); lost(err) {
			return errors.Join(err, errCommitting)
		}
	} else if err == nil && c.begun {
		if _, err = c.Exec(ctx, append(last, store.Statement{SQL: "COMMIT"})...); lost(err) {
			err = errors.Join(err, errCommitting)
		}
	}
	if err != nil {
		if c.begun {
			_, _ = pooled.Exec(context.WithoutCancel(ctx), "ROLLBACK") // the caller gets the cause
		}
		return err
	}
	fault.Point("after commit")
	return nil
}

// alone sends all that a transaction has to say at once. The server makes one transaction of it.
func (c *conn) alone(ctx context.Context, in []store.Statement) error {
	c.b.grown.wrote(ctx, in, c.b.lookAtGrown)
	batch := &pgx.Batch{}
	for _, s := range c.b.join(in) {
		batch.Queue(c.b.bind(s.SQL), s.Args...)
	}
	_, res, err := c.send(ctx, batch, batch.Len())
	if err != nil {
		return err
	}
	return res.Close()
}

// queue puts statements into what is sent next.
func (c *conn) queue(in []store.Statement) *pgx.Batch {
	out := &pgx.Batch{}
	if !c.begun {
		c.begun = true
		out.Queue("BEGIN")
	}
	for _, s := range in {
		out.Queue(c.b.bind(s.SQL), s.Args...)
	}
	return out
}

// Exec implements [store.Conn].
func (c *conn) Exec(ctx context.Context, in ...store.Statement) (int64, error) {
	c.wrote = true
	c.b.grown.wrote(ctx, in, c.b.lookAtGrown)
	n := max(len(in)-1, 0) // of the last it is asked how many rows it touched
	batch := c.queue(append(c.b.join(in[:n:n]), in[n:]...))
	tag, res, err := c.send(ctx, batch, batch.Len())
	if err != nil {
		return 0, err
	}
	return tag.RowsAffected(), res.Close()
}

// send sends a batch and reads how its first n statements went.
func (c *conn) send(ctx context.Context, batch *pgx.Batch, n int) (tag pgconn.CommandTag, res pgx.BatchResults, err error) {
	res = c.pooled.SendBatch(ctx, batch)
	for range n {
		if tag, err = res.Exec(); err != nil {
			_ = res.Close() // says the same again
			return tag, nil, err
		}
	}
	return tag, res, nil
}

// Query implements [store.Conn].
func (c *conn) Query(ctx context.Context, before []store.Statement, query store.Statement) (store.Rows, error) {
	r, err := c.query(ctx, before, c.b.bind(query.SQL), query.Args)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (c *conn) query(ctx context.Context, before []store.Statement, query string, args []any) (*rows, error) {
	batch := c.queue(c.b.join(before))
	n := batch.Len()
	batch.Queue(query, args...)
	_, res, err := c.send(ctx, batch, n)
	if err != nil {
		return nil, err
	}
	found, err := res.Query()
	if err != nil {
		_ = res.Close() // says the same again
		return nil, err
	}
	return &rows{found, res}, nil
}

// Look implements [store.Conn], in one round trip.
func (c *conn) Look(ctx context.Context, before []store.Statement, looks ...store.Look) error {
	batch := c.queue(c.b.join(before))
	n := batch.Len()
	for _, l := range looks {
		batch.Queue(c.b.bind(l.SQL), l.Args...)
	}
	_, res, err := c.send(ctx, batch, n)
	if err != nil {
		return err
	}
	for _, l := range looks {
		found, err := res.Query()
		if err == nil {
			r := &rows{Rows: found}
			err = errors.Join(l.Found(r), r.Close(), found.Err())
		}
		if err != nil {
			_ = res.Close() // says the same again
			return err
		}
	}
	return res.Close()
}

// rows implements [store.Rows].
type rows struct {
	pgx.Rows
	batch pgx.BatchResults // nil when they are not of one
}

// Close implements [store.Rows].
func (r *rows) Close() error {
	r.Rows.Close()
	if r.batch == nil {
		return nil
	}
	return r.batch.Close()
}

// Err implements [store.Rows].
func (r *rows) Err() error { return told(r.Rows.Err()) }

// Columns implements [store.Rows].
func (r *rows) Columns() ([]string, error) {
	var out []string
	for _, f := range r.FieldDescriptions() {
		out = append(out, f.Name)
	}
	return out, r.Err()
}
