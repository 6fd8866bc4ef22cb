package desk

import "time"

// byCalendar reports whether a reminder recurs by the calendar, and not after an interval.
func (r ReminderBody) byCalendar() bool { return r.Weekdays || r.MonthDay != 0 }

// onCalendar is when a reminder that recurs by the calendar comes next after now. at is the time that it was for.
func (r ReminderBody) onCalendar(at, now time.Time) Date {
	loc, err := Zone(r.Timezone)
	if err != nil {
		loc = at.Location()
	}
	shown := clockAt(r.TriggerAt, loc)
	if r.OnDay() {
		shown = at
	}
	from := now.In(loc).AddDate(0, 0, -2) // what was long ago is not counted through
	if shown.After(from) {
		from = shown
	}
	for day := noon(from); ; day = day.AddDate(0, 0, 1) {
		if !r.fits(day) {
			continue
		}
		if next, text := shownOn(day, shown, loc); next.After(now) {
			return text
		}
	}
}

// noon is the middle of a day, at which no clock jumps.
func noon(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, time.UTC)
}

// fits reports whether a reminder by the calendar comes on a day.
func (r ReminderBody) fits(day time.Time) bool {
	if r.Weekdays {
		return day.Weekday() != time.Saturday && day.Weekday() != time.Sunday
	}
	last := time.Date(day.Year(), day.Month()+1, 0, 12, 0, 0, 0, time.UTC).Day()
	return day.Day() == min(r.MonthDay, last)
}

// Recur has a reminder recur, after so many days or by the calendar, at the same time of the clock of a place, from its first time after now on.
func (r *ReminderBody) Recur(days int, weekdays bool, monthDay int, now time.Time, home *time.Location) {
	r.Recurring, r.Interval, r.Weekdays, r.MonthDay, r.Timezone = true, days*aDay, weekdays, monthDay, home.String()
	r.begin(now, home)
}

// begin lets a reminder that recurs begin at its first time after now. home is where a day is meant that names no time zone.
func (r *ReminderBody) begin(now time.Time, home *time.Location) {
	at := r.At(home)
	switch {
	case !r.Recurring || at.After(now):
	case r.byCalendar():
		r.TriggerAt = r.onCalendar(at, now)
	default:
		r.TriggerAt = r.again(at, now)
	}
}
