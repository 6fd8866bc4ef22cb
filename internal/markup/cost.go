package markup

import "bytes"

// What a source may ask of the parser. Beyond it the marks in question are shown as the text
// that they are: goldmark's time grows with the square of each of these. No person's
// document and no honest model's comes near.
const (
	maxDepth = 48      // quotes and items begun on one line
	maxMarks = 2000    // marks of emphasis and links in one paragraph
	maxCells = 1 << 19 // cells of a table whose rows were all as wide as the widest
)

// cost is what a source asks of the parser, at its worst.
type cost struct{ depth, marks, cells int }

func costOf(src []byte) cost {
	var worst cost
	marks, bars, lines, fenced := 0, 0, 0, false
	for l := range bytes.Lines(src) {
		lines++
		text := bytes.TrimSpace(l)
		if bytes.HasPrefix(text, []byte("```")) || bytes.HasPrefix(text, []byte("~~~")) {
			fenced = !fenced
		}
		if len(text) == 0 {
			marks = 0
		}
		if !fenced {
			for _, b := range text {
				if bytes.IndexByte([]byte("*_~[]!"), b) >= 0 {
					marks++
				}
			}
		}
		worst.marks = max(worst.marks, marks)
		worst.depth = max(worst.depth, depth(l))
		bars = max(bars, bytes.Count(l, []byte("|")))
	}
	worst.cells = bars * lines
	return worst
}

// depth returns how many containers a line begins.
func depth(l []byte) int {
	n := 0
	for i, b := range l {
		spaced := i+1 < len(l) && (l[i+1] == ' ' || l[i+1] == '\t')
		switch {
		case b == '>', spaced && bytes.IndexByte([]byte("-+*.)"), b) >= 0:
			n++
		case b == ' ', b == '\t', b >= '0' && b <= '9':
		default:
			return n
		}
	}
	return n
}
