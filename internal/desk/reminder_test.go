package desk_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/desk"
)

func TestAReminderWhoseTimeHasCome(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		r         desk.ReminderBody
		ok        bool
		at        desk.Date
		triggered bool
	}{
		"not yet":            {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2026-03-02T09:30:01Z"}, false, "2026-03-02T09:30:01Z", false},
		"now":                {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2026-03-02T10:30:00+01:00"}, true, "2026-03-02T10:30:00+01:00", true},
		"a day, long ago":    {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2020-01-01"}, true, "2020-01-01", true},
		"once is enough":     {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2020-01-01", Triggered: true}, false, "2020-01-01", true},
		"a condition":        {desk.ReminderBody{Type: desk.ByCondition, TriggerAt: "2020-01-01"}, false, "2020-01-01", false},
		"each hour":          {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2026-03-02T09:10:00Z", Recurring: true, Interval: 3600}, true, "2026-03-02T10:10:00Z", false},
		"each hour, on time": {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2026-03-02T09:30:00Z", Recurring: true, Interval: 3600}, true, "2026-03-02T10:30:00Z", false},
		"each day, missed":   {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2026-02-01", Recurring: true, Interval: 86400}, true, "2026-03-03T00:00:00Z", false},
		"since for ever":     {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "0002-01-01", Recurring: true, Interval: 7}, true, "2026-03-02T09:30:01Z", false},
		"hardly ever":        {desk.ReminderBody{Type: desk.ByTime, TriggerAt: "2026-03-01", Recurring: true, Interval: 1 << 62}, true, "2026-03-01", true},
	} {
		next, ok := c.r.Trigger(now)
		if ok != c.ok || next.TriggerAt != c.at || next.Triggered != c.triggered || ok != (next.Last == "2026-03-02T09:30:00Z") {
			t.Errorf("%s: %v %+v", name, ok, next)
		}
	}
}

// TestARecurringReminderDoesNotDrift waits for whole intervals, and never for the past.
func TestARecurringReminderDoesNotDrift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "now"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds"))
		at := now.Add(-time.Duration(rapid.Int64Range(0, 1e18).Draw(t, "late")))
		every := rapid.IntRange(1, 1e7).Draw(t, "interval")
		r := desk.ReminderBody{Type: desk.ByTime, TriggerAt: desk.Date(at.UTC().Format(time.RFC3339Nano)), Recurring: true, Interval: every}
		next, ok := r.Trigger(now)
		then := next.TriggerAt.Time()
		if !ok || next.Triggered || !then.After(now) || then.Sub(now) > time.Duration(every)*time.Second || (then.Unix()-at.Unix())%int64(every) != 0 || then.Nanosecond() != at.Nanosecond() {
			t.Fatalf("at %s, %s of every %d s becomes %+v", now, at, every, next)
		}
	})
}
