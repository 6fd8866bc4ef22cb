// Package form reads the forms that servers of others put to people, as data from outside, and checks what is filled in. A
// form is flat: texts, numbers, yes or no, and choices. One that asks for a secret, is too large, or has anything else is
// refused. What is shown of it is cleaned; no address in it is a link.
package form

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"chela/internal/confusable"
	"chela/internal/fault"
	"chela/internal/pattern"
)

// What a form has at most.
const (
	mostSchema  = 32 << 10 // bytes
	mostMessage = 4 << 10
	mostFields  = 20
	mostOptions = 100
	mostTitle   = 200
	mostHelp    = 1000
	mostValue   = 4000 // characters of a text
	mostPattern = 200
)

// The sorts of fields, as JSON Schema calls them.
const (
	Text    = "string"
	Number  = "number"
	Integer = "integer"
	Boolean = "boolean"
	Choices = "array" // any of the options
)

// A Form is what a server asks a person.
type Form struct {
	Message string  `json:"message,omitempty"`
	Fields  []Field `json:"fields"`
}

// A Field is one thing that is filled in.
type Field struct {
	Name     string          `json:"name"`
	Type     string          `json:"type" enum:"string,number,integer,boolean,array"`
	Title    string          `json:"title,omitempty"`
	Help     string          `json:"help,omitempty"`
	Required bool            `json:"required,omitempty"`
	Options  []Option        `json:"options,omitempty" doc:"one of these, or with the type array any of them"`
	Format   string          `json:"format,omitempty" enum:"email,uri,date,date-time"`
	Pattern  string          `json:"pattern,omitempty"`
	Least    *float64        `json:"least,omitempty" doc:"of a number; characters of a text, options of an array"`
	Most     *float64        `json:"most,omitempty"`
	Default  json.RawMessage `json:"default,omitempty" doc:"what counts when nothing is filled in"`
}

// An Option is what can be chosen.
type Option struct {
	Value string `json:"value"`
	Title string `json:"title,omitempty"`
}

// schema is what is read of a form's schema; another keyword that narrows what fits is refused, not overlooked.
type schema struct {
	Schema      string                     `json:"$schema"`
	Type        string                     `json:"type"`
	Title       string                     `json:"title"`
	Description string                     `json:"description"`
	Properties  map[string]json.RawMessage `json:"properties"`
	Required    []string                   `json:"required"`
	Additional  any                        `json:"additionalProperties"`
}

// property is the schema of a field.
type property struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Format      string          `json:"format"`
	Pattern     string          `json:"pattern"`
	Enum        []string        `json:"enum"`
	EnumNames   []string        `json:"enumNames"`
	OneOf       []titled        `json:"oneOf"`
	Items       *items          `json:"items"`
	Default     json.RawMessage `json:"default"`
	MinLength   *float64        `json:"minLength"`
	MaxLength   *float64        `json:"maxLength"`
	Minimum     *float64        `json:"minimum"`
	Maximum     *float64        `json:"maximum"`
	MinItems    *float64        `json:"minItems"`
	MaxItems    *float64        `json:"maxItems"`
	Unique      bool            `json:"uniqueItems"`
}

type items struct {
	Type  string   `json:"type"`
	Enum  []string `json:"enum"`
	AnyOf []titled `json:"anyOf"`
}

type titled struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// strictly decodes JSON that has no other fields than out.
func strictly(raw []byte, out any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(out)
}

func bad(format string, args ...any) error { return fault.New(fault.Invalid, format, args...) }

// Read reads a form. A fault says why it is not put to anybody; no word of the form is in it.
func Read(message string, raw json.RawMessage) (f Form, err error) {
	if len(raw) > mostSchema || len(message) > mostMessage {
		return f, bad("The form is too large.")
	}
	var s schema
	if len(raw) > 0 {
		if err := strictly(raw, &s); err != nil {
			return f, bad("The form's schema is not one of the protocol's.")
		}
	}
	if s.Type != "" && s.Type != "object" || s.Additional != nil && s.Additional != false && s.Additional != true {
		return f, bad("The form's schema is not one of the protocol's.")
	}
	if len(s.Properties) > mostFields {
		return f, bad("The form has more than %d fields.", mostFields)
	}
	if secretive(message) || secretive(s.Title) || secretive(s.Description) {
		return f, errSecret()
	}
	f.Message, f.Fields = clean(message, mostMessage), []Field{}
	for name, raw := range s.Properties {
		d, err := readField(name, raw)
		if err != nil {
			return Form{}, err
		}
		d.Required = slices.Contains(s.Required, name)
		f.Fields = append(f.Fields, d)
	}
	for _, name := range s.Required {
		if _, ok := s.Properties[name]; !ok {
			return Form{}, bad("The form wants a field that it does not have.")
		}
	}
	at := func(d Field) int { // a schema has no order but that of what it wants
		if i := slices.Index(s.Required, d.Name); i >= 0 {
			return i
		}
		return len(s.Required)
	}
	slices.SortFunc(f.Fields, func(a, b Field) int { return cmp.Or(at(a)-at(b), strings.Compare(a.Name, b.Name)) })
	return f, nil
}

