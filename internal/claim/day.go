package claim

import (
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/query"
	"chela/internal/question"
)

// dayFields are the words by which a clause says which day it means, and the fields that hold it.
var dayFields = []struct{ words, fields []string }{
	{[]string{"due", "deadline", "fällig", "overdue"}, []string{"due", "target date", "end", "rings at", "actions due date"}},
	{[]string{"created", "opened", "filed", "raised", "angelegt", "erstellt"}, []string{"created", "date"}},
	{[]string{"resolved", "closed", "finished", "completed", "done", "fixed", "erledigt", "geschlossen"}, []string{"resolved", "reached"}},
	{[]string{"updated", "changed", "touched", "geändert"}, []string{"updated"}},
	{[]string{"starts", "begins", "started", "beginnt"}, []string{"start", "created"}},
	{[]string{"ends", "ended", "endet"}, []string{"end"}},
}

// checkDays checks every day and period of a clause, in any wording.
func (k *check) checkDays(cl clause) {
	for _, m := range k.days {
		if m.Start < cl.start || m.Start >= cl.end || k.isHidden(m.Start) {
			continue
		}
		k.hide(m.Start, m.End)
		word := strings.ToLower(k.text[m.Start:m.End])
		fields := k.dayField(cl)
		if slices.Contains([]string{"now", "currently", "right now", "jetzt", "at the moment"}, word) || (word == "today" || word == "heute") && (fields == nil || k.text[max(0, m.Start-3):m.Start] == "of ") {
			continue
		}
		if k.askedFor(m) || k.dayIs(cl, m, fields) {
			continue
		}
		k.mark(m.Start, m.End, "No cited record has this day.")
	}
}

// dayField returns the fields of days that the words of a clause ask for; nil means any.
func (k *check) dayField(cl clause) []string {
	for _, d := range dayFields {
		for _, w := range k.words {
			if w.Start >= cl.start && w.Start < cl.end && !k.isHidden(w.Start) && slices.Contains(d.words, w.Text) {
				return d.fields
			}
		}
	}
	return nil
}

// askedFor reports whether the question or the computed sentence names the same days.
func (k *check) askedFor(m question.Mention) bool {
	for _, text := range []string{k.asked, k.computed} {
		for _, a := range question.Mentions(text, k.now) {
			if a.From.Equal(m.From) && a.To.Equal(m.To) {
				return true
			}
		}
	}
	return false
}

// dayIs reports whether a record of the clause, or a row of the table about it, has the day.
func (k *check) dayIs(cl clause, m question.Mention, fields []string) bool {
	fits := func(text string) bool {
		t := desk.Date(text[:min(len(text), len(time.DateOnly))]).Time()
		return !t.IsZero() && sameDay(m, t)
	}
	for _, r := range k.records(cl) {
		for _, f := range k.known(r) {
			if (f.Type == query.Day || f.Type == query.Instant) && f.Text != "" && (fields == nil || slices.Contains(fields, f.Field)) && fits(f.Text) {
				return true
			}
		}
		if fields == nil && k.told(r.Prose(), m) {
			return true
		}
	}
	rows, _ := k.rows(cl)
	for _, r := range rows {
		for i, cell := range r.Cells {
			if len(cell) >= len("2026-01") && cell[0] >= '0' && cell[0] <= '9' && (fields == nil || i >= len(k.table.Columns) || slices.Contains(fields, k.table.Columns[i]) || len(cell) == 7) && (fits(cell) || cell == m.From.Format("2006-01")) {
				return true
			}
		}
	}
	return false
}

// told reports whether a text names the same days.
func (k *check) told(prose string, m question.Mention) bool {
	for _, line := range strings.Split(prose, "\n") {
		if len(line) > maxSentence {
			line = line[:maxSentence]
		}
		for _, a := range question.Mentions(line, k.now) {
			if a.From.Equal(m.From) || a.Yearless && m.From.Day() == a.From.Day() && m.From.Month() == a.From.Month() {
				return true
			}
		}
	}
	return false
}

// sameDay reports whether a day is in what a text names.
func sameDay(m question.Mention, t time.Time) bool {
	t = t.UTC().Truncate(24 * time.Hour)
	in := func(t time.Time) bool {
		return (m.From.IsZero() || !t.Before(m.From)) && (m.To.IsZero() || t.Before(m.To))
	}
	switch {
	case m.Weekday:
		return in(t) || in(t.AddDate(0, 0, -7)) || in(t.AddDate(0, 0, 7))
	case m.Yearless:
		return in(t) || in(t.AddDate(-1, 0, 0)) || in(t.AddDate(1, 0, 0))
	}
	return in(t)
}
