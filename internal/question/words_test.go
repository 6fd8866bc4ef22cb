package question_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestMarks_AreInTheTables compares the marks that the grammar looks for with those of the tables: one that no table has is never found, and
// one that the grammar does not know says nothing.
func TestMarks_AreInTheTables(t *testing.T) {
	t.Parallel()
	sought := found(t, "*.go", regexp.MustCompile(`\b(?:mark(?:ed|s)(?:From)?|heed)\([^"\n]*?"([a-z-]+)"`))
	english := found(t, "words/en.txt", regexp.MustCompile(`(?m)^mark:(\S+) `))
	german := found(t, "words/de.txt", regexp.MustCompile(`(?m)^mark:(\S+) `))
	for mark := range sought {
		if !english[mark] && !german[mark] {
			t.Errorf("the grammar looks for the mark %s, which no table has", mark)
		}
	}
	for _, table := range []map[string]bool{english, german} {
		for mark := range table {
			if !sought[mark] {
				t.Errorf("the tables have the mark %s, for which the grammar does not look", mark)
			}
		}
	}
	if len(sought) < 40 {
		t.Errorf("got %d marks in the grammar, want them all", len(sought))
	}
}

// found returns what an expression finds in files that are no tests.
func found(t *testing.T, files string, what *regexp.Regexp) map[string]bool {
	t.Helper()
	paths, err := filepath.Glob(files)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]bool)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range what.FindAllSubmatch(text, -1) {
			out[string(m[1])] = true
		}
	}
	return out
}
