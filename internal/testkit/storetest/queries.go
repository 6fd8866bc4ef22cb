package storetest

import (
	"context"
	"errors"
	"testing"
	"time"
)

// endless is a query that ends when it is given up. It has an argument, so that it is kept.
const endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i > ?) SELECT max(i) FROM n"

// givenUp is that a query ends when nobody waits for it any more, and takes nothing from those
// that come after it.
func givenUp(t *testing.T, open Opener) {
	db, _ := open(t)
	read := func(ctx context.Context, query string, args ...any) error {
		rows, err := db.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // Err has the cause
		for rows.Next() {
			t.Errorf("%q found something", query)
		}
		return rows.Err()
	}
	var wait []<-chan error
	for range 12 { // more than read at once
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		ended := make(chan error, 1)
		go func() { ended <- read(ctx, endless, 0) }()
		wait = append(wait, ended)
	}
	for _, ended := range wait {
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("one that is given up: %v", err)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := read(over, "SELECT seq FROM log_events WHERE seq > ?", 0); !errors.Is(err, context.Canceled) {
		t.Errorf("one that nobody waits for: %v", err)
	}
	for range 12 {
		ctx, cancel := context.WithCancel(t.Context())
		if err := read(ctx, "SELECT seq FROM log_events WHERE seq > ?", 0); err != nil {
			t.Errorf("one after them: %v", err)
		}
		cancel()
	}
}
