package extract

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

var (
	headingPattern = regexp.MustCompile(`^(#{1,6})\s+(.+?)\s*#*$`)
	bulletPattern  = regexp.MustCompile(`^(\s*)(?:[-*+•]|\d+[.)])\s+(.*)$`)
	boxPattern     = regexp.MustCompile(`^\[([ xX])\]\s*(.*)$`)
	boldLine       = regexp.MustCompile(`^\*\*([^*]{2,80})\*\*:?$`)
	markup         = strings.NewReplacer("**", "", "__", "", "`", "", `\[`, "[", `\]`, "]", `\-`, "-", `\!`, "!", `\#`, "#", `\>`, ">")

	actionMark   = regexp.MustCompile(`(?i)^(?:action(?: item)?s?|ai|todo|to-do|task|follow[- ]?up|next step)\s*(?:#?\d+)?\s*(?:\(([^)]{2,40})\)|\[([^\]]{2,40})\])?\s*(?:[:\-–]|→)\s*(.+)$`)
	decisionMark = regexp.MustCompile(`(?i)^(?:decision|decided|agreed|agreement|resolution|resolved|consensus|conclusion|outcome|vote)\s*(?:#?\d+)?\s*[:\-–]\s*(.+)$`)
	decisionSays = regexp.MustCompile(`(?i)^(?:(?:we|the (?:team|group|council|committee|toc|cpc))\s+(?:have\s+)?(?:agreed|decided|resolved|approved|voted)\b|(?:approved|accepted|rejected)(?:\s+(?:unanimously|by))\b|no objections? to\b|motion (?:carried|passed|approved))`)
	questionMark = regexp.MustCompile(`(?i)^(?:open question|question|q)\s*(?:#?\d+)?\s*[:\-–]\s*(.+)$`)

	goalMark     = regexp.MustCompile(`(?i)^(?:(sprint \S+|sprint|iteration|quarter|q[1-4])\s+)?(?:goal|objective|committed outcome)\s*(?:#?\d+)?\s*[:\-–]\s*(.+)$`)
	actionHead   = regexp.MustCompile(`(?i)^(?:(?:new |open |summary of )?action(?: item)?s?(?: items)?|next steps?|to-?dos?|follow[- ]?ups?|tasks|ais)\b[^a-z]*$`)
	decisionHead = regexp.MustCompile(`(?i)^(?:(?:summary of )?(?:decisions?|resolutions?|agreements?|conclusions?)(?: made| taken)?|consensus(?: from(?: this)? meeting)?)\b[^a-z]*$`)
	questionHead = regexp.MustCompile(`(?i)^(?:open |unresolved )?questions?(?: \(?open\)?)?\W*$`)
	peopleHead   = regexp.MustCompile(`(?i)^(?:meeting )?(?:attend(?:ance|ees|ing|ed)|present|participants?|in attendance|who(?:'s| is) here|people present|members present|roll call|apologies|regrets|absent|council|guests?|observers?)(?: \(.*\))?\s*:?$`)
	peopleLine   = regexp.MustCompile(`(?i)^(attend(?:ance|ees|ing|ed)|present|participants?|in attendance|members present|apologies|regrets|absent|council|team members|people(?: present)?|guests?|observers?|chairs?|scribes?|facilitator|note[- ]?takers?|minutes by)(?: \([^)]*\))?\s*:\s*(.+)$`)

	namePart  = `@?[\p{Lu}][\p{L}'’.-]+(?:\s+[\p{Lu}][\p{L}'’.-]+){0,2}`
	handle    = `@[\w][\w-]{0,38}`
	ownerHead = regexp.MustCompile(`^((?:` + handle + `|` + namePart + `)(?:\s*(?:,|&|/|and|\+)\s*(?:` + handle + `|` + namePart + `))*)\s*(?::|\s[-–—]\s|\s+to\s+|\s+will\s+|\s+is going to\s+|\s+should\s+)\s*(.+)$`)
	sentence  = regexp.MustCompile(`^((?:` + handle + `|` + namePart + `)(?:\s*(?:,|&|and)\s*(?:` + handle + `|` + namePart + `))*)\s+(?:to|will|is going to|agreed to|volunteered to|has agreed to|'ll)\s+(` + verbs + `)\b(.*)$`)
	lowOwner  = regexp.MustCompile(`^([a-z][\w-]{2,30})\s+to\s+(` + verbs + `\b.*)$`)
	ownerTail = regexp.MustCompile(`\s*(?:[-–—(]|\bowner:?|\bassigned to:?|\bassignee:?)\s*(` + handle + `|` + namePart + `)\)?\.?$`)
)

