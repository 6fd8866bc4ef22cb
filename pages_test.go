package chela_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestArchitecture_IsOnePage(t *testing.T) {
	t.Parallel()
	const most = 900
	if got := len(strings.Fields(read(t, "docs/architecture.md"))); got > most {
		t.Errorf("docs/architecture.md has %d words, want at most %d; what explains one room belongs on its page", got, most)
	}
}

// pages are the documents that a newcomer reads. Decisions are left out: they tell of their day.
func pages(t *testing.T) []string {
	t.Helper()
	all := []string{"README.md", "AGENTS.md", "CONTRIBUTING.md", "internal/README.md"}
	more, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(all, more...)
}

// mentioned are the files of the repository that a page names: between backticks with a folder and an ending.
var mentioned = regexp.MustCompile("`([a-z][A-Za-z0-9_./-]*/[A-Za-z0-9_.-]+\\.(?:go|ts|tsx|md|json))`")

// linked are the files of the repository that a page links.
var linked = regexp.MustCompile(`\]\(([^):#\s]+)(?:#[^)\s]*)?\)`)

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestPages_NameFilesThatExist(t *testing.T) {
	t.Parallel()
	for _, page := range pages(t) {
		text := read(t, page)
		for _, m := range mentioned.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(m[1], "NAME") && !exists(m[1]) && !exists(filepath.Join("internal", m[1])) {
				t.Errorf("%s names %s, which is not in the repository, nor below internal", page, m[1])
			}
		}
		for _, m := range linked.FindAllStringSubmatch(text, -1) {
			if !exists(filepath.Join(filepath.Dir(page), m[1])) {
				t.Errorf("%s links %s, which does not exist", page, m[1])
			}
		}
	}
}

// listed returns the ring under which internal/README.md has each package. The tests' is the last.
func listed(t *testing.T) map[string]int {
	t.Helper()
	out := make(map[string]int)
	ring := -1
	for line := range strings.Lines(read(t, "internal/README.md")) {
		if strings.HasPrefix(line, "## ") {
			ring++
			continue
		}
		m := regexp.MustCompile("^\\| `([a-z0-9/]+)` \\| (.+) \\|$").FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		if _, again := out[m[1]]; again {
			t.Errorf("internal/README.md has %s twice", m[1])
		}
		out[m[1]] = ring
	}
	return out
}

func TestRings_AreListed(t *testing.T) {
	t.Parallel()
	ring := ringOf()
	shown := listed(t)
	err := filepath.WalkDir("internal", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || !holdsGo(t, path) {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, "internal"+string(filepath.Separator)))
		_, want := place(t, ring, name)
		if got, ok := shown[name]; !ok || got != want {
			t.Errorf("internal/README.md has %s in ring %d (listed: %v), want ring %d", name, got, ok, want)
		}
		delete(shown, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range shown {
		t.Errorf("internal/README.md lists %s, which is no package", name)
	}
}

// holdsGo reports whether a folder has Go files that are no tests.
func holdsGo(t *testing.T, dir string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") {
			return true
		}
	}
	return false
}
