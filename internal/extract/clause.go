package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

// A clause has a subject, which is somebody who is known, and says in one of a few forms that she does something. What
// is told, felt, past or supposed is no such form.

// adverb may stand between a subject and its verb.
const adverb = `(?:(?:kindly|also|then|now|still|again|just|gladly|only|first|therefore|quickly|both|each|together|personally|instead|later|already|meanwhile|finally|jointly|happily|probably|since|himself|herself|myself|themselves)\s+)*`

// commits begins what somebody is going to do.
const commits = `(?:will (?:need|have) to|will|(?:has|have|had) (?:kindly |also |already )?agreed to|(?:was|were) (?:going|meant|supposed) to|shall|to|is to|are to|is going to|are going to|am going to|['’]s going to|['’]m going to|['’]re going to|is gonna|(?:has |have |had )?(?:agreed|offered|volunteered|promised|undertaken|committed|accepted) to|agrees to|offers to|volunteers to|promises to|undertook to|undertakes to|commits to|needs? to|has to|have to|must|(?:is|was|are|were) (?:asked|requested|tasked|instructed|directed|authorised|authorized|mandated|expected|supposed|due|happy|willing) to|took it upon (?:him|her|them)selves? to|said (?:he|she|they) (?:would|will)|said (?:he|she|they)['’](?:ll|d))`

var (
	subject = pattern.New(`^(?:(?i:and|so|then|but|also|meanwhile|ok|okay|actually)[, ]\s*)*((?:` + nameList + `)(?:(?:,| and|, and| &| \+) (?:I|me))?|I|You|you|He|She|They|he|she|they)(?:\s*\([^()]{1,40}\)|\s+(?:from|of|at|in)\s+[\pL]{2,15})?(?:,\s+[a-z][^,]{2,40},)?(\s|['’]).*$`)
	will    = pattern.New(`^` + adverb + commits + `\s+` + adverb + `([a-z][a-z-]+)\b(.*)$`)
	shortly = pattern.New(`^['’]ll\s+` + adverb + `([a-z][a-z-]+)\b(.*)$`)
	thirdly = pattern.New(`^` + adverb + `([a-z]{2,}s)(?:\s+(.*))?$`)
	plainly = pattern.New(`^` + adverb + `([a-z]{3,})\s+(.*)$`)
	isDoing = pattern.New(`^(?:(?:is|are|am|will be)\s|['’](?:s|re|m|ll be)\s)` + adverb + `([a-z]{2,}ing)\s+(.*)$`)
	hasGot  = pattern.New(`^(?:['’](?:s|ve) got|has got|have got|has|have|takes|take)\s+(?:the|an?)\s(.+)$`)
	could   = pattern.New(`^(?:can|could|should|would|['’]d)\s+` + adverb + `([a-z][a-z-]+)\b(.*)$`)
	// timed begins a line of a timeline.
	timed = pattern.New(`^\W*(?:\d{4}-\d\d-\d\d\s+)?\d{1,2}[:.h]\d{2}\b`)
)

// states are verbs that say how somebody is, and no deed.
var states = set(list("be, is, was, have, has, see, think, know, need, like, love, want, miss, feel, believe, guess, hope, say, mean, seem, remain, stay, stick, agree, disagree, doubt, fear, worry, wonder, prefer, understand, remember, recall, forget, expect, assume, suspect, consider, regard, enjoy, hate, wish, care, matter, sound, become, belong, depend, exist, live, sit, hear, notice, realise, realize, insist, warn, stress, emphasise, emphasize, complain, claim, admit, deny, reckon, argue, voice, echo, second, thank, laugh, apologise, praise, congratulate, object, oppose, favour, favor, vote, abstain, arrive, go, come, wait, work, struggle, suffer, lack, fail, finish, succeed, get, give, die, live, arrives, speak, sick, use, cost, last, take part, start, begin, return, leave, join, opens, call in, dial, chair, thinks, welcome, note, ask, answer, reply, respond, refer, clarify, elaborate, speak, observe, find, learn, grow, win, lose, pass, appear, happen, earn, not, never"))

