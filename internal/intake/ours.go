package intake

import (
	"bytes"
	"slices"
	"strings"

	"chela/internal/document"
)

// exportSaid says why a project that Chela exported is not taken in.
const exportSaid = "%s is a project as Chela exports it, for other programs and for people. Nothing is taken in of it; `chela project copy` begins a project as another is made."

// exportedHere reports whether a document is a project as Chela exports it, as a workbook or as JSON.
func exportedHere(d document.Doc, raw []byte) bool {
	if bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte(`{"project":{"id":"prj_`)) {
		return true
	}
	return slices.ContainsFunc(d.Tables, func(t document.Table) bool {
		return t.Sheet == "project" && len(t.Header) > 4 && slices.Equal(t.Header[:4], []string{"id", "created", "updated", "by"}) &&
			len(t.Rows) == 1 && len(t.Rows[0].Cells) > 0 && strings.HasPrefix(t.Rows[0].Cells[0], "prj_")
	})
}
