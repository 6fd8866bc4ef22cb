package intake

import (
	"slices"
	"unicode/utf8"

	"chela/internal/document"
	"chela/internal/extract"
)

// withListed adds the tickets that a text lists line by line, or in aligned columns. Bars and commas look like those of a table.
func withListed(r document.Doc, raw []byte) document.Doc {
	text := r.Text
	if r.Kind == document.CSV {
		text = string(raw)
	}
	if !utf8.ValidString(text) || len(r.Tables) > 0 && (r.Kind != document.CSV || slices.ContainsFunc(r.Tables, isExport)) {
		return r
	}
	header, rows, ok := extract.AlignedTickets(text)
	if !ok {
		header, rows, ok = extract.ListedTickets(text)
	}
	if !ok {
		return r
	}
	t := document.Table{Header: header}
	for _, row := range rows {
		t.Rows = append(t.Rows, document.Row(row))
	}
	if r.Kind == document.CSV {
		r.Kind, r.Text, r.Problems = document.Text, text, nil
	}
	r.Tables = []document.Table{t}
	return r
}

// isExport reports a table that is read as tickets as it is.
func isExport(t document.Table) bool {
	rows := make([]extract.Row, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = extract.Row(row)
	}
	read, ok := extract.Tickets(t.Header, rows)
	return ok && len(read.Mapping) > 1
}

// notes are what a text says around the tickets that it lists.
func (s *source) notes() string {
	if len(s.Tables) > 0 && len(s.Tables[0].Rows) > 0 && s.Tables[0].Rows[0].Said != "" {
		return extract.AroundListed(s.Text)
	}
	return extract.AroundAligned(s.Text)
}
