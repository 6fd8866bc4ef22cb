package recall

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/query"
)

// A Period is from From until before To, and how the text says it.
type Period struct {
	From, To time.Time
	Text     string
}

// overlaps reports whether two periods share an instant.
func (p Period) overlaps(q Period) bool { return p.From.Before(q.To) && q.From.Before(p.To) }

func (p Period) holds(t time.Time) bool { return !t.Before(p.From) && t.Before(p.To) }

var months = index("january february march april may june july august september october november december",
	"jan feb mar apr may jun jul aug sep oct nov dec", "januar februar märz april mai juni juli august september oktober november dezember")

var weekdays = index("sunday monday tuesday wednesday thursday friday saturday", "sonntag montag dienstag mittwoch donnerstag freitag samstag")

// seasons are the months that they begin with, in the north.
var seasons = map[string]time.Month{
	"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12, "frühling": 3, "frühjahr": 3, "sommer": 6, "herbst": 9,
}

var units = map[string]string{
	"day": "day", "days": "day", "week": "week", "weeks": "week", "month": "month", "months": "month", "year": "year", "years": "year", "weekend": "weekend", "weekends": "weekend", "quarter": "quarter",
	"tag": "day", "tage": "day", "tagen": "day", "woche": "week", "wochen": "week", "monat": "month", "monaten": "month", "monate": "month", "jahr": "year", "jahre": "year", "jahren": "year", "wochenende": "weekend", "quartal": "quarter",
}

// shifts are the words before a unit that say which one.
var shifts = map[string]int{
	"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1, "coming": 1, "following": 1,
	"letzte": -1, "letzten": -1, "letzter": -1, "letztes": -1, "vorige": -1, "vorigen": -1, "diese": 0, "diesen": 0, "dieses": 0, "dieser": 0, "nächste": 1, "nächsten": 1, "nächstes": 1, "kommende": 1, "kommenden": 1,
}

func index(lists ...string) map[string]int {
	out := make(map[string]int)
	for _, l := range lists {
		for i, w := range strings.Fields(l) {
			out[w] = i
		}
	}
	return out
}

// Periods returns the days and periods that a text names, seen from when it was said.
func Periods(text string, at time.Time) []Period {
	r := reader{text: text, words: query.Words(text), today: day(at)}
	var out []Period
	for i := 0; i < len(r.words); {
		p, n := r.read(i)
		if n == 0 {
			i++
			continue
		}
		p.Text = text[r.words[i].Start:r.words[i+n-1].End]
		out = append(out, p)
		i += n
	}
	return out
}

func day(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

type reader struct {
	text  string
	words []query.Word
	today time.Time
}

func (r reader) at(i int) string {
	if i < 0 || i >= len(r.words) {
		return ""
	}
	return r.words[i].Text
}

// number reads digits, also with st, nd, rd, th, and number words; -1 for none.
func (r reader) number(i int) int {
	w := r.at(i)
	if n, ok := numbers[w]; ok && w != "twice" {
		w = n
	}
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		if d := strings.TrimSuffix(w, suffix); d != w && len(d) <= 2 {
			w = d
		}
	}
	if n, err := strconv.Atoi(w); err == nil && len(w) <= 4 {
		return n
	}
	return -1
}

func (r reader) year(i int) int {
	if n := r.number(i); len(r.at(i)) == 4 && n >= 1950 && n < 2100 {
		return n
	}
	return 0
}

func days(from time.Time, n int) Period { return Period{From: from, To: from.AddDate(0, 0, n)} }

// read reads a period at a word; n is how many words it has, 0 for none.
func (r reader) read(i int) (p Period, n int) {
	w := r.at(i)
	if r.today.Year() > 1 {
		if p, n := r.relative(i, w); n > 0 {
			return p, n
		}
	}
	if p, n := r.written(i); n > 0 {
		return p, n
	}
	if m, ok := r.month(i); ok {
		return r.ofMonth(i, m)
	}
	if s, ok := seasons[w]; ok {
		if y := r.year(i + 1); y > 0 {
			return seasonOf(y, s), 2
		}
		before := r.at(i - 1)
		if before == "in" || before == "im" || before == "the" && r.at(i-2) == "in" {
			return r.season(s, 0), 1
		}
	}
	if y := r.year(i); y > 0 {
		from := time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC)
		return Period{From: from, To: from.AddDate(1, 0, 0)}, 1
	}
	return p, 0
}

