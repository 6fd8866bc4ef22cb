package extract

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"chela/internal/pattern"
)

const (
	months = `jan(?:uary|uar)?|feb(?:ruary|ruar)?|mar(?:ch)?|märz?|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|okt(?:ober)?|nov(?:ember)?|dec(?:ember)?|dez(?:ember)?` +
		`|janv(?:ier)?|févr?(?:ier)?|mars|avr(?:il)?|juin|juil(?:let)?|août|septembre|octobre|novembre|déc(?:embre)?` +
		`|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre`
	weekdays = `mon(?:day|tag)?|tue(?:s(?:day)?)?|wed(?:nesday|s)?|thu(?:rs?(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag` +
		`|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo`
	counts = `a|an|one|two|three|four|five|six|ein(?:em|er)?|zwei|drei|vier|fünf|sechs|\d{1,2}`
	units  = `days?|weeks?|wks?|fortnight|months?|tag(?:en)?|wochen?|monat(?:en)?`
)

var (
	isoDate    = pattern.New(`\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b`)
	dottedDate = pattern.New(`\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d{2})\b`)
	slashDate  = pattern.New(`\b(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})\b`)
	monthDate  = pattern.New(`(?i)\b(` + months + `)\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4})\b)?`)
	dayMonth   = pattern.New(`(?i)\b(\d{1,2})(?:st|nd|rd|th|er|\.)?\s+(?:of\s+|de\s+)?(` + months + `)\b\.?(?:,?\s+(?:de\s+)?(\d{4})\b)?`)

	dayRange = pattern.New(`(?i)\b(\d{1,2})(?:st|nd|rd|th|\.)?\s*[-–—]\s*\d{1,2}(?:st|nd|rd|th|\.)?\s+(` + months + `)\b\.?(?:,?\s+(\d{4})\b)?`)

	hanDate = pattern.New(`(?:(\d{4})年)?(\d{1,2})月(\d{1,2})[日号]`)
	hanDue  = pattern.New(`((?:\d{4}年)?\d{1,2}月\d{1,2}[日号])(?:之?前|截止)`)

	dueWords   = pattern.New(`(?i)\b(?:by|before|due(?:\s+date)?|until|till|deadline|no later than|not later than|eta|bis(?:\s+(?:zum|spätestens|zur))?|spätestens|fällig|avant|d['’]ici|pour\s+le|échéance|antes\s+del?|para\s+el|hasta)\b\s*[:=]?\s*(?:on\s+|am\s+|the\s+latest\s+|le\s+|au\s+|el\s+)?`)
	onWords    = pattern.New(`(?i)\b(?:on|am)\s+`)
	endOfDay   = pattern.New(`(?i)^(?:the\s+)?(?:eod|cob|cop|end of (?:the )?(?:business )?day|close of (?:business|play)|tagesende)\b[,\s]*(?:on\s+|of\s+)?`)
	weekday    = pattern.New(`(?i)^(this\s+|next\s+|kommenden\s+|nächsten\s+|diesen\s+)?(` + weekdays + `)\b`)
	endOf      = pattern.New(`(?i)^(?:the\s+|zum\s+)?(?:end of(?: the)?|ende(?: der| des)?)\s+(this\s+|next\s+|dieser\s+|nächster\s+|nächsten\s+|dieses\s+|kommenden\s+)?(week|month|quarter|year|woche|monats?|quartals?|jahres)\b`)
	endOfMonth = pattern.New(`(?i)^(?:the\s+)?(?:end of|end|ende)[\s-]+(` + months + `)\b`)
	endShort   = pattern.New(`(?i)^(?:zum\s+)?(eow|eom|eoq|eoy|month[ -]end|year[ -]end|week[ -]end|wochenende|monatsende|quartalsende|jahresende)\b`)
	nextUnit   = pattern.New(`(?i)^(?:the\s+|zur\s+)?(?:next|nächsten?r?|kommenden?r?)\s+(week|month|woche|monat)\b`)
	dayNumber  = pattern.New(`(?i)^(?:(?:the|den|zum)\s+)?(\d{1,2})(?:st|nd|rd|th|\.)(?:\s|$|[.,;)])`)
	quarter    = pattern.New(`(?i)^(?:the\s+)?(?:end of\s+|ende\s+)?q([1-4])(?:[\s/]+(\d{4}))?\b`)
	shortSlash = pattern.New(`^(\d{1,2})/(\d{1,2})(?:\D|$)`)
	shortDot   = pattern.New(`^(\d{1,2})\.\s?(\d{1,2})\.(?:\D|$)`)
	inCount    = pattern.New(`(?i)\b(?:in|within|innerhalb von|binnen)\s+(?:the next\s+)?(` + counts + `)\s+(` + units + `)\b`)
	bareTime   = pattern.New(`(?i)\b(today|tonight|heute|day after tomorrow|tomorrow|tmrw|this (?:afternoon|morning|evening)|next week|this week|this wk|next wk|next month|(?:this|next) (?:` + weekdays + `)|(?:end of|ende)(?: the| der| des)? (?:this |next |dieser |nächster )?(?:week|month|quarter|woche|monats|quartals)|nächste woche|diese woche|eow|eom)\b(?:$|[^'’\pL])`)
	bareEnd    = pattern.New(`\b(?:EOD|COB)\b(?:$|.{1,20})`)
)

