package desk

import (
	"encoding/json"
	"time"

	"chela/internal/fault"
)

// A Date is a day, "2026-03-01", or an instant, RFC 3339. It is kept as it was
// written; the empty Date is none.
type Date string

// Time returns the instant, for a day its beginning in UTC.
func (d Date) Time() time.Time {
	if t, err := time.Parse(time.RFC3339, string(d)); err == nil {
		return t.UTC()
	}
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return time.Time{}
	}
	return t
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
