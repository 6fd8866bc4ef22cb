package gateway

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"chela/internal/org"
)

// usedEvery is how exactly it is known when a token was last used. A write for each request would cost more than the answer is worth.
const usedEvery = time.Hour

// uses are the tokens of which this node has kept lately that they opened something. Safe for concurrent use.
type uses struct {
	mu   sync.Mutex // guards kept
	kept map[string]time.Time
}

// due reports whether that a token is used now has to be kept, and takes it as kept.
func (u *uses) due(a org.Access, now time.Time) bool {
	if now.Sub(a.UsedAt) < usedEvery {
		return false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if at, ok := u.kept[a.ID]; ok && now.Sub(at) < usedEvery {
		return false
	}
	if u.kept == nil {
		u.kept = make(map[string]time.Time)
	}
	maps.DeleteFunc(u.kept, func(_ string, at time.Time) bool { return now.Sub(at) >= usedEvery })
	u.kept[a.ID] = now
	return true
}

// use keeps that a token opened something. Who calls is not refused where that fails.
func (h *Hall) use(ctx context.Context, token string, a org.Access) {
	if !h.uses.due(a, h.store.Mint().Now()) {
		return
	}
	if err := h.store.Use(ctx, token); err != nil {
		h.opts.Log.WarnContext(ctx, "keep when a token was used", slog.String("token", a.ID), slog.Any("err", err))
	}
}
