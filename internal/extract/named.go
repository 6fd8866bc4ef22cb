package extract

import (
	"strings"
	"time"

	"chela/internal/pattern"
)

// ReadNamed is [ReadMinutes] of a document with a name. Where the text says no day of a meeting, that of the name is it, and
// "by Friday" is counted from it.
func ReadNamed(name, text string) Minutes {
	m := ReadMinutes(text)
	day, ok := namedDay(name)
	if !ok || !m.Date.IsZero() {
		return m
	}
	s := scanOn(day, text)
	s.weigh(Learnt())
	if s.out.Date.IsZero() {
		s.out.Date = day
	}
	return s.out
}

// A day in a name of a file: "minutes_2026-03-05.md", "20260305 Sync.txt", "Protokoll 5.3.2026.docx".
var (
	nameYearFirst = pattern.New(`(?:^|[^0-9])(20\d\d)([-_. ]?)([01]\d)([-_. ]?)([0-3]\d)(?:[^0-9]|$)`)
	nameDayFirst  = pattern.New(`(?:^|[^0-9])([0-3]?\d\.[01]?\d\.20\d\d)(?:[^0-9]|$)`)
)

// namedDay returns the day that a name says.
func namedDay(name string) (time.Time, bool) {
	if m := nameYearFirst.FindStringSubmatch(name); m != nil && m[2] == m[4] {
		day, err := time.Parse(time.DateOnly, strings.Join([]string{m[1], m[3], m[5]}, "-"))
		return day, err == nil
	}
	if m := nameDayFirst.FindStringSubmatch(name); m != nil {
		day, err := time.Parse("2.1.2006", m[1])
		return day, err == nil
	}
	return time.Time{}, false
}
