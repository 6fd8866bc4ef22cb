package extract

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"chela/internal/pattern"
)

// ReadMinutes reads the notes of meetings. It reads them twice: names that stand before the line that says who was
// there are known at the second time.
func ReadMinutes(text string) Minutes { return ReadWith(text, Learnt()) }

func scanTwice(text string) *scanner { return scanOn(time.Time{}, text) }

// scanOn scans the notes of a meeting of a day, zero when it is not known.
func scanOn(day time.Time, text string) *scanner {
	first := scan(text, nil, day)
	if known := first.roster(); len(known) > 0 {
		return scan(text, known, day)
	}
	return first
}

func scan(text string, roster []person, day time.Time) *scanner {
	s := &scanner{lines: strings.Split(Said(text), "\n"), topic: -1, order: slashOrder(text), present: roster, date: day, copied: day}
	for _, line := range s.lines {
		if strings.HasPrefix(line, ">") {
			s.quotes++
		}
	}
	s.mail(text)
	s.round()
	s.chat()
	s.frontMatter()
	s.outline()
	s.objectives()
	for s.at < len(s.lines) {
		s.from = s.at
		s.line()
		s.at++
	}
	s.settle()
	s.closeTopics(0, len(s.lines))
	s.fillTopics()
	s.finish()
	s.out.Chat = s.chatName()
	s.out.Absences = s.absences()
	s.out.Reminders = s.reminders()
	return s
}

// finish drops what the whole document speaks against.
func (s *scanner) finish() {
	for i := range s.out.Attendees {
		if s.ticked == 0 && slices.Contains(s.unticked, i) { // nobody ticked the boxes
			s.out.Attendees[i].Absent = false
		}
	}
	for i := range s.out.Actions {
		s.out.Actions[i].Owner = s.inFull(s.out.Actions[i].Owner)
	}
	spokenAll := s.mostlySpoken()
	heard := slices.Clone(s.out.Speakers)
	s.out.Speakers = nil
	for i, who := range heard { // "Payments: …" is no speech
		short := len(who.Name) <= 3 && strings.ToUpper(who.Name) == who.Name || strings.ToLower(who.Name) == who.Name // initials before what is told of them
		if s.logged[i] || spokenAll && isName(who.Name) || s.chatters[who.Name] || (s.knowsAttendee(who.Name) || slices.Contains(s.named, who.Name)) && (who.Turns >= 2 || !short || s.handled(who.Name)) || who.Turns >= 2 && len(s.out.Attendees) == 0 && !isTitle(s.out.Topics, who.Name) {
			s.out.Speakers = append(s.out.Speakers, who)
		}
	}
	var actions []Action
	for i, a := range s.out.Actions {
		if slices.Contains(s.prosaic, i) && !slices.Contains(s.directed, i) && !s.trusted(a) {
			if a.Due.IsZero() || !strings.ContainsFunc(a.Owner, unicode.IsLower) || gerund(a.Owner) {
				continue
			}
			a.Confidence = 0.6
		}
		actions = append(actions, a)
	}
	s.out.Actions = actions
}

