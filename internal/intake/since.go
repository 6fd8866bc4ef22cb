package intake

import (
	"fmt"
	"slices"
	"time"

	"chela/internal/document"
	"chela/internal/extract"
)

// since tells from which day words such as "tomorrow" in the cells of a table are counted: the day that the file tells of
// itself, above the table, in its text, in the name of the sheet or of the file, or else that of the intake.
func since(s source, t document.Table, taken time.Time) extract.Since {
	return func() (time.Time, string) {
		if day, ok := extract.ExportDay(t.Above); ok {
			return day, "the day above the table"
		}
		if s.Text != "" {
			if day := extract.ReadMinutes(s.Text).Date; !day.IsZero() {
				return day, "the day in the text beside the table"
			}
		}
		if day, ok := extract.NamedDay(t.Sheet); ok {
			return day, "the day in the name of the sheet"
		}
		if day, ok := extract.NamedDay(s.doc.Name); ok {
			return day, "the day in the name of the file"
		}
		taken = taken.UTC()
		return time.Date(taken.Year(), taken.Month(), taken.Day(), 0, 0, 0, 0, time.UTC), "the day of the import, for the file tells none"
	}
}

// A reading is what minutes or a chat say. To read them takes about a millisecond a line, so they are read once.
type reading struct {
	done    bool
	minutes extract.Minutes
	told    string // from which day days are counted, empty where the text says it
}

// read reads minutes or a chat. Where neither the text nor its name says a day, "by Friday" is counted from the day of the intake, as if
// it had been written then; tell is told so. The actions are the caller's own.
func (p *player) read(s source, tell func(string)) extract.Minutes {
	r := s.once
	if r == nil {
		r = new(reading)
	}
	if !r.done {
		r.minutes = extract.ReadNamed(s.doc.Name, s.notes())
		r.told, r.done = p.assume(s, &r.minutes), true
	}
	if r.told != "" {
		tell(r.told)
	}
	m := r.minutes
	m.Actions = slices.Clone(m.Actions)
	return m
}

// assume counts days from that of the intake where a text says none, and returns a sentence that says so.
func (p *player) assume(s source, m *extract.Minutes) string {
	taken := p.begun.UTC()
	if p.begun.IsZero() {
		return ""
	}
	day := time.Date(taken.Year(), taken.Month(), taken.Day(), 0, 0, 0, 0, time.UTC)
	due := m.Assume(s.Text, day)
	if len(due) == 0 {
		return ""
	}
	more := ""
	if n := len(due) - 1; n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	return fmt.Sprintf("%s, line %d: the text says no day, so %q is due on %s%s, counted from %s, the day of the intake. If it was written on another day, change the due dates, or take the intake back and hand the text in with a line such as \"Date: 2026-03-05\" at its top.",
		s.doc.Name, due[0].Span.Line, clipped(due[0].Text, 80), due[0].Due.Format(time.DateOnly), more, day.Format(time.DateOnly))
}
