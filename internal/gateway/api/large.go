package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"reflect"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/gateway"
)

// A Large is the body of an operation that takes much: it is decoded from where it lies, and
// what it is of checks itself.
type Large[T interface{ check() error }] struct{ body *gateway.Body }

// Resolve implements [huma.Resolver].
func (l *Large[T]) Resolve(c huma.Context) []error {
	l.body, _ = c.BodyReader().(*gateway.Body)
	return nil
}

// open decodes the body, once.
func (l *Large[T]) open() (out T, err error) {
	if l.body == nil || l.body.Size == 0 {
		return out, fault.New(fault.Invalid, "The body is missing.")
	}
	raw, err := l.body.Bytes()
	if err != nil {
		return out, err
	}
	if err := event.DecodeLean(raw, &out); err != nil {
		return out, err
	}
	return out, out.check()
}

// largeBody has an operation take a body of the type T through a [Large].
func largeBody[T any](a *api) func(*huma.Operation) {
	return func(op *huma.Operation) {
		op.MaxBodyBytes = maxIntake
		op.Metadata[bodyKey] = bodyKind{json: true, large: true}
		if !a.describes {
			return // huma would read what it knows a schema of
		}
		s := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: s}}}
	}
}

// LargeText is a text of a large body. It is decoded where it lies in the body, without a copy.
type LargeText []byte

// Schema implements [huma.SchemaProvider].
func (LargeText) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeString} }

// UnmarshalJSON implements [json.Unmarshaler]. It takes over raw, which whoever decodes leaves to it.
func (t *LargeText) UnmarshalJSON(raw []byte) error {
	text, ok, err := quoted(raw)
	if ok {
		*t = unescape(text)
	}
	return err
}

// LargeFile is a file in a large body, as base64. It is decoded where it lies, as a [LargeText] is.
type LargeFile []byte

// UnmarshalJSON implements [json.Unmarshaler].
func (f *LargeFile) UnmarshalJSON(raw []byte) error {
	text, ok, err := quoted(raw)
	if !ok {
		return err
	}
	text = unescape(text)
	n, err := base64.StdEncoding.Decode(text, text) // it never writes past what it has read
	*f = text[:n]
	return err
}

// quoted returns what stands between the quotes of a text; false is null.
func quoted(raw []byte) (text []byte, ok bool, err error) {
	switch {
	case string(raw) == "null":
		return nil, false, nil
	case len(raw) < 2 || raw[0] != '"':
		return nil, false, errors.New("a text is wanted")
	case !utf8.Valid(raw): // what is none becomes longer
		var s string
		err := json.Unmarshal(raw, &s)
		quoted, _ := json.Marshal(s) // a string is always JSON
		return quoted[1 : len(quoted)-1], err == nil, err
	}
	return raw[1 : len(raw)-1], true, nil
}

// unescape resolves the escapes of a JSON text in place: none is shorter than what it stands for.
func unescape(text []byte) []byte {
	to := bytes.IndexByte(text, '\\')
	if to < 0 {
		return text
	}
	for i := to; i < len(text); i++ {
		if text[i] != '\\' {
			text[to] = text[i]
			to++
			continue
		}
		i++
		c := text[i]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, taken := escaped(text[i+1:])
			i += taken
			to += copy(text[to:], utf8.AppendRune(nil, r))
			continue
		}
		text[to] = c
		to++
	}
	return text[:to]
}

// escaped reads what follows \u: one unit of UTF-16, or two that belong together.
func escaped(text []byte) (r rune, taken int) {
	unit := func(b []byte) (u rune) {
		for _, c := range b[:4] {
			switch {
			case c <= '9':
				c -= '0'
			default:
				c = (c | 0x20) - 'a' + 10
			}
			u = u<<4 | rune(c)
		}
		return u
	}
	r = unit(text)
	if !utf16.IsSurrogate(r) {
		return r, 4
	}
	if len(text) >= 10 && text[4] == '\\' && text[5] == 'u' {
		if both := utf16.DecodeRune(r, unit(text[6:])); both != utf8.RuneError {
			return both, 10
		}
	}
	return utf8.RuneError, 4
}