// mostlySpoken reports a transcript: most of its lines are somebody's words.
func (s *scanner) mostlySpoken() bool {
	lines, turns := 0, 0
	for _, line := range s.lines {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	for _, who := range s.out.Speakers {
		turns += who.Turns
	}
	return turns >= 5 && turns*10 >= lines*7
}

func isTitle(topics []Topic, name string) bool {
	return slices.ContainsFunc(topics, func(t Topic) bool { return strings.EqualFold(t.Title, name) })
}

type scanner struct {
	lines   []string
	at      int // the current line, the last one where a line was broken into several
	from    int // the first of these
	top     int // the first line below the front matter
	out     Minutes
	topic   int   // of the current line
	open    []int // topics whose end is not known, outermost first
	section section
	depth   int  // indent of the line that opened the section, -1 for a heading
	loose   bool // that line is no bullet, so bullets of the same indent belong to it
	level   int  // indent of the section's own items; deeper ones are details; -1 before the first
	code    bool
	date    time.Time
	order   dayOrder  // of days with slashes
	columns []string  // of a table
	comment bool      // inside <!-- -->
	bare    bool      // each line below the heading is an item, without a bullet
	begun   bool      // a line of text was read
	voice   string    // whose words the lines are, in a pasted chat
	opener  string    // who writes first, until the words are read
	machine bool      // a program wrote them
	sent    time.Time // the day of the message, zero where none is written
	copied  time.Time // the last day of a chat, where something beside its text says it
	said    string    // whose words a line had
	saidAt  int       // that line
	first   string    // that line, when it may be the title
	head    int       // level of the heading that opened the section
	owner   string    // whose list of actions this is
	under   int       // indent of the line that names the owner, -1 for a heading

	chatters       map[string]bool // lower-case names before colons
	lead           string          // whose points the bullets are
	leads          bool            // a heading says so
	plans          bool            // the section's heading speaks of a plan, not of what is agreed
	numberedTopics map[int]string  // titles of the topics that the text numbers, by their line
	partyAt        int             // the last line of people by their side
	readers        []string        // all whom a letter greets
	about          bool            // the words of a line are about whom it names, not by her
	quotes         int             // lines that begin like quotes
	lists          string          // who lists actions in a chat
	sheet          bool            // the lines below a lead-in are items without bullets
	needed         string          // what a speaker has to do
	neededAt       int
	motion         *proposal         // what is moved and not voted on yet
	last           string            // the last sentence, where it said nothing
	lastAt         int               // its line
	proposal       *proposal         // what a speaker proposed last
	roleOf         map[string]string // who has an office
	asks           map[lookup]string // whom names mean
	askedOf        [3]int            // the numbers of people of whom that is
	named          []string          // people that headings or tables name
	present        []person          // whom the notes know, as a first reading found
	author         string            // who wrote the notes
	reader         string            // to whom a letter is
	addressee      string            // the same, all of them
	replies        []reply           // the letters that a letter quotes where the line stands, the innermost last
	letter         *reply            // the letter that quotes them
	subject        string            // whom the last sentences are about
	subjectAt      int               // the line of that
	directed       []int             // actions of people who need not be there

	spelled    map[string]string   // names as the text writes them in full
	guessed    []Attendee          // of whom it is only likely that they were there
	written    []string            // names of two words or more, nil until they are asked for
	heard      []heard             // all sentences
	heardAt    byLines             // the same by their lines
	ruled      *byRules            // what rules found, nil until the text is scanned
	fullOf     map[string]string   // names in full
	piecesOf   map[string][]piece  // texts with their names
	cast       *cast               // who else may act
	actsOf     map[string]bool     // whether names may be those of somebody who does something
	smallWords map[string]int      // that the text has in small letters; nil until they are asked for
	lined      []mentionLine       // the lines in which names are looked for
	above      string              // the last line that leads a list
	classes    map[string]string   // of words
	tokensOf   map[string][]string // of texts
	knownWords map[string]bool     // whether they name somebody

	ofGoals  map[int]bool   // lines that say what objectives are
	prosaic  []int          // actions that only a sentence promises
	kept     map[string]int // owner, text and meeting of an action → its index
	voices   map[string]int // lower-case name of a speaker → index
	logged   map[int]bool   // speakers that a log names
	accepted map[int]bool   // lines that say yes to what was asked before
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
			s.at, s.top = i+1, i+1
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
		case "people", "attendees", "present", "participants":
			s.from, s.at = i, i
			s.people(strings.Trim(value, "[]"), line, false, false)
			s.from, s.at = 0, 0
		}
	}
}

// spacedDate begins a title: "2016 04 07", "2019.11.14".
var spacedDate = pattern.New(`^(20\d\d)[ .](\d{1,2})[ .](\d{1,2})\b`)

func (s *scanner) setDate(text string) {
	if m := spacedDate.FindStringSubmatch(text); m != nil {
		text = strings.Join(m[1:], "-")
	}
	if d, ok := (calendar{order: s.order}).find(text); ok {
		s.date = d
		if s.out.Date.IsZero() {
			s.out.Date = d
		}
	}
}

