package desk_test

import (
	"testing"
	"time"

	"chela/internal/desk"
)

func TestReadDay(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC) // a Wednesday
	for text, want := range map[string]string{
		"today": "2026-03-04", "yesterday": "2026-03-03", "Tomorrow ": "2026-03-05",
		"monday": "2026-03-02", "tuesday": "2026-03-03", "wednesday": "2026-02-25", "thursday": "2026-02-26", "Sunday": "2026-03-01",
		"3d": "2026-03-01", "2w": "2026-02-18", "1m": "2026-02-04", "1y": "2025-03-04", "2026-01-31": "2026-01-31",
	} {
		if got, ok := desk.ReadDay(text, now); !ok || got.Format(time.DateOnly) != want {
			t.Errorf("%q: got %s %v, want %s", text, got.Format(time.DateOnly), ok, want)
		}
	}
	for _, text := range []string{"", "someday", "12", "#3", "msg_1", "2026-02-30", "w", "9999d"} {
		if got, ok := desk.ReadDay(text, now); ok {
			t.Errorf("%q: got %s, want none", text, got)
		}
	}
}

func FuzzReadDay(f *testing.F) {
	for _, s := range []string{"monday", "999y", "2026-03-01", "0d"} {
		f.Add(s)
	}
	now := time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		if day, ok := desk.ReadDay(text, now); ok && !day.Equal(day.Truncate(24*time.Hour)) {
			t.Errorf("%q: got %s, want the beginning of a day", text, day)
		}
	})
}
