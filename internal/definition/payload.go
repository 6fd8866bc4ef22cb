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

// Payload is a copy of the schema of a payload type; ok is false when it is not known.
func Payload(name string) (schema map[string]any, ok bool) {
	found, ok := payloads()[name]
	if !ok {
		return nil, false
	}
	schema, _ = Settled(found).(map[string]any)
	return schema, true
}
