package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"zombiezen.com/go/sqlite"
)

// rows implements [store.Rows].
type rows struct {
	s    *statement
	done func(error) error // gives the statement back and says what the error is; nil when that is done
	err  error
}

// Next implements [store.Rows].
func (r *rows) Next() bool {
	if r.done == nil {
		return false
	}
	more, err := r.s.Step()
	if !more {
		r.end(err)
	}
	return more
}

func (r *rows) end(err error) {
	r.err = r.done(err)
	r.done = nil
}

// Err implements [store.Rows].
func (r *rows) Err() error { return r.err }

// Close implements [store.Rows].
func (r *rows) Close() error {
	if r.done != nil {
		r.end(nil)
	}
	return nil
}

// Columns implements [store.Rows].
func (r *rows) Columns() ([]string, error) {
	if r.done == nil {
		return nil, errClosed
	}
	out := make([]string, r.s.ColumnCount())
	for i := range out {
		out[i] = r.s.ColumnName(i)
	}
	return out, nil
}

var errClosed = errors.New("the rows are closed")

// Scan implements [store.Rows] for the types that the store reads.
func (r *rows) Scan(into ...any) error {
	if r.done == nil {
		return errClosed
	}
	if n := r.s.ColumnCount(); n != len(into) {
		return fmt.Errorf("%d columns are read into %d places: %q", n, len(into), r.s.query)
	}
	for i, to := range into {
		if err := scan(r.s.Stmt, i, to); err != nil {
			return fmt.Errorf("column %s of %q: %w", r.s.ColumnName(i), r.s.query, err)
		}
	}
	return nil
}

func scan(s *sqlite.Stmt, i int, to any) (err error) {
	switch to := to.(type) {
	case *any:
		*to = value(s, i)
		return nil
	case sql.Scanner:
		return to.Scan(value(s, i))
	case *[]byte:
		*to = bytesOf(s, i)
		return nil
	}
	kind := s.ColumnType(i)
	if kind == sqlite.TypeNull {
		return fmt.Errorf("it is NULL, which is no %T", to)
	}
	switch to := to.(type) {
	case *string:
		*to = s.ColumnText(i)
	case *int64:
		*to, err = integer(s, i, kind)
	case *int:
		var n int64
		n, err = integer(s, i, kind)
		*to = int(n)
	case *bool:
		var n int64
		n, err = integer(s, i, kind)
		*to = n != 0
	case *float64:
		*to = s.ColumnFloat(i)
	default:
		err = named(s, i, kind, to)
	}
	return err
}

// named reads into a type of ours that is a basic one.
func named(s *sqlite.Stmt, i int, kind sqlite.ColumnType, to any) error {
	v := reflect.ValueOf(to)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return fmt.Errorf("nothing is read into a %T", to)
	}
	switch v = v.Elem(); v.Kind() {
	case reflect.String:
		v.SetString(s.ColumnText(i))
	case reflect.Int, reflect.Int64:
		n, err := integer(s, i, kind)
		if err != nil {
			return err
		}
		v.SetInt(n)
	default:
		return fmt.Errorf("nothing is read into a %T", to)
	}
	return nil
}

// integer is a number, also one that was written as a text; a part of one is not lost silently.
func integer(s *sqlite.Stmt, i int, kind sqlite.ColumnType) (int64, error) {
	if kind == sqlite.TypeInteger {
		return s.ColumnInt64(i), nil
	}
	return strconv.ParseInt(s.ColumnText(i), 10, 64)
}

// value is what a column holds, as one of the types of a driver.Value.
func value(s *sqlite.Stmt, i int) any {
	switch s.ColumnType(i) {
	case sqlite.TypeInteger:
		return s.ColumnInt64(i)
	case sqlite.TypeFloat:
		return s.ColumnFloat(i)
	case sqlite.TypeText:
		return s.ColumnText(i)
	case sqlite.TypeBlob:
		return bytesOf(s, i)
	default:
		return nil
	}
}

func bytesOf(s *sqlite.Stmt, i int) []byte {
	if s.ColumnType(i) == sqlite.TypeNull {
		return nil
	}
	out := make([]byte, s.ColumnLen(i))
	s.ColumnBytes(i, out)
	return out
}
