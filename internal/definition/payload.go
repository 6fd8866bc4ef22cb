package definition

import (
	_ "embed" // the schemas of payloads
	"maps"
	"slices"
	"sync"
)

//go:embed payloads.json
var payloadFile []byte

// payloads are the schemas of the payload types that every organization knows, by type.
var payloads = sync.OnceValue(func() map[string]map[string]any { //nolint:gochecknoglobals // read once, at its first use
	v, err := Read(payloadFile)
	if err != nil {
		panic("definition: payloads.json is embedded: " + err.Error())
	}
	all, _ := v.(map[string]any)
	out := make(map[string]map[string]any, len(all))
	for name, schema := range all {
		out[name], _ = schema.(map[string]any)
	}
	return out
})

// Payloads lists the payload types that every organization knows.
func Payloads() []string { return slices.Sorted(maps.Keys(payloads())) }

// OwnTypes finds the schema of a payload type that an organization registered.
type OwnTypes func(name string) (schema map[string]any, ok bool)

// payload is the schema of a payload type: one that comes with Chela, or one of the organization's own.
func (c *checker) payload(name string) (map[string]any, bool) {
	if known, ok := Payload(name); ok {
		return known, true
	}
	for _, t := range c.types {
		if t == nil {
			continue
		}
		if schema, ok := t(name); ok {
			if !slices.Contains(c.own, name) {
				c.own = append(c.own, name)
			}
			settled, _ := Settled(schema).(map[string]any)
			return settled, settled != nil
		}
	}
	return nil, false
}

// Expected are the payload types that the steps of a file expect, sorted, also those that nobody knows.
func Expected(f *File) []string {
	var out []string
	var visit func([]Step)
	visit = func(steps []Step) {
		for _, s := range steps {
			if e := s.Expects; e != nil {
				for _, name := range []string{e.PayloadType, PayloadOf(e.SchemaRef)} {
					if name != "" && !slices.Contains(out, name) {
						out = append(out, name)
					}
				}
			}
			visit(s.Body())
		}
	}
	visit(f.Steps)
	slices.Sort(out)
	return out
}

// Payload is a copy of the schema of a payload type; ok is false when it is not known.
func Payload(name string) (schema map[string]any, ok bool) {
	found, ok := payloads()[name]
	if !ok {
		return nil, false
	}
	schema, _ = Settled(found).(map[string]any)
	return schema, true
}
