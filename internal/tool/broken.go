package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"chela/internal/fault"
)

// Broken says what is wrong with arguments that came as a text: a model's JSON that could not be read is kept so. It returns nil for all
// others, whether they fit or not.
func Broken(name string, args json.RawMessage) error {
	var text string
	if !bytes.HasPrefix(bytes.TrimSpace(args), []byte(`"`)) || json.Unmarshal(args, &text) != nil {
		return nil
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return fault.New(fault.Invalid, "The arguments of %s do not fit: They are a text and no object: %q. Give an object.", name, excerpt(text, 120))
	}
	var whole map[string]json.RawMessage
	dec := json.NewDecoder(strings.NewReader(text))
	err := dec.Decode(&whole)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fault.Wrap(err, fault.Invalid, "The arguments of %s do not fit: They end in the middle, after %d bytes: %q. Give them whole.", name, len(text), last(text, 60))
	case err != nil:
		at := len(text)
		if se, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = min(int(se.Offset), len(text))
		}
		return fault.Wrap(err, fault.Invalid, "The arguments of %s do not fit: They are no JSON, and cannot be read at byte %d, where %q ends. Write quotes and line ends in a text as \\\" and \\n.", name, at, last(text[:at], 60))
	case len(strings.TrimSpace(text[dec.InputOffset():])) > 0:
		return fault.New(fault.Invalid, "The arguments of %s do not fit: They are more than one object: after the first comes %q. Give one.", name, excerpt(strings.TrimSpace(text[dec.InputOffset():]), 60))
	}
	return fault.New(fault.Invalid, "The arguments of %s do not fit: They are an object that is written as a text. Give the object itself.", name)
}

// excerpt returns the beginning of a text, of at most n bytes.
func excerpt(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// last returns the end of a text, of at most n bytes.
func last(text string, n int) string {
	if len(text) <= n {
		return text
	}
	from := len(text) - n
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return "…" + text[from:]
}