func (s *scanner) line() {
	raw := s.unquote(s.lines[s.at])
	trimmed := strings.TrimSpace(quoted.ReplaceAllString(s.lines[s.at], ""))
	if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
		s.code = !s.code
		return
	}
	if trimmed == "" {
		if s.bare && (s.section == peopleSection || s.section == absentSection) {
			s.section = plainSection
		}
		if s.sheet {
			s.section, s.sheet, s.owner = plainSection, false, ""
		}
		s.columns, s.bare = nil, false
	}
	if s.code || trimmed == "" || s.commented(trimmed) {
		return
	}
	s.refs(raw)
	if s.ofGoals[s.at] {
		s.begun = true
		return
	}
	if s.replied() || s.stacked(trimmed) {
		return
	}
	if rest, ok := s.numberedHeading(raw, trimmed); ok {
		if rest != "" {
			s.hear(rest, trimmed, false, 0)
			s.prose(rest, trimmed)
		}
		return
	}
	if s.headed(raw, trimmed) {
		return
	}
	if strings.HasPrefix(trimmed, "|") || strings.Count(trimmed, " | ") >= 2 && s.section == actionSection && !bulletPattern.MatchString(raw) {
		if !s.piped(trimmed) {
			s.tableRow(trimmed)
		}
		return
	}
	if s.htmlTable(trimmed) {
		return
	}
	s.columns = nil
	joined, quote := s.unwrap(raw, trimmed)
	s.item(boxes.Replace(joined), quote)
	s.begun = true
}

// unquote takes off what mail programs put before lines that they quote; below a heading of a list it is a bullet.
func (s *scanner) unquote(line string) string {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "> "); ok && s.quotes*2 < len(s.lines) && (s.section == actionSection || s.section == decisionSection || s.section == mixedSection) {
		return "- " + rest
	}
	return quoted.ReplaceAllString(line, "")
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

func (s *scanner) span(quote string) Span {
	return Span{Line: s.from + 1, EndLine: s.at + 1, Quote: quote}
}

// item reads a bullet or a line of prose.
func (s *scanner) item(raw, trimmed string) {
	indent := indentOf(raw)
	body, bullet := strings.TrimSpace(raw), false
	for m := bulletPattern.FindStringSubmatch(raw); m != nil; m = nestedBullet.FindStringSubmatch(body) {
		body, bullet = strings.TrimSpace(m[2]), true
	}
	if strings.Contains(body, "</") {
		body = htmlTag.ReplaceAllString(body, "")
	}
	if s.depth >= 0 && indent <= s.depth && !(s.loose && bullet && indent == s.depth) { // back out of a lead-in's bullets
		s.section, s.depth, s.owner = plainSection, -1, ""
	}
	text := s.letters(shortcodes.ReplaceAllString(clean(body), ""))
	if text == "" {
		return
	}
	if !bullet && s.voiced(trimmed) {
		s.begun = true
		return
	}
	text = asideName.ReplaceAllString(text, "$1$2 $3")
	if s.opener != "" {
		s.out.Opening, s.opener = s.opener+": "+text, ""
	}
	if s.date.IsZero() {
		s.dated(text)
	}
	s.entitle(text, bullet)
	if s.numberedTopics != nil && strings.HasSuffix(text, ":") && !bullet && indent == 0 { // what follows belongs to none of the topics
		s.closeTopics(numberedLevel, s.from)
		s.topic = -1
	}
	if strings.HasSuffix(text, ":") || bullet && len(text) < 40 || !bullet && s.leadsList(text) {
		if next := sectionOf(leadWords(text)); next != plainSection {
			s.section, s.depth, s.level, s.loose, s.owner = next, indent, -1, !bullet || s.headsBullets(trimmed), s.whose(text)
			s.plans = planHead.MatchString(text)
			if s.owner != "" {
				s.under = -1
			}
			if line, gap := s.following(); (next == actionSection || next == peopleSection || next == absentSection) && !bullet && !gap && line != "" && !bulletPattern.MatchString(line) && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "#") {
				s.sheet, s.bare, s.depth = true, true, -1
			}
			return
		}
	}
	if m := partOf.FindStringSubmatch(text); m != nil && writtenName(m[1]) {
		s.mentioned(m[1])
	}
	if bullet && nameAlone.MatchString(text) && isName(text) && s.followed(indent) {
		s.mentioned(strings.Trim(text, ": "))
	}
	if m := nameAlone.FindStringSubmatch(text); m != nil && strings.HasSuffix(text, ":") && isName(m[1]) && s.section == plainSection {
		s.lead = m[1]
	} else if !bullet && !s.leads {
		s.lead = ""
	}
	if s.calledRoll(text, trimmed) || s.topLines(text, trimmed) || s.peopleLine(text, trimmed) || s.attends(text, trimmed) {
		return
	}
	s.entry(raw, body, text, trimmed, indent, bullet)
}

