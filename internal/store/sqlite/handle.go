package sqlite

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"chela/internal/store"
)

// A handle is one connection to the file with the statements that it keeps: preparing one
// costs as much as running it. One goroutine at a time may use it.
type handle struct {
	conn *sqlite.Conn
	kept map[string]*statement
}

// maxKept bounds the statements that a handle keeps.
const maxKept = 500

// A statement is prepared. Its arguments stay bound until it is used again.
type statement struct {
	*sqlite.Stmt
	query  string
	params int
	reused bool // it is kept for the next time
	inUse  bool // rows of it are read
}

func openHandle(path string, more ...string) (*handle, error) {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	h := &handle{c, make(map[string]*statement)}
	err = c.CreateFunction("desk_fold", &sqlite.FunctionImpl{NArgs: 1, Deterministic: true, AllowIndirect: true, Scalar: folded})
	err = errors.Join(err, c.CreateFunction("desk_body", &sqlite.FunctionImpl{NArgs: 3, Deterministic: true, AllowIndirect: true, Scalar: body}))
	for _, p := range append(pragmas(), more...) {
		err = errors.Join(err, h.run(store.Statement{SQL: "PRAGMA " + p}))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), h.close())
	}
	return h, nil
}

// folded is [fold] of a text, and NULL of what is none: the library loses the error of a function.
func folded(_ sqlite.Context, in []sqlite.Value) (sqlite.Value, error) {
	if kind := in[0].Type(); kind != sqlite.TypeText && kind != sqlite.TypeBlob {
		return sqlite.Value{}, nil
	}
	return sqlite.TextValue(fold(in[0].Text())), nil
}

// body is [store.Body].
func body(_ sqlite.Context, in []sqlite.Value) (sqlite.Value, error) {
	return sqlite.TextValue(store.Body(in[0].Text(), in[1].Int64(), in[2].Text())), nil
}

func (h *handle) close() error {
	for _, s := range h.kept {
		_ = s.Finalize() // the connection is about to close
	}
	return h.conn.Close()
}

// prepare returns a statement with its arguments. It is given back by [handle.done].
func (h *handle) prepare(st store.Statement) (*statement, error) {
	s := h.kept[st.SQL]
	if s == nil || s.inUse {
		made, rest, err := h.conn.PrepareTransient(st.SQL)
		if err != nil {
			return nil, fmt.Errorf("prepare %q: %w", st.SQL, err)
		}
		if s = (&statement{Stmt: made, query: st.SQL, params: made.BindParamCount()}); rest > 0 {
			_ = s.Finalize() // it was not run
			return nil, fmt.Errorf("prepare %q: it is more than one statement", st.SQL)
		}
		h.keep(s)
	}
	s.inUse = true
	if len(st.Args) != s.params {
		h.done(s)
		return nil, fmt.Errorf("%q has %d arguments for %d parameters", st.SQL, len(st.Args), s.params)
	}
	for i, arg := range st.Args {
		if err := bind(s.Stmt, i+1, arg); err != nil {
			h.done(s)
			return nil, fmt.Errorf("argument %d of %q: %w", i+1, st.SQL, err)
		}
	}
	return s, nil
}

func (h *handle) keep(s *statement) {
	if _, another := h.kept[s.query]; another || strings.HasPrefix(s.query, store.Once) {
		return
	}
	if len(h.kept) >= maxKept { // statements with many shapes of IN lists
		h.forget()
	}
	h.kept[s.query], s.reused = s, true
}

func (h *handle) done(s *statement) {
	s.inUse = false
	if !s.reused {
		_ = s.Finalize() // how it went is known
		return
	}
	_ = s.Reset() // as above
}

// forget gives up the statements that are kept.
func (h *handle) forget() {
	for query, s := range h.kept {
		if !s.inUse {
			_ = s.Finalize() // how it went is known
			delete(h.kept, query)
		}
	}
}

// run runs a statement to its end.
func (h *handle) run(st store.Statement) error {
	s, err := h.prepare(st)
	if err != nil {
		return err
	}
	defer h.done(s)
	for more := true; more && err == nil; {
		more, err = s.Step()
	}
	return err
}

// bind sets a parameter. What is no basic type is what it says it is as a [driver.Value].
func bind(s *sqlite.Stmt, n int, arg any) error {
	switch v := arg.(type) {
	case string:
		s.BindText(n, v)
	case int64:
		s.BindInt64(n, v)
	case int:
		s.BindInt64(n, int64(v))
	case bool:
		s.BindBool(n, v)
	case float64:
		s.BindFloat(n, v)
	case []byte:
		if v == nil {
			s.BindNull(n)
			return nil
		}
		s.BindBytes(n, v)
	case nil:
		s.BindNull(n)
	case time.Time:
		return errors.New("a time is kept as microseconds")
	default:
		basic, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return err
		}
		return bind(s, n, basic)
	}
	return nil
}
