package markup

import (
	"html"
	"strings"
	"unicode/utf8"
)

// mark is what stands on both sides of marked text.
type mark struct{ open, close string }

// dialect is how a platform writes what a line holds. What a platform lacks is left zero.
type dialect struct {
	html  bool // tags and entities are not counted
	fixed bool // preformatted text is shown in one width, so that columns align
	edges bool // marks hold only at the edges of words

	bold, italic, strike, code mark

	fence     func(language string) mark
	quote     mark   // around a quote
	quoteLine string // before each of its lines
	bullet    string
	newline   string            // between two lines of a paragraph
	headings  int               // deepest level that has a mark of its own
	escape    func(spot) string // text
	verbatim  func(string) string
	begin     func(string) string // a written line of text that must not begin like a block
	link      func(label, target string) string
}

// spot is text with the runes around it, 0 at an edge.
type spot struct {
	text       string
	prev, next rune
}

func (d *dialect) mark(s style) mark {
	switch s {
	case bold:
		return d.bold
	case italic:
		return d.italic
	case strike:
		return d.strike
	case code:
		return d.code
	}
	return mark{}
}

func (d *dialect) measure(s string, u Unit) int {
	if d.html {
		s = stripped(s)
	}
	return u.count(s)
}

// stripped returns what a reader sees of HTML that this package wrote.
func stripped(s string) string {
	var b strings.Builder
	for s != "" {
		before, tag, found := strings.Cut(s, "<")
		b.WriteString(before)
		if !found {
			break
		}
		_, s, _ = strings.Cut(tag, ">")
	}
	return html.UnescapeString(b.String())
}

// written returns a line's spans as the platform takes them.
func (d *dialect) written(l *line) string {
	if l.body != "" {
		return l.body
	}
	if l.fence != nil && d.fence != nil {
		var b strings.Builder
		for _, s := range l.spans {
			b.WriteString(s.text)
		}
		l.body = d.verbatim(b.String())
		return l.body
	}
	w := writer{dialect: d}
	spans := tidied(l.spans)
	for i, s := range spans {
		var next rune
		if i+1 < len(spans) {
			next, _ = utf8.DecodeRuneInString(spans[i+1].text)
		}
		w.span(s, next)
	}
	w.marks(0)
	l.body = w.b.String()
	if d.begin != nil && (l.heading == 0 || l.heading > d.headings) {
		l.body = d.begin(l.body)
	}
	return l.body
}

// writer writes spans, opening and closing marks as they change.
type writer struct {
	*dialect
	b      strings.Builder
	open   []style
	last   rune // the last rune of text, 0 at the beginning
	marked bool // a mark was closed since
}

// marks closes and opens marks until those of want are open.
func (w *writer) marks(want style) {
	keep := 0
	for keep < len(w.open) && want&w.open[keep] != 0 {
		keep++
	}
	for i := len(w.open) - 1; i >= keep; i-- {
		w.b.WriteString(w.mark(w.open[i]).close)
		w.marked = true
	}
	w.open = w.open[:keep]
	for _, s := range []style{bold, italic, strike, code} {
		if want&s == 0 || w.mark(s).open == "" || w.has(s) {
			continue
		}
		if w.edges && (w.marked || wordy(w.last)) {
			w.b.WriteString(zeroWidthSpace)
			w.marked, w.last = false, 0
		}
		w.b.WriteString(w.mark(s).open)
		w.open = append(w.open, s)
	}
}

func (w *writer) has(s style) bool {
	for _, o := range w.open {
		if o == s {
			return true
		}
	}
	return false
}

func (w *writer) span(s span, next rune) {
	w.marks(s.style)
	first, _ := utf8.DecodeRuneInString(s.text)
	if w.edges && w.marked && wordy(first) {
		w.b.WriteString(zeroWidthSpace)
	}
	w.marked = false
	switch {
	case s.link != "":
		w.b.WriteString(w.link(s.text, s.link))
	case w.has(code):
		w.b.WriteString(w.verbatim(s.text))
	default:
		w.b.WriteString(w.escape(spot{s.text, w.last, next}))
	}
	w.last, _ = utf8.DecodeLastRuneInString(s.text)
}

// between returns what stands between two lines of a message: the end of what only prev is
// in, the line break, the beginning of what only next is in. A nil prev is the beginning of
// the message, a nil next its end. Columns up to base are not written.
func (d *dialect) between(prev, next *line, base int) string {
	if prev != nil && next != nil && prev.fence != nil && prev.fence == next.fence && d.fence != nil {
		return "\n"
	}
	var b strings.Builder
	same := prev != nil && next != nil && prev.quote == next.quote
	if prev != nil {
		if prev.fence != nil && d.fence != nil {
			b.WriteString(d.fence(prev.fence.language).close)
		}
		if prev.quote != 0 && !same {
			b.WriteString(d.quote.close)
		}
	}
	if next == nil {
		return b.String()
	}
	if prev != nil {
		b.WriteString(d.lineBreak(prev, next))
		if next.gap && prev.quote != 0 && same {
			b.WriteString(d.quoteLine)
		}
		if next.gap {
			b.WriteByte('\n')
		}
	}
	if next.quote != 0 && !same {
		b.WriteString(d.quote.open)
	}
	if next.quote != 0 {
		b.WriteString(d.quoteLine)
	}
	if next.fence != nil && d.fence != nil {
		b.WriteString(d.fence(next.fence.language).open)
		return b.String()
	}
	b.WriteString(strings.Repeat(" ", max(0, next.indent-base)))
	b.WriteString(next.marker)
	if next.heading > 0 && next.heading <= d.headings {
		b.WriteString(strings.Repeat("#", next.heading) + " ")
	}
	return b.String()
}

func (d *dialect) lineBreak(prev, next *line) string {
	if next.gap || next.marker != "" || prev.heading > 0 || prev.quote != next.quote {
		return "\n"
	}
	return d.newline
}
