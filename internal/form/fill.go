package form

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"chela/internal/fault"
)

// Fill returns what is answered: what was filled in, and the defaults of the fields that were not. A fault names the first field
// that does not fit.
func (f Form) Fill(values json.RawMessage) (json.RawMessage, error) {
	given := make(map[string]json.RawMessage)
	if len(values) > 0 && string(values) != "null" {
		if err := json.Unmarshal(values, &given); err != nil {
			return nil, fault.BadField("values", "What is filled in is a JSON object with a value for each field.")
		}
	}
	out := make(map[string]any)
	for _, d := range f.Fields {
		raw, ok := given[d.Name]
		delete(given, d.Name)
		if !ok || string(raw) == "null" {
			raw = d.Default
		}
		if raw == nil {
			if d.Required {
				return nil, fault.BadField("values."+d.Name, "The field "+d.Name+" has to be filled in.")
			}
			continue
		}
		v, err := d.check(raw)
		if err != nil {
			return nil, err
		}
		out[d.Name] = v
	}
	for name := range given {
		return nil, fault.BadField("values", fmt.Sprintf("The form has no field %q.", line(name)), f.names()...)
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("encode what is filled in: %w", err)
	}
	return raw, nil
}

// Complete reports whether the form can be answered without filling in anything.
func (f Form) Complete() bool {
	_, err := f.Fill(nil)
	return err == nil
}

func (f Form) names() []string {
	var out []string
	for _, d := range f.Fields {
		out = append(out, d.Name)
	}
	return out
}

// check returns a value of the field, or a fault that names the field.
func (d Field) check(raw json.RawMessage) (any, error) {
	no := func(format string, args ...any) (any, error) {
		var options []string
		for _, o := range d.Options {
			options = append(options, o.Value)
		}
		return nil, fault.BadField("values."+d.Name, "The field "+d.Name+" "+fmt.Sprintf(format, args...), options...)
	}
	switch d.Type {
	case Boolean:
		var v bool
		if strictly(raw, &v) != nil {
			return no("is true or false.")
		}
		return v, nil
	case Number, Integer:
		v, err := number(raw)
		switch f, _ := v.Float64(); {
		case err != nil:
			return no("is a number.")
		case d.Type == Integer && f != math.Trunc(f):
			return no("is a whole number.")
		case d.Least != nil && f < *d.Least:
			return no("is at least %v.", *d.Least)
		case d.Most != nil && f > *d.Most:
			return no("is at most %v.", *d.Most)
		}
		return v, nil
	case Choices:
		var v []string
		if json.Unmarshal(raw, &v) != nil || v == nil {
			return no("is a list of its choices.")
		}
		for i, one := range v {
			if !d.offers(one) || slices.Contains(v[:i], one) {
				return no("is a list of its choices, each once.")
			}
		}
		if d.Least != nil && float64(len(v)) < *d.Least || d.Most != nil && float64(len(v)) > *d.Most {
			return no("has more or fewer choices than it takes.")
		}
		return v, nil
	}
	var v string
	if strictly(raw, &v) != nil {
		return no("is a text.")
	}
	if d.Options != nil && !d.offers(v) {
		return no("is one of its choices.")
	}
	if why := d.misfit(v); why != "" {
		return no("%s", why)
	}
	return v, nil
}

// number reads a finite number as it is written.
func number(raw json.RawMessage) (v json.Number, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var any any
	if err := d.Decode(&any); err != nil {
		return "0", err
	}
	v, ok := any.(json.Number)
	if !ok {
		return "0", fault.New(fault.Invalid, "That is no number.")
	}
	_, err = v.Float64()
	return v, err
}

func (d Field) offers(v string) bool {
	return slices.ContainsFunc(d.Options, func(o Option) bool { return o.Value == v })
}

