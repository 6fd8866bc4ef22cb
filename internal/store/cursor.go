package store

import (
	"context"
	"database/sql"
	"errors"

	"chela/internal/event"
)

// Cursor returns where the named reader stands, 0 at first.
func (l Log) Cursor(ctx context.Context, name string) (event.Seq, error) {
	var seq int64
	return cursor(&seq, l.db.one(ctx, selectCursor, []any{name}, &seq))
}

// Cursor is [Log.Cursor] as the transaction sees it.
func (tx *Tx) Cursor(name string) (event.Seq, error) {
	var seq int64
	return cursor(&seq, tx.row(selectCursor, []any{name}, &seq))
}

const selectCursor = "SELECT seq FROM log_cursors WHERE name = ?"

// cursor is what was read of a reader; one that nobody moved yet is at the beginning.
func cursor(seq *int64, err error) (event.Seq, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return event.Seq(*seq), err
}

// MoveCursor moves the named reader from one position to another, and reports whether it was moved:
// of many who move it from the same position one does.
func (l Log) MoveCursor(ctx context.Context, name string, from, to event.Seq) (moved bool, err error) {
	err = l.db.Write(ctx, func(tx *Tx) error {
		moved = false
		tx.Hold(event.OrgStream) // another process waits here
		now, err := tx.Cursor(name)
		if err != nil || now != from {
			return err
		}
		moved = true
		return tx.SetCursor(name, to)
	})
	return moved && err == nil, err
}

// SetCursor moves the named reader.
func (tx *Tx) SetCursor(name string, seq event.Seq) error {
	return tx.do("INSERT INTO log_cursors (name, seq) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq", name, int64(seq))
}
