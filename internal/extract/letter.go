package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

// Minutes are often a letter: "I" is who signed it, "you" whom it greets.

// farewells end letters.
const farewells = `(?:(?:with|kind|best|warm|warmest|many|all the|thanks and|thank you and|thanks &|mit|viele|beste|liebe|schöne|herzliche|freundlichen)\s+)*(?:regards|wishes|thanks|thank you|thanks again|best|cheers|yours|yours sincerely|sincerely|see you|see you (?:soon|then|tomorrow|all)|talk soon|bye|take care|greetings|grüße|grüßen|grüsse|gruß|lg|vg|mfg|bis dann|bis bald|bis morgen)`

var (
	greeted = pattern.New(`(?m)(?:^|, )(?i:hi|hello|dear|hey|hallo|liebe|lieber|moin|guten tag|sehr geehrter?)\s+((?:(?:Mr|Mrs|Ms|Dr|Herr|Frau)\b\.?\s+)*\p{Lu}[\pL'’-]+)\b`)
	signed  = pattern.New(`(?m)^(?i:` + farewells + `)\s*[,!.]?\s*\n+\s*(` + namePart + `)\s*$`)
	// dashSigned ends a letter: "– Ann".
	dashSigned = pattern.New(`(?m)^(?:--?|[–—])\s?(\p{Lu}[\pL'’-]+)\s*$`)
	sentFrom   = pattern.New(`(?m)^(?:From|Von)\s*:\s*\*?(` + namePart + `)\s*(?:[<(\[].*)?$`)
	// wroteNotes says in other notes who wrote them.
	wroteNotes = pattern.New(`(?i)\b(?:notes|minutes|written(?: up)?|taken|recorded|summary|write-?up|protokoll|notiert|mitschrift)(?: (?:taken|written))? (?:by|von)\s+((?-i:` + namePart + `))`)
	noteTaker  = pattern.New(`(?im)^\W*(?:scribe|note[- ]?taker|notes|minutes|minutes taker|protokoll|protokollant(?:in)?|schriftführer(?:in)?)\s*:\s*\*{0,2}\s*((?-i:` + namePart + `))\s*[.,;)/|*]*\s*(?:\(.*|[/|·,;].*)?$`)
	// thanked thanks those who came.
	thanked = pattern.New(`(?i)\b(?:thanks|thank you|great|good|nice|lovely)\s+(?:again\s+)?(?:to|meeting|to (?:meet|see|talk to|speak (?:to|with))|seeing|talking to|speaking (?:to|with))\s+(you(?:\s*(?:,|and|&)\s*[^!?;]{2,120}?)?)\s+(?:for\s+(?:your time|the (?:call|meeting|chat|conversation|talk|session|visit)|joining|coming|making|taking|today)|today|yesterday|this (?:morning|afternoon|week)|on (?:` + weekdays + `))`)
)

// letterWords name the headers of a letter.
var letterWords = set(list("from, to, cc, bcc, sent, subject, date, von, an, gesendet, betreff, datum, antwort an"))

// alarmFrom is the sender of a letter that a program wrote about what it watches, which asks nobody for anything.
var alarmFrom = pattern.New(`(?i)^From\s*:.*(?:\[bot\]|\b(?:alerts?|alarms?|alertmanager|pagerduty|opsgenie|grafana|sentry|prometheus|datadog|statuspage|monitoring|nagios|zabbix|mailer-daemon|postmaster)@|@(?:[\w-]+\.)*(?:pagerduty|opsgenie|sentry|statuspage|datadoghq)\.)`)

// byProgram keeps that a program wrote the letter, and its day.
func (s *scanner) byProgram() {
	head := s.lines[:min(len(s.lines), introLines)]
	i := slices.IndexFunc(head, fromHeader.MatchString)
	if i < 0 || !alarmFrom.MatchString(head[i]) {
		return
	}
	s.machine = true
	for _, line := range head {
		if m := replySent.FindStringSubmatch(line); m != nil {
			s.setDate(m[1])
		}
	}
}

var (
	subjectLine = pattern.New(`(?i)^(?:subject|betreff)\s*:\s*(?:(?:re|fwd?|aw|wg|antw)\s*(?:\[\d+\])?\s*:\s*)*(.{3,200})$`)
	// calendarLine is a field of an invitation as calendars send it.
	calendarLine = pattern.New(`^(SUMMARY|DTSTART)(?:;[^:]*)?:(.+?)\s*$`)
	calendarDay  = pattern.New(`^(\d{4})(\d{2})(\d{2})`)
)

