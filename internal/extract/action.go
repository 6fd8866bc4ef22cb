package extract

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"chela/internal/pattern"
)

func (s *scanner) decision(text, by, quote string, confidence float64) {
	s.proposal = nil // this says what came of it
	text = strings.TrimSpace(unstruck(text))
	if isWord(text) || placeholder.MatchString(text) || s.notTaken(text) || struckOut(quote) {
		return
	}
	if !isName(by) {
		by = ""
	}
	for _, o := range s.out.Decisions {
		if o.Span.Line == s.from+1 && (strings.Contains(o.Text, text) || strings.Contains(text, o.Text)) || o.Date.Equal(s.today()) && alike(o.Text, text) {
			return // the notes repeat it
		}
	}
	s.out.Decisions = append(s.out.Decisions, Decision{Text: text, By: strings.TrimPrefix(by, "@"), Topic: s.topic, Date: s.today(), Confidence: confidence, Span: s.span(quote)})
}

// alike reports texts that have nearly the same words.
func alike(a, b string) bool {
	x, y := strings.Fields(strings.ToLower(a)), strings.Fields(strings.ToLower(b))
	if len(x) < 4 || len(y) < 4 {
		return strings.EqualFold(a, b)
	}
	both := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			both++
		}
	}
	return both*5 >= max(len(x), len(y))*4
}

// isWord reports a text that is too short to say anything: one word, or three signs where words are not spaced.
func isWord(text string) bool {
	han := 0
	for _, r := range text {
		if unicode.Is(unicode.Han, r) {
			han++
		}
	}
	return len(strings.Fields(text)) < 2 && han < 4
}

var noActions = list("none, n/a, na, no actions, none this week, no action items, nothing, keine, tbd, no new actions, no action, none required, no action required, all done")

// appointment is when people meet, which is nobody's to do.
var appointment = pattern.New(`(?i)^(?:the )?(?:next )?(?:demo|meeting|call|session|review|workshop|sync|appointment|check-in)\s+(?:is |will be |again )?(?:on|at)\s[^.]{0,30}\d|\bwill (?:meet|reconvene)(?: again)?(?: on| next| in| at|$)`)

// timeBox is how long a topic takes.
var timeBox = pattern.New(`^\d{1,3}[ -]?min(?:ute)?s?(?: time-?box)?$`)

// action records an action; owner is who a mark names, and aside more of the mark that
// may say until when.
func (s *scanner) action(text, owner, quote string, confidence float64, done bool, aside string) {
	text = strings.TrimSpace(text)
	if b := boxPattern.FindStringSubmatch(text); b != nil {
		text, done = strings.TrimSpace(b[2]), done || strings.EqualFold(b[1], "x")
	}
	if m := statusHead.FindStringSubmatch(text); m != nil {
		text, done = m[2], done || slices.Contains([]string{"done", "closed", "completed"}, strings.ToLower(m[1]))
	}
	if at := doneTail.FindStringSubmatchIndex(text); at != nil {
		text, done = text[:at[0]], true
	}
	low := strings.ToLower(strings.Trim(text, " .-"))
	dropped := s.markedOff(text)
	if dropped {
		text = withoutMark(text)
	}
	if isWord(text) || !dropped && s.nothingToDo(text) || strings.HasPrefix(low, "nothing, ") || appointment.MatchString(text) || timeBox.MatchString(low) || placeholder.MatchString(text) || noTaskForm(text) {
		return
	}
	keys := Keys(text)
	if m := keyHead.FindStringSubmatch(text); m != nil && hasOwner(m[1]) {
		text = m[1]
	}
	mentions, text, due := s.behind(text)
	owner, dated := cmp.Or(owner, mentions), !due.IsZero()
	if !dated {
		due, dated = s.calendar().due(text)
	}
	if m := asideDay.FindStringSubmatchIndex(text); m != nil { // "(Ann, Friday)"
		if d, ok := s.wholeDay(text[m[4]:m[5]]); ok {
			due, dated, text = d, true, text[:m[3]]+")"
		}
	}
	if m := dueField.FindStringSubmatchIndex(text); m != nil && m[0] > 0 {
		if d, ok := s.day(text[m[2]:m[3]]); ok {
			due, dated = d, true
		}
		text = strings.TrimSpace(text[:m[0]] + " " + text[m[1]:])
	}
	if m := commaDay.FindStringSubmatchIndex(text); m != nil && !dated {
		if d, ok := s.wholeDay(text[m[2]:m[3]]); ok {
			due, dated = d, true
		}
	}
	if m := ownerTail.FindStringSubmatch(text); m != nil && !dated && isName(m[1]) { // "… — Ann, Friday"
		due, dated = s.wholeDay(m[2])
	}
	text = strings.Join(strings.Fields(unowned.ReplaceAllString(text, "")), " ")
	if m := dateTail.FindStringSubmatchIndex(text); m != nil && !dated && !hasTailOwner(text) {
		if d, ok := s.wholeDay(text[m[2]:m[3]]); ok {
			due, dated, text = d, true, strings.TrimSpace(text[:m[0]])
		}
	}
	if owner = strings.TrimPrefix(cmp.Or(instead(text), strings.TrimSpace(owner)), "@"); owner == "" {
		if owner, text = ownerOf(text); owner == "" {
			owner, text, due, dated = s.ownerBeside(text, due, dated)
		}
	}
	if dropped = dropped || s.markedOff(text); !dropped && s.nothingToDo(text) && !needNot.MatchString(text) { // "Ann: none"
		return
	}
	if owner == "" && s.owner != "" {
		owner = s.owner
	}
	if !dated {
		due, _ = s.calendar().due(aside)
	}
	s.add(Action{Text: strings.TrimSpace(text), Owner: owner, Due: due, Keys: keys, Done: done, Dropped: dropped, Confidence: confidence, Span: s.span(quote)})
}

