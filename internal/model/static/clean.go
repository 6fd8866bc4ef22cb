package static

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// deepest is how many lists of steps may lie in one another.
const deepest = 4

// A step is one of a tokenizer: what its type needs of the rest is set.
type step struct {
	Type        string            `json:"type"`
	Steps       []json.RawMessage `json:"normalizers"`
	Cuts        []json.RawMessage `json:"pretokenizers"`
	CleanText   *bool             `json:"clean_text"`
	Chinese     *bool             `json:"handle_chinese_chars"`
	Accents     *bool             `json:"strip_accents"`
	Lower       *bool             `json:"lowercase"`
	Left        *bool             `json:"strip_left"`
	Right       *bool             `json:"strip_right"`
	Prepend     string            `json:"prepend"`
	Content     string            `json:"content"`
	Replacement string            `json:"replacement"`
	Scheme      string            `json:"prepend_scheme"`
	AddSpace    *bool             `json:"add_prefix_space"`
	Split       *bool             `json:"split"`
	Pattern     struct {
		String *string `json:"String"`
		Regex  *string `json:"Regex"`
	} `json:"pattern"`
}

func readStep(raw json.RawMessage, depth int) (s step, none bool, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return s, true, nil
	}
	if depth > deepest {
		return s, false, wrong("the steps of %s lie too deep in one another", tokenizerFile)
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return s, false, wrong("a step of %s cannot be read: %w", tokenizerFile, err)
	}
	return s, false, nil
}

func unless(no *bool) bool { return no == nil || *no }

// readCleaners reads what is done to a text before it is cut.
func (t *tokenizer) readCleaners(raw json.RawMessage, depth int) error {
	s, none, err := readStep(raw, depth)
	if none || err != nil {
		return err
	}
	add := func(f ...func(string) string) { t.clean = append(t.clean, f...) }
	switch s.Type {
	case "Sequence":
		for _, n := range s.Steps {
			if err := t.readCleaners(n, depth+1); err != nil {
				return err
			}
		}
	case "BertNormalizer":
		t.bert(s)
	case "Lowercase":
		add(strings.ToLower)
	case "NFC":
		add(norm.NFC.String)
	case "NFD":
		add(norm.NFD.String)
	case "NFKC", "Precompiled": // the rules that a file brings compiled are those of NFKC but for a few characters
		add(norm.NFKC.String)
	case "NFKD":
		add(norm.NFKD.String)
	case "Nmt":
		add(withoutControls)
	case "StripAccents":
		add(withoutMarks)
	case "Strip":
		add(func(x string) string {
			if unless(s.Left) {
				x = strings.TrimLeftFunc(x, unicode.IsSpace)
			}
			if unless(s.Right) {
				x = strings.TrimRightFunc(x, unicode.IsSpace)
			}
			return x
		})
	case "Prepend":
		add(func(x string) string {
			if x == "" {
				return x
			}
			return s.Prepend + x
		})
	case "Replace":
		replace, err := s.replacer()
		if err != nil {
			return err
		}
		add(replace)
	default:
		return wrong("%s asks for the step %q before a text is cut, which is not known", tokenizerFile, s.Type)
	}
	return nil
}

func (t *tokenizer) bert(s step) {
	if unless(s.CleanText) {
		t.clean = append(t.clean, withoutControls)
	}
	if unless(s.Chinese) {
		t.clean = append(t.clean, apart)
	}
	lower := unless(s.Lower)
	if s.Accents != nil && *s.Accents || s.Accents == nil && lower {
		t.clean = append(t.clean, norm.NFD.String, withoutMarks)
	}
	if lower {
		t.clean = append(t.clean, strings.ToLower)
	}
}

