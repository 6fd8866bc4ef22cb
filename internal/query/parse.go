package query

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"chela/internal/fault"
)

const none = "none"

var keywords = []string{"AND", "OR", "NOT"}

// What a filter may be at most.
const (
	maxText  = 4096 // bytes
	maxTerms = 100  // terms and values
	maxDepth = 30   // parentheses and negations
)

// Parse reads a filter over fields; times are relative to now. No text is no condition,
// nil. What cannot be read is a fault of the field "filter" that says where.
func Parse(text string, fields Fields, now time.Time) (Expr, error) {
	if len(text) > maxText {
		return nil, fault.BadField("filter", fmt.Sprintf("The filter is longer than %d bytes.", maxText))
	}
	p := &parser{in: text, fields: fields, now: now.UTC().Truncate(time.Microsecond)}
	if i := strings.IndexFunc(text, func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) && !unicode.IsSpace(r) }); i >= 0 {
		return nil, p.bad(i, "This is no character of a text.")
	}
	if p.blanks(); p.at == len(p.in) {
		return nil, nil
	}
	e, err := p.or()
	if err == nil && p.at < len(p.in) {
		err = p.bad(p.at, "The parenthesis closes none that is open.")
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

type parser struct {
	in     string
	at     int // in bytes
	depth  int
	terms  int
	fields Fields
	now    time.Time
}

// bad is a fault at a place, which people count in characters from 1.
func (p *parser) bad(at int, text string, allowed ...string) error {
	return fault.BadField("filter", fmt.Sprintf("At character %d: %s", utf8.RuneCountInString(p.in[:at])+1, text), allowed...)
}

func (p *parser) blanks() {
	p.at += len(p.in[p.at:]) - len(strings.TrimLeftFunc(p.in[p.at:], unicode.IsSpace))
}

// next reports whether the byte c comes next.
func (p *parser) next(c byte) bool { return p.at < len(p.in) && p.in[p.at] == c }

// keyword takes a word when it comes next and stands alone.
func (p *parser) keyword(word string) bool {
	rest, ok := strings.CutPrefix(p.in[p.at:], word)
	if r, _ := utf8.DecodeRuneInString(rest); !ok || rest != "" && !unicode.IsSpace(r) && r != '(' && r != ')' && r != '"' {
		return false
	}
	p.at += len(word)
	p.blanks()
	return true
}

func (p *parser) or() (Expr, error) {
	var out Or
	for {
		e, err := p.and()
		if err != nil {
			return nil, err
		}
		if more, ok := e.(Or); ok {
			out = append(out, more...)
		} else {
			out = append(out, e)
		}
		if !p.keyword("OR") {
			break
		}
	}
	if len(out) == 1 {
		return out[0], nil
	}
	return out, nil
}

func (p *parser) and() (Expr, error) {
	var out And
	for {
		e, err := p.unary()
		if err != nil {
			return nil, err
		}
		if more, ok := e.(And); ok {
			out = append(out, more...)
		} else {
			out = append(out, e)
		}
		joined := p.keyword("AND")
		before := p.at
		if !joined && (p.at == len(p.in) || p.next(')') || p.keyword("OR")) {
			p.at = before // the OR is for the caller
			break
		}
	}
	if len(out) == 1 {
		return out[0], nil
	}
	return out, nil
}

func (p *parser) unary() (Expr, error) {
	start := p.at
	if p.depth++; p.depth > maxDepth {
		return nil, p.bad(start, fmt.Sprintf("More than %d parentheses and negations are inside each other.", maxDepth))
	}
	defer func() { p.depth-- }()
	not := p.keyword("NOT")
	if !not && p.next('-') && p.at+1 < len(p.in) && !unicode.IsSpace(rune(p.in[p.at+1])) {
		p.at++
		not = true
	}
	if not {
		e, err := p.unary()
		return Not{e}, err
	}
	if !p.next('(') {
		return p.term()
	}
	p.at++
	p.blanks()
	e, err := p.or()
	if err != nil {
		return nil, err
	}
	if !p.next(')') {
		return nil, p.bad(start, "The parenthesis is not closed.")
	}
	p.at++
	p.blanks()
	return e, nil
}

// count bounds how much a filter asks for.
func (p *parser) count(at int) error {
	if p.terms++; p.terms > maxTerms {
		return p.bad(at, fmt.Sprintf("The filter has more than %d terms and values.", maxTerms))
	}
	return nil
}

func (p *parser) term() (Expr, error) {
	start := p.at
	defer p.blanks()
	if err := p.count(start); err != nil {
		return nil, err
	}
	if p.at == len(p.in) || p.next(')') || p.keyword("OR") || p.keyword("AND") {
		return nil, p.bad(start, "A term is missing here.")
	}
	if p.next('"') {
		words, err := p.quote()
		return p.match(start, words, err)
	}
	name := p.run(`:"()`)
	if !p.next(':') {
		return p.match(start, name, nil)
	}
	p.at++
	if strings.EqualFold(name, "has") {
		return p.has(start)
	}
	field, ok := p.fields.Find(name)
	if !ok {
		return nil, p.unknown(start, name)
	}
	return p.compare(start, field)
}

func (p *parser) unknown(at int, name string) error {
	known := append(p.fields.names(func(Field) bool { return true }), "has")
	hint := "Put quotes around it to look for the text."
	if near := fault.Near(name, known); len(near) > 0 {
		hint, known = "Did you mean "+strings.Join(near, " or ")+"?", nil
	}
	return p.bad(at, fmt.Sprintf("There is no field %q of the kind %s. %s", name, p.fields.Of, hint), known...)
}

func (p *parser) match(at int, words string, err error) (Expr, error) {
	if err != nil {
		return nil, err
	}
	if _, err := Seek(words); err != nil {
		return nil, p.bad(at, fault.TextOf(err))
	}
	return Match{words}, nil
}

// has reads the field after has:.
func (p *parser) has(start int) (Expr, error) {
	at := p.at
	name := p.run(`"()`)
	field, ok := p.fields.Find(name)
	if !ok {
		return nil, p.unknown(at, name)
	}
	if p.at < len(p.in) && p.next('"') {
		return nil, p.bad(start, "After has: comes the name of a field.")
	}
	return Not{Term{Field: field, Values: []Value{{None: true}}}}, nil
}

// run takes what comes up to a blank or one of stop.
func (p *parser) run(stop string) string {
	rest := p.in[p.at:]
	n := strings.IndexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(stop, r) })
	if n < 0 {
		n = len(rest)
	}
	p.at += n
	return rest[:n]
}

