package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes text of others harmless for a terminal: what could move the cursor, change
// colours or order what is read differently is shown instead of done. Lines and tabs stay.
func clean(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if strings.IndexFunc(text, unsafe) < 0 {
		return strings.ToValidUTF8(text, "�")
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case !unsafe(r):
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune(0x2400 + r) // the picture of the control character
		default:
			b.WriteRune('�')
		}
	}
	return b.String()
}

func unsafe(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}
