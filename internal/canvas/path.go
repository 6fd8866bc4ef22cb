package canvas

import (
	"fmt"
	"strconv"
	"strings"
)

// A seg is one step of a path: a key, or an item by its index or by its name.
type seg struct {
	key   string
	index int    // -1 when the seg is a key or names its item
	item  string // the name, id or case of an item
}

func keySeg(k string) seg { return seg{key: k, index: -1} }
func indexSeg(i int) seg  { return seg{index: i} }

// readPath reads a path such as branch[urgent].when, retry.times or tool.args["odd key"]. The error is a clause.
func readPath(path string) ([]seg, error) {
	var out []seg
	rest := path
	for rest != "" {
		if rest[0] == '.' && len(out) > 0 {
			if rest = rest[1:]; rest == "" || rest[0] == '[' {
				return nil, fmt.Errorf("the path %q has nothing behind a dot", path)
			}
		}
		if rest[0] != '[' {
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return nil, fmt.Errorf("the path %q has nothing before a dot", path)
			}
			out, rest = append(out, keySeg(rest[:end])), rest[end:]
			continue
		}
		s, left, err := bracket(rest)
		if err != nil {
			return nil, fmt.Errorf("the path %q %w", path, err)
		}
		out, rest = append(out, s), left
	}
	if len(out) == 0 || len(out) > mostNested {
		return nil, fmt.Errorf("the path %q names no property; write one such as agent.task or branch[0].when", path)
	}
	return out, nil
}

// bracket reads [0], [name] or ["key"].
func bracket(text string) (seg, string, error) {
	if len(text) > 1 && text[1] == '"' {
		end := quoteEnd(text, 1)
		if end < 0 || end >= len(text) || text[end] != ']' {
			return seg{}, "", fmt.Errorf("has a key in quotes that does not end with \"]")
		}
		key, err := strconv.Unquote(text[1:end])
		if err != nil {
			return seg{}, "", fmt.Errorf("has a key in quotes that cannot be read")
		}
		return keySeg(key), text[end+1:], nil
	}
	inside, rest, ok := strings.Cut(text[1:], "]")
	if !ok || inside == "" {
		return seg{}, "", fmt.Errorf("has a bracket without an end or without an index")
	}
	if n, err := strconv.Atoi(inside); err == nil {
		if n < 0 || n > 10_000 {
			return seg{}, "", fmt.Errorf("has the index %d", n)
		}
		return indexSeg(n), rest, nil
	}
	return seg{index: -1, item: inside}, rest, nil
}

// pathText writes segments as a path.
func pathText(segs []seg) string {
	var b strings.Builder
	for _, s := range segs {
		switch {
		case s.item != "":
			b.WriteString("[" + s.item + "]")
		case s.index >= 0:
			fmt.Fprintf(&b, "[%d]", s.index)
		case strings.ContainsAny(s.key, ".[]\""):
			b.WriteString("[" + strconv.Quote(s.key) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.key)
		}
	}
	return b.String()
}

// settle replaces names of items by their indices, as far as data has them.
func settle(data any, segs []seg) ([]seg, error) {
	out := make([]seg, 0, len(segs))
	at := data
	for _, s := range segs {
		list, isList := at.([]any)
		if s.item != "" {
			if s.index = named(list, s.item); s.index < 0 {
				return nil, fmt.Errorf("there is no item %s at %s", s.item, pathText(out))
			}
			s.item = ""
		}
		switch m, isMap := at.(map[string]any); {
		case s.index >= 0 && at != nil && !isList:
			return nil, fmt.Errorf("%s is no list", orRoot(out))
		case s.index < 0 && at != nil && !isMap:
			return nil, fmt.Errorf("%s has no properties", orRoot(out))
		case s.index > len(list):
			return nil, fmt.Errorf("%s has %d items; there is no place %d", orRoot(out), len(list), s.index)
		case s.index >= 0 && s.index < len(list):
			at = list[s.index]
		case s.index < 0 && isMap:
			at = m[s.key]
		default:
			at = nil
		}
		out = append(out, s)
	}
	return out, nil
}

func orRoot(segs []seg) string {
	if len(segs) == 0 {
		return "it"
	}
	return pathText(segs)
}

// named is the index of the item of that name, id or case, -1 when there is none.
func named(list []any, name string) int {
	for i, x := range list {
		m, _ := x.(map[string]any)
		for _, k := range []string{"name", "id", "case"} {
			if m[k] == name {
				return i
			}
		}
	}
	return -1
}

// value is what data has at a path.
func valueAt(data any, segs []seg) (any, bool) {
	for _, s := range segs {
		if s.index >= 0 {
			list, _ := data.([]any)
			if s.index >= len(list) {
				return nil, false
			}
			data = list[s.index]
			continue
		}
		m, ok := data.(map[string]any)
		if !ok {
			return nil, false
		}
		if data, ok = m[s.key]; !ok {
			return nil, false
		}
	}
	return data, true
}

// with is data with a value at a path, which it may make. data is changed.
func with(data any, segs []seg, v any) any {
	if len(segs) == 0 {
		return v
	}
	if s := segs[0]; s.index >= 0 {
		list, _ := data.([]any)
		if s.index < len(list) {
			list[s.index] = with(list[s.index], segs[1:], v)
			return list
		}
		return append(list, with(nil, segs[1:], v))
	}
	m, ok := data.(map[string]any)
	if !ok {
		m = make(map[string]any)
	}
	m[segs[0].key] = with(m[segs[0].key], segs[1:], v)
	return m
}

// without is data without what is at a path. data is changed.
func without(data any, segs []seg) any {
	last := segs[len(segs)-1]
	parent, _ := valueAt(data, segs[:len(segs)-1])
	switch p := parent.(type) {
	case map[string]any:
		delete(p, last.key)
		return data
	case []any:
		cut := append(append([]any{}, p[:last.index]...), p[last.index+1:]...)
		return with(data, segs[:len(segs)-1], cut)
	}
	return data
}

// inserted is data with an item more in the list at a path. data is changed.
func inserted(data any, segs []seg, i int, v any) any {
	at, _ := valueAt(data, segs)
	list, _ := at.([]any)
	out := append(append(append([]any{}, list[:i]...), v), list[i:]...)
	return with(data, segs, out)
}
