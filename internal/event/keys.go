package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"chela/internal/fault"
)

// CheckKeys refuses one JSON value for the keys for which [DecodeStrict] refuses it, and for a text with
// a NUL character: whether values fit the type is for the caller to say. It keeps no copy of raw.
// t is nil where no type says which keys there are; then only a repeated key is refused.
func CheckKeys(raw []byte, t reflect.Type) error {
	return check(keys{raw: raw, plain: !bytes.Contains(raw, nul)}, t)
}

// CheckRead refuses one JSON value in which a key is there twice, or is one that t reads but for its case: two readers might take it
// differently. Keys that t does not know are for others.
func CheckRead(raw []byte, t reflect.Type) error {
	return check(keys{raw: raw, open: true, plain: true}, t)
}

func check(c keys, t reflect.Type) error {
	var syntax unread
	if err := json.Unmarshal(c.raw, &syntax); err != nil {
		if se, ok := errors.AsType[*json.SyntaxError](err); ok {
			return fault.Wrap(err, fault.Invalid, "The JSON cannot be read at byte %d.", se.Offset)
		}
		return fault.Wrap(err, fault.Invalid, "The JSON cannot be read.")
	}
	return c.value(t, "", 0)
}

// CheckSpelling refuses a member of an object that is one of these but for its case: two readers might take it differently. at is where
// the object is, as "payload.".
func CheckSpelling(members map[string]json.RawMessage, at string, names ...string) error {
	for member := range members {
		for _, name := range names {
			if member != name && strings.EqualFold(member, name) {
				return fault.BadField(at+member, "The key is spelt "+name+".")
			}
		}
	}
	return nil
}

// DecodeLean decodes what [CheckKeys] lets through, and texts with NUL characters. It holds no more than raw and what into gets.
func DecodeLean(raw []byte, into any) error {
	if err := check(keys{raw: raw, plain: true}, reflect.TypeOf(into).Elem()); err != nil {
		return err
	}
	return unmarshal(raw, into)
}

// unread is a JSON value of which only the syntax counts.
type unread struct{}

// UnmarshalJSON implements [json.Unmarshaler].
func (unread) UnmarshalJSON([]byte) error { return nil }

// keys walks JSON whose syntax is right.
type keys struct {
	raw   []byte
	at    int
	open  bool // keys that are not known are let through
	plain bool // NUL characters are not looked for
}

// peek returns the next byte that is no blank.
func (k *keys) peek() byte {
	for k.at < len(k.raw) {
		switch c := k.raw[k.at]; c {
		case ' ', '\t', '\r', '\n':
			k.at++
		default:
			return c
		}
	}
	return 0
}

// more reports whether a list or an object that ends so has another member, and goes to it.
func (k *keys) more(end byte) bool {
	c := k.peek()
	if c == ',' {
		k.at++
		c = k.peek()
	}
	if c == end || c == 0 {
		k.at++
		return false
	}
	return true
}

func (k *keys) value(t reflect.Type, path string, depth int) error {
	if depth > maxDepth {
		return refuse(path, "The JSON is nested too deeply.")
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch k.peek() {
	case '{':
		k.at++
		return k.object(t, path, depth)
	case '[':
		k.at++
		elem := elemOf(t)
		for k.more(']') {
			if err := k.value(elem, path, depth+1); err != nil {
				return err
			}
		}
		return nil
	case '"':
		if text := k.text(); !k.plain && len(withoutNUL(text)) < len(text) {
			return refuse(path, "The text has a NUL character, which no text has. Take it out.")
		}
		return nil
	}
	for k.at < len(k.raw) { // a number or a word
		switch k.raw[k.at] {
		case ',', ']', '}', ' ', '\t', '\r', '\n':
			return nil
		}
		k.at++
	}
	return nil
}

// text returns a text with its quotes.
func (k *keys) text() []byte {
	from := k.at
	for k.at++; k.at < len(k.raw); k.at++ {
		switch k.raw[k.at] {
		case '\\':
			k.at++
		case '"':
			k.at++
			return k.raw[from:k.at]
		}
	}
	return k.raw[from:]
}

func (k *keys) object(t reflect.Type, path string, depth int) error {
	fields, elem := membersOf(t)
	seen := make(map[string]bool)
	for k.more('}') {
		var key string
		if err := json.Unmarshal(k.text(), &key); err != nil {
			return fault.Wrap(err, fault.Invalid, "The JSON cannot be read at byte %d.", k.at)
		}
		k.peek()
		k.at++ // the colon
		name := join(path, key)
		if seen[key] {
			return fault.BadField(name, "The key is there twice.")
		}
		seen[key] = true
		if !k.plain && strings.ContainsRune(key, 0) {
			return refuse(path, "A key has a NUL character, which no text has. Take it out.")
		}
		ft := elem
		if fields != nil {
			var err error
			if ft, err = fieldFor(fields, key, name, k.open); err != nil {
				return err
			}
		}
		if err := k.value(ft, name, depth+1); err != nil {
			return err
		}
	}
	return nil
}
