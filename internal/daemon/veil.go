package daemon

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"chela/internal/channel"
	"chela/internal/model"
	"chela/internal/redact"
	"chela/internal/vault"
)

// A veil hides secrets in text: those of the vault, the keys of models, and tokens by
// their shape.
type veil struct {
	vault *vault.Vault
	now   atomic.Pointer[redact.Redactor]

	mu     sync.Mutex // guards the rest
	stored map[string]string
	keys   []redact.Value
}

// values sets what the vault holds.
func (v *veil) values(stored map[string]string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stored = stored
	v.renew()
}

// models sets the keys of models.
func (v *veil) models(list []model.Provider) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.keys = nil
	for _, p := range list {
		v.keys = append(v.keys, redact.Value{Name: "key of " + p.Name, Text: p.Key})
	}
	v.renew()
}

// renew is called with the lock.
func (v *veil) renew() {
	all := slices.Clone(v.keys)
	for name, value := range v.stored {
		if !vault.Own(name) {
			all = append(all, redact.Value{Name: name, Text: value})
		}
		if own, ok := vault.OwnName(name); ok {
			secrets, _ := channel.SecretsIn(own, value) // none of other entries
			for what, secret := range secrets {
				all = append(all, redact.Value{Name: own + "." + what, Text: secret})
			}
		}
	}
	v.now.Store(redact.New(all))
}

// text hides what is known here now.
func (v *veil) text(s string) string { return v.now.Load().Text(s) }

// payload hides what is known here now in the payload of an event that is about to be recorded.
func (v *veil) payload(raw []byte) []byte { return v.now.Load().JSON(raw) }

// fresh hides what is known, also what another daemon has put into the vault by now.
func (v *veil) fresh(ctx context.Context, s string) string {
	if err := v.vault.Look(ctx); err != nil && ctx.Err() == nil {
		return "[The vault could not be asked what to hide, so this is not shown.]"
	}
	return v.text(s)
}

// handler hides secrets in what is logged.
type handler struct {
	slog.Handler
	veil *veil
}

// Handle implements slog.Handler.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, h.veil.text(r.Message), r.PC)
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
		if hidden := h.veil.text(text); hidden != text {
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
	return handler{h.Handler.WithAttrs(out), h.veil}
}

// WithGroup implements slog.Handler.
func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.Handler.WithGroup(name), h.veil}
}
