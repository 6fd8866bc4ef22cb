package markup

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// widest is how many columns of type a cell is padded to; a longer one pushes its row out
// rather than every row.
const widest = 32

// table is a unit of rows, the first held with the head; the others bring the head along when
// they begin a message. Columns are aligned where type has one width, and divided elsewhere.
func (r *reader) table(n *extast.Table, at place) *unit {
	var rows [][]string
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, r.cell(cell))
		}
		rows = append(rows, cells)
	}
	if len(rows) == 0 {
		return &unit{}
	}
	var f *fence
	if r.dialect.fence != nil {
		at, f = place{}, &fence{}
	}
	newLine := func(s string, st style) *line {
		return &line{spans: []span{{text: s, style: st}}, indent: at.indent, quote: at.quote, fence: f}
	}
	lay := divided
	if r.fixed {
		lay = aligned(rows, n.Alignments)
	}
	head := []*line{newLine(lay(rows[0]), bold)}
	if r.fixed {
		head = append(head, newLine(rule(rows), 0))
	}
	top := &unit{}
	for _, l := range head {
		top.kids = append(top.kids, &unit{line: l})
	}
	u := &unit{kids: []*unit{top}}
	for i, cells := range rows[1:] {
		l := newLine(lay(cells), 0)
		l.head = head
		row := &unit{line: l}
		if i == 0 {
			u.kids[0] = &unit{kids: []*unit{top, row}, keep: true}
			continue
		}
		u.kids = append(u.kids, row)
	}
	return u
}

// cell returns a cell as text; there are no marks in preformatted text.
func (r *reader) cell(n ast.Node) string {
	var b strings.Builder
	for _, spans := range r.inline(n) {
		for _, s := range spans {
			if s.link != "" {
				s.text = spelledLink(s.text, s.link)
			}
			b.WriteString(s.text)
		}
	}
	return strings.ReplaceAll(b.String(), "\t", " ")
}

func divided(cells []string) string { return strings.Join(cells, " | ") }

func widths(rows [][]string) []int {
	var out []int
	for _, cells := range rows {
		for i, c := range cells {
			if i == len(out) {
				out = append(out, 0)
			}
			out[i] = max(out[i], min(width(c), widest))
		}
	}
	return out
}

// aligned returns a function that pads the cells of a row to their columns.
func aligned(rows [][]string, alignments []extast.Alignment) func([]string) string {
	w := widths(rows)
	return func(cells []string) string {
		padded := make([]string, len(cells))
		for i, c := range cells {
			space := max(0, w[i]-width(c))
			left := 0
			if i < len(alignments) {
				switch alignments[i] {
				case extast.AlignRight:
					left = space
				case extast.AlignCenter:
					left = space / 2
				case extast.AlignLeft, extast.AlignNone:
				}
			}
			padded[i] = strings.Repeat(" ", left) + c + strings.Repeat(" ", space-left)
		}
		return strings.TrimRight(divided(padded), " ")
	}
}

func rule(rows [][]string) string {
	var dashes []string
	for _, w := range widths(rows) {
		dashes = append(dashes, strings.Repeat("-", max(w, 1)))
	}
	return strings.Join(dashes, "-+-")
}