// A calendar reads days as the notes of a meeting write them.
type calendar struct {
	base  time.Time // the day of the meeting, zero when not known
	order dayOrder  // of days with slashes
}

// FindDate finds the first absolute date in a text. A date without a year is taken to
// be in the year from two months before base on; without base it is none.
func FindDate(text string, base time.Time) (time.Time, bool) {
	return calendar{base, monthFirst}.find(text)
}

func (s *scanner) calendar() calendar { return calendar{s.today(), s.order} }

// dayFirstHeads begin minutes in languages that put the day first.
var dayFirstHeads = pattern.New(`(?im)^\W*(?:anwesend|teilnehmer|protokoll|présents?|compte[- ]rendu|ordre du jour|asistentes|acta|orden del día|acuerdos|tareas)`)

// slashOrder decides how a text writes its days: by those that can be read in one way only, then by
// what it says or its language; else as in the United States.
func slashOrder(text string) dayOrder {
	day, month := 0, 0
	for _, m := range slashDate.FindAllStringSubmatch(text, -1) {
		switch order, clear := leading(m[1], m[2]); {
		case clear && order == dayFirst:
			day++
		case clear:
			month++
		}
	}
	if day > month || day == month && (dayFirstHeads.MatchString(text) || strings.Contains(strings.ToLower(text), "dd/mm")) {
		return dayFirst
	}
	return monthFirst
}

// slashed is the date of two numbers and a year, in the order of the calendar unless that cannot be.
func (c calendar) slashed(first, second, year string) (time.Time, bool) {
	month, day := first, second
	if c.order == dayFirst {
		month, day = second, first
	}
	if d, ok := date(year, month, day); ok {
		return d, true
	}
	return date(year, day, month)
}

func (c calendar) find(text string) (time.Time, bool) {
	if m := isoDate.FindStringSubmatch(text); m != nil {
		return date(m[1], m[2], m[3])
	}
	if m := dottedDate.FindStringSubmatch(text); m != nil {
		return date(fullYear(m[3]), m[2], m[1])
	}
	if m := hanDate.FindStringSubmatch(text); m != nil && m[1] != "" {
		return date(m[1], m[2], m[3])
	} else if m != nil {
		return thisYear(c.base, m[2], m[3])
	}
	if m := slashDate.FindStringSubmatch(text); m != nil {
		return c.slashed(m[1], m[2], fullYear(m[3]))
	}
	var month, day, year string
	if m := dayRange.FindStringSubmatch(text); m != nil {
		month, day, year = m[2], m[1], m[3]
	} else if m := monthDate.FindStringSubmatch(text); m != nil {
		month, day, year = m[1], m[2], m[3]
	} else if m := dayMonth.FindStringSubmatch(text); m != nil {
		month, day, year = m[2], m[1], m[3]
	}
	if month == "" || month == "may" || month == "mar" { // "it may 3 times"
		return time.Time{}, false
	}
	number := strconv.Itoa(monthOf(month))
	if year != "" {
		return date(year, number, day)
	}
	return thisYear(c.base, number, day)
}

func fullYear(y string) string {
	if len(y) == 2 {
		return "20" + y
	}
	return y
}

// thisYear is a day without a year, not long before base.
func thisYear(base time.Time, month, day string) (time.Time, bool) {
	if base.IsZero() {
		return time.Time{}, false
	}
	d, ok := date(strconv.Itoa(base.Year()), month, day)
	if ok && d.Before(base.AddDate(0, -2, 0)) {
		return date(strconv.Itoa(base.Year()+1), month, day)
	}
	return d, ok
}

