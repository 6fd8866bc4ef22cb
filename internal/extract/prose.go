package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chela/internal/pattern"
)

var (
	// spokenTask begins with what to do.
	spokenTask  = pattern.New(`(?i)^((?:(?:please|pls|kindly)\s+)?(` + verbs + `)\b.*)$`)
	please      = pattern.New(`(?i)^(?:please|pls|kindly)\s+`)
	lost        = pattern.New(`(?i)\b(?:failed|fails|defeated|lost|died|dies|withdrawn|tabled|not (?:carried|passed|approved|adopted))\b`)
	pointsAt    = pattern.New(`^(` + nameList + `)\s*(?:→|->|=>|➡\x{FE0F}?)\s*(\S+\s+\S.*)$`)
	handed      = pattern.New(`^(` + nameList + `)(?:\s*(?:→|->|=>|➡\x{FE0F}?)|(\s[-–—]))\s*((?i:` + verbs + `)\b.*)$`)
	anyVerb     = pattern.New(`^(` + nameList + `)(?:\s+` + promises + `|['’]ll)\s+([a-z][a-z-]+)\b(.*)$`)
	doesIt      = pattern.New(`^(` + nameList + `)\s+will\s+(?:also\s+)?((?:do|take) (?:it|this|that|the|a|an|another)\s+\S.*)$`)
	germanTells = pattern.New(`\s(?:stellt\s.*\svor|macht\s.*\saufmerksam|bringt\s.*\sein|spricht\s.*\san|zeigt|führt\s.*\saus|gibt\s.*(?:überblick|bekannt)|nimmt\s.*\steil|fragt,?\s+(?:ob|wie|wann|was|wer|warum))\b`)
	germanWill  = pattern.New(`^\S+(?:\s+\S+)?\s+will\s+(?:den|die|das|der|dem|ein|eine|einen|nur|nicht|auch|kein|keine|wissen)\b`)
	assigned    = pattern.New(`^(` + nameList + `)(?:\s+(?:takes(?: on| over| care of)?|owns|picks up|handles|drives|looks after|looks into|sees to|deals with|gets back to|chases|volunteers for|signs up for|follows up (?:on|with)|is (?:responsible for|in charge of|taking(?: on| over)?))\s+|['’]s taking(?: on| over)?\s+)(.+)$`)
	noTask      = pattern.New(`(?i)^(?:(?:the )?(?:point|blame|floor|view|nothing|notes|minutes|leave|vacation|holidays?|pto|part|place|time|issue|turns?|questions?)|(?:over )?(?:from|for))\b`)
	germanTask  = pattern.New(`^(` + nameList + `):?\s+(?:(bis\s.*\pL(?:en|ern|eln))|(.*\pL(?:en|ern|eln),?\s+bis\s.*))\.?$`)
	hanTask     = pattern.New(`^由?(\p{Han}{2,4}?)(?:负责|将|会)(.+)$`)
	canDo       = pattern.New(`(?i)^(?:(?:ok(?:ay)?|sure|yes|yeah|great|good|cool|fine|then|so|and)[,.!]?\s+)*I can\s+(?:also\s+|then\s+)?(` + verbs + `\b.*)$`)
	// toDoes is what a line says that its speaker does: "writes the report until Friday".
	toDoes = pattern.New(`^([a-z]{3,}s)(\s.+)$`)
	// needTo says what is to be done, and doThat that its speaker does it.
	needTo = pattern.New(`(?i)^(?:\w+[,.]?\s+){0,2}I (?:need|have|want|still have) to (` + verbs + `\b[^.]*)`)
	doThat = pattern.New(`(?i)^(?:\w+[,.]?\s+){0,2}I(?:['’]ll| will) do (?:that|it|this)(\s.*)$`)
	// dueSelf is what a speaker is doing, plans, has to or can do, which counts where a day stands beside it.
	dueSelf = pattern.New(`(?i)^(?:\w+[,.]?\s+){0,3}?I(?:(?:['’]m| am|['’]ll be| will be)\s+([a-z]{3,}ing)|\s+(?:need|have|plan|want|intend|aim|hope) to\s+([a-z]+)|\s+can\s+(do))\b(.*)$`)
	dashed  = pattern.New(`^(` + nameList + `)\s[–—-]\s+(.+)$`)
	// interjected stands inside a promise: "Ann will, time permitting, call".
	interjected = pattern.New(`\b(will|to|shall),\s[^,.]{2,40},\s`)
	startsWill  = pattern.New(`(?i)^.*?[,;]\s+(?:and\s+)?(will\s+(?:also\s+)?` + verbs + `\b.*)$`)
	takesOver   = pattern.New(`^\S+(?:\s+\S+)?\s+(?:übernimmt|kümmert sich)\b`)
	inFront     = pattern.New(`^[\[(](` + nameList + `)[\])]:?\s+((?:will|to)\s.*)$`)
	label       = pattern.New(`^(\pL[\pL /&-]{2,40}|\d{4}-\d{2}-\d{2}|[A-Z][A-Z0-9]{1,9}-\d{1,7}|#\d{1,7}):\s+(.+)$`)
	supposed    = pattern.New(`(?i)^(?:options?|proposals?|alternatives?|examples?|ideas?|suggestions?|questions?|previous|last|old|if)\b`)
	agendaVerb  = pattern.New(`(?i)^(?:talk|discuss|speak|present|demo|show)\b`)
	proposed    = pattern.New(`(?i)^(?:proposed|draft|straw ?poll)\b`)
)

