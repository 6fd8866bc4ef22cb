package document

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"chela/internal/pattern"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	utf "golang.org/x/text/encoding/unicode"

	"chela/internal/fault"
)

// decode finds the encoding of a text: a byte order mark decides, then the pattern of
// UTF-16 without a mark, then UTF-8 with at most a few broken characters, then what
// markup declares, and else the code page whose languages have the letters it uses.
func decode(name string, raw []byte) (text string, problems []Problem, err error) {
	enc, raw := marked(raw)
	if enc == nil {
		enc = unmarked(raw)
	}
	if enc != nil {
		if len(raw)%2 == 1 {
			problems = append(problems, Problem{fmt.Sprintf("byte %d", len(raw)-1), fmt.Sprintf("%s ends inside a character: the file was cut.", name)})
			raw = raw[:len(raw)-1]
		}
		out, err := decoded(name, raw, enc)
		return out, problems, err
	}
	if at, bad := controls(raw); bad {
		return "", nil, fault.New(fault.Invalid, "%s is a binary file (byte %d is no text); Chela reads %s.", name, at, readable)
	}
	if utf8.Valid(raw) {
		return newlines(string(raw)), nil, nil
	}
	if at, almost := brokenUTF8(raw); almost {
		problems = append(problems, Problem{fmt.Sprintf("byte %d", at), fmt.Sprintf("%s is UTF-8 with characters that are broken, the first at byte %d; they were replaced by \ufffd.", name, at)})
		return newlines(strings.ToValidUTF8(string(raw), "\ufffd")), problems, nil
	}
	if enc := declared(raw); enc != nil {
		out, err := decoded(name, raw, enc)
		return out, nil, err
	}
	page, sure := codePage(raw)
	if !sure {
		at := bytes.IndexFunc(raw, func(r rune) bool { return r >= utf8.RuneSelf })
		problems = append(problems, Problem{fmt.Sprintf("byte %d", at), fmt.Sprintf("The letters of %s do not tell its encoding; it was read as %s. Save it as UTF-8 if letters are wrong.", name, page)})
	}
	out, err := decoded(name, raw, page)
	return out, problems, err
}

func decoded(name string, raw []byte, enc encoding.Encoding) (string, error) {
	out, err := enc.NewDecoder().Bytes(raw)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "The characters of %s cannot be decoded; save it as UTF-8.", name)
	}
	return newlines(string(out)), nil
}

// marked takes off the byte order mark and says which UTF-16 it means.
func marked(raw []byte) (encoding.Encoding, []byte) {
	switch {
	case bytes.HasPrefix(raw, []byte{0xef, 0xbb, 0xbf}):
		return nil, raw[3:]
	case bytes.HasPrefix(raw, []byte{0xff, 0xfe}):
		return utf.UTF16(utf.LittleEndian, utf.IgnoreBOM), raw[2:]
	case bytes.HasPrefix(raw, []byte{0xfe, 0xff}):
		return utf.UTF16(utf.BigEndian, utf.IgnoreBOM), raw[2:]
	}
	return nil, raw
}

// unmarked knows UTF-16 without a mark: its spaces, line ends, delimiters and Latin
// letters have a NUL on one side, and hardly any on the other.
func unmarked(raw []byte) encoding.Encoding {
	n := min(len(raw), 64<<10) &^ 1
	if n < 8 {
		return nil
	}
	var little, big, none, ascii int
	for i := 0; i < n; i += 2 {
		a, b := raw[i], raw[i+1]
		switch {
		case a == 0 && b == 0:
			none++
		case b == 0 && (a >= ' ' && a < 0x7f || a >= '\t' && a <= '\r'):
			little++
		case a == 0 && (b >= ' ' && b < 0x7f || b >= '\t' && b <= '\r'):
			big++
		case a >= ' ' && a < 0x7f && b >= ' ' && b < 0x7f:
			ascii++
		}
	}
	// One in ten of the characters of any language is a space or a sign.
	units := n / 2
	switch {
	case none*100 > units || ascii*2 > units:
		return nil
	case little*12 > units && little > 8*big:
		return utf.UTF16(utf.LittleEndian, utf.IgnoreBOM)
	case big*12 > units && big > 8*little:
		return utf.UTF16(utf.BigEndian, utf.IgnoreBOM)
	}
	return nil
}

// controls finds control characters that no text has, when there are too many to be
// an accident.
func controls(raw []byte) (at int, bad bool) {
	n, count := min(len(raw), 64<<10), 0
	at = -1
	for i, c := range raw[:n] {
		if c < 9 || c > 13 && c < 32 && c != 27 {
			if at < 0 {
				at = i
			}
			count++
		}
	}
	return at, count > 3 && count*50 > n
}

