// Package sqlitetest gives tests SQLite databases whose schema is made once for the process: to make it costs more than
// most tests, most of all under the race detector.
package sqlitetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"chela/internal/store/sqlite"
)

// pattern is a fresh database.
var pattern = sync.OnceValues(func() ([]byte, error) { //nolint:gochecknoglobals // once for the process
	dir, err := os.MkdirTemp("", "chela-pattern-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it is read
	path := filepath.Join(dir, "chela.db")
	db, err := sqlite.Open(context.Background(), path) //nolint:forbidigo // for all tests of the process
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path) //nolint:gosec // ours
})

// Path returns the path of a fresh database in a folder of the test's own.
func Path(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "chela.db")
	Write(t, path)
	return path
}

// Write makes a fresh database at path.
func Write(t testing.TB, path string) {
	t.Helper()
	raw, err := pattern()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}
