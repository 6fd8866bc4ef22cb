package document

import (
	"fmt"
	"slices"
	"strings"

	"chela/internal/fault"
)

// delimiter finds what separates the cells of a table: the character that gives the
// first records the same number of cells, more than one. want is how many records
// must agree; fewer are enough when there are fewer.
func delimiter(text string, want int) (byte, bool) {
	best, cells := byte(0), 1
	for _, d := range []byte{'\t', ';', ',', '|'} {
		var counts []int
		r := reader{text: text, delim: d}
		for len(counts) < 12 {
			row, ok := r.next()
			if !ok {
				break
			}
			if len(row.Cells) == 1 && strings.TrimSpace(row.Cells[0]) == "" {
				continue
			}
			counts = append(counts, len(row.Cells))
		}
		n := agree(counts)
		if len(counts) >= 2 && n > cells && runOf(counts, n) >= min(want, len(counts)) {
			best, cells = d, n
		}
	}
	return best, best != 0
}

// agree returns the number of cells that most records have.
func agree(counts []int) int {
	times := make(map[int]int)
	best := 0
	for _, c := range counts {
		times[c]++
		if times[c] > times[best] || times[c] == times[best] && c > best {
			best = c
		}
	}
	return best
}

// runOf returns the longest run of records with n cells.
func runOf(counts []int, n int) int {
	best, run := 0, 0
	for _, c := range counts {
		if c == n {
			run++
			best = max(best, run)
		} else {
			run = 0
		}
	}
	return best
}

// readCSV reads a delimited text. Lines before the header are left out.
func readCSV(d Doc, text, ext string, lim Limits) (Doc, error) {
	d.Kind = CSV
	if i := strings.IndexByte(text, 0); i >= 0 {
		line := 1 + strings.Count(text[:i], "\n")
		d.Problems = append(d.Problems, Problem{fmt.Sprintf("line %d", line), fmt.Sprintf("%s has NUL bytes, the first at byte %d; they were left out.", d.Name, i)})
		text = strings.ReplaceAll(text, "\x00", "")
	}
	if lines, ok := unpacked(text); ok {
		text = lines
		d.Problems = append(d.Problems, unpackedProblem(d.Name))
	}
	delim, ok := delimiter(text, 2)
	if !ok {
		delim = ','
		if ext == ".tsv" || ext == ".tab" {
			delim = '\t'
		}
	}
	r := reader{text: text, delim: delim}
	var rows []Row
	left, free := 0, room{lim.Rows, maxCells}
	free.header()
	for {
		row, ok := r.next()
		if !ok {
			break
		}
		if len(row.Cells) == 1 && strings.TrimSpace(row.Cells[0]) == "" || delim == '|' && tableRuler.MatchString(strings.Join(row.Cells, "|")) {
			continue
		}
		if !free.keep(row) {
			left++
			continue
		}
		rows = append(rows, row)
	}
	if left > 0 {
		for i := range rows { // what is kept does not hold the whole text
			rows[i].Cells = copied(rows[i].Cells)
		}
		d.Problems = append(d.Problems, leftOut(d.Name, max(len(rows)-1, 0), left))
	}
	if r.broken > 0 {
		d.Problems = append(d.Problems, Problem{fmt.Sprintf("line %d", r.broken), fmt.Sprintf("%s ends inside a quoted cell of the row at line %d: what stands from there to the end, line %d, was left out. The file was cut, or the quote is not closed; close it and hand the file in again.", d.Name, r.broken, r.broken+strings.Count(strings.TrimRight(text[r.begun:], "\n"), "\n"))})
	}
	if len(rows) == 0 {
		return d, fault.New(fault.Invalid, "%s holds no rows.", d.Name)
	}
	t, problems := table("", rows, d.Name, "line")
	d.Tables, d.Problems = []Table{t}, append(d.Problems, problems...)
	return d, nil
}

// copied returns the cells as parts of a text of their own.
func copied(cells []string) []string {
	text := strings.Join(cells, "")
	out := make([]string, len(cells))
	at := 0
	for i, c := range cells {
		out[i] = text[at : at+len(c)]
		at += len(c)
	}
	return out
}