// asideName is somebody's company or team between the name and what it does: "Ann (Acme) will …".
var asideName = pattern.New(`(^|[.;]\s+)(` + namePart + `)\s+\([^()]{2,30}\)\s+((?:will|to|must|(?:needs|has|agreed|promised|offered|is going) to)\s)`)

var (
	dateLine = pattern.New(`(?i)^(?:(?:(?:meeting |call |review )?date(?: of (?:the )?[a-z]+)?|meeting|when|sent|datum|gesendet|termin|fecha|data)\s*[:–-]|held on)\s+(.+)$`)
	// ofMeeting are words beside which a day is that of the meeting, and beforeIt those beside which it is not.
	ofMeeting = pattern.New(`(?i)\b(?:today['’]?s?|meeting|call|sync|session|minutes|recap|stand-?up|retro(?:spective)?)\b`)
	beforeIt  = pattern.New(`(?i)\b(?:last|previous|next|earlier|yesterday|by|before|until|due)\b`)
)

// dayLine begins with a day and says little more, as its hours.
var dayLine = pattern.New(`(?i)^(?:(?:` + weekdays + `)\.?,?\s+)?(?:the\s+)?(?:\d{1,2}(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?(?:` + months + `)|(?:` + months + `)\s+\d{1,2}(?:st|nd|rd|th)?|\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{4})\b.{0,80}$`)

// wroteLine begins a mail that is quoted.
var wroteLine = pattern.New(`(?i)^(?:on|am)\s.*\s(?:wrote|schrieb\b.*):$`)

// introLines are the lines that may say the day of the meeting in passing.
const introLines = 6

// dated takes the meeting's date from a line that says it, from the first line, or from a sentence
// at the top about the meeting.
func (s *scanner) dated(text string) {
	switch m := dateLine.FindStringSubmatch(text); {
	case m != nil:
		s.setDate(m[1])
	case s.out.Title == "" && !s.begun && len(strings.Fields(text)) <= 10:
		s.setDate(text)
	case s.from-s.top < introLines && (wroteLine.MatchString(text) || ofMeeting.MatchString(text) && !beforeIt.MatchString(text) || dayLine.MatchString(text)):
		s.setDate(text)
	}
}

// entry reads what stands in a section, or a line that says itself what it is.
func (s *scanner) entry(raw, body, text, trimmed string, indent int, bullet bool) {
	s.hear(text, trimmed, bullet, indent)
	box := boxPattern.FindStringSubmatch(body)
	if s.section != plainSection && bullet && s.level < 0 {
		s.level = indent
	}
	if s.owner != "" && bullet && indent <= s.under {
		s.owner = ""
	}
	own := s.bare || bullet && (indent <= s.level || s.owner != "" && indent > s.under)
	switch {
	case s.section == peopleSection || s.section == absentSection:
		s.listed(box, text, trimmed)
	case (s.section == phaseSection || s.section == milestoneSection) && (own || s.depth < 0 && !bullet && !s.followedByText()):
		s.listedPlan(text, trimmed)
	case s.section == pageSection && own:
		s.page(text, trimmed)
	case s.section == plainSection && s.ownPlan(text, trimmed):
	case s.detail(text):
	case s.marked(text, trimmed):
	case box != nil && s.section == actionSection && s.spaced(raw, trimmed):
	case box != nil && s.boxed(box, trimmed):
	case s.section == actionSection && s.depth < 0 && !bullet && s.ownerLine(text):
	case s.section == actionSection && !bullet && s.spaced(raw, trimmed):
	case s.section == actionSection && own && s.ownerOnly(text, indent):
	case s.section == actionSection && own:
		s.listedAction(text, trimmed)
	case s.section == actionSection && s.depth < 0 && !bullet && hasOwner(text):
		s.action(text, "", trimmed, 0.8, false, "")
	case s.section == decisionSection && s.depth < 0 && !bullet && numbered.MatchString(text):
		s.decision(numbered.ReplaceAllString(text, ""), "", trimmed, 0.85)
	case s.section == decisionSection && own && s.handsOut(text, trimmed):
	case s.section == decisionSection && own:
		s.listedDecision(text, trimmed)
	case s.section == mixedSection && own:
		s.listedEither(text, trimmed)
	case s.section == questionSection && own && s.promised(text, trimmed):
	case s.section == questionSection && own && s.answeredBy(text, trimmed):
	case s.section == questionSection && s.bare && !bullet && !strings.Contains(text, "?"):
		s.prose(text, trimmed)
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
