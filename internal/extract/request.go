package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

var (
	requested = pattern.New(`^(?i:(@?[\pL][\w.-]{1,30})[,:]?\s+(?:can|could|would|will) you (?:please |pls |maybe |also )?(` + verbs + `\b[^?]*)\?)(.*)$`)
	// anyone asks whoever wants to.
	anyone = pattern.New(`(?i)(?:\b(?:can|could|would|will) (?:some|any)(?:one|body)(?: else)? (?:please )?|\bwho (?:can|could|will|would|wants to|is going to) )(` + verbs + `\b[^?]*)\?(.*)$`)
	// nobodyNamed asks whoever speaks next.
	nobodyNamed = pattern.New(`(?i)(?:^|[,.;–-]\s+|\b(?:and|so|but|ok|okay)\s+)(?:can|could|would|will) you (?:please |pls |maybe |also )?(` + verbs + `\b[^?]*)\?(.*)$`)
	accepts     = pattern.New(`(?i)^(?:sure|yes|yep|yeah|ok|okay|will do|on it|can do|doing (?:it|that)|i['’]ll\b|i will\b|i can\b|no problem|np|happy to|of course|absolutely|👍|\+1)`)
	takesIt     = pattern.New(`(?i)^(?:(?:sure|yes|yep|yeah|ok|okay)[,.]?\s+)?(?:will do|on it|can do|i can(?: do (?:it|that))?\b|i['’]ll (?:do|take) (?:it|that)|i will (?:do|take) (?:it|that)|i['’]ll (?:check|look|ask|handle it|find out)[.!]?$|me\b|happy to|i['’]m on it|doing (?:it|that))`)
	// vague promises take up what was asked.
	vague = pattern.New(`(?i)\bI(?:['’]ll| will) (?:do|take|handle|look into|get on) (?:it|that|this)\b|\bI(?:['’]ll| will)\s*(?:$|[.,!])`)
)

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
		return false
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
	for _, more := range []string{rest, back} { // either may say until when
		if _, ok := s.calendar().due(more); ok {
			text += ", " + strings.Trim(more, " .")
			break
		}
	}
	s.proseAction(text, text, yes, quote, 0.65)
	return true
}

// answer finds who says yes in the next lines: whom a name means, or anybody who takes it where it is empty.
func (s *scanner) answer(name string) (who, said string, at int) {
	voice, open := s.voice, true
	for i := s.at + 1; i < min(s.at+1+answered, len(s.lines)); i++ {
		line := clean(s.lines[i])
		if m := voiceLine.FindStringSubmatch(line); m != nil {
			voice = m[1]
			continue
		}
		if name != "" && actionMark.MatchString(line) && strings.Contains(strings.ToLower(line), name) {
			return "", "", 0
		}
		speaker, reply, _ := s.speechIn(line)
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
