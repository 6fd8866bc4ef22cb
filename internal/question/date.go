package question

import (
	"strconv"
	"strings"
	"time"

	"chela/internal/desk"
)

// A period is the days from From until before To. A zero end is open.
type period struct {
	from, to time.Time
	length   bool // a length of time, such as two weeks, that ends today
	rest     bool // what is left of a unit: "the rest of the week"
	bare     bool // a length of time that nothing ties to today: "two weeks", not "the last two weeks"
	yearless bool // the question names no year
	weekday  bool // a day of the week is named alone: the one before or the one after may be meant
	monthly  bool // a day of a month is named alone: "on the 15th"
	week     int  // the week of the calendar that is named by its number; 0 is none
}

// A calendar reads days and periods out of the words of a question.
type calendar struct {
	now   time.Time
	sense func(at int) (sense, int) // what the words at a place mean
	words []token
	in    []*lexicon
}

func (c *calendar) today() time.Time { return c.now.UTC().Truncate(24 * time.Hour) }

// read reads a period at a place, with the preposition before it. n is how many words it has, 0 for none.
func (c *calendar) read(at int) (p period, n int) {
	s, k := c.sense(at)
	if s.sort == "prep" {
		if s.value == "between" || s.value == "since" || s.value == "from" {
			if p, n := c.between(at, k); n > 0 {
				return p, n
			}
		}
		begins := 0
		if s.value == "since" || s.value == "before" || s.value == "from" {
			begins = c.beginning(at + k)
			k += begins
		}
		inner, m := c.inner(at + k)
		if m == 0 && (begins > 0 || c.words[at+k-1].text == "of" && (s.value == "end" || s.value == "until")) {
			inner, m = c.running(at + k)
		}
		if m == 0 {
			return period{}, 0
		}
		if s.value == "before" && c.ending(at+k) { // before the end of a month is in it
			return c.bounded("until", inner), k + m
		}
		return c.bounded(s.value, inner), k + m
	}
	if at < len(c.words) && c.words[at].text == "ende" {
		if inner, m := c.inner(at + k); m > 0 && s.sort == "verb" {
			return c.bounded("end", inner), k + m
		}
	}
	p, n = c.inner(at)
	if n == 0 {
		return p, 0
	}
	if s, k := c.sense(at + n); s.sort == "prep" && s.value == "ago" && p.length {
		return period{from: p.from, to: p.from.AddDate(0, 0, 1)}, n + k
	}
	return p, n
}

// bounded is what a preposition makes of a period.
func (c *calendar) bounded(prep string, p period) (out period) {
	defer func() {
		out.weekday, out.monthly, out.week, out.rest = p.weekday && prep != "since", p.monthly && prep != "since", p.week, p.rest
	}()
	if prep == "from" { // tickets from March are those in it, from Monday those since
		prep = "since"
		if p.to.Sub(p.from) > 8*24*time.Hour && !p.length {
			prep = "in"
		}
	}
	switch prep {
	case "since":
		return period{from: p.from, length: p.length, bare: p.bare} // since March: of this year or the last, and of none to come
	case "after":
		return period{from: p.to, yearless: p.yearless}
	case "before":
		return period{to: p.from, yearless: p.yearless}
	case "end":
		if p.bounded() {
			return period{from: p.to.AddDate(0, 0, -1), to: p.to, yearless: p.yearless}
		}
	case "until":
		return period{to: p.to, yearless: p.yearless}
	}
	return p
}

// between reads "between A and B", and "from A to B" or "from A until B".
func (c *calendar) between(at, k int) (p period, n int) {
	a, m := c.inner(at + k)
	if m == 0 {
		return p, 0
	}
	j := at + k + m
	if j >= len(c.words) || !marked(c.in, "between", c.words[j].text) {
		return p, 0
	}
	b, o := c.inner(j + 1)
	if o > 0 && a.yearless && !b.yearless && a.bounded() && b.bounded() { // from March to April 2022
		if a = a.in(b.from.Year()); a.from.After(b.from) {
			a = a.in(a.from.Year() - 1)
		}
	}
	yearless := a.yearless && b.yearless
	if o > 0 && b.from.Before(a.from) && a.yearless && b.yearless && a.bounded() && b.bounded() { // from 20 March to 5 April, asked in March
		a = a.in(a.from.Year() - 1)
	}
	if o == 0 || b.to.Before(a.from) {
		return p, 0
	}
	return period{from: a.from, to: b.to, yearless: yearless}, k + m + 1 + o
}

