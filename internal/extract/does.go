package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

// telling are verbs with which minutes say what somebody said, showed or felt, not what is to be done.
var telling = set(list("present, share, report, discuss, comment, explain, show, suggest, propose, describe, mention, raise, announce, demo, summarize, summarise, walk, confirm, move, point, provide, run, lead, own, track, plan, work, read, support, stop, start, try, look, note, approve, reject, recommend, continue, count, estimate, see, tell us, agree, outline, introduce, cover, lead, count, help us, identify, measure, decide, demonstrate, leave, join, switch, need, sync, print, reopen, push back, repeat, request, connect, use, process, visit, draw, like, list, watch, remind, speak, talk, welcome, restart, resolve, improve, increase, act, stand, walk through, point out"))

var (
	doesBoth   = pattern.New(`^(` + nameList + `)\s+([a-z]{3,})\b(\s.*)?$`)
	afterComma = pattern.New(`^.*?(?:[,;]\s+(?:and |so |but |then )?|\sand\s)(` + nameList + `\s+[a-z]{3,}s?\s.*)$`)
	// ofMeetings is what is done in a meeting.
	ofMeetings  = pattern.New(`(?i)^\s*(?:the |this |our )?(?:meeting|session|discussion|call|floor|round|minutes)\b`)
	talksTo     = pattern.New(`(?i)^(?:talk|speak) (?:to|with)\s`)
	makesPoint  = pattern.New(`(?i)^(?:make (?:sense|the (?:case|point)|a (?:case|point)|it clear)|take (?:the point|notes|part|place|over from|note)|bring up|put forward)\b`)
	asksThat    = pattern.New(`(?i)^\s*(?:everybody|everyone|all|members|people|if|whether|why|what|how|about|who|when|where|for|that|:)\b`)
	pronoun     = pattern.New(`^(?i:he|she|they)(?:['’]ll|\s+(?:` + promises + `))\s+([a-z][a-z-]+)\b(.*)$`)
	pronounDoes = pattern.New(`^(?i:he|she)\s+([a-z]{3,}s)(\s.+)$`)
	withOther   = pattern.New(`^(?:She|He|They|she|he)\s+and\s+(` + namePart + `)\s+(?:` + promises + `)\s+(` + verbs + `\b.*)$`)
	opens       = pattern.New(`^((?:` + handle + `|` + namePart + `))\b`)
	toldTo      = pattern.New(`^(` + nameList + `)\s+(?:was|were|is|are|will be|has been|have been)\s+(?:asked|told|requested|tasked|instructed|directed)\s+(?:to|with)\s+(.+)$`)
	directs     = pattern.New(`^(?i:the (?:\w+ )?(?:board|committee|council|group|team|chair|panel|meeting|trustees|directors|members|partners)|we|\p{Lu}[\pL]+)\s+(?:asked|directed|instructed|requested|tasked)\s+(` + nameList + `|staff|the secretariat|the secretary|management|counsel)\s+to\s+(` + verbs + `\b.*|return\b.*)$`)
	handedTo    = pattern.New(`^(.{6,}?)\s*(?:→|->|=>|➡\x{FE0F}?)\s*(` + nameList + `)(\s*[,(].{2,40})?\.?$`)
	toBeDone    = pattern.New(`(?i)^` + verbs + `\b|\b(?:to|must|should|needs?|please|by|until|bis)\s|[:,]\s+` + verbs + `\b`)
	byWhom      = pattern.New(`(?i)^(follow[- ]?up\b.+?)\s+by\s+((?-i:` + nameList + `))(.*)$`)
	// assignedTo says whose the sentence before it is.
	assignedTo = pattern.New(`^(?i:assigned to|owned by|owner is|responsible is|owner|assignee|dri|responsible|lead)\s*:?\s+(` + nameList + `)\.?$`)
	byName     = pattern.New(`^(\S.{4,}?\b(?:to|will|should|must) be (?:\w+ ){0,2}\w+(?:ed|en|t|ne)(?:\s\S+){0,6}?)\s+by\s+(` + nameList + `)\b.*$`)
	pleaseDo   = pattern.New(`^(` + nameList + `)[,:]?(?:\s+you)?\s+(?i:please|pls|kindly)\s+(` + verbs + `\b.*)$`)
	inAside    = pattern.New(`^(.{6,}?)\s*\((` + nameList + `)(?:\s*,\s*([^()]{2,40}))?\)\.?$`)
)

