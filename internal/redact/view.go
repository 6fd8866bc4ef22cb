package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A view is a text as it reads once something is resolved in it, with where each of its
// bytes comes from.
type view struct {
	text string
	from []int32 // of each byte, where it begins in the source; nil when it is the source
	to   []int32 // and where what it comes from ends
}

// source returns where a part of the view comes from.
func (v view) source(i, j int) (from, to int) {
	if v.from == nil {
		return i, j
	}
	return int(v.from[i]), int(v.to[j-1])
}

// A writer makes a view of another one.
type writer struct {
	of   view
	text []byte
	from []int32
	to   []int32
}

func newWriter(of view) *writer {
	n := len(of.text)
	return &writer{of: of, text: make([]byte, 0, n), from: make([]int32, 0, n), to: make([]int32, 0, n)}
}

// add adds bytes that stand for the part [i, j) of the view below.
func (w *writer) add(i, j int, b ...byte) {
	from, to := w.of.source(i, j)
	for _, c := range b {
		w.text = append(w.text, c)
		w.from = append(w.from, int32(from)) //nolint:gosec // texts are far smaller than 2 GB
		w.to = append(w.to, int32(to))       //nolint:gosec // as above
	}
}

func (w *writer) view() view { return view{string(w.text), w.from, w.to} }

// unescaped resolves the escapes of JSON, and those of the kind \x41.
func unescaped(v view) view {
	w, s := newWriter(v), v.text
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			w.add(i, i+1, s[i])
			i++
			continue
		}
		b, n := escape(s[i:])
		w.add(i, i+n, b...)
		i += n
	}
	return w.view()
}

// escape resolves the escape at the beginning of s and returns its length; what is none
// stands for itself.
func escape(s string) ([]byte, int) {
	if len(s) < 2 {
		return []byte(s), len(s)
	}
	switch s[1] {
	case '"', '\\', '/', '\'':
		return []byte{s[1]}, 2
	case 'n':
		return []byte{'\n'}, 2
	case 'r':
		return []byte{'\r'}, 2
	case 't':
		return []byte{'\t'}, 2
	case 'b':
		return []byte{'\b'}, 2
	case 'f':
		return []byte{'\f'}, 2
	case 'x':
		if c, ok := hexAt(s, 2, 2); ok {
			return []byte{byte(c)}, 4 //nolint:gosec // two digits
		}
	case 'u':
		c, ok := hexAt(s, 2, 4)
		if !ok {
			break
		}
		if utf16.IsSurrogate(c) && strings.HasPrefix(s[6:], `\u`) {
			if low, ok := hexAt(s, 8, 4); ok {
				if both := utf16.DecodeRune(c, low); both != utf8.RuneError {
					return utf8.AppendRune(nil, both), 12
				}
			}
		}
		return utf8.AppendRune(nil, c), 6
	}
	return []byte{s[0]}, 1
}

// hexAt reads n digits of s.
func hexAt(s string, at, n int) (rune, bool) {
	if len(s) < at+n {
		return 0, false
	}
	c, err := strconv.ParseUint(s[at:at+n], 16, 16)
	return rune(c), err == nil //nolint:gosec // at most four digits
}

// unquoted resolves percent signs, as in URLs.
func unquoted(v view) view {
	w, s := newWriter(v), v.text
	for i := 0; i < len(s); {
		n, b := 1, s[i]
		if c, ok := hexAt(s, i+1, 2); ok && b == '%' {
			n, b = 3, byte(c) //nolint:gosec // two digits
		}
		w.add(i, i+n, b)
		i += n
	}
	return w.view()
}

// blank reports whether a byte may stand between the parts of a value that was broken
// into lines or columns.
func blank(c byte) bool { return c <= ' ' }

// unspaced leaves out blanks, so that what was broken into lines is whole.
func unspaced(v view) view {
	w, s := newWriter(v), v.text
	for i := range len(s) {
		if !blank(s[i]) {
			w.add(i, i+1, s[i])
		}
	}
	return w.view()
}

// forms are the ways in which a value is written: as it is, in capital or small letters, without
// blanks, in JSON, in hexadecimal and, at each of the places where it can begin, in base32, in
// base64 and in base64 of that. What is left of escapes is resolved by views.
func forms(value string) []string {
	out := []string{value, squeeze(value), url.QueryEscape(value), url.PathEscape(value), strings.ReplaceAll(value, " ", "+")}
	if quoted, err := json.Marshal(value); err == nil {
		out = append(out, string(quoted[1:len(quoted)-1]))
	}
	out = append(out, strings.ToUpper(value), strings.ToLower(value), strings.ToUpper(squeeze(value)), strings.ToLower(squeeze(value)))
	digits := hex.EncodeToString([]byte(value))
	out = append(out, digits, strings.ToUpper(digits))
	for _, text := range []string{value, value + "\n"} {
		for shift := range 3 {
			for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				once := base64Core(text, shift, enc)
				out = append(out, once)
				for again := range 3 {
					out = append(out, base64Core(once, again, enc))
				}
			}
		}
		for shift := range 5 {
			core := base32Core(text, shift)
			out = append(out, core, strings.ToLower(core))
		}
	}
	for _, f := range out[:2] {
		out = append(out, reversed(f))
	}
	return out
}

// base64Core is what base64 makes of a value that begins shift bytes into a group,
// without the characters that depend on what is beside it.
func base64Core(value string, shift int, enc *base64.Encoding) string {
	text := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
	bits := (shift + len(value)) * 8
	return text[(shift*8+5)/6 : bits/6]
}

// base32Core is the same of base32, whose groups have 5 bytes.
func base32Core(value string, shift int) string {
	text := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
	bits := (shift + len(value)) * 8
	return text[(shift*8+4)/5 : bits/5]
}

func squeeze(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		if !blank(s[i]) {
			b = append(b, s[i])
		}
	}
	return string(b)
}

func reversed(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}
