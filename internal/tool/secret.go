package tool

import "log/slog"

// A Secret is a value of the vault on its way to what was granted it. However it is
// printed, logged or encoded, it does not show.
type Secret string

const hidden = "[secret]"

// String implements fmt.Stringer.
func (Secret) String() string { return hidden }

// GoString implements fmt.GoStringer.
func (Secret) GoString() string { return hidden }

// LogValue implements slog.LogValuer.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalText implements encoding.TextMarshaler.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// Reveal returns the value.
func (s Secret) Reveal() string { return string(s) }
