package extract

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"chela/internal/pattern"
)

const (
	spanTo  = `\s*(?:-|–|—|\bto\b|\buntil\b|\btill\b|\bthrough\b|\bthru\b|\bbis\b(?:\s+(?:zum|einschließlich|inkl\.?))?)\s*(?:and\s+including\s+|including\s+)?(?:the\s+|den\s+|dem\s+|zum\s+)?`
	spanAnd = `\s+(?:and|und)\s+(?:the\s+|dem\s+)?`
)

var (
	// spanDay is a day as it is written at a place, with its year or without.
	spanDay = pattern.New(`(?i)^(?:(?:` + weekdays + `)\.?,?\s+)?(?:the\s+|den\s+|dem\s+)?(?:(\d{4})-(\d{1,2})-(\d{1,2})` +
		`|(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4})|(\d{2})\b)?` +
		`|(\d{1,2})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(` + months + `)\b\.?(?:,?\s+(\d{4})\b)?` +
		`|(` + months + `)\b\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4})\b)?)`)
	spanSlash   = pattern.New(`^(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})\b`)
	spanNumber  = pattern.New(`(?i)^(?:the\s+|den\s+|dem\s+)?(\d{1,2})(?:st|nd|rd|th|\.)?(?:` + spanTo + `)`)
	spanMonth   = pattern.New(`(?i)^(` + months + `)\b\.?\s+(\d{1,2})(?:st|nd|rd|th)?` + spanTo + `(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4})\b)?`)
	spanInMonth = pattern.New(`(?i)^\s+(?:of\s+)?(?:` + months + `)\b`)
	spanSep     = pattern.New(`(?i)^` + spanTo)
	spanBoth    = pattern.New(`(?i)^` + spanAnd)
	spanFrom    = pattern.New(`(?i)^(from|between|vom|von|zwischen)\s+(?:the\s+|dem\s+|den\s+)?`)
	spanUntil   = pattern.New(`(?i)^(?:until|till|through|thru|bis)\s+(?:and\s+including\s+|including\s+|einschließlich\s+|zum\s+)?`)
	spanOn      = pattern.New(`(?i)^(?:on|am)\s+`)
	spanWeekday = pattern.New(`(?i)^(` + weekdays + `)\b\.?`)
	spanNext    = pattern.New(`(?i)^(?:all\s+(?:of\s+)?|the\s+whole\s+of\s+|die\s+ganze\s+|in\s+der\s+|in\s+)?(?:next\s+week|nächster?\s+woche|kommenden?r?\s+woche)\b`)
	spanThis    = pattern.New(`(?i)^(?:for\s+|all\s+(?:of\s+)?|die\s+ganze\s+)?(?:(?:the\s+|den\s+)?rest\s+(?:of\s+(?:the|this)\s+week|der\s+woche)|this\s+week|diese\s+woche)\b`)
	spanWeek    = pattern.New(`(?i)^(?:in\s+(?:der\s+)?)?(?:kw|cw|calendar\s+week|kalenderwoche)\s*(\d{1,2})\b(?:[\s/]+(\d{4})\b)?`)
	spanWeekOf  = pattern.New(`(?i)^(?:in\s+)?(?:the\s+week\s+of|week\s+of|der\s+woche\s+vom|die\s+woche\s+vom)\s+`)
	spanNear    = pattern.New(`(?i)^(?:the\s+)?(day\s+after\s+tomorrow|tomorrow|today|übermorgen|morgen|heute)\b`)
)

// A written is a day as it stands in a text.
type written struct {
	year, month, day int // year 0 where none is written
}

// on is the day, without a year as it is meant on the day of the notes; 0 as a year of the calendar has none.
func (w written) on(base time.Time) (time.Time, bool) {
	if w.year == 0 {
		return thisYear(base, strconv.Itoa(w.month), strconv.Itoa(w.day))
	}
	return date(strconv.Itoa(w.year), strconv.Itoa(w.month), strconv.Itoa(w.day))
}

