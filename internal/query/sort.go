package query

import (
	"fmt"
	"strings"

	"chela/internal/fault"
)

// A Key is one field by which a list is sorted. What has no value comes last.
type Key struct {
	Field Field
	Down  bool // greatest first
}

// A Sort is by what a list is sorted: the first key, and the next among equals.
type Sort []Key

const maxKeys = 5

// ParseSort reads names of fields with commas between them, each with a - before it when
// the greatest comes first: "-updated,title".
func ParseSort(text string, fields Fields) (Sort, error) {
	var out Sort
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	seen := make(map[string]bool)
	for part := range strings.SplitSeq(text, ",") {
		name, down := strings.CutPrefix(strings.TrimSpace(part), "-")
		f, ok := fields.Find(name)
		if !ok || !f.Sortable() {
			return nil, fault.BadField("sort", fmt.Sprintf("A list of the kind %s cannot be sorted by %q.", fields.Of, name), fields.names(Field.Sortable)...)
		}
		if seen[f.Name] || len(out) == maxKeys {
			return nil, fault.BadField("sort", fmt.Sprintf("Name at most %d fields, each once.", maxKeys))
		}
		seen[f.Name] = true
		out = append(out, Key{f, down})
	}
	return out, nil
}

// String is the text that gives the sort.
func (s Sort) String() string {
	out := make([]string, len(s))
	for i, k := range s {
		if out[i] = k.Field.Name; k.Down {
			out[i] = "-" + out[i]
		}
	}
	return strings.Join(out, ",")
}
