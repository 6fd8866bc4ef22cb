package query

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chela/internal/fault"
)

// A Word is a word of a text: letters and digits with their marks, in small letters. Every
// character of a script that is written without blanks is a word.
type Word struct {
	Text       string
	Start, End int // its bytes in the text
}

// firstAlone is the first character of the scripts that are written without blanks.
const firstAlone = 0x0e00

// maxWord bounds a word, in bytes; of a longer one the beginning counts.
const maxWord = 96

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.M)
}

func alone(r rune) bool {
	return r >= firstAlone && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// Words returns the words of a text in their order.
func Words(text string) []Word { return AppendWords(nil, text) }

// AppendWords adds the words of a text in their order.
func AppendWords(out []Word, text string) []Word {
	start := -1
	end := func(at int) {
		if start >= 0 {
			out = append(out, Word{folded(text[start:at]), start, at})
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case r == utf8.RuneError || !inWord(r):
			end(i)
		case alone(r) && !unicode.In(r, unicode.M):
			end(i)
			start = i
			if n := i + utf8.RuneLen(r); n <= len(text) {
				end(n)
			}
		case start < 0:
			start = i
		}
	}
	end(len(text))
	return out
}

func folded(s string) string {
	s = strings.ToLower(s)
	if len(s) <= maxWord {
		return s
	}
	n := maxWord
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// A Sought is what is looked for: all the words, the last one by its beginning.
type Sought struct{ Words []string }

const maxSought = 20

// Seek reads what somebody typed to find records. Every character of it is data.
func Seek(text string) (Sought, error) {
	var out Sought
	for _, w := range Words(text) {
		out.Words = slices.DeleteFunc(out.Words, func(x string) bool { return x == w.Text })
		out.Words = append(out.Words, w.Text)
	}
	if len(out.Words) == 0 {
		return out, fault.BadField("q", fmt.Sprintf("There is no word in %q to look for.", text))
	}
	if len(out.Words) > maxSought {
		return out, fault.BadField("q", fmt.Sprintf("Look for at most %d words.", maxSought))
	}
	return out, nil
}

// In reports whether words, which have blanks between them and are sorted, have all that is looked for.
func (s Sought) In(words string) bool {
	have := strings.Fields(words)
	for i, w := range s.Words {
		at, whole := slices.BinarySearch(have, w)
		if !whole && (i < len(s.Words)-1 || at == len(have) || !strings.HasPrefix(have[at], w)) {
			return false
		}
	}
	return true
}

// hit returns which of the words w is, -1 for none.
func (s Sought) hit(w Word) int {
	last := len(s.Words) - 1
	if i := slices.Index(s.Words, w.Text); i >= 0 {
		return i
	}
	if strings.HasPrefix(w.Text, s.Words[last]) {
		return last
	}
	return -1
}

// A Part is a piece of a text; Hit says that it was looked for.
type Part struct {
	Text string `json:"text"`
	Hit  bool   `json:"hit,omitempty"`
}

// Mark returns a text in parts; together they are the text.
func (s Sought) Mark(text string) []Part {
	out := []Part{}
	at := 0
	for _, w := range Words(text) {
		if s.hit(w) < 0 {
			continue
		}
		if w.Start > at {
			out = append(out, Part{Text: text[at:w.Start]})
		}
		out = append(out, Part{text[w.Start:w.End], true})
		at = w.End
	}
	if at < len(text) {
		out = append(out, Part{Text: text[at:]})
	}
	return out
}

// What a snippet shows, in bytes: that much, of which so much stands before the first hit.
const (
	snippetBytes = 200
	leadBytes    = 60
)

// Snippet returns a piece of the passage that has most of the words, the first of several
// such, with … where something was left out. It is empty when none has any.
func (s Sought) Snippet(passages []string) []Part {
	best, most, first := "", 0, 0
	for _, p := range passages {
		found := make(map[int]bool)
		start := -1
		for _, w := range Words(p) {
			if i := s.hit(w); i >= 0 {
				if found[i] = true; start < 0 {
					start = w.Start
				}
			}
		}
		if len(found) > most {
			best, most, first = p, len(found), start
		}
	}
	if most == 0 {
		return []Part{}
	}
	from, to := 0, len(best)
	if first > leadBytes {
		from = boundary(best, first-leadBytes, first)
	}
	if to > from+snippetBytes {
		to = max(boundary(best, from+snippetBytes-leadBytes/2, from+snippetBytes), first+1)
	}
	for to < len(best) && !utf8.RuneStart(best[to]) {
		to++
	}
	out := s.Mark(best[from:to])
	if from > 0 {
		out = append([]Part{{Text: "…"}}, out...)
	}
	if to < len(best) {
		out = append(out, Part{Text: "…"})
	}
	return out
}

// boundary returns where after lo a word begins, at most hi.
func boundary(text string, lo, hi int) int {
	for lo > 0 && !utf8.RuneStart(text[lo]) {
		lo--
	}
	for _, w := range Words(text[lo:hi]) {
		if w.Start > 0 {
			return lo + w.Start
		}
	}
	for hi > 0 && hi < len(text) && !utf8.RuneStart(text[hi]) {
		hi--
	}
	return hi
}
