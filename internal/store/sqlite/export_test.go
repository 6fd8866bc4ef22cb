package sqlite

import (
	"database/sql"
	"os"
	"slices"
)

// Statements are those that b has prepared. It must be closed.
func (b *Backend) Statements() []string {
	var out []string
	for query := range b.writer.handle.kept {
		out = append(out, query)
	}
	for _, r := range b.readers.free {
		for query := range r.kept {
			out = append(out, query)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Readers is how many may read at once.
func (b *Backend) Readers() int { return cap(b.readers.room) }

// OpenRaw opens a file as the store does.
func OpenRaw(path string) (*sql.DB, error) { return sql.Open("sqlite", dsn(path)) }

// Syncs has fn called instead of asking the disk for what was committed; call it inside a transaction.
func (b *Backend) Syncs(fn func() error) {
	b.writer.journal.data = func(*os.File) error { return fn() }
}
