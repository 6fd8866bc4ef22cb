// Package confusable finds the characters by which a text reads otherwise than it is: invisible ones,
// ones that change the direction of text, and letters that look like Latin ones. [Reveal] shows them by
// their numbers, [Describe] says what they are.
package confusable

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A mark is why a character is shown by its number.
type mark uint8

const (
	markNone mark = iota
	markInvisible
	markBidi
	markTag
	markSelector
	markSpace
	markControl
	markReturn
	markBroken
	markAlike
	markStacked
)

var markTexts = map[mark]string{
	markInvisible: "It has invisible characters in it",
	markBidi:      "It has characters in it that change the direction of the text, so that it may read otherwise than it runs",
	markTag:       "It has invisible tag characters in it, which can hide text",
	markSelector:  "It has variation selectors in it, which can hide data",
	markSpace:     "It has spaces in it that are not the ordinary one",
	markControl:   "It has control characters in it, which can change what a terminal shows",
	markReturn:    "It has carriage returns in it, which can overwrite what is shown before them",
	markBroken:    "It has bytes in it that are no characters",
	markAlike:     "It has letters in it that look like Latin ones but are not",
	markStacked:   "It has many marks on one letter, which can cover what is near",
}

// Reveal returns text with what cannot be seen, and what looks like something else, shown
// by its number: ⟨U+200B⟩. Ordinary text of any language stays as it is; line feeds and
// tabs do too. The brackets ⟨ and ⟩ are shown by their numbers, so that nobody can forge one.
func Reveal(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	scan(text, func(s string, r rune, m mark) {
		switch m {
		case markNone:
			b.WriteString(s)
		case markBroken:
			fmt.Fprintf(&b, "⟨byte %02X⟩", s[0])
		case markReturn:
			b.WriteString("⟨CR⟩")
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	})
	return b.String()
}

// Describe returns a sentence for each kind of thing that Reveal shows, with the first
// few of them; none for ordinary text.
func Describe(text string) []string {
	if plain(text) {
		return nil
	}
	found := map[mark][]string{}
	scan(text, func(s string, r rune, m mark) {
		if m == markNone {
			return
		}
		name := fmt.Sprintf("U+%04X", r)
		if m == markBroken {
			name = fmt.Sprintf("%02X", s[0])
		}
		if m == markAlike {
			name += " " + string(r)
		}
		if !slices.Contains(found[m], name) {
			found[m] = append(found[m], name)
		}
	})
	var out []string
	for m := markInvisible; m <= markStacked; m++ {
		names := found[m]
		if len(names) == 0 {
			continue
		}
		more := ""
		if len(names) > 5 {
			names, more = names[:5], " and others"
		}
		out = append(out, markTexts[m]+": "+strings.Join(names, ", ")+more+".")
	}
	return out
}

// plain reports whether text is printable ASCII with line feeds and tabs: most of it is.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// scan calls fn for every character, with why it is to be shown.
func scan(text string, fn func(s string, r rune, m mark)) {
	c := context{}
	for _, r := range text {
		c.latin = c.latin || isLatin(r)
		c.foreign = c.foreign || unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Lisu) && unicode.IsLetter(r) && !looksLatin(r)
	}
	for at := 0; at < len(text); {
		if at == 0 || isBlank(text[at-1]) {
			c.token = hasLatin(token(text[at:]))
		}
		rest := text[at:]
		if n := wordEnd(rest); n > 0 {
			c.word(rest[:n], fn)
			c.last, _ = utf8.DecodeLastRuneInString(rest[:n])
			at += n
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		next, _ := utf8.DecodeRuneInString(rest[size:])
		m := markOf(r)
		switch {
		case r == utf8.RuneError && size == 1:
			m = markBroken
		case m != markNone && c.ordinary(r, next):
			m = markNone
		}
		fn(rest[:size], r, m)
		c.last = r
		at += size
	}
}

// A context is what is around a character.
type context struct {
	latin   bool // the text has Latin letters
	foreign bool // it has letters of another alphabet that do not look Latin
	token   bool // what is between two blanks has Latin letters
	last    rune // the character before
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

func token(s string) string {
	if i := strings.IndexAny(s, " \n\t"); i >= 0 {
		return s[:i]
	}
	return s
}

func hasLatin(s string) bool { return strings.IndexFunc(s, isLatin) >= 0 }

func isLatin(r rune) bool { return unicode.Is(unicode.Latin, r) && !looksLatin(r) }

// ordinary reports whether a character that is marked by itself is at home where it is: at
// the end of a line, in an emoji, in Chinese or Japanese, in Mongolian.
func (c *context) ordinary(r, next rune) bool {
	wide := func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xff65
	}
	emoji := func(r rune) bool {
		return unicode.Is(unicode.So, r) || r >= 0x1f3fb && r <= 0x1f3ff || r == 0x2194 || r == 0x2640 || r == 0x2642
	}
	switch {
	case r == '\r':
		return next == '\n'
	case r == 0xfe0f || r == 0xfe0e:
		return emoji(c.last) || next == 0x20e3
	case r == 0x200d:
		return (emoji(c.last) || c.last == 0xfe0f) && emoji(next)
	case r == 0x3000, r >= 0xff01 && r <= 0xff5e:
		return wide(c.last) && c.last != r || wide(next) && next != r
	case r >= 0x180b && r <= 0x180f:
		return unicode.Is(unicode.Mongolian, c.last)
	}
	return false
}

// wordEnd returns the length of the letters, marks and joiners with which text begins.
func wordEnd(text string) int {
	n := 0
	for i, r := range text {
		letter := unicode.IsLetter(r) || unicode.IsMark(r) && i > 0 && !unicode.Is(unicode.Variation_Selector, r)
		joiner := (r == '\u200c' || r == '\u200d') && i > 0
		if !letter && !joiner || r == utf8.RuneError || markOf(r) != markNone && !joiner {
			break
		}
		n = i + utf8.RuneLen(r)
	}
	return n
}

// word judges the letters of one word together: letters of another script that look like
// Latin ones are marked where Latin ones are beside them, and where all of a word looks
// Latin that is not in a text of that script.
func (c *context) word(word string, fn func(s string, r rune, m mark)) {
	latin, alike, others, joins := false, 0, 0, false
	for _, r := range word {
		switch {
		case isLatin(r):
			latin = true
		case looksLatin(r):
			alike++
		case unicode.IsLetter(r):
			others++
			joins = joins || joining(r)
		}
	}
	suspect := alike > 0 && (latin || others == 0 && (c.token || c.latin && !c.foreign))
	marks := 0
	for i, r := range word {
		m := markNone
		if unicode.IsMark(r) {
			if marks++; marks > 4 {
				m = markStacked
			}
		} else {
			marks = 0
		}
		switch {
		case (r == '\u200c' || r == '\u200d') && !joins: // these belong between letters of scripts that join
			m = markInvisible
		case suspect && looksLatin(r):
			m = markAlike
		}
		fn(word[i:i+utf8.RuneLen(r)], r, m)
	}
}

// joining reports whether r is of a script in which joiners are ordinary.
func joining(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
		unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

// markOf judges a character by itself.
func markOf(r rune) mark {
	switch {
	case r == '\n' || r == '\t':
		return markNone
	case r == '\r':
		return markReturn
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return markControl
	case r == '⟨' || r == '⟩':
		return markAlike // of the numbers that Reveal puts
	case r >= 0xe0000 && r <= 0xe0fff && unicode.Is(unicode.Variation_Selector, r):
		return markSelector
	case r >= 0xe0000 && r <= 0xe007f:
		return markTag
	case unicode.Is(unicode.Variation_Selector, r):
		return markSelector
	case r == 0x061c || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x206f:
		return markBidi
	case r == 0x2028 || r == 0x2029:
		return markControl
	case r != ' ' && unicode.Is(unicode.Zs, r):
		return markSpace
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r),
		r == 0x00ad, r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0:
		return markInvisible
	case unicode.In(r, unicode.Co, unicode.Cs), r&0xfffe == 0xfffe, r >= 0xfdd0 && r <= 0xfdef:
		return markInvisible
	case signs[r]:
		return markAlike
	}
	return markNone
}

// signs look like the punctuation of shells and addresses, and are not that of a language.
// Those of full width are ordinary beside Chinese and Japanese.
var signs = set("‐‑⁃−∕⁄⧸⧹∖∣ǀ∶ꓽꓸ․∗⁎；：．／＼｜＆＄｀＜＞（）＊？～＝＋－＿＂＇！＃％＠［］｛｝＾，‛′ʹˋ")

// alikes are letters of other scripts that look like Latin ones.
var alikes = set("аеорсухіјѕһԁԛԝԍьѵӏАВЕЅІЈКМНОРСТХУҮԌԚԜЗ" + // Cyrillic
	"αιονρυκΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳϹͿ" + // Greek
	"օոսցհղԼՏՍՕ" + // Armenian
	"ᎪᎫᎬᎳᎷᎻᏀᏃᏆᏒᏚᏞᏟᏢᏴ" + // Cherokee
	"ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓞꓟꓠꓡꓢꓣꓤꓦꓧꓨꓪꓫꓬꓮꓰꓱꓲꓳ") // Lisu

func set(of string) map[rune]bool {
	out := map[rune]bool{}
	for _, r := range of {
		out[r] = true
	}
	return out
}

// looksLatin reports whether r is not an ordinary Latin letter but looks like one.
func looksLatin(r rune) bool {
	switch {
	case r < 0x80:
		return false
	case r >= 0xff21 && r <= 0xff3a, r >= 0xff41 && r <= 0xff5a: // full width
		return true
	case r >= 0x1d400 && r <= 0x1d7ff: // of mathematics
		return true
	case r >= 0x2100 && r <= 0x214f && unicode.IsLetter(r) && r != 'Ω', r >= 0x2160 && r <= 0x217f, r >= 0x249c && r <= 0x24e9, r >= 0x1f130 && r <= 0x1f189:
		return true
	case r == 'ɡ' || r == 'ɑ' || r == 'ʟ' || r == 'ɩ' || r == 'ſ' || r == 'ƽ':
		return true
	}
	return alikes[r]
}
