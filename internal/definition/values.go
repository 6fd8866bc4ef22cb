package definition

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// settle gives the free values of a file the types that [Values] has.
func (f *File) settle() {
	for i := range f.Inputs {
		f.Inputs[i].Default = Settled(f.Inputs[i].Default)
		f.Inputs[i].Enum, _ = Settled(f.Inputs[i].Enum).([]any)
	}
	for i := range f.Triggers {
		f.Triggers[i].Inputs = settledMap(f.Triggers[i].Inputs)
	}
	settleSteps(f.Steps)
	f.Output = Settled(f.Output)
	for i := range f.Tests {
		t := &f.Tests[i]
		t.Inputs, t.Given, t.Expect.Steps = settledMap(t.Inputs), settledMap(t.Given), settledMap(t.Expect.Steps)
		t.Reviews, t.Evidence = settledMap(t.Reviews), settledMap(t.Evidence)
		t.Expect.Output = Settled(t.Expect.Output)
	}
}

func settleSteps(steps []Step) {
	for i := range steps {
		s := &steps[i]
		s.Transform = Settled(s.Transform)
		for j := range s.Rule {
			s.Rule[j].Then = Settled(s.Rule[j].Then)
		}
		for _, t := range []*ToolStep{s.Tool, s.Compensate} {
			if t != nil {
				t.Args = settledMap(t.Args)
			}
		}
		if s.Agent != nil {
			s.Agent.Schema = Settled(s.Agent.Schema)
		}
		if s.Model != nil {
			s.Model.Schema = Settled(s.Model.Schema)
		}
		if s.Workflow != nil {
			s.Workflow.Inputs = settledMap(s.Workflow.Inputs)
		}
		settleSteps(s.Body())
	}
}

// long reports whether a text is a whole number with more digits than an int64 holds.
func long(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return errors.Is(err, strconv.ErrRange)
}

func settledMap(m map[string]any) map[string]any {
	out, _ := Settled(m).(map[string]any)
	return out
}

// Settled is a value with the types that expressions know: nil, bool, int64, float64, string, []any and
// map[string]any. Whole numbers are int64; one of which neither that nor a float64 has all digits is a text.
func Settled(v any) any {
	switch v := v.(type) {
	case nil, bool, int64, string:
		return v
	case int:
		return int64(v)
	case uint64:
		if v > math.MaxInt64 {
			return strconv.FormatUint(v, 10)
		}
		return int64(v)
	case float64:
		return v
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil || long(v.String()) && strconv.FormatFloat(f, 'f', -1, 64) != v.String() {
			return v.String()
		}
		return f
	case []any, map[string]any:
		return within(v, Settled)
	}
	return fmt.Sprint(v)
}

// Read is a value of JSON, settled.
func Read(raw []byte) (any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil //nolint:nilnil // nothing is null
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return Settled(v), nil
}

// Given are values by name, as a program gives them in JSON: whole numbers keep their digits.
type Given map[string]any

// UnmarshalJSON implements [json.Unmarshaler].
func (g *Given) UnmarshalJSON(raw []byte) error {
	v, err := Read(raw)
	if err != nil {
		return err
	}
	m, ok := v.(map[string]any)
	if !ok && v != nil {
		return errors.New("it takes an object")
	}
	*g = m
	return nil
}

// Kept is a value as the log keeps it: a whole number beyond [MostWhole], of which it would not keep all digits, is a text.
func Kept(v any) any {
	switch v := v.(type) {
	case int64:
		if v > MostWhole || v < -MostWhole {
			return strconv.FormatInt(v, 10)
		}
	case []any, map[string]any:
		return within(v, Kept)
	}
	return v
}

// Text is a value within a text: texts as they are, null as nothing, the rest as JSON.
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// within is a list or an object with its values changed; any other value stays.
func within(v any, change func(any) any) any {
	switch v := v.(type) {
	case []any:
		if v == nil {
			return nil
		}
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = change(x)
		}
		return out
	case map[string]any:
		if v == nil {
			return nil
		}
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = change(x)
		}
		return out
	}
	return v
}