// does reads "Ann sends it to them" in notes: what somebody of those that were there does, not what is told of her.
func (s *scanner) does(one, quote string) bool {
	if m := matchIf(strings.ContainsAny(one, ",;") || strings.Contains(one, " and "), afterComma, one); m != nil {
		whole := s.doing(one, quote)
		if rest := s.doing(m[1], quote); rest || whole {
			return true
		}
	}
	return s.doing(one, quote)
}

// thing is nothing of which one knows what it is.
var thing = pattern.New(`^\s*(?:|it|that|this|them|so)\s*[.!]?$`)

// topicLabel stands before a sentence.
var topicLabel = pattern.New(`^[^:]{3,40}:\s+([@\p{Lu}].+)$`)

func (s *scanner) doing(one, quote string) bool {
	m := doesBoth.FindStringSubmatch(one)
	if m == nil || !isName(m[1]) || !s.knowsAll(m[1]) || thing.MatchString(m[3]) {
		return false
	}
	verb := m[2]
	if several := len(nameJoint.Split(m[1], -1)) > 1; !several {
		if !strings.HasSuffix(verb, "s") {
			return false
		}
		verb = infinitive(verb)
	}
	_, due := s.calendar().due(one)
	if task := verb + m[3]; !verbFirst.MatchString(task) && verb != "sign" && verb != "carry" && verb != "set" && (verb != "do" || len(strings.Fields(m[3])) < 2) || verb == "propose" || verb == "suggest" || verb == "ask" && asksThat.MatchString(m[3]) || !due && (telling[verb] && !talksTo.MatchString(verb+m[3]) || ofMeetings.MatchString(m[3]) || makesPoint.MatchString(verb+m[3])) {
		return false
	}
	s.proseAction(one, one, strings.ReplaceAll(m[1], "@", ""), quote, 0.65)
	return true
}