// prose reads sentences that promise, decide or leave open.
func (s *scanner) prose(text, quote string) {
	who, said, sure := s.speechIn(text)
	if who != "" {
		s.sentOn(text)
	}
	if m := dashed.FindStringSubmatch(text); m != nil && who == "" && isName(m[1]) && s.knowsAll(m[1]) && !verbFirst.MatchString(m[2]) { // "Ann – was away, will call them"
		who, said = m[1], m[2]
		s.subject, s.subjectAt, s.about = who, s.from, true
		s.sentences(who, said, quote, false)
		s.about = false
		return
	}
	if who != "" && !sure && len(s.out.Attendees) >= 2 && !s.knows(who) { // "Office: we take it"
		if s.marked(text, quote) {
			return
		}
		s.sentences("", said, quote, s.carriedMotion(said, quote))
		return
	}
	if who != "" && !sure && !s.knows(who) && verdictTail.MatchString(text) && !minutesOnly.MatchString(text) { // "Salary: 3 % more, agreed"
		s.decision(text, "", quote, 0.7)
		return
	}
	if who == "" && s.voice != "" {
		who = s.voice
		if s.accepted[s.from] || s.asked(said, quote) {
			return
		}
	} else if who != "" && s.told(who, said, quote, sure) {
		return
	}
	if who == "" {
		if who, said = s.continued(text); who == "" {
			said = unlabelled(text)
		} else if s.marked(said, quote) {
			return
		}
	}
	if who == "" && s.agreedInline(said, quote) {
		return
	}
	voted := s.carriedMotion(said, quote)
	if m := matchIf(strings.Contains(said, ":"), inside, said); m != nil && !proposed.MatchString(said) && s.marked(m[1], quote) {
		return
	}
	if strings.Contains(said, "?") {
		if m := askedOpen.FindStringSubmatch(said); m != nil {
			s.question(m[1], quote, 0.85)
			return
		}
	}
	if m := byAuthor.FindStringSubmatch(text); m != nil && verbFirst.MatchString(m[1]) { // "me: find it out"
		s.proseAction(m[1], m[1], s.author, quote, 0.65)
		return
	}
	if m := matchIf(text[0] == '@', atTask, text); m != nil {
		s.proseAction(m[2]+m[3], text, strings.ReplaceAll(m[1], "@", ""), quote, 0.75)
		return
	}
	s.sentences(who, said, quote, voted)
}

