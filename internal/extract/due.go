package extract

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/pattern"
)

// A day until which something is due is often said by more than its name: "Friday, 11 December", "Friday next week", "mid-December".

var (
	// beforeDay are an hour and words that stand before a day: "by 5pm Friday", "first thing Monday".
	beforeDay = pattern.New(`(?i)^(?:first thing(?:\s+on)?|\d{1,2}(?::\d{2})?\s?(?:am|pm|uhr)|\d{1,2}:\d{2}),?\s+(?:on\s+|am\s+)?`)
	// besideDay is the date of a weekday, behind it.
	besideDay = pattern.New(`(?i)^\.?,?\s*(?:the\s+|de[nrm]\s+)?(\d{4}-\d{2}-\d{2}|\d{1,2}\.\s?(?:\d{1,2}\.(?:\s?\d{4})?|(?:` + months + `)\b(?:\s+\d{4})?)|\d{1,2}/\d{1,2}(?:/\d{2,4})?\b|\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:` + months + `)\b(?:,?\s+\d{4})?|(?:` + months + `)\.?\s+\d{1,2}(?:st|nd|rd|th)?\b(?:,?\s+\d{4})?)`)
	numberToo = pattern.New(`(?i)^\.?,?\s*(?:the\s+|de[nrm]\s+)?(\d{1,2})(?:st|nd|rd|th|\.)(?:\D|$)`)
	ofWeek    = pattern.New(`(?i)^,?\s+(?:of\s+|in\s+)?(this|next|diese[rn]?|nächste[rn]?|kommende[rn]?)\s+(?:week|wk|woche)\b`)
	afterNext = pattern.New(`(?i)^\s+after next\b`)

	dayOfWeek = pattern.New(`(?i)\b(` + weekdays + `)(,?\s+(?:of\s+)?(?:next|nächste[rn]?|kommende[rn]?)\s+(?:week|wk|woche))\b`)
	weeksFrom = pattern.New(`(?i)\b(` + counts + `)\s+weeks?\s+(?:on|from|after)\s+(` + weekdays + `|today|tomorrow|now)\b`)
	midMonth  = pattern.New(`(?i)^(?:the\s+)?(?:mid[- ]|middle of\s+|mitte\s+)(` + months + `)\b(?:\s+(\d{4}))?`)
	midWeek   = pattern.New(`(?i)^(?:mid[- ]|middle of\s+|mitte\s+)(next|nächster|kommender|this|dieser)\s+(?:week|woche)\b`)
	weekCount = pattern.New(`(?i)^(?:the\s+)?(?:end of\s+|ende\s+)?(?:kw|cw|kalenderwoche|calendar week)\s?(\d{1,2})(?:\s?/\s?(\d{4}))?\b`)
	germanDay = pattern.New(`^(Mo|Di|Mi|Do|Fr|Sa|So)(?:\.|[,;)]|$|\s+\d)`)
	bareWeek  = pattern.New(`(?i)\bin\s+(?:der\s+)?((?:kw|cw|kalenderwoche|calendar week)\s?\d{1,2}(?:\s?/\s?\d{4})?)\b`)
	bareMid   = pattern.New(`(?i)[\s(]((?:mid[- ]|mitte\s+)(?:` + months + `))[.)]*$`)
	// morrow is the German word for tomorrow, where it greets nobody.
	morrow   = pattern.New(`\b(\pL+)\s(morgen|übermorgen)(?:$|[^'’\pL])`)
	workDays = pattern.New(`(?i)\b(?:in|within|innerhalb von|binnen)\s+(?:the next\s+)?(` + counts + `)\s+(?:business|working|work|arbeits|werk)[\s-]?(?:days?|tage?n?)\b`)
)

var germanDays = map[string]string{"Mo": "montag", "Di": "dienstag", "Mi": "mittwoch", "Do": "donnerstag", "Fr": "freitag", "Sa": "samstag", "So": "sonntag"}

