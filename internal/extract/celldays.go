package extract

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"chela/internal/pattern"
)

// A Since tells from which day words such as "tomorrow" in the cells of a table are counted, and what says so, as a part of
// a sentence: "the day in the name of the file". It is asked when a cell has such words.
type Since func() (day time.Time, told string)

// Tickets is [Tickets] where words for days are counted from a day.
func (s Since) Tickets(header []string, rows []Row) (t TicketTable, ok bool) {
	return tickets(header, rows, s)
}

// Map is [Map] where words for days are counted from a day.
func (s Since) Map(header []string, rows []Row, mapping map[string]string) (TicketTable, error) {
	return mapped(header, rows, mapping, s)
}

var (
	cellLead  = pattern.New(`(?i)^(?:due|by|until|till|on|before|no later than|bis(?:\s+(?:zum|spätestens))?|am|spätestens|fällig)\s+(?:by\s+|on\s+|am\s+)?`)
	cellVocal = pattern.New(`(?i)^(?:(?:` + weekdays + `|` + months + `|` + counts + `|` + units + `|the|day|after|today|tonight|tomorrow|tmrw|tmr|heute|morgen|übermorgen|this|next|coming|` +
		`nächste[nrs]?|kommende[nrs]?|diese[nrs]?|end|ende|mid|mitte|middle|of|der|des|week|woche|month|monats?|quarter|quartals?|year|jahres|in|within|innerhalb|von|binnen|` +
		`business|working|werktage?n?|arbeitstage?n?|eod|cob|eow|eom|eoq|eoy|kw|cw|q[1-4]|\d{1,2}(?:st|nd|rd|th)?)[\s.,-]*)+$`)
	nextDay   = pattern.New(`(?i)^(?:next|nächste[nr]?)\s+(` + weekdays + `)$`)
	bareDay   = pattern.New(`(?i)^(?:on\s+|am\s+)?(` + weekdays + `)$`)
	wholeUnit = pattern.New(`(?i)^(?:this|next|diese[rn]?|nächste[rn]?|kommende[rn]?)\s+(week|month|woche|monat)$`)
)

// dayInWords reads a cell that is nothing but words for a day, as they are meant on the day of the calendar. or says what else
// they may mean.
func (c calendar) dayInWords(cell string) (day time.Time, or string, ok bool) {
	words := strings.Trim(strings.Join(strings.Fields(cell), " "), " .!")
	words = strings.TrimSpace(words[len(cellLead.FindString(words)):])
	if words == "" || len(words) > 60 || !cellVocal.MatchString(words) {
		return day, "", false
	}
	if day, ok = c.relative(words); !ok {
		if day, ok = c.find(words); !ok {
			if day, ok = c.due(words); !ok {
				return day, "", false
			}
		}
	}
	switch same := func(d time.Time) bool { return d.Equal(day) }; {
	case nextDay.MatchString(words):
		coming := onWeekday(c.base, nextDay.FindStringSubmatch(words)[1], false)
		_, week := coming.ISOWeek()
		if _, now := c.base.ISOWeek(); week != now {
			break // it is next in both senses
		}
		if or = coming.Format(time.DateOnly); same(coming) {
			or = coming.AddDate(0, 0, 7).Format(time.DateOnly)
		}
	case bareDay.MatchString(words) && day.Weekday() == c.base.Weekday():
		or = c.base.Format(time.DateOnly)
	case wholeUnit.MatchString(words):
		or = "another day of it"
	}
	return day, or, true
}

// A saidDay is what a cell says in words, and how it is read.
type saidDay struct {
	line, cells int
	day, or     string
}

// worded reads a cell that says a day in words, and keeps how it is read.
func (r *rowReader) worded(cell string, line int) (time.Time, bool) {
	if r.since == nil {
		return time.Time{}, false
	}
	if r.sinceDay.IsZero() {
		r.sinceDay, r.sinceTold = r.since()
	}
	day, or, ok := calendar{r.sinceDay, dayFirst}.dayInWords(cell)
	if !ok {
		return time.Time{}, false
	}
	said := r.said[cell]
	if said.cells++; said.line == 0 {
		said.line, said.day, said.or = line, day.Format(time.DateOnly), or
	}
	r.said[cell] = said
	return day, true
}

// mostSaid is how many different words for days are told one by one.
const mostSaid = 20

// daysSaid tells how words for days were read, a sentence for the same words.
func (r *rowReader) daysSaid(column string) (out []string) {
	words := make([]string, 0, len(r.said))
	for w := range r.said {
		words = append(words, w)
	}
	slices.SortFunc(words, func(a, b string) int { return r.said[a].line - r.said[b].line })
	for _, w := range words[:min(len(words), mostSaid)] {
		s := r.said[w]
		more, or := "", ""
		if s.cells > 1 {
			more = fmt.Sprintf(", as in %d more", s.cells-1)
		}
		if s.or != "" {
			or = "; " + s.or + " may be meant"
		}
		out = append(out, fmt.Sprintf("line %d: %q in %q is read as %s%s, counted from %s, %s%s.", s.line, w, column, s.day, more, r.sinceDay.Format(time.DateOnly), r.sinceTold, or))
	}
	if left := len(words) - mostSaid; left > 0 {
		out = append(out, fmt.Sprintf("line %d: %d more words for days in %q are counted from %s, too.", r.said[words[mostSaid]].line, left, column, r.sinceDay.Format(time.DateOnly)))
	}
	return out
}

// exportWords stand beside the day on which an export was made.
var exportWords = pattern.New(`(?i)\b(?:export(?:ed|iert)?|generated|created|printed|as (?:of|at)|report(?:ed)?|status|stand|date|datum|erstellt|vom|updated)\b`)

// ExportDay returns the day that the lines above a table tell as the one on which it was made: one day that can be read in one way
// only, in a line with a word for it or in one that holds nothing else.
func ExportDay(above []string) (day time.Time, ok bool) {
	for _, line := range above {
		if m := slashDate.FindStringSubmatch(line); m != nil && m[1] != m[2] {
			if _, clear := leading(m[1], m[2]); !clear {
				continue
			}
		}
		d, is := FindDate(line, time.Time{})
		if !is || !exportWords.MatchString(line) && strings.ContainsFunc(dateless(line), isLetter) {
			continue
		}
		if ok && !d.Equal(day) {
			return time.Time{}, false // a time from one day to another
		}
		day, ok = d, true
	}
	return day, ok
}

// dateless is a line without names of months.
func dateless(line string) string {
	return monthDate.ReplaceAllString(dayMonth.ReplaceAllString(line, ""), "")
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c > 127 }

// NamedDay returns the day that the name of a file or a sheet says.
func NamedDay(name string) (time.Time, bool) { return namedDay(name) }
