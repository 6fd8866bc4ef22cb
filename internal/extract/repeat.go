package extract

import (
	"strconv"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/fault"
	"chela/internal/pattern"
)

// A Repeat is how often a reminder comes, as a text says it. Zero fields say nothing.
type Repeat struct {
	Days     int          // after so many days: 1 or 7
	Weekday  time.Weekday // of one that comes after 7
	Weekdays bool         // from Monday to Friday
	MonthDay int          // of each month; 31 is the last
}

var (
	repeatDaily    = pattern.New(`(?i)^(?:daily|(?:every|each)\s+(?:single\s+)?day|täglich|jeden\s+tag)$`)
	repeatWeekdays = pattern.New(`(?i)^(?:(?:every|each)\s+(?:weekday|working\s+day|work\s?day)|(?:on\s+)?(?:all\s+)?weekdays)$`)
	repeatWeekly   = pattern.New(`(?i)^(?:(?:(?:every|each)\s+(?:week\s+(?:on\s+)?)?|weekly\s+(?:on\s+)?|jeden\s+)(mon|tues|wednes|thurs|fri|satur|sun|mon|diens|mitt|donners|frei|sams|sonn)(?:day|tag|woch)|(?:on\s+)?(mon|tues|wednes|thurs|fri|satur|sun)days|(mon|diens|mitt|donners|frei|sams|sonn)(?:tag|woch)s)$`)
	repeatMonthly  = pattern.New(`(?i)^(?:(?:(?:every|each)\s+month|monthly)\s+on\s+the\s+(\d{1,2})(?:st|nd|rd|th)|(?:on\s+)?the\s+(\d{1,2})(?:st|nd|rd|th)(?:\s+day)?\s+of\s+(?:every|each)\s+month|jeden\s+monat\s+am\s+(\d{1,2})\.?|am\s+(\d{1,2})\.\s+(?:jedes|jeden)\s+monats)$`)
	repeatLast     = pattern.New(`(?i)^(?:(?:(?:every|each)\s+month|monthly)\s+on\s+the\s+last(?:\s+day)?|(?:on\s+)?the\s+last\s+day\s+of\s+(?:every|each)\s+month)$`)

	// repeatOpen is what a text ends with whose next word says how often: a day that is cut off behind it is not one day.
	repeatOpen  = pattern.New(`(?i)\b(?:every|each|every\s+other|every\s+second|every\s+\w+\s+weeks?(?:\s+on)?|jeden?|jeden\s+zweiten|alle\s+\w+\s+wochen(?:\s+am)?|monthly(?:\s+on)?|weekly(?:\s+on)?|(?:every|each)\s+(?:month|week)\s+on)\s*(?:the)?$`)
	repeatJoins = pattern.New(`(?i)^(?:to|that|about|of|daran,?|an)$`)
)

// repeatDays are the days of a week by how their names begin.
var repeatDays = map[string]time.Weekday{
	"mon": time.Monday, "tues": time.Tuesday, "diens": time.Tuesday, "wednes": time.Wednesday, "mitt": time.Wednesday, "thurs": time.Thursday, "donners": time.Thursday,
	"fri": time.Friday, "frei": time.Friday, "satur": time.Saturday, "sams": time.Saturday, "sun": time.Sunday, "sonn": time.Sunday,
}

// ReadRepeat reads how often something comes: "every Friday at 9", "daily", "each month on the 1st", "every weekday at 8:30". minute is the time of the
// clock, -1 for none.
func ReadRepeat(text string) (r Repeat, minute int, ok bool) {
	if len(text) > longestStated {
		return r, -1, false
	}
	return repeatSaid(text)
}

// repeatSaid reads how often, and a time, in either order, and nothing else.
func repeatSaid(text string) (r Repeat, minute int, ok bool) {
	rest, minute := cutTime(text)
	rest = strings.Join(strings.Fields(rest), " ")
	switch {
	case repeatDaily.MatchString(rest):
		return Repeat{Days: 1}, minute, true
	case repeatWeekdays.MatchString(rest):
		return Repeat{Weekdays: true}, minute, true
	case repeatLast.MatchString(rest):
		return Repeat{MonthDay: 31}, minute, true
	}
	if m := repeatWeekly.FindStringSubmatch(rest); m != nil {
		return Repeat{Days: 7, Weekday: repeatDays[strings.ToLower(firstWritten(m[1:]))]}, minute, true
	}
	if m := repeatMonthly.FindStringSubmatch(rest); m != nil {
		day := atoi(firstWritten(m[1:]))
		return Repeat{MonthDay: day}, minute, day >= 1 && day <= 31
	}
	return Repeat{}, -1, false
}

// firstWritten is the first that is not empty.
func firstWritten(all []string) string {
	for _, s := range all {
		if s != "" {
			return s
		}
	}
	return ""
}

// repeatHead cuts how often off the beginning of what somebody is reminded of: the longest that is followed by a word that joins, or a comma.
func repeatHead(text string) (when, rest string) {
	words := strings.Fields(text)
	for n := min(10, len(words)-1); n > 0; n-- {
		head, joined := strings.Join(words[:n], " "), repeatJoins.MatchString(words[n])
		if _, _, ok := repeatSaid(head); ok && (joined || strings.HasSuffix(head, ",") || strings.HasSuffix(head, ":")) {
			if joined {
				n++
			}
			return strings.Trim(head, ",:"), strings.Join(words[n:], " ")
		}
	}
	return "", text
}

// First is the first day on which it comes, from a day on.
func (r Repeat) First(from time.Time) time.Time {
	for ; ; from = from.AddDate(0, 0, 1) {
		last := time.Date(from.Year(), from.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
		switch weekday := from.Weekday(); {
		case r.Weekdays && (weekday == time.Saturday || weekday == time.Sunday), r.Days == 7 && weekday != r.Weekday, r.MonthDay > 0 && from.Day() != min(r.MonthDay, last):
		default:
			return from
		}
	}
}

// Recur has a reminder come as a text says how often, in a time zone, from its first time after now on: on a day, at 9 o'clock, when the text says no
// time.
func Recur(b *desk.ReminderBody, text, timezone string, now time.Time) error {
	r, minute, ok := ReadRepeat(text)
	if !ok {
		return fault.BadField("every", strconv.Quote(clippedTo(text, 80))+" is not read. Write such as daily at 9, every Friday at 16:00, every weekday, each month on the 1st.")
	}
	zone := time.UTC
	if timezone != "" {
		var err error
		if zone, err = desk.Zone(timezone); err != nil {
			return err
		}
	}
	here := now.In(zone)
	day := r.First(time.Date(here.Year(), here.Month(), here.Day(), 0, 0, 0, 0, time.UTC))
	if b.Type, b.TriggerAt = desk.ByTime, desk.DateOf(day); minute >= 0 {
		b.TriggerAt = desk.Date(time.Date(day.Year(), day.Month(), day.Day(), minute/60, minute%60, 0, 0, zone).UTC().Format(time.RFC3339))
	}
	b.Recur(r.Days, r.Weekdays, r.MonthDay, now, zone)
	return nil
}

// Repeats is how often a reminder is for; ok is false for one that comes once.
func (r Reminder) Repeats() (often Repeat, minute int, ok bool) { return repeatSaid(r.When) }
