package dingtalk

import (
	"bytes"
	"encoding/json"
	"strconv"

	"chela/internal/channel"
)

// What DingTalk sends is read field by field: one of a shape that is not known is as if it
// were not there, and its neighbours count. The types here never fail.

// A word is a string, or a number where DingTalk's pages disagree which of the two it is.
type word string

// UnmarshalJSON implements [json.Unmarshaler].
func (w *word) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*w = word(s)
		return nil
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		*w = word(n)
	}
	return nil
}

// A stamp is a whole number, which may come as a string.
type stamp int64

// UnmarshalJSON implements [json.Unmarshaler].
func (s *stamp) UnmarshalJSON(raw []byte) error {
	if n, err := strconv.ParseInt(string(bytes.Trim(raw, `"`)), 10, 64); err == nil {
		*s = stamp(n)
	}
	return nil
}

// A flag is a boolean.
type flag bool

// UnmarshalJSON implements [json.Unmarshaler].
func (f *flag) UnmarshalJSON(raw []byte) error {
	*f = flag(string(bytes.Trim(raw, `"`)) == "true")
	return nil
}

// loose is a part of a message.
type loose[T any] struct{ is T }

// UnmarshalJSON implements [json.Unmarshaler].
func (l *loose[T]) UnmarshalJSON(raw []byte) error {
	var is T
	if json.Unmarshal(raw, &is) == nil {
		l.is = is
	}
	return nil
}

// oneLine is another's text as part of a line of ours.
func oneLine(s string) string { return channel.OneLine(s, 200) }
