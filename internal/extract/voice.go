package extract

import (
	"strings"
	"time"
	"unicode"

	"chela/internal/pattern"
)

// A pasted chat says above each message, in one line or in several, whose it is and when it was sent.

const (
	// sentDay is the day of a message, and moment when it was sent.
	sentDay = `(?i:today|yesterday|heute|gestern|(?:` + weekdays + `)\.?|\d{1,4}[./-]\d{1,2}[./-]\d{2,4}|(?:(?:` + weekdays + `)\.?,?\s+)?(?:\d{1,2}\.?\s+(?:` + months + `)\.?(?:,?\s+\d{4})?|(?:` + months + `)\.?\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s+\d{4})?))`
	hour    = `\d{1,2}:\d{2}(?::\d{2})?(?:\s*[AaPp]\.?[Mm]\b\.?)?`
	moment  = `(?:` + sentDay + `,?\s+(?i:(?:at|um)\s+)?)?` + hour
)

var (
	// voiceLine stands above what somebody says in Slack, Teams, Discord and Telegram.
	voiceLine = pattern.New(`^(` + namePart + `(?:\s\p{Lu}\.?)?|[\w][\w.-]{1,29})(?:\s+[—–-]\s+|,?\s{1,4})[\[(]?` + moment + `[\])]?(?i:,? \(?edited\)?)?:?$`)
	// timedVoice stands above what somebody says, and namedVoice names one whom a machine has numbered.
	timedVoice = pattern.New(`^(?:\[` + moment + `\]|\(` + moment + `\)|` + hour + `)\s*[-–—|]?\s*(` + namePart + `)(?:\s+\([\pL /-]{2,20}\))?:?$`)
	namedVoice = pattern.New(`^(?i:spk|speaker|sprecher|voice)[_ ]?\w{1,2}\s+\((\p{Lu}[\pL .'’-]{1,40})\)$`)
	// zoomVoice stands above a message of Zoom's chat.
	zoomVoice = pattern.New(`^(?:\d{4}-\d{2}-\d{2}\s+)?\d{1,2}:\d{2}(?::\d{2})?\s+From\s+(.{2,60}?)\s+to\s+[^:]{2,60}:$`)

	// commentHead stands above a comment in a tracker.
	commentHead = pattern.New(`^(?:(?i:comment (?:by|from)|commented by)\s+)(` + namePart + `|[\w][\w.-]{1,29})(?:\s*[,–—-]\s.{3,40}|\s+(?:on|at)\s.{3,40})?:?$|^(` + namePart + `|[a-z][\w.-]{1,29})\s+(?:added a comment|commented)(?:(?:\s*[,:–—-]|\s+on|\s+at)\s.{3,40}|\s+.{1,20}\sago)?:?$`)

	// whoseLine is a line of its own that names who wrote what follows, and momentLine one that says when.
	whoseLine  = pattern.New(`^(` + namePart + `(?:\s\p{Lu}\.?)?|[a-z_][\w.-]{1,29})(?:\s+\([\pL /-]{2,20}\))?(?:\s+(APP|BOT))?$`)
	momentLine = pattern.New(`^(?:(APP|BOT)\b\s*)?(?:[—–-]\s+)?[\[(]?(` + moment + `)[\])]?(?i:,? \(?edited\)?)?$`)
	// fullMoment says more than "9:03", as which Slack writes when a further message of somebody was sent.
	fullMoment = pattern.New(`(?i)[ap]\.?m\.?$|^.{6,}\s`)
	// dayTail is a day of the week behind a name of two words: "Tom Becker Thursday 9:05".
	dayTail    = pattern.New(`(?i)\s+(?:today|heute|yesterday|gestern|` + weekdays + `)$`)
	machineTag = pattern.New(`\s(?:APP|BOT)$`)
	// jiraDay is a day as Jira shows it: "24/Nov/26".
	jiraDay = pattern.New(`\b(\d{1,2})/(\pL{3})/(\d{2})\b`)
	// stampDay is the day of a message in front of it, in a chat of one line for each.
	stampDay = pattern.New(`^[\[(]?(` + sentDay + `),?\s+` + hour)
)

// A voiceHead says whose words follow.
type voiceHead struct {
	name    string
	moment  string
	machine bool
	until   int // its last line
}

// today is the day on which a line was written: that of its message, or of the meeting.
func (s *scanner) today() time.Time {
	if s.sent.IsZero() {
		return s.date
	}
	return s.sent
}

// sentOn keeps the day that stands in front of a message.
func (s *scanner) sentOn(text string) {
	if m := stampDay.FindStringSubmatch(text); m != nil {
		s.sentAt(m[1])
	}
}

