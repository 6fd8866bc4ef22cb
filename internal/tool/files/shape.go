package files

import (
	"strings"
	"unicode/utf8"

	"chela/internal/fault"
)

// bom is the byte order mark that some programs put before a text in UTF-8.
const bom = "\ufeff"

// A shape is what of a text is not its words: agents write lines that end with \n and no byte order mark, and a change
// of some words leaves both as the file has them.
type shape struct {
	bom  bool
	crlf bool // each line ends with \r\n
}

// shaped returns the words of a file's text, with lines that end with \n where all ended with \r\n, and its shape.
func shaped(text string) (string, shape) {
	words, marked := strings.CutPrefix(text, bom)
	ends := strings.Count(words, "\n")
	s := shape{bom: marked, crlf: ends > 0 && ends == strings.Count(words, "\r\n")}
	if s.crlf {
		words = strings.ReplaceAll(words, "\r\n", "\n")
	}
	return words, s
}

// given returns what an agent gave, as the words of a text of the shape s have it.
func (s shape) given(text string) string {
	if s.crlf {
		return strings.ReplaceAll(text, "\r\n", "\n")
	}
	return text
}

// text returns the text of the words: the reverse of [shaped].
func (s shape) text(words string) string {
	if s.crlf {
		words = strings.ReplaceAll(words, "\n", "\r\n")
	}
	if s.bom {
		words = bom + words
	}
	return words
}

// mixes reports that texts put beside what c holds would make a file of two encodings.
func (c change) mixes(texts ...string) error {
	if utf8.ValidString(c.old) && !strings.Contains(c.old, "\x00") {
		return nil
	}
	for _, t := range texts {
		if strings.Contains(c.old, "\x00") || strings.ContainsFunc(t, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return fault.New(fault.Conflict, "%s is no text in UTF-8, so a part of it cannot be changed with a text that is. Convert it first with a program, or write the whole file with write_file.", c.path)
		}
	}
	return nil
}
