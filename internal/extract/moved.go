package extract

import (
	"strings"
	"time"

	"chela/internal/pattern"
)

// A Moved is what a sentence says of a day that something has: "We move the beta launch to May 3", "Beta launch slips by one week". Only plain
// sentences count, of which nothing makes the day or the move unsure.
type Moved struct {
	Name string // of what is moved, as it is said
	To   string // a day, in its words
	By   int    // else so many days later
	Span Span

	order dayOrder
}

const (
	movedTo   = `(?:to|until|till)`
	movedWhat = `(?:the\s+|our\s+)?(.{2,80}?)`
	movedLate = `(?:slips?|slipped|is\s+slipping|has\s+slipped|(?:is|was|has\s+been|gets)\s+(?:postponed|delayed|pushed(?:\s+(?:back|out))?))`
)

var (
	movedHead = pattern.New(`(?i)^(?:(?:and|so|also|ok|okay|decision|decided|agreed|update)\s*[:,]?\s+)?`)
	// movedWe is what we move to a day; movedWeBy how much later it comes.
	movedWe   = pattern.New(`(?i)^we(?:\s+(?:now|have|are)|['’](?:ve|re))?\s+(?:move|moved|moving|push|pushed|pushing|postpone|postponed|postponing|shift|shifted|reschedule|rescheduled|delay|delayed)\s+(?:back\s+)?` + movedWhat + `(?:\s+(?:back|out|forward))?\s+` + movedTo + `\s+(.{2,40})$`)
	movedWeBy = pattern.New(`(?i)^we(?:\s+(?:now|have|are)|['’](?:ve|re))?\s+(?:postpone|postponed|postponing|delay|delayed|delaying|push(?:ed|ing)?\s+back)\s+` + movedWhat + `\s+by\s+(.{2,20})$`)
	// movedIs is what is moved to a day; movedSlips how much later it comes.
	movedIs    = pattern.New(`(?i)^` + movedWhat + `\s+(?:(?:now\s+)?moves|moved|(?:is|was|has\s+been)\s+(?:now\s+)?(?:moved|rescheduled|shifted)(?:\s+(?:back|out|forward))?|` + movedLate + `)\s+` + movedTo + `\s+(.{2,40})$`)
	movedSlips = pattern.New(`(?i)^` + movedWhat + `\s+` + movedLate + `\s+by\s+(.{2,20})$`)
	movedMuch  = pattern.New(`(?i)^(?:another\s+)?(\d{1,2}|an?|one|two|three|four|five|six)\s+(day|week)s?$`)
)

// movedCount are numbers that are written out.
var movedCount = map[string]int{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}

// MovedIn returns what the lines of a text say to be moved.
func MovedIn(text string) (out []Moved) {
	order := slashOrder(text)
	n, code := 0, false
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if code || len(line) > longestStated || strings.HasPrefix(line, "|") || strings.HasPrefix(line, ">") || len(out) >= mostStated {
			continue
		}
		for _, one := range sentences(clean(awayMark.ReplaceAllString(line, ""))) {
			if m, ok := movedOf(order, one); ok {
				m.Span, m.order = Span{Line: n, EndLine: n, Quote: line}, order
				out = append(out, m)
			}
		}
	}
	return out
}

// movedOf reads a sentence.
func movedOf(order dayOrder, one string) (m Moved, ok bool) {
	if strings.ContainsAny(one, "?~") {
		return m, false
	}
	one = strings.Trim(one, " .!")
	if who := speakerOf.FindStringSubmatch(one); who != nil {
		one = who[2]
	}
	one = one[len(movedHead.FindString(one)):]
	if x := firstMatch(one, movedWeBy, movedSlips); x != nil && sure(one, x[2]) {
		much := movedMuch.FindStringSubmatch(strings.TrimSpace(x[2]))
		if much == nil {
			return m, false
		}
		if m.By = movedCount[strings.ToLower(much[1])]; m.By == 0 {
			m.By = atoi(much[1])
		}
		if strings.EqualFold(much[2], "week") {
			m.By *= 7
		}
		m.Name = x[1]
		return m, m.By > 0
	}
	if x := firstMatch(one, movedWe, movedIs); x != nil && sure(one, x[2]) && looksDay(order, x[2]) {
		return Moved{Name: x[1], To: strings.TrimSpace(x[2])}, true
	}
	return m, false
}

// sure reports a sentence of which nothing before its last words makes them unsure. May is a month in those, and until leads to them.
func sure(one, last string) bool {
	before := strings.TrimSpace(strings.TrimSuffix(one, last))
	if at := strings.LastIndexByte(before, ' '); at > 0 {
		before = before[:at]
	}
	return !statedNo.MatchString(before)
}

// looksDay reports words that are a day and nothing else.
func looksDay(order dayOrder, text string) bool {
	for _, base := range []time.Time{time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)} { // a weekday is none on itself
		if day, rest, ok := (calendar{base, order}).single(strings.TrimSpace(text)); ok && !day.IsZero() && strings.Trim(rest, " .") == "" {
			return true
		}
	}
	return false
}

// Day is the day that it comes on, as its words mean on a day of notes; was is the day that it had, zero for none.
func (m Moved) Day(base, was time.Time) (day time.Time, ok bool) {
	if m.By > 0 {
		return was.AddDate(0, 0, m.By), !was.IsZero()
	}
	day, rest, ok := (calendar{base, m.order}).single(m.To)
	return day, ok && strings.Trim(rest, " .") == ""
}
