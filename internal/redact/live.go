package redact

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// A Live redactor is told its values while it is used. The zero value knows shapes only. Safe for
// concurrent use.
type Live struct {
	now atomic.Pointer[Redactor]

	mu   sync.Mutex         // guards the rest
	sets map[string][]Value // by where they come from
}

// Set says which values come from a source from now on, instead of those before.
func (l *Live) Set(source string, values []Value) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sets == nil {
		l.sets = make(map[string][]Value)
	}
	l.sets[source] = values
	var all []Value
	for _, name := range slices.Sorted(maps.Keys(l.sets)) {
		all = append(all, l.sets[name]...)
	}
	l.now.Store(New(all))
}

// Text is [Redactor.Text] with the values of now.
func (l *Live) Text(s string) string { return l.now.Load().Text(s) }

// JSON is [Redactor.JSON] with the values of now.
func (l *Live) JSON(raw []byte) []byte { return l.now.Load().JSON(raw) }

// Log returns a handler that hands what is logged to h without secrets.
func (l *Live) Log(h slog.Handler) slog.Handler { return handler{h, l} }

type handler struct {
	slog.Handler
	live *Live
}

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, h.live.Text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(h.attr(a))
		return true
	})
	return h.Handler.Handle(ctx, out)
}

func (h handler) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindGroup:
		var in []slog.Attr
		for _, g := range v.Group() {
			in = append(in, h.attr(g))
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(in...)}
	case slog.KindString, slog.KindAny:
		text := v.String()
		if hidden := h.live.Text(text); hidden != text {
			return slog.String(a.Key, hidden)
		}
	case slog.KindBool, slog.KindDuration, slog.KindFloat64, slog.KindInt64, slog.KindTime, slog.KindUint64, slog.KindLogValuer:
	}
	return slog.Attr{Key: a.Key, Value: v}
}

// WithAttrs implements slog.Handler.
func (h handler) WithAttrs(in []slog.Attr) slog.Handler {
	out := make([]slog.Attr, len(in))
	for i, a := range in {
		out[i] = h.attr(a)
	}
	return handler{h.Handler.WithAttrs(out), h.live}
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.Handler.WithGroup(name), h.live}
}