// table finds the header, pads short rows, and notes rows that are too long. unit is
// what a row's Line counts.
func table(sheet string, rows []Row, name, unit string) (Table, []Problem) {
	if t, ok := sections(sheet, rows); ok {
		return t, nil
	}
	at := headerAt(rows)
	header, body := headerOf(rows, at)
	var problems []Problem
	t := Table{Sheet: sheet, Header: header, Above: above(rows[:at])}
	if len(rows[at].Cells) > maxColumns {
		problems = append(problems, Problem{fmt.Sprintf("%s %d", unit, rows[at].Line), fmt.Sprintf("%s has more than %d columns; the others were left out.", name, maxColumns)})
	}
	if most := maxCells / max(len(t.Header), 1); len(body) > most {
		problems = append(problems, leftOut(name, most, len(body)-most))
		body = body[:most]
	}
	ragged := 0
	t.Rows = make([]Row, 0, len(body))
	body = withoutHeaders(body, t.Header)
	for _, r := range body {
		for i, c := range r.Cells {
			r.Cells[i] = proseOf(c)
		}
		if extra := len(r.Cells) - len(t.Header); extra > 0 {
			if filled(r.Cells[len(t.Header):]) > 0 {
				if ragged++; ragged == 1 {
					problems = append(problems, Problem{fmt.Sprintf("%s %d", unit, r.Line), fmt.Sprintf("%s has rows with more cells than the header, the first at %s %d; what is beyond was left out.", name, unit, r.Line)})
				}
			}
			r.Cells = r.Cells[:len(t.Header)]
		}
		for len(r.Cells) < len(t.Header) {
			r.Cells = append(r.Cells, "")
		}
		t.Rows = append(t.Rows, r)
	}
	return t, problems
}

// above returns the texts of the rows that stand above a header.
func above(rows []Row) (out []string) {
	for _, r := range rows {
		if text := strings.Join(slices.DeleteFunc(trimmed(r.Cells), func(c string) bool { return c == "" }), " "); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// withoutHeaders leaves out the rows that are the header again, unless most of them are.
func withoutHeaders(rows []Row, header []string) []Row {
	again := func(r Row) bool { return filled(r.Cells) > 1 && slices.Equal(trimmed(r.Cells), header) }
	n := 0
	for _, r := range rows {
		if again(r) {
			n++
		}
	}
	if n == 0 || n*2 > len(rows) {
		return rows
	}
	return slices.DeleteFunc(rows, again)
}

func filled(cells []string) int {
	n := 0
	for _, c := range cells {
		if strings.TrimSpace(c) != "" {
			n++
		}
	}
	return n
}

// A reader splits delimited text into records (RFC 4180, with any delimiter). A
// quote inside an unquoted cell is a character like others.
type reader struct {
	text   string
	delim  byte
	at     int
	line   int // of text[at], from 0
	begun  int // where the last record begins
	broken int // line of the record that never ends, from 1
	tails  int // cells with text behind their closing quote
}

func (r *reader) next() (Row, bool) {
	if r.at >= len(r.text) {
		return Row{}, false
	}
	row := Row{Line: r.line + 1}
	r.begun = r.at
	for {
		cell, more, ok := r.cell()
		if !ok {
			r.broken = row.Line
			return Row{}, false
		}
		if len(row.Cells) <= maxColumns { // one more tells that there were more
			row.Cells = append(row.Cells, cell)
		}
		if !more {
			return row, true
		}
	}
}

// cell reads one cell; more says that another follows in the record, ok is false
// when a quoted cell never ends.
func (r *reader) cell() (cell string, more, ok bool) {
	if r.at < len(r.text) && r.text[r.at] == '"' {
		return r.quoted()
	}
	rest := r.text[r.at:]
	end := strings.IndexAny(rest, string(r.delim)+"\n")
	if end < 0 {
		r.at = len(r.text)
		return rest, false, true
	}
	r.at += end + 1
	if rest[end] == '\n' {
		r.line++
		return rest[:end], false, true
	}
	return rest[:end], true, true
}

func (r *reader) quoted() (cell string, more, ok bool) {
	var b strings.Builder
	i := r.at + 1
	for {
		q := strings.IndexByte(r.text[i:], '"')
		if q < 0 {
			r.at = len(r.text)
			return "", false, false
		}
		b.WriteString(r.text[i : i+q])
		i += q + 1
		if i < len(r.text) && r.text[i] == '"' {
			b.WriteByte('"')
			i++
			continue
		}
		break
	}
	r.line += strings.Count(b.String(), "\n")
	// What stands between the closing quote and the delimiter belongs to the cell.
	r.at = i
	if r.at >= len(r.text) {
		return b.String(), false, true
	}
	tail, more, _ := r.plainTail()
	if strings.TrimSpace(tail) != "" {
		r.tails++
	}
	return b.String() + tail, more, true
}

func (r *reader) plainTail() (string, bool, bool) {
	rest := r.text[r.at:]
	end := strings.IndexAny(rest, string(r.delim)+"\n")
	if end < 0 {
		r.at = len(r.text)
		return rest, false, true
	}
	r.at += end + 1
	if rest[end] == '\n' {
		r.line++
	}
	return rest[:end], rest[end] != '\n', true
}
