package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"chela/internal/event"
	"chela/internal/store"
)

// TestReads_EveryKind reads from the source which kinds of events there are: each is projected or said
// to be read from the log.
func TestReads_EveryKind(t *testing.T) {
	t.Parallel()
	found := 0
	for kind, at := range kinds(t) {
		found++
		if !strings.HasPrefix(kind, "desk.") && !strings.HasPrefix(kind, "log.") && !store.Reads(kind) {
			t.Errorf("%s is recorded (%s), and the store does not know what to do with it: add it to projectors or fromLog", kind, at)
		}
	}
	for kind, at := range kinds(t) {
		if !strings.HasSuffix(kind, ".") && !slices.Contains(store.EventKinds(), kind) {
			t.Errorf("%s is recorded (%s), and is none of the kinds that patterns may name", kind, at)
		}
	}
	if found < 70 {
		t.Errorf("got %d kinds, want those of all packages", found)
	}
}

// kinds returns the names of the kinds of events that product code declares, and where.
func kinds(t *testing.T) map[string]string {
	t.Helper()
	out := make(map[string]string)
	for _, kind := range event.ProtocolTypes() {
		out[kind] = "the protocol"
	}
	set := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testkit") {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.CompositeLit); ok && isKind(lit.Type) {
				for _, e := range lit.Elts {
					kv, ok := e.(*ast.KeyValueExpr)
					if !ok {
						continue
					}
					if name, ok := kv.Value.(*ast.BasicLit); ok && kv.Key.(*ast.Ident).Name == "Name" {
						kind, err := strconv.Unquote(name.Value)
						if err != nil {
							t.Error(err)
						}
						out[kind] = path
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// isKind reports whether a type is event.Kind of something.
func isKind(e ast.Expr) bool {
	x, ok := e.(*ast.IndexExpr)
	if !ok {
		return false
	}
	s, ok := x.X.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Kind"
}
