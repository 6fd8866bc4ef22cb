package event

import (
	"bytes"
	"encoding/json"
)

// Members returns the members of an object that is in canonical form, as they are written. ok is false where it is no such
// object, as with blanks or a name twice; what is inside the members is not looked at further.
func Members(raw []byte) (out map[string]json.RawMessage, ok bool) {
	out = make(map[string]json.RawMessage, 16)
	ok = EachMember(raw, func(name, value []byte) bool {
		if _, twice := out[string(name)]; twice {
			return false
		}
		out[string(name)] = value
		return true
	})
	if !ok {
		return nil, false
	}
	return out, true
}

// EachMember calls fn with each member of an object as [Members] returns it, and a name that comes twice with each. It is
// false where it is no such object, or when fn has returned false.
func EachMember(raw []byte, fn func(name, value []byte) bool) bool {
	if len(raw) < 2 || raw[0] != '{' || raw[len(raw)-1] != '}' {
		return false
	}
	for at := 1; at < len(raw)-1; {
		end := textEnd(raw, at)
		if end < 0 || end >= len(raw)-1 || raw[end] != ':' {
			return false
		}
		name := raw[at+1 : end-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			var plain string
			if json.Unmarshal(raw[at:end], &plain) != nil {
				return false
			}
			name = []byte(plain)
		}
		from := end + 1
		if at = valueEnd(raw, from); at <= from || !fn(name, raw[from:at:at]) {
			return false
		}
		if at == len(raw)-1 {
			return true
		}
		if at++; at >= len(raw)-1 || raw[at-1] != ',' {
			return false
		}
	}
	return len(raw) == 2
}

// textEnd is behind the text that begins at a place, -1 where none does.
func textEnd(raw []byte, at int) int {
	if at >= len(raw) || raw[at] != '"' {
		return -1
	}
	for at++; at < len(raw); at++ {
		switch raw[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return -1
}

// valueEnd is behind the value that begins at a place of an object, -1 where none does.
func valueEnd(raw []byte, at int) int {
	for depth := 0; at < len(raw); {
		switch raw[at] {
		case '"':
			if at = textEnd(raw, at); at < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return at
			}
		case ',':
			if depth == 0 {
				return at
			}
		case ' ', '\t', '\n', '\r':
			return -1
		}
		at++
	}
	return -1
}
