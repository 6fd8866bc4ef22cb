package document_test

import (
	"bytes"
	"strings"
	"testing"

	"chela/internal/document"
)

// TestWrite_ASheetIsReadAsItWasWritten writes what spreadsheets could take for formulas.
func TestWrite_ASheetIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"=1+1", "+49 30", "-5", "@x", "a\nb"}, {"", "=HYPERLINK(\"http://x\")", "ü", "1.50", strings.Repeat("x", 40_000)}}
	in := []document.Table{{Sheet: "ticket", Header: []string{"a", "b", "c", "d", "e"}}, {Sheet: "delta pack", Header: []string{"a", "b"}, Rows: []document.Row{{Cells: []string{"1", "2"}}}}}
	for _, r := range rows {
		in[0].Rows = append(in[0].Rows, document.Row{Cells: r})
	}
	var out bytes.Buffer
	if err := document.WriteXLSX(&out, in); err != nil {
		t.Fatal(err)
	}
	d, err := document.Read("x.xlsx", out.Bytes(), document.Limits{})
	if err != nil || len(d.Tables) != 2 || len(d.Tables[0].Rows) != 2 {
		t.Fatalf("%+v %v", d, err)
	}
	for i, r := range rows {
		for j, want := range r {
			if len(want) > 32767 {
				want = want[:32766] + "…"
			}
			if got := d.Tables[0].Rows[i].Cells[j]; got != want {
				t.Errorf("%.60q became %.60q", want, got)
			}
		}
	}
}
