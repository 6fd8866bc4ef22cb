package gateway

import (
	"testing"
	"time"

	"chela/internal/org"
)

func TestUses_AreKeptOnceAnHour(t *testing.T) {
	t.Parallel()
	var u uses
	now := time.Date(2026, 3, 11, 9, 0, 0, 0, time.UTC)
	for i, c := range []struct {
		id    string
		after time.Duration
		used  time.Duration // before now, as the database says
		want  bool
	}{
		{"a", 0, 1000 * time.Hour, true},
		{"a", time.Minute, 1000 * time.Hour, false}, // what was read before it was written
		{"b", time.Minute, 1000 * time.Hour, true},
		{"c", time.Minute, 59 * time.Minute, false}, // by another node
		{"a", 61 * time.Minute, 61 * time.Minute, true},
		{"c", 61 * time.Minute, 2 * time.Hour, true},
	} {
		at := now.Add(c.after)
		if got := u.due(org.Access{ID: c.id, UsedAt: at.Add(-c.used)}, at); got != c.want {
			t.Errorf("use %d, of %s: got %v, want %v", i, c.id, got, c.want)
		}
	}
	if len(u.kept) != 2 {
		t.Errorf("got %d uses in memory, want those of the last hour", len(u.kept))
	}
}