// written reads 2026-03-09 and 2026-03.
func (r reader) written(i int) (p Period, n int) {
	if r.year(i) == 0 {
		return p, 0
	}
	for _, form := range []struct {
		layout string
		words  int
	}{{time.DateOnly, 3}, {"2006-01", 2}} {
		if i+form.words > len(r.words) {
			continue
		}
		t, err := time.Parse(form.layout, r.text[r.words[i].Start:r.words[i+form.words-1].End])
		if err == nil && form.words == 3 {
			return days(t, 1), 3
		}
		if err == nil {
			return Period{From: t, To: t.AddDate(0, 1, 0)}, 2
		}
	}
	return p, 0
}

// month reports which month a word names; May, March and short names need a capital letter, as they are words of
// other meanings, too.
func (r reader) month(i int) (time.Month, bool) {
	m, ok := months[r.at(i)]
	if !ok {
		return 0, false
	}
	if w := r.words[i]; r.text[w.Start] >= 'a' && r.text[w.Start] <= 'z' && (len(w.Text) <= 3 || w.Text == "march") {
		return 0, false
	}
	return time.Month(m + 1), true
}

// ofMonth reads a month with the day and the year beside it. Without a year it is the nearest such month that is not
// long ahead.
func (r reader) ofMonth(i int, m time.Month) (Period, int) {
	n, date := 1, 0
	if d := r.number(i + 1); d >= 1 && d <= 31 && len(r.at(i+1)) <= 4 && r.year(i+1) == 0 {
		date, n = d, 2
	} else if d := r.number(i - 1); d >= 1 && d <= 31 {
		date = d
	} else if d := r.number(i - 2); d >= 1 && d <= 31 && r.at(i-1) == "of" {
		date = d
	}
	year := r.year(i + n)
	if year > 0 {
		n++
	} else {
		year = r.today.Year()
		if t := time.Date(year, m, 1, 0, 0, 0, 0, time.UTC); t.After(r.today.AddDate(0, 2, 0)) {
			year--
		}
	}
	from := time.Date(year, m, max(1, date), 0, 0, 0, 0, time.UTC)
	if date > 0 {
		return days(from, 1), n
	}
	return Period{From: from, To: from.AddDate(0, 1, 0)}, n
}

func seasonOf(year int, first time.Month) Period {
	from := time.Date(year, first, 1, 0, 0, 0, 0, time.UTC)
	return Period{From: from, To: from.AddDate(0, 3, 0)}
}

// season is the one of the year, or for -1 the last that is over or was before.
func (r reader) season(first time.Month, shift int) Period {
	p := seasonOf(r.today.Year(), first)
	if p.From.After(r.today.AddDate(0, 3, 0)) && shift == 0 {
		return seasonOf(r.today.Year()-1, first)
	}
	if shift < 0 && p.To.After(r.today) {
		return seasonOf(r.today.Year()-1, first)
	}
	if shift > 0 && !p.From.After(r.today) {
		return seasonOf(r.today.Year()+1, first)
	}
	return p
}

// relative reads what is seen from today.
func (r reader) relative(i int, w string) (p Period, n int) {
	switch w {
	case "today", "tonight", "heute":
		return days(r.today, 1), 1
	case "yesterday", "gestern":
		return days(r.today.AddDate(0, 0, -1), 1), 1
	case "tomorrow":
		return days(r.today.AddDate(0, 0, 1), 1), 1
	case "this":
		if slices.Contains([]string{"morning", "afternoon", "evening"}, r.at(i+1)) {
			return days(r.today, 1), 2
		}
	case "last":
		if r.at(i+1) == "night" {
			return days(r.today.AddDate(0, 0, -1), 1), 2
		}
	}
	if p, n := r.ago(i, w); n > 0 {
		return p, n
	}
	if shift, ok := shifts[w]; ok {
		return r.shifted(i, shift)
	}
	if d, ok := weekdays[w]; ok {
		return r.weekday(d, -1), 1
	}
	return p, 0
}

