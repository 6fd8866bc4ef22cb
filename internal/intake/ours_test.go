package intake

import (
	"bytes"
	"strings"
	"testing"

	"chela/internal/document"
)

// TestDoc_AProjectOfOursIsNotMisread holds that nothing is made of a project as it is exported here, and that this is said.
func TestDoc_AProjectOfOursIsNotMisread(t *testing.T) {
	t.Parallel()
	row := func(id string, more ...string) document.Row {
		return document.Row{Cells: append([]string{id, "2026-03-01 10:00:00", "2026-03-01 10:00:00", "agent:person/per_1"}, more...)}
	}
	header := func(more ...string) []string { return append([]string{"id", "created", "updated", "by"}, more...) }
	var book, other bytes.Buffer
	tickets := document.Table{Sheet: "ticket", Header: header("status", "title"), Rows: []document.Row{row("tkt_1", "TODO", "One")}}
	if err := document.WriteXLSX(&book, []document.Table{{Sheet: "project", Header: header("name", "status"), Rows: []document.Row{row("prj_1", "P", "ACTIVE")}}, tickets}); err != nil {
		t.Fatal(err)
	}
	if err := document.WriteXLSX(&other, []document.Table{{Sheet: "project", Header: []string{"Key", "Title", "Status", "Points", "Owner"}, Rows: []document.Row{{Cells: []string{"A-1", "One", "To Do", "3", "Ann"}}}}}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		raw  []byte
		ours bool
	}{
		"ours.xlsx":   {book.Bytes(), true},
		"ours.json":   {[]byte(`{"project":{"id":"prj_1","kind":"project","body":{"name":"P"}},"records":{"ticket":[{"id":"tkt_1","body":{"title":"One"}}]}}`), true},
		"theirs.xlsx": {other.Bytes(), false},
		"theirs.json": {[]byte(`[{"key":"A-1","summary":"One","status":"To Do"}]`), false},
	} {
		out, problems := doc{Name: name}.read(c.raw)
		if said := len(problems) == 1 && strings.HasPrefix(problems[0], name+" is a project as Chela exports it"); said != c.ours || (len(out) == 0) != c.ours {
			t.Errorf("%s: %d documents, %q", name, len(out), problems)
		}
	}
}
