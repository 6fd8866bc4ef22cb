package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"chela/internal/event"
)

// Once begins a query whose shape comes from what somebody typed. There is no end of such
// shapes, so a backend keeps nothing for the next time.
const Once = "/* once */ "

// marks returns n placeholders.
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// limited is written out: SQLite prepares a statement anew at every use when a parameter
// stands there.
func limited(n int) string { return " LIMIT " + strconv.Itoa(n) }

func anys[T any](in []T) []any {
	out := make([]any, len(in))
	for i, v := range in {
		out[i] = v
	}
	return out
}

// each calls fn for every row and closes rows.
func each(rows Rows, fn func(scan func(...any) error) error) error {
	defer func() { _ = rows.Close() }() // rows.Err has the cause
	for rows.Next() {
		if err := fn(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// first returns the first row, or sql.ErrNoRows.
func first[T any](rows Rows, scan func(func(...any) error) (T, error)) (out T, err error) {
	found := false
	err = each(rows, func(s func(...any) error) (err error) {
		if !found {
			out, err = scan(s)
			found = true
		}
		return err
	})
	if err == nil && !found {
		err = sql.ErrNoRows
	}
	return out, err
}

// all returns every row.
func all[T any](rows Rows, scan func(func(...any) error) (T, error)) (out []T, err error) {
	err = each(rows, func(s func(...any) error) error {
		v, err := scan(s)
		out = append(out, v)
		return err
	})
	return out, err
}

// changeOne records what fn drafts of the thing of the organization that read finds, none when it is not there, in one
// transaction. One call at a time gets so far, among all that share the database, and fn may be run again. Drafting nothing
// records nothing.
func changeOne[T any](ctx context.Context, db *DB, read func(*Tx) ([]T, error), none T, fn func(T) ([]event.Draft, error)) error {
	return db.Write(ctx, func(tx *Tx) error {
		tx.Hold(event.OrgStream)
		found, err := read(tx)
		if err != nil {
			return err
		}
		now := none
		if len(found) > 0 {
			now = found[0]
		}
		drafts, err := fn(now)
		if err != nil || len(drafts) == 0 {
			return err
		}
		_, err = tx.Append(drafts...)
		return err
	})
}

// one scans a single row read outside any transaction.
func (db *DB) one(ctx context.Context, query string, args []any, into ...any) error {
	rows, err := db.Query(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("query: %w", err)
	}
	return scanOne(rows, into)
}

// row scans a single row inside the transaction.
func (tx *Tx) row(query string, args []any, into ...any) error {
	rows, err := tx.query(query, args...)
	if err != nil {
		return fmt.Errorf("query: %w", err)
	}
	return scanOne(rows, into)
}

func scanOne(rows Rows, into []any) error {
	_, err := first(rows, func(scan func(...any) error) (struct{}, error) { return struct{}{}, scan(into...) })
	return err
}

// A look reads, inside a transaction or outside.
type look func(query string, args ...any) (Rows, error)

func (db *DB) look(ctx context.Context) look {
	return func(query string, args ...any) (Rows, error) { return db.Query(ctx, query, args...) }
}

// rows reads the log outside any transaction.
func (db *DB) rows(ctx context.Context) logTable { return logTable{db.look(ctx)} }

// rows reads the log as the transaction sees it.
func (tx *Tx) rows() logTable { return logTable{tx.query} }
