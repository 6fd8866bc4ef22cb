package event

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"chela/internal/fault"
)

// maxDepth bounds the nesting of what is decoded.
const maxDepth = 64

// DecodeStrict decodes one JSON value into the struct that into points to.
// Unlike encoding/json it refuses unknown keys, keys that are there twice and
// keys that differ from a field's name only in case, at every depth that
// structs describe; the error is a fault.Invalid that names the field.
func DecodeStrict(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := checkValue(dec, reflect.TypeOf(into).Elem(), "", 0); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, "There is more after the end of the JSON value.")
	}
	return unmarshal(raw, into)
}

func unmarshal(raw []byte, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return Unfit(err)
	}
	return nil
}

// Unfit says in the words of people what encoding/json says of JSON from outside that does not fit; the error is a fault.Invalid.
func Unfit(err error) error {
	if te, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return misfit(te.Field, wordOf(te.Value), te.Type)
	}
	if _, ok := errors.AsType[base64.CorruptInputError](err); ok {
		return fault.Wrap(err, fault.Invalid, "A field that takes bytes, written in base64, has something else.")
	}
	if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fault.Wrap(err, fault.Invalid, "It is no JSON: it cannot be read from byte %d on.", se.Offset)
	}
	return fault.Wrap(err, fault.Invalid, "The JSON does not fit: %s.", strings.TrimPrefix(err.Error(), "json: "))
}

// refuse names the field, or none when the whole value is meant.
func refuse(path, text string) error {
	if path == "" {
		return fault.New(fault.Invalid, "%s", text)
	}
	return fault.BadField(path, text)
}

func misfit(path, word string, t reflect.Type) error {
	return refuse(path, word+" does not fit; it takes "+typeName(t)+".")
}

// wordOf says for people what encoding/json calls a value.
func wordOf(value string) string {
	switch value {
	case "array":
		return "A list"
	case "bool":
		return "A truth value"
	case "number":
		return "A number"
	case "object":
		return "An object"
	case "string":
		return "A text"
	}
	return "The " + value // "number 1.5"
}

func typeName(t reflect.Type) string {
	switch t.Kind() { //nolint:exhaustive // the default names the rest
	case reflect.String:
		return "a text"
	case reflect.Int, reflect.Int64, reflect.Int32:
		return "a whole number"
	case reflect.Float64, reflect.Float32:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	default:
		return "an object"
	}
}