// inner reads a period without a preposition.
func (c *calendar) inner(at int) (p period, n int) {
	if at >= len(c.words) {
		return p, 0
	}
	if p, ok := c.written(c.words[at].text); ok {
		return p, 1
	}
	if p, ok := c.dotted(at); ok {
		return p, 1
	}
	if unit := map[string]string{"monatsbeginn": "month", "monatsanfang": "month", "quartalsbeginn": "quarter", "jahresbeginn": "year", "jahresanfang": "year"}[c.words[at].text]; unit != "" {
		from := first(c.today(), unit)
		return period{from: from, to: from.AddDate(0, 0, 1)}, 1
	}
	if p, n := c.named(at); n > 0 {
		return p, n
	}
	if unit := map[string]string{"monatsende": "month", "quartalsende": "quarter", "jahresende": "year"}[c.words[at].text]; unit != "" {
		to := move(first(c.today(), unit), unit, 1)
		return period{from: to.AddDate(0, 0, -1), to: to}, 1
	}
	s, k := c.sense(at)
	switch s.sort {
	case "stop":
		if count, m := c.number(at); m > 0 {
			return c.counted(at, m, count)
		}
		if p, n := c.inner(at + k); n > 0 && k == 1 {
			return p, n + k
		}
	case "day":
		d := c.today().AddDate(0, 0, map[string]int{"yesterday": -1, "tomorrow": 1}[s.value])
		return period{from: d, to: d.AddDate(0, 0, 1)}, k
	case "weekday":
		return c.weekday(s.value), k
	case "rel":
		return c.relative(at, k, s.value)
	case "prep":
		if s.value == "end" {
			return c.end(at, k)
		}
	case "month":
		return c.month(at, k, s.value)
	}
	if count, m := c.number(at); m > 0 {
		return c.counted(at, m, count)
	}
	return p, 0
}

// written reads 2026-03-09, 9.3.2026, 2026-03 and 2026.
func (c *calendar) written(w string) (period, bool) {
	if t, err := time.Parse(time.DateOnly, w); err == nil {
		return period{from: t, to: t.AddDate(0, 0, 1)}, sane(t)
	}
	if t, err := time.Parse("2.1.2006", w); err == nil {
		return period{from: t, to: t.AddDate(0, 0, 1)}, sane(t)
	}
	if t, err := time.Parse("2006-01", w); err == nil {
		return period{from: t, to: t.AddDate(0, 1, 0)}, sane(t)
	}
	if t, err := time.Parse("2006", w); err == nil && t.Year() >= 1950 && t.Year() < 2100 {
		return period{from: t, to: t.AddDate(1, 0, 0)}, true
	}
	return period{}, false
}

// dotted reads "am 13.3." as a day of this year, or of the last one where that has not come.
func (c *calendar) dotted(at int) (period, bool) {
	if at == 0 || !marked(c.in, "dotted", c.words[at-1].text) {
		return period{}, false
	}
	t, err := time.Parse("2.1", c.words[at].text)
	if err != nil {
		return period{}, false
	}
	year := c.now.UTC().Year()
	if t.Month() > c.now.UTC().Month() {
		year--
	}
	day := time.Date(year, t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	return period{from: day, to: day.AddDate(0, 0, 1), yearless: true}, day.Month() == t.Month()
}

// slashed joins the words of days with slashes.
func slashed(text string, words []token) (out []token) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w.text == "w" && !w.quoted && w.end < len(text) && text[w.end] == '/' {
			w.text = "with"
			if i+1 < len(words) && words[i+1].text == "o" && words[i+1].start == w.end+1 {
				w.text, w.raw, w.end = "without", text[w.start:words[i+1].end], words[i+1].end
				i++
			}
			out = append(out, w)
			continue
		}
		if i+2 < len(words) && text[w.end:words[i+1].start] == "/" && text[words[i+1].end:words[i+2].start] == "/" {
			end := words[i+2].end
			if day, ok := slashDay(text[w.start:end]); ok {
				w.text, w.raw, w.end = day, text[w.start:end], end
				i += 2
			}
		}
		out = append(out, w)
	}
	return out
}

// slashDay reads "12/25/2026", "25/12/2026" and "2026/12/25" as 2026-12-25. Of "3/4/2026" nothing tells whether it is in March
// or in April: it stays as it is.
func slashDay(text string) (day string, ok bool) {
	if t, err := time.Parse("2006/1/2", text); err == nil {
		return t.Format(time.DateOnly), true
	}
	american, notAmerican := time.Parse("1/2/2006", text)
	european, notEuropean := time.Parse("2/1/2006", text)
	switch {
	case notAmerican != nil && notEuropean != nil:
		return "", false
	case notAmerican != nil:
		return european.Format(time.DateOnly), true
	case notEuropean != nil || american.Equal(european):
		return american.Format(time.DateOnly), true
	}
	return text, true
}

