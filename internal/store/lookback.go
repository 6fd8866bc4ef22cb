package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"chela/internal/desk"
	"chela/internal/query"
)

// lookBack looks up which rows of a moment the driver finds, when they are few. SQLite goes through all rows of the moment
// otherwise, whatever is asked of them.
func (l *listing) lookBack(ctx context.Context) error {
	if !l.past || l.postgres || l.driver < 0 {
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
	numbers := make([]string, len(seqs))
	for i, s := range seqs {
		numbers[i] = strconv.FormatInt(s, 10)
	}
	l.within = "[" + strings.Join(numbers, ",") + "]"
	return nil
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
