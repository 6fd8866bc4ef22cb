package document

import (
	"fmt"
	"strings"
)

// A spreadsheet that expects another delimiter takes each line of a file for one cell, and
// saves it so: lines with quotes are quoted as a whole, and delimiters of its own may follow.

// unpacked takes the lines out of such cells. ok is false for a text that is not so.
func unpacked(text string) (lines string, ok bool) {
	for _, outer := range []byte{';', ',', '\t'} {
		if packed(text, outer) {
			var b strings.Builder
			r := reader{text: text, delim: outer}
			for {
				row, more := r.next()
				if !more {
					return b.String(), true
				}
				b.WriteString(strings.TrimRight(strings.Join(row.Cells, string(outer)), string(outer)) + "\n")
			}
		}
	}
	return "", false
}

// packed reports that the header is one cell that holds a line of several, that other lines
// are such cells too, and that nothing follows a quoted cell but the delimiter.
func packed(text string, outer byte) bool {
	r := reader{text: text, delim: outer}
	whole := 0
	for n := 0; n < 200; n++ {
		quoted := r.at < len(text) && text[r.at] == '"'
		row, ok := r.next()
		if !ok {
			break
		}
		if len(row.Cells) == 0 || r.tails > 0 {
			return false
		}
		several := strings.Count(row.Cells[0], ",") > 1 || strings.Count(row.Cells[0], ";") > 1 || strings.Count(row.Cells[0], "\t") > 1
		if n == 0 && (!several || filled(row.Cells) != 1) {
			return false
		}
		if quoted && several {
			whole++
		}
	}
	return whole > 0 && r.broken == 0
}

// unpackedProblem tells that a file was taken apart.
func unpackedProblem(name string) Problem {
	return Problem{"line 1", fmt.Sprintf("%s was saved by a spreadsheet that put whole lines into single cells; they were taken apart again. Compare a row, or export it again.", name)}
}
