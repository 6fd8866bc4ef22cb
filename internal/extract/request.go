package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

var (
	requested = pattern.New(`^(?i:(@?[\pL][\w.-]{1,30})[,:]?\s+(?:can|could|would|will) you (?:please |pls |maybe |also )?([a-z]+ [^?]*)\?)(.*)$`)
	// anyone asks whoever wants to.
	anyone = pattern.New(`(?i)(?:\b(?:can|could|would|will) (?:some|any)(?:one|body)(?: else)? (?:please )?|\bwho (?:can|could|will|would|wants to|is going to) )(` + verbs + `\b[^?]*)\?(.*)$`)
	// nobodyNamed asks whoever speaks next.
	nobodyNamed = pattern.New(`(?i)(?:^|[,.;–-]\s+|\b(?:and|so|but|ok|okay)\s+)(?:can|could|would|will) you (?:please |pls |maybe |also )?(` + verbs + `\b[^?]*)\?(.*)$`)
	accepts     = pattern.New(`(?i)^(?:mm-?hm+|mhm|leave it (?:with|to) me|consider it done|yes yes|oh (?:shoot|sure|yes)\b|sure|yes|yep|yeah|ok|okay|will do|on it|can do|doing (?:it|that)|i['’]ll\b|i will\b|i can\b|no problem|np|happy to|of course|absolutely|👍|\+1)|^.{1,30},\s(?:yes|yeah|sure|ok)[.!]?$`)
	takesIt     = pattern.New(`(?i)^(?:(?:sure|yes|yep|yeah|ok|okay)[,.]?\s+)?(?:will do|on it|can do|i can(?: do (?:it|that))?\b|i['’]ll (?:do|take) (?:it|that|them|those|this one|that one)\b|i will (?:do|take) (?:it|that|them|those|this one|that one)\b|i['’]ll (?:check|look|ask|handle it|find out)[.!]?$|me\b|happy to|i['’]m on it|doing (?:it|that))`)
	// vague promises take up what was asked.
	vague = pattern.New(`(?i)\bI(?:['’]ll| will) (?:do|take|handle|look into|get on) (?:it|that|this)\b|\bI(?:['’]ll| will)\s*(?:$|[.,!])`)
)

var (
	// askedTo asks somebody to do something, in a letter or in notes.
	askedTo = pattern.New(`^(?:.*?(?:[,:–—-]|\band|\bso)\s+)?(` + nameList + `)[,:]?\s+(?i:(?:can|could|would|will|might) (?:you|I ask you)(?: (?:please|pls|maybe|also|perhaps|kindly|be so (?:kind|good) as|mind|to|two|both))*)\s+((?:` + verbs + `|[a-z]+ing)\b[^?]*)\?`)
	// askedYou asks the reader of a letter.
	askedYou = pattern.New(`^(?i:(?:and |also |so )?(?:can|could|would|will) you (?:(?:please|also|maybe|perhaps|kindly) )*)((?i:` + verbs + `)\b[^?]*)\?`)
	// mayI asks for something in a polite way.
	mayI = pattern.New(`(?i)\b(?:(?:might|may|can|could) I ask you,?|perhaps)\s+((?-i:` + nameList + `)),?\s+(?:to|you(?:['’]d| would| could)(?: be so (?:good|kind) as)?(?: to)?)\s+(` + verbs + `\b[^?]*)\??$`)
	// pleaseSo says please.
	pleaseSo = pattern.New(`(?:^|[,:;.–—-]\s+|\b(?:and|so)\s+)(` + nameList + `)[,:]?\s+(?:you\s+)?(?i:please|pls|kindly)\s+([a-z].*)$`)
	fillsIn  = pattern.New(`(?i)^(?:do the needful (?:for|on|regarding)\s+)`)
)

// requests reads what somebody is asked to do where nobody answers: in letters, lists and notes.
func (s *scanner) requests(one, who, quote string) bool {
	if m := askedYou.FindStringSubmatch(one); m != nil && who == "" && s.reader != "" && s.author != "" {
		s.proseAction(m[1], one, s.reader, quote, 0.6)
		return true
	}
	if task, ok := s.requestIn(one); ok && who == "" && s.addressee != "" {
		s.proseAction(task, one, s.addressee, quote, 0.65)
		return true
	}
	for _, form := range []*pattern.Pattern{pleaseSo, askedTo, mayI} {
		m := form.FindStringSubmatch(one)
		if m == nil || !isName(m[1]) || form != pleaseSo && who != "" {
			continue
		}
		if !s.knowsAll(m[1]) && (form == pleaseSo || s.author == "" && s.section != actionSection) {
			continue
		}
		task := fillsIn.ReplaceAllString(strings.TrimSpace(m[2]), "")
		s.proseAction(task, one, strings.ReplaceAll(m[1], "@", ""), quote, 0.65)
		return true
	}
	return false
}

var (
	// needsSome says that somebody is needed, and takes that one takes it.
	needsSome = pattern.New(`(?i)\b(?:some|any)(?:one|body)\s*(?:['’]s got to|(?:has|needs|ought) to|should|must|to)\s+(?:also )?(` + verbs + `\b[^.?!]*)`)
	takes     = pattern.New(`(?i)^(?:(?:ugh|ok|okay|oh|right|fine|yeah|yes|sure)[,.]\s+)*(?:that(?:['’]ll| will| would) be me|give (?:it|that) to me|(?:that(?:['’]s| is) )?me\b[^.]{0,20}$|mine\b|i(?:['’]ll| will| can) (?:do|take|handle) (?:it|that|this)|leave (?:it|that) (?:with|to) me)\b`)
	saidDo    = pattern.New(`^(` + namePart + `)\s+(?:said|says|offered|promised|agreed|volunteered)\s+(?:(?:he|she|they)(?:['’]d| would| will|['’]ll)|to)\s+do\s+(?:that|it|so|this)\b(.*)$`)
)

