package extract

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// ReadMinutes reads the notes of meetings.
func ReadMinutes(text string) Minutes {
	s := scanner{lines: strings.Split(text, "\n"), topic: -1}
	s.frontMatter()
	for s.at < len(s.lines) {
		s.line()
		s.at++
	}
	s.closeTopics(0, len(s.lines))
	s.fillTopics()
	s.finish()
	return s.out
}

// finish drops what the whole document speaks against.
func (s *scanner) finish() {
	for i := range s.out.Attendees {
		if s.ticked == 0 && slices.Contains(s.unticked, i) { // nobody ticked the boxes
			s.out.Attendees[i].Absent = false
		}
	}
	heard := slices.Clone(s.out.Speakers)
	s.out.Speakers = nil
	for i, who := range heard { // "Payments: …" is no speech
		if s.logged[i] || s.knows(who.Name) || who.Turns >= 2 && len(s.out.Attendees) == 0 && !isTitle(s.out.Topics, who.Name) {
			s.out.Speakers = append(s.out.Speakers, who)
		}
	}
	var actions []Action
	for i, a := range s.out.Actions {
		if slices.Contains(s.prosaic, i) && !s.trusted(a) {
			if a.Due.IsZero() || !strings.ContainsFunc(a.Owner, unicode.IsLower) {
				continue
			}
			a.Confidence = 0.6
		}
		actions = append(actions, a)
	}
	s.out.Actions = actions
}

func isTitle(topics []Topic, name string) bool {
	return slices.ContainsFunc(topics, func(t Topic) bool { return strings.EqualFold(t.Title, name) })
}

// What the lines below a heading or a lead-in line are.
type section int

const (
	plainSection section = iota
	actionSection
	decisionSection
	questionSection
	peopleSection
	absentSection
)

type scanner struct {
	lines   []string
	at      int
	out     Minutes
	topic   int   // of the current line
	open    []int // topics whose end is not known, outermost first
	section section
	depth   int  // indent of the line that opened the section, -1 for a heading
	loose   bool // that line is no bullet, so bullets of the same indent belong to it
	level   int  // indent of the section's own items; deeper ones are details; -1 before the first
	code    bool
	date    time.Time
	columns []string // of a table
	comment bool     // inside <!-- -->
	begun   bool     // a line of text was read
	head    int      // level of the heading that opened the section
	owner   string   // whose list of actions this is
	under   int      // indent of the line that names the owner, -1 for a heading

	prosaic  []int          // actions that only a sentence promises
	kept     map[string]int // owner, text and meeting of an action → its index
	voices   map[string]int // lower-case name of a speaker → index
	logged   map[int]bool   // speakers that a log names
	ticked   int            // boxes of attendees
	unticked []int          // attendees whose box is empty
}

// frontMatter reads what stands between --- lines at the top.
func (s *scanner) frontMatter() {
	if len(s.lines) == 0 || strings.TrimSpace(s.lines[0]) != "---" {
		return
	}
	for i := 1; i < len(s.lines); i++ {
		line := strings.TrimSpace(s.lines[i])
		if line == "---" {
			s.at = i + 1
			return
		}
		key, value, _ := strings.Cut(line, ":")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "title":
			if s.out.Title == "" {
				s.out.Title = value
			}
			s.setDate(value)
		case "date":
			s.setDate(value)
		}
	}
}

func (s *scanner) setDate(text string) {
	if d, ok := FindDate(text, time.Time{}); ok {
		s.date = d
		if s.out.Date.IsZero() {
			s.out.Date = d
		}
	}
}