func errSecret() error {
	return bad("The form looks as if it asks for a password, a key or another secret. People give those to no server by way of Chela.")
}

// isName fits the names of fields.
var isName = pattern.New(`^[A-Za-z0-9_.-]{1,64}$`)

func readField(name string, raw json.RawMessage) (d Field, err error) {
	var p property
	if !isName.MatchString(name) {
		return d, bad("A field of the form has a name that is none.")
	}
	if err := strictly(raw, &p); err != nil {
		return d, bad("A field of the form is not one of the protocol's: a text, a number, yes or no, or choices.")
	}
	if secretiveField(name) || secretiveField(p.Title) || secretive(p.Description) || strings.EqualFold(p.Format, "password") {
		return d, errSecret()
	}
	d = Field{Name: name, Type: p.Type, Format: p.Format, Pattern: p.Pattern, Default: p.Default, Title: clean(line(p.Title), mostTitle), Help: clean(p.Description, mostHelp)}
	if string(p.Default) == "null" {
		d.Default = nil
	}
	if err := d.shape(p); err != nil {
		return d, err
	}
	if d.Default != nil {
		if _, err := d.check(d.Default); err != nil {
			return d, bad("A field of the form has a default that does not fit it.")
		}
		var text string
		if json.Unmarshal(d.Default, &text) == nil && confusable.Reveal(line(text)) != text {
			return d, bad("A field of the form has a default with characters that do not show.")
		}
	}
	return d, nil
}

// shape takes in what fits a field.
func (d *Field) shape(p property) error {
	choices := p.OneOf
	switch d.Type {
	case Text:
		d.Least, d.Most = p.MinLength, p.MaxLength
		for i, v := range p.Enum {
			title := ""
			if len(p.EnumNames) == len(p.Enum) {
				title = p.EnumNames[i]
			}
			choices = append(choices, titled{v, title})
		}
		if (p.Enum != nil || p.OneOf != nil) && len(choices) == 0 {
			return bad("A field of the form has no choices.")
		}
	case Number, Integer:
		d.Least, d.Most = p.Minimum, p.Maximum
	case Boolean:
	case Choices:
		if p.Items == nil || p.Items.Type != "" && p.Items.Type != Text {
			return bad("A field of the form has no choices.")
		}
		d.Least, d.Most, choices = p.MinItems, p.MaxItems, p.Items.AnyOf
		for _, v := range p.Items.Enum {
			choices = append(choices, titled{v, ""})
		}
		if len(choices) == 0 {
			return bad("A field of the form has no choices.")
		}
	default:
		return bad("A field of the form is not one of the protocol's: a text, a number, yes or no, or choices.")
	}
	if d.Type != Text && (d.Format != "" || d.Pattern != "" || len(p.Enum)+len(p.OneOf) > 0) || !slices.Contains([]string{"", "email", "uri", "date", "date-time"}, d.Format) {
		return bad("A field of the form has a format that is not one of the protocol's.")
	}
	if d.Pattern != "" {
		if _, err := regexp.Compile(d.Pattern); err != nil || len(d.Pattern) > mostPattern {
			return bad("A field of the form has a pattern that cannot be checked.")
		}
	}
	if d.Least != nil && d.Most != nil && *d.Least > *d.Most {
		return bad("Nothing fits a field of the form.")
	}
	if len(choices) > mostOptions {
		return bad("A field of the form has more than %d choices.", mostOptions)
	}
	for _, c := range choices {
		if c.Const == "" || len(c.Const) > mostTitle || confusable.Reveal(line(c.Const)) != c.Const {
			return bad("A field of the form has a choice that is empty, too long, or has characters that do not show.")
		}
		d.Options = append(d.Options, Option{c.Const, clean(line(c.Title), mostTitle)})
	}
	return nil
}
