package desk

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"chela/internal/query"
)

// Decided returns what decides a term that no narrow row decides by a record that is held decoded, for one caller at a time. It is
// not ok for any other term.
func Decided(k Kind, t query.Term) (holds func(*Record, Thing) bool, ok bool) {
	if holds, ok = textTerm(k, t); ok {
		return holds, true
	}
	f := t.Field
	none := func(v query.Value) bool { return v.None }
	switch {
	case f.Column != "" || f.Place != query.InBody || InValues(t):
		return nil, false
	case f.Type == query.Presence && (f.Many || slices.ContainsFunc(t.Values, func(v query.Value) bool { return !v.None })):
		return nil, false
	case f.Type != query.Number && f.Type != query.Day && f.Type != query.Flag && f.Type != query.Set && f.Type != query.Presence:
		return nil, false
	}
	at, of, omits := memberAt(reflect.TypeOf(specs[k].make()).Elem(), f.Path)
	if at == nil {
		return nil, false
	}
	fits := t
	fits.Values = slices.DeleteFunc(slices.Clone(t.Values), none)
	orNone := len(fits.Values) < len(t.Values)
	if !f.Many {
		return func(_ *Record, thing Thing) bool {
			x := reflect.ValueOf(thing).Elem().FieldByIndex(at)
			return orNone && unset(f, x, omits) || anyFits(fits, x, omits)
		}, true
	}
	if f.Sub == "" || of.Kind() != reflect.Slice || of.Elem().Kind() != reflect.Struct {
		return nil, false
	}
	inner, _, omits := memberAt(of.Elem(), f.Sub)
	if inner == nil {
		return nil, false
	}
	return func(_ *Record, thing Thing) bool {
		list, some := reflect.ValueOf(thing).Elem().FieldByIndex(at), false
		for i := range list.Len() {
			x := list.Index(i).FieldByIndex(inner)
			if anyFits(fits, x, omits) {
				return true
			}
			some = some || !unset(f, x, omits)
		}
		return orNone && !some
	}, true
}

// unset reports whether the JSON of a member has no value for a field. omits says that an empty one is left out.
func unset(f query.Field, x reflect.Value, omits bool) bool {
	x, there := inJSON(x, omits)
	switch f.Type {
	case query.Number:
		return !there
	case query.Flag:
		return false // what is not set is false
	case query.Presence:
		if !there || x.Kind() == reflect.Slice || x.Kind() == reflect.Map {
			return !there || x.Len() == 0
		}
		raw, err := json.Marshal(x.Interface())
		return err == nil && slices.Contains([]string{`""`, "[]", "{}", "null"}, string(raw))
	case query.Text, query.Set, query.Day, query.Ref, query.Person, query.Instant:
	}
	return !there || x.String() == ""
}

// inJSON is what a member's JSON is made from. It is not there when the member is left out.
func inJSON(x reflect.Value, omits bool) (is reflect.Value, there bool) {
	if x.Kind() == reflect.Pointer {
		return x.Elem(), !x.IsNil()
	}
	empty := x.IsZero() && x.Kind() != reflect.Struct || (x.Kind() == reflect.Slice || x.Kind() == reflect.Map) && x.Len() == 0
	return x, !omits || !empty
}

// anyFits reports whether a member is one of the values of a term.
func anyFits(t query.Term, x reflect.Value, omits bool) bool {
	x, there := inJSON(x, omits)
	return slices.ContainsFunc(t.Values, func(v query.Value) bool {
		switch t.Field.Type {
		case query.Number:
			return there && v.Compares(t.Op, number(x))
		case query.Flag:
			return (there && x.Bool()) == (v.Text == "true")
		case query.Day:
			if !there || x.String() == "" {
				return false
			}
			day := x.String()[:min(len(x.String()), len("2006-01-02"))]
			return t.Op.Within(day, string(DateOf(v.From)), string(DateOf(v.To)))
		case query.Set:
			return there && slices.Contains(t.Fitting(v), x.String())
		case query.Text, query.Ref, query.Person, query.Presence, query.Instant:
		}
		return false
	})
}

func number(x reflect.Value) float64 {
	switch {
	case x.CanInt():
		return float64(x.Int())
	case x.CanUint():
		return float64(x.Uint())
	}
	return x.Float()
}

// memberAt finds the member of a struct with a JSON name, to which no pointer leads, and whether its JSON is left out
// when it is empty.
func memberAt(t reflect.Type, name string) (at []int, of reflect.Type, omits bool) {
	for _, f := range reflect.VisibleFields(t) {
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag != name || !f.IsExported() {
			continue
		}
		for i := range f.Index[:len(f.Index)-1] {
			if t.FieldByIndex(f.Index[:i+1]).Type.Kind() == reflect.Pointer {
				return nil, nil, false
			}
		}
		return f.Index, f.Type, strings.Contains(options, "omit")
	}
	return nil, nil, false
}
