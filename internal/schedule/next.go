package schedule

import (
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"

	"chela/internal/desk"
	"chela/internal/fault"
)

// What a clock shows at a place may be there twice, or not at all, when its time zone
// changes. The rules, here and in the documentation: an expression that names every hour,
// and an interval, go by the time that passes. Any other time of day comes once: where the
// clock shows it twice, at the first; where the clock leaves it out, when it jumps.

// parser reads expressions of five fields, or six with seconds first.
var parser = cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow) //nolint:gochecknoglobals // it keeps nothing

// maxCron bounds an expression, in bytes.
const maxCron = 200

// parseCron reads an expression. It names times on a clock without a zone.
func parseCron(expr string) (*cron.SpecSchedule, error) {
	const form = "write five fields, or six with seconds first, such as `0 9 * * MON-FRI`"
	bad := func(why string) error {
		return fault.BadField("cronExpr", strconv.Quote(clipped(expr))+" is no expression: "+why+".")
	}
	switch {
	case strings.TrimSpace(expr) == "":
		return nil, fault.BadField("cronExpr", "The expression is missing; "+form+".")
	case len(expr) > maxCron:
		return nil, bad("it is longer than " + strconv.Itoa(maxCron) + " characters")
	case strings.ContainsAny(expr, "=@"):
		return nil, bad("the time zone has a field of its own, and names such as @daily are not known; " + form)
	}
	s, err := parser.Parse(expr)
	if err != nil {
		why := err.Error()
		if _, part, is := strings.Cut(why, "failed to parse int from "); is { // what the library says of a word that it does not know
			part, _, _ = strings.Cut(part, ": ")
			why = strconv.Quote(part) + " is neither a number nor the name of a day or a month"
		}
		return nil, bad(why + "; " + form)
	}
	spec, ok := s.(*cron.SpecSchedule)
	if !ok {
		return nil, bad("it names no times on a clock; " + form)
	}
	spec.Location = time.UTC
	return spec, nil
}

func clipped(s string) string {
	if len(s) > maxCron {
		return strings.ToValidUTF8(s[:maxCron], "") + "…"
	}
	return s
}

// Next returns the first instant of f after another; ok is false when there is none.
func (f Fields) Next(after time.Time) (next time.Time, ok bool) {
	loc, err := desk.Zone(f.Timezone)
	if err != nil {
		return time.Time{}, false
	}
	switch f.Type {
	case Cron:
		spec, err := parseCron(f.CronExpr)
		if err != nil {
			return time.Time{}, false
		}
		if everyHour(spec) {
			return nextByTime(spec, after, loc)
		}
		return nextOnClock(func(t time.Time) time.Time { return spec.Next(t) }, after, loc)
	case FixedTimes:
		return nextOnClock(func(t time.Time) time.Time { return nextOfDay(f.TimesOfDay, t) }, after, loc)
	case Interval:
		return nextInterval(time.Duration(f.IntervalMinutes)*time.Minute, after, loc)
	case Once:
		at, _, err := readOnce(f.OnceAt, loc)
		return at, err == nil && at.After(after)
	case Immediate:
	}
	return time.Time{}, false
}

// everyHour reports whether an expression names all 24 hours.
func everyHour(s *cron.SpecSchedule) bool {
	const all = 1<<24 - 1
	return s.Hour&all == all
}

// A shown is what a clock shows, written as if it were UTC.
func shown(t time.Time, loc *time.Location) time.Time {
	_, offset := t.In(loc).Zone()
	return time.Unix(t.Unix()+int64(offset), int64(t.Nanosecond())).UTC()
}

// nextByTime goes through the stretches of time in which the zone does not change.
func nextByTime(spec *cron.SpecSchedule, after time.Time, loc *time.Location) (time.Time, bool) {
	const stretches = 200 // there are two a year, and an expression looks five years ahead
	from := shown(after, loc)
	at := after.In(loc)
	for range stretches {
		_, offset := at.Zone()
		_, end := at.ZoneBounds()
		next := spec.Next(from)
		if next.IsZero() {
			return time.Time{}, false
		}
		instant := time.Unix(next.Unix()-int64(offset), 0).UTC()
		if end.IsZero() || instant.Before(end) {
			return instant, true
		}
		at = end.In(loc)
		from = shown(end, loc).Add(-time.Nanosecond) // the stretch's first instant counts
	}
	return time.Time{}, false
}

// nextOnClock asks for what the clock shows next until that comes after the instant.
func nextOnClock(next func(time.Time) time.Time, after time.Time, loc *time.Location) (time.Time, bool) {
	at := shown(after, loc)
	for {
		at = next(at)
		if at.IsZero() {
			return time.Time{}, false
		}
		if instant := first(at, loc); instant.After(after) {
			return instant, true
		}
	}
}

// first returns the first instant at which the clock shows what it is given or, when it
// leaves that out, the instant at which it jumps over it.
func first(at time.Time, loc *time.Location) time.Time {
	const widest = 36 * time.Hour // of all differences between a clock and UTC, with days left out
	t := at.Add(-widest).In(loc)
	for {
		_, offset := t.Zone()
		_, end := t.ZoneBounds()
		instant := time.Unix(at.Unix()-int64(offset), int64(at.Nanosecond())).UTC()
		if end.IsZero() || instant.Before(end) {
			return instant
		}
		if shown(end, loc).After(at) {
			return end.UTC()
		}
		t = end.In(loc)
	}
}

// nextOfDay returns the first of the times, sorted, that a clock shows after another.
func nextOfDay(times []string, after time.Time) time.Time {
	day := time.Date(after.Year(), after.Month(), after.Day(), 0, 0, 0, 0, time.UTC)
	for range 2 {
		for _, s := range times {
			t, err := time.Parse("15:04", s)
			if err != nil {
				return time.Time{}
			}
			at := day.Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute)
			if at.After(after) {
				return at
			}
		}
		day = day.AddDate(0, 0, 1)
	}
	return time.Time{}
}

// nextInterval counts from the beginning of the day at the place.
func nextInterval(every time.Duration, after time.Time, loc *time.Location) (time.Time, bool) {
	if every <= 0 {
		return time.Time{}, false
	}
	local := shown(after, loc)
	day := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	start := first(day, loc)
	if start.After(after) { // the day began, and the clock was put back over midnight
		day = day.AddDate(0, 0, -1)
		start = first(day, loc)
	}
	tomorrow := first(day.AddDate(0, 0, 1), loc)
	for !tomorrow.After(after) {
		day = day.AddDate(0, 0, 1)
		start, tomorrow = tomorrow, first(day.AddDate(0, 0, 1), loc)
	}
	next := start.Add((after.Sub(start)/every + 1) * every)
	if next.Before(tomorrow) {
		return next, true
	}
	return tomorrow, true
}

// Instants returns the first n instants of f after another; fewer when there are no more. It
// looks only at what f says about time, and refuses what it cannot read.
func (f Fields) Instants(after time.Time, n int) ([]time.Time, error) {
	if f.Timezone == "" {
		f.Timezone = "UTC"
	}
	if f.Type == "" {
		f.Type = Cron
	}
	if _, err := desk.Zone(f.Timezone); err != nil {
		return nil, err
	}
	f, err := f.checkedTime()
	if err != nil {
		return nil, err
	}
	var out []time.Time
	for range n {
		next, ok := f.Next(after)
		if !ok {
			break
		}
		out = append(out, next)
		after = next
	}
	return out, nil
}
