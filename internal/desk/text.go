package desk

import (
	"reflect"
	"slices"
	"strings"

	"chela/internal/query"
)

// TextOf returns what decides a term that asks for a text which no narrow row has. It is not ok for any other term.
func TextOf(k Kind, t query.Term) (holds func(*Record, Thing) bool, ok bool) {
	if t.Field.Type != query.Text || t.Field.Column != "" || t.Op != query.Is && t.Op != query.Contains {
		return nil, false
	}
	if t.Field.Many && t.Field.Sub == "" && t.Op == query.Is && !slices.ContainsFunc(t.Values, func(v query.Value) bool { return v.None || v.Text == "" || len(v.Text) >= CutFrom }) {
		return nil, false // an index has them
	}
	each := textsOf(k, t.Field)
	if each == nil {
		return nil, false
	}
	wanted := make([]string, 0, len(t.Values))
	orNone := false
	for _, v := range t.Values {
		if orNone = orNone || v.None; !v.None {
			wanted = append(wanted, strings.ToLower(v.Text))
		}
	}
	return func(r *Record, thing Thing) bool {
		some := false
		for text := range each(r, thing) {
			some = some || text != ""
			if len(wanted) == 0 {
				continue
			}
			text = strings.ToLower(strings.ReplaceAll(text, "\x00", ""))
			if slices.ContainsFunc(wanted, func(w string) bool {
				if t.Op == query.Contains {
					return strings.Contains(text, w)
				}
				return text == w
			}) {
				return true
			}
		}
		return orNone && !some
	}, true
}

// textsOf returns what yields the texts of a field: one, "" when it is not set, or those of a list. It is nil for a field
// that holds anything else.
func textsOf(k Kind, f query.Field) func(*Record, Thing) func(func(string) bool) {
	switch {
	case f.Place == query.InColumn && f.Path == "created_by":
		return func(r *Record, _ Thing) func(func(string) bool) { return one(r.CreatedBy) }
	case f.Place == query.InColumn && f.Path == "updated_by":
		return func(r *Record, _ Thing) func(func(string) bool) { return one(r.UpdatedBy) }
	case f.Place != query.InBody:
		return nil
	}
	at, of := memberAt(reflect.TypeOf(specs[k].make()).Elem(), f.Path)
	if at == nil {
		return nil
	}
	member := func(thing Thing) reflect.Value { return reflect.ValueOf(thing).Elem().FieldByIndex(at) }
	switch {
	case of.Kind() == reflect.String && !f.Many:
		return func(_ *Record, thing Thing) func(func(string) bool) { return one(member(thing).String()) }
	case of.Kind() != reflect.Slice || !f.Many:
		return nil
	case f.Sub == "" && of.Elem().Kind() == reflect.String:
		return func(_ *Record, thing Thing) func(func(string) bool) { return elements(member(thing), nil) }
	case f.Sub == "" || of.Elem().Kind() != reflect.Struct:
		return nil
	}
	inner, of := memberAt(of.Elem(), f.Sub)
	if inner == nil || of.Kind() != reflect.String {
		return nil
	}
	return func(_ *Record, thing Thing) func(func(string) bool) { return elements(member(thing), inner) }
}

// memberAt finds the member of a struct with a JSON name, which no pointer leads to.
func memberAt(t reflect.Type, name string) (at []int, of reflect.Type) {
	for _, f := range reflect.VisibleFields(t) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag != name || !f.IsExported() {
			continue
		}
		for i := range f.Index[:len(f.Index)-1] {
			if t.FieldByIndex(f.Index[:i+1]).Type.Kind() == reflect.Pointer {
				return nil, nil
			}
		}
		return f.Index, f.Type
	}
	return nil, nil
}

func one(text string) func(func(string) bool) {
	return func(yield func(string) bool) { yield(text) }
}

// elements yields the elements of a list of texts, or a member of each.
func elements(list reflect.Value, at []int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for i := range list.Len() {
			v := list.Index(i)
			if at != nil {
				v = v.FieldByIndex(at)
			}
			if !yield(v.String()) {
				return
			}
		}
	}
}
