package document

import (
	"fmt"
	"slices"
	"strings"
)

// A field is one named value of a record.
type field struct{ name, text string }

// A column is the nth column with a name, from 0.
type column struct {
	name string
	nth  int
}

// A grid makes one table of records whose fields differ. A field that a record has
// several times gets as many columns of the same name.
type grid struct {
	room   room
	at     map[column]int
	cols   []column
	rows   []Row
	left   int // records beyond the limit
	beyond int // fields beyond maxColumns
}

// maxRepeat is how many columns of one name there may be; what is beyond is added to
// the last of them, on lines of its own.
const maxRepeat = 50

func newGrid(limit int) *grid {
	return &grid{room: room{limit, maxCells}, at: make(map[column]int)}
}

// full reports that no more records are kept; they are counted with skip.
func (g *grid) full() bool { return g.room.rows <= 0 }

func (g *grid) skip() { g.left++ }

func (g *grid) add(line int, fields []field) {
	row := Row{Line: line}
	times := make(map[string]int)
	for _, f := range fields {
		f.text = proseOf(f.text)
		c := column{f.name, min(times[f.name], maxRepeat-1)}
		more := times[f.name] >= maxRepeat
		times[f.name]++
		at, known := g.at[c]
		switch {
		case known:
		case len(g.cols) >= maxColumns:
			g.beyond++
			continue
		default:
			at = len(g.cols)
			g.at[c] = at
			g.cols = append(g.cols, c)
		}
		for len(row.Cells) <= at {
			row.Cells = append(row.Cells, "")
		}
		if more && f.text != "" {
			row.Cells[at] = strings.TrimLeft(row.Cells[at]+"\n"+f.text, "\n")
		} else if !more {
			row.Cells[at] = f.text
		}
	}
	if !g.room.keep(row) {
		g.left++
		return
	}
	g.rows = append(g.rows, row)
}

// table returns the table with the columns of one name side by side.
func (g *grid) table(name string) (Table, []Problem) {
	order := make([]int, len(g.cols))
	first := make(map[string]int)
	for i, c := range g.cols {
		order[i] = i
		if _, known := first[c.name]; !known {
			first[c.name] = i
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if d := first[g.cols[a].name] - first[g.cols[b].name]; d != 0 {
			return d
		}
		return g.cols[a].nth - g.cols[b].nth
	})
	var problems []Problem
	if most := maxCells / max(len(g.rows), 1); len(order) > most {
		g.beyond += len(order) - most
		order = order[:most]
	}
	if g.beyond > 0 {
		problems = append(problems, Problem{"the columns", fmt.Sprintf("%s has too many different fields: %d were left out.", name, g.beyond)})
	}
	if g.left > 0 {
		problems = append(problems, leftOut(name, len(g.rows), g.left))
	}
	t := Table{Header: make([]string, len(order)), Rows: g.rows}
	for i, at := range order {
		t.Header[i] = g.cols[at].name
	}
	for n, row := range g.rows {
		cells := make([]string, len(order))
		for i, at := range order {
			if at < len(row.Cells) {
				cells[i] = row.Cells[at]
			}
		}
		t.Rows[n].Cells = cells
	}
	return t, problems
}
