package gateway

import (
	"encoding/json"
	"errors"
	"strings"

	"chela/internal/event"
	"chela/internal/fault"
)

// Unread is what is wrong with a call that a package of wire cannot read, in words of people: no type of ours
// is named.
func Unread(err error) error {
	text := strings.TrimPrefix(err.Error(), "the call cannot be read: ")
	var inner error
	if misfit, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		inner = misfit
	} else if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		inner = syntax
	}
	if inner != nil {
		text = strings.TrimSuffix(text, inner.Error()) + fault.TextOf(event.Unfit(inner))
	}
	return fault.Wrap(err, fault.Invalid, "%s.", strings.TrimSuffix(text, "."))
}
