package question

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// named reads periods that have a name: "Q4 2025", "the second quarter", "week 9", "Christmas". Without a year it is the last such one that
// has begun.
func (c *calendar) named(at int) (p period, n int) {
	if at >= len(c.words) || c.words[at].quoted {
		return p, 0
	}
	for _, read := range []func(int) (period, int){c.rest, c.quarter, c.half, c.week, c.feast, c.dayOf} {
		if p, n = read(at); n > 0 {
			return p, n
		}
	}
	return p, 0
}

// rest reads "the rest of the week": from today to the last day of it.
func (c *calendar) rest(at int) (p period, n int) {
	if !marked(c.in, "rest", c.text(at)) {
		return p, 0
	}
	for n = 1; n <= 3; n++ {
		s, k := c.sense(at + n)
		if s.sort == "unit" && n > 1 {
			return period{from: c.today(), to: move(first(c.today(), s.value), s.value, 1), rest: true}, n + k
		}
		if k != 1 && s.sort != "prep" || s.sort != "prep" && s.sort != "stop" && s.sort != "rel" {
			return p, 0
		}
		n += max(k-1, 0)
	}
	return p, 0
}

// text is the word at a place, "" where there is none.
func (c *calendar) text(at int) string {
	if at < 0 || at >= len(c.words) {
		return ""
	}
	return c.words[at].text
}

// nth is the number that "second", "2nd" or the German "2." is, from 1 to 4; 0 where the word is none of these.
func (c *calendar) nth(at int) int {
	w := c.text(at)
	for i, said := range []bool{marked(c.in, "nth-one", w), marked(c.in, "nth-two", w), marked(c.in, "nth-three", w), marked(c.in, "nth-four", w)} {
		i, digit := i+1, strconv.Itoa(i+1)
		if said || w == digit+"st" || w == digit+"nd" || w == digit+"rd" || w == digit+"th" {
			return i
		}
		if w == digit && c.in[0].name == "de" && !strings.HasSuffix(c.text(at+1), "e") { // "2. Quartal", and not "2 Quartale"
			return i
		}
	}
	return 0
}

// yearAt reads the year of a period: "2025", "of 2025", "of last year".
func (c *calendar) yearAt(at int) (year, n int) {
	if s, k := c.sense(at); k == 1 && (s.sort == "prep" && s.value == "in" || s.sort == "prep" && s.value == "from" || s.sort == "stop") {
		if year, n = c.yearAt(at + 1); n > 0 && s.sort == "prep" {
			return year, n + 1
		}
		return 0, 0
	}
	if w := c.text(at); len(w) == 4 {
		if p, ok := c.written(w); ok {
			return p.from.Year(), 1
		}
	}
	s, k := c.sense(at)
	if unit, o := c.sense(at + k); s.sort == "rel" && unit.sort == "unit" && unit.value == "year" {
		return c.today().Year() + map[string]int{"last": -1, "next": 1}[s.value], k + o
	}
	return 0, 0
}

// months is a part of a year that begins with a month.
func (c *calendar) months(at, n int, month time.Month, length int) (period, int) {
	year, k := c.yearAt(at + n)
	yearless := k == 0
	if yearless {
		year = c.today().Year()
	}
	from := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	if yearless && from.After(c.today()) {
		from = from.AddDate(-1, 0, 0)
	}
	return period{from: from, to: from.AddDate(0, length, 0), yearless: yearless}, n + k
}

// quarter reads "Q4", "Q4 2025", "2025-Q4", "the fourth quarter of last year".
func (c *calendar) quarter(at int) (p period, n int) {
	w := c.text(at)
	if year, q, ok := strings.Cut(w, "q"); ok && len(year) >= 4 && len(q) == 1 && q[0] >= '1' && q[0] <= '4' {
		if y, ok := c.written(strings.TrimSuffix(year, "-")); ok {
			from := time.Date(y.from.Year(), time.Month(int(q[0]-'1')*3+1), 1, 0, 0, 0, 0, time.UTC)
			return period{from: from, to: from.AddDate(0, 3, 0)}, 1
		}
	}
	which := 0
	switch s, k := c.sense(at + 1); {
	case len(w) == 2 && w[0] == 'q' && w[1] >= '1' && w[1] <= '4':
		which, n = int(w[1]-'0'), 1
	case s.sort == "unit" && s.value == "quarter" && k == 1:
		which, n = c.nth(at), 2
	}
	if which == 0 {
		return p, 0
	}
	return c.months(at, n, time.Month(which*3-2), 3)
}

// half reads "H1 2025" and "the first half of the year".
func (c *calendar) half(at int) (p period, n int) {
	w, which := c.text(at), 0
	switch {
	case w == "h1" || w == "h2":
		which, n = int(w[1]-'0'), 1
	case marked(c.in, "half", c.text(at+1)):
		which, n = c.nth(at), 2
	}
	if which != 1 && which != 2 {
		return p, 0
	}
	p, k := c.months(at, n, time.Month(which*6-5), 6)
	if p.yearless && !strings.HasPrefix(w, "h") && !marked(c.in, "half-year", c.text(at+1)) { // "the first half of the list"
		return period{}, 0
	}
	return p, k
}

