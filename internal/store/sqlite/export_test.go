package sqlite

import (
	"context"
	"database/sql"
	"os"
	"slices"
	"strconv"
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
func OpenRaw(path string) (*sql.DB, error) {
	if err := functions(); err != nil {
		return nil, err
	}
	return sql.Open("sqlite", dsn(path))
}

// Syncs has fn called instead of asking the disk for what was committed; call it inside a transaction.
func (b *Backend) Syncs(fn func() error) {
	b.writer.journal.data = func(*os.File) error { return fn() }
}

// Grows lets the database grow by no more than so many pages; 0 takes the limit away. Call it inside
// a transaction.
func (b *Backend) Grows(pages int64) error {
	limit := int64(1 << 30)
	if pages > 0 {
		rows, err := b.Query(context.Background(), "PRAGMA page_count") //nolint:forbidigo // a test's
		if err != nil {
			return err
		}
		now, err := end(rows, nil)
		if err != nil {
			return err
		}
		limit = int64(now) + pages
	}
	return b.writer.command("PRAGMA max_page_count = " + strconv.FormatInt(limit, 10))
}

// Room is what the store takes for the folder of the database.
func (b *Backend) Room(folder string) { b.writer.room.folder = folder }
