package document

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"chela/internal/fault"
)

// The records of BIFF8 that are read ([MS-XLS] 2.3.1).
const (
	recFormula  = 0x0006
	recEOF      = 0x000a
	recDateMode = 0x0022
	recFilePass = 0x002f
	recContinue = 0x003c
	recSheet    = 0x0085
	recMulRK    = 0x00bd
	recRString  = 0x00d6
	recXF       = 0x00e0
	recSST      = 0x00fc
	recLabelSST = 0x00fd
	recNumber   = 0x0203
	recLabel    = 0x0204
	recBool     = 0x0205
	recString   = 0x0207
	recRK       = 0x027e
	recFormat   = 0x041e
	recBOF      = 0x0809
)

var errRecord = errors.New("a record is cut")

// A workbook is an xls file while it is read.
type workbook struct {
	data    []byte
	strings []string
	sheets  []boundSheet
	formats map[uint16]string
	styles  []uint16 // XF → number format
	from    time.Time
}

type boundSheet struct {
	name   string
	at     int
	hidden bool
}

// A record is one record of the workbook.
type record struct {
	kind uint16
	data []byte
	next int // where the next one begins
}

func (w *workbook) record(at int) (record, error) {
	if at < 0 || at+4 > len(w.data) {
		return record{}, errRecord
	}
	kind, n := binary.LittleEndian.Uint16(w.data[at:]), int(binary.LittleEndian.Uint16(w.data[at+2:]))
	if at+4+n > len(w.data) {
		return record{}, errRecord
	}
	return record{kind, w.data[at+4 : at+4+n], at + 4 + n}, nil
}

// readXLS reads the sheets of an Excel 97 workbook. Dates become ISO dates.
func readXLS(d Doc, data []byte, lim Limits) (Doc, error) {
	d.Kind = XLS
	w := &workbook{data: data, formats: make(map[uint16]string), from: time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)}
	if locked, err := w.globals(); locked {
		return d, fault.New(fault.Invalid, "%s is protected by a password. Save it without one.", d.Name)
	} else if err != nil && len(w.sheets) == 0 {
		return d, damaged(err, d.Name, XLS)
	}
	free := room{lim.Rows, maxCells}
	seen := make(map[int]bool)
	for _, s := range w.sheets {
		if seen[s.at] {
			continue
		}
		seen[s.at] = true
		if s.hidden {
			d.Problems = append(d.Problems, hiddenSheet(d.Name, s.name))
			continue
		}
		rows, err := w.rows(s.at)
		if err != nil {
			d.Problems = append(d.Problems, Problem{fmt.Sprintf("sheet %s, row %d", s.name, len(rows)+1), fmt.Sprintf("%s breaks off in sheet %s after %d rows: the file is damaged or was cut. Export it again.", d.Name, s.name, len(rows))})
		}
		free.header()
		kept := slices.IndexFunc(rows, func(r Row) bool { return !free.keep(r) })
		if kept >= 0 {
			d.Problems = append(d.Problems, leftOut(d.Name+", sheet "+s.name+",", max(kept-1, 0), len(rows)-kept))
			rows = rows[:kept]
		}
		if len(rows) == 0 {
			continue
		}
		t, problems := table(s.name, rows, d.Name, "row")
		d.Tables, d.Problems = append(d.Tables, t), append(d.Problems, problems...)
	}
	hidden := slices.ContainsFunc(w.sheets, func(s boundSheet) bool { return s.hidden })
	if len(d.Tables) == 0 && len(d.Problems) > 0 && !hidden {
		return d, damaged(errRecord, d.Name, XLS)
	}
	if len(d.Tables) == 0 {
		return d, noRows(d.Name, hidden)
	}
	return d, nil
}

