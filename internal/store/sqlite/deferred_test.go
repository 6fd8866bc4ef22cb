package sqlite_test

import (
	"errors"
	"sync"
	"testing"

	"chela/internal/store"
)

// found inserts a row to a full-text table.
func found(row int64, words string) store.Statement {
	return store.Statement{SQL: "INSERT INTO recall_search (rowid, id, words) VALUES (?, ?, ?)", Args: []any{row, words, words}}
}

// rowsOf counts the rows of the full-text table as a transaction sees them.
func rowsOf(t *testing.T, c store.Conn) (n int64) {
	t.Helper()
	rows, err := c.Query(t.Context(), nil, store.Statement{SQL: "SELECT count(*) FROM recall_search WHERE recall_search MATCH 'words'"})
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		if err := rows.Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestDeferred_ATransactionFindsWhatItAdded(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	err := db.Backend.Transact(t.Context(), func(c store.Conn) ([]store.Statement, error) {
		if _, err := c.Exec(t.Context(), found(1, "words"), found(2, "words too")); err != nil {
			return nil, err
		}
		if got := rowsOf(t, c); got != 2 {
			t.Errorf("got %d rows, want 2", got)
		}
		return []store.Statement{found(3, "words as well"), {SQL: "UPDATE recall_search SET words = 'others' WHERE rowid = 3"}, found(4, "words at the end")}, nil
	}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if got := rowsOfAll(t, db); got != 3 {
		t.Errorf("got %d rows with the word, want 3", got)
	}
}

func TestDeferred_WhatFailsLeavesNoRow(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	why := errors.New("no")
	err := db.Backend.Transact(t.Context(), func(c store.Conn) ([]store.Statement, error) {
		_, err := c.Exec(t.Context(), found(1, "words"))
		return nil, errors.Join(err, why)
	}, func() {})
	if !errors.Is(err, why) {
		t.Fatal(err)
	}
	if got := rowsOfAll(t, db); got != 0 {
		t.Errorf("got %d rows, want none", got)
	}
}

// TestDeferred_OneOfManyFails holds that of those who share a commit the one fails whose row cannot be added, and no other.
func TestDeferred_OneOfManyFails(t *testing.T) {
	t.Parallel()
	db, _ := open(t)
	var all sync.WaitGroup
	begun, proceed := make(chan struct{}), make(chan struct{})
	all.Go(func() { // while it waits, the others queue up
		if err := db.Backend.Transact(t.Context(), func(store.Conn) ([]store.Statement, error) {
			close(begun)
			<-proceed
			return nil, nil
		}, func() {}); err != nil {
			t.Error(err)
		}
	})
	<-begun
	errs := make([]error, 4)
	for i, row := range []int64{1, 2, 1, 3} {
		all.Go(func() {
			errs[i] = db.Backend.Transact(t.Context(), func(store.Conn) ([]store.Statement, error) {
				return []store.Statement{found(row, "words")}, nil
			}, func() {})
		})
	}
	close(proceed)
	all.Wait()
	failed := 0
	for i, err := range errs {
		if err != nil {
			failed++
			if i%2 == 1 {
				t.Errorf("%d failed: %v", i, err)
			}
		}
	}
	if got := rowsOfAll(t, db); failed != 1 || got != 3 {
		t.Errorf("%d failed and %d rows are there, want 1 and 3: %v", failed, got, errs)
	}
}

func rowsOfAll(t *testing.T, db *store.DB) (n int64) {
	t.Helper()
	if err := db.Backend.Transact(t.Context(), func(c store.Conn) ([]store.Statement, error) {
		n = rowsOf(t, c)
		return nil, nil
	}, func() {}); err != nil {
		t.Fatal(err)
	}
	return n
}
