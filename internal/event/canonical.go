package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"chela/internal/fault"
)

// Canonical returns raw in the canonical form of RFC 8785: no blanks, keys sorted
// by their UTF-16 code units, numbers as ECMAScript prints them. Keys that are
// there twice, numbers outside of float64 and broken UTF-8 are refused.
func Canonical(raw []byte) ([]byte, error) {
	if !utf8.Valid(raw) {
		return nil, fault.New(fault.Invalid, "The JSON is not valid UTF-8.")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	out, err := canonicalValue(make([]byte, 0, len(raw)), dec, 0)
	if err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fault.New(fault.Invalid, "There is more after the end of the JSON value.")
	}
	return out, nil
}

func canonicalValue(out []byte, dec *json.Decoder, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, fault.New(fault.Invalid, "The JSON is nested more than %d deep.", maxDepth)
	}
	tok, err := dec.Token()
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "The JSON cannot be read at byte %d.", dec.InputOffset())
	}
	switch v := tok.(type) {
	case json.Delim:
		if v == '{' {
			return canonicalObject(out, dec, depth)
		}
		return canonicalList(out, dec, depth)
	case string:
		return appendString(out, v), nil
	case json.Number:
		return appendNumber(out, v)
	case bool:
		return strconv.AppendBool(out, v), nil
	default:
		return append(out, "null"...), nil
	}
}

func canonicalList(out []byte, dec *json.Decoder, depth int) ([]byte, error) {
	out = append(out, '[')
	for first := true; dec.More(); first = false {
		if !first {
			out = append(out, ',')
		}
		var err error
		if out, err = canonicalValue(out, dec, depth+1); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), closing(dec)
}

// A member is one key of an object with its canonical value.
type member struct {
	key   string
	value []byte
}

func canonicalObject(out []byte, dec *json.Decoder, depth int) ([]byte, error) {
	var members []member
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "The JSON cannot be read at byte %d.", dec.InputOffset())
		}
		key, _ := tok.(string) // a key is always a string
		value, err := canonicalValue(nil, dec, depth+1)
		if err != nil {
			return nil, err
		}
		members = append(members, member{key, value})
	}
	if err := closing(dec); err != nil {
		return nil, err
	}
	slices.SortFunc(members, func(a, b member) int { return compareUTF16(a.key, b.key) })
	out = append(out, '{')
	for i, m := range members {
		if i > 0 {
			if members[i-1].key == m.key {
				return nil, fault.BadField(m.key, "The key is there twice.")
			}
			out = append(out, ',')
		}
		out = append(appendString(out, m.key), ':')
		out = append(out, m.value...)
	}
	return append(out, '}'), nil
}

// compareUTF16 orders as RFC 8785 does. It differs from byte order only where
// characters beyond the basic plane meet those from U+E000 on.
func compareUTF16(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

const hexDigits = "0123456789abcdef"

func appendString(out []byte, s string) []byte {
	out = append(out, '"')
	for i := range len(s) {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c >= ' ':
			out = append(out, c)
		case c == '\b':
			out = append(out, '\\', 'b')
		case c == '\f':
			out = append(out, '\\', 'f')
		case c == '\n':
			out = append(out, '\\', 'n')
		case c == '\r':
			out = append(out, '\\', 'r')
		case c == '\t':
			out = append(out, '\\', 't')
		default:
			out = append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(out, '"')
}

// appendNumber prints as ECMAScript's Number.prototype.toString does.
func appendNumber(out []byte, n json.Number) ([]byte, error) {
	f, err := n.Float64()
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, fault.New(fault.Invalid, "The number %s is out of range.", n)
	}
	if f == 0 {
		return append(out, '0'), nil // also -0
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(out, f, 'f', -1, 64), nil
	}
	b := strconv.AppendFloat(nil, f, 'e', -1, 64)
	// Go writes e-07 and e+21; ECMAScript writes e-7 and e+21.
	if i := bytes.LastIndexByte(b, 'e'); i >= 0 && i+3 < len(b) && b[i+2] == '0' {
		b = slices.Delete(b, i+2, i+3)
	}
	return append(out, b...), nil
}
