package artifact

import (
	"encoding/json"
	"slices"
	"strings"
)

// The fields of payloads and records that name artifacts, and the arguments of calls. A model writes those: what it names there need
// not be there.
var (
	naming  = []string{"artifact", "binaryRef", "body", "images", "rawContentRef", "ref", "rest", "shows"}
	written = []string{"args", "arguments"}
)

// Named returns the artifacts that a payload of an event rests on.
func Named(payload json.RawMessage) []Ref {
	if !strings.Contains(string(payload), `"`+prefix) {
		return nil
	}
	var v any
	if json.Unmarshal(payload, &v) != nil { // then it names none
		return nil
	}
	var out []Ref
	named(v, false, &out)
	return out
}

func named(v any, may bool, out *[]Ref) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if !slices.Contains(written, key) {
				named(value, slices.Contains(naming, key), out)
			}
		}
	case []any:
		for _, item := range v {
			named(item, may, out)
		}
	case string:
		if may && Ref(v).Valid() && !slices.Contains(*out, Ref(v)) {
			*out = append(*out, Ref(v))
		}
	}
}
