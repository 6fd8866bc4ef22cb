package extract

import (
	"strings"
	"unicode/utf8"

	"chela/internal/pattern"
)

var (
	// gap keeps columns apart that are aligned by blanks.
	gap = pattern.New(`(?: {2,}|\t)\s*`)
	// bareKey is a cell that is a ticket's key.
	bareKey = pattern.New(`^[A-Z][A-Z0-9]{0,9}-[1-9]\d{0,6}$`)
	// rule is a line that is drawn under a head.
	rule = pattern.New(`^[\s=─━—–+|-]+$`)
)

// An alignedCell is a cell of such a line, with the column of its first character.
type alignedCell struct {
	text string
	at   int
}

// AlignedTickets reads the table of tickets that a text shows with columns kept apart by two blanks or more, as terminals and
// notes have them: a head, and below it lines that begin with a key. ok is false where the text has none, or no table of tickets.
func AlignedTickets(text string) (header []string, rows []Row, ok bool) {
	_, header, rows, ok = alignedTable(strings.Split(text, "\n"))
	return header, rows, ok
}

// AroundAligned is a text with the lines of the table that [AlignedTickets] reads left empty: what is said around it are notes.
func AroundAligned(text string) string {
	lines := strings.Split(text, "\n")
	at, _, rows, ok := alignedTable(lines)
	if !ok {
		return text
	}
	clear(lines[at:rows[len(rows)-1].Line])
	return strings.Join(lines, "\n")
}

// alignedTable is the table, and the place of its head among the lines.
func alignedTable(lines []string) (at int, header []string, rows []Row, ok bool) {
	for i := 0; i+listedFrom < len(lines); i++ {
		head := alignedCells(lines[i])
		if len(head) < 3 || len(head) > maxFields || bareKey.MatchString(head[0].text) {
			continue
		}
		header, rows = header[:0], rows[:0]
		for j := i + 1; j < len(lines); j++ {
			if rule.MatchString(lines[j]) && len(rows) == 0 {
				continue
			}
			cells := alignedCells(lines[j])
			if len(cells) < 2 || !bareKey.MatchString(cells[0].text) {
				break
			}
			rows = append(rows, Row{Line: j + 1, Cells: under(head, cells)})
		}
		if len(rows) < listedFrom {
			continue
		}
		for _, h := range head {
			header = append(header, h.text)
		}
		if t, is := Tickets(header, rows); is && t.Mapping["key"] == header[0] && len(t.Tickets) == len(rows) {
			return i, header, rows, true
		}
	}
	return 0, nil, nil, false
}

// alignedCells are the cells of a line.
func alignedCells(line string) (out []alignedCell) {
	from := 0
	for _, g := range append(gap.FindAllStringIndex(line, -1), []int{len(line), len(line)}) {
		if cell := strings.TrimSpace(line[from:g[0]]); cell != "" {
			out = append(out, alignedCell{cell, utf8.RuneCountInString(line[:from])})
		}
		from = g[1]
	}
	return out
}

// under puts the cells of a line below those of the head: one below the other where there are as many, else each below the
// nearest.
func under(head, cells []alignedCell) []string {
	out := make([]string, len(head))
	for n, c := range cells {
		to := n
		if len(cells) != len(head) {
			to = 0
			for i, h := range head {
				if distance(h, c) < distance(head[to], c) {
					to = i
				}
			}
		}
		out[to] = strings.TrimSpace(out[to] + " " + c.text)
	}
	return out
}

// distance is how far a cell stands from one of the head, by where they begin or end.
func distance(h, c alignedCell) int {
	begin, end := h.at-c.at, h.at+utf8.RuneCountInString(h.text)-c.at-utf8.RuneCountInString(c.text)
	return min(max(begin, -begin), max(end, -end))
}