// sentences reads what each sentence of a line says.
func (s *scanner) sentences(who, said, quote string, voted bool) {
	decided, before := len(s.out.Decisions), ""
	if who == "" && s.from-s.lastAt <= 1 && verdictAlone.MatchString(said) { // below what it is about
		before = s.last
	}
	for i, one := range sentences(said) {
		one = strings.TrimRight(one, "~; ")
		one = strings.TrimSpace(fillers.ReplaceAllString(one, " "))
		if one = asPromised.ReplaceAllString(one, ""); s.leads && who == "" {
			one = leadLabel.ReplaceAllString(one, "")
		}
		one = s.bearers(tagged.ReplaceAllString(interjected.ReplaceAllString(one, "$1 "), ""))
		if other, words := s.interrupts(one, i); other != "" { // "Ann: can we? Bo: yes, I'll ask"
			who, one = other, words
		}
		if m := matchIf(i > 0 && strings.HasPrefix(one, "@"), atTask, one); m != nil {
			s.proseAction(m[2]+m[3], one, strings.ReplaceAll(m[1], "@", ""), quote, 0.75)
			continue
		}
		if i > 0 && s.asked(one, quote) {
			continue
		}
		nothing, acted := false, len(s.out.Actions)
		switch {
		case questionSays.MatchString(one):
			s.question(one, quote, 0.6)
		case s.requests(one, who, quote), s.takesNeeded(one, who, quote):
		case who != "" && s.takesSelf(one, who, quote):
		case andMe.MatchString(one) && s.clause(one, who, quote):
		case strings.HasSuffix(one, "?"), i > 0 && (s.markedAction(one, quote, false) || s.markedDecision(one, quote)):
		case s.promised(one, quote), who != "" && s.promisedByMe(one, who, quote), s.promisedInNotes(one, before, who, quote), who == "" && s.leads && s.promisedByMe(one, s.lead, quote):
			s.clause(one, who, quote)
		case s.clause(one, who, quote):
		case voted && (carried.MatchString(one) || moved.MatchString(one)), s.decidedIn(one, before, who, quote):
		default:
			nothing = true
		}
		if before = ""; nothing {
			before = one
		} else if parts := s.clausesOf(one); len(parts) > 1 && len(s.out.Actions) > acted {
			s.clause(one, who, quote)
		}
		s.subjectOf(one)
	}
	s.last, s.lastAt = before, s.from
	if who != "" {
		s.proposes(who, said, quote, len(s.out.Decisions) > decided)
	}
}

// andMe begins what somebody and the speaker do.
var andMe = pattern.New(`^` + namePart + `\s+(?:and|&)\s+I\s`)

// interrupts reads who else begins to speak within a line.
func (s *scanner) interrupts(one string, at int) (who, said string) {
	if at == 0 || !strings.Contains(one, ": ") {
		return "", one
	}
	if who, said, _ = speech(one); who == "" || !s.knows(who) {
		return "", one
	}
	return who, said
}

// unlabelled leaves "Ann will ask" of "[Ann] will ask", of "Status: Ann will ask" and of a link before it, and
// "consensus to close" of "[consensus to close]".
func unlabelled(text string) string {
	if inner, ok := strings.CutSuffix(text[1:], "]"); ok && text[0] == '[' && decisionSays.MatchString(inner) {
		return inner
	}
	if !promising(text) {
		return text
	}
	if text[0] == '[' || text[0] == '(' || strings.HasPrefix(text, "http") {
		if m := inFront.FindStringSubmatch(text); m != nil && isName(m[1]) {
			return m[1] + " " + m[2]
		}
		if at := linkPattern.FindStringSubmatchIndex(text); at != nil && at[0] == 0 {
			if rest := strings.TrimLeft(text[at[1]:], " :,–-"); sentence.MatchString(rest) {
				return rest
			}
		}
		return text
	}
	if m := label.FindStringSubmatch(text); m != nil && sentence.MatchString(m[2]) && !supposed.MatchString(m[1]) {
		return m[2]
	}
	return text
}