// sentAt keeps the day of a message, which is that of the chat where none is known.
func (s *scanner) sentAt(moment string) {
	moment = jiraDay.ReplaceAllString(moment, "$1 $2 20$3")
	d, ok := (calendar{order: s.order}).find(moment)
	if !ok {
		if d, ok = passed(moment, s.copied); ok {
			s.sent = d
		}
		return
	}
	if s.date.IsZero() {
		s.setDate(moment)
	}
	s.sent = d
}

// voiceAt reads what stands above a message at a line.
func (s *scanner) voiceAt(at int) (voiceHead, bool) {
	text := shortcodes.ReplaceAllString(clean(s.lines[at]), "")
	for _, form := range []*pattern.Pattern{voiceLine, timedVoice, namedVoice, zoomVoice} {
		m := form.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		if name := dayTail.ReplaceAllString(m[1], ""); form == voiceLine && strings.Contains(name, " ") {
			m[1] = name
		}
		h := voiceHead{name: machineTag.ReplaceAllString(m[1], ""), moment: text, until: at}
		if h.machine = h.name != m[1]; form == namedVoice || form == zoomVoice || mayWrite(h.name) {
			return h, true
		}
		return h, false
	}
	if m := commentHead.FindStringSubmatch(text); m != nil && mayWrite(m[1]+m[2]) {
		return voiceHead{name: m[1] + m[2], moment: text, until: at}, true
	}
	return s.stackAt(at, text)
}

// mayWrite reports a name, or a nick, that stands above messages.
func mayWrite(name string) bool {
	return name != "AM" && name != "PM" && !letterWords[strings.ToLower(name)] && (name[0] < '0' || name[0] > '9') && (isName(name) || !strings.ContainsFunc(name, unicode.IsUpper)) && !notNames[strings.ToLower(name)]
}

// stackAt reads a line of a name above one that says when: "Ann Lee", "9:02 AM".
func (s *scanner) stackAt(at int, text string) (h voiceHead, ok bool) {
	m := whoseLine.FindStringSubmatch(text)
	if m == nil || !mayWrite(m[1]) || at+1 >= len(s.lines) {
		return h, false
	}
	h = voiceHead{name: m[1], machine: m[2] != "", until: at + 1}
	line := strings.TrimSpace(clean(s.lines[h.until]))
	if (line == "APP" || line == "BOT") && h.until+1 < len(s.lines) {
		h.machine, h.until = true, h.until+1
		line = strings.TrimSpace(clean(s.lines[h.until]))
	}
	when := momentLine.FindStringSubmatch(line)
	if when == nil {
		return h, false
	}
	h.machine, h.moment = h.machine || when[1] != "", when[2]
	apart := h.machine || fullMoment.MatchString(h.moment) || line[0] > '9' || indentOf(s.lines[h.until]) > 0 || writtenName(h.name) && strings.Contains(h.name, " ")
	if !apart || h.until+1 >= len(s.lines) || strings.TrimSpace(s.lines[h.until+1]) == "" {
		return h, false
	}
	return h, !s.timesPoint(h.until + 1)
}

// timesPoint reports a line of an agenda's point, or of a name, above its hour.
func (s *scanner) timesPoint(at int) bool {
	if at+1 >= len(s.lines) || !whoseLine.MatchString(clean(s.lines[at])) {
		return false
	}
	when := momentLine.FindStringSubmatch(clean(s.lines[at+1]))
	return when != nil && fullMoment.MatchString(when[2])
}

// stacked reads the lines above a message, where there are several, and reports a line that no person wrote.
func (s *scanner) stacked(trimmed string) bool {
	if bulletPattern.MatchString(trimmed) && !s.machine {
		return false
	}
	h, ok := s.voiceAt(s.at)
	if ok && (h.until > s.at || s.machine || h.machine) {
		s.speaks(h, trimmed)
		return true
	}
	return s.machine || s.voice != "" && momentLine.MatchString(clean(trimmed))
}

// voiced reads a line that says whose words follow, as when a chat is pasted.
func (s *scanner) voiced(quote string) bool {
	h, ok := s.voiceAt(s.at)
	if ok {
		s.speaks(h, quote)
	}
	return ok
}

// speaks has the words that follow be somebody's.
func (s *scanner) speaks(h voiceHead, quote string) {
	s.sentAt(h.moment)
	s.machine, s.voice = h.machine, h.name
	if !h.machine {
		s.turn(h.name, quote, true)
	}
	if !s.begun && !h.machine && s.out.Opening == "" {
		s.opener = h.name
	}
	s.at, s.begun = h.until, true
}
