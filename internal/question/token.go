package question

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what is read of a question.
const (
	maxTokens = 160 // more words than that are not read
	maxToken  = 64  // bytes of one word
)

// A token is a word of a question in small letters: "pay-101", "2026-03-09", "8", "%".
type token struct {
	text       string
	raw        string // as it was written, with the typo
	start, end int    // its bytes in the question
	quoted     bool
	recent     bool // it stands for one of the last sprints
}

// tokenize splits a question into at most [maxTokens] words. The last result says that there are more.
func tokenize(text string) (out []token, more bool) {
	quoted := false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '"' || r == '“' || r == '”' || r == '„' || r == '«' || r == '»':
			quoted = !quoted
			i += size
		case r == '%':
			out = append(out, token{text: "percent", raw: "%", start: i, end: i + size})
			i += size
		case (r == '-' || r == '−') && signs(text[:i], text[i+size:]):
			end := wordEnd(text, i+size)
			out = append(out, token{text: "-" + text[i+size:end], raw: text[i:end], start: i, end: end, quoted: quoted})
			i = end
		case !letter(r):
			i += size
		default:
			end := wordEnd(text, i)
			if raw := text[i:end]; len(raw) <= maxToken {
				out = append(out, token{text: plain(raw), raw: raw, start: i, end: end, quoted: quoted})
			}
			i = end
		}
		if len(out) == maxTokens {
			return out, i < len(text)
		}
	}
	return out, false
}

// signs reports whether a hyphen between two texts is the sign of a number: "-3 points".
func signs(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return unicode.IsDigit(next) && unicode.IsSpace(last) && !strings.HasSuffix(strings.TrimRightFunc(before, unicode.IsSpace), "-")
}

func letter(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.N, unicode.M) }

// wordEnd returns where the word that begins at i ends. A hyphen, a point, a comma or an apostrophe is
// inside a word where it joins a key, a day, a number or a short form.
func wordEnd(text string, i int) int {
	digits := false
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if letter(r) {
			digits = digits || unicode.IsDigit(r)
			i += size
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		before, _ := utf8.DecodeRuneInString(text[max(0, i-1):])
		joins := false
		switch r {
		case '-':
			joins = letter(next) && (digits || unicode.IsDigit(next))
		case '.', ',', ':':
			joins = unicode.IsDigit(before) && unicode.IsDigit(next)
		case '\'', '’':
			joins = unicode.IsLetter(next)
		}
		if !joins {
			return i
		}
		i += size
	}
	return i
}

// plain is a word in small letters, without its apostrophe: "Dana's" is dana, "aren't" is arent.
func plain(raw string) string {
	w := strings.ToLower(strings.ReplaceAll(raw, "’", "'"))
	w = strings.TrimSuffix(w, "'s")
	return strings.ReplaceAll(w, "'", "")
}

// Near reports whether two words are the same but for a typo, and how many letters are wrong:
// one that is missing, one too many, another one, or two that changed places.
func Near(a, b string, most int) (wrong int, ok bool) {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d > most || -d > most {
		return 0, false
	}
	two, one, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range one {
		one[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		best := i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > most {
			return 0, false
		}
		two, one, row = one, row, two
	}
	return one[len(y)], one[len(y)] <= most
}

// Mistyped reports whether a word may be meant to be another one, and how many letters are wrong. The first letter seldom is, and a word with
// another ending is no typo: "picked" is no picker.
func Mistyped(word, meant string, most int) (wrong int, ok bool) {
	wrong, ok = Near(word, meant, most)
	if !ok || wrong == 0 || inflected(word, meant) {
		return 0, false
	}
	a, b := []rune(word), []rune(meant)
	if len(b) == 4 && !misplaced(word, meant) { // "owes" is not "owns"
		return 0, false
	}
	return wrong, a[0] == b[0] || len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0]
}

// misplaced reports whether a word is another one with a letter too many, with one that is missing, or with letters that changed places. A word with
// another letter in it is taken for an empty one only then: "owes" is not "ones".
func misplaced(word, of string) bool {
	a, b := []rune(word), []rune(of)
	if len(a) != len(b) {
		return true
	}
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// stems are what an English word may be a form of: "skipping" and "skipped" are of "skip", "hiring" is of "hire".
func stems(word string) (out []string) {
	for _, e := range []string{"ing", "ed"} {
		stem, ok := strings.CutSuffix(word, e)
		if !ok || len(stem) < 3 {
			continue
		}
		out = append(out, stem, stem+"e")
		if n := len(stem); stem[n-1] == stem[n-2] {
			out = append(out, stem[:n-1])
		}
	}
	if stem, ok := strings.CutSuffix(word, "s"); ok && len(stem) > 2 {
		out = append(out, stem)
	}
	return out
}

// endings are those by which the forms of one word differ.
var endings = []string{"ed", "er", "ers", "ing", "s", ""}

// inflected reports whether a word has an ending, and another one is the same but for the ending.
func inflected(word, of string) bool {
	for _, e := range endings {
		stem, ok := strings.CutSuffix(word, e)
		if !ok || e == "" || len(stem) < 3 {
			continue
		}
		if rest, ok := strings.CutPrefix(of, stem); ok && slices.Contains(endings, rest) {
			return true
		}
	}
	return false
}

// Typos is how many letters of a word may be wrong.
func Typos(word string) int {
	switch n := len([]rune(word)); {
	case n < 4:
		return 0
	case n < 8:
		return 1
	}
	return 2
}