// told reads a line of somebody's words that says as a whole what it is.
func (s *scanner) told(who, said, quote string, sure bool) bool {
	if m := spokenTask.FindStringSubmatch(said); m != nil && !sure && isName(who) && !agendaVerb.MatchString(said) { // "Ann: send it by Friday"
		if _, ok := s.calendar().due(said); ok {
			if !please.MatchString(said) {
				s.turn(who, quote, sure)
			}
			task := please.ReplaceAllString(said, "")
			s.proseAction(task, task, who, quote, 0.7)
			return true
		}
	}
	if s.germanBrief(who, said, quote, sure) {
		return true
	}
	if !sure && germanTask.MatchString(who+": "+said) && s.knowsAll(who) && s.promised(who+": "+said, quote) {
		return true
	}
	s.turn(who, quote, sure)
	if m := scribesCall.FindStringSubmatch(said); m != nil {
		name := m[2]
		if name == "" || name == "me" {
			name = who
		}
		s.people(name, quote, strings.EqualFold(m[1], "regrets"), false)
		return true
	}
	s.introduced(who, said, quote)
	if m := botMark.FindStringSubmatch(said); m != nil {
		said = m[1] + ": " + m[2]
	}
	if of := sectionOf(said); of == actionSection {
		s.lists = who
		return true
	}
	if m := bulletPattern.FindStringSubmatch(said); m != nil && s.lists == who {
		author := s.author
		s.author = who
		s.section = actionSection
		s.listedAction(m[2], quote)
		s.section, s.author = plainSection, author
		return true
	}
	s.lists = ""
	return s.marked(said, quote) || sure && s.peopleLine(said, quote) || s.accepted[s.from] || s.asked(said, quote)
}

// botMark is how a log's bot is told: "#action Ann to call".
var botMark = pattern.New(`(?i)^#(action|agreed|decision|accepted)\s+(.+)$`)

// scribesCall is how those who are in a log's meeting say so.
var scribesCall = pattern.New(`(?i)^(present|regrets)\+:?\s*(.*)$`)

var (
	atDash      = pattern.New(`^(` + handle + `)\s[–—-]\s+(\S.*)$`)
	offDuty     = pattern.New(`(?i)^(?:nothing|none|no news|no update|out|ooo|off|sick|away|absent|vacation|on leave|pto|n/a)\b`)
	infinitives = pattern.New(`^\p{Lu}(?:\S+\s+){1,8}\pL+(?:en|ern|eln)\.?$`)
)

// germanBrief reads "Anna: Vertrag kündigen" in a list.
func (s *scanner) germanBrief(who, said, quote string, sure bool) bool {
	if sure || !bulletPattern.MatchString(quote) || !infinitives.MatchString(said) || !s.knowsAll(who) {
		return false
	}
	s.proseAction(said, said, who, quote, 0.7)
	return true
}

