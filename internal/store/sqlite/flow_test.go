package sqlite_test

import (
	"testing"

	"chela/internal/store"
	"chela/internal/store/sqlite"
	"chela/internal/testkit/flowtest"
	"chela/internal/testkit/sqlitetest"
)

// TestFlows plays each workflow that comes with Chela, killed after each step.
func TestFlows(t *testing.T) {
	t.Parallel()
	flowtest.Test(t, func(t *testing.T) (*store.DB, func() (*store.DB, error)) {
		t.Helper()
		path := sqlitetest.Path(t)
		again := func() (*store.DB, error) { return sqlite.Open(t.Context(), path) }
		db, err := again()
		if err != nil {
			t.Fatal(err)
		}
		return db, again
	})
}