// globals reads what all sheets share.
func (w *workbook) globals() (locked bool, err error) {
	for at := 0; ; {
		r, err := w.record(at)
		if err != nil {
			return false, err
		}
		at = r.next
		switch r.kind {
		case recEOF:
			return false, nil
		case recFilePass:
			return true, nil
		case recDateMode:
			if len(r.data) >= 2 && r.data[0] == 1 {
				w.from = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
			}
		case recSheet:
			if len(r.data) < 8 || r.data[5] != 0 { // a chart or macros
				continue
			}
			s := segments{parts: [][]byte{r.data[6:]}}
			n := int(s.byte())
			w.sheets = append(w.sheets, boundSheet{s.text(n), int(binary.LittleEndian.Uint32(r.data)), r.data[4]&3 != 0})
		case recFormat:
			if len(r.data) > 5 {
				s := segments{parts: [][]byte{r.data[2:]}}
				n := int(s.u16())
				w.formats[binary.LittleEndian.Uint16(r.data)] = s.text(n)
			}
		case recXF:
			if len(r.data) >= 4 {
				w.styles = append(w.styles, binary.LittleEndian.Uint16(r.data[2:]))
			}
		case recSST:
			at = w.sharedStrings(r)
		}
	}
}

// sharedStrings reads the table of strings, which goes on in further records.
func (w *workbook) sharedStrings(r record) (next int) {
	s := segments{parts: [][]byte{r.data}}
	next = r.next
	for {
		more, err := w.record(next)
		if err != nil || more.kind != recContinue {
			break
		}
		s.parts = append(s.parts, more.data)
		next = more.next
	}
	s.u32() // references
	for n := s.u32(); n > 0 && !s.end(); n-- {
		w.strings = append(w.strings, s.text(int(s.u16())))
	}
	return next
}

// rows reads the cells of the sheet that begins at a place. With an error the rows are
// those before it.
func (w *workbook) rows(at int) ([]Row, error) {
	cells := make(map[int][]string)
	put := func(row, col int, text string) {
		if text == "" || col >= 256 {
			return
		}
		line := cells[row]
		for len(line) <= col {
			line = append(line, "")
		}
		line[col] = text
		cells[row] = line
	}
	err := w.cells(at, put)
	rows := make([]Row, 0, len(cells))
	for n, line := range cells {
		rows = append(rows, Row{Line: n + 1, Cells: line})
	}
	slices.SortFunc(rows, func(a, b Row) int { return a.Line - b.Line })
	return rows, err
}

func (w *workbook) cells(at int, put func(row, col int, text string)) error {
	depth, formula := 0, [2]int{-1, -1}
	for {
		r, err := w.record(at)
		if err != nil {
			return err
		}
		at = r.next
		switch r.kind {
		case recBOF:
			depth++
			continue
		case recEOF:
			if depth--; depth <= 0 {
				return nil
			}
			continue
		case recString:
			if s := (segments{parts: [][]byte{r.data}}); depth == 1 && formula[0] >= 0 {
				put(formula[0], formula[1], s.text(int(s.u16())))
			}
			continue
		}
		if depth != 1 || len(r.data) < 8 { // of a chart inside the sheet
			continue
		}
		row, col := int(binary.LittleEndian.Uint16(r.data)), int(binary.LittleEndian.Uint16(r.data[2:]))
		style, body := binary.LittleEndian.Uint16(r.data[4:]), r.data[6:]
		switch r.kind {
		case recLabelSST:
			if len(body) >= 4 {
				if n := binary.LittleEndian.Uint32(body); int64(n) < int64(len(w.strings)) {
					put(row, col, w.strings[n])
				}
			}
		case recLabel, recRString:
			s := segments{parts: [][]byte{body}}
			put(row, col, s.text(int(s.u16())))
		case recNumber:
			if len(body) >= 8 {
				put(row, col, w.number(math.Float64frombits(binary.LittleEndian.Uint64(body)), style))
			}
		case recRK:
			if len(body) >= 4 {
				put(row, col, w.number(rk(binary.LittleEndian.Uint32(body)), style))
			}
		case recMulRK:
			for b := r.data[4:]; len(b) >= 8; b, col = b[6:], col+1 { // the last two bytes are the last column
				put(row, col, w.number(rk(binary.LittleEndian.Uint32(b[2:])), binary.LittleEndian.Uint16(b)))
			}
		case recBool:
			if body[1] == 0 {
				put(row, col, strings.ToUpper(strconv.FormatBool(body[0] != 0)))
			}
		case recFormula:
			formula = [2]int{row, col}
			if len(body) >= 8 {
				put(row, col, w.cached(body[:8], style))
			}
		}
	}
}