func (s *scanner) line() {
	raw := s.lines[s.at]
	trimmed := strings.TrimSpace(raw)
	if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
		s.code = !s.code
		return
	}
	if trimmed == "" {
		s.columns = nil
	}
	if s.code || trimmed == "" || s.commented(trimmed) {
		return
	}
	s.refs(raw)
	if m := headingPattern.FindStringSubmatch(trimmed); m != nil {
		s.heading(clean(m[2]), len(m[1]), trimmed)
		return
	}
	if m := boldLine.FindStringSubmatch(trimmed); m != nil {
		s.heading(clean(m[1]), 7, trimmed)
		return
	}
	if m := topicLine.FindStringSubmatch(clean(trimmed)); m != nil {
		s.heading(strings.TrimSpace(m[1]), 6, trimmed)
		return
	}
	if i := s.at + 1; i < len(s.lines) && isRule(s.lines[i]) && !strings.HasPrefix(trimmed, "|") && !strings.HasPrefix(trimmed, "-") {
		s.heading(clean(trimmed), map[byte]int{'=': 1, '-': 2}[strings.TrimSpace(s.lines[i])[0]], trimmed)
		s.at++
		return
	}
	if strings.HasPrefix(trimmed, "|") {
		s.tableRow(trimmed)
		return
	}
	s.columns = nil
	s.item(raw, trimmed)
	s.begun = true
}

// commented skips what a template's author wrote between <!-- and -->.
func (s *scanner) commented(line string) bool {
	was := s.comment
	if at := strings.LastIndex(line, "<!--"); at >= 0 && (at == 0 || was) {
		s.comment, was = true, true
	}
	if strings.Contains(line, "-->") {
		s.comment = false
	}
	return was
}

// isRule reports a line that underlines a heading.
func isRule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 3 && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "")
}

func (s *scanner) heading(title string, level int, quote string) {
	if s.out.Title == "" {
		s.out.Title = title
	}
	s.setDate(title)
	next := sectionOf(title)
	if who := strings.TrimSuffix(title, ":"); s.section == actionSection && next == plainSection && level > s.head && s.depth < 0 && nameAlone.MatchString(who) && isName(who) {
		s.owner, s.under, s.level = strings.ReplaceAll(who, "@", ""), -1, -1 // somebody's actions
	} else {
		s.section, s.depth, s.level, s.head, s.owner = next, -1, -1, level, ""
	}
	s.closeTopics(level, s.at)
	s.out.Topics = append(s.out.Topics, Topic{Title: title, Level: level, Date: s.date, Span: s.span(quote)})
	s.topic = len(s.out.Topics) - 1
	s.open = append(s.open, s.topic)
}

// closeTopics ends the open topics of a level or deeper before a line.
func (s *scanner) closeTopics(level, line int) {
	for len(s.open) > 0 && s.out.Topics[s.open[len(s.open)-1]].Level >= level {
		s.out.Topics[s.open[len(s.open)-1]].End = line
		s.open = s.open[:len(s.open)-1]
	}
}

func (s *scanner) fillTopics() {
	for i := range s.out.Topics {
		t := &s.out.Topics[i]
		t.Text = strings.TrimSpace(strings.Join(s.lines[t.Span.Line:max(t.End, t.Span.Line)], "\n"))
	}
}

func sectionOf(title string) section {
	title = strings.TrimSpace(strings.Trim(title, "*_: "))
	switch {
	case actionHead.MatchString(title):
		return actionSection
	case decisionHead.MatchString(title):
		return decisionSection
	case questionHead.MatchString(title):
		return questionSection
	case peopleHead.MatchString(title):
		if awayWords.MatchString(title) {
			return absentSection
		}
		return peopleSection
	}
	return plainSection
}

func (s *scanner) span(quote string) Span {
	return Span{Line: s.at + 1, EndLine: s.at + 1, Quote: quote}
}

// item reads a bullet or a line of prose.
func (s *scanner) item(raw, trimmed string) {
	indent := len(raw) - len(strings.TrimLeft(raw, " \t"))
	body, bullet := trimmed, false
	if m := bulletPattern.FindStringSubmatch(raw); m != nil {
		body, bullet = strings.TrimSpace(m[2]), true
	}
	if s.depth >= 0 && indent <= s.depth && !(s.loose && bullet && indent == s.depth) { // back out of a lead-in's bullets
		s.section, s.depth, s.owner = plainSection, -1, ""
	}
	text := clean(body)
	if s.date.IsZero() {
		s.dated(text)
	}
	if next := sectionOf(text); next != plainSection && (strings.HasSuffix(text, ":") || bullet && len(text) < 40) {
		s.section, s.depth, s.level, s.loose, s.owner = next, indent, -1, !bullet, ""
		return
	}
	if m := peopleLine.FindStringSubmatch(text); m != nil {
		s.people(m[2], trimmed, awayWords.MatchString(m[1]), false)
		return
	}
	s.entry(body, text, trimmed, indent, bullet)
}

