package backup

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// A row is a line of JSON: a list of values in the order of the columns. A number is a whole number, a text a text, and bytes are a list of
// one text in base64; a text that is no UTF-8 is such a list with "text" behind it.

// appendRow adds the line of a row to out.
func appendRow(out *bytes.Buffer, row []any) error {
	out.WriteByte('[')
	for i, v := range row {
		if i > 0 {
			out.WriteByte(',')
		}
		switch v := v.(type) {
		case nil:
			out.WriteString("null")
		case int64:
			out.Write(strconv.AppendInt(out.AvailableBuffer(), v, 10))
		case []byte:
			out.WriteString(`["`)
			out.Write(base64.StdEncoding.AppendEncode(out.AvailableBuffer(), v))
			out.WriteString(`"]`)
		case string:
			if !utf8.ValidString(v) {
				out.WriteString(`["`)
				out.Write(base64.StdEncoding.AppendEncode(out.AvailableBuffer(), []byte(v)))
				out.WriteString(`","text"]`)
				continue
			}
			appendText(out, v)
		default:
			return fmt.Errorf("a value of the type %T cannot be written to a backup", v)
		}
	}
	out.WriteString("]\n")
	return nil
}

const hexDigits = "0123456789abcdef"

// appendText adds a text in quotes. What JSON lets stand, stands.
func appendText(out *bytes.Buffer, s string) {
	out.WriteByte('"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		out.WriteString(s[from:i])
		from = i + 1
		if c < ' ' {
			out.WriteString(`\u00`)
			out.WriteByte(hexDigits[c>>4])
			out.WriteByte(hexDigits[c&15])
			continue
		}
		out.WriteByte('\\')
		out.WriteByte(c)
	}
	out.WriteString(s[from:])
	out.WriteByte('"')
}

// readRow reads a line of n values.
func readRow(line []byte, n int) ([]any, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(line, &raw); err != nil {
		return nil, err
	}
	if len(raw) != n {
		return nil, fmt.Errorf("%d values for %d columns", len(raw), n)
	}
	out := make([]any, n)
	for i, v := range raw {
		var err error
		if out[i], err = readValue(v); err != nil {
			return nil, fmt.Errorf("value %d: %w", i+1, err)
		}
	}
	return out, nil
}

func readValue(raw json.RawMessage) (any, error) {
	switch raw[0] {
	case 'n':
		return nil, nil //nolint:nilnil // it is the value of the row
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err
	case '[':
		var in []string
		if err := json.Unmarshal(raw, &in); err != nil {
			return nil, err
		}
		if len(in) < 1 || len(in) > 2 || len(in) == 2 && in[1] != "text" {
			return nil, fmt.Errorf("it is no list of bytes")
		}
		b, err := base64.StdEncoding.Strict().DecodeString(in[0])
		if err != nil || len(in) == 1 {
			return b, err
		}
		return string(b), nil
	}
	return strconv.ParseInt(string(raw), 10, 64)
}
