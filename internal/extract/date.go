package extract

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	isoDate   = regexp.MustCompile(`\b(\d{4})[-/](\d{1,2})[-/](\d{1,2})\b`)
	slashDate = regexp.MustCompile(`\b(\d{1,2})/(\d{1,2})/(\d{4})\b`)
	monthDate = regexp.MustCompile(`(?i)\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?\b`)
	dayMonth  = regexp.MustCompile(`(?i)\b(\d{1,2})(?:st|nd|rd|th)?\s+(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:,?\s+(\d{4}))?\b`)
	dueWords  = regexp.MustCompile(`(?i)\b(?:by|before|due|until|eod|on)\b:?\s*(?:eod|end of day|cob)?\s*(.{2,40})`)
	weekday   = regexp.MustCompile(`(?i)^(next\s+)?(mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|satur|sat|sun)(?:day)?\b`)
	inCount   = regexp.MustCompile(`(?i)\bin\s+(a|an|one|two|three|four|\d{1,2})\s+(day|week|month)s?\b`)
	monthsOf  = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
	daysOf    = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
)

// FindDate finds the first absolute date in a text. A date without a year is taken to
// be in the year from two months before base on; without base it is none.
func FindDate(text string, base time.Time) (time.Time, bool) {
	if m := isoDate.FindStringSubmatch(text); m != nil {
		return date(m[1], m[2], m[3])
	}
	if m := slashDate.FindStringSubmatch(text); m != nil { // month first, unless that cannot be
		if d, ok := date(m[3], m[1], m[2]); ok {
			return d, true
		}
		return date(m[3], m[2], m[1])
	}
	var month, day, year string
	if m := monthDate.FindStringSubmatch(text); m != nil {
		month, day, year = m[1], m[2], m[3]
	} else if m := dayMonth.FindStringSubmatch(text); m != nil {
		month, day, year = m[2], m[1], m[3]
	} else {
		return time.Time{}, false
	}
	number := strconv.Itoa(index(monthsOf, month) + 1)
	if year != "" {
		return date(year, number, day)
	}
	if base.IsZero() {
		return time.Time{}, false
	}
	d, ok := date(strconv.Itoa(base.Year()), number, day)
	if ok && d.Before(base.AddDate(0, -2, 0)) {
		return date(strconv.Itoa(base.Year()+1), number, day)
	}
	return d, ok
}

func index(list []string, word string) int {
	word = strings.ToLower(word)[:3]
	for i, w := range list {
		if w == word {
			return i
		}
	}
	return 0
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
	if m := dueWords.FindStringSubmatch(text); m != nil {
		if d, ok := FindDate(m[1], base); ok {
			return d, true
		}
		if d, ok := relative(m[1], base); ok {
			return d, true
		}
	}
	if base.IsZero() {
		return time.Time{}, false
	}
	low := strings.ToLower(text)
	if m := inCount.FindStringSubmatch(low); m != nil {
		n := map[string]int{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4}[m[1]]
		if n == 0 {
			n, _ = strconv.Atoi(m[1]) // digits, by the pattern
		}
		switch m[2] {
		case "day":
			return base.AddDate(0, 0, n), true
		case "week":
			return base.AddDate(0, 0, 7*n), true
		}
		return base.AddDate(0, n, 0), true
	}
	for words, days := range map[string]int{"tomorrow": 1, "next week": 7, "this week": untilFriday(base), "end of week": untilFriday(base), "eow": untilFriday(base)} {
		if i := strings.Index(low, words); i >= 0 && (words != "eow" || strings.HasSuffix(low, "eow")) {
			return base.AddDate(0, 0, days), true
		}
	}
	return time.Time{}, false
}

func untilFriday(base time.Time) int { return (int(time.Friday) - int(base.Weekday()) + 7) % 7 }

func relative(text string, base time.Time) (time.Time, bool) {
	if base.IsZero() {
		return time.Time{}, false
	}
	m := weekday.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return time.Time{}, false
	}
	days := (index(daysOf, m[2]) - int(base.Weekday()) + 7) % 7
	if days == 0 || m[1] != "" && days < 3 {
		days += 7
	}
	return base.AddDate(0, 0, days), true
}