func sane(t time.Time) bool { return t.Year() > 1900 && t.Year() < 9000 }

// weekday is the last such day until today.
func (c *calendar) weekday(value string) period {
	n, _ := strconv.Atoi(value) // 1 to 7, as the tables have it
	back := (int(c.today().Weekday()) - n + 14) % 7
	d := c.today().AddDate(0, 0, -back)
	return period{from: d, to: d.AddDate(0, 0, 1), weekday: true}
}

// relative reads what follows last, next or this: a number of units, or one of the calendar.
func (c *calendar) relative(at, k int, rel string) (p period, n int) {
	count, m := c.number(at + k)
	s, o := c.sense(at + k + m)
	if m == 0 && s.sort == "weekday" {
		p := c.weekday(s.value)
		if rel == "last" && p.from.Equal(c.today()) { // today is no last Wednesday
			p.from, p.to = p.from.AddDate(0, 0, -7), p.to.AddDate(0, 0, -7)
		}
		if rel == "next" || rel == "this" && p.from.Before(first(c.today(), "week")) {
			p.from, p.to = p.from.AddDate(0, 0, 7), p.to.AddDate(0, 0, 7)
		}
		p.weekday = false
		return p, k + o
	}
	if m == 0 && s.sort == "month" {
		p, o := c.month(at+k, o, s.value)
		return p, k + o
	}
	if m > 0 && at+k+m < len(c.words) && marked(c.in, "hours", c.words[at+k+m].text) { // records tell days apart
		s, o, count = sense{"unit", "day"}, 1, (count+23)/24
	}
	if m == 0 && marked(c.in, "half", c.text(at+k)) { // the last half year
		if unit, o := c.sense(at + k + 1); unit.sort == "unit" && unit.value == "year" && rel == "last" {
			return period{from: move(c.today(), "month", -6), to: c.today().AddDate(0, 0, 1), length: true}, k + 1 + o
		}
	}
	if s.sort != "unit" {
		return p, 0
	}
	today := c.today()
	if m == 0 && s.value == "fortnight" { // the last fortnight: no calendar has it
		m, count, o = o, 1, 0
	}
	if m > 0 {
		if rel == "next" {
			return period{from: today, to: move(today, s.value, count).AddDate(0, 0, 1)}, k + m + o
		}
		return period{from: move(today, s.value, -count), to: today.AddDate(0, 0, 1), length: true}, k + m + o
	}
	if rel == "last" && c.in[0].name == "en" && strings.HasSuffix(c.words[at+k].text, "s") && o == 1 { // how many the last months are is not said
		return p, 0
	}
	if past := c.words[at].text == "past"; rel == "last" && (past || s.value == "week" && at > 1 && c.words[at-1].text == "the" && c.words[at-2].text == "in") {
		return period{from: move(today, s.value, -1), to: today.AddDate(0, 0, 1), length: true}, k + o // the past week, in the last week
	}
	begin := first(today, s.value)
	switch rel {
	case "last":
		begin = move(begin, s.value, -1)
	case "next":
		begin = move(begin, s.value, 1)
	}
	return period{from: begin, to: move(begin, s.value, 1)}, k + o
}

// counted reads a number with a unit, which is a length of time, or with a month, which is a day.
func (c *calendar) counted(at, m, count int) (p period, n int) {
	s, k := c.sense(at + m)
	switch {
	case s.sort == "unit" && count > 0 && count <= 1000:
		return period{from: move(c.today(), s.value, -count), to: c.today().AddDate(0, 0, 1), length: true, bare: true}, m + k
	case s.sort == "month" && count >= 1 && count <= 31:
		p, o := c.month(at+m, k, s.value)
		if day := p.from.AddDate(0, 0, count-1); day.Before(p.to) {
			return period{from: day, to: day.AddDate(0, 0, 1), yearless: p.yearless}, m + o
		}
	}
	return p, 0
}

