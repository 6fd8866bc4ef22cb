package sqlite

import (
	"context"
	"errors"

	"chela/internal/event"
	"chela/internal/store"
)

// Snapshot implements [store.Backend], by a connection of its own: the journal keeps what it reads, and grows meanwhile.
func (b *Backend) Snapshot(ctx context.Context, fn func(query func(string, ...any) (store.Rows, error)) error) (err error) {
	h, err := openHandle(b.readers.path, "query_only(1)")
	if err != nil {
		return err
	}
	h.conn.SetInterrupt(ctx.Done())
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		h.conn.SetInterrupt(nil)
		err = errors.Join(err, h.close()) // which ends the transaction
	}()
	for _, begin := range []string{"BEGIN", "SELECT 1 FROM sqlite_schema LIMIT 1"} { // the moment is that of the first read
		if err := h.run(store.Statement{SQL: begin}); err != nil {
			return err
		}
	}
	return fn(func(query string, args ...any) (store.Rows, error) {
		s, err := h.prepare(store.Statement{SQL: query, Args: args})
		if err != nil {
			return nil, err
		}
		return &rows{s: s, done: func(err error) error {
			h.done(s)
			return err
		}}, nil
	})
}

// Reached implements [store.Backend]: the next position follows the last event.
func (b *Backend) Reached(context.Context, store.Conn, event.Seq) error {
	b.writer.end = -1
	return nil
}