// week reads "week 9", "KW 9", "cw9 2025": the weeks of ISO 8601.
func (c *calendar) week(at int) (p period, n int) {
	w, number := c.text(at), ""
	switch {
	case len(w) > 2 && marked(c.in, "calendar-week", w[:2]):
		number, n = w[2:], 1
	case marked(c.in, "calendar-week", w):
		number, n = c.text(at+1), 2
	}
	which, err := strconv.Atoi(number)
	if err != nil || which < 1 || which > 53 {
		return p, 0
	}
	year, k := c.yearAt(at + n)
	if k == 0 {
		if s, _ := c.sense(at + n); s.sort == "prep" && c.text(at+n) == "of" { // "week 2 of the sprint"
			return p, 0
		}
		if year = c.today().Year(); isoWeek(year, which).After(c.today()) {
			year--
		}
	}
	from := isoWeek(year, which)
	if y, _ := from.ISOWeek(); y != year { // there is no week 53
		return p, 0
	}
	return period{from: from, to: from.AddDate(0, 0, 7), yearless: k == 0, week: which}, n + k
}

// isoWeek is the Monday of a week of a year.
func isoWeek(year, week int) time.Time {
	return first(time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC), "week").AddDate(0, 0, 7*(week-1))
}

// feast reads "Christmas" and "New Year": a month, a day, and how many days it lasts, as the tables have them.
func (c *calendar) feast(at int) (p period, n int) {
	s, k := c.sense(at)
	day, length, ok := strings.Cut(s.value, "/")
	if s.sort != "feast" || !ok {
		return p, 0
	}
	from, err := time.Parse("01-02", day)
	days, err2 := strconv.Atoi(length)
	if err != nil || err2 != nil {
		return p, 0
	}
	p, n = c.months(at, k, from.Month(), 1)
	p.from = p.from.AddDate(0, 0, from.Day()-1)
	if p.yearless && p.from.After(c.today()) {
		p.from = p.from.AddDate(-1, 0, 0)
	}
	p.to = p.from.AddDate(0, 0, days)
	return p, n
}

// dayOf reads "23rd of February", and "on the 15th" and the German "am 15." as the last such day of a month, until today.
func (c *calendar) dayOf(at int) (p period, n int) {
	w := c.text(at)
	count, n := c.number(at)
	if n != 1 || count < 1 || count > 31 || w[0] < '0' || w[0] > '9' {
		return p, 0
	}
	ordinal := w[len(w)-1] > '9'
	if s, k := c.sense(at + 2); ordinal && s.sort == "month" && c.text(at+1) == "of" {
		p, o := c.month(at+2, k, s.value)
		if day := p.from.AddDate(0, 0, count-1); p.to.After(day) {
			return period{from: day, to: day.AddDate(0, 0, 1), yearless: p.yearless}, 2 + o
		}
	}
	before := at - 1
	for before > 0 && c.text(before) == "the" {
		before--
	}
	if before < 0 {
		return p, 0
	}
	s, _ := c.sense(before)
	if next, _ := c.sense(at + 1); slices.Contains([]string{"unit", "month", "kind", "type", "field", "number", "state"}, next.sort) ||
		!(ordinal && before < at-1 && (s.sort == "prep" || s.sort == "by" || s.sort == "verb")) && !(c.in[0].name == "de" && marked(c.in, "dotted", c.text(at-1))) {
		return p, 0
	}
	day := first(c.today(), "month")
	for range 3 { // the 31st may be in the month before the last
		if last := day.AddDate(0, 0, count-1); !last.After(c.today()) && last.Month() == day.Month() {
			return period{from: last, to: last.AddDate(0, 0, 1), monthly: true}, 1
		}
		day = day.AddDate(0, -1, 0)
	}
	return p, 0
}

// nextMonth is the period a month later, when it is over.
func (p period) nextMonth(today time.Time) period {
	last := p.to
	if last.IsZero() {
		last = p.from
	}
	if last.After(today) {
		return p
	}
	day := last.AddDate(0, 0, -1)
	if p.to.IsZero() {
		day = p.from
	}
	for month := first(day, "month").AddDate(0, 1, 0); ; month = month.AddDate(0, 1, 0) {
		later := month.AddDate(0, 0, day.Day()-1)
		if later.Month() != month.Month() || later.Before(today) { // no month but some has a 31st
			continue
		}
		if !p.from.IsZero() {
			p.from = p.from.Add(later.Sub(day))
		}
		if !p.to.IsZero() {
			p.to = p.to.Add(later.Sub(day))
		}
		return p
	}
}

// beginning is how many words at a place say "the beginning of": since it, or before it, is since the first day.
func (c *calendar) beginning(at int) (n int) {
	for s, k := c.sense(at); k == 1 && s.sort == "stop"; s, k = c.sense(at + n) {
		n++
	}
	for length := 2; length > 0; length-- {
		if at+n+length <= len(c.words) && marked(c.in, "begin-of", phrase(c.words[at+n:at+n+length])) {
			return n + length
		}
	}
	return 0
}