// bareDoing is a gerund without "is" in a list: "Ann getting the numbers".
var bareDoing = pattern.New(`^([a-z]{2,}ing)\s+(.+)$`)

// hasObject begins with what a gerund is done to.
var hasObject = pattern.New(`^(?:(?i:the|an?|it|them|to|on|over|up|out|for|his|her|our|their|this|that)\s|\p{Lu})`)

// noVerb are words that look like verbs of the third person and do nothing.
var noVerb = set(list("is, was, has, does, always, perhaps, sometimes, besides, thus, towards, as, plus, this, its, his, hers, yes, us, less, unless, yours, loses, misses, keeps, stays, ends, sees, goes, comes, runs, says, tells, wants, needs, thinks"))

// aloneDoes are deeds that need no object.
var aloneDoes = set(list("deputise, deputize, follow, facilitate, moderate, sponsor, host, present, merge, deploy, cook"))

// A doer is who a clause is about and what it says of her.
type doer struct {
	who, rest string
	known     bool
	several   bool
}

// doerOf finds the subject of a clause; who is the speaker of the line, if one is.
func (s *scanner) doerOf(one, who string) (doer, bool) {
	m := subject.FindStringSubmatchIndex(one)
	if m == nil {
		return doer{}, false
	}
	name, rest := one[m[2]:m[3]], strings.TrimSpace(one[m[4]:])
	if cut := shortVerb.FindStringSubmatchIndex(name); cut != nil { // "Ann'll"
		name, rest = name[:cut[0]], name[cut[0]:]+" "+rest
	}
	d := doer{rest: rest}
	me := who
	if me == "" {
		me = s.author
		if s.lead != "" && s.leads {
			me = s.lead
		}
	}
	switch strings.ToLower(name) {
	case "i":
		d.who, d.known = me, true
		return d, true
	case "you":
		d.who, d.known = s.reader, s.reader != "" && who == ""
		return d, d.known
	case "he", "she", "they":
		d.who = s.spokenOf()
		d.known, d.several = d.who != "" && (who == "" || s.about), strings.EqualFold(name, "they")
		return d, d.known && !d.several
	}
	if base := strings.TrimSuffix(strings.TrimSuffix(name, " I"), " me"); base != name {
		base = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(base, " ,&+"), " and"), " ,&+")
		if me == "" || !isName(base) || !s.knowsAll(base) {
			return doer{}, false
		}
		d.who, d.known, d.several = strings.ReplaceAll(base, "@", "")+", "+me, true, true
		return d, true
	}
	if !isName(name) {
		return doer{}, false
	}
	d.who, d.known, d.several = strings.ReplaceAll(name, "@", ""), s.knowsAll(name), len(nameJoint.Split(name, -1)) > 1
	return d, true
}

// shortVerb ends a name and begins what it does.
var shortVerb = pattern.New(`['’](?:s|ll|ve|d|re)$`)