func date(y, m, d string) (time.Time, bool) {
	yy, _ := strconv.Atoi(y) // digits, by the pattern
	mm, _ := strconv.Atoi(m)
	dd, _ := strconv.Atoi(d)
	t := time.Date(yy, time.Month(mm), dd, 0, 0, 0, 0, time.UTC)
	return t, t.Day() == dd && int(t.Month()) == mm && yy > 1970 && yy < 2200
}

// DueDate finds until when an action is due; relative words count from base, the day
// of the meeting.
func DueDate(text string, base time.Time) (time.Time, bool) {
	return calendar{base, monthFirst}.due(text)
}

func (c calendar) due(text string) (time.Time, bool) {
	if d, ok := c.weekOn(text); ok {
		return d, true
	}
	for _, words := range []*pattern.Pattern{dueWords, onWords} {
		for _, at := range words.FindAllStringIndex(text, -1) {
			rest := text[at[1]:]
			if d, ok := c.relative(rest); ok {
				return d, true
			}
			for len(rest) > 40 || !utf8.ValidString(rest) && len(rest) > 36 {
				rest = rest[:min(len(rest)-1, 40)]
			}
			if d, ok := c.find(rest); ok {
				return d, true
			}
		}
	}
	if m := hanDue.FindStringSubmatch(text); m != nil {
		return c.find(m[1])
	}
	if c.base.IsZero() {
		return time.Time{}, false
	}
	if m := inCount.FindStringSubmatch(text); m != nil {
		return after(c.base, m[1], m[2]), true
	}
	if m := workDays.FindStringSubmatch(text); m != nil {
		return afterWork(c.base, m[1]), true
	}
	if m := bareTime.FindStringSubmatch(text); m != nil {
		return c.relative(m[1])
	}
	if m := matchEither(text, bareWeek, bareMid); m != nil {
		return c.shortly(m[1])
	}
	if m := morrow.FindStringSubmatch(text); m != nil && !strings.EqualFold(m[1], "guten") {
		return c.relative(m[2])
	}
	if m := bareEnd.FindStringSubmatch(text); m != nil {
		return c.relative(m[0])
	}
	return time.Time{}, false
}

// after counts days, weeks or months from base.
func after(base time.Time, count, unit string) time.Time {
	count, unit = strings.ToLower(count), strings.ToLower(unit)
	n := map[string]int{
		"a": 1, "an": 1, "one": 1, "ein": 1, "einem": 1, "einer": 1, "two": 2, "zwei": 2, "three": 3, "drei": 3,
		"four": 4, "vier": 4, "five": 5, "fünf": 5, "six": 6, "sechs": 6,
	}[count]
	if n == 0 {
		n, _ = strconv.Atoi(count) // digits, by the pattern
	}
	switch unit[0] {
	case 'd', 't':
		return base.AddDate(0, 0, n)
	case 'w':
		return base.AddDate(0, 0, 7*n)
	case 'f':
		return base.AddDate(0, 0, 14*n)
	}
	return base.AddDate(0, n, 0)
}

func untilFriday(base time.Time) int { return (int(time.Friday) - int(base.Weekday()) + 7) % 7 }