// promisedInNotes reads promises that only the notes around them say whose they are.
func (s *scanner) promisedInNotes(one, before, who, quote string) bool {
	if m := withOther.FindStringSubmatch(one); m != nil && who == "" && isName(m[1]) && s.spokenOf() != "" {
		s.proseAction(m[2], one, s.spokenOf()+", "+m[1], quote, 0.65)
		return true
	}
	if m := pronounDoes.FindStringSubmatch(one); m != nil && who == "" && s.spokenOf() != "" && verbFirst.MatchString(infinitive(m[1])+m[2]) {
		if _, due := s.calendar().due(one); due {
			s.proseAction(one, one, s.spokenOf(), quote, 0.6)
			return true
		}
	}
	if m := pronoun.FindStringSubmatch(one); m != nil && who == "" && !theyAgreed.MatchString(one) && (!slices.Contains(idle, m[1]) || verbFirst.MatchString(m[1]+m[2])) {
		if of := s.spokenOf(); of != "" {
			s.proseAction(m[1]+m[2], one, of, quote, 0.65)
			return true
		}
	}
	if m := owes.FindStringSubmatch(one); m != nil {
		by := who
		if by == "" {
			by = s.author
		}
		s.proseAction(m[1], one, by, quote, 0.65)
		return true
	}
	if s.saidTo(one, who, quote) || s.severalTo(one, quote) {
		return true
	}
	if m := directs.FindStringSubmatch(one); m != nil && who == "" {
		s.proseAction(m[2], one, strings.TrimPrefix(m[1], "the "), quote, 0.7)
		s.directed = append(s.directed, len(s.out.Actions)-1)
		return true
	}
	if m := assignedTo.FindStringSubmatch(one); m != nil && isName(m[1]) && before != "" && who == "" && (verbFirst.MatchString(before) || toBeDone.MatchString(before) || !strings.Contains(one, ":")) {
		s.proseAction(before, before, strings.ReplaceAll(m[1], "@", ""), quote, 0.7)
		return true
	}
	if m := byName.FindStringSubmatch(one); m != nil && isName(m[2]) && s.knowsAll(m[2]) {
		s.proseAction(one, one, strings.ReplaceAll(m[2], "@", ""), quote, 0.7)
		return true
	}
	if m := pleaseDo.FindStringSubmatch(one); m != nil && isName(m[1]) && s.knowsAll(m[1]) {
		s.proseAction(m[2], one, strings.ReplaceAll(m[1], "@", ""), quote, 0.7)
		return true
	}
	if m := toldTo.FindStringSubmatch(one); m != nil && isName(m[1]) && (s.knowsAll(m[1]) || len(s.out.Attendees) == 0) {
		s.proseAction(m[2], one, m[1], quote, 0.7)
		return true
	}
	if s.handed(one, who, quote) || s.arrowed(one, quote) {
		return true
	}
	if m := handedTo.FindStringSubmatch(one); m != nil && isName(m[2]) && s.knowsAll(m[2]) && toBeDone.MatchString(m[1]) {
		s.proseAction(m[1]+m[3], one, strings.ReplaceAll(m[2], "@", ""), quote, 0.7)
		return true
	}
	if m := byWhom.FindStringSubmatch(one); m != nil && isName(m[2]) && (s.knowsAll(m[2]) || len(s.out.Attendees) == 0) {
		s.proseAction(m[1]+m[3], one, m[2], quote, 0.7)
		return true
	}
	if who == "" && s.voice == "" && promisesSelf(one) {
		p := firstPerson.FindStringSubmatch(selfLed(one))
		_, due := s.calendar().due(p[3])
		if p[1] == "" && (due || verbFirst.MatchString(p[2]+p[3])) {
			by := s.author
			if s.lead != "" && bulletPattern.MatchString(quote) {
				by = s.lead
			}
			s.proseAction(p[2]+p[3], one, by, quote, 0.6)
			return true
		}
	}
	return s.promisedWithin(one, who, quote)
}

// letterTo hands something to one of two people by the letter of his name: "A → write it".
var letterTo = pattern.New(`^(?:[a-z][a-z -]{2,15}:\s+)?([A-Z])\s*(?:→|->|=>)\s*(` + verbs + `\b.*)$`)

// handed reads what is handed to somebody by her name, a number or a letter.
func (s *scanner) handed(one, who, quote string) bool {
	if m := youDo.FindStringSubmatch(one); m != nil && isName(m[1]) && s.knowsAll(m[1]) {
		s.proseAction(m[2], one, m[1], quote, 0.65)
		return true
	}
	if who == "" && s.handedOver(one, quote) {
		return true
	}
	if m := actionOn.FindStringSubmatch(one); m != nil && isName(m[1]) {
		s.proseAction(m[2], one, m[1], quote, 0.7)
		return true
	}
	if m := letterTo.FindStringSubmatch(one); m != nil && who == "" && len(s.present) == 2 && s.meant(m[1], true) != "" {
		s.proseAction(m[2], one, s.meant(m[1], true), quote, 0.65)
		return true
	}
	return false
}

// actionOn speaks of an action by its number: "action 21/4 on Ann to write".
var actionOn = pattern.New(`\b(?i:action)\s+[\w/.-]{1,8}\s+on\s+(` + nameList + `)\s+to\s+(` + verbs + `\b.*)$`)

// theyAgreed is of several who agree on something.
var theyAgreed = pattern.New(`^(?i:they)\s+(?:unanimously )?agreed\s`)