// dayAt reads the day that a text begins with, and returns how long it is there; 0 for none.
func (c calendar) dayAt(text string) (w written, n int) {
	number := func(s string) int {
		v, _ := strconv.Atoi(s) // digits, by the pattern, or none
		return v
	}
	if m := spanSlash.FindStringSubmatch(text); m != nil {
		order, clear := leading(m[1], m[2])
		if !clear && m[1] != m[2] {
			return w, 0 // 3/4 is one day or another
		}
		w = written{number(fullYear(m[3])), number(m[1]), number(m[2])}
		if order == dayFirst {
			w.month, w.day = w.day, w.month
		}
		return w, len(m[0])
	}
	m := spanDay.FindStringSubmatch(text)
	if m == nil {
		return w, 0
	}
	switch {
	case m[1] != "":
		w = written{number(m[1]), number(m[2]), number(m[3])}
	case m[4] != "":
		w = written{number(m[6]), number(m[5]), number(m[4])}
		if m[7] != "" {
			w.year = 2000 + number(m[7])
		}
	case m[8] != "":
		w = written{number(m[10]), monthOf(m[9]), number(m[8])}
	default:
		w = written{number(m[13]), monthOf(m[11]), number(m[12])}
	}
	if !endsDay(text[len(m[0]):]) {
		return w, 0
	}
	return w, len(m[0])
}

// endsDay reports whether a day or a week may end before a text.
func endsDay(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !startsWithLetter(rest) && r != '\'' && r != '’' && r != '/' && !(r >= '0' && r <= '9')
}

// days reads the first and the last day that a text begins with, and returns what follows. It is ok for what is meant in one way alone.
func (c calendar) days(text string) (from, to time.Time, rest string, ok bool) {
	text = strings.TrimLeft(text, " \t(")
	if m := spanFrom.FindString(text); m != "" {
		low := strings.ToLower(m)
		return c.between(text[len(m):], strings.HasPrefix(low, "b") || strings.HasPrefix(low, "z"), true)
	}
	if m := spanUntil.FindString(text); m != "" && !c.base.IsZero() {
		end, rest, ok := c.single(text[len(m):])
		return c.base, end, rest, ok
	}
	if from, to, rest, ok = c.weekAt(text); ok {
		return from, to, rest, ok
	}
	on := text
	if m := spanOn.FindString(text); m != "" {
		on = text[len(m):]
	}
	if from, to, rest, ok = c.between(on, false, false); ok {
		return from, to, rest, true
	}
	from, rest, ok = c.single(on)
	return from, from, rest, ok && !spanSep.MatchString(rest)
}

// between reads a first and a last day. With both the two are joined by "and"; named says that a word such as "from" stands before them.
func (c calendar) between(text string, both, named bool) (from, to time.Time, rest string, ok bool) {
	sep := spanSep
	if both {
		sep = spanBoth
	}
	if m := spanMonth.FindStringSubmatch(text); m != nil && !both && endsDay(text[len(m[0]):]) && !spanInMonth.MatchString(text[len(m[0]):]) { // "March 3-14"
		month, first, last := monthOf(m[1]), atoi(m[2]), atoi(m[3])
		from, to, ok = c.ordered(written{atoi(m[4]), month, first}, written{atoi(m[4]), month, last})
		return from, to, text[len(m[0]):], ok
	}
	if w, n := c.dayAt(text); n > 0 {
		if m := sep.FindString(text[n:]); m != "" {
			if x, k := c.dayAt(text[n+len(m):]); k > 0 {
				from, to, ok = c.ordered(w, x)
				return from, to, text[n+len(m)+k:], ok
			}
		}
		return from, to, text, false
	}
	if m := spanNumber.FindStringSubmatch(text); m != nil && !both { // "3. bis 14. März"
		if x, k := c.dayAt(text[len(m[0]):]); k > 0 {
			from, to, ok = c.ordered(written{x.year, x.month, atoi(m[1])}, x)
			return from, to, text[len(m[0])+k:], ok
		}
	}
	return c.weekdays(text, sep)
}

