package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLogTable_IsNamedInOneFile: the form of the log's rows can change in one file and the schema. Only
// tests that change rows behind the store's back name them, too.
func TestLogTable_IsNamedInOneFile(t *testing.T) {
	t.Parallel()
	table := regexp.MustCompile(`\b(` + eventTable + `|` + streamTable + `)\b`)
	columns := regexp.MustCompile(`\b(eventFields|stream_seq|payload_digest|prev_hash|idempotency_key)\b`)
	root, found := filepath.Join("..", ".."), 0
	for _, top := range []string{"cmd", "demo", "internal", "script"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(root, path)
			rel = filepath.ToSlash(rel)
			if err != nil || d.IsDir() || !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") || strings.HasPrefix(rel, "internal/testkit/") {
				return err
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			names := table.Match(raw) || strings.HasPrefix(rel, "internal/store/") && columns.Match(raw)
			if rel == "internal/store/logtable.go" {
				found++
				if !names {
					t.Errorf("%s does not name the log's tables, want them there", rel)
				}
				return nil
			}
			if names {
				t.Errorf("%s names the log's tables or their columns, want only logtable.go to", rel)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found != 1 {
		t.Errorf("found %d files of the log's tables, want 1", found)
	}
}
