package sqlite_test

import (
	"context"
	"database/sql"
	"regexp"
	"strings"
	"sync"
	"testing"

	"chela/internal/store"
	"chela/internal/store/sqlite"
)

// few are the tables that stay small and share a statement, and its short names, with large ones.
const few = "FROM budget_reservations x"

// growing are the tables that grow with what happens, and what they are called in a statement.
var growing = regexp.MustCompile(`\b(log_events|messages|runs|model_calls|run_steps|channel_deliveries|channel_parts)(?: AS)? ?([a-z]\b)?`)

// scan is how a plan says that it reads a table, or an index of it, from one end to the other; of
// the index runs_open that is what has not ended.
var scan = regexp.MustCompile(`^SCAN (\w+)`)

// explained are the statements that were looked at.
var explained sync.Map //nolint:gochecknoglobals // once for all tests

// plan looks how each statement that a test made would be worked: what reads a growing table from
// one end to the other must say how much of it, or be for all of it.
func plan(t *testing.T, db *store.DB, path string) {
	t.Helper()
	raw, err := sqlite.OpenRaw(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = raw.Close() }()
	for _, query := range db.Backend.(*sqlite.Backend).Statements() {
		if _, seen := explained.LoadOrStore(query, true); seen || !strings.Contains(query, "WHERE") || strings.Contains(query, "LIMIT") || strings.Contains(query, few) {
			continue
		}
		names := make(map[string]bool)
		for _, m := range growing.FindAllStringSubmatch(query, -1) {
			names[m[1]], names[m[2]] = m[2] == "", true
		}
		for _, step := range steps(t, raw, query) {
			if m := scan.FindStringSubmatch(step); m != nil && names[m[1]] && !strings.HasSuffix(step, " runs_open") {
				t.Errorf("%s: %s", step, strings.Join(strings.Fields(query), " "))
			}
		}
	}
}

// steps are those of the plan of a statement.
func steps(t *testing.T, raw *sql.DB, query string) (out []string) {
	t.Helper()
	rows, err := raw.QueryContext(context.WithoutCancel(t.Context()), "EXPLAIN QUERY PLAN "+query, make([]any, strings.Count(query, "?"))...)
	if err != nil {
		t.Fatalf("%v: %s", err, query)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		out = append(out, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
