package blueprint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"chela/internal/definition"
)

type keyed struct {
	key   string
	value json.RawMessage
}

// keysOf reads an object, in its order; nothing is empty. The error is a clause.
func keysOf(raw json.RawMessage) ([]keyed, error) {
	if len(bytes.TrimSpace(raw)) == 0 || string(bytes.TrimSpace(raw)) == "null" {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := d.Token(); err != nil || tok != json.Delim('{') {
		return nil, fmt.Errorf("the config is no object")
	}
	var out []keyed
	for d.More() {
		tok, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("the config cannot be read: %w", err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("the config cannot be read: %w", err)
		}
		name, _ := tok.(string)
		out = append(out, keyed{name, value})
	}
	return out, nil
}

// common are what steps of every kind may say.
var common = []string{"title", "needs", "when", "expects", "review", "contract", "retry", "timeout", "compensate"} //nolint:gochecknoglobals // a table

// propertiesOf are the properties of a new step: its config is what its kind says, or the whole step.
func propertiesOf(kind definition.Kind, label string, config json.RawMessage) (json.RawMessage, error) {
	var step, own []keyed
	if label != "" {
		raw, err := json.Marshal(label)
		if err != nil {
			return nil, err
		}
		step = append(step, keyed{"title", raw})
	}
	trimmed := bytes.TrimSpace(config)
	if len(trimmed) > 0 && trimmed[0] != '{' && string(trimmed) != "null" {
		step = append(step, keyed{string(kind), config})
		return written(step)
	}
	keys, err := keysOf(config)
	if err != nil {
		return nil, err
	}
	whole := slices.ContainsFunc(keys, func(k keyed) bool { return k.key == string(kind) && kind != definition.Workflow })
	for _, k := range keys {
		switch {
		case k.key == "title" && label != "":
		case whole || slices.Contains(common, k.key):
			step = append(step, k)
		default:
			own = append(own, k)
		}
	}
	if len(own) > 0 {
		raw, err := written(own)
		if err != nil {
			return nil, err
		}
		step = append(step, keyed{string(kind), raw})
	}
	return written(step)
}

func written(keys []keyed) (json.RawMessage, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, k := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(k.key)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(k.value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