// brokenUTF8 reports whether a text is UTF-8 but for a few bytes: one in ten of the
// characters that are not ASCII, or a character that is cut at the end.
func brokenUTF8(raw []byte) (at int, almost bool) {
	whole, broken := 0, 0
	at = -1
	for i := 0; i < len(raw); {
		if raw[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && size == 1 {
			if at < 0 {
				at = i
			}
			broken++
		} else {
			whole++
		}
		i += size
	}
	return at, whole > 0 && (broken*10 <= whole || at >= len(raw)-3)
}

var charset = pattern.New(`(?i)^[^<]*<(?s:.*?)(?:charset|encoding)\s*=\s*["']?([A-Za-z0-9_-]+)`)

// declared returns the single-byte encoding that markup names, if it names one.
func declared(raw []byte) encoding.Encoding {
	m := charset.FindSubmatch(raw[:min(len(raw), 4<<10)])
	if m == nil {
		return nil
	}
	enc, err := htmlindex.Get(string(m[1]))
	if err != nil {
		return nil
	}
	if _, single := enc.(*charmap.Charmap); !single {
		return nil
	}
	return enc
}

// An alphabet is the letters of a language beyond ASCII, and the code page that has
// them. Earlier ones win when several fit.
type alphabet struct {
	page     *charmap.Charmap
	letters  string
	cyrillic bool // its letters never stand beside Latin ones in a word
}

var alphabets = []alphabet{
	{charmap.Windows1252, "äöüß", false},                              // German
	{charmap.Windows1252, "àâæçéèêëîïôœùûüÿ", false},                  // French
	{charmap.Windows1252, "áéíñóúü", false},                           // Spanish
	{charmap.Windows1252, "áâãàçéêíóôõúü", false},                     // Portuguese
	{charmap.Windows1252, "àèéìíîòóùú", false},                        // Italian
	{charmap.Windows1252, "åäöæøéü", false},                           // Nordic
	{charmap.Windows1252, "áéëïíóöúüèê", false},                       // Dutch
	{charmap.Windows1250, "ąćęłńóśźż", false},                         // Polish
	{charmap.Windows1250, "áčďéěíňóřšťúůýž", false},                   // Czech
	{charmap.Windows1250, "áäčďéíľĺňóôŕšťúýž", false},                 // Slovak
	{charmap.Windows1250, "áéíóöőúüű", false},                         // Hungarian
	{charmap.Windows1250, "čćđšž", false},                             // Croatian, Slovene
	{charmap.Windows1250, "ăâîşţ", false},                             // Romanian
	{charmap.Windows1251, "абвгдеёжзийклмнопрстуфхцчшщъыьэюя", true},  // Russian, Bulgarian
	{charmap.Windows1251, "абвгґдеєжзиіїйклмнопрстуфхцчшщьюяў", true}, // Ukrainian, Belarusian
	{charmap.Windows1251, "абвгдђежзијклљмнњопрстћуфхцчџшѓќѕ", true},  // Serbian, Macedonian
	{charmap.Windows1254, "çğıiöşüâîû", false},                        // Turkish
	{charmap.Windows1252, "áæðéíóöúýþ", false},                        // Icelandic
}

// A use is how often a byte beyond ASCII occurs, by what stands beside it.
type use [4]int

// What stands beside a byte.
const (
	alone   = iota // neither a letter nor another byte beyond ASCII
	edge           // an ASCII letter on one side
	inside         // ASCII letters on both sides
	another        // another byte beyond ASCII, and no ASCII letter
)

// codePage chooses the code page with the language whose alphabet covers most letters
// beyond ASCII. A page other than Windows-1252 needs two different letters or one inside
// a word. sure is false when another page covers as many but reads them differently, or
// when no language covers half.
func codePage(raw []byte) (best *charmap.Charmap, sure bool) {
	uses := usesOf(raw)
	best = charmap.Windows1252
	top, ties, letters, proven := 0.0, []*charmap.Charmap(nil), false, true
	for _, a := range alphabets {
		fit := a.fit(&uses)
		letters = letters || fit.all > 0
		switch share := fit.share(); {
		case share > top:
			best, top, ties, proven = a.page, share, nil, fit.proven
		case share == top && a.page != best:
			ties = append(ties, a.page)
		}
	}
	if !letters { // spaces, quotes and dashes alone, which are the same everywhere
		return charmap.Windows1252, true
	}
	if best != charmap.Windows1252 && !proven {
		return charmap.Windows1252, false
	}
	sure = top >= 0.5
	for _, other := range ties {
		for b, u := range uses {
			if u != (use{}) && best.DecodeByte(byte(b+128)) != other.DecodeByte(byte(b+128)) {
				sure = false
			}
		}
	}
	return best, sure
}

// usesOf counts the bytes beyond ASCII in the first MiB.
func usesOf(raw []byte) (uses [128]use) {
	raw = raw[:min(len(raw), 1<<20)]
	for i, c := range raw {
		if c < 128 {
			continue
		}
		before, after := byte(' '), byte(' ')
		if i > 0 {
			before = raw[i-1]
		}
		if i+1 < len(raw) {
			after = raw[i+1]
		}
		beside := alone
		switch l, r := isASCIILetter(before), isASCIILetter(after); {
		case l && r:
			beside = inside
		case l || r:
			beside = edge
		case before >= 128 || after >= 128:
			beside = another
		}
		uses[c-128][beside]++
	}
	return uses
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// A fit is how well an alphabet explains the bytes beyond ASCII.
type fit struct {
	covered, all int
	proven       bool // by two different letters, or one inside a word
}

func (f fit) share() float64 { return float64(f.covered) / float64(max(f.all, 1)) }

// fit counts the letters beyond ASCII in words, and those that the alphabet has. Signs
// between letters count as letters that it has not, but for quotes, dashes and spaces.
func (a alphabet) fit(uses *[128]use) (f fit) {
	different := 0
	for b, u := range uses {
		r := a.page.DecodeByte(byte(b + 128))
		n := u[edge] + u[inside] + u[another]
		switch {
		case r == utf8.RuneError:
			f.all += n + u[alone]
		case unicode.IsLetter(r) && strings.ContainsRune(a.letters, unicode.ToLower(r)):
			f.all += n
			good := n
			if a.cyrillic {
				good = u[another]
			}
			f.covered += good
			if good > 0 {
				different++
			}
			f.proven = f.proven || different > 1 || u[inside] > 0 && !a.cyrillic
		case unicode.IsLetter(r):
			f.all += n
		case !unicode.In(r, unicode.Zs, unicode.Pd, unicode.Pf, unicode.Pi):
			f.all += u[inside]
		}
	}
	return f
}

func newlines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}