// task is what a predicate says is done; listed is of a list of actions, where more forms count.
func (s *scanner) task(d doer, said string, listed bool) (string, bool) {
	_, due := s.calendar().due(said)
	first := d.rest
	if m := isDoing.FindStringSubmatch(first); m != nil {
		verb := ofGerund(m[1])
		soon := strings.HasPrefix(first, "will ") || strings.HasPrefix(first, "'ll ") || bulletPattern.MatchString(s.lines[s.from]) && verbFirst.MatchString(verb+" "+m[2]) && hasObject.MatchString(m[2])
		return m[1] + " " + m[2], (listed || due || soon) && !states[verb] && (!telling[verb] || strings.HasPrefix(first, "will ")) && verb != "do"
	}
	if m := matchEither(first, shortly, will); m != nil {
		return m[1] + m[2], does(m[1], m[2])
	}
	if m := could.FindStringSubmatch(first); m != nil {
		if strings.HasPrefix(said, "I ") && !strings.HasPrefix(first, "can ") {
			return "", false
		}
		return m[1] + m[2], (listed || due && (strings.HasPrefix(first, "can ") || strings.HasPrefix(first, "should "))) && does(m[1], m[2])
	}
	if m := hasGot.FindStringSubmatch(first); m != nil && (listed || strings.HasPrefix(first, "takes the ")) {
		return m[1], !noTask.MatchString(m[1])
	}
	if m := bareDoing.FindStringSubmatch(first); m != nil && (listed || due && bulletPattern.MatchString(s.lines[s.from])) && verbFirst.MatchString(ofGerund(m[1])) {
		return first, true
	}
	if condition.MatchString(said) || timed.MatchString(s.lines[s.from]) {
		return "", false
	}
	if m := plainly.FindStringSubmatch(first); m != nil && (d.several || strings.HasPrefix(said, "I ") || strings.HasPrefix(said, "You ")) {
		return m[1] + " " + m[2], (verbFirst.MatchString(m[1]+" "+m[2]) || listed) && !wasDone(m[1]) && (listed || due || d.several) && deed(m[1], m[2], due)
	}
	if m := thirdly.FindStringSubmatch(first); m != nil && !d.several {
		verb := infinitive(m[1])
		if noVerb[m[1]] {
			return "", false
		}
		return first, (deed(verb, m[2], due || listed) || listed && verb == "propose") && (m[2] != "" || aloneDoes[verb])
	}
	return "", false
}

// does reports whether somebody who will do this has something to do.
func does(verb, rest string) bool {
	if remark.MatchString(verb+rest) || noTask.MatchString(strings.TrimSpace(rest)) || verb == "take" && makesPoint.MatchString(verb+rest) {
		return false
	}
	switch words := len(strings.Fields(rest)); {
	case verb == "let":
		return letKnow.MatchString(rest) || strings.Contains(rest, " have ")
	case verb == "be":
		return strings.HasPrefix(rest, " in touch ") || strings.HasPrefix(rest, " sending ")
	case verb == "not" || verb == "never":
		return false
	case slices.Contains([]string{"do", "give", "get", "add", "try", "find", "take", "leave", "return", "start", "speak", "respond", "reply", "use", "call", "answer", "ask", "chair", "clarify", "wait"}, verb):
		return words >= 2
	case verbFirst.MatchString(verb + rest):
		return words >= 1
	default:
		return words >= 1 && !states[verb] && !slices.Contains(idle, verb)
	}
}

// deed reports a verb in the present that does something; sure says that a day or a list speaks for it.
func deed(verb, rest string, sure bool) bool {
	if thing.MatchString(rest) && !sure && rest != "" || ofMeetings.MatchString(" "+rest) || makesPoint.MatchString(verb+" "+rest) || asksThat.MatchString(" "+rest) {
		return false
	}
	if !sure && (states[verb] || verb == "do") || noTask.MatchString(rest) {
		return false
	}
	if verbFirst.MatchString(verb+" "+rest) && (sure || !telling[verb] || talksTo.MatchString(verb+" "+rest)) {
		return verb != "propose" && verb != "suggest"
	}
	return !states[verb] && !telling[verb]
}

// clauseCut stands before a clause of its own.
var clauseCut = pattern.New(`(?:[,;]\s+(?:and |so |but |then |while |also )?|\s(?:and|but|so|then|while)\s|\s[–—-]\s|:\s+|\()((?:` + nameList + `|I|he|she|you)(?:\s+[a-z]|['’]ll\s))`)

// andWill goes on with what a subject does: "has a contact there and will ask him".
var andWill = pattern.New(`\s(?:and|but)\s+((?:he |she |they |I )?(?:will|['’]ll|is going to|promised to|agreed to|offered to)\s.*)$`)

