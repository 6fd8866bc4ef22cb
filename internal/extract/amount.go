package extract

import (
	"math"
	"strconv"
	"strings"

	"chela/internal/pattern"
)

// How much somebody works is said in hours or days a week, as a share of full time, or in words.

// fullWeek is how many hours a week somebody works who works full time.
const fullWeek = 40

var (
	perWeek     = `(?:\s*(?:/|per|pro|a|an|je|p\.?)\s*(?:w|wk|week|woche)\.?|\s*weekly|\s*pw)?`
	hoursWeek   = pattern.New(`(?i)^(\d{1,3}(?:[.,]\d{1,2})?)\s*(?:h|hrs?\.?|hours?|std\.?|stunden?)` + perWeek + `$`)
	daysWeek    = pattern.New(`(?i)^(\d(?:[.,]\d{1,2})?)\s*(?:d|days?|tage?n?)\s*(?:/|per|pro|a|je)\s*(?:w|wk|week|woche)\.?$`)
	percentOf   = pattern.New(`^(\d{1,3}(?:[.,]\d{1,2})?)\s?%$`)
	fteOf       = pattern.New(`(?i)^(?:(\d(?:[.,]\d{1,2})?)\s*fte|fte\s*[:=]?\s*(\d(?:[.,]\d{1,2})?))$`)
	plainAmount = pattern.New(`^\d{1,3}(?:[.,]\d{1,4})?$`)
)

// wordAmounts are shares in words.
var wordAmounts = map[string]float64{
	"full": 1, "full time": 1, "full-time": 1, "fulltime": 1, "vollzeit": 1, "available": 1, "fully available": 1, "half": 0.5, "half time": 0.5, "half-time": 0.5, "halftime": 0.5,
	"none": 0, "unavailable": 0, "not available": 0, "nicht verfügbar": 0,
}

// amount is a number as people write it.
func amount(s string) float64 {
	f, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if err != nil {
		return math.NaN()
	}
	return f
}

// rounded is a share or a number of hours without what comes of computing it.
func rounded(f float64) float64 { return math.Round(f*10000) / 10000 }

// hoursIn reads hours a week.
func hoursIn(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if m := hoursWeek.FindStringSubmatch(s); m != nil {
		f := amount(m[1])
		return f, f <= 168
	}
	if m := daysWeek.FindStringSubmatch(s); m != nil {
		f := amount(m[1])
		return rounded(f * fullWeek / 5), f <= 7
	}
	if m := fteOf.FindStringSubmatch(s); m != nil {
		f := amount(m[1] + m[2])
		return rounded(f * fullWeek), f <= 2
	}
	return 0, false
}

// shareIn reads a share that says itself that it is one.
func shareIn(s string) (float64, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if m := percentOf.FindStringSubmatch(s); m != nil {
		f := amount(m[1])
		return rounded(f / 100), f <= 100
	}
	f, ok := wordAmounts[s]
	return f, ok
}