// fromWeekday is the day that a weekday means with what stands behind it: its date, or the week that it is in.
func (c calendar) fromWeekday(rest, name string, next bool) (time.Time, bool) {
	if m := besideDay.FindStringSubmatch(rest); m != nil {
		if d, ok := c.find(m[1]); ok {
			return d, true
		}
		if d, ok := c.short(m[1]); ok {
			return d, true
		}
	}
	day := onWeekday(c.base, name, next)
	if m := numberToo.FindStringSubmatch(rest); m != nil {
		if d, ok := onNumber(c.base, m[1]); ok && d.Weekday() == day.Weekday() {
			return d, true
		}
	}
	if m := ofWeek.FindStringSubmatch(rest); m != nil {
		monday := c.base.AddDate(0, 0, -(int(c.base.Weekday())+6)%7)
		if !slices.Contains([]string{"t", "d"}, strings.ToLower(m[1][:1])) {
			monday = monday.AddDate(0, 0, 7)
		}
		return monday.AddDate(0, 0, (int(day.Weekday())+6)%7), true
	}
	if !next && afterNext.MatchString(rest) {
		return day.AddDate(0, 0, 7), true
	}
	return day, true
}

// short is a day and a month in numbers without a year: "11.12.", "12/11".
func (c calendar) short(text string) (time.Time, bool) {
	if m := shortDot.FindStringSubmatch(text); m != nil {
		return thisYear(c.base, m[2], m[1])
	}
	if m := shortSlash.FindStringSubmatch(text); m != nil {
		if c.order == dayFirst {
			return thisYear(c.base, m[2], m[1])
		}
		return thisYear(c.base, m[1], m[2])
	}
	return time.Time{}, false
}

// shortly reads a part of a month, a week's number or an abbreviated day of the week, with which a text begins.
func (c calendar) shortly(text string) (time.Time, bool) {
	if m := midMonth.FindStringSubmatch(text); m != nil {
		month := strconv.Itoa(monthOf(m[1]))
		if m[2] != "" {
			return date(m[2], month, "15")
		}
		return thisYear(c.base, month, "15")
	}
	if m := midWeek.FindStringSubmatch(text); m != nil {
		return c.fromWeekday(" "+m[1]+" week", "wednesday", false)
	}
	if m := weekCount.FindStringSubmatch(text); m != nil {
		return weekEnd(c.base, m[1], m[2])
	}
	if m := germanDay.FindStringSubmatch(text); m != nil {
		return c.fromWeekday(text[len(m[1]):], germanDays[m[1]], false)
	}
	return time.Time{}, false
}

// weekOn reads a day of another week, wherever it stands: "Friday next week", "a week on Monday".
func (c calendar) weekOn(text string) (time.Time, bool) {
	if c.base.IsZero() {
		return time.Time{}, false
	}
	if m := weeksFrom.FindStringSubmatch(text); m != nil {
		from := c.base
		if word := strings.ToLower(m[2]); word == "tomorrow" {
			from = from.AddDate(0, 0, 1)
		} else if word != "now" && word != "today" {
			from = onWeekday(c.base, m[2], false)
		}
		return after(from, m[1], "week"), true
	}
	if m := dayOfWeek.FindStringSubmatch(text); m != nil {
		return c.fromWeekday(m[2], m[1], false)
	}
	return time.Time{}, false
}

// weekEnd is the Friday of a week of the calendar, of the next one of that number without a year.
func weekEnd(base time.Time, number, year string) (time.Time, bool) {
	n, _ := strconv.Atoi(number) // digits, by the pattern
	y, _ := strconv.Atoi(year)   // as above, or none
	of := func(year int) (time.Time, bool) {
		first := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC) // is in week 1
		friday := first.AddDate(0, 0, 5-(int(first.Weekday())+6)%7-1+7*(n-1))
		_, week := friday.ISOWeek()
		return friday, n > 0 && week == n
	}
	if y != 0 {
		return of(y)
	}
	d, ok := of(base.Year())
	if ok && d.Before(base) {
		return of(base.Year() + 1)
	}
	return d, ok
}

// afterWork counts days from base on which people work.
func afterWork(base time.Time, count string) time.Time {
	n := int(after(base, count, "day").Sub(base).Hours() / 24)
	for d := base; ; {
		if n == 0 {
			return d
		}
		if d = d.AddDate(0, 0, 1); d.Weekday() != time.Saturday && d.Weekday() != time.Sunday {
			n--
		}
	}
}
