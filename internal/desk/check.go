package desk

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"chela/internal/fault"
)

// oneOf reports a value that is not among a closed set's.
func oneOf[T ~string](field string, v T, all []T) error {
	if slices.Contains(all, v) {
		return nil
	}
	names := make([]string, len(all))
	for i, a := range all {
		names[i] = string(a)
	}
	return fault.BadField(field, "The value "+string(v)+" is not allowed.", names...)
}

func orDefault[T comparable](v *T, d T) {
	var zero T
	if *v == zero {
		*v = d
	}
}

// named is a name or a title as it is kept: without white space around it, and each letter in one form, so that two that look alike are
// the same. What orders the characters of a line otherwise than they are written is left out; marks of a direction stay.
func named(v string) string {
	return strings.TrimSpace(norm.NFC.String(strings.Map(func(r rune) rune {
		if r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 { // embeddings, overrides and isolates
			return -1
		}
		return r
	}, v)))
}

// invisible reports whether a text shows nothing.
func invisible(v string) bool {
	return !strings.ContainsFunc(v, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

func required(field, v string) error {
	if invisible(v) {
		return fault.BadField(field, "The field is required.")
	}
	if len(v) > 100_000 {
		return fault.BadField(field, "The text is longer than 100,000 bytes.")
	}
	return nil
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
