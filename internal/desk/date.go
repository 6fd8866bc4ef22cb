package desk

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // so that a zone means the same on every machine

	"chela/internal/fault"
	"chela/internal/pattern"
)

// A Date is a day, "2026-03-01", or an instant, RFC 3339. It is kept as it was
// written; the empty Date is none.
type Date string

// Time returns the instant, for a day its beginning in UTC.
func (d Date) Time() time.Time {
	if t, ok := d.day(); ok {
		return t
	}
	if len(d) > len(time.DateOnly) {
		if t, err := time.Parse(time.RFC3339, string(d)); err == nil {
			return t.UTC()
		}
	}
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return time.Time{}
	}
	return t
}

// day reads a plain day, which most dates are, in a tenth of the time that [time.Parse] takes.
func (d Date) day() (time.Time, bool) {
	if len(d) != len(time.DateOnly) || d[4] != '-' || d[7] != '-' {
		return time.Time{}, false
	}
	n := [3]int{}
	for i, part := range [3]Date{d[:4], d[5:7], d[8:]} {
		for _, c := range []byte(part) {
			if c < '0' || c > '9' {
				return time.Time{}, false
			}
			n[i] = 10*n[i] + int(c-'0')
		}
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], 0, 0, 0, 0, time.UTC)
	return t, t.Month() == time.Month(n[1]) && t.Day() == n[2] // it is a day that there is
}

// UnmarshalJSON implements [json.Unmarshaler].
func (d *Date) UnmarshalJSON(raw []byte) error {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return fault.Wrap(err, fault.Invalid, "A date is a text such as 2026-03-01.")
	}
	*d = Date(s)
	return nil
}

func (d Date) check(field string) error {
	if d == "" || !d.Time().IsZero() {
		return nil
	}
	return fault.BadField(field, "The date "+string(d)+" cannot be read; write 2026-03-01 or 2026-03-01T09:00:00Z.")
}

// Zone is the time zone of a name. "Local" is refused: every node has its own.
func Zone(name string) (*time.Location, error) {
	loc, err := time.LoadLocation(name)
	if err != nil || name == "Local" || name == "" {
		return nil, fault.BadField("timezone", strconv.Quote(name)+" is not a time zone that is known here; write one such as UTC or Europe/Berlin.")
	}
	return loc, nil
}

// DateOf returns the day of t.
func DateOf(t time.Time) Date { return Date(t.Format(time.DateOnly)) }

// span checks two dates of which the second may not lie before the first.
func span(start, end Date) error {
	if err := firstOf(start.check("startDate"), end.check("endDate")); err != nil {
		return err
	}
	if start != "" && end != "" && end.Time().Before(start.Time()) {
		return fault.BadField("endDate", "The end, "+string(end)+", lies before the start, "+string(start)+".")
	}
	return nil
}

var (
	weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"} //nolint:gochecknoglobals // a table
	ago      = pattern.New(`^(\d{1,3})([dwmy])$`)
)

// ReadDay reads a day as people write it: 2026-03-01; today, yesterday, tomorrow; monday, the last one
// before today; 3d, 2w, 1m, 1y for days, weeks, months and years ago. Days are UTC.
func ReadDay(text string, now time.Time) (time.Time, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	today := now.UTC().Truncate(24 * time.Hour)
	switch text {
	case "today":
		return today, true
	case "yesterday":
		return today.AddDate(0, 0, -1), true
	case "tomorrow":
		return today.AddDate(0, 0, 1), true
	}
	if i := slices.Index(weekdays, text); i >= 0 {
		return today.AddDate(0, 0, -(int(today.Weekday())-i+6)%7-1), true
	}
	if m := ago.FindStringSubmatch(text); m != nil {
		n, err := strconv.Atoi(m[1])
		switch m[2] {
		case "d":
			return today.AddDate(0, 0, -n), err == nil
		case "w":
			return today.AddDate(0, 0, -7*n), err == nil
		case "m":
			return today.AddDate(0, -n, 0), err == nil
		}
		return today.AddDate(-n, 0, 0), err == nil
	}
	day, err := time.Parse(time.DateOnly, text)
	return day, err == nil
}
