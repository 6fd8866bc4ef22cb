package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"chela/internal/event"
	"chela/internal/store"
)

// snapshotIdle is how long who reads a snapshot may take between two queries: it may wait for who takes what is read. It holds
// no lock for which others wait.
const snapshotIdle = "SET LOCAL idle_in_transaction_session_timeout = '10min'"

// Snapshot implements [store.Backend]. All of a stream up to an event was committed before it, so the snapshot has no gap.
func (b *Backend) Snapshot(ctx context.Context, fn func(query func(string, ...any) (store.Rows, error)) error) error {
	pooled, err := b.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", told(err))
	}
	defer pooled.Release()
	tx, err := pooled.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return fmt.Errorf("begin: %w", told(err))
	}
	if _, err = tx.Exec(ctx, snapshotIdle); err == nil {
		err = fn(func(query string, args ...any) (store.Rows, error) {
			found, err := tx.Query(ctx, b.bind(query), args...)
			if err != nil {
				return nil, told(err)
			}
			return &rows{Rows: found}, nil
		})
	}
	if ended := tx.Rollback(context.WithoutCancel(ctx)); ended != nil && !errors.Is(ended, pgx.ErrTxClosed) && err == nil {
		err = told(ended)
	}
	return err
}

// Reached implements [store.Backend].
func (*Backend) Reached(ctx context.Context, c store.Conn, end event.Seq) error {
	if end < 1 {
		return nil
	}
	found, err := c.Query(ctx, nil, store.Statement{SQL: "SELECT setval('log_seq', greatest(?::bigint, last_value)) FROM log_seq", Args: []any{int64(end)}})
	if err != nil {
		return fmt.Errorf("move the log's positions: %w", err)
	}
	for found.Next() { //nolint:revive // it is run by being read
	}
	return errors.Join(found.Err(), found.Close())
}
