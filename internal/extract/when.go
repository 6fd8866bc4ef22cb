package extract

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"chela/internal/pattern"
)

// A dayOrder is how a file writes days as three numbers.
type dayOrder int

const (
	dayFirst dayOrder = iota
	monthFirst
	yearFirst
)

// dates reads the cells of one column, in the order that the whole column speaks for.
type dates struct {
	order   dayOrder
	unclear bool // nothing in the file decides whether the day or the month is first
}

var (
	epoch      = pattern.New(`^\d{10}(?:\.\d+)?$|^\d{13}$`)
	serial     = pattern.New(`^[2-7]\d{4}(?:[.,]\d+)?$`)
	clock      = pattern.New(`(?i)(?:^|[\sT,])(?:(?:at|um|à|a las|o)\s+)?(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})(?:[.,]\d+)?)?\s*(am|pm|a\.m\.|p\.m\.)?\s*\(?(z|[+-]\d{2}:?\d{2}|(?:utc|gmt)(?:[+-]\d{1,2}(?::?\d{2})?)?|[a-z]{3,4})?\)?(?:\s+\([^()]{1,40}\))?$`)
	yearLeads  = pattern.New(`^(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})\s*日?$`)
	three      = pattern.New(`^(\d{1,2})\s*[-/.]\s*(\d{1,2})\s*[-/.]\s*(\d{4}|\d{2})$`)
	dayMonYear = pattern.New(`^(\d{1,2})(?:st|nd|rd|th|er|º|ª)?[-/.\s]+(?:de\s+)?([\p{L}]+|\d{1,2}月)\.?[-/,.\s]+(?:de\s+)?(\d{4}|\d{2})$`)
	monDayYear = pattern.New(`^([\p{L}]+)\.?[-/\s]+(\d{1,2})(?:st|nd|rd|th)?[-/,\s]+(\d{4})$`)
	dayName    = pattern.New(`^[\p{L}]+(?:\.?,|\.)?\s+`)
	zones      = map[string]int{"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "CET": 1, "CEST": 2, "MEZ": 1, "MESZ": 2, "BST": 1, "EET": 2, "EEST": 3, "JST": 9}
)

// monthStems begin the names of the twelve months in English, German, French, Spanish,
// Portuguese, Italian, Polish and Dutch; a longer stem is looked at first.
var monthStems = func() map[string]int {
	out := make(map[string]int)
	for i, stems := range []string{
		"jan, jän, ene, gen, sty, janv, januar, styczeń, stycznia, enero, gennaio, janeiro",
		"feb, fév, fev, fevr, févr, lut, febbr, luty, lutego",
		"mar, mär, maer, mrz, mrt, maa, mars, marzec, marca, marzo, maart, maart",
		"apr, avr, abr, kwi, kwiecień, kwietnia, avril, abril, aprile",
		"may, mai, mag, maj, mei, mayo, maio, maggio, maja",
		"jun, juin, giu, cze, czerwiec, czerwca, giugno, junho, junio",
		"jul, juil, lug, lip, lipiec, lipca, luglio, julho, julio",
		"aug, aoû, aou, ago, sie, sierpień, sierpnia, agosto, août, augustus",
		"sep, set, wrz, sept, wrzesień, września, settembre, setembro",
		"oct, okt, out, ott, paź, paz, październik, października, ottobre, outubro",
		"nov, lis, listopad, listopada, novembre",
		"dec, dez, déc, dic, dis, gru, grudzień, grudnia, décembre, dicembre, dezembro, dziembre",
	} {
		for _, s := range list(stems) {
			out[s] = i + 1
		}
	}
	return out
}()

// monthOf returns the month of a name, 0 for none.
func monthOf(word string) int {
	if n, ok := strings.CutSuffix(word, "月"); ok {
		month, _ := strconv.Atoi(n) // 0 is no month
		return month
	}
	r := []rune(strings.ToLower(word))
	if len(r) > 12 {
		return 0
	}
	for n := len(r); n >= 3; n-- {
		if m, ok := monthStems[string(r[:n])]; ok {
			return m
		}
	}
	return 0
}

// leading says which of a day's first two numbers leads, when only one of them can be the month.
func leading(first, second string) (order dayOrder, clear bool) {
	a, _ := strconv.Atoi(first) // digits, by the callers' patterns
	b, _ := strconv.Atoi(second)
	if a > 12 && b <= 12 {
		return dayFirst, true
	}
	return monthFirst, b > 12 && a <= 12
}

// datesOf decides how a column writes its dates: a first number over 12 is a day, a
// second one too; when its cells do not say, the file's other dates decide.
func datesOf(rows []Row, at, others []int) dates {
	for _, columns := range [][]int{at, others} {
		day, month, american, dotted := 0, 0, 0, 0
		for _, row := range rows {
			for _, i := range columns {
				if i >= len(row.Cells) {
					continue
				}
				d, half, _ := cutClock(strings.TrimSpace(row.Cells[i]))
				m := three.FindStringSubmatch(d)
				if m == nil {
					continue
				}
				switch order, clear := leading(m[1], m[2]); {
				case clear && order == dayFirst:
					day++
				case clear:
					month++
				case half:
					american++
				case strings.Contains(d, "."):
					dotted++
				}
			}
		}
		switch {
		case day > month:
			return dates{order: dayFirst}
		case month > day:
			return dates{order: monthFirst}
		case dotted > 0:
			return dates{order: dayFirst}
		case american > 0:
			return dates{order: monthFirst}
		}
	}
	return dates{order: dayFirst, unclear: !mostly(rows, at, func(v string) bool {
		d, _, _ := cutClock(v)
		m := three.FindStringSubmatch(d)
		return m == nil || m[1] == m[2]
	})}
}

// cutDate cuts a text into the words before a date and the date.
func cutDate(text string, d dates) (before string, at time.Time) {
	for i, c := range text {
		if i > maxBefore {
			break
		}
		if c != ' ' {
			continue
		}
		if at, ok := d.read(text[i:]); ok {
			return strings.TrimSpace(text[:i]), at
		}
	}
	return "", time.Time{}
}

// maxBefore is how many bytes may stand before a date.
const maxBefore = 100

// cutClock takes the time off a date; half says that it counts to twelve.
func cutClock(v string) (day string, half bool, m []string) {
	at := clock.FindStringSubmatchIndex(v)
	if at == nil || at[0] == 0 {
		return strings.TrimRight(v, " ,"), false, nil
	}
	m = clock.FindStringSubmatch(v)
	return strings.TrimRight(v[:at[0]], " ,"), m[4] != "", m
}

// read returns the instant that a cell says, in the zone that it says, else UTC.
func (d dates) read(v string) (time.Time, bool) {
	v = strings.TrimSpace(v)
	switch {
	case epoch.MatchString(v):
		n, _ := strconv.ParseFloat(v, 64) // digits, by the pattern
		if len(v) == 13 {
			return time.UnixMilli(int64(n)).UTC(), true
		}
		return time.Unix(int64(n), 0).UTC(), true
	case serial.MatchString(v): // a spreadsheet's days since 1899-12-30
		days, _ := strconv.ParseFloat(strings.Replace(v, ",", ".", 1), 64) // digits, by the pattern
		minutes := math.Round(days * 24 * 60)
		return time.Date(1899, 12, 30, 0, int(minutes), 0, 0, time.UTC), true
	}
	words, _, at := cutClock(v)
	y, m, day, ok := d.day(words)
	if !ok {
		words = dayName.ReplaceAllString(words, "")
		if y, m, day, ok = d.day(words); !ok {
			return time.Time{}, false
		}
	}
	if at == nil {
		return time.Date(y, time.Month(m), day, 0, 0, 0, 0, time.UTC), true
	}
	hour, minute, second, zone, ok := clockOf(at)
	return time.Date(y, time.Month(m), day, hour, minute, second, 0, zone), ok
}

func clockOf(m []string) (hour, minute, second int, zone *time.Location, ok bool) {
	hour, _ = strconv.Atoi(m[1]) // digits or empty, by the pattern
	minute, _ = strconv.Atoi(m[2])
	second, _ = strconv.Atoi(m[3])
	switch half := strings.ToLower(strings.ReplaceAll(m[4], ".", "")); {
	case half == "pm" && hour < 12:
		hour += 12
	case half == "am" && hour == 12:
		hour = 0
	}
	zone, ok = zoneOf(strings.ToUpper(m[5]))
	return hour, minute, second, zone, ok && hour < 25 && minute < 60 && second < 61
}

func zoneOf(name string) (*time.Location, bool) {
	rest := strings.TrimPrefix(strings.TrimPrefix(name, "UTC"), "GMT")
	if rest == "" || rest == "Z" {
		return time.UTC, true
	}
	if h, ok := zones[rest]; ok {
		return time.FixedZone(rest, h*3600), true
	}
	sign := map[byte]int{'+': 1, '-': -1}[rest[0]]
	digits := strings.ReplaceAll(rest[1:], ":", "")
	n, err := strconv.Atoi(digits)
	if sign == 0 || err != nil {
		return nil, false
	}
	if len(digits) <= 2 {
		n *= 100
	}
	return time.FixedZone(rest, sign*(n/100*3600+n%100*60)), true
}

// day reads a date without a time.
func (d dates) day(v string) (y, m, day int, ok bool) {
	var year, month, dd string
	switch {
	case yearLeads.MatchString(v):
		x := yearLeads.FindStringSubmatch(v)
		year, month, dd = x[1], x[2], x[3]
	case three.MatchString(v):
		x := three.FindStringSubmatch(v)
		switch d.order {
		case monthFirst:
			year, month, dd = x[3], x[1], x[2]
		case dayFirst, yearFirst:
			year, month, dd = x[3], x[2], x[1]
		}
	case dayMonYear.MatchString(v):
		x := dayMonYear.FindStringSubmatch(v)
		year, month, dd = x[3], strconv.Itoa(monthOf(x[2])), x[1]
	case monDayYear.MatchString(v):
		x := monDayYear.FindStringSubmatch(v)
		year, month, dd = x[3], strconv.Itoa(monthOf(x[1])), x[2]
	default:
		return 0, 0, 0, false
	}
	if len(year) == 2 {
		year = "20" + year
	}
	t, ok := date(year, month, dd)
	return t.Year(), int(t.Month()), t.Day(), ok && !strings.ContainsFunc(v, unicode.IsControl)
}
