package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"chela/internal/fault"
)

// Canonical returns raw in the canonical form of RFC 8785: no blanks, keys sorted
// by their UTF-16 code units, numbers as ECMAScript prints them. Keys that are
// there twice, numbers outside of float64 and broken UTF-8 are refused. Half a
// surrogate pair, which the RFC refuses, becomes U+FFFD, as Go's decoder makes it:
// models write such halves, and their calls must be recorded all the same.
func Canonical(raw []byte) ([]byte, error) {
	if !utf8.Valid(raw) {
		return nil, fault.New(fault.Invalid, "The JSON is not valid UTF-8.")
	}
	if !json.Valid(raw) {
		return nil, unreadable(raw)
	}
	c := canon{in: raw, out: make([]byte, 0, len(raw))}
	if err := c.value(0); err != nil {
		return nil, err
	}
	return c.out, nil
}

func unreadable(raw []byte) error {
	var syntax *json.SyntaxError
	err := json.Unmarshal(raw, new(json.RawMessage))
	if errors.As(err, &syntax) {
		return fault.Wrap(err, fault.Invalid, "The JSON cannot be read at byte %d.", syntax.Offset)
	}
	return fault.Wrap(err, fault.Invalid, "The JSON cannot be read.")
}

// A canon writes JSON that is known to be valid in canonical form.
type canon struct {
	in  []byte // what is left to read
	out []byte
}

// next returns the first byte that is not blank.
func (c *canon) next() byte {
	for {
		switch c.in[0] {
		case ' ', '\t', '\n', '\r':
			c.in = c.in[1:]
		default:
			return c.in[0]
		}
	}
}

func (c *canon) value(depth int) error {
	if depth > maxDepth {
		return fault.New(fault.Invalid, "The JSON is nested more than %d deep.", maxDepth)
	}
	switch c.next() {
	case '{':
		return c.object(depth)
	case '[':
		return c.list(depth)
	case '"':
		_, err := c.text()
		return err
	case 't', 'n':
		c.out, c.in = append(c.out, c.in[:4]...), c.in[4:]
	case 'f':
		c.out, c.in = append(c.out, c.in[:5]...), c.in[5:]
	default:
		return c.number()
	}
	return nil
}

func (c *canon) list(depth int) error {
	c.out, c.in = append(c.out, '['), c.in[1:]
	for c.next() != ']' {
		if c.in[0] == ',' {
			c.out, c.in = append(c.out, ','), c.in[1:]
		}
		if err := c.value(depth + 1); err != nil {
			return err
		}
	}
	c.out, c.in = append(c.out, ']'), c.in[1:]
	return nil
}

// A member is one key of an object and where it stands in the output with its value.
type member struct {
	key      string
	from, to int
}

func (c *canon) object(depth int) error {
	c.out, c.in = append(c.out, '{'), c.in[1:]
	var room [16]member
	members, begin, sorted := room[:0], len(c.out), true
	for c.next() != '}' {
		if c.in[0] == ',' {
			c.out, c.in = append(c.out, ','), c.in[1:]
			c.next()
		}
		m := member{from: len(c.out)}
		var err error
		if m.key, err = c.text(); err != nil {
			return err
		}
		c.next()
		c.out, c.in = append(c.out, ':'), c.in[1:]
		if err := c.value(depth + 1); err != nil {
			return err
		}
		m.to = len(c.out)
		if n := len(members); n > 0 && compareUTF16(members[n-1].key, m.key) >= 0 {
			sorted = false
		}
		members = append(members, m)
	}
	c.in = c.in[1:]
	if !sorted {
		if err := c.sort(members, begin); err != nil {
			return err
		}
	}
	c.out = append(c.out, '}')
	return nil
}

// sort puts the members, which stand in the output from begin on, in order.
func (c *canon) sort(members []member, begin int) error {
	slices.SortFunc(members, func(a, b member) int { return compareUTF16(a.key, b.key) })
	was := slices.Clone(c.out[begin:])
	c.out = c.out[:begin]
	for i, m := range members {
		if i > 0 {
			if members[i-1].key == m.key {
				return fault.BadField(m.key, "The key is there twice.")
			}
			c.out = append(c.out, ',')
		}
		c.out = append(c.out, was[m.from-begin:m.to-begin]...)
	}
	return nil
}

// text writes the string that comes next and returns what it says.
func (c *canon) text() (string, error) {
	end, plain := 1, true
	for c.in[end] != '"' {
		if c.in[end] == '\\' {
			plain = false
			end++
		}
		end++
	}
	raw := c.in[:end+1]
	c.in = c.in[end+1:]
	if plain {
		c.out = append(c.out, raw...)
		return string(raw[1:end]), nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", fault.Wrap(err, fault.Invalid, "The JSON has a string that cannot be read.")
	}
	c.out = appendString(c.out, s)
	return s, nil
}

func (c *canon) number() error {
	end := 1
	for end < len(c.in) && strings.IndexByte("+-.0123456789eE", c.in[end]) >= 0 {
		end++
	}
	out, err := appendNumber(c.out, json.Number(c.in[:end]))
	c.out, c.in = out, c.in[end:]
	return err
}

// compareUTF16 orders as RFC 8785 does. It differs from byte order only where
// characters beyond the basic plane meet those from U+E000 on.
func compareUTF16(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] >= utf8.RuneSelf || b[i] >= utf8.RuneSelf {
			return slices.Compare(utf16.Encode([]rune(a[i:])), utf16.Encode([]rune(b[i:])))
		}
		if a[i] != b[i] {
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
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
