package tool

import (
	"encoding/json"
	"reflect"
	"slices"
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
// without omitempty is required; `doc` describes, `enum` lists values by commas.
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
	for _, f := range reflect.VisibleFields(t) {
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" {
			continue
		}
		p := schemaFor(f.Type)
		p.Description = f.Tag.Get("doc")
		if list := f.Tag.Get("enum"); list != "" {
			target := p
			if p.Items != nil {
				target = p.Items
			}
			target.Enum = strings.Split(list, ",")
		}
		s.Properties[name] = p
		if !slices.Contains(strings.Split(opts, ","), "omitempty") && !slices.Contains(strings.Split(opts, ","), "omitzero") {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

// missing reports the first required field of in that is empty, and the first value
// outside its enum.
func missing(in any) error {
	v := reflect.ValueOf(in)
	if v.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" {
			continue
		}
		value := v.FieldByIndex(f.Index)
		if !strings.Contains(opts, "omit") && f.Type.Kind() == reflect.String && strings.TrimSpace(value.String()) == "" {
			return fault.BadField(name, "The field is required.")
		}
		if list := f.Tag.Get("enum"); list != "" && f.Type.Kind() == reflect.String && value.String() != "" {
			if allowed := strings.Split(list, ","); !slices.Contains(allowed, value.String()) {
				return fault.BadField(name, "The value is not one of those it may have.", allowed...)
			}
		}
	}
	return nil
}
