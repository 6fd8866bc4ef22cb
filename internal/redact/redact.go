// Package redact takes secrets out of text: every value that it is told, however it is
// escaped or encoded (view.go), and whatever has the shape of a known token (shape.go).
// It is the last thing before text is recorded, shown or sent to a model.
package redact

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// A Value is a secret and what is shown in its place.
type Value struct{ Name, Text string }

// Shortest is the length of the shortest value that is looked for, in bytes; a shorter
// one could not be told from ordinary words.
const Shortest = 8

// A Redactor takes secrets out of text. It is pure; the zero value and nil know shapes
// only. Safe for concurrent use.
type Redactor struct {
	labels  []string
	needles []needle
	byHead  map[uint64][]int32  // the first 8 bytes of a needle → needles
	filter  [1 << 10]uint64     // bits of heads, by a hash
	starts  map[string]struct{} // of needles, shorter than a head
}

// A needle is one form of a value.
type needle struct {
	text  string
	label int32
}

// New returns a redactor of values.
func New(values []Value) *Redactor {
	r := &Redactor{byHead: make(map[uint64][]int32), starts: make(map[string]struct{})}
	seen := make(map[string]struct{})
	for _, v := range values {
		if len(v.Text) < Shortest {
			continue
		}
		label := int32(len(r.labels)) //nolint:gosec // far fewer
		r.labels = append(r.labels, labelOf(v))
		for _, form := range forms(v.Text) {
			if _, known := seen[form]; known || len(form) < Shortest {
				continue
			}
			seen[form] = struct{}{}
			head := headOf(form)
			r.byHead[head] = append(r.byHead[head], int32(len(r.needles))) //nolint:gosec // far fewer
			h := hash(head)
			r.filter[h>>6] |= 1 << (h & 63)
			r.needles = append(r.needles, needle{form, label})
			for n := 1; n < Shortest; n++ {
				r.starts[form[:n]] = struct{}{}
			}
		}
	}
	for i, l := range r.labels {
		if slices.ContainsFunc(values, func(v Value) bool { return len(v.Text) >= Shortest && strings.Contains(l, v.Text) }) {
			r.labels[i] = "[...]" // the name itself would tell
		}
	}
	return r
}

// labelOf is what is shown instead of a value; it needs no escaping anywhere.
func labelOf(v Value) string {
	return "[redacted " + strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_-./ ", c) {
			return c
		}
		return '_'
	}, v.Name) + "]"
}

func headOf(s string) (h uint64) {
	for i := range 8 {
		h = h<<8 | uint64(s[i])
	}
	return h
}

func hash(head uint64) uint64 { return (head * 0x9E3779B97F4A7C15) >> 48 }

// A span is a part of a text that is hidden.
type span struct {
	from, to int
	label    string
	stored   bool // a stored value; its name wins over a shape's
}

// Text returns s without secrets.
func (r *Redactor) Text(s string) string {
	if len(s) < Shortest {
		return s
	}
	return hide(s, r.spans(s))
}

// JSON returns a document in which the stored values are hidden, and nothing that only looks like a
// secret. It stays a document of the same form. Everything that is recorded passes it, so it looks
// for values as they are written and escaped, and for none that is broken into lines.
func (r *Redactor) JSON(raw []byte) []byte {
	if r == nil || len(r.needles) == 0 {
		return raw
	}
	s := string(raw)
	spans := r.stored(s)
	if len(spans) == 0 {
		return raw
	}
	if out := []byte(hide(s, spans)); json.Valid(out) {
		return out
	}
	return r.strings(raw)
}

// strings hides the stored values in each text of a document.
func (r *Redactor) strings(raw []byte) []byte {
	var doc any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&doc) != nil {
		return raw
	}
	out, err := json.Marshal(r.within(doc))
	if err != nil {
		return raw
	}
	return out
}

func (r *Redactor) within(doc any) any {
	switch v := doc.(type) {
	case string:
		return hide(v, r.find(view{text: v}, nil))
	case []any:
		for i := range v {
			v[i] = r.within(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = r.within(v[k])
		}
	}
	return doc
}

// hide returns s with labels in place of the spans.
func hide(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	var b strings.Builder
	at := 0
	for i := 0; i < len(spans); {
		now := spans[i]
		for i++; i < len(spans) && spans[i].from < now.to; i++ { // overlapping ones are hidden together
			now.to = max(now.to, spans[i].to)
			if spans[i].stored && !now.stored {
				now.label, now.stored = spans[i].label, true
			}
		}
		b.WriteString(s[at:now.from])
		b.WriteString(now.label)
		at = now.to
	}
	b.WriteString(s[at:])
	return b.String()
}

// spans finds what is to be hidden, in every view of the text.
func (r *Redactor) spans(s string) []span {
	raw := view{text: s}
	out := shapes(raw, nil)
	out = r.search(raw, out)
	v := raw
	for range 2 { // text in JSON, and JSON in JSON
		if !strings.Contains(v.text, `\`) {
			break
		}
		v = unescaped(v)
		out = r.search(v, shapes(v, out))
	}
	return out
}

// search finds stored values in a view, in what it is with percent signs resolved, and
// both without blanks.
func (r *Redactor) search(v view, out []span) []span {
	if r == nil || len(r.needles) == 0 {
		return out
	}
	out = r.find(v, out)
	out = r.find(unspaced(v), out)
	if strings.Contains(v.text, "%") {
		p := unquoted(v)
		out = r.find(p, out)
		out = r.find(unspaced(p), out)
	}
	return out
}

// find finds stored values in one view.
func (r *Redactor) find(v view, out []span) []span {
	s := v.text
	if len(s) < Shortest {
		return out
	}
	head := headOf(s)
	for i := 0; ; i++ {
		if h := hash(head); r.filter[h>>6]&(1<<(h&63)) != 0 {
			for _, n := range r.byHead[head] {
				if x := r.needles[n]; strings.HasPrefix(s[i:], x.text) {
					from, to := v.source(i, i+len(x.text))
					out = append(out, span{from, to, r.labels[x.label], true})
				}
			}
		}
		if i+8 >= len(s) {
			return out
		}
		head = head<<8 | uint64(s[i+8])
	}
}
