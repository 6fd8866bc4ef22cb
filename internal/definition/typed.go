package definition

import (
	"maps"

	"cel.dev/cel-go/common/types"
)

// fractions reports whether a value of the type may have a number in it that is not whole.
func (s *shapes) fractions(t *types.Type) bool {
	switch t.Kind() { //nolint:exhaustive // the rest has no parts
	case types.DoubleKind:
		return true
	case types.ListKind, types.MapKind:
		for _, p := range t.Parameters() {
			if s.fractions(p) {
				return true
			}
		}
	case types.StructKind:
		for _, f := range s.fields[t.TypeName()] {
			if s.fractions(f) {
				return true
			}
		}
	}
	return false
}

// typed is a value with the numbers that its type has: the log writes 4.0 as 4, which is read as a whole number, and an
// expression that was checked with a number cannot be computed with it.
func (s *shapes) typed(v any, t *types.Type) any {
	if !s.fractions(t) {
		return v
	}
	switch v := v.(type) {
	case int64:
		if t.Kind() == types.DoubleKind {
			return float64(v)
		}
	case []any:
		if t.Kind() != types.ListKind || v == nil {
			return v
		}
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = s.typed(x, t.Parameters()[0])
		}
		return out
	case map[string]any:
		if v == nil {
			return v
		}
		out := maps.Clone(v)
		for k, x := range v {
			if t.Kind() == types.MapKind {
				out[k] = s.typed(x, t.Parameters()[1])
			} else if f := s.fields[t.TypeName()][k]; f != nil {
				out[k] = s.typed(x, f)
			}
		}
		return out
	}
	return v
}