// subjected keeps what a letter is about, which is its title.
func (s *scanner) subjected() {
	head := s.lines[:min(len(s.lines), introLines+2)]
	if !slices.ContainsFunc(head, fromHeader.MatchString) {
		return
	}
	for _, line := range head {
		if m := subjectLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			s.out.Title, s.out.Opening = m[1], m[1]
			return
		}
	}
}

// invitation keeps title and day of a calendar's file, whose text is for programs.
func (s *scanner) invitation() {
	if strings.TrimSpace(s.lines[0]) != "BEGIN:VCALENDAR" {
		return
	}
	s.machine = true
	event := false
	for _, line := range s.lines {
		event = event || strings.HasPrefix(line, "BEGIN:VEVENT") // a time zone has days of its own
		m := calendarLine.FindStringSubmatch(line)
		switch {
		case m == nil || !event:
		case m[1] == "SUMMARY" && s.out.Title == "":
			s.out.Title, s.out.Opening = m[2], m[2]
		case m[1] == "DTSTART" && s.date.IsZero():
			s.setDate(calendarDay.ReplaceAllString(m[2], "$1-$2-$3 "))
		}
	}
}

// mail keeps who wrote a letter to whom.
func (s *scanner) mail(text string) {
	from := ""
	if m := sentFrom.FindStringSubmatch(text); m != nil && isName(m[1]) {
		from = m[1]
	}
	for _, form := range []*pattern.Pattern{signed, meAmong, wroteNotes, dashSigned} {
		if m := form.FindStringSubmatch(text); m != nil && isName(m[1]) {
			s.author = m[1]
			break
		}
	}
	if s.author == "" || strings.HasPrefix(from, s.author+" ") {
		s.author = from
	}
	for i, m := range greeted.FindAllStringSubmatch(text, -1) {
		if !isName(m[1]) {
			continue
		}
		if i == 0 {
			s.reader = m[1]
		}
		s.mentioned(m[1])
		s.readers = append(s.readers, m[1])
	}
	for _, line := range s.lines[:min(len(s.lines), introLines)] {
		if m := sentTo.FindStringSubmatch(line); m != nil {
			for _, to := range toName.FindAllStringSubmatch(m[1], -1) {
				s.mentioned(to[1])
			}
		}
	}
	s.addressee = s.addressed(text)
	s.byProgram()
	s.subjected()
	s.invitation()
	if s.author == "" {
		if m := noteTaker.FindStringSubmatch(text); m != nil && isName(m[1]) {
			s.author = m[1]
		}
	}
	if s.author != "" {
		s.mentioned(s.author)
	}
}

var (
	sentTo = pattern.New(`(?m)^(?:To|An|Cc)\s*:\s*(.+)$`)
	toName = pattern.New(`(?:^|[;,]\s*)"?(` + namePart + `)"?\s*(?:<[^<>]*>)?(?:[;,]|\s*$|\s*<)`)
	metYou = pattern.New(`(?i)\b(?:lovely|great|good|nice|pleasure) (?:to (?:meet|see|speak (?:to|with)|talk to)|meeting|seeing|talking to|speaking (?:to|with)) you\b|\bthank(?:s| you) (?:both |all )?for (?:your time|the (?:call|meeting)|joining|coming|today)\b|^(?:good|great|nice|productive) (?:discussion|call|meeting|chat|session) (?:today|this|yesterday|just|with)`)
)

// metWriter reads in a letter that its writer and those to whom it is met.
func (s *scanner) metWriter(text, quote string) {
	if s.author == "" || !metYou.MatchString(text) || s.from-s.top > rollLines {
		return
	}
	if to := slices.ContainsFunc(s.lines[:min(len(s.lines), introLines)], sentTo.MatchString); !to {
		return
	}
	s.people(s.author, quote, false, false)
	for i, line := range s.lines[:s.from] {
		m := sentTo.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		from, at := s.from, s.at
		s.from, s.at = i, i
		for _, to := range toName.FindAllStringSubmatch(m[1], -1) {
			if writtenName(to[1]) && len(strings.Fields(to[1])) > 1 {
				s.people(to[1], strings.TrimSpace(line), false, false)
			}
		}
		s.from, s.at = from, at
	}
}

// met reads in a letter who was there: "Thanks to you, Ms. Lee and Dr. Kim for your time".
func (s *scanner) met(text, quote string) {
	s.metWriter(text, quote)
	m := thanked.FindStringSubmatch(text)
	if m == nil || s.author == "" {
		return
	}
	for _, who := range s.readers {
		s.people(who, quote, false, false)
	}
	if _, others, ok := strings.Cut(m[1], " "); ok {
		if others = strings.TrimLeft(others, ", &"); nameCount(others) > 0 {
			s.people(others, quote, false, false)
		}
	}
	s.people(s.author, quote, false, false)
}
