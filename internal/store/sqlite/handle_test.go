package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/store"
	"chela/internal/store/sqlite"
)

// inside runs statements in a transaction and says how it ended.
func inside(t *testing.T, db *store.DB, fn func(store.Conn) error) error {
	t.Helper()
	return db.Backend.Transact(t.Context(), func(c store.Conn) ([]store.Statement, error) { return nil, fn(c) }, func() {})
}

type name string

// TestHandle_ValuesComeBackAsTheyWere: what is bound, of a type of ours too, is what is read.
func TestHandle_ValuesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	type row struct {
		text    string
		bytes   []byte
		n       int
		big     int64
		yes     bool
		part    float64
		named   name
		seq     event.Seq
		none    sql.NullString
		some    sql.NullInt64
		nothing []byte
		empty   []byte
	}
	want := row{"né\x00\"'", []byte{0, 255, 7}, -3, math.MinInt64, true, 0.1, "ours", math.MaxInt64, sql.NullString{}, sql.NullInt64{Int64: 5, Valid: true}, nil, []byte{}}
	var got row
	var kinds [5]any
	db, _ := open(t)
	err := inside(t, db, func(c store.Conn) error {
		rows, err := c.Query(t.Context(), nil, store.Statement{SQL: "SELECT ?,?,?,?,?,?,?,?,?,?,?,?, ?,?,?,?,?", Args: []any{
			want.text, want.bytes, want.n, want.big, want.yes, want.part, want.named, want.seq, want.none, want.some, want.nothing, want.empty,
			"x", []byte("y"), 1, 2.5, nil,
		}})
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		if !rows.Next() {
			t.Error("there is no row")
		}
		if err := rows.Scan(&got.text, &got.bytes, &got.n, &got.big, &got.yes, &got.part, &got.named, &got.seq, &got.none, &got.some, &got.nothing, &got.empty,
			&kinds[0], &kinds[1], &kinds[2], &kinds[3], &kinds[4]); err != nil {
			return err
		}
		if rows.Next() {
			t.Error("there is another row")
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	if g, w := fmt.Sprintf("%#v", got), fmt.Sprintf("%#v", want); g != w {
		t.Errorf("got  %s\nwant %s", g, w)
	}
	if g, w := fmt.Sprintf("%#v", kinds), `[5]interface {}{"x", []uint8{0x79}, 1, 2.5, interface {}(nil)}`; g != w {
		t.Errorf("got  %s\nwant %s", g, w)
	}
}

// TestHandle_MistakesInStatementsAreFaults: nothing is bound or read as something else.
func TestHandle_MistakesInStatementsAreFaults(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	for _, c := range []struct {
		name, query string
		args        []any
		into        any
		says        string
	}{
		{"too few", "SELECT ?, ?", []any{1}, nil, "1 arguments for 2 parameters"},
		{"too many", "SELECT ?", []any{1, 2}, nil, "2 arguments for 1 parameters"},
		{"two", "SELECT 1; SELECT 2", nil, nil, "more than one statement"},
		{"no SQL", "SELEKT 1", nil, nil, "syntax error"},
		{"no type of SQL's", "SELECT ?", []any{struct{}{}}, nil, "argument 1 of"},
		{"none in a text", "SELECT NULL AS x", nil, new(string), "column x of"},
		{"none in a number", "SELECT NULL", nil, new(int), "it is NULL"},
		{"a text in a number", "SELECT 'x'", nil, new(int64), "invalid syntax"},
		{"a part of a number", "SELECT 1.5", nil, new(int), "invalid syntax"},
		{"into nothing of ours", "SELECT 1", nil, new(chan int), "nothing is read into"},
		{"more columns", "SELECT 1, 2", nil, new(int), "2 columns are read into 1 places"},
		{"no text for desk_fold", "SELECT desk_fold(?)", []any{1}, new(string), "it is NULL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := inside(t, db, func(conn store.Conn) error {
				rows, err := conn.Query(t.Context(), nil, store.Statement{SQL: c.query, Args: c.args})
				if err != nil {
					return err
				}
				defer func() { _ = rows.Close() }()
				if !rows.Next() {
					return rows.Err()
				}
				return rows.Scan(c.into)
			})
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("it ends with %v, which does not say %q", err, c.says)
			}
		})
	}
}