// promised reads a sentence that says who will do something: with a verb that minutes often have, or
// any, when it is one of the people that were there.
func (s *scanner) promised(one, quote string) bool {
	first, _ := utf8.DecodeRuneInString(one)
	if m := matchIf(strings.Contains(one, ": "), topicLabel, one); m != nil && !condition.MatchString(one) && !strings.Contains(one[:len(one)-len(m[1])], " if ") && s.doing(m[1], quote) {
		return true
	}
	if unicode.IsLower(first) {
		if m := matchIf(strings.Contains(one, ", "), afterComma, one); m != nil && s.doing(m[1], quote) {
			return true
		}
		if m := lowPlease.FindStringSubmatch(one); m != nil && (s.knows(m[1]) || s.chatters[m[1]]) {
			s.proseAction(m[2], one, m[1], quote, 0.7)
			return true
		}
		return promising(one) && s.promisedByNick(one, quote)
	}
	if first != '@' && !unicode.IsLetter(first) {
		if m := matchIf(strings.Contains(one, ", "), afterComma, one); m != nil && s.doing(m[1], quote) {
			return true
		}
	}
	if germanWill.MatchString(one) {
		return false
	}
	if first != '@' && !unicode.IsUpper(first) && !unicode.Is(unicode.Han, first) || noName(one) {
		return false
	}
	promises := promising(one)
	if m := matchIf(promises, sentence, one); m != nil && isName(m[1]) {
		s.proseAction(m[2]+m[3], one, strings.ReplaceAll(m[1], "@", ""), quote, 0.75)
		return true
	}
	if m := handed.FindStringSubmatch(one); m != nil && isName(m[1]) && (m[2] == "" || s.knowsAll(m[1])) {
		s.proseAction(m[3], one, strings.ReplaceAll(m[1], "@", ""), quote, 0.75)
		return true
	}
	if m := pointsAt.FindStringSubmatch(one); m != nil && isName(m[1]) && s.knowsAll(m[1]) {
		s.proseAction(m[2], one, strings.ReplaceAll(m[1], "@", ""), quote, 0.7)
		return true
	}
	if s.promisedInGerman(one, quote) {
		return true
	}
	if m := hanTask.FindStringSubmatch(one); m != nil && s.knowsAll(m[1]) {
		s.proseAction(m[2], one, m[1], quote, 0.7)
		return true
	}
	if s.does(one, quote) {
		return true
	}
	if m := matchIf(promises, anyVerb, one); m != nil && isName(m[1]) && s.knowsAll(m[1]) && !slices.Contains(idle, m[2]) && len(strings.Fields(m[3])) > 0 {
		s.proseAction(m[2]+m[3], one, strings.ReplaceAll(m[1], "@", ""), quote, 0.65)
		return true
	}
	if m := matchIf(promises, doesIt, one); m != nil && isName(m[1]) && s.knowsAll(m[1]) {
		s.proseAction(m[2], one, strings.ReplaceAll(m[1], "@", ""), quote, 0.65)
		return true
	}
	if m := assigned.FindStringSubmatch(one); m != nil && isName(m[1]) && !noTask.MatchString(m[2]) && len(strings.Fields(m[2])) > 1 {
		if _, due := s.calendar().due(one); !due && !strings.HasPrefix(m[1], "@") && !s.knowsAll(m[1]) {
			return false
		}
		s.proseAction(one, one, strings.ReplaceAll(m[1], "@", ""), quote, 0.65)
		return true
	}
	if m := matchIf(one[0] == '@', atDash, one); m != nil && s.knowsAll(m[1]) && !offDuty.MatchString(m[2]) {
		s.proseAction(m[2], one, strings.TrimPrefix(m[1], "@"), quote, 0.65)
		return true
	}
	return false
}

var lowPlease = pattern.New(`^([a-z][\w-]{1,15}),?\s+(?:please|pls)\s+(` + verbs + `\b.*)$`)

var lowDoes = pattern.New(`^([a-z][\w-]{1,30})\s+will\s+([a-z]+\s\S.*)$`)

// promisedByNick reads "scottie to call them" when scottie is one of the people or has another action.
func (s *scanner) promisedByNick(one, quote string) bool {
	m := lowOwner.FindStringSubmatch(one)
	if m == nil {
		if m = lowDoes.FindStringSubmatch(one); m != nil && (slices.Contains(idle, firstWord(m[2])) && firstWord(m[2]) != "do" || !s.knows(m[1]) && !s.chatters[m[1]]) {
			return false
		}
	}
	if m == nil || !isName(m[1]) || !s.knows(m[1]) && !s.lowerCase(m[1]) && !slices.ContainsFunc(s.out.Actions, func(a Action) bool { return a.Owner == m[1] }) {
		return false
	}
	if !s.knows(m[1]) {
		s.directed = append(s.directed, len(s.out.Actions))
	}
	s.proseAction(m[2], one, m[1], quote, 0.7)
	return true
}

// thingEnds end words that name things rather than people, in notes without capitals.
var thingEnds = []string{"s", "ing", "tion", "er", "or", "ment", "ess", "ty", "ware", "base", "end", "age", "ure", "ite", "ist"}

// lowerCase reports whether a word may be a name where the lines around have no capitals.
func (s *scanner) lowerCase(word string) bool {
	if len(word) < 2 || len(word) > 10 || notNames[word] || slices.ContainsFunc(thingEnds, func(end string) bool { return strings.HasSuffix(word, end) }) {
		return false
	}
	lower := 0
	for i := s.from; i >= 0 && i > s.from-4 && strings.TrimSpace(s.lines[i]) != ""; i-- {
		if !beginsLower(s.lines[i]) {
			return false
		}
		lower++
	}
	for i := s.at + 1; i < len(s.lines) && i < s.at+4 && strings.TrimSpace(s.lines[i]) != ""; i++ {
		if !beginsLower(s.lines[i]) {
			return false
		}
		lower++
	}
	return lower >= 3
}

