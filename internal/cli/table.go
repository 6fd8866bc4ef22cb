package cli

import (
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"chela/internal/cli/terminal"
)

// A table is rows in columns.
type table struct {
	columns []column
	rows    [][]string
}

// A column is one of a table's.
type column struct {
	head  string
	right bool                        // numbers
	gives bool                        // it is cut when the terminal is too narrow
	shade func(cell string) (sgr int) // the colour of a cell, 0 for none; nil colours nothing
}

// The colours of a terminal's own sixteen that mean something.
const (
	red    = 31
	green  = 32
	yellow = 33
	grey   = 90
)

// leastWidth is how narrow a column becomes that gives.
const leastWidth = 12

// tabulate prints a table as wide as the terminal, or with wide as wide as it is. What is no terminal gets the cells whole, with tabs
// between them.
func (a *app) tabulate(t table, wide bool) {
	if !isTerminal(a.out) {
		_, _ = io.WriteString(a.out, t.tabbed()) // who reads it is gone
		return
	}
	room := 0
	if !wide {
		room = widthOf(a.out)
	}
	_, _ = io.WriteString(a.out, t.draw(room, colours(a.out))) // the terminal is gone
}

// tabbed is the table for programs: a line for each row, with a tab between two cells and nothing to fill them.
func (t table) tabbed() string {
	var b strings.Builder
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = c.head
	}
	b.WriteString(strings.Join(heads, "\t") + "\n")
	for _, r := range t.rows {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = oneLine(c)
		}
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	return b.String()
}

// widthOf is how many cells a line of a terminal has; 0 when it is none.
func widthOf(out io.Writer) int {
	f, ok := out.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// colours reports whether colours may be written.
func colours(out io.Writer) bool {
	return isTerminal(out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// draw is the table; room is how many cells a line has, 0 for as many as it takes.
func (t table) draw(room int, coloured bool) string {
	width := t.widths(room)
	var b strings.Builder
	line := func(cells []string, shade func(i int, cell string) int) {
		var l strings.Builder
		for i, c := range cells {
			c = ansi.Truncate(c, width[i], "…")
			pad := strings.Repeat(" ", width[i]-ansi.StringWidth(c))
			if sgr := shade(i, cells[i]); sgr != 0 && coloured {
				c = ansi.SGR(sgr) + c + ansi.ResetStyle
			}
			if t.columns[i].right {
				c = pad + c
			} else {
				c += pad
			}
			if i > 0 {
				l.WriteString("  ")
			}
			l.WriteString(c)
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
	heads := make([]string, len(t.columns))
	for i, c := range t.columns {
		heads[i] = c.head
	}
	line(heads, func(int, string) int { return grey })
	for _, r := range t.rows {
		cells := make([]string, len(r))
		for i, c := range r {
			cells[i] = oneLine(c)
		}
		line(cells, func(i int, cell string) int {
			if t.columns[i].shade == nil {
				return 0
			}
			return t.columns[i].shade(cell)
		})
	}
	return b.String()
}

// widths are how wide the columns are, so that a line fits into room.
func (t table) widths(room int) []int {
	out := make([]int, len(t.columns))
	all := 2 * (len(out) - 1)
	for i, c := range t.columns {
		out[i] = ansi.StringWidth(c.head)
		for _, r := range t.rows {
			out[i] = max(out[i], ansi.StringWidth(oneLine(r[i])))
		}
		all += out[i]
	}
	for room > 0 && all > room {
		widest := -1
		for i, c := range t.columns {
			if c.gives && out[i] > leastWidth && (widest < 0 || out[i] > out[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		out[widest], all = out[widest]-1, all-1
	}
	return out
}

// oneLine is a cell's text without breaks, in which nothing can do anything to a terminal.
func oneLine(s string) string { return terminal.Clean(strings.Join(strings.Fields(s), " ")) }
