package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/query"
)

// lookBack looks up which rows of a moment the driver finds, when they are few. The databases go through all rows of the moment
// otherwise, whatever is asked of them.
func (l *listing) lookBack(ctx context.Context) error {
	if !l.past || l.driver < 0 {
		return nil
	}
	t, ok := l.terms[l.driver].(query.Term)
	if !ok || slices.ContainsFunc(t.Values, func(v query.Value) bool { return v.None }) {
		return nil
	}
	n := l.narrowed()
	values, field := make([]string, len(t.Values)), t.Field.Path
	switch {
	case t.Field.Place == query.InShares: // SQLite finds people by an index in a statement of their own alone
		people := make([]string, len(t.Values))
		for i, v := range t.Values {
			people[i] = n.people(t.Op, v)
		}
		ids, err := column[string](ctx, l.Desk, strings.Join(people, " UNION "), n.args)
		if err != nil {
			return fmt.Errorf("look up people: %w", err)
		}
		values, field = ids, "owner"
	case desk.InValues(t):
		for i, v := range t.Values {
			values[i] = strings.ToLower(v.Text)
		}
	default:
		return nil
	}
	sql := "SELECT DISTINCT v.seq FROM desk_values v WHERE v.list = ? AND v.field = ? AND v.value IN (" + marks(max(len(values), 1)) + ")" + limited(fewFit+1)
	seqs, err := column[int64](ctx, l.Desk, sql, append([]any{l.list, field}, orNone(values)...))
	if err != nil {
		return fmt.Errorf("look up records: %w", err)
	}
	if len(seqs) > fewFit {
		return nil
	}
	l.within = make([]string, len(seqs))
	for i, s := range seqs {
		l.within[i] = strconv.FormatInt(s, 10)
	}
	return nil
}

// byWords returns the listing as it finds rows of a moment by the words that its driver seeks. SQLite goes through all rows of
// the moment otherwise, and looks up each; PostgreSQL hashes them.
func (l *listing) byWords() *listing {
	if !l.past || l.postgres || l.driver < 0 {
		return l
	}
	m, ok := l.terms[l.driver].(query.Match)
	if !ok {
		return l
	}
	sought, err := query.Seek(m.Words)
	if err != nil {
		return l // it was refused when it was parsed
	}
	n, by := l.narrowed(), *l
	by.Desk.sought, by.hadThen = n.sought(sought), n.hadThen(sought)
	return &by
}

// mostNamed is up to how many records a query names instead of what they refer to.
const mostNamed = 5000

// referring looks up which records refer to those that a query of a moment names. PostgreSQL reads all records of the moment
// otherwise.
func (d Desk) referring(ctx context.Context, q clerk.Query) (clerk.Query, error) {
	if !d.past || d.db.Name() != "postgres" || q.RefTo == nil {
		return q, nil
	}
	sql, args := "SELECT DISTINCT f.from_id FROM desk_refs f WHERE f.to_id IN ("+marks(max(len(q.RefTo), 1))+")", orNone(q.RefTo)
	if q.RefField != "" {
		sql, args = sql+" AND f.field = ?", append(args, q.RefField)
	}
	ids, err := column[string](ctx, d, sql, args)
	if err != nil {
		return q, fmt.Errorf("look up references: %w", err)
	}
	if q.IDs != nil {
		ids = slices.DeleteFunc(ids, func(id string) bool { return !slices.Contains(q.IDs, id) })
	}
	if len(ids) > mostNamed {
		return q, nil
	}
	q.RefTo, q.RefField, q.IDs = nil, "", append([]string{}, ids...)
	return q, nil
}

// column reads the only column of a statement.
func column[T any](ctx context.Context, d Desk, sql string, args []any) (out []T, err error) {
	rows, err := d.query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return out, each(rows, func(scan func(...any) error) error {
		var v T
		err := scan(&v)
		out = append(out, v)
		return err
	})
}
