package definition

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/common/types"
)

// A Template is a text with expressions in it, as ${…}. One that is an expression and nothing else gives
// its value; every other gives a text. $${ stands for ${ itself.
type Template struct {
	parts []part
}

type part struct {
	text string
	expr *Expr // nil is the text
}

// Eval gives the value.
func (t *Template) Eval(ctx context.Context, vars Vars) (any, error) {
	if len(t.parts) == 1 && t.parts[0].expr != nil {
		return t.parts[0].expr.Eval(ctx, vars)
	}
	return t.Text(ctx, vars)
}

// Text gives the text.
func (t *Template) Text(ctx context.Context, vars Vars) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		if p.expr == nil {
			b.WriteString(p.text)
			continue
		}
		v, err := p.expr.Eval(ctx, vars)
		if err != nil {
			return "", err
		}
		b.WriteString(Text(v))
		if b.Len() > maxValue {
			return "", fmt.Errorf("the text has more than %d bytes", maxValue)
		}
	}
	return b.String(), nil
}

// gives is the type of what the template gives.
func (t *Template) gives() *types.Type {
	if len(t.parts) == 1 && t.parts[0].expr != nil {
		return t.parts[0].expr.gives
	}
	return types.StringType
}

// names are the variables that the template reads.
func (t *Template) names() []string {
	var out []string
	for _, p := range t.parts {
		if p.expr != nil {
			out = append(out, p.expr.names...)
		}
	}
	return out
}

// template compiles a text.
func (s *scope) template(text string) (*Template, error) {
	t := new(Template)
	var plain strings.Builder
	for {
		at := strings.Index(text, "${")
		if at < 0 {
			plain.WriteString(text)
			break
		}
		if at > 0 && text[at-1] == '$' {
			plain.WriteString(text[:at-1] + "${")
			text = text[at+2:]
			continue
		}
		plain.WriteString(text[:at])
		source, rest, err := CutExpression(text[at+2:])
		if err != nil {
			return nil, err
		}
		e, err := s.compile(strings.TrimSpace(source))
		if err != nil {
			return nil, err
		}
		if plain.Len() > 0 {
			t.parts = append(t.parts, part{text: plain.String()})
			plain.Reset()
		}
		t.parts = append(t.parts, part{expr: e})
		text = rest
	}
	if plain.Len() > 0 {
		t.parts = append(t.parts, part{text: plain.String()})
	}
	return t, nil
}

// CutExpression cuts text at the brace that closes an expression, and looks over braces and quotes in it.
func CutExpression(text string) (source, rest string, err error) {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '}':
			return text[:i], text[i+1:], nil
		}
	}
	return "", "", errors.New("an expression that begins with ${ has no end; close it with }")
}

// A Value is a free value of a file with its texts compiled.
type Value struct {
	literal any
	text    *Template
	list    []*Value
	fields  map[string]*Value
}

// Eval gives the value.
func (v *Value) Eval(ctx context.Context, vars Vars) (any, error) {
	switch {
	case v == nil:
		return nil, nil //nolint:nilnil // nothing is null
	case v.text != nil:
		return v.text.Eval(ctx, vars)
	case v.list != nil:
		out := make([]any, 0, len(v.list))
		for _, x := range v.list {
			one, err := x.Eval(ctx, vars)
			if err != nil {
				return nil, err
			}
			out = append(out, one)
		}
		return out, nil
	case v.fields != nil:
		out := make(map[string]any, len(v.fields))
		for k, x := range v.fields {
			one, err := x.Eval(ctx, vars)
			if err != nil {
				return nil, err
			}
			out[k] = one
		}
		return out, nil
	}
	return v.literal, nil
}

// value compiles a free value.
func (s *scope) value(v any) (*Value, error) {
	switch v := v.(type) {
	case string:
		t, err := s.template(v)
		if err != nil {
			return nil, err
		}
		if len(t.parts) == 0 {
			return &Value{literal: ""}, nil
		}
		return &Value{text: t}, nil
	case []any:
		out := &Value{list: make([]*Value, 0, len(v))}
		for _, x := range v {
			one, err := s.value(x)
			if err != nil {
				return nil, err
			}
			out.list = append(out.list, one)
		}
		return out, nil
	case map[string]any:
		out := &Value{fields: make(map[string]*Value, len(v))}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			one, err := s.value(v[k])
			if err != nil {
				return nil, err
			}
			out.fields[k] = one
		}
		return out, nil
	}
	return &Value{literal: v}, nil
}

// names are the variables that the value reads.
func (v *Value) names() []string {
	var out []string
	if v == nil {
		return nil
	}
	if v.text != nil {
		out = v.text.names()
	}
	for _, x := range v.list {
		out = append(out, x.names()...)
	}
	for _, x := range v.fields {
		out = append(out, x.names()...)
	}
	return out
}

// gives is the type of the value; objects get a shape of that name.
func (s *scope) gives(name string, v *Value) *types.Type {
	switch {
	case v == nil:
		return types.NullType
	case v.text != nil:
		return v.text.gives()
	case v.fields != nil:
		fields := make(map[string]*types.Type, len(v.fields))
		for k, x := range v.fields {
			fields[k] = s.gives(name+"."+k, x)
		}
		return s.shapes.add(name, fields)
	case v.list != nil:
		if len(v.list) == 0 {
			return types.NewListType(types.DynType)
		}
		first := s.gives(name+"[]", v.list[0])
		for _, x := range v.list[1:] {
			if !first.IsEquivalentType(s.gives(name+"[]", x)) {
				return types.NewListType(types.DynType)
			}
		}
		if first.Kind() == types.StructKind {
			return types.NewListType(types.DynType)
		}
		return types.NewListType(first)
	}
	switch v.literal.(type) {
	case bool:
		return types.BoolType
	case int64:
		return types.IntType
	case float64:
		return types.DoubleType
	case string:
		return types.StringType
	}
	return types.DynType
}
