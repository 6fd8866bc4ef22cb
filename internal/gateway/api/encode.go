package api

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// encode writes an answer as JSON, byte for byte as encoding/json does without the escapes of HTML. A list of some ten thousand ids takes
// a fifth of the time.
func encode(w io.Writer, v any) error {
	t := reflect.TypeOf(v)
	if t == nil || !writingOf(t).ids {
		return encodeAny(w, v)
	}
	buf := encoded.Get().(*[]byte) //nolint:forcetypeassert,errcheck // it has nothing else
	out, err := writingOf(t).put((*buf)[:0], reflect.ValueOf(v))
	if err == nil {
		out = append(out, '\n')
		_, err = w.Write(out)
	}
	if cap(out) <= mostKept {
		*buf = out
		encoded.Put(buf)
	}
	return err
}

// mostKept is how many bytes the room of an answer may have to be kept for the next.
const mostKept = 4 << 20

var encoded = sync.Pool{New: func() any { return new([]byte) }} //nolint:gochecknoglobals // room for answers

func encodeAny(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// A writing is how values of a type are written.
type writing struct {
	ids bool // there are lists of texts in it, by themselves or in lists of structs
	put func(to []byte, v reflect.Value) ([]byte, error)
}

// writings are those of types that were met, by [reflect.Type].
var writings sync.Map //nolint:gochecknoglobals // what is computed of types is the same for all

func writingOf(t reflect.Type) writing {
	if e, ok := writings.Load(t); ok {
		return e.(writing) //nolint:forcetypeassert,errcheck // stored below
	}
	e := newWriting(t, nil)
	writings.Store(t, e)
	return e
}

// newWriting leaves to encoding/json whatever is no list of texts, and no struct and no list of structs with one. within are the types
// around.
func newWriting(t reflect.Type, within []reflect.Type) writing {
	other := writing{put: putAny}
	if slices.Contains(within, t) || marshals(t) || marshals(reflect.PointerTo(t)) {
		return other
	}
	within = append(within, t)
	switch {
	case t == reflect.TypeFor[[]string]():
		return writing{true, putTexts}
	case t.Kind() == reflect.String && t != reflect.TypeFor[json.Number]():
		other.put = putText
	case t.Kind() == reflect.Int:
		other.put = func(to []byte, v reflect.Value) ([]byte, error) { return strconv.AppendInt(to, v.Int(), 10), nil }
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		if of := newWriting(t.Elem(), within); of.ids {
			return writing{true, func(to []byte, v reflect.Value) ([]byte, error) { return putList(to, v, of) }}
		}
	case t.Kind() == reflect.Struct:
		if fields, ok := membersOf(t, nil, within); ok && slices.ContainsFunc(fields, func(m member) bool { return m.of.ids }) && differ(fields) {
			return writing{true, func(to []byte, v reflect.Value) ([]byte, error) { return putStruct(to, v, fields) }}
		}
	}
	return other
}

func marshals(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// putAny leaves a value to encoding/json, which takes what is in a list for what can be pointed to.
func putAny(to []byte, v reflect.Value) ([]byte, error) {
	if v.CanAddr() {
		v = v.Addr()
	}
	b := bytes.NewBuffer(to)
	if err := encodeAny(b, v.Interface()); err != nil {
		return to, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func putList(to []byte, v reflect.Value, of writing) (_ []byte, err error) {
	if v.IsNil() {
		return append(to, "null"...), nil
	}
	to = append(to, '[')
	for i := range v.Len() {
		if i > 0 {
			to = append(to, ',')
		}
		if to, err = of.put(to, v.Index(i)); err != nil {
			return to, err
		}
	}
	return append(to, ']'), nil
}

// putTexts writes a list of texts.
func putTexts(to []byte, v reflect.Value) (_ []byte, err error) {
	if v.IsNil() {
		return append(to, "null"...), nil
	}
	texts, _ := v.Interface().([]string) // it is one
	to = append(to, '[')
	for i, s := range texts {
		if i > 0 {
			to = append(to, ',')
		}
		if to, err = appendText(to, s); err != nil {
			return to, err
		}
	}
	return append(to, ']'), nil
}

func putText(to []byte, v reflect.Value) ([]byte, error) { return appendText(to, v.String()) }

// appendText writes a text. Ids are plain.
func appendText(to []byte, s string) ([]byte, error) {
	if !isPlain(s) {
		return putAny(to, reflect.ValueOf(s))
	}
	to = append(to, '"')
	to = append(to, s...)
	return append(to, '"'), nil
}

// isPlain reports whether JSON has a text as it is: bytes from the blank to the tilde, but for quotes and backslashes. Eight bytes are
// looked at at once.
func isPlain(s string) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	lacks := func(v uint64, c byte) uint64 { v ^= ones * uint64(c); return (v - ones) &^ v & tops } // 0 where no byte is c
	for ; len(s) >= 8; s = s[8:] {
		v := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		if v&tops|(v-ones*' ')&^v&tops|(v+ones)&tops|lacks(v, '"')|lacks(v, '\\') != 0 {
			return false
		}
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// A member is a field of a struct.
type member struct {
	at   []int
	head string // its name with what stands around it
	omit bool   // when it is empty
	of   writing
}

// membersOf returns the members that a struct, which is at an index of another, is written with. It is not ok when one has an option but
// omitempty, or what encoding/json has more rules for.
func membersOf(t reflect.Type, at []int, within []reflect.Type) (out []member, ok bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(at), i)
		tag, tagged := f.Tag.Lookup("json")
		name, option, _ := strings.Cut(tag, ",")
		switch {
		case f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct && !marshals(f.Type):
			more, ok := membersOf(f.Type, index, within)
			if !ok {
				return nil, false
			}
			out = append(out, more...)
			continue
		case f.Anonymous, option != "" && option != "omitempty", !isName(name):
			return nil, false
		case !f.IsExported(), tag == "-":
			continue
		}
		out = append(out, member{index, `"` + cmp.Or(name, f.Name) + `":`, option != "", newWriting(f.Type, within)})
	}
	return out, true
}

// isName reports whether a tag gives a name that is written as it is, or none.
func isName(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
}

// differ reports whether no name is there twice: encoding/json has rules for which of them counts.
func differ(fields []member) bool {
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		seen[f.head] = true
	}
	return len(seen) == len(fields)
}

func putStruct(to []byte, v reflect.Value, fields []member) (_ []byte, err error) {
	to = append(to, '{')
	begun := len(to)
	for i := range fields {
		f := &fields[i]
		one := v.FieldByIndex(f.at)
		if f.omit && isEmpty(one) {
			continue
		}
		if len(to) > begun {
			to = append(to, ',')
		}
		if to, err = f.of.put(append(to, f.head...), one); err != nil {
			return to, err
		}
	}
	return append(to, '}'), nil
}

// isEmpty is as encoding/json has it.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}
