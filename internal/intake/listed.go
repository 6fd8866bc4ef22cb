package intake

import (
	"slices"
	"unicode/utf8"

	"chela/internal/document"
	"chela/internal/extract"
)

// withListed adds the tables of tickets and plans that a text draws with bars, and the tickets that it lists line by line or in aligned
// columns; around is what the text says beside them, where there are any. Bars and commas look like those of a table.
func withListed(r document.Doc, raw []byte) (out document.Doc, around string, is bool) {
	text := r.Text
	if r.Kind == document.CSV {
		text = string(raw)
	}
	if !utf8.ValidString(text) || len(r.Tables) > 0 && (r.Kind != document.CSV || slices.ContainsFunc(r.Tables, isExport)) {
		return r, "", false
	}
	tables, around := extract.PipedTables(text)
	t := extract.PipedTable{}
	ok, lists := false, extract.AroundAligned
	if t.Header, t.Rows, ok = extract.AlignedTickets(around); !ok {
		t.Header, t.Rows, ok = extract.ListedTickets(around)
		lists = extract.AroundListed
	}
	if ok {
		tables, around = append(tables, t), lists(around)
	}
	if len(tables) == 0 {
		return r, "", false
	}
	if r.Kind == document.CSV {
		r.Kind, r.Text, r.Problems = document.Text, text, nil
	}
	r.Tables = nil
	for _, t := range tables {
		made := document.Table{Header: t.Header}
		for _, row := range t.Rows {
			made.Rows = append(made.Rows, document.Row(row))
		}
		r.Tables = append(r.Tables, made)
	}
	return r, around, true
}

// enough is how many rows of a table tell what it is.
const enough = 200

// isExport reports a table that is read as it is.
func isExport(t document.Table) bool {
	rows := make([]extract.Row, min(len(t.Rows), enough))
	for i, row := range t.Rows[:len(rows)] {
		rows[i] = extract.Row(row)
	}
	if _, ok := extract.ReadRoster(t.Header, rows); ok {
		return true
	}
	read, ok := extract.Tickets(t.Header, rows)
	return ok && len(read.Mapping) > 1
}

// notes are what a document says beside its tables.
func (s *source) notes() string {
	if s.draws {
		return s.beside
	}
	return s.Text
}
