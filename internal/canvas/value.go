package canvas

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"chela/internal/definition"
	"chela/internal/yamlfile"
)

// An object is an object of JSON whose keys keep their order, so that they are written in it.
type object []pair

type pair struct {
	key   string
	value any
}

// ordered reads a value of JSON: nil, bool, int64, float64, string, []any and object. Nothing is nil.
func ordered(raw json.RawMessage) (any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil //nolint:nilnil // nothing is null
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := orderedNext(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more behind the value")
	}
	return v, nil
}

// mostNested is how deep a value may be nested.
const mostNested = 24

func orderedNext(d *json.Decoder, depth int) (any, error) {
	if depth > mostNested {
		return nil, fmt.Errorf("the value is nested deeper than %d", mostNested)
	}
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := tok.(json.Delim)
	if !ok {
		return definition.Settled(tok), nil
	}
	if delim == '[' {
		list := []any{}
		for d.More() {
			v, err := orderedNext(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	}
	out := object{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		v, err := orderedNext(d, depth+1)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(p pair) bool { return p.key == name }) {
			return nil, fmt.Errorf("the key %q is there twice", name)
		}
		out = append(out, pair{name, v})
	}
	_, err = d.Token()
	return out, err
}

// settled is a value without the order of its keys.
func settled(v any) any {
	switch v := v.(type) {
	case object:
		out := make(map[string]any, len(v))
		for _, p := range v {
			out[p.key] = settled(p.value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = settled(x)
		}
		return out
	}
	return definition.Settled(v)
}

// sorted is a value with its keys in the order of the alphabet.
func sorted(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := object{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out = append(out, pair{k, sorted(v[k])})
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = sorted(x)
		}
		return out
	}
	return v
}

// decode reads a text, and what it says, settled.
func decode(src string) (*ast.File, any, error) {
	parsed, err := yamlfile.Read([]byte(src), definition.Depth())
	if err != nil {
		return nil, nil, err
	}
	if len(parsed.Docs) != 1 || yamlfile.Empty(parsed.Docs[0]) {
		return nil, nil, errShape
	}
	var v any
	if err := yamlfile.Decode(parsed.Docs[0].Body, &v); err != nil {
		return nil, nil, err
	}
	return parsed, definition.Settled(v), nil
}

// same reports whether two settled values are equal. An empty list is none, as an empty object is.
func same(a, b any) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}
