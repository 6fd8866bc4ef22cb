package sqlite

import (
	"slices"
	"strings"

	"chela/internal/store"
)

// maxLater bounds how many rows of full-text tables wait for the commit.
const maxLater = 1000

// searched are the full-text tables, and what reads them. SQLite has them write a piece of their index for each statement that may fail halfway, so
// rows that come one by one between other statements cost many small pieces that are merged later. The writer adds
// their rows before the commit instead, all of those who share it at once, or before the first statement that names such a table otherwise.
var searched = []string{"desk_search", "recall_search", "recall_terms"}

// A bearing is what a statement has to do with the full-text tables.
type bearing int

const (
	beside bearing = iota // nothing
	adds                  // it adds a row
	names                 // it names one otherwise
)

func bearingOf(query string) bearing {
	for _, table := range searched {
		if strings.HasPrefix(query, "INSERT INTO "+table+" ") {
			return adds
		}
	}
	if slices.ContainsFunc(searched, func(table string) bool { return strings.Contains(query, table) }) {
		return names
	}
	return beside
}

// puts reports whether a statement is put off until the commit; what was put off is run first where the statement needs it.
func (w *writer) puts(st store.Statement) (bool, error) {
	b, known := w.bearings[st.SQL]
	if !known {
		if len(w.bearings) >= maxKept {
			clear(w.bearings)
		}
		b = bearingOf(st.SQL)
		w.bearings[st.SQL] = b
	}
	if b == beside {
		return false, nil
	}
	if b == names || len(w.later) >= maxLater {
		if err := w.catchUp(); err != nil || b == names {
			return false, err
		}
	}
	w.dirty = true
	w.later = append(w.later, st)
	return true, nil
}

// catchUp runs what was put off.
func (w *writer) catchUp() error {
	later := w.later
	w.later = nil
	for _, st := range later {
		if err := w.handle.run(st); err != nil {
			return translate(err)
		}
	}
	return nil
}