// promisedWithin reads promises that stand in brackets or behind a topic.
func (s *scanner) promisedWithin(one, who, quote string) bool {
	for _, m := range bracketPromise.FindAllStringSubmatch(one, -1) { // "11 or 12 May (Ann to run a poll)"
		if s.promised(m[1], quote) {
			return true
		}
	}
	if m := promisedThing.FindStringSubmatch(one); m != nil && isName(m[1]) && s.knowsAll(m[1]) {
		if _, due := s.calendar().due(m[2]); due {
			s.proseAction(m[2], one, strings.ReplaceAll(m[1], "@", ""), quote, 0.65)
			return true
		}
	}
	if m := topicLabel.FindStringSubmatch(one); m != nil && who == "" && !condition.MatchString(one) && s.promisedInNotes(m[1], "", who, quote) {
		return true
	}
	return s.inBrackets(one, quote)
}

var (
	bracketPromise = pattern.New(`\((\p{Lu}[^()]+\s(?:to|will)\s[^()]+)\)`)
	promisedThing  = pattern.New(`^(` + nameList + `)\s+(?:promised|promises)\s+([^t].+)$`)
)

// arrowed reads what stands behind an arrow inside a line: "design is missing => Ann asks Bo", "… => call them (me)".
func (s *scanner) arrowed(one, quote string) bool {
	m := pointsTo.FindStringSubmatch(one)
	if m == nil {
		return false
	}
	if mine := byMe.FindStringSubmatch(m[1]); mine != nil && verbFirst.MatchString(mine[1]) {
		s.proseAction(mine[1], mine[1], s.author, quote, 0.65)
		return true
	}
	if p := anyTail.FindStringSubmatch(m[1]); p != nil && isName(p[2]) && s.knowsAll(p[2]) && verbFirst.MatchString(p[1]) {
		s.proseAction(m[1], one, p[2], quote, 0.7)
		return true
	}
	if mine := iDo.FindStringSubmatch(m[1]); mine != nil && verbFirst.MatchString(mine[1]) {
		s.proseAction(mine[1], mine[1], s.author, quote, 0.65)
		return true
	}
	if p := doesBoth.FindStringSubmatch(m[1]); p != nil && isName(p[1]) && s.actsIn(p[1], p[2], p[3], m[1]) {
		s.proseAction(m[1], m[1], strings.ReplaceAll(p[1], "@", ""), quote, 0.65)
		return true
	}
	if p := pronoun.FindStringSubmatch(m[1]); p != nil && !slices.Contains(idle, p[1]) {
		if s.subjectOf(one); s.subjectAt == s.from && s.subject != "" {
			s.proseAction(p[1]+p[2], m[1], s.subject, quote, 0.65)
			return true
		}
	}
	return s.promised(m[1], quote)
}

var (
	pointsTo = pattern.New(`^.*\s(?:=>|->|→|➡)\s+(\S.{6,})$`)
	iDo      = pattern.New(`^I\s+(\S+\s.+)$`)
	owes     = pattern.New(`(?i)^(?:and |so )?I owe (?:you|him|her|them|us|everyone|everybody|\S+) (.{4,})$`)
	byMe     = pattern.New(`^(.+?)\s*\((?:me|I)\)\.?$`)
)

var (
	saidShe    = pattern.New(`^(` + nameList + `)\s+(?:said|says|mentioned|confirmed|noted|added|stated)\s+(?:that\s+)?(?:he|she|they)(?:['’]ll|['’]d|\s+(?:will|would|is going to|are going to))\s+(` + verbs + `\b.*)$`)
	dueShould  = pattern.New(`^(` + nameList + `)\s+(?:should|can|could|may)\s+(` + verbs + `\b.*)$`)
	assignedBy = pattern.New(`^(.{6,}?)\s+(?:(?:is|was|are|were) )?(?:assigned|given|delegated) to\s+(` + nameList + `)\.?$`)
	several    = pattern.New(`^(` + nameList + `)\s*(?:\(([^()]{2,30})\))?:\s+(` + verbs + `\b.*)$`)
)