// takesNeeded reads who takes on what somebody has to do.
func (s *scanner) takesNeeded(one, who, quote string) bool {
	if m := needsSome.FindStringSubmatch(one); m != nil && !condition.MatchString(one) {
		s.needed, s.neededAt = m[1], s.from
		return false
	}
	if s.needed == "" || s.from-s.neededAt > answered {
		return false
	}
	by, rest := who, ""
	if m := saidDo.FindStringSubmatch(one); m != nil && isName(m[1]) {
		by, rest = m[1], m[2]
	} else if who == "" || !takes.MatchString(one) {
		return false
	}
	if _, due := s.calendar().due(one); due && rest == "" {
		rest = ", " + one
	}
	s.proseAction(strings.TrimSpace(s.needed)+rest, one, by, quote, 0.65)
	s.needed = ""
	return true
}

// nextSpeaker stands for whoever speaks next.
const nextSpeaker = "\x00"

// answered are the lines of a log among which an answer is looked for.
const answered = 6

// asked reads "Ann, could you …?" when Ann says yes in the next lines and nobody writes it down there, and "can somebody
// …?" when one does.
func (s *scanner) asked(said, quote string) bool {
	if !strings.Contains(said, "?") {
		return false
	}
	name, task, rest := "", "", ""
	if m := requested.FindStringSubmatch(said); m != nil && isName(m[1]) {
		name, task, rest = strings.ToLower(strings.TrimPrefix(m[1], "@")), m[2], m[3]
	} else if m := anyone.FindStringSubmatchIndex(said); m != nil && !strings.ContainsAny(said[:m[0]], ".!?") {
		task, rest = said[m[2]:m[3]], said[m[4]:m[5]]
	} else if m := nobodyNamed.FindStringSubmatchIndex(said); m != nil && !strings.ContainsAny(said[:m[0]], ".!?") {
		name, task, rest = nextSpeaker, said[m[2]:m[3]], said[m[4]:m[5]]
	} else {
		return s.asksWho(said, quote)
	}
	yes, back, at := s.answer(name)
	if yes == "" {
		return false
	}
	if m := firstPerson.FindStringSubmatch(selfLed(back)); m != nil && promisesSelf(back) && !vague.MatchString(back) && len(strings.Fields(m[3])) > 1 {
		return name != "" // the answer says it better
	}
	if s.accepted == nil {
		s.accepted = make(map[int]bool)
	}
	s.accepted[at] = true
	text := strings.TrimSpace(task)
	if m := canDo.FindStringSubmatch(back); m != nil && len(strings.Fields(m[1])) > 2 && !thing.MatchString(" "+strings.Fields(m[1])[1]) {
		text = m[1]
	}
	for _, more := range []string{rest, back} { // either may say until when
		if _, ok := s.calendar().due(more); ok {
			text += ", " + strings.Trim(more, " .")
			break
		}
	}
	s.proseAction(text, text, yes, quote, 0.65)
	return true
}

// atNick is a reply in a log, behind the name of whom it is for.
var atNick = pattern.New(`^[a-z][\w.-]{1,29}[:,]\s+(.+)$`)

// answer finds who says yes in the next lines: whom a name means, or anybody who takes it where it is empty.
func (s *scanner) answer(name string) (who, said string, at int) {
	voice, open := s.voice, true
	for i := s.at + 1; i < min(s.at+1+answered, len(s.lines)); i++ {
		if h, ok := s.voiceAt(i); ok {
			voice, i = h.name, h.until
			continue
		}
		line := clean(s.lines[i])
		if line == "" {
			continue
		}
		if name != "" && actionMark.MatchString(line) && strings.Contains(strings.ToLower(line), name) {
			return "", "", 0
		}
		speaker, reply, _ := s.speechIn(line)
		if nick, said, sure := speech(line); sure { // "<ann> bo: sure": to whom she says it
			if m := atNick.FindStringSubmatch(said); m != nil && accepts.MatchString(m[1]) {
				speaker, reply = nick, m[1]
			}
		}
		if speaker == "" {
			speaker, reply = voice, line
		}
		if name == "" && requested.MatchString(reply) { // somebody is named after all
			open = false
		}
		if name == nextSpeaker && speaker != "" {
			if accepts.MatchString(reply) && !strings.HasSuffix(reply, "?") {
				return speaker, reply, i
			}
			return "", "", 0
		}
		if who == "" && open && s.takesUp(name, speaker, reply) {
			who, said, at = speaker, reply, i
		}
	}
	return who, said, at
}

// takesUp reports whether what a speaker replies is the yes of somebody who was asked, or of anybody where the name is
// empty.
func (s *scanner) takesUp(name, speaker, reply string) bool {
	low := strings.ToLower(speaker)
	if low == "" || name == "" {
		return low != "" && takesIt.MatchString(reply)
	}
	return (slices.Contains(strings.Fields(low), name) || s.meant(name, true) == speaker) && accepts.MatchString(reply)
}
