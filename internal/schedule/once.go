package schedule

import (
	"strconv"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/fault"
)

// onceLayouts are the ways to write a time on the clock of a schedule's zone. The first is how it is kept.
var onceLayouts = [...]string{"2006-01-02 15:04", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02T15:04:05"}

// maxIn is the farthest time that is said by how long it is until then.
const maxIn = 366 * 24 * time.Hour

// In is the time at which a schedule works once that is to work after a while, as people say it: 20m, 3h, 2d.
func In(now time.Time, text string) (string, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	d, err := time.ParseDuration(text)
	if days, is := strings.CutSuffix(text, "d"); is && err != nil {
		var n int
		n, err = strconv.Atoi(days)
		d = time.Duration(min(max(n, 0), 10_000)) * 24 * time.Hour
	}
	if err != nil || d < time.Second || d > maxIn {
		return "", fault.BadField("onceIn", strconv.Quote(clipped(text))+" is not how long to wait; write such as 20m, 3h or 2d, up to 366 days.")
	}
	return now.Add(d).UTC().Truncate(time.Second).Format(time.RFC3339), nil
}

// readOnce reads when a schedule works once: what the clock shows in a zone, or an instant with its own offset. kept is how it is kept.
func readOnce(text string, loc *time.Location) (at time.Time, kept string, err error) {
	text = strings.TrimSpace(text)
	if t, err := time.Parse(time.RFC3339, text); err == nil && t.Year() > 1970 && t.Year() < 9999 {
		t = t.UTC().Truncate(time.Second)
		return t, t.Format(time.RFC3339), nil
	}
	for _, layout := range onceLayouts {
		t, err := time.Parse(layout, text)
		if err != nil || t.Year() <= 1970 || t.Year() >= 9999 {
			continue
		}
		if t = t.Truncate(time.Second); t.Second() == 0 {
			return first(t, loc), t.Format(onceLayouts[0]), nil
		}
		return first(t, loc), t.Format(onceLayouts[1]), nil
	}
	return at, "", fault.BadField("onceAt", strconv.Quote(clipped(text))+" is no time; write such as 2026-12-01 09:00, meant in the time zone of the schedule, or 2026-12-01T09:00:00+01:00.")
}

// Once returns the instant of a schedule that works once.
func (f Fields) Once() (at time.Time, ok bool) {
	loc, err := desk.Zone(f.Timezone)
	if err != nil || f.Type != Once {
		return at, false
	}
	at, _, err = readOnce(f.OnceAt, loc)
	return at, err == nil
}

// Over reports whether a schedule will never work again: it works once, and its time has passed.
func (f Fields) Over(now time.Time) bool {
	at, ok := f.Once()
	return ok && !at.After(now)
}

// ahead refuses a time that has passed of a schedule that is made, switched on, or given another time.
func (m Made) ahead(old *Schedule, now time.Time) error {
	if m.Type != Once || !m.Enabled || !m.Over(now) {
		return nil
	}
	at, _ := m.Once()
	if old != nil && old.Enabled {
		if was, ok := old.Once(); ok && was.Equal(at) {
			return nil // what else is changed of it changes no time
		}
	}
	return fault.BadField("onceAt", "The time "+m.OnceAt+" has passed; now it is "+now.UTC().Format(time.RFC3339)+". Name one that is to come.")
}
