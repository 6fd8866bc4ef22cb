package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

// A PipedTable is a table that a text draws with bars, as Markdown does.
type PipedTable struct {
	Header []string
	Rows   []Row
}

// underHead is the line below the head of such a table.
var underHead = pattern.New(`^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$`)

// mostPiped is how many columns and rows such a table has at most.
const mostPiped, mostPipedRows = 40, 5000

// PipedTables are the tables of a text that are tickets with keys, a plan or a roster, and the text with their lines left empty, but for those of
// rosters.
func PipedTables(text string) (out []PipedTable, around string) {
	lines := strings.Split(text, "\n")
	for i := 1; i < len(lines); i++ {
		if !underHead.MatchString(lines[i]) || !strings.Contains(lines[i-1], "|") || strings.Count(lines[i], "|") == 0 {
			continue
		}
		t, last := PipedTable{Header: pipedCells(lines[i-1])}, i
		for j := i + 1; j < len(lines) && strings.Contains(lines[j], "|") && len(t.Rows) < mostPipedRows; j++ {
			cells := pipedCells(lines[j])
			t.Rows, last = append(t.Rows, Row{Line: j + 1, Cells: append(cells, make([]string, max(0, len(t.Header)-len(cells)))...)[:len(t.Header)]}), j
		}
		if len(t.Header) > 1 && len(t.Header) <= mostPiped && len(t.Rows) > 0 {
			if t.staffs() { // the notes name these people, too
				out = append(out, t)
			} else if t.told() {
				out = append(out, t)
				clear(lines[i-1 : last+1])
			}
		}
		i = last
	}
	if len(out) == 0 {
		return nil, text
	}
	return out, strings.Join(lines, "\n")
}

// staffs reports a roster that says how much people work or what they know.
func (t PipedTable) staffs() bool {
	r, ok := ReadRoster(t.Header, t.Rows)
	return ok && slices.ContainsFunc([]string{"capacity", "availability", "fte", "days", "skills"}, func(f string) bool { return r.Mapping[f] != "" })
}

// told reports a table that is a plan, or one of tickets with keys.
func (t PipedTable) told() bool {
	read, ok := Tickets(t.Header, t.Rows)
	if !ok {
		return false
	}
	key := slices.Index(t.Header, read.Mapping["key"])
	return len(read.Phases) > 0 || slices.ContainsFunc(read.Milestones, func(m MilestoneRow) bool { return m.Planned }) ||
		key >= 0 && len(read.Tickets) > 0 && !slices.ContainsFunc(t.Rows, func(r Row) bool { return !bareKey.MatchString(strings.Trim(r.Cells[key], "*`")) })
}

// pipedCells are the cells of a line.
func pipedCells(line string) []string {
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	line = strings.ReplaceAll(line, `\|`, "\x00")
	cells := strings.Split(line, "|")
	for i, c := range cells {
		cells[i] = strings.Trim(strings.ReplaceAll(strings.TrimSpace(c), "\x00", "|"), "*`")
	}
	return cells
}
