package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text of others harmless for a terminal: what could move the cursor, change colours,
// order what is read differently or hide is shown instead of done. Lines and tabs stay, and so do
// the characters that join letters of scripts and emoji.
func Clean(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.IndexFunc(text, unsafe) < 0 {
		return strings.ToValidUTF8(text, "�")
	}
	var b strings.Builder
	before := rune(0)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case !unsafe(r), joins(before, r):
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune(0x2400 + r) // the picture of the control character
		default:
			b.WriteRune('�')
		}
		before = r
	}
	return b.String()
}

// CleanJSON writes what [Clean] would show as an escape of JSON, so that the document says the same.
func CleanJSON(raw []byte) []byte {
	text := string(raw)
	if strings.IndexFunc(text, unsafe) < 0 {
		return raw
	}
	var b strings.Builder
	before := rune(0)
	for _, r := range text {
		switch {
		case !unsafe(r), joins(before, r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		before = r
	}
	return []byte(b.String())
}

// Cleaned returns a writer that cleans what is written to w, a whole text at a time.
func Cleaned(w io.Writer) io.Writer { return cleaned{w} }

type cleaned struct{ to io.Writer }

func (c cleaned) Write(p []byte) (int, error) {
	if _, err := io.WriteString(c.to, Clean(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// invisible are the characters without a picture that are neither controls nor of bidi.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00ad, 0x00ad, 1},
		{0x034f, 0x034f, 1},
		{0x115f, 0x1160, 1},
		{0x17b4, 0x17b5, 1},
		{0x180b, 0x180f, 1},
		{0x200b, 0x200d, 1},
		{0x2028, 0x2029, 1},
		{0x2060, 0x206f, 1},
		{0x3164, 0x3164, 1},
		{0xfeff, 0xfeff, 1},
		{0xffa0, 0xffa0, 1},
		{0xfff0, 0xfffb, 1},
	},
	R32:         []unicode.Range32{{0x1d173, 0x1d17a, 1}, {0xe0000, 0xe0fff, 1}},
	LatinOffset: 1,
}

func unsafe(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.Is(invisible, r))
}

// joins reports whether r joins what stands before it, as in emoji and scripts beyond Latin.
func joins(before, r rune) bool { return (r == 0x200c || r == 0x200d) && before >= 0x300 }
