package sqlite

import (
	"database/sql"
	"slices"
)

// Statements are those that b has prepared. It must be closed.
func (b *Backend) Statements() []string {
	var out []string
	b.stmts.Range(func(query, _ any) bool {
		out = append(out, query.(string)) //nolint:forcetypeassert // only queries are stored
		return true
	})
	for query := range b.writer.stmts {
		out = append(out, query)
	}
	slices.Sort(out)
	return out
}

// OpenRaw opens a file as the store does.
func OpenRaw(path string) (*sql.DB, error) { return sql.Open("sqlite", dsn(path)) }
