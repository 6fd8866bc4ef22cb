package artifact

import "strings"

// A Sum is what a name is made of.
type Sum [32]byte

// Ref is the name.
func (s Sum) Ref() Ref { return Ref(prefix + hexOf(s)) }

// Sum is what a name is made of; ok is false for what is no name.
func (r Ref) Sum() (s Sum, ok bool) {
	if !r.Valid() {
		return s, false
	}
	return sumOf(string(r[len(prefix):]))
}

const hexDigits = "0123456789abcdef"

func hexOf(s Sum) string {
	out := make([]byte, 0, 2*len(s))
	for _, b := range s {
		out = append(out, hexDigits[b>>4], hexDigits[b&15])
	}
	return string(out)
}

func sumOf(text string) (s Sum, ok bool) {
	if len(text) < 2*len(s) {
		return s, false
	}
	for i := range s {
		high, low := strings.IndexByte(hexDigits, text[2*i]), strings.IndexByte(hexDigits, text[2*i+1])
		if high < 0 || low < 0 {
			return s, false
		}
		s[i] = byte(high<<4 | low)
	}
	return s, true
}

// Mentioned calls fn with what a text has of what may be names, wherever they stand in it.
func Mentioned(text string, fn func(Sum)) {
	for {
		at := strings.Index(text, prefix)
		if at < 0 {
			return
		}
		text = text[at+len(prefix):]
		if s, ok := sumOf(text); ok {
			fn(s)
		}
	}
}