// month reads a month, with its year or the day when they follow. Without a year it is the last such
// month that has begun.
func (c *calendar) month(at, k int, value string) (p period, n int) {
	m, _ := strconv.Atoi(value) // 1 to 12, as the tables have it
	year, yearless := c.now.UTC().Year(), true
	if time.Month(m) > c.now.UTC().Month() {
		year--
	}
	n = k
	day := 0
	for range 2 {
		if at+n >= len(c.words) {
			break
		}
		y, ok := c.written(c.words[at+n].text)
		if ok = ok && len(c.words[at+n].text) == 4; ok {
			year, yearless = y.from.Year(), false
			n++
		} else if d, o := c.number(at + n); day == 0 && o == 1 && d >= 1 && d <= 31 {
			if s, _ := c.sense(at + n + o); s.sort == "unit" || s.sort == "field" || s.sort == "kind" {
				break // May 3 tickets
			}
			day, n = d, n+o
		}
	}
	t := time.Date(year, time.Month(m), 1, 0, 0, 0, 0, time.UTC)
	if day > 0 {
		t = t.AddDate(0, 0, day-1)
		return period{from: t, to: t.AddDate(0, 0, 1), yearless: yearless}, n
	}
	return period{from: t, to: t.AddDate(0, 1, 0), yearless: yearless}, n
}

// number reads a number in digits or words.
func (c *calendar) number(at int) (value, n int) {
	if at >= len(c.words) {
		return 0, 0
	}
	w := c.words[at].text
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		if len(w) > len(suffix) && len(w) <= 4 && w[0] >= '0' && w[0] <= '9' && w[len(w)-2:] == suffix {
			w = w[:len(w)-2]
		}
	}
	if v, err := strconv.Atoi(w); err == nil && v >= 0 && len(w) <= 6 {
		return v, 1
	}
	if w == "a" || w == "an" || w == "einer" || w == "einem" {
		if s, _ := c.sense(at + 1); s.sort == "unit" {
			return 1, 1
		}
	}
	if s, k := c.sense(at); s.sort == "number" {
		v, err := strconv.Atoi(s.value)
		if err == nil {
			return v, k
		}
	}
	return 0, 0
}

// first is the first day of the unit that a day is in. Weeks begin on Monday.
func first(d time.Time, unit string) time.Time {
	switch unit {
	case "week":
		return d.AddDate(0, 0, -(int(d.Weekday())+6)%7)
	case "month":
		return time.Date(d.Year(), d.Month(), 1, 0, 0, 0, 0, time.UTC)
	case "quarter":
		return time.Date(d.Year(), (d.Month()-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC)
	case "year":
		return time.Date(d.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return d
}

// First is the first day of the period that a day is in.
func First(d time.Time, per string) time.Time { return first(d.UTC().Truncate(24*time.Hour), per) }

func move(d time.Time, unit string, n int) time.Time {
	switch unit {
	case "week":
		return d.AddDate(0, 0, 7*n)
	case "month":
		return d.AddDate(0, n, 0)
	case "quarter":
		return d.AddDate(0, 3*n, 0)
	case "year":
		return d.AddDate(n, 0, 0)
	case "fortnight":
		n *= 14
	}
	return d.AddDate(0, 0, n)
}

// ahead is the period a year later, when no year is named and it is over a month ago: what is due in April
// is due in the next one. What is due on Friday is due on the next one.
func (p period) ahead(today time.Time) period {
	if p.weekday {
		return p.nextWeek(today)
	}
	if p.monthly {
		return p.nextMonth(today)
	}
	last := p.to
	if last.IsZero() {
		last = p.from
	}
	if !p.yearless || last.AddDate(0, 1, 0).After(today) {
		return p
	}
	later := func(d time.Time) time.Time { return d.AddDate(1, 0, 0) }
	if p.week > 0 {
		year, _ := last.AddDate(0, 0, -1).ISOWeek()
		later = func(d time.Time) time.Time { return d.Add(isoWeek(year+1, p.week).Sub(isoWeek(year, p.week))) }
	}
	if !p.from.IsZero() {
		p.from = later(p.from)
	}
	if !p.to.IsZero() {
		p.to = later(p.to)
	}
	return p
}

// filter is the condition that a field of days lies in the period.
func (p period) filter(field string) string {
	switch {
	case p.from.IsZero():
		return field + ":<" + day(p.to)
	case p.to.IsZero():
		return field + ":>=" + day(p.from)
	case p.to.Equal(p.from.AddDate(0, 0, 1)):
		return field + ":" + day(p.from)
	case p.from.Day() == 1 && p.to.Equal(p.from.AddDate(0, 1, 0)):
		return field + ":" + p.from.Format("2006-01")
	}
	return field + ":>=" + day(p.from) + " " + field + ":<" + day(p.to)
}

func day(t time.Time) string { return string(desk.DateOf(t)) }