func beginsLower(line string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, " \t-*•"))
	return unicode.IsLower(first)
}

// matchIf matches a pattern that costs much only when a word says that it may match.
func matchIf(may bool, p *pattern.Pattern, text string) []string {
	if !may {
		return nil
	}
	return p.FindStringSubmatch(text)
}

// ofGerund is the verb of "sending" and "writing".
func ofGerund(word string) string {
	stem, ok := strings.CutSuffix(strings.ToLower(word), "ing")
	if !ok {
		return word
	}
	if n := len(stem); n > 2 && stem[n-1] == stem[n-2] && verbFirst.FindString(stem[:n-1]) == stem[:n-1] {
		return stem[:n-1]
	}
	if verbFirst.FindString(stem+"e") == stem+"e" {
		return stem + "e"
	}
	return stem
}

// infinitive is a verb without the ending of the third person.
func infinitive(verb string) string {
	if stem, ok := strings.CutSuffix(verb, "ies"); ok {
		return stem + "y"
	}
	stem := strings.TrimSuffix(verb, "s")
	for _, end := range []string{"she", "che", "sse", "xe", "oe"} {
		if strings.HasSuffix(stem, end) {
			return strings.TrimSuffix(stem, "e")
		}
	}
	return stem
}

// promisedByMe reads a sentence in which a speaker takes something on.
func (s *scanner) promisedByMe(one, who, quote string) bool {
	who = strings.TrimPrefix(who, "@")
	if m := toDoes.FindStringSubmatch(one); m != nil && verbFirst.MatchString(infinitive(m[1])+m[2]) && !telling[infinitive(m[1])] {
		if _, due := s.calendar().due(m[2]); due || s.knows(strings.TrimSpace(firstWord(strings.TrimSpace(m[2])))) {
			s.proseAction(one, one, who, quote, 0.6)
			return true
		}
	}
	if m := canDo.FindStringSubmatch(one); m != nil && strings.Contains(one, ", will ") {
		if _, due := s.calendar().due(one); due { // "I can ask them, will report back next week"
			s.proseAction(m[1], one, who, quote, 0.65)
			return true
		}
	}
	if m := matchIf(strings.Contains(one, ", ") && !promisesSelf(one) && !strings.Contains(one, " I "), startsWill, one); m != nil {
		s.proseAction(strings.TrimPrefix(m[1], "will "), one, who, quote, 0.65)
		return true
	}
	if m := doThat.FindStringSubmatch(one); m != nil && s.needed != "" && s.neededAt >= s.from-1 {
		s.proseAction(s.needed+m[1], one, who, quote, 0.65)
		return true
	}
	if m := needTo.FindStringSubmatch(one); m != nil {
		s.needed, s.neededAt = m[1], s.from
	}
	if promisesSelf(one) {
		p := firstPerson.FindStringSubmatch(selfLed(one))
		s.proseAction(p[2]+p[3], one, who, quote, 0.7)
		return true
	}
	if m := dueSelf.FindStringSubmatch(one); m != nil {
		verb := m[1] + m[3]
		if m[2] != "" {
			verb = m[2]
		}
		if _, due := s.calendar().due(one); due && (verbFirst.MatchString(ofGerund(verb)+" "+m[4]) || verb == "do") {
			s.proseAction(strings.TrimSpace(verb+m[4]), one, who, quote, 0.65)
			return true
		}
	}
	if m := canDo.FindStringSubmatch(one); m != nil {
		if _, due := s.calendar().due(one); due || soon.MatchString(m[1]) {
			s.proseAction(m[1], one, who, quote, 0.65)
			return true
		}
	}
	if s.germanSelf(one, who, quote) {
		return true
	}
	if germanFirst.MatchString(one) {
		s.proseAction(one, one, who, quote, 0.7)
		return true
	}
	return false
}
