package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/pattern"
)

// ops lists the comparisons beside [Is] that a type knows.
func (t Type) ops() []Op {
	switch t {
	case Text, Person:
		return []Op{Contains}
	case Set, Number, Day, Instant:
		return []Op{Less, AtMost, More, AtLeast}
	case Flag, Ref, Presence:
	}
	return nil
}

// read makes a value of the field's type of what was written.
func (p *parser) read(at int, t Term, text string) (Value, error) {
	f := t.Field
	v := Value{Text: text}
	switch f.Type {
	case Set, Flag:
		all := f.Allowed
		if f.Type == Flag {
			all = []string{"true", "false"}
		}
		i := slices.IndexFunc(all, func(a string) bool { return strings.EqualFold(a, text) })
		if i < 0 {
			return v, p.bad(at, fmt.Sprintf("The field %s of the kind %s cannot be %q.", f.Name, p.fields.Of, text), append(slices.Clone(all), none)...)
		}
		v.Text, v.Number = all[i], float64(i)
	case Number:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !decimal.MatchString(text) {
			return v, p.bad(at, fmt.Sprintf("The field %s takes a number such as 3 or 2.5, not %q.", f.Name, text))
		}
		v.Number, v.Text = n, strconv.FormatFloat(n, 'f', -1, 64)
	case Day, Instant:
		from, to, ok := span(text, t.Op == Is, p.now)
		if !ok {
			return v, p.bad(at, fmt.Sprintf("The time %q cannot be read.", text), "2026-03-01", "2026-03", "2026-03-01T09:00:00Z", "today", "2w (two weeks ago; units h d w m y)", "+2w (in two weeks)", none)
		}
		if f.Type == Day {
			from, to = dayOf(from), dayOf(to.Add(-1)).AddDate(0, 0, 1)
		}
		v.From, v.To = from, to
	case Presence:
		return v, p.bad(at, fmt.Sprintf("The field %s is there or not: ask with has:%s or %s:%s.", f.Name, f.Name, f.Name, none))
	case Text, Person, Ref:
		if strings.TrimSpace(text) == "" {
			return v, p.bad(at, fmt.Sprintf("The value of %s is empty; %s:%s asks for what is not set.", f.Name, f.Name, none))
		}
	}
	return v, nil
}

var (
	decimal  = pattern.New(`^-?\d{1,15}(\.\d{1,9})?$`)
	distance = pattern.New(`^(\+?)(\d{1,3})([hdwmy])$`)
)

// span returns the time that text means: from its beginning until before its end. A
// distance is a point, or the whole day of it.
func span(text string, wholeDay bool, now time.Time) (from, to time.Time, ok bool) {
	if text == "today" {
		from = dayOf(now)
		return from, from.AddDate(0, 0, 1), true
	}
	if m := distance.FindStringSubmatch(text); m != nil {
		n, err := strconv.Atoi(m[2])
		if m[1] == "" {
			n = -n
		}
		from = away(now, n, m[3])
		if wholeDay {
			from = dayOf(from)
			return from, from.AddDate(0, 0, 1), err == nil
		}
		return from, from.Add(time.Microsecond), err == nil
	}
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t, t.AddDate(0, 0, 1), sane(t)
	}
	if t, err := time.Parse("2006-01", text); err == nil {
		return t, t.AddDate(0, 1, 0), sane(t)
	}
	t, err := time.Parse(time.RFC3339, text)
	t = t.UTC().Truncate(time.Microsecond)
	return t, t.Add(time.Microsecond), err == nil && sane(t)
}

// sane leaves out years at which days are not written with ten characters.
func sane(t time.Time) bool { return t.Year() > 0 && t.Year() < 9999 }

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

func away(t time.Time, n int, unit string) time.Time {
	months := 0
	switch unit {
	case "h":
		return t.Add(time.Duration(n) * time.Hour)
	case "d":
		return t.AddDate(0, 0, n)
	case "w":
		return t.AddDate(0, 0, 7*n)
	case "m":
		months = n
	case "y":
		months = 12 * n
	}
	out := t.AddDate(0, months, 0)
	if out.Day() != t.Day() { // the month has no such day
		out = out.AddDate(0, 0, -out.Day())
	}
	return out
}
