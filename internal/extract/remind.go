package extract

import (
	"strconv"
	"strings"
	"time"

	"chela/internal/pattern"
)

// A Reminder is what a text asks to be told of: "Remind me Thursday at 10 to call the bank", "Reminder for Ann: renew it on 2026-12-04".
type Reminder struct {
	Who     string    // whom: a name, or empty for who wrote it
	Speaker string    // whose words these are, empty where that is not said
	Text    string    // of what
	When    string    // in its words
	On      time.Time // the day of the meeting or message, zero where none is known
	Topic   int
	Span    Span

	order dayOrder
}

const remindWho = `\p{Lu}[\pL'’-]+(?:\s+\p{Lu}[\pL'’-]+){0,2}`

var (
	// remindMe is behind whom: what, and when before or behind it. remindFor says whom before a colon.
	remindMe  = pattern.New(`^(?i:(?:please|pls|bitte)\s+)?(?i:remind)\s+((?i:me|us|everyone)|` + remindWho + `)\s+(.+)$`)
	remindHim = pattern.New(`^(?i:(?:bitte\s+)?erinner[e]?)\s+((?i:mich|uns)|` + remindWho + `)\s+(?i:bitte\s+)?(.+)$`)
	remindFor = pattern.New(`^(?i:(?:set\s+|please\s+set\s+)?(?:a\s+)?(?:reminder|erinnerung))\s+(?i:for|für)\s+((?i:me|mich|us)|` + remindWho + `)\s*(?:[(,]?\s*((?:[^:()]|\b\d{1,2}:\d){2,40}?)\s*\)?\s*)?:\s+(.+)$`)
	remindSet = pattern.New(`^(?i:(?:please\s+)?set\s+(?:up\s+)?(?:a\s+)?reminder)(?i:\s+for\s+(me|us|(?-i:` + remindWho + `)))?\s+(?i:(?:for|on)\s+)(.+)$`)

	remindThat = pattern.New(`(?i)^(.{2,60}?)\s*(?:,\s*)?(?:\s(?:to|that|about|of|daran,?|an)\s|:\s)(.+)$`)
	remindTo   = pattern.New(`(?i)^(?:to|that|about|of|daran,?|an)\s+(.+)$`)
	remindNot  = pattern.New(`(?i)\?|~~|\b(?:didn['’]t|did not|don['’]t|do not|nobody|never|if|unless|whether|maybe|perhaps|asked to|could|would|should|forgot|wenn|falls|ob|vielleicht|nicht nötig)\b`)

	clockSays = pattern.New(`(?i)(?:^|\s|,)(?:(at|um|@|gegen)\s*)?(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm|a\.m\.|p\.m\.|uhr|o['’]clock)?$`)
	clockHead = pattern.New(`(?i)^(?:(at|um|@|gegen)\s*)(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm|a\.m\.|p\.m\.|uhr|o['’]clock)?(?:\s+|,\s*)(.+)$`)
	noonSays  = pattern.New(`(?i)(?:^|\s)(?:at\s+)?(?:noon|midday)$`)
	inSoMany  = pattern.New(`(?i)^in\s+(\d{1,2}|one|two|three|four|a|einem|einer|zwei|drei)\s+(days?|weeks?|tage?n?|wochen?)$`)
	onDay     = pattern.New(`(?i)^(?:on|by|am|this|diesen|bis|before)\s+`)

	speakerOf = pattern.New(`^(?:\[[^\]]{1,30}\]\s*)?(?:\d{1,2}:\d{2}(?::\d{2})?\s+)?(?:[-*•]\s+)?(` + remindWho + `)\s*:\s+(.+)$`)
)

// At is when a reminder is for, as its words mean on a day: a day, and the time of the clock, -1 for none, in minutes.
func (r Reminder) At(base time.Time) (day time.Time, minute int, ok bool) {
	return whenSaid(calendar{base, r.order}, r.When)
}

// whenSaid reads a day and a time, in either order, and nothing else.
func whenSaid(c calendar, text string) (day time.Time, minute int, ok bool) {
	text, minute = cutTime(text)
	if text == "" && minute >= 0 && !c.base.IsZero() {
		return c.base, minute, true
	}
	if m := inSoMany.FindStringSubmatch(text); m != nil && !c.base.IsZero() {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			n = map[string]int{"two": 2, "zwei": 2, "three": 3, "drei": 3, "four": 4}[strings.ToLower(m[1])]
		}
		if n = max(n, 1); strings.HasPrefix(strings.ToLower(m[2]), "w") {
			n *= 7
		}
		return c.base.AddDate(0, 0, n), minute, true
	}
	day, rest, ok := c.single(text)
	return day, minute, ok && strings.Trim(rest, " ,.") == ""
}

