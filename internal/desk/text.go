package desk

import (
	"bytes"
	"reflect"
	"strings"
	"unicode/utf8"

	"chela/internal/query"
)

// textTerm returns what decides a term that asks for a text which no narrow row has, for one caller at a time. It is not ok for any other
// term.
func textTerm(k Kind, t query.Term) (holds func(*Record, Thing) bool, ok bool) {
	if t.Field.Type != query.Text || t.Field.Column != "" || t.Op != query.Is && t.Op != query.Contains || InValues(t) {
		return nil, false
	}
	each := textsOf(k, t.Field)
	if each == nil {
		return nil, false
	}
	s := sought{part: t.Op == query.Contains}
	orNone := false
	for _, v := range t.Values {
		if v.None {
			orNone = true
		} else {
			s.wanted = append(s.wanted, []byte(strings.ToLower(v.Text)))
		}
	}
	look := s.look
	return func(r *Record, thing Thing) bool {
		s.some, s.found = false, false
		each(r, thing, look)
		return s.found || orNone && !s.some
	}, true
}

// A sought is what is looked for in the texts of a record, and what was seen of them.
type sought struct {
	wanted [][]byte // in small letters
	part   bool     // of a text, else all of it
	some   bool     // a text that is not empty was seen
	found  bool
	small  []byte // the last text in small letters, kept for its room
}

// look looks at one text and says whether to go on.
func (s *sought) look(text string) bool {
	s.some = s.some || text != ""
	if len(s.wanted) == 0 {
		return !s.some
	}
	s.small = small(s.small[:0], text)
	for _, w := range s.wanted {
		if s.part && bytes.Contains(s.small, w) || !s.part && bytes.Equal(s.small, w) {
			s.found = true
		}
	}
	return !s.found
}

// small appends a text in small letters, without the characters that a database cannot hold.
func small(out []byte, text string) []byte {
	for i := range len(text) {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			return append(out[:0], strings.ToLower(strings.ReplaceAll(text, "\x00", ""))...)
		case c == 0:
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		out = append(out, c)
	}
	return out
}

// textsOf returns what shows the texts of a field, until it is told to stop: one, "" when it is not set, or those of a list. It is nil
// for a field that holds anything else.
func textsOf(k Kind, f query.Field) func(r *Record, thing Thing, look func(string) bool) {
	switch {
	case f.Place == query.InColumn && f.Path == "created_by":
		return func(r *Record, _ Thing, look func(string) bool) { look(r.CreatedBy) }
	case f.Place == query.InColumn && f.Path == "updated_by":
		return func(r *Record, _ Thing, look func(string) bool) { look(r.UpdatedBy) }
	case f.Place != query.InBody:
		return nil
	}
	at, of, _ := memberAt(reflect.TypeOf(specs[k].make()).Elem(), f.Path)
	if at == nil {
		return nil
	}
	member := func(thing Thing) reflect.Value { return reflect.ValueOf(thing).Elem().FieldByIndex(at) }
	switch {
	case of.Kind() == reflect.String && !f.Many:
		return func(_ *Record, thing Thing, look func(string) bool) { look(member(thing).String()) }
	case of.Kind() != reflect.Slice || !f.Many:
		return nil
	case f.Sub == "" && of.Elem().Kind() == reflect.String:
		return func(_ *Record, thing Thing, look func(string) bool) { elements(member(thing), nil, look) }
	case f.Sub == "" || of.Elem().Kind() != reflect.Struct:
		return nil
	}
	inner, of, _ := memberAt(of.Elem(), f.Sub)
	if inner == nil || of.Kind() != reflect.String {
		return nil
	}
	return func(_ *Record, thing Thing, look func(string) bool) { elements(member(thing), inner, look) }
}

// elements shows the elements of a list of texts, or a member of each.
func elements(list reflect.Value, at []int, look func(string) bool) {
	for i := range list.Len() {
		v := list.Index(i)
		if at != nil {
			v = v.FieldByIndex(at)
		}
		if !look(v.String()) {
			return
		}
	}
}
