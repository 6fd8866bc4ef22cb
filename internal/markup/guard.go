package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// guarded returns text in which characters that are marks to the platform are not: those of
// always wherever they stand, those of marks where they could open or close something, which
// is neither inside a word nor between spaces.
func guarded(s spot, marks, always string, guard func(rune) string) string {
	if !strings.ContainsAny(s.text, marks+always) {
		return s.text
	}
	var b strings.Builder
	prev := s.prev
	for i, r := range s.text {
		next := s.next
		if rest := s.text[i+utf8.RuneLen(r):]; rest != "" {
			next, _ = utf8.DecodeRuneInString(rest)
		}
		switch {
		case strings.ContainsRune(always, r),
			strings.ContainsRune(marks, r) && !inside(prev, next) && !apart(prev, next):
			b.WriteString(guard(r))
		default:
			b.WriteRune(r)
		}
		prev = r
	}
	return b.String()
}

func inside(prev, next rune) bool {
	return unicode.In(prev, unicode.L, unicode.N) && unicode.In(next, unicode.L, unicode.N)
}

func apart(prev, next rune) bool {
	return (prev == 0 || unicode.IsSpace(prev)) && (next == 0 || unicode.IsSpace(next))
}

// loose parts a mark from its neighbours where it cannot be escaped.
func loose(r rune) string { return zeroWidthSpace + string(r) + zeroWidthSpace }

func escaped(r rune) string { return `\` + string(r) }

// unfenced returns code without the mark that ends a fence.
func unfenced(s string) string { return strings.ReplaceAll(s, "``", "`"+zeroWidthSpace+"`") }

// begun returns a function that keeps a line of text from beginning like a block.
func begun(like ...string) func(string) string {
	return func(s string) string {
		for _, l := range like {
			if strings.HasPrefix(s, l) {
				return zeroWidthSpace + s
			}
		}
		return s
	}
}

// begunMarkdown keeps a line from beginning a heading, a quote, a list or a rule.
func begunMarkdown(s string) string {
	if s == "" {
		return s
	}
	if strings.IndexByte("#>+-=", s[0]) >= 0 {
		return `\` + s
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	if digits > 0 && digits < len(s) && (s[digits] == '.' || s[digits] == ')') {
		return s[:digits] + `\` + s[digits:]
	}
	return s
}