// replacer is the step Replace.
func (s step) replacer() (func(string) string, error) {
	switch {
	case s.Pattern.String != nil && *s.Pattern.String != "":
		old := *s.Pattern.String
		return func(x string) string { return strings.ReplaceAll(x, old, s.Content) }, nil
	case s.Pattern.Regex != nil:
		re, err := regexp.Compile(*s.Pattern.Regex)
		if err != nil {
			return nil, wrong("%s replaces by a pattern that is not known: %w", tokenizerFile, err)
		}
		return func(x string) string { return re.ReplaceAllLiteralString(x, s.Content) }, nil
	}
	return nil, wrong("%s replaces nothing", tokenizerFile)
}

// withoutControls takes out characters that are no text, and makes all blanks alike.
func withoutControls(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == 0 || r == unicode.ReplacementChar || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Cs, unicode.Co):
			return -1
		}
		return r
	}, text)
}

// withoutMarks takes out the accents of letters that are written apart from them.
func withoutMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, text)
}

// apart puts blanks around characters of Chinese.
func apart(text string) string {
	if !strings.ContainsFunc(text, chinese) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if chinese(r) {
			b.WriteString(" " + string(r) + " ")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func chinese(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2CEAF || r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}

// readCutters reads how a text is cut into words.
func (t *tokenizer) readCutters(raw json.RawMessage, depth int) error {
	s, none, err := readStep(raw, depth)
	if none || err != nil {
		return err
	}
	add := func(f func(string) []string) {
		t.cut = append(t.cut, func(in []string) []string {
			var out []string
			for _, w := range in {
				out = append(out, f(w)...)
			}
			return out
		})
	}
	switch s.Type {
	case "Sequence":
		for _, n := range s.Cuts {
			if err := t.readCutters(n, depth+1); err != nil {
				return err
			}
		}
	case "BertPreTokenizer":
		add(strings.Fields)
		add(marksApart)
	case "WhitespaceSplit":
		add(strings.Fields)
	case "Whitespace":
		add(strings.Fields)
		add(runs)
	case "Punctuation":
		add(marksApart)
	case "Digits":
		add(func(w string) []string { return split(w, unicode.IsDigit) })
	case "Metaspace":
		add(s.metaspace())
	default:
		return wrong("%s cuts texts by %q, which is not known", tokenizerFile, s.Type)
	}
	return nil
}

// metaspace writes blanks as a sign, and cuts before each.
func (s step) metaspace() func(string) []string {
	sign := s.Replacement
	if sign == "" {
		sign = "▁"
	}
	leads := s.Scheme == "always" || s.Scheme == "first" || s.Scheme == "" && unless(s.AddSpace)
	return func(w string) []string {
		w = strings.ReplaceAll(w, " ", sign)
		if leads && !strings.HasPrefix(w, sign) {
			w = sign + w
		}
		if !unless(s.Split) {
			return []string{w}
		}
		var out []string
		for i, p := range strings.Split(w, sign) {
			if i > 0 {
				p = sign + p
			}
			if p != "" {
				out = append(out, p)
			}
		}
		return out
	}
}

// mark reports whether a character stands between words.
func mark(r rune) bool {
	return unicode.IsPunct(r) || r < utf8Letters && r > ' ' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// utf8Letters is the first character beyond ASCII, whose signs all count as marks.
const utf8Letters = 0x80

func marksApart(w string) []string { return split(w, mark) }

// split cuts a word so that each character that alone says stands by itself.
func split(w string, alone func(rune) bool) []string {
	var out []string
	from := 0
	for i, r := range w {
		if !alone(r) {
			continue
		}
		if i > from {
			out = append(out, w[from:i])
		}
		from = i + len(string(r))
		out = append(out, w[i:from])
	}
	if from < len(w) {
		out = append(out, w[from:])
	}
	return out
}

// runs cuts a word where letters and other signs meet.
func runs(w string) []string {
	var out []string
	from, before := 0, false
	for i, r := range w {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_'
		if i > from && letter != before {
			out, from = append(out, w[from:i]), i
		}
		before = letter
	}
	if from < len(w) {
		out = append(out, w[from:])
	}
	return out
}