// clause reads what the clauses of a sentence say that people do.
func (s *scanner) clause(one, who, quote string) bool {
	if germanWill.MatchString(one) {
		return false
	}
	listed := s.section == actionSection || s.section == mixedSection
	read := false
	for _, part := range s.clausesOf(s.laterSubject(one)) {
		d, ok := s.doerOf(part, who)
		if !ok {
			continue
		}
		if !d.known && !s.maybe(d, listed) {
			continue
		}
		if task, ok := s.task(d, part, listed); ok && !strings.HasSuffix(part, "?") {
			s.clauseAction(task, part, d.who, quote)
			read = true
			continue
		}
		if m := andWill.FindStringSubmatch(part); m != nil {
			d.rest = strings.TrimSpace(m[1])
			for _, p := range []string{"he ", "she ", "they ", "I "} {
				d.rest = strings.TrimPrefix(d.rest, p)
			}
			if task, ok := s.task(d, part, listed); ok {
				s.clauseAction(task, part, d.who, quote)
				read = true
			}
		}
	}
	return read
}

// listedClauses reads an item of a list of actions that says in one clause or several who does what.
func (s *scanner) listedClauses(text, quote string, done bool) bool {
	type share struct{ who, part string }
	var found []share
	for _, one := range sentences(interjected.ReplaceAllString(text, "$1 ")) {
		for _, part := range s.clausesOf(one) {
			d, ok := s.doerOf(part, "")
			if !ok || d.who == "" || !d.known && !s.maybe(d, true) || strings.HasSuffix(part, "?") {
				continue
			}
			if _, ok := s.task(d, part, true); ok {
				found = append(found, share{d.who, part})
			}
		}
	}
	if len(found) == 0 || len(found) == 1 && hasOwner(text) {
		return false
	}
	if len(found) == 1 {
		found[0].part = text
	}
	for _, f := range found {
		s.action(f.part, f.who, quote, 0.85, done, "")
	}
	return true
}

func (s *scanner) clauseAction(task, part, who, quote string) {
	if s.out.Actions != nil && slices.ContainsFunc(s.out.Actions, func(a Action) bool {
		return a.Span.Line == s.from+1 && (a.Owner == who || s.inFull(a.Owner) == s.inFull(who)) && (strings.Contains(a.Text, task) || strings.Contains(task, strings.TrimRight(a.Text, ". ")))
	}) {
		return
	}
	s.proseAction(strings.TrimRight(task, " ;,)"), part, who, quote, 0.65)
}

// maybe reports whether somebody who is not known is likely to be a person: in a list of actions, or where the notes say
// nowhere who was there.
func (s *scanner) maybe(d doer, listed bool) bool {
	if listed && len(strings.Fields(d.who)) > 1 && writtenName(d.who) {
		return true
	}
	if len(s.out.Attendees) > 0 {
		return false
	}
	m := matchEither(d.rest, shortly, will)
	return listed || m != nil && (m[1] == "let" || verbFirst.MatchString(m[1]+m[2]))
}

// nameLast ends in what may be a name.
var nameLast = pattern.New(`(?:^|\s)\p{Lu}[\pL.'’-]*,?$`)

// clausesOf cuts a sentence where somebody who is known begins to do something.
func (s *scanner) clausesOf(one string) []string {
	var out []string
	from := 0
	for _, at := range clauseCut.FindAllStringSubmatchIndex(one, -1) {
		name := strings.TrimSpace(one[at[2]:at[3]])
		if end := strings.LastIndexAny(name, " '’"); end > 0 {
			name = strings.TrimRight(name[:end], " '’")
		}
		if cut := shortVerb.FindStringSubmatchIndex(name); cut != nil {
			name = name[:cut[0]]
		}
		if slices.Contains([]string{"I", "he", "she", "you"}, name) || isName(name) && s.knowsAll(name) {
			head := strings.TrimSpace(one[from:at[0]])
			if strings.Contains(one[at[0]:at[2]], "and ") && nameLast.MatchString(head) {
				continue // "Ann and Bo will"
			}
			if head != "" && !isName(head) {
				out = append(out, head)
				from = at[2]
			}
		}
	}
	return append(out, strings.TrimSpace(one[from:]))
}