// proseAction records what only a sentence says; text is its promise, unless that is
// one word.
func (s *scanner) proseAction(text, whole, owner, quote string, confidence float64) {
	if isWord(text) {
		text = whole
	}
	if placeholder.MatchString(text) || noTaskForm(whole) || okName.MatchString(owner) || s.nothingToDo(whole) || s.nothingToDo(text) || strings.Contains(whole, "~~") && struckOut(quote) {
		return
	}
	due, _ := s.calendar().due(text)
	s.prosaic = append(s.prosaic, len(s.out.Actions))
	if !s.add(Action{Text: text, Owner: owner, Due: due, Confidence: confidence, Span: s.span(quote)}) {
		s.prosaic = s.prosaic[:len(s.prosaic)-1]
	}
}

// add keeps an action; one that the notes repeat, as in a summary, is kept once.
func (s *scanner) add(a Action) bool {
	a.Topic, a.Date = s.topic, s.date
	if a.Keys == nil {
		a.Keys = Keys(a.Text)
	}
	same := strings.ToLower(a.Owner + "\n" + strings.Trim(a.Text, " .") + a.Date.Format("\n20060102"))
	if i, ok := s.kept[same]; ok {
		o := &s.out.Actions[i]
		o.Done, o.Dropped = o.Done || a.Done, o.Dropped || a.Dropped
		if o.Due.IsZero() {
			o.Due = a.Due
		}
		return false
	}
	if s.kept == nil {
		s.kept = make(map[string]int)
	}
	s.kept[same] = len(s.out.Actions)
	s.out.Actions = append(s.out.Actions, a)
	return true
}

// day reads what stands where a date is expected.
func (s *scanner) day(text string) (time.Time, bool) {
	text = strings.TrimSpace(text)
	if d, ok := s.calendar().relative(text); ok {
		return d, true
	}
	if d, ok := s.calendar().find(text); ok {
		return d, true
	}
	return s.calendar().due(text)
}

var (
	commaDay = pattern.New(`,\s*([^,()]{3,20})\.?$`)
	keyHead  = pattern.New(`^\[?[A-Z][A-Z0-9]{1,9}-\d{1,7}\]?\s*[:–-]?\s+(.+)$`)
	asideDay = pattern.New(`\(([^()]{2,60}),\s*([^(),]{3,20})\)\.?$`)
)

// statusHead is how an action stands, before it.
var statusHead = pattern.New(`(?i)^\[(open|done|closed|completed|blocked|in progress|wip|new|carried over)\]\s*(.+)$`)

// doneTail ends an action that is done: "… (done)".
var doneTail = pattern.New(`(?i)\s*[(\[](?:done|completed|erledigt)[)\]]\.?$`)

// unowned ends an action that is nobody's.
var unowned = pattern.New(`(?i)\s*(?:\s[-–—]\s*|[(\[]\s*)(?:owner:?\s*)?(?:unassigned|nobody|no owner|owner open|tbd|n\.?n\.?|offen)\s*[)\]]?\.?$`)

// dateTail ends an action: "… - 2026-03-05", "… (Friday)".
var dateTail = pattern.New(`(?:\s[-–—@]\s*|\s[(\[])([^()\[\]]{3,20})[)\]]?\.?$`)

// wholeDay reads a day that nothing else stands beside.
func (s *scanner) wholeDay(text string) (time.Time, bool) {
	if len(strings.Fields(text)) > 3 || !strings.ContainsAny(text, "0123456789") && len(strings.Fields(text)) > 2 {
		return time.Time{}, false
	}
	if d, ok := s.calendar().relative(text); ok {
		return d, true
	}
	return s.calendar().find(text)
}

var (
	detailOwner = pattern.New(`(?i)^(?:owners?|assignees?|assigned to|responsible|dri|who|verantwortlich|zuständig)\s*:\s*((?-i:` + nameList + `|[a-z][\w-]{2,30}))\.?$`)
	detailDue   = pattern.New(`(?i)^(?:due(?: date)?|deadline|by|by when|when|eta|fällig|bis|termin)\s*:\s*(.{2,40})$`)
	nameAlone   = pattern.New(`^(` + nameList + `)\s*:?$`)
)

// detail reads "Owner: Ann" and "Due: Friday" below an action.
func (s *scanner) detail(text string) bool {
	if len(s.out.Actions) == 0 {
		return false
	}
	a := &s.out.Actions[len(s.out.Actions)-1]
	if s.at+1-a.Span.EndLine > 3 || a.Topic != s.topic {
		return false
	}
	if m := detailOwner.FindStringSubmatch(text); m != nil && isName(m[1]) && a.Owner == "" {
		a.Owner = strings.ReplaceAll(m[1], "@", "")
		return true
	}
	if m := detailDue.FindStringSubmatch(text); m != nil {
		if d, ok := s.day(m[1]); ok {
			a.Due = d
			return true
		}
	}
	return false
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