// checkValue walks one value of the token stream beside its Go type; t is nil
// where the type says nothing about keys.
func checkValue(dec *json.Decoder, t reflect.Type, path string, depth int) error {
	if depth > maxDepth {
		return refuse(path, "The JSON is nested too deeply.")
	}
	tok, err := dec.Token()
	if err != nil {
		return fault.Wrap(err, fault.Invalid, "The JSON cannot be read at byte %d.", dec.InputOffset())
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	delim, ok := tok.(json.Delim)
	switch {
	case t == timeType:
		return checkTime(tok, path)
	case !ok:
		return checkScalar(tok, t, path)
	case delim == '[' && isScalar(t):
		return misfit(path, "A list", t)
	case isScalar(t):
		return misfit(path, "An object", t)
	case delim == '[':
		return checkList(dec, t, path, depth)
	}
	return checkObject(dec, t, path, depth)
}

func isScalar(t reflect.Type) bool {
	return t != nil && (t.Kind() == reflect.String || t.Kind() == reflect.Bool || t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64)
}

func checkTime(tok json.Token, path string) error {
	s, ok := tok.(string)
	if tok == nil || ok && new(time.Time).UnmarshalText([]byte(s)) == nil {
		return nil
	}
	return refuse(path, "It takes a date and time such as 2026-03-01T10:00:00Z.")
}

// A Scalar is a type that reads a text, a number and a truth value alike.
type Scalar interface {
	json.Unmarshaler
	Scalar()
}

// checkScalar refuses a text, a number or a truth value where another is wanted. null
// always fits: it leaves the field as it is.
func checkScalar(tok json.Token, t reflect.Type, path string) error {
	if t == nil || tok == nil {
		return nil
	}
	word, fits := "A text", true
	switch tok.(type) {
	case string:
		fits = t.Kind() != reflect.Bool && (t.Kind() < reflect.Int || t.Kind() > reflect.Float64)
	case json.Number:
		word, fits = "A number", t.Kind() != reflect.Bool && t.Kind() != reflect.String
	case bool:
		word, fits = "A truth value", t.Kind() != reflect.String && (t.Kind() < reflect.Int || t.Kind() > reflect.Float64)
	}
	if fits || reflect.PointerTo(t).Implements(scalar) {
		return nil
	}
	return misfit(path, word, t)
}

func checkList(dec *json.Decoder, t reflect.Type, path string, depth int) error {
	elem := elemOf(t)
	for dec.More() {
		if err := checkValue(dec, elem, path, depth+1); err != nil {
			return err
		}
	}
	return closing(dec)
}

// elemOf is the type of a list's members; nil where the type says nothing about keys.
func elemOf(t reflect.Type) reflect.Type {
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && t != rawType {
		return t.Elem()
	}
	return nil
}

// membersOf says which keys an object has, or else of what type the values under any key are.
func membersOf(t reflect.Type) (fields map[string]reflect.Type, elem reflect.Type) {
	switch {
	case t != nil && t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(unmarshaler):
		return fieldsOf(t), nil
	case t != nil && t.Kind() == reflect.Map:
		return nil, t.Elem()
	}
	return nil, nil
}

func checkObject(dec *json.Decoder, t reflect.Type, path string, depth int) error {
	fields, elem := membersOf(t)
	seen := make(map[string]bool)
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return fault.Wrap(err, fault.Invalid, "The JSON cannot be read at byte %d.", dec.InputOffset())
		}
		key, _ := tok.(string) // a key is always a string
		name := join(path, key)
		if seen[key] {
			return fault.BadField(name, "The key is there twice.")
		}
		seen[key] = true
		ft := elem
		if fields != nil {
			if ft, err = fieldFor(fields, key, name, false); err != nil {
				return err
			}
		}
		if err := checkValue(dec, ft, name, depth+1); err != nil {
			return err
		}
	}
	return closing(dec)
}

// fieldFor returns the type of a field. open lets a key through that none of the fields has.
func fieldFor(fields map[string]reflect.Type, key, name string, open bool) (reflect.Type, error) {
	if ft, known := fields[key]; known {
		return ft, nil
	}
	for f := range fields {
		if strings.EqualFold(f, key) {
			return nil, fault.BadField(name, "The key is spelt "+f+".")
		}
	}
	if open {
		return nil, nil
	}
	return nil, fault.BadField(name, "The key is not known.", keysOf(fields)...)
}

// mostKeys is how many keys an error names.
const mostKeys = 40

// keysOf returns the keys that an object may have, in order; none where they are too many to be read.
func keysOf(fields map[string]reflect.Type) []string {
	if len(fields) > mostKeys {
		return nil
	}
	return slices.Sorted(maps.Keys(fields))
}

func closing(dec *json.Decoder) error {
	if _, err := dec.Token(); err != nil {
		return fault.Wrap(err, fault.Invalid, "The JSON ends early, at byte %d.", dec.InputOffset())
	}
	return nil
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

var (
	rawType     = reflect.TypeFor[json.RawMessage]()
	timeType    = reflect.TypeFor[time.Time]()
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
	scalar      = reflect.TypeFor[Scalar]()
	fieldCache  sync.Map // reflect.Type → map[string]reflect.Type
)

// fieldsOf returns the JSON names of t's fields, embedded structs included.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	if got, ok := fieldCache.Load(t); ok {
		return got.(map[string]reflect.Type) //nolint:forcetypeassert // only we store here
	}
	out := make(map[string]reflect.Type)
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous || !f.IsExported() {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		out[name] = f.Type
	}
	fieldCache.Store(t, out)
	return out
}