// cached is the value that a formula had when the file was saved; a string follows in
// a record of its own, and an error is no value.
func (w *workbook) cached(b []byte, style uint16) string {
	if b[6] != 0xff || b[7] != 0xff {
		return w.number(math.Float64frombits(binary.LittleEndian.Uint64(b)), style)
	}
	if b[0] == 1 {
		return strings.ToUpper(strconv.FormatBool(b[2] != 0))
	}
	return ""
}

// rk is a number in four bytes: 30 bits of a float or an integer, maybe by 100.
func rk(v uint32) float64 {
	f := math.Float64frombits(uint64(v&^3) << 32)
	if v&2 != 0 {
		f = float64(int32(v) >> 2)
	}
	if v&1 != 0 {
		f /= 100
	}
	return f
}

// number writes a number as its cell's format means it: a date, a time, or a number.
func (w *workbook) number(v float64, style uint16) string {
	if int(style) < len(w.styles) && v >= 0 && v < 2_958_466 && w.isDate(w.styles[style]) {
		seconds := int64(math.Round(v * 86400))
		t := w.from.Add(time.Duration(seconds/86400) * 24 * time.Hour).Add(time.Duration(seconds%86400) * time.Second)
		switch {
		case seconds < 86400:
			return t.Format("15:04:05")
		case seconds%86400 == 0:
			return t.Format("2006-01-02")
		}
		return t.Format("2006-01-02T15:04:05")
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// isDate reports whether a number format shows a date or a time: one of those built
// in, or one with signs of days or hours outside of quotes and brackets.
func (w *workbook) isDate(id uint16) bool {
	format, own := w.formats[id]
	if !own {
		return id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 45 && id <= 47 || id >= 50 && id <= 58
	}
	return strings.ContainsAny(signs(format), "ymdhs")
}

// signs are the letters of a number format outside of quotes and brackets, as small ones.
func signs(format string) string {
	var out []byte
	quoted, bracket := false, false
	for i := 0; i < len(format); i++ {
		switch c := format[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\\' || c == '_' || c == '*':
			i++
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case bracket:
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			out = append(out, c|0x20)
		}
	}
	return string(out)
}

// segments reads values that may go on in further records. In the midst of a string a
// further record begins with a byte that says how wide its characters are.
type segments struct {
	parts [][]byte
	part  int
	at    int
}

// end moves to the next record when this one is used up, and reports the last one's end.
func (s *segments) end() bool {
	for s.part < len(s.parts) && s.at >= len(s.parts[s.part]) {
		s.part, s.at = s.part+1, 0
	}
	return s.part >= len(s.parts)
}

func (s *segments) byte() byte {
	if s.end() {
		return 0
	}
	b := s.parts[s.part][s.at]
	s.at++
	return b
}

func (s *segments) u16() uint16 { return uint16(s.byte()) | uint16(s.byte())<<8 }

func (s *segments) u32() uint32 { return uint32(s.u16()) | uint32(s.u16())<<16 }

func (s *segments) skip(n int) {
	for n > 0 && !s.end() {
		step := min(n, len(s.parts[s.part])-s.at)
		s.at += step
		n -= step
	}
}

// text reads a string of n characters behind its flags, and what describes its looks.
func (s *segments) text(n int) string {
	flags := s.byte()
	runs, extra := 0, 0
	if flags&8 != 0 {
		runs = int(s.u16())
	}
	if flags&4 != 0 {
		extra = int(s.u32())
	}
	wide := flags&1 != 0
	units := make([]uint16, 0, min(n, 4096))
	for part := s.part; len(units) < n && !s.end(); {
		if s.part != part {
			part = s.part
			wide = s.byte()&1 != 0
			continue
		}
		if wide {
			units = append(units, s.u16())
		} else {
			units = append(units, uint16(s.byte()))
		}
	}
	s.skip(4*runs + extra)
	return string(utf16.Decode(units))
}