// verbs begin what people promise to do in minutes.
const verbs = `(?:post|follow|send|write|draft|create|open|file|update|review|ask|check|reach|schedule|set|prepare|share|investigate|look|fix|add|merge|talk|contact|email|ping|propose|document|move|start|work|organi[sz]e|coordinate|bring|take|make|put|publish|submit|report|test|implement|finish|run|clean|close|get|find|talk|raise|summari[sz]e|confirm|provide|present|sync|drive|own|handle|remove|rename|split|invite|collect|circulate|explore|discuss|comment|respond|reply|approve|verify|design|migrate|deploy|release|announce|nominate|push|help|add|edit|revise|finali[sz]e|plan|define|measure|track|try|build|link|mail|sign|deliver|ship|refactor|upgrade|evaluate|research|arrange|book|call|message|chase)`

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
	return s.out
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
	columns []string // of a table of actions
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
	if s.code || trimmed == "" {
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
	s.section, s.depth, s.level = sectionOf(title), -1, -1
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
		low := strings.ToLower(title)
		if strings.HasPrefix(low, "apolog") || strings.HasPrefix(low, "regret") || strings.HasPrefix(low, "absent") {
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
		s.section, s.depth = plainSection, -1
	}
	if s.date.IsZero() {
		if rest, ok := cutFold(clean(body), "meeting date:", "date:", "when:"); ok {
			s.setDate(rest)
		}
	}
	text := clean(body)
	if next := sectionOf(text); next != plainSection && (strings.HasSuffix(text, ":") || bullet && len(text) < 40) {
		s.section, s.depth, s.level, s.loose = next, indent, -1, !bullet
		return
	}
	if m := peopleLine.FindStringSubmatch(text); m != nil {
		s.people(m[2], trimmed, strings.HasPrefix(strings.ToLower(m[1]), "apolog") || strings.HasPrefix(strings.ToLower(m[1]), "regret") || strings.HasPrefix(strings.ToLower(m[1]), "absent"), false)
		return
	}
	box := boxPattern.FindStringSubmatch(body)
	if s.section != plainSection && bullet && s.level < 0 {
		s.level = indent
	}
	own := bullet && indent <= s.level
	switch {
	case s.section == peopleSection || s.section == absentSection:
		s.people(text, trimmed, s.section == absentSection, true)
	case s.marked(text, trimmed):
	case box != nil && s.boxed(box, trimmed):
	case s.section == actionSection && own:
		s.action(text, "", trimmed, 0.85, false)
	case s.section == decisionSection && own:
		s.decision(text, trimmed)
	case s.section == questionSection && own:
		s.out.Questions = append(s.out.Questions, Question{Text: text, Topic: s.topic, Span: s.span(trimmed)})
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
	return strings.TrimSpace(strings.Trim(s, "*_"))
}

// marked reads lines that say what they are: ACTION: …, AI(name): …, Decision: ….
func (s *scanner) marked(text, quote string) bool {
	done := false
	if rest, ok := cutFold(text, "[done]", "done:", "✅"); ok && len(rest) > 3 {
		text, done = rest, true
	}
	if b := boxPattern.FindStringSubmatch(text); b != nil {
		text, done = strings.TrimSpace(b[2]), strings.EqualFold(b[1], "x")
	}
	if m := actionMark.FindStringSubmatch(text); m != nil {
		s.action(m[3], m[1]+m[2], quote, 0.95, done)
		return true
	}
	if m := decisionMark.FindStringSubmatch(text); m != nil {
		s.decision(m[1], quote)
		return true
	}
	if m := goalMark.FindStringSubmatch(text); m != nil && len(strings.Fields(m[2])) > 1 {
		s.out.Goals = append(s.out.Goals, Goal{Text: m[2], Sprint: m[1], Span: s.span(quote)})
		return true
	}
	if m := questionMark.FindStringSubmatch(text); m != nil {
		s.out.Questions = append(s.out.Questions, Question{Text: m[1], Topic: s.topic, Span: s.span(quote)})
		return true
	}
	return false
}

// boxed reads "[ ] name to …". A box whose text is only a link is an agenda's.
func (s *scanner) boxed(box []string, quote string) bool {
	text := clean(box[2])
	bare := strings.TrimSpace(linkPattern.ReplaceAllString(text, ""))
	if len(strings.Fields(bare)) < 3 {
		return false
	}
	owner, _ := ownerOf(text)
	if s.section != actionSection && owner == "" {
		return false
	}
	s.action(text, "", quote, 0.9, strings.EqualFold(box[1], "x"))
	return true
}

// prose reads sentences that promise or decide.
func (s *scanner) prose(text, quote string) {
	said := text
	if who, rest, ok := strings.Cut(text, ": "); ok && len(strings.Fields(who)) <= 3 { // "Tim: Ann will send it"
		said = rest
	}
	for _, t := range []string{text, said} {
		if m := sentence.FindStringSubmatch(t); m != nil && isName(m[1]) && !strings.HasSuffix(t, "?") {
			s.action(t, "", quote, 0.75, false)
			return
		}
	}
	if decisionSays.MatchString(said) {
		s.decision(said, quote)
	}
}

func (s *scanner) decision(text, quote string) {
	text = strings.TrimSpace(text)
	if len(strings.Fields(text)) < 2 {
		return
	}
	s.out.Decisions = append(s.out.Decisions, Decision{Text: text, Topic: s.topic, Date: s.date, Span: s.span(quote)})
}

func (s *scanner) action(text, owner, quote string, confidence float64, done bool) {
	text = strings.TrimSpace(text)
	if b := boxPattern.FindStringSubmatch(text); b != nil {
		text, done = strings.TrimSpace(b[2]), done || strings.EqualFold(b[1], "x")
	}
	low := strings.ToLower(strings.Trim(text, " .-"))
	if len(strings.Fields(text)) < 2 || slices.Contains([]string{"none", "n/a", "no actions", "none this week", "no action items"}, low) {
		return
	}
	if owner = strings.TrimPrefix(strings.TrimSpace(owner), "@"); owner == "" {
		owner, text = ownerOf(text)
	}
	a := Action{Text: text, Owner: owner, Done: done, Topic: s.topic, Date: s.date, Keys: Keys(text), Confidence: confidence, Span: s.span(quote)}
	if due, ok := DueDate(text, s.date); ok {
		a.Due = due
	}
	s.out.Actions = append(s.out.Actions, a)
}

// ownerOf finds who an action names: at its head ("Ann to …", "@ann: …") or its end
// ("… (Ann)", "… - @ann").
func ownerOf(text string) (owner, rest string) {
	if m := ownerHead.FindStringSubmatch(text); m != nil && isName(m[1]) {
		return strings.ReplaceAll(m[1], "@", ""), strings.TrimSpace(m[2])
	}
	if m := lowOwner.FindStringSubmatch(text); m != nil && isName(m[1]) {
		return m[1], m[2]
	}
	if strings.HasPrefix(text, "@") {
		name, after, _ := strings.Cut(text, " ")
		return strings.Trim(name, "@,:"), strings.TrimSpace(after)
	}
	if m := ownerTail.FindStringSubmatchIndex(text); m != nil && isName(text[m[2]:m[3]]) {
		return strings.TrimPrefix(text[m[2]:m[3]], "@"), strings.TrimSpace(text[:m[0]])
	}
	return "", text
}

// notNames begin sentences and are no people.
var notNames = []string{
	"the", "this", "that", "we", "it", "they", "there", "what", "who", "how", "when", "if", "also", "need", "needs", "everyone", "someone", "anyone", "nobody", "all",
	"team", "please", "next", "goal", "note", "notes", "update", "proposal", "decision", "action", "pr", "prs", "issue", "topic", "status", "discussion", "agenda", "link",
	"links", "time", "date", "continue", "plan", "review", "want", "you", "i", "he", "she", "but", "and", "so", "or", "no", "yes", "todo", "ai", "not", "would", "could",
	"should", "will", "can", "maybe", "users", "people", "wg", "sig", "working", "meeting", "background", "previous", "new", "old", "see", "in", "on", "at", "for", "is", "are",
	"was", "our", "your", "their", "his", "her", "its", "more", "some", "any", "each", "every", "then", "now", "later", "today", "tomorrow", "one", "two", "motion", "question",
	"answer", "reason", "option", "step", "first", "second", "third", "finally", "try", "work", "follow", "create", "add", "start", "ask", "looking", "going", "due", "owner",
	"kubernetes", "rust", "easier", "harder", "better", "difficult", "hard", "easy", "able", "ready", "happy", "similar", "related", "according", "thanks", "hope", "somebody", "github", "slack", "zoom", "google", "announcements", "announcement", "recording", "resolved", "resolution", "risk", "summary", "which", "where", "why",
}

func isName(s string) bool {
	for _, part := range regexp.MustCompile(`\s*(?:,|&|/|\+|\band\b)\s*`).Split(s, -1) {
		words := strings.Fields(strings.TrimPrefix(part, "@"))
		if len(words) == 0 || len(words) > 4 {
			return false
		}
		if slices.Contains(notNames, strings.ToLower(strings.Trim(words[0], ".:,"))) && !strings.HasPrefix(part, "@") {
			return false
		}
	}
	return true
}

// tableRow reads a row of a Markdown table of actions.
func (s *scanner) tableRow(line string) {
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = clean(cells[i])
	}
	if strings.Trim(strings.Join(cells, ""), "-: ") == "" {
		return
	}
	if s.columns == nil {
		s.columns = cells
		return
	}
	at := func(words ...string) string {
		for i, c := range s.columns {
			if i < len(cells) && slices.Contains(words, strings.ToLower(strings.Trim(c, ": "))) {
				return cells[i]
			}
		}
		return ""
	}
	text := at("action", "action item", "action items", "task", "todo", "what", "item")
	owner := at("owner", "assignee", "who", "responsible", "assigned to", "dri", "name")
	if text == "" || owner == "" && s.section != actionSection {
		return
	}
	s.action(text, strings.TrimPrefix(owner, "@"), line, 0.95, slices.Contains([]string{"done", "closed", "complete", "completed", "x", "yes"}, strings.ToLower(at("status", "done", "state"))))
	if due, ok := FindDate(at("due", "due date", "by", "when", "deadline", "date"), s.date); ok && len(s.out.Actions) > 0 {
		s.out.Actions[len(s.out.Actions)-1].Due = due
	}
}

// refs collects keys and links.
func (s *scanner) refs(line string) {
	for _, k := range Keys(line) {
		if !slices.ContainsFunc(s.out.Keys, func(o Key) bool { return o.Key == k }) {
			s.out.Keys = append(s.out.Keys, Key{k, s.span(k)})
		}
	}
	for _, m := range linkPattern.FindAllStringSubmatch(line, -1) {
		l := Link{URL: strings.TrimRight(m[0], ".,;:"), Span: s.span(m[0])}
		if m[2] != "" {
			l.URL, l.Title = m[2], m[1]
		}
		if !slices.ContainsFunc(s.out.Links, func(o Link) bool { return o.URL == l.URL }) {
			s.out.Links = append(s.out.Links, l)
		}
	}
}