// weekdays reads "Monday to Wednesday": the coming ones.
func (c calendar) weekdays(text string, sep *pattern.Pattern) (from, to time.Time, rest string, ok bool) {
	from, rest, ok = c.weekdayAt(text)
	if !ok {
		return from, to, text, false
	}
	m := sep.FindString(rest)
	last := spanWeekday.FindStringSubmatch(rest[len(m):])
	if m == "" || last == nil || !endsDay(rest[len(m)+len(last[0]):]) {
		return from, to, text, false
	}
	return from, onWeekday(from, last[1], false), rest[len(m)+len(last[0]):], true
}

// weekdayAt reads the coming day of a name that a text begins with. Said on such a day, it is that day or the one of the week after.
func (c calendar) weekdayAt(text string) (day time.Time, rest string, ok bool) {
	m := spanWeekday.FindStringSubmatch(text)
	if m == nil || c.base.IsZero() || !endsDay(text[len(m[0]):]) {
		return day, text, false
	}
	day = onWeekday(c.base, m[1], false)
	return day, text[len(m[0]):], day.Weekday() != c.base.Weekday()
}

// single reads one day.
func (c calendar) single(text string) (day time.Time, rest string, ok bool) {
	if w, n := c.dayAt(text); n > 0 {
		day, ok = w.on(c.base)
		return day, text[n:], ok
	}
	if m := spanNear.FindStringSubmatch(text); m != nil && !c.base.IsZero() && endsDay(text[len(m[0]):]) {
		switch strings.ToLower(m[1])[:3] {
		case "tom", "mor":
			day = c.base.AddDate(0, 0, 1)
		case "day", "üb":
			day = c.base.AddDate(0, 0, 2)
		default:
			day = c.base
		}
		return day, text[len(m[0]):], true
	}
	return c.weekdayAt(text)
}

// weekAt reads a week.
func (c calendar) weekAt(text string) (from, to time.Time, rest string, ok bool) {
	friday := func(monday time.Time) time.Time { return monday.AddDate(0, 0, 4) }
	weekday := (int(c.base.Weekday()) + 6) % 7 // from Monday
	if m := spanWeekOf.FindString(text); m != "" {
		day, rest, ok := c.single(text[len(m):])
		return day, friday(day), rest, ok && day.Weekday() == time.Monday
	}
	if c.base.IsZero() {
		return from, to, text, false
	}
	if m := spanNext.FindString(text); m != "" && endsDay(text[len(m):]) {
		from = c.base.AddDate(0, 0, 7-weekday)
		return from, friday(from), text[len(m):], !spanSep.MatchString(text[len(m):])
	}
	if m := spanThis.FindString(text); m != "" && endsDay(text[len(m):]) {
		return c.base, friday(c.base.AddDate(0, 0, -weekday)), text[len(m):], weekday < 5
	}
	if m := spanWeek.FindStringSubmatch(text); m != nil && endsDay(text[len(m[0]):]) {
		end, ok := weekEnd(c.base, m[1], m[2])
		return end.AddDate(0, 0, -4), end, text[len(m[0]):], ok
	}
	return from, to, text, false
}

// ordered are two days of which the first may have its year from the second.
func (c calendar) ordered(first, last written) (from, to time.Time, ok bool) {
	guessed := first.year == 0 && last.year != 0
	if guessed {
		first.year = last.year
	}
	if last.year == 0 && first.year != 0 {
		last.year = first.year
	}
	var one, other bool
	from, one = first.on(c.base)
	to, other = last.on(c.base)
	if guessed && one && to.Before(from) { // over the turn of a year
		from = from.AddDate(-1, 0, 0)
	}
	if last.year == 0 && last.month < first.month && to.Before(from) {
		to = to.AddDate(1, 0, 0)
		other = other && to.Sub(from) < 183*24*time.Hour
	}
	return from, to, one && other && !to.Before(from)
}

func atoi(s string) int {
	n, _ := strconv.Atoi(s) // digits, by the pattern, or none
	return n
}
