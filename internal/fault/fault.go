// Package fault is the error vocabulary: a kind a program can branch on, a
// sentence a person may read, and the cause only the log sees.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Kind says what class of thing went wrong. The zero Kind is Internal.
type Kind uint8

// The kinds.
const (
	Internal        Kind = iota // our bug or a broken dependency; details stay in the log
	Invalid                     // the caller sent something we cannot accept
	NotFound                    // the named thing does not exist, or not where it was looked for
	Conflict                    // somebody else was first, or the thing is not in the state for this
	Denied                      // the caller is known and may not
	Unauthenticated             // the caller is not known
	TooLarge                    // over a limit of size or count
	Unavailable                 // try again later
)

// A Field is one thing wrong with one field of what the caller sent.
type Field struct {
	Name    string   // as the caller wrote it, dotted: "actions.0.dueDate"
	Text    string   // what is wrong, a sentence
	Allowed []string // the values that would do, when they can be listed
}

// An Error is a failure whose Text is safe to show to a person.
type Error struct {
	Kind  Kind
	Text  string
	Cause error // never shown
	// Fields says which fields of the input are wrong, when that is known.
	Fields []Field
	// After says when to try again what a caller asks too much of; 0 says nothing.
	After time.Duration
}

// TooMany is an Unavailable error about a caller who asks too much, with when to try again.
func TooMany(after time.Duration, format string, args ...any) *Error {
	e := New(Unavailable, format, args...)
	e.After = after
	return e
}

// New returns an Error. An error among the args would leak into Text; use Wrap.
func New(k Kind, format string, args ...any) *Error {
	return &Error{Kind: k, Text: fmt.Sprintf(format, args...)}
}

// Wrap hides cause behind a sentence for people.
func Wrap(cause error, k Kind, format string, args ...any) *Error {
	e := New(k, format, args...)
	e.Cause = cause
	return e
}

// BadField returns an Invalid error about one field. The sentence names the field
// and, when there are any, the allowed values.
func BadField(name, text string, allowed ...string) *Error {
	e := &Error{Kind: Invalid, Text: name + ": " + text, Fields: []Field{{Name: name, Text: text, Allowed: allowed}}}
	if len(allowed) > 0 {
		e.Text += " Allowed: " + strings.Join(allowed, ", ") + "."
	}
	return e
}

// TextOf returns the sentence for people of the outermost Error in err's tree,
// or a neutral one when err has none: details of internal failures stay in the log.
func TextOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Text
	}
	return "Something went wrong inside Chela. The log of the daemon has the details."
}

func (e *Error) Error() string {
	if e.Cause == nil {
		return e.Text
	}
	return e.Text + ": " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// KindOf reports the kind of the outermost Error in err's tree.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}
