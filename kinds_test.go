package chela_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chela/internal/desk"
	"chela/internal/query"
)

var update = flag.Bool("update", false, "write the golden files")

// TestKinds_Page holds the page's table of the kinds against internal/desk.
func TestKinds_Page(t *testing.T) {
	t.Parallel()
	const golden = "web/src/lib/kinds.gen.ts"
	var b bytes.Buffer
	b.WriteString("// Made of internal/desk by `make openapi`.\nimport type { Field } from './form'\n\n/** Plural is how the address of a list of a kind ends. */\nexport type Plural = ")
	for i, k := range desk.Editable() {
		b.WriteString(strings.Repeat(" | ", min(i, 1)) + "'" + k.Plural() + "'")
	}
	b.WriteString("\n\n/** KindOf says how the ids of a kind begin, where its list is, which field stands for a record, and the fields that people edit, as they are read. */\n" +
		"export type KindOf = { prefix: string; plural: Plural; named?: string; fields: Field[] }\n\n/** kinds are the records that people edit. */\nexport const kinds: { [kind: string]: KindOf } = {\n")
	for _, k := range desk.Editable() {
		named := ""
		if k.Named() != "" {
			named = fmt.Sprintf(" named: '%s',", k.Named())
		}
		fmt.Fprintf(&b, "  %s: {\n    prefix: '%s', plural: '%s',%s\n    fields: [\n", k, k.Prefix(), k.Plural(), named)
		fields, err := desk.Fields(k)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range k.Form() {
			f, ok := fields.Find(in.Name)
			if !ok {
				t.Fatalf("the form of the %s has the field %q, which its records do not have", k.Word(), in.Name)
			}
			fmt.Fprintf(&b, "      { name: '%s', %s },\n", in.Name, taken(in, f))
		}
		b.WriteString("    ],\n  },\n")
	}
	fmt.Fprintf(&b, "}\n\n/** prefixes are how the ids of all kinds begin. */\nexport const prefixes = ['%s']\n", strings.Join(desk.Prefixes(), "', '"))
	if *update {
		if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil { //nolint:gosec // a source file
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, b.Bytes()) {
		t.Fatalf("%s is not what internal/desk gives; run `make openapi`", golden)
	}
}

// taken says what a field of a form takes.
func taken(in desk.Input, f query.Field) string {
	takes := "text"
	switch {
	case in.Of != "" && f.Many:
		return fmt.Sprintf("takes: 'records', of: '%s'", in.Of)
	case in.Of != "":
		return fmt.Sprintf("takes: 'record', of: '%s'", in.Of)
	case f.Type == query.Set:
		choices := slices.DeleteFunc(slices.Clone(f.Allowed), func(v string) bool { return slices.Contains(in.Without, v) })
		return "takes: 'choice', choices: ['" + strings.Join(choices, "', '") + "']"
	case in.Moment:
		takes = "moment"
	case in.Long:
		takes = "area"
	case f.Type == query.Number:
		takes = "number"
	case f.Type == query.Flag:
		takes = "check"
	case f.Type == query.Day:
		takes = "date"
	case f.Many:
		takes = "list"
	}
	return "takes: '" + takes + "'"
}

// named are the packages that decide by a kind's name: in how many places at most, and why.
// Everybody else asks the kind.
var named = map[string]struct {
	places int
	why    string
}{
	"ask":         {1, "a project's own record is the head of the context"},
	"answer":      {7, "persons, objectives, tickets and projects are not looked at as other records are"},
	"chart":       {4, "what becomes of tickets, of who has them and of the objectives that they serve is drawn"},
	"claim":       {1, "a project's own record is no source"},
	"clerk":       {16, "the board is made of eight kinds; projects hold the other records; assignments are a ticket's owners, and tickets an objective's coverage; threads merge by decisions and actions"},
	"cli":         {2, "projects are listed outside of a project"},
	"flow":        {4, "a sprint is counted in tickets; a plan is made of phases, milestones and checklists"},
	"gateway/api": {4, "projects have routes of their own; an assignment is shown by its other end"},
	"findings":    {2, "the rules read objectives and threads"},
	"notify":      {6, "comments, assignments and findings concern people, each in its way"},
	"intake":      {5, "its rules compare tickets, their checklists, people and their assignments; a mapping is of a project"},
	"question":    {32, "points, durations, blockers and objectives are a ticket's; decisions and actions a thread's; skills and load a person's"},
	"scenario":    {4, "projects are listed outside of a project; intakes and uploads are replayed from their files"},
	"store":       {3, "projects change who may see what, and reminders the clock"},
}

// TestKinds_NamedElsewhere holds that what the product makes of a kind is said in the kind's file.
func TestKinds_NamedElsewhere(t *testing.T) {
	t.Parallel()
	bodies := make(map[string]bool)
	for _, k := range desk.Kinds() {
		bodies[strings.TrimPrefix(fmt.Sprintf("%T", k.Zero()), "*desk.")] = true
	}
	isKind := func(e ast.Expr) bool {
		if p, ok := e.(*ast.StarExpr); ok {
			e = p.X
		}
		s, ok := e.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		pkg, ok := s.X.(*ast.Ident)
		return ok && pkg.Name == "desk" && (bodies[s.Sel.Name] || bodies[s.Sel.Name+"Body"])
	}
	found := make(map[string][]string)
	err := filepath.WalkDir("internal", func(path string, d fs.DirEntry, err error) error {
		pkg := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), "internal"+string(filepath.Separator)))
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(pkg, "test") || pkg == "desk" {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			var asked []ast.Expr
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if n.Op == token.EQL || n.Op == token.NEQ {
					asked = []ast.Expr{n.X, n.Y}
				}
			case *ast.CaseClause:
				asked = n.List
			case *ast.CompositeLit:
				if len(n.Elts) > 4 { // a table; a few are a question about those
					asked = n.Elts
				}
			case *ast.KeyValueExpr:
				asked = []ast.Expr{n.Key}
			}
			if slices.ContainsFunc(asked, isKind) {
				found[pkg] = append(found[pkg], files.Position(n.Pos()).String())
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg, at := range found {
		if len(at) > named[pkg].places {
			t.Errorf("%s decides by the names of kinds in %d places, want at most %d: %v; give the kind a facet in internal/desk", pkg, len(at), named[pkg].places, at)
		}
	}
	for pkg, n := range named {
		if len(found[pkg]) < n.places {
			t.Errorf("%s decides by the names of kinds in %d places; the table says %d", pkg, len(found[pkg]), n.places)
		}
	}
}