// saidTo reads what somebody is told to have promised, or should do by a day, or was given.
func (s *scanner) saidTo(one, who, quote string) bool {
	if m := saidShe.FindStringSubmatch(one); m != nil && who == "" && isName(m[1]) && (s.knowsAll(m[1]) || len(s.out.Attendees) == 0) {
		s.proseAction(m[2], one, m[1], quote, 0.7)
		return true
	}
	if m := dueShould.FindStringSubmatch(one); m != nil && who == "" && isName(m[1]) && s.knowsAll(m[1]) {
		if _, due := s.calendar().due(m[2]); due {
			s.proseAction(m[2], one, strings.ReplaceAll(m[1], "@", ""), quote, 0.6)
			return true
		}
	}
	if m := assignedBy.FindStringSubmatch(one); m != nil && isName(m[2]) && s.knowsAll(m[2]) {
		s.proseAction(m[1], one, strings.ReplaceAll(m[2], "@", ""), quote, 0.7)
		return true
	}
	return false
}

// severalTo reads "Ann & Bo: book the room", "Ann (by Friday): …", and a task with its owner behind it.
func (s *scanner) severalTo(one, quote string) bool {
	if m := several.FindStringSubmatch(one); m != nil && isName(m[1]) && s.knowsAll(m[1]) && (m[2] != "" || len(nameJoint.Split(m[1], -1)) > 1) {
		task := m[3]
		if m[2] != "" {
			task += " (" + m[2] + ")"
		}
		s.proseAction(task, one, strings.ReplaceAll(m[1], "@", ""), quote, 0.7)
		return true
	}
	if !verbFirst.MatchString(one) || !s.begun || len(strings.Fields(one)) < 4 {
		return false
	}
	owner, _ := tailOwner(one)
	if owner == "" {
		if m := atEnd.FindStringSubmatch(one); m != nil {
			owner = m[1]
		}
	}
	if owner == "" || !s.knowsAll(owner) {
		return false
	}
	s.action(one, owner, quote, 0.7, false, "")
	return true
}

var atEnd = pattern.New(`\s@([\w-]{1,38})[.!]?$`)

// inBrackets reads "report to Cy (Ann, by Thursday)".
func (s *scanner) inBrackets(one, quote string) bool {
	m := inAside.FindStringSubmatch(one)
	if m == nil || !isName(m[2]) || !s.knowsAll(m[2]) || len(strings.Fields(m[1])) < 3 {
		return false
	}
	_, due := s.calendar().due(m[3])
	if _, whole := s.wholeDay(m[3]); !due && !whole && !(verbFirst.MatchString(m[1]) && bulletPattern.MatchString(quote)) {
		return false
	}
	s.action(one, "", quote, 0.7, false, "")
	return true
}

// spokenOf is whom "she" means: the subject of the sentences before, or the one person that the title names.
func (s *scanner) spokenOf() string {
	if s.subject != "" && (s.from == s.subjectAt || s.from-s.subjectAt == 1 && !bulletPattern.MatchString(s.lines[s.from])) {
		return s.subject
	}
	if len(s.named) == 1 {
		return s.named[0]
	}
	return ""
}

var capitalised = pattern.New(`\p{Lu}[\pL'’-]+`)

// subjectOf keeps whom a sentence begins with, for the "she" of the next one.
func (s *scanner) subjectOf(one string) {
	if m := opens.FindStringSubmatch(one); m != nil && isName(m[1]) && (s.knows(m[1]) || len(s.out.Attendees) == 0 && len(strings.Fields(m[1])) > 1) {
		s.subject, s.subjectAt = strings.TrimPrefix(m[1], "@"), s.from
		return
	}
	only := ""
	for _, word := range capitalised.FindAllString(one, -1) {
		if isName(word) && s.knows(word) {
			if only != "" && only != word {
				return
			}
			only = word
		}
	}
	if only != "" {
		s.subject, s.subjectAt = only, s.from
	}
}