// dated takes the meeting's date from a line that says it, or from the first line.
func (s *scanner) dated(text string) {
	if rest, ok := cutFold(text, "meeting date:", "date:", "when:", "datum:", "termin:", "held on", "date -"); ok {
		s.setDate(rest)
	} else if s.out.Title == "" && !s.begun && len(strings.Fields(text)) <= 10 {
		s.setDate(text)
	}
}

// entry reads what stands in a section, or a line that says itself what it is.
func (s *scanner) entry(body, text, trimmed string, indent int, bullet bool) {
	box := boxPattern.FindStringSubmatch(body)
	if s.section != plainSection && bullet && s.level < 0 {
		s.level = indent
	}
	if s.owner != "" && bullet && indent <= s.under {
		s.owner = ""
	}
	own := bullet && (indent <= s.level || s.owner != "" && indent > s.under)
	switch {
	case s.section == peopleSection || s.section == absentSection:
		s.listed(box, text, trimmed)
	case s.detail(text):
	case s.marked(text, trimmed):
	case box != nil && s.boxed(box, trimmed):
	case s.section == actionSection && own && s.ownerOnly(text, indent):
	case s.section == actionSection && own:
		s.listedAction(text, trimmed)
	case s.section == actionSection && s.depth < 0 && !bullet && hasOwner(text):
		s.action(text, "", trimmed, 0.8, false, "")
	case s.section == decisionSection && own:
		if !slices.Contains(noDecision, strings.ToLower(strings.Trim(text, " .!"))) && !strings.HasSuffix(text, "?") {
			s.decision(text, "", trimmed, 0.85)
		}
	case s.section == questionSection && own:
		confidence := 0.6
		if strings.Contains(text, "?") {
			confidence = 0.85
		}
		s.question(text, trimmed, confidence)
	default:
		s.prose(text, trimmed)
	}
}

// ownerOnly reads "Ann:" above Ann's own actions.
func (s *scanner) ownerOnly(text string, indent int) bool {
	if m := nameAlone.FindStringSubmatch(text); m != nil && isName(m[1]) && s.followed(indent) {
		s.owner, s.under = strings.ReplaceAll(m[1], "@", ""), indent
		return true
	}
	return false
}

// followed reports whether the next line is a deeper bullet.
func (s *scanner) followed(indent int) bool {
	for _, line := range s.lines[s.at+1:] {
		if strings.TrimSpace(line) != "" {
			return bulletPattern.MatchString(line) && len(line)-len(strings.TrimLeft(line, " \t")) > indent
		}
	}
	return false
}

// listedAction reads an item of a list of actions: "ann: …" is enough there.
func (s *scanner) listedAction(text, quote string) {
	done := strings.HasPrefix(text, "~~")
	text = strings.TrimSpace(strings.ReplaceAll(text, "~~", ""))
	owner := ""
	if m := lowHead.FindStringSubmatch(text); m != nil && isName(m[1]) && verbFirst.MatchString(m[2]) {
		owner, text = m[1], m[2]
	}
	s.action(text, owner, quote, 0.85, done, "")
}

func hasOwner(text string) bool {
	owner, _ := ownerOf(text)
	return owner != ""
}

// cutFold cuts the first prefix that fits, whatever its case.
func cutFold(s string, prefixes ...string) (string, bool) {
	for _, p := range prefixes {
		if len(s) >= len(p) && strings.EqualFold(s[:len(p)], p) {
			return strings.TrimSpace(s[len(p):]), true
		}
	}
	return s, false
}

// clean takes emphasis and escapes off, and a scribe's "name:" quotes stay.
func clean(s string) string {
	s = strings.TrimSpace(markup.Replace(s))
	s = strings.TrimPrefix(s, "> ")
	s = emphasis.ReplaceAllString(s, "$1$2$3")
	return strings.TrimSpace(strings.Trim(s, "*_"))
}
