package store

import (
	"context"
	"fmt"
	"strings"

	"chela/internal/desk"
	"chela/internal/query"
)

// A key is one expression by which rows are ordered; rows that have the same of all keys
// do not exist.
type key struct {
	sql  string
	args []any
	down bool
	kind keyKind
}

type keyKind uint8

const (
	wholeKey keyKind = iota
	numberKey
	textKey
)

// keys are those of a sort, the last by position. Each field has two: whether it has a
// value, since what has none comes last either way, and the value.
func (d Desk) keys(s query.Sort, newest bool) []key {
	postgres, joined := d.db.Name() == "postgres", shares
	if d.past {
		joined = sharesThen
	}
	var out []key
	for _, k := range s {
		f := &condition{postgres: postgres}
		value := f.value(k.Field)
		if k.Field.Place == query.InShares {
			value = "(SELECT min(p.identity) FROM " + joined + ")"
		}
		missing := key{sql: "CASE WHEN " + unset(k.Field, value) + " THEN CAST(1 AS BIGINT) ELSE 0 END"}
		switch k.Field.Type {
		case query.Instant:
			out = append(out, key{sql: value, down: k.Down})
		case query.Flag:
			no := "0"
			if postgres {
				no = "'false'"
			}
			out = append(out, key{sql: "CASE WHEN coalesce(" + value + ", " + no + ") = " + no + " THEN CAST(0 AS BIGINT) ELSE 1 END", down: k.Down})
		case query.Number:
			out = append(out, missing, key{sql: "coalesce(" + value + ", 0)", down: k.Down, kind: numberKey})
		case query.Set:
			ranks := "CASE coalesce(" + value + ", '')" + strings.Repeat(" WHEN ? THEN ?", len(k.Field.Allowed)) + " ELSE 0 END"
			if postgres {
				ranks = strings.ReplaceAll(ranks, "THEN ?", "THEN CAST(? AS BIGINT)")
			}
			var args []any
			for i, v := range k.Field.Allowed {
				args = append(args, v, int64(i))
			}
			out = append(out, missing, key{sql: ranks, args: args, down: k.Down})
		case query.Text, query.Day, query.Person, query.Ref, query.Presence:
			sql := f.fold(value)
			if postgres {
				sql += ` COLLATE "C"`
			}
			out = append(out, missing, key{sql: sql, down: k.Down, kind: textKey})
		}
	}
	return append(out, key{sql: "r.seq", down: newest})
}

// order is the ORDER BY of the keys.
func order(keys []key) (string, []any) {
	parts, args := make([]string, len(keys)), []any{}
	for i, k := range keys {
		parts[i], args = k.sql, append(args, k.args...)
		if k.down {
			parts[i] += " DESC"
		}
	}
	return " ORDER BY " + strings.Join(parts, ", "), args
}

// past is the condition that a row comes after the one with the values.
func past(keys []key, values []any) (string, []any) {
	var any1 []string
	var args []any
	for i, k := range keys {
		var all []string
		for j, same := range keys[:i] {
			all = append(all, same.sql+" = ?")
			args = append(append(args, same.args...), values[j])
		}
		sign := " > ?"
		if k.down {
			sign = " < ?"
		}
		args = append(append(args, k.args...), values[i])
		any1 = append(any1, strings.Join(append(all, k.sql+sign), " AND "))
	}
	return "(" + strings.Join(any1, " OR ") + ")", args
}

// sorted is a page that is asked for.
type sorted struct {
	from, where string
	args        []any
	sort        string // what the cursor was made for
	keys        []key
	limit       int
	cursor      string
}

// pageOf reads records in the order of the keys, and returns the cursor of what follows.
func (d Desk) pageOf(ctx context.Context, s sorted) (out []desk.Record, next string, err error) {
	last := ""
	where := s.where
	by, byArgs := order(s.keys)
	columns := recordFields
	var args []any
	for _, k := range s.keys {
		columns, args = columns+", "+k.sql, append(args, k.args...)
	}
	args = append(args, s.args...)
	if s.cursor != "" {
		values, err := after(s.cursor, s.sort, s.keys)
		if err != nil {
			return nil, "", err
		}
		cond, more := past(s.keys, values)
		where, args = where+" AND "+cond, append(args, more...)
	}
	args = append(args, byArgs...)
	rows, err := d.query(ctx, Once+"SELECT "+columns+" FROM "+s.from+" WHERE "+where+by+limited(s.limit+1), args...)
	if err != nil {
		return nil, "", fmt.Errorf("read records: %w", err)
	}
	err = each(rows, func(scan func(...any) error) error {
		into, values := targets(s.keys)
		r, err := scanRecordAnd(scan, into...)
		if err != nil || len(out) == s.limit {
			next = last
			return err
		}
		out, last = append(out, r.Record), cursorOf(s.sort, values())
		return nil
	})
	return out, next, err
}

// targets are where a row's keys are scanned to.
func targets(keys []key) (all []any, values func() []any) {
	whole, number, text := make([]int64, len(keys)), make([]float64, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		switch k.kind {
		case wholeKey:
			all = append(all, &whole[i])
		case numberKey:
			all = append(all, &number[i])
		case textKey:
			all = append(all, &text[i])
		}
	}
	return all, func() []any {
		out := make([]any, len(keys))
		for i, k := range keys {
			switch k.kind {
			case wholeKey:
				out[i] = whole[i]
			case numberKey:
				out[i] = number[i]
			case textKey:
				out[i] = text[i]
			}
		}
		return out
	}
}
