package postgres_test

import (
	"testing"
	"time"

	"chela/internal/store"
)

// TestGrown_TheServerKnowsWhatWasImported writes many rows; the server, which does not look by itself here, knows of them soon.
func TestGrown_TheServerKnowsWhatWasImported(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	ctx := t.Context()
	const rows, each = 3000, 1000
	for from := 0; from < rows; from += each {
		err := db.Backend.Transact(ctx, func(store.Conn) ([]store.Statement, error) {
			out := make([]store.Statement, each)
			for i := range out {
				out[i] = store.Statement{SQL: "INSERT INTO log_cursors (name, seq) VALUES (?, ?)", Args: []any{"grown" + time.Duration(from+i).String(), 0}}
			}
			return out, nil
		}, func() {})
		if err != nil {
			t.Fatal(err)
		}
	}
	known := func() (n float64) {
		found, err := db.Query(ctx, "SELECT CAST(reltuples AS FLOAT8) FROM pg_class WHERE oid = 'log_cursors'::regclass")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = found.Close() }() // Err has the cause
		for found.Next() {
			if err := found.Scan(&n); err != nil {
				t.Fatal(err)
			}
		}
		if err := found.Err(); err != nil {
			t.Fatal(err)
		}
		return n
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(time.Minute); known() < rows; {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("the server knows of %v rows", known())
		}
	}
}
