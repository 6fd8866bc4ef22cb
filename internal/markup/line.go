package markup

import (
	"iter"
	"strings"
)

// style is a set of marks on a span.
type style uint8

const (
	bold style = 1 << iota
	italic
	strike
	code // alone: no platform lets code hold other marks
)

// span is text in one style. With a link it is one thing, never cut.
type span struct {
	text  string
	style style
	link  string // where it leads, already judged safe; "" for none
}

// fence is a block of preformatted text; its lines share it.
type fence struct{ language string }

// line is one line of a message, with what it stands in.
type line struct {
	spans   []span
	marker  string // bullet or number, on the first line of an item
	indent  int    // columns before the marker
	quote   int    // the quote it belongs to, 0 for none
	heading int    // 1 to 6, 0 for none
	fence   *fence
	gap     bool    // an empty line comes before it
	head    []*line // the table's head, on its rows
	body    string  // the spans as the dialect writes them, once asked for
}

// rest returns the line that continues l with spans after a cut.
func (l *line) rest(spans []span) *line {
	return &line{spans: spans, indent: l.indent + width(l.marker), quote: l.quote, heading: l.heading, fence: l.fence}
}

// upTo returns the line that ends before the cut.
func (l *line) upTo(spans []span) *line {
	head := *l
	head.spans, head.body = spans, ""
	return &head
}

// shows reports whether people see anything of the line.
func (l *line) shows() bool {
	if !blank(l.marker) {
		return true
	}
	for _, s := range l.spans {
		if !blank(s.text) {
			return true
		}
	}
	return false
}

// unit is a piece of the document that stays whole if a message can hold it: one line, or
// units of which this holds too.
type unit struct {
	line *line
	kids []*unit
	keep bool // of two kids, the first belongs with the beginning of the second
}

func (u *unit) lines() iter.Seq[*line] {
	return func(yield func(*line) bool) { u.each(yield) }
}

func (u *unit) each(yield func(*line) bool) bool {
	if u.line != nil {
		return yield(u.line)
	}
	for _, k := range u.kids {
		if !k.each(yield) {
			return false
		}
	}
	return true
}

func (u *unit) first() *line {
	for l := range u.lines() {
		return l
	}
	return nil
}

// split returns the units that a unit consists of, the first held together with a heading
// that belongs to it.
func (u *unit) split() []*unit {
	if !u.keep {
		return u.kids
	}
	head, block := u.kids[0], u.kids[1]
	if block.line != nil {
		return u.kids
	}
	kids := block.split()
	return append([]*unit{{kids: []*unit{head, kids[0]}, keep: true}}, kids[1:]...)
}

// tidied returns the spans with white space moved out of the marks: "*a *b" would not be
// bold anywhere. Code keeps its own.
func tidied(spans []span) []span {
	out := make([]span, 0, len(spans))
	add := func(s span) {
		if s.text == "" {
			return
		}
		if n := len(out); n > 0 && s.link == "" && out[n-1].link == "" && out[n-1].style == s.style {
			out[n-1].text += s.text
			return
		}
		out = append(out, s)
	}
	for _, s := range spans {
		if s.link != "" || s.style == 0 || s.style == code && !blank(s.text) {
			add(s)
			continue
		}
		if s.style == code {
			s.style = 0
		}
		core := strings.TrimFunc(s.text, invisible)
		if core == "" {
			out = append(out, s)
			continue
		}
		at := strings.Index(s.text, core)
		for _, t := range []string{s.text[:at], core, s.text[at+len(core):]} {
			if t != "" {
				out = append(out, span{text: t, style: s.style})
			}
		}
	}
	for _, mark := range []style{bold, italic, strike} {
		trimMark(out, mark)
	}
	return out
}

// trimMark takes a mark from the blank spans at both ends of each stretch that has it.
func trimMark(spans []span, mark style) {
	inside := false
	for i := range spans {
		inside = trimAt(spans, i, mark, inside)
	}
	inside = false
	for i := len(spans) - 1; i >= 0; i-- {
		inside = trimAt(spans, i, mark, inside)
	}
}

func trimAt(spans []span, i int, mark style, inside bool) bool {
	if spans[i].style&mark == 0 {
		return false
	}
	if !inside && spans[i].link == "" && blank(spans[i].text) {
		spans[i].style &^= mark
		return false
	}
	return true
}