// ago reads "3 weeks ago", "a few days ago", "vor zwei Wochen" and "in two weeks".
func (r reader) ago(i int, w string) (p Period, n int) {
	at, sign := i, -1
	german := w == "vor"
	if ahead := w == "in"; german || ahead {
		at++
		if ahead {
			sign = 1
		}
	}
	count, spread, used := r.number(at), 0, 1
	switch {
	case count > 0:
	case (r.at(at) == "a" || r.at(at) == "the") && (r.at(at+1) == "few" || r.at(at+1) == "couple"):
		count, spread, used = 3, 2, 2
		if r.at(at+2) == "of" {
			used++
		}
	case r.at(at) == "a" || r.at(at) == "an" || r.at(at) == "one" || r.at(at) == "einer" || r.at(at) == "einem":
		count = 1
	case r.at(at) == "few":
		count, spread = 3, 2
	default:
		return p, 0
	}
	unit, ok := units[r.at(at+used)]
	end := at + used + 1
	if !ok || count > 1000 || sign < 0 && !german && r.at(end) != "ago" {
		return p, 0
	}
	if sign < 0 && !german {
		end++
	}
	from := move(r.today, unit, sign*count)
	switch unit { // how exactly people say it
	case "week":
		p = Period{From: from.AddDate(0, 0, -3), To: from.AddDate(0, 0, 4)}
	case "month":
		p = Period{From: from.AddDate(0, 0, -15), To: from.AddDate(0, 0, 16)}
	case "year":
		p = Period{From: from.AddDate(0, -6, 0), To: from.AddDate(0, 6, 0)}
	default:
		p = days(from, 1)
	}
	if spread > 0 {
		p.From, p.To = move(p.From, unit, -spread), move(p.To, unit, spread)
	}
	return p, end - i
}

func move(d time.Time, unit string, n int) time.Time {
	switch unit {
	case "week", "weekend":
		return d.AddDate(0, 0, 7*n)
	case "month":
		return d.AddDate(0, n, 0)
	case "quarter":
		return d.AddDate(0, 3*n, 0)
	case "year":
		return d.AddDate(n, 0, 0)
	}
	return d.AddDate(0, 0, n)
}

// weekday is the last such day before today, or the next one after it.
func (r reader) weekday(d, direction int) Period {
	t := r.today
	for range 7 {
		if t = t.AddDate(0, 0, direction); int(t.Weekday()) == d {
			break
		}
	}
	return days(t, 1)
}

// shifted reads what follows last, this and next.
func (r reader) shifted(i, shift int) (p Period, n int) {
	w := r.at(i + 1)
	if d, ok := weekdays[w]; ok {
		return r.weekday(d, max(-1, min(1, 2*shift+1))), 2
	}
	if m, ok := months[w]; ok {
		p := Period{From: time.Date(r.today.Year(), time.Month(m+1), 1, 0, 0, 0, 0, time.UTC)}
		if shift < 0 && !p.From.Before(r.today.AddDate(0, 0, 1-r.today.Day())) {
			p.From = p.From.AddDate(-1, 0, 0)
		}
		p.To = p.From.AddDate(0, 1, 0)
		return p, 2
	}
	if s, ok := seasons[w]; ok {
		return r.season(s, shift), 2
	}
	if count := r.number(i + 1); count > 1 && count < 1000 && shift != 0 {
		if unit, ok := units[r.at(i+2)]; ok {
			a, b := r.today, move(r.today, unit, shift*count)
			if b.Before(a) {
				a, b = b, a
			}
			return Period{From: a, To: b.AddDate(0, 0, 1)}, 3
		}
	}
	unit, ok := units[w]
	if !ok {
		return p, 0
	}
	t := r.today
	switch unit {
	case "week":
		p = days(t.AddDate(0, 0, -(int(t.Weekday())+6)%7+7*shift), 7)
	case "weekend":
		p = days(t.AddDate(0, 0, -(int(t.Weekday())+6)%7+7*shift+5), 2)
	case "month":
		from := time.Date(t.Year(), t.Month()+time.Month(shift), 1, 0, 0, 0, 0, time.UTC)
		p = Period{From: from, To: from.AddDate(0, 1, 0)}
	case "quarter":
		from := time.Date(t.Year(), (t.Month()-1)/3*3+1+time.Month(3*shift), 1, 0, 0, 0, 0, time.UTC)
		p = Period{From: from, To: from.AddDate(0, 3, 0)}
	case "year":
		from := time.Date(t.Year()+shift, 1, 1, 0, 0, 0, 0, time.UTC)
		p = Period{From: from, To: from.AddDate(1, 0, 0)}
	default:
		p = days(t.AddDate(0, 0, shift), 1)
	}
	return p, 2
}
