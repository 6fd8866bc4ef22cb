package desk_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"chela/internal/desk"
)

// TestReminder_ByTheCalendar: weekdays leave out the weekend, and a day of each month is the last one of those that are shorter; both keep their hour
// when clocks change.
func TestReminder_ByTheCalendar(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body desk.ReminderBody
		want []string
	}{
		"weekdays":    {desk.ReminderBody{TriggerAt: "2026-03-26T08:30:00Z", Timezone: "Europe/Berlin", Weekdays: true}, []string{"2026-03-27T08:30:00Z", "2026-03-30T07:30:00Z"}},
		"the 1st":     {desk.ReminderBody{TriggerAt: "2026-03-01T08:00:00Z", Timezone: "Europe/Berlin", MonthDay: 1}, []string{"2026-04-01T07:00:00Z", "2026-05-01T07:00:00Z"}},
		"the last":    {desk.ReminderBody{TriggerAt: "2026-01-31T08:00:00Z", MonthDay: 31}, []string{"2026-02-28T08:00:00Z", "2026-03-31T08:00:00Z", "2026-04-30T08:00:00Z"}},
		"a day alone": {desk.ReminderBody{TriggerAt: "2026-03-01", MonthDay: 1}, []string{"2026-04-01T09:00:00Z"}},
		"in a jump":   {desk.ReminderBody{TriggerAt: "2026-02-28T01:30:00Z", Timezone: "Europe/Berlin", MonthDay: 29}, []string{"2026-03-29T02:30:00+01:00", "2026-04-29T00:30:00Z"}},
	} {
		b := c.body
		b.Message, b.Recurring, b.Type = name, true, desk.ByTime
		if err := b.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range c.want {
			next, ok := b.Trigger(b.At(time.UTC), time.UTC)
			if !ok || string(next.TriggerAt) != want || next.Triggered {
				t.Errorf("%s: after %s comes %s (%v), want %s", name, b.TriggerAt, next.TriggerAt, ok, want)
			}
			b = next
		}
	}
	for _, bad := range []desk.ReminderBody{
		{Recurring: true, MonthDay: 32}, {Recurring: true, MonthDay: -1}, {Recurring: true, Weekdays: true, MonthDay: 2}, {Recurring: true, Weekdays: true, Interval: 86400}, {Recurring: true},
	} {
		if bad.Message, bad.TriggerAt = "x", "2026-03-01"; bad.Check() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// TestReminder_CalendarComesAfterNow: whenever it was for and whenever it is looked at, the next time is after now, within 32 days, on a day that fits,
// and nothing that fits is left out.
func TestReminder_CalendarComesAfterNow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		zone := rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Australia/Lord_Howe"}).Draw(t, "zone")
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Unix(rapid.Int64Range(0, 2_000_000_000).Draw(t, "at"), 0).UTC()
		now := at.Add(time.Duration(rapid.Int64Range(0, 100_000_000).Draw(t, "late")) * time.Second)
		b := desk.ReminderBody{Message: "x", Type: desk.ByTime, Recurring: true, Timezone: zone, TriggerAt: desk.Date(at.Format(time.RFC3339)), MonthDay: rapid.IntRange(0, 31).Draw(t, "day")}
		b.Weekdays = b.MonthDay == 0
		next, ok := b.Trigger(now, time.UTC)
		then := next.TriggerAt.Time()
		if !ok || !then.After(now) || then.Sub(now) > 33*24*time.Hour {
			t.Fatalf("%+v at %s comes at %s", b, now, then)
		}
		day := then.In(loc)
		if b.Weekdays && (day.Weekday() == time.Saturday || day.Weekday() == time.Sunday) && zone != "Pacific/Apia" {
			t.Fatalf("%s is a %s", day, day.Weekday())
		}
		if last := time.Date(day.Year(), day.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day(); !b.Weekdays && day.Day() != min(b.MonthDay, last) && zone != "Pacific/Apia" {
			t.Fatalf("%s is not the %d", day, b.MonthDay)
		}
		begun := b
		if begun.Recur(0, b.Weekdays, b.MonthDay, now, loc); begun.TriggerAt != next.TriggerAt {
			t.Fatalf("it begins at %s", begun.TriggerAt)
		}
	})
}