// misfit says why a text does not fit; "" when it does.
func (d Field) misfit(v string) string {
	n := float64(utf8.RuneCountInString(v))
	switch {
	case n > mostValue:
		return fmt.Sprintf("has at most %d characters.", mostValue)
	case d.Least != nil && n < *d.Least:
		return fmt.Sprintf("has at least %v characters.", *d.Least)
	case d.Most != nil && n > *d.Most:
		return fmt.Sprintf("has at most %v characters.", *d.Most)
	}
	if d.Pattern != "" {
		if fits, err := regexp.Compile(d.Pattern); err != nil || !fits.MatchString(v) {
			return "does not fit the pattern " + line(d.Pattern) + "."
		}
	}
	switch d.Format {
	case "email":
		if a, err := mail.ParseAddress(v); err != nil || a.Address != v {
			return "is an address of mail."
		}
	case "uri":
		if u, err := url.Parse(v); err != nil || u.Scheme == "" || u.Host == "" && u.Opaque == "" && u.Path == "" {
			return "is an address that begins with its scheme, as https://."
		}
	case "date":
		if _, err := time.Parse(time.DateOnly, v); err != nil {
			return "is a day such as 2026-11-26."
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, v); err != nil {
			return "is a time such as 2026-11-26T18:00:00Z."
		}
	}
	return ""
}

// Say reads what is filled in from a text: `name=value` in lines, or parted by semicolons. A form with one field takes the text
// alone.
func (f Form) Say(text string) (json.RawMessage, error) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' })
	if len(f.Fields) == 1 && len(parts) > 0 {
		if _, _, ok := f.named(parts[0]); !ok {
			return json.Marshal(map[string]json.RawMessage{f.Fields[0].Name: f.Fields[0].said(strings.TrimSpace(text))})
		}
	}
	return f.Set(slices.DeleteFunc(parts, func(p string) bool { return strings.TrimSpace(p) == "" })...)
}

// Set reads what is filled in from name=value pairs.
func (f Form) Set(pairs ...string) (json.RawMessage, error) {
	out := make(map[string]json.RawMessage)
	for _, part := range pairs {
		d, value, ok := f.named(part)
		if !ok {
			return nil, fault.BadField("note", "A form is filled in as name=value; name=value.", f.names()...)
		}
		out[d.Name] = d.said(value)
	}
	return json.Marshal(out)
}

// named parts a pair of a field's name and a value.
func (f Form) named(pair string) (d Field, value string, ok bool) {
	name, value, ok := strings.Cut(pair, "=")
	i := slices.IndexFunc(f.Fields, func(d Field) bool { return strings.EqualFold(d.Name, strings.TrimSpace(name)) })
	if !ok || i < 0 {
		return d, "", false
	}
	return f.Fields[i], strings.TrimSpace(value), true
}

// said is a value of the field as somebody writes it.
func (d Field) said(text string) json.RawMessage {
	var v any = text
	switch d.Type {
	case Boolean:
		switch strings.ToLower(text) {
		case "yes", "y", "true":
			v = true
		case "no", "n", "false":
			v = false
		}
	case Number, Integer:
		if _, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
	case Choices:
		all := []string{}
		for one := range strings.SplitSeq(text, ",") {
			if one = strings.TrimSpace(one); one != "" {
				all = append(all, d.chosen(one))
			}
		}
		v = all
	case Text:
		v = d.chosen(text)
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}

// chosen is the option that somebody names by its value or title, else what they wrote.
func (d Field) chosen(text string) string {
	for _, o := range d.Options {
		if strings.EqualFold(o.Value, text) || o.Title != "" && strings.EqualFold(o.Title, text) {
			return o.Value
		}
	}
	return text
}

// String shows the form as plain text: the server's words, and each field with what it takes.
func (f Form) String() string {
	var b strings.Builder
	for l := range strings.SplitSeq(f.Message, "\n") {
		b.WriteString("> " + l + "\n")
	}
	for _, d := range f.Fields {
		b.WriteString("- " + d.Name)
		if d.Title != "" {
			b.WriteString(" (" + d.Title + ")")
		}
		b.WriteString(": " + d.takes() + "\n")
		if d.Help != "" {
			b.WriteString("  > " + strings.ReplaceAll(d.Help, "\n", "\n  > ") + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// takes says in a few words what the field takes.
func (d Field) takes() string {
	out := map[string]string{Text: "a text", Number: "a number", Integer: "a whole number", Boolean: "yes or no", Choices: "any of"}[d.Type]
	if d.Options != nil && d.Type == Text {
		out = "one of"
	}
	if d.Format != "" {
		out += " (" + d.Format + ")"
	}
	for i, o := range d.Options {
		sep := ", "
		if i == 0 {
			sep = " "
		}
		out += sep + noLinks.Replace(o.Value)
		if o.Title != "" {
			out += " (" + o.Title + ")"
		}
	}
	if d.Default != nil {
		out += "; " + noLinks.Replace(string(d.Default)) + " when left out"
	} else if d.Required {
		out += "; has to be filled in"
	}
	return out
}
