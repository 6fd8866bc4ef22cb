package memory

import (
	"strings"
	"unicode/utf8"

	"chela/internal/desk"
)

// What a piece of a memory has, in bytes, and how many pieces are found by their words.
const (
	pieceBytes = 1200
	MaxPieces  = 60
)

// Pieces cuts a long text where its paragraphs, lines, sentences or words end. Together they are the text, up to
// [MaxPieces].
func Pieces(text string) []string {
	var out []string
	for len(text) > 0 && len(out) < MaxPieces {
		n := len(text)
		if n > pieceBytes {
			n = boundary(text[:pieceBytes])
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

// boundary returns where the last paragraph, line, sentence or word of a text ends that is not near its beginning.
func boundary(text string) int {
	for _, mark := range []string{"\n\n", "\n", ". ", " "} {
		if i := strings.LastIndex(text, mark); i >= pieceBytes/3 {
			return i + len(mark)
		}
	}
	n := len(text)
	for n > 1 && !utf8.RuneStart(text[n-1]) {
		n--
	}
	if r, size := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || size > 1 {
		return len(text)
	}
	return max(1, n-1)
}

// weights say how much more or less than a fact a memory counts by what it is.
var weights = map[string]float64{"decision": 1.2, "preference": 1.2, "procedure": 1.1, "question": 0.9}

// WeightOf is the importance of a memory.
func WeightOf(b *desk.MemoryBody) float64 {
	w := weights[b.Type]
	if w == 0 {
		w = 1
	}
	if b.Confidence > 0 {
		w *= b.Confidence
	}
	return w
}