// TestHandle_AStatementIsReadWhileItIsRead: the writer has one connection, whose statements are kept.
func TestHandle_AStatementIsReadWhileItIsRead(t *testing.T) {
	t.Parallel()
	got := ""
	db, _ := open(t)
	err := inside(t, db, func(c store.Conn) error {
		ask := func(from int) store.Rows {
			rows, err := c.Query(t.Context(), nil, store.Statement{SQL: "WITH n (i) AS (VALUES (1), (2), (3)) SELECT i FROM n WHERE i >= ?", Args: []any{from}})
			if err != nil {
				t.Fatal(err)
			}
			return rows
		}
		outer := ask(1)
		defer func() { _ = outer.Close() }()
		for outer.Next() {
			var i, j int
			if err := outer.Scan(&i); err != nil {
				return err
			}
			inner := ask(i)
			for inner.Next() {
				if err := inner.Scan(&j); err != nil {
					return err
				}
				got += fmt.Sprint(i, j, " ")
			}
			if err := inner.Err(); err != nil {
				return err
			}
		}
		return outer.Err()
	})
	if want := "1 1 1 2 1 3 2 2 2 3 3 3 "; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// TestHandle_NoEndOfStatements: statements of ever new shapes are not kept for ever.
func TestHandle_NoEndOfStatements(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	read := func(query string) {
		t.Helper()
		rows, err := db.Query(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() { // it has one
			_ = rows.Err()
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 1200 {
		read(fmt.Sprint("SELECT ", i))
		read(fmt.Sprint(store.Once, "SELECT ", i))
	}
	if n := len(db.Backend.(*sqlite.Backend).Statements()); n > 510 {
		t.Errorf("%d statements are kept", n)
	}
}

// occupy has all readers read, until free is called.
func occupy(t *testing.T, db *store.DB) (free func()) {
	t.Helper()
	var busy []store.Rows
	for range db.Backend.(*sqlite.Backend).Readers() {
		rows, err := db.Query(t.Context(), "SELECT count(*) FROM log_events")
		if err != nil {
			t.Fatal(err)
		}
		busy = append(busy, rows)
	}
	return func() {
		for _, rows := range busy {
			if err := rows.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestHandle_ReadersAreWaitedFor: who comes when all read waits until one is free, or nobody waits for it.
func TestHandle_ReadersAreWaitedFor(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	const query = "SELECT count(*) FROM log_events"
	free := occupy(t, db)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	read := func(ctx context.Context) {
		rows, err := db.Query(ctx, query)
		if err == nil {
			err = rows.Close()
		}
		ended <- err
	}
	go read(ctx)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("one that is given up: %v", err)
	}
	go read(t.Context())
	free()
	if err := <-ended; err != nil {
		t.Errorf("one that waited: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if _, err := db.Query(t.Context(), query); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("of a closed database: %v", err)
	}
}

// TestHandle_TheFileHoldsAllAfterItIsClosed: who reads is waited for, so that the last connection that
// closes puts what was written into the file.
func TestHandle_TheFileHoldsAllAfterItIsClosed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chela.db")
	db, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	const query = "SELECT count(*) FROM log_events"
	rows, err := db.Query(t.Context(), query)
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	closed := make(chan error)
	go func() { closed <- db.Close() }()
	for fault.KindOf(err) != fault.Unavailable || err == nil { // until it has begun to close
		var more store.Rows
		if more, err = db.Query(t.Context(), query); err == nil {
			_ = more.Close()
		}
	}
	for range 1000 { // it has time to end
		_, _ = db.Query(t.Context(), query) // it is closed
		select {
		case <-closed:
			t.Fatal("it is closed while somebody reads")
		default:
		}
	}
	if err := rows.Close(); err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something is written beside the file: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
}
