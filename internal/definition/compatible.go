package definition

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// words are the keywords of schemas that say nothing of values.
var words = []string{"title", "description", "examples", "default", "$comment", "deprecated"}

// Breaks says what in a new schema breaks those who read what fits the one before it, a sentence each: a value that
// fits the new one has to fit the old one, or to have more. It is careful: a keyword that is judged nowhere
// here has to stay as it is.
func Breaks(before, after map[string]any) []string {
	a, _ := Settled(before).(map[string]any)
	b, _ := Settled(after).(map[string]any)
	return breaks("", a, b, 0)
}

func breaks(at string, before, after map[string]any, depth int) []string {
	if depth > maxNative {
		return []string{at + " is nested too deeply."}
	}
	var out []string
	name := func(field string) string { return strings.TrimPrefix(at+"."+field, ".") }
	bad := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	here := at
	if here == "" {
		here = "The payload"
	}
	if was, now := before["type"], after["type"]; !narrower(was, now) {
		bad("%s was %s, and would be %s.", here, Text(was), orAny(now))
	}
	out = append(out, enums(here, before, after)...)
	need := texts(after["required"])
	for _, field := range texts(before["required"]) {
		if !slices.Contains(need, field) {
			bad("%s was always there, and need not be any more.", name(field))
		}
	}
	had, has := object(before["properties"]), object(after["properties"])
	for _, field := range slices.Sorted(maps.Keys(had)) {
		now, ok := has[field]
		if !ok {
			bad("%s is gone.", name(field))
			continue
		}
		out = append(out, breaks(name(field), object(had[field]), object(now), depth+1)...)
	}
	if items := before["items"]; items != nil {
		out = append(out, breaks(at+"[]", object(items), object(after["items"]), depth+1)...)
	}
	judged := append([]string{"type", "enum", "const", "required", "properties", "items", "additionalProperties"}, words...)
	for _, k := range slices.Sorted(maps.Keys(before)) {
		if !slices.Contains(judged, k) && !reflect.DeepEqual(before[k], after[k]) {
			bad("%s says something else of %s.", here, k)
		}
	}
	return out
}

// enums says which values are new where only some were possible.
func enums(here string, before, after map[string]any) []string {
	could, limited := values(before)
	if !limited {
		return nil
	}
	can, still := values(after)
	if !still {
		return []string{here + " was one of a few values, and would be any."}
	}
	var out []string
	for _, v := range can {
		if !slices.ContainsFunc(could, func(w any) bool { return reflect.DeepEqual(v, w) }) {
			out = append(out, fmt.Sprintf("%s would be %s, which it never was.", here, Text(v)))
		}
	}
	return out
}

func values(schema map[string]any) (all []any, limited bool) {
	if c, ok := schema["const"]; ok {
		return []any{c}, true
	}
	all, limited = schema["enum"].([]any)
	return all, limited
}

// narrower reports whether each value of the type now is one of the type before; nil is every type.
func narrower(before, now any) bool {
	if before == nil {
		return true
	}
	could := texts(before)
	can := texts(now)
	return len(can) > 0 && !slices.ContainsFunc(can, func(t string) bool {
		return !slices.Contains(could, t) && (t != "integer" || !slices.Contains(could, "number"))
	})
}

func orAny(v any) string {
	if v == nil {
		return "anything"
	}
	return Text(v)
}

// texts are a text or a list of such.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, x := range v {
			if s, ok := x.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