// relative reads a day that a text begins with, as it is meant on the day of the meeting.
func (c calendar) relative(text string) (time.Time, bool) {
	base := c.base
	if base.IsZero() {
		return time.Time{}, false
	}
	text = strings.TrimLeft(text, " \t(")
	if cut := endOfDay.FindString(text); cut != "" {
		if d, ok := c.relative(text[len(cut):]); ok {
			return d, true
		}
		if d, ok := c.find(text[len(cut):]); ok {
			return d, true
		}
		return base, true
	}
	if cut := beforeDay.FindString(text); cut != "" {
		if d, ok := c.relative(text[len(cut):]); ok {
			return d, true
		}
	}
	for word, days := range map[string]int{"today": 0, "tonight": 0, "this afternoon": 0, "this morning": 0, "this evening": 0, "heute": 0, "in the morning": 1, "tomorrow": 1, "tmrw": 1, "tmr": 1, "morgen": 1, "übermorgen": 2, "the day after tomorrow": 2, "day after tomorrow": 2} {
		if rest, ok := cutFold(text, word); ok && (rest == "" || !startsWithLetter(text[len(word):])) {
			return base.AddDate(0, 0, days), true
		}
	}
	if m := weekday.FindStringSubmatch(text); m != nil {
		return c.fromWeekday(text[len(m[0]):], m[2], strings.HasPrefix(strings.ToLower(m[1]), "n"))
	}
	if d, ok := c.shortly(text); ok {
		return d, true
	}
	if m := endOf.FindStringSubmatch(text); m != nil {
		return periodEnd(base, m[2], strings.HasPrefix(strings.ToLower(m[1]), "n") || strings.HasPrefix(strings.ToLower(m[1]), "k")), true
	}
	if m := endOfMonth.FindStringSubmatch(text); m != nil {
		first, ok := thisYear(base.AddDate(0, 1, 0), strconv.Itoa(monthOf(m[1])), "1") // of a month that has not ended
		return first.AddDate(0, 1, -1), ok
	}
	if m := endShort.FindStringSubmatch(text); m != nil {
		unit := strings.ToLower(m[1])
		if len(unit) == 3 {
			unit = unit[2:]
		}
		return periodEnd(base, unit, false), true
	}
	if m := quarter.FindStringSubmatch(text); m != nil {
		return quarterEnd(base, m[1], m[2]), true
	}
	if _, ok := cutFold(text, "this week", "diese woche", "dieser woche"); ok {
		return periodEnd(base, "week", false), true
	}
	if m := nextUnit.FindStringSubmatch(text); m != nil {
		return after(base, "1", m[1]), true
	}
	if _, ok := c.find(text[:min(len(text), 20)]); ok {
		return time.Time{}, false // "15. März": an absolute one
	}
	if d, ok := c.short(text); ok || shortDot.MatchString(text) {
		return d, ok
	}
	if m := dayNumber.FindStringSubmatch(text); m != nil {
		return onNumber(base, m[1])
	}
	return time.Time{}, false
}

func startsWithLetter(s string) bool {
	return s != "" && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z' || s[0] >= utf8.RuneSelf)
}

// onWeekday is the next such day after base; "next Friday" said on a Wednesday or
// Thursday is the one of the week after.
func onWeekday(base time.Time, name string, next bool) time.Time {
	stems := []string{"su sonnt dim dom", "mo lu", "tu die ma", "we mi me", "th don je ju", "fr ve vi", "sa sá sonna"}
	name = strings.ToLower(name)
	want := slices.IndexFunc(stems, func(s string) bool {
		return slices.ContainsFunc(strings.Fields(s), func(p string) bool { return strings.HasPrefix(name, p) })
	})
	days := (want - int(base.Weekday()) + 7) % 7
	if days == 0 || next && days < 3 {
		days += 7
	}
	return base.AddDate(0, 0, days)
}

// periodEnd is the last working day of a week, or the last day of a longer period.
func periodEnd(base time.Time, unit string, next bool) time.Time {
	more := 0
	if next {
		more = 1
	}
	y, m, _ := base.Date()
	switch strings.ToLower(unit)[0] {
	case 'w':
		return base.AddDate(0, 0, untilFriday(base)+7*more)
	case 'm':
		return time.Date(y, m+1+time.Month(more), 0, 0, 0, 0, 0, time.UTC)
	case 'q':
		return time.Date(y, (m-1)/3*3+4+time.Month(3*more), 0, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(y+more, 12, 31, 0, 0, 0, 0, time.UTC)
}

// quarterEnd is the last day of a quarter, of the next one of that number without a year.
func quarterEnd(base time.Time, number, year string) time.Time {
	n, _ := strconv.Atoi(number) // digits, by the pattern
	y, _ := strconv.Atoi(year)   // as above, or none
	end := time.Date(cmp.Or(y, base.Year()), time.Month(3*n)+1, 0, 0, 0, 0, 0, time.UTC)
	if y == 0 && end.Before(base) {
		return end.AddDate(1, 0, 0)
	}
	return end
}

// onNumber is the next day of that number in a month, base included.
func onNumber(base time.Time, number string) (time.Time, bool) {
	n, _ := strconv.Atoi(number) // digits, by the pattern
	for i := range 3 {
		d := time.Date(base.Year(), base.Month()+time.Month(i), n, 0, 0, 0, 0, time.UTC)
		if n > 0 && d.Day() == n && !d.Before(base) {
			return d, true
		}
	}
	return time.Time{}, false
}
