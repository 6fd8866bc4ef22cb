package sqlite

import (
	"slices"
	"strings"

	"chela/internal/store"
)

// maxDeferred bounds how many rows of full-text tables wait for the commit.
const maxDeferred = 1000

// searched are the full-text tables, and what reads them. SQLite has them write a piece of their index before each statement
// that may fail halfway, of which a turn has many, so rows that come between these cost many small pieces that are merged later. The writer
// inserts their rows one behind the other before the commit, all of those who share it, or before the first statement that uses such a table otherwise.
var searched = []string{"desk_search", "recall_search", "recall_terms"}

// An access is what a statement has to do with the full-text tables.
type access int

const (
	none    access = iota // nothing
	inserts               // it inserts a row
	uses                  // it names one otherwise
)

func accessOf(query string) access {
	for _, table := range searched {
		if strings.HasPrefix(query, "INSERT INTO "+table+" ") {
			return inserts
		}
	}
	if slices.ContainsFunc(searched, func(table string) bool { return strings.Contains(query, table) }) {
		return uses
	}
	return none
}

// access is what a statement has to do with the full-text tables; what is known of statements is kept.
func (w *writer) access(query string) access {
	a, known := w.accesses[query]
	if !known {
		if len(w.accesses) >= maxKept {
			clear(w.accesses)
		}
		a = accessOf(query)
		w.accesses[query] = a
	}
	return a
}

// exec runs a statement, or defers it until the commit. What was deferred is run first where the statement needs it.
func (w *writer) exec(st store.Statement) error {
	a := w.access(st.SQL)
	if a == uses || len(w.deferred) >= maxDeferred {
		if err := w.runDeferred(); err != nil {
			return err
		}
	}
	w.dirty = true
	if a == inserts {
		w.deferred = append(w.deferred, st)
		return nil
	}
	return translate(w.handle.run(st))
}

// runDeferred runs what was put off.
func (w *writer) runDeferred() error {
	deferred := w.deferred
	w.deferred = nil
	for _, st := range deferred {
		if err := w.handle.run(st); err != nil {
			return translate(err)
		}
	}
	return nil
}
