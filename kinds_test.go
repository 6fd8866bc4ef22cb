package chela_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
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
	b.WriteString("}\n")
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
