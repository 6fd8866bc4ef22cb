package extract

import (
	"strings"
	"time"

	"chela/internal/pattern"
)

// Assume gives the actions of a text that says no day at all the due dates that its words mean when it was written on a day, or a
// chat when that is its last day. It returns the actions that got one; nothing else of m depends on the day.
func (m *Minutes) Assume(text string, day time.Time) (got []Action) {
	if day.IsZero() || !m.Date.IsZero() {
		return nil
	}
	undated := false
	for _, a := range m.Actions {
		undated = undated || a.Due.IsZero() && !a.Done
		if !a.Date.IsZero() {
			return nil
		}
	}
	if !undated {
		return nil
	}
	type place struct {
		line        int
		owner, text string
	}
	s := scanOn(day, text)
	s.weigh(Learnt())
	due := make(map[place]time.Time, len(s.out.Actions))
	for _, a := range s.out.Actions {
		due[place{a.Span.Line, a.Owner, a.Text}] = a.Due
	}
	for i := range m.Actions {
		a := &m.Actions[i]
		if d := due[place{a.Span.Line, a.Owner, a.Text}]; a.Due.IsZero() && !a.Done && !d.IsZero() {
			a.Due = d
			got = append(got, *a)
		}
	}
	return got
}

// passedDay is a day of a message that a chat tells by when it was copied: "Yesterday at 9:02 AM", "Monday 14:03".
var passedDay = pattern.New(`(?i)\b(today|heute|yesterday|gestern|` + weekdays + `)\.?,?\s+(?:(?:at|um)\s+)?\d{1,2}:\d{2}`)

// passed reads such a day; base is the chat's last one.
func passed(moment string, base time.Time) (time.Time, bool) {
	m := passedDay.FindStringSubmatch(moment)
	if m == nil || base.IsZero() {
		return time.Time{}, false
	}
	switch strings.ToLower(m[1]) {
	case "today", "heute":
		return base, true
	case "yesterday", "gestern":
		return base.AddDate(0, 0, -1), true
	}
	return onWeekday(base, m[1], false).AddDate(0, 0, -7), true
}
