package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	zeroWidthSpace  = "\u200b"
	zeroWidthJoiner = '\u200d'
	noBreakSpace    = "\u00a0"
)

// cluster returns the length in bytes of the first character of s as people see it: a rune
// with its combining marks, an emoji sequence, a flag, a syllable of Hangul, a conjunct.
// These are the rules of Unicode's UAX 29 that matter to a reader, in a short form that errs
// towards holding together. More marks than Unicode's stream-safe text has on one rune are no
// longer a character.
func cluster(s string) int {
	prev, n := utf8.DecodeRuneInString(s)
	flag := regional(prev)
	for runes := 1; n < len(s) && runes <= 31; runes++ {
		r, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case extends(r):
		case prev == zeroWidthJoiner && pictograph(r):
		case flag && regional(r):
			flag = false
		case syllable(hangul(prev), hangul(r)):
		case virama(prev) && unicode.IsLetter(r):
		default:
			return n
		}
		if !extends(r) {
			flag = flag && regional(r)
		}
		prev, n = r, n+size
	}
	return n
}

func regional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// extends reports whether r belongs to the rune before it.
func extends(r rune) bool {
	return r >= 0x300 && (unicode.Is(unicode.M, r) || r == zeroWidthJoiner || r == 0x200c ||
		r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xe0020 && r <= 0xe007f || r == 0xff9e || r == 0xff9f)
}

func pictograph(r rune) bool {
	return r >= 0x1f000 || r >= 0x2190 && r <= 0x2bff || r == 0x3030 || r == 0x303d || r == 0xa9 || r == 0xae
}

// jamo is the part that a letter of Hangul has in a syllable.
type jamo int

const (
	leading jamo = iota + 1
	vowel
	trailing
	open   // a syllable that may take a trailing jamo
	closed // one that has it
)

func hangul(r rune) jamo {
	switch {
	case r >= 0x1100 && r <= 0x115f:
		return leading
	case r >= 0x1160 && r <= 0x11a7:
		return vowel
	case r >= 0x11a8 && r <= 0x11ff:
		return trailing
	case r >= 0xac00 && r <= 0xd7a3 && (r-0xac00)%28 == 0:
		return open
	case r >= 0xac00 && r <= 0xd7a3:
		return closed
	}
	return 0
}

func syllable(a, b jamo) bool {
	switch a {
	case leading:
		return b == leading || b == vowel || b == open || b == closed
	case vowel, open:
		return b == vowel || b == trailing
	case trailing, closed:
		return b == trailing
	}
	return false
}

func virama(r rune) bool {
	switch r {
	case 0x94d, 0x9cd, 0xa4d, 0xacd, 0xb4d, 0xc4d, 0xccd, 0xd4d:
		return true
	}
	return false
}

// width returns the columns that s takes in type of one width: two for what East Asian
// tables and emoji draw wide, none for marks.
func width(s string) int {
	n := 0
	for s != "" {
		size := cluster(s)
		r, _ := utf8.DecodeRuneInString(s)
		switch {
		case invisible(r) && r != ' ' && r != '\u00a0' && r != '\t', unicode.Is(unicode.M, r):
		case wide(r), strings.ContainsRune(s[:size], 0xfe0f):
			n += 2
		default:
			n++
		}
		s = s[size:]
	}
	return n
}

func wide(r rune) bool {
	return r >= 0x1100 && r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf && r != 0x303f ||
		r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f ||
		r >= 0xff00 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f1e6 && r <= 0x1f1ff ||
		r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd
}

// invisible reports whether r leaves no ink: white space, controls, format characters.
func invisible(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }

func blank(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !invisible(r) }) < 0
}

func wordy(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.M) || r == '_' }
