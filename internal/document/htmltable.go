package document

import (
	"cmp"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

func (p *page) openTable() {
	if len(p.tables) >= maxTables {
		return
	}
	p.closeLink()
	p.block(2)
	p.free.header()
	p.tables = append(p.tables, &htmlTable{below: make(map[int]int)})
}

func (p *page) openRow() {
	if n := len(p.tables); n > 0 {
		p.closeRow()
		p.tables[n-1].inRow = true
	}
}

func (p *page) openCell(tok html.Token) {
	n := len(p.tables)
	if n == 0 {
		return
	}
	p.closeCell()
	t := p.tables[n-1]
	t.inRow = true
	t.span = [2]int{span(tok, "colspan"), span(tok, "rowspan")}
	if n := t.span[0] * t.span[1]; n > 1 {
		if p.spans += n; p.spans > maxSpanned {
			t.span = [2]int{1, 1}
		}
	}
	t.cell, t.name = &[2]flow{{}, {plain: true}}, ""
	if id := attribute(tok, "data-id"); strings.Contains(attribute(tok, "class"), "headerrow-") && !strings.HasPrefix(id, "customfield_") {
		t.name = id // of a field of Jira's own, in every language
	}
}

func span(tok html.Token, name string) int {
	n, err := strconv.Atoi(attribute(tok, name))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, maxSpan)
}

// closeCell puts the cell into its row, behind what cells above cover.
func (p *page) closeCell() {
	n := len(p.tables)
	if n == 0 || p.tables[n-1].cell == nil {
		return
	}
	p.closeLink()
	t := p.tables[n-1]
	t.covered()
	plain := cmp.Or(t.name, t.cell[1].String())
	if md := t.cell[0].String(); md != "" && !t.sure {
		t.texts = append(t.texts, md)
	}
	t.cell = nil
	for i := range t.span[0] {
		if len(t.row) >= maxColumns {
			break
		}
		if t.span[1] > 1 {
			t.below[len(t.row)] = t.span[1]
		}
		if i > 0 {
			plain = ""
		}
		t.row = append(t.row, plain)
	}
}

// covered adds empty cells where a cell of a row above reaches down.
func (t *htmlTable) covered() {
	for t.below[len(t.row)] > 0 && len(t.row) < maxColumns {
		t.row = append(t.row, "")
	}
}

func (p *page) closeRow() {
	n := len(p.tables)
	if n == 0 || !p.tables[n-1].inRow {
		return
	}
	p.closeCell()
	t := p.tables[n-1]
	t.covered()
	for at, rows := range t.below {
		if rows <= 1 {
			delete(t.below, at)
		} else {
			t.below[at] = rows - 1
		}
	}
	t.inRow = false
	if t.number++; t.number == 8 && t.records() {
		t.sure, t.texts = true, nil
	}
	row := t.row
	t.row = nil
	switch {
	case filled(row) == 0:
	case p.free.keep(Row{Cells: row}):
		t.rows = append(t.rows, Row{Line: t.number, Cells: row})
	default:
		p.left++
	}
}

// closeTable keeps the table when it is one of records; a layout becomes text where it
// stands.
func (p *page) closeTable() {
	p.closeRow()
	n := len(p.tables) - 1
	t := p.tables[n]
	p.tables = p.tables[:n]
	if !p.asText && t.records() {
		p.kept += len(t.rows) - 1
		p.done = append(p.done, t.rows)
		if n > 0 {
			p.tables[n-1].layout = true
		}
		return
	}
	if n > 0 {
		p.tables[n-1].layout = p.tables[n-1].layout || t.layout
	}
	if t.records() {
		p.each(func(f *flow) { t.markdown(f) })
		p.block(2)
		return
	}
	for _, text := range t.texts {
		p.block(2)
		p.each(func(f *flow) { f.verbatim(text) })
	}
	p.block(2)
}

// records reports whether a table has a header and a row, both with several cells.
func (t *htmlTable) records() bool {
	if t.layout || t.sure {
		return t.sure
	}
	wide := 0
	for _, r := range t.rows {
		if filled(r.Cells) > 1 {
			wide++
		}
	}
	return wide >= 2
}

func (t *htmlTable) markdown(f *flow) {
	rows := make([][]string, len(t.rows))
	for i, r := range t.rows {
		rows[i] = r.Cells
	}
	f.block(2)
	f.verbatim(markdownTable(rows))
}

// markdownTable writes rows as a Markdown table; the first is its header.
func markdownTable(rows [][]string) string {
	width := 0
	for _, r := range rows {
		width = max(width, min(len(r), maxSpan))
	}
	var b strings.Builder
	for i, r := range rows {
		for c := range width {
			cell := ""
			if c < len(r) {
				cell = strings.ReplaceAll(strings.Join(strings.Fields(r[c]), " "), "|", `\|`)
			}
			b.WriteString("| " + cell + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", width) + "|\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A flow gathers text: words with single spaces, blocks with line ends between them.
type flow struct {
	b     []byte
	plain bool // without the signs of Markdown
	lines int  // line ends that are due before the next words
	space bool // a space is due before the next words
}

// flush writes what is due.
func (f *flow) flush() {
	if len(f.b) == 0 {
		f.lines, f.space = 0, false
	}
	for ; f.lines > 0; f.lines-- {
		f.b = append(f.b, '\n')
	}
	if f.space {
		f.b = append(f.b, ' ')
	}
	f.space = false
}

// block ends the line, and leaves an empty one when lines is 2.
func (f *flow) block(lines int) {
	f.lines, f.space = max(f.lines, lines), false
}

func (f *flow) breakLine() { f.block(min(f.lines+1, 2)) }

func (f *flow) words(s string) {
	for i, w := range strings.FieldsFunc(s, blank) {
		if (i > 0 || blank(rune(s[0]))) && f.lines == 0 {
			f.space = len(f.b) > 0 && f.b[len(f.b)-1] != ' '
		}
		f.flush()
		f.b = append(f.b, w...)
	}
	if s != "" && blank(rune(s[len(s)-1])) && f.lines == 0 {
		f.space = len(f.b) > 0 && f.b[len(f.b)-1] != ' '
	}
}

// blank is the white space of html and the no-break space in front of other words.
func blank(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' }

func (f *flow) signs(s string) {
	f.flush()
	f.b = append(f.b, s...)
}

func (f *flow) verbatim(s string) {
	f.flush()
	f.b = append(f.b, s...)
}

func (f *flow) String() string {
	return strings.TrimSpace(strings.ReplaceAll(string(f.b), "\u00a0", " "))
}