// cutTime cuts a time of the clock off a text, -1 for none, and what is before a day.
func cutTime(text string) (rest string, minute int) {
	text = strings.Trim(strings.TrimSpace(text), ",.() ")
	minute = -1
	if m := clockHead.FindStringSubmatch(text); m != nil {
		if at, is := minuteOf(m[2], m[3], m[4]); is {
			minute, text = at, m[5]
		}
	} else if at := noonSays.FindStringSubmatchIndex(text); at != nil {
		minute, text = 12*60, text[:at[0]]
	} else if at := clockSays.FindStringSubmatchIndex(text); at != nil {
		m := clockSays.FindStringSubmatch(text)
		if is, fine := minuteOf(m[2], m[3], m[4]); fine && (m[1] != "" || m[3] != "" && !strings.Contains(m[0], ".") || m[4] != "") {
			minute, text = is, text[:at[0]]
		}
	}
	return onDay.ReplaceAllString(strings.Trim(text, ", "), ""), minute
}

// minuteOf is the minute of a day of a time. Without more, 1 to 6 is in the afternoon.
func minuteOf(hour, minute, half string) (int, bool) {
	h, m := atoi(hour), 0
	if minute != "" {
		m = atoi(minute)
	}
	switch half = strings.ToLower(strings.ReplaceAll(half, ".", "")); {
	case half == "pm" && h < 12, half == "" && minute == "" && h >= 1 && h <= 6:
		h += 12
	case half == "am" && h == 12:
		h = 0
	}
	return h*60 + m, h < 24 && m < 60
}

// looksWhen reports words that are a day or a time on any day.
func looksWhen(order dayOrder, text string) bool {
	if _, _, ok := repeatSaid(text); ok {
		return true
	}
	for _, base := range []time.Time{time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)} { // a weekday is none on itself
		if _, _, ok := whenSaid(calendar{base, order}, text); ok {
			return true
		}
	}
	return false
}

// cutWhen cuts a day or a time off the end of what somebody is reminded of.
func cutWhen(order dayOrder, text string) (what, when string, ok bool) {
	words := strings.Fields(strings.TrimRight(text, ". "))
	for n := min(8, len(words)-1); n > 0; n-- {
		when = strings.Join(words[len(words)-n:], " ")
		if looksWhen(order, when) {
			return strings.Join(words[:len(words)-n], " "), when, true
		}
	}
	return text, "", false
}

// remindIn reads one line that asks for a reminder.
func remindIn(order dayOrder, text string) (r Reminder, ok bool) {
	if len(text) > longestStated || remindNot.MatchString(text) {
		return r, false
	}
	who, rest, when := "", "", ""
	if m := remindFor.FindStringSubmatch(text); m != nil {
		who, rest, when = m[1], m[3], m[2]
		if when != "" && !looksWhen(order, when) {
			return r, false
		}
	} else if m := remindSet.FindStringSubmatch(text); m != nil {
		who, rest = m[1], m[2]
	} else if m := firstMatch(text, remindMe, remindHim); m != nil {
		who, rest = m[1], m[2]
	} else {
		return r, false
	}
	if when == "" {
		when, rest = repeatHead(rest)
	}
	if when == "" {
		if m := remindThat.FindStringSubmatch(rest); m != nil && looksWhen(order, m[1]) {
			when, rest = m[1], m[2]
		} else if what, said, is := cutWhen(order, rest); is && !repeatOpen.MatchString(what) {
			when, rest = said, what
		}
	}
	if m := remindTo.FindStringSubmatch(rest); m != nil {
		rest = m[1]
	}
	if r.When, r.Text = when, strings.Trim(rest, " .,:"); when == "" || len(strings.Fields(r.Text)) == 0 {
		return r, false
	}
	switch strings.ToLower(who) {
	case "", "me", "us", "everyone", "mich", "uns":
	default:
		if r.Who = who; !isPerson(who) {
			return r, false
		}
	}
	return r, true
}

// reminders are those that the lines ask for.
func (s *scanner) reminders() (out []Reminder) {
	at := make(map[int]*heard)
	for i := range s.heard {
		if h := &s.heard[i]; at[h.span.Line] == nil {
			at[h.span.Line] = h
		}
	}
	for i, line := range s.lines {
		low := strings.ToLower(line)
		if !strings.Contains(low, "remind") && !strings.Contains(low, "erinner") || len(out) >= mostStated {
			continue
		}
		text := clean(awayMark.ReplaceAllString(line, ""))
		speaker := ""
		r, ok := remindIn(s.order, text)
		if !ok {
			m := speakerOf.FindStringSubmatch(text)
			if m == nil || !isPerson(m[1]) {
				continue
			}
			speaker = m[1]
			if r, ok = remindIn(s.order, m[2]); !ok {
				continue
			}
		}
		r.On, r.Topic, r.Span, r.order, r.Speaker = s.out.Date, -1, Span{Line: i + 1, EndLine: i + 1, Quote: strings.TrimSpace(line)}, s.order, speaker
		if h := at[i+1]; h != nil {
			if r.Topic = h.topic; !h.sent.IsZero() {
				r.On = h.sent
			}
			if r.Speaker == "" && isPerson(h.who) {
				r.Speaker = h.who
			}
		}
		out = append(out, r)
	}
	return out
}