// quote reads a quoted text, in which \ stands before a " or a \ that is meant.
func (p *parser) quote() (string, error) {
	start := p.at
	var out strings.Builder
	for p.at++; p.at < len(p.in); p.at++ {
		switch c := p.in[p.at]; {
		case c == '"':
			p.at++
			return out.String(), nil
		case c == '\\' && p.at+1 < len(p.in) && (p.in[p.at+1] == '"' || p.in[p.at+1] == '\\'):
			p.at++
			out.WriteByte(p.in[p.at])
		default:
			out.WriteByte(c)
		}
	}
	return "", p.bad(start, "The quote is not closed.")
}

// compare reads what comes after a field and its colon.
func (p *parser) compare(start int, f Field) (Expr, error) {
	t := Term{Field: f}
	for _, op := range []Op{AtLeast, AtMost, More, Less, Contains} {
		if strings.HasPrefix(p.in[p.at:], string(op)) {
			t.Op = op
			p.at += len(op)
			break
		}
	}
	if fits := f.Type.ops(); t.Op != Is && !slices.Contains(fits, t.Op) {
		allowed := []string{f.Name + ":" + none}
		for _, op := range fits {
			allowed = append(allowed, string(op))
		}
		return nil, p.bad(start, fmt.Sprintf("The field %s cannot be compared with %s.", f.Name, t.Op), allowed...)
	}
	for {
		v, err := p.value(t)
		if err != nil {
			return nil, err
		}
		t.Values = append(t.Values, v)
		if !p.next(',') {
			break
		}
		if t.Op != Is && t.Op != Contains {
			return nil, p.bad(p.at, fmt.Sprintf("After %s comes one value.", t.Op))
		}
		p.at++
		if err := p.count(p.at); err != nil {
			return nil, err
		}
	}
	if p.next('(') || p.next('"') {
		return nil, p.bad(p.at, "A blank or a comma is missing here.")
	}
	return t, nil
}

func (p *parser) value(t Term) (Value, error) {
	at := p.at
	if p.next('"') {
		text, err := p.quote()
		if err != nil {
			return Value{}, err
		}
		return p.read(at, t, text)
	}
	text := p.run(`"(),`)
	if text == "" {
		return Value{}, p.bad(at, fmt.Sprintf("The value of %s is missing.", t.Field.Name))
	}
	if text == none && t.Op == Is {
		return Value{None: true}, nil
	}
	return p.read(at, t, text)
}
