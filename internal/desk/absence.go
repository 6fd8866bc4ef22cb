package desk

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/fault"
	"chela/internal/pattern"
)

// mostAway is how many absences of a person are kept.
const mostAway = 200

// awaySpan is one day, or the first and the last of several.
var awaySpan = pattern.New(`(?i)^\s*(\d{4}-\d{2}-\d{2})(?:\s*(?:to|until|bis|/|\.\.|[-–—])\s*(\d{4}-\d{2}-\d{2}))?\s*$`)

// An absence is when somebody is away, both days included.
type absence struct{ from, to time.Time }

func absenceOf(text string) (absence, bool) {
	m := awaySpan.FindStringSubmatch(text)
	if m == nil {
		return absence{}, false
	}
	from, first := Date(m[1]).day()
	to, last := from, true
	if m[2] != "" {
		to, last = Date(m[2]).day()
	}
	return absence{from, to}, first && last && !to.Before(from)
}

func (a absence) String() string {
	if a.from.Equal(a.to) {
		return a.from.Format(time.DateOnly)
	}
	return a.from.Format(time.DateOnly) + " to " + a.to.Format(time.DateOnly)
}

// checkAway writes absences in one form, in their order, each once.
func checkAway(all []string) ([]string, error) {
	if len(all) > mostAway {
		return all, fault.BadField("away", fmt.Sprintf("A person has at most %d absences. Take out those that are over.", mostAway))
	}
	var out []string
	for _, text := range all {
		if strings.TrimSpace(text) == "" {
			continue
		}
		a, ok := absenceOf(text)
		if !ok {
			return all, fault.BadField("away", fmt.Sprintf("%q is no time away. Write a day, or the first and the last: 2026-12-03 to 2026-12-07.", text))
		}
		out = append(out, a.String())
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// AwayIn returns the absences that have a day in common with a span. Both its days are in it; a zero one leaves that side open.
func (r *ResourceBody) AwayIn(from, to time.Time) (out []string) {
	for _, text := range r.Away {
		if a, ok := absenceOf(text); ok && (to.IsZero() || !a.from.After(to)) && !a.to.Before(from) {
			out = append(out, text)
		}
	}
	return out
}

// AwayOn reports whether the resource is away on a day.
func (r *ResourceBody) AwayOn(day time.Time) bool {
	return slices.ContainsFunc(r.Away, func(text string) bool {
		a, ok := absenceOf(text)
		return ok && !day.Before(a.from) && day.Before(a.to.AddDate(0, 0, 1))
	})
}

// DaysAway counts the working days, Monday to Friday, from one day to another, both included, on which the resource is away.
func (r *ResourceBody) DaysAway(from, to time.Time) (n int) {
	if len(r.Away) == 0 {
		return 0
	}
	for day := from; !day.After(to); day = day.AddDate(0, 0, 1) {
		if w := day.Weekday(); w != time.Saturday && w != time.Sunday && r.AwayOn(day) {
			n++
		}
	}
	return n
}

// AwaySpan writes a time away, both days included.
func AwaySpan(from, to time.Time) string { return absence{from, to}.String() }

// Left is what of a time away is not over on a day; ok is false when all is, and for a text that is no time away.
func (a SaidAway) Left(today time.Time) (from, to time.Time, ok bool) {
	span, ok := absenceOf(a.Days)
	if span.from.Before(today) {
		span.from = today
	}
	return span.from, span.to, ok && !span.to.Before(today)
}
