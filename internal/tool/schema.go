package tool

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"chela/internal/fault"
)

// A schema is the part of JSON Schema that arguments need.
type schema struct {
	Type        string             `json:"type,omitempty"`
	Description string             `json:"description,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Closed      *bool              `json:"additionalProperties,omitempty"`
}

// SchemaOf derives the JSON Schema of T's fields: `json` names them, and a field
// without omitempty is required; `doc` describes, `enum` lists values by commas. A list that is
// tagged `brief` has objects of which `doc` alone says what they hold: what is seldom used takes
// no room of every prompt. What is in them is checked all the same.
func SchemaOf[T any]() json.RawMessage {
	raw, err := json.Marshal(schemaFor(reflect.TypeFor[T]()))
	if err != nil {
		panic("tool: the schema of " + reflect.TypeFor[T]().String() + " is not JSON: " + err.Error())
	}
	return raw
}

func schemaFor(t reflect.Type) *schema {
	switch t.Kind() { //nolint:exhaustive // the default refuses the rest
	case reflect.Pointer:
		return schemaFor(t.Elem())
	case reflect.String:
		return &schema{Type: "string"}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return &schema{Type: "integer"}
	case reflect.Float32, reflect.Float64:
		return &schema{Type: "number"}
	case reflect.Slice:
		return &schema{Type: "array", Items: schemaFor(t.Elem())}
	case reflect.Struct:
		if t.Implements(reflect.TypeFor[json.Marshaler]()) {
			return &schema{Type: "string"}
		}
		return structSchema(t)
	default:
		panic("tool: an argument may not be of type " + t.String())
	}
}

func structSchema(t reflect.Type) *schema {
	closed := false
	s := &schema{Type: "object", Properties: make(map[string]*schema), Closed: &closed}
	for _, f := range argumentsOf(t) {
		p := schemaFor(f.Type)
		if _, brief := f.Tag.Lookup("brief"); brief && p.Items != nil {
			p.Items = &schema{Type: "object"}
		}
		p.Description = f.Tag.Get("doc")
		target := p
		if p.Items != nil {
			target = p.Items
		}
		target.Enum = f.allowed
		s.Properties[f.name] = p
		if f.required {
			s.Required = append(s.Required, f.name)
		}
	}
	return s
}

// An argument is a field of a struct as its tags describe it.
type argument struct {
	reflect.StructField
	name     string
	required bool
	allowed  []string
}

func argumentsOf(t reflect.Type) []argument {
	var out []argument
	for _, f := range reflect.VisibleFields(t) {
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		a := argument{StructField: f, name: name, required: !strings.Contains(opts, "omit")}
		if list := f.Tag.Get("enum"); list != "" {
			a.allowed = strings.Split(list, ",")
		}
		out = append(out, a)
	}
	return out
}

// misfit reports the first required field below v that is empty, or the first value
// outside its enum. path is where v is, with a dot at its end.
func misfit(v reflect.Value, path string) error {
	switch v.Kind() { //nolint:exhaustive // the rest holds no fields
	case reflect.Pointer:
		return misfit(v.Elem(), path)
	case reflect.Slice:
		for i := range v.Len() {
			if err := misfit(v.Index(i), path+strconv.Itoa(i)+"."); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if v.Type().Implements(reflect.TypeFor[json.Marshaler]()) {
			return nil
		}
		for _, a := range argumentsOf(v.Type()) {
			if err := a.misfit(v.FieldByIndex(a.Index), path+a.name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a argument) misfit(v reflect.Value, path string) error {
	if a.required && empty(v) {
		return fault.BadField(path, "The field is required.")
	}
	if a.allowed == nil {
		return misfit(v, path+".")
	}
	v = reflect.Indirect(v) // a nil pointer becomes no value at all
	if v.Kind() == reflect.String && v.String() != "" && !slices.Contains(a.allowed, v.String()) {
		return notAllowed(path, a.allowed)
	}
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			if !slices.Contains(a.allowed, v.Index(i).String()) {
				return notAllowed(path+"."+strconv.Itoa(i), a.allowed)
			}
		}
	}
	return nil
}

func notAllowed(path string, allowed []string) error {
	return fault.BadField(path, "The value is not one of those it may have.", allowed...)
}

// empty reports whether a field was left out, where that can be told; a text of
// blanks counts as left out, an empty list does not.
func empty(v reflect.Value) bool {
	switch v.Kind() { //nolint:exhaustive // a number and a truth value may be zero
	case reflect.String:
		return strings.TrimSpace(v.String()) == ""
	case reflect.Slice, reflect.Pointer:
		return v.IsNil()
	}
	return false
}
