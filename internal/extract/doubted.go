package extract

import (
	"strings"
	"unicode"

	"chela/internal/pattern"
)

// Forms of sentences that are no actions however likely the weights take them for some.
var (
	fillIn    = pattern.New(`^\W*\[[^\[\]]{10,}\]\W*$`)                                                                    // "[Please add any design reviews here]"
	byTag     = pattern.New(`^[^\pL\[]*\[(` + nameList + `)(?:,[^\[\]]*)?\]:?\s+(.*)$`)                                    // "[Steve Watt] Snapshot"
	tagDoes   = pattern.New(`(?i)^(?:` + verbs + `)\b|\b(?:will|must|should|needs? to|ha[sv]e? to)\s+(?:` + verbs + `)\b`) // "[Matt De Lio] Discuss …"
	tagNames  = pattern.New(`(?i)^[\pL-]+\s+(?:for|of)\b`)                                                                 // "Support for network disks"
	doesNext  = pattern.New(`(?i)^(?::| -| –| —|\s+to|\s+will)?\s+(?:` + verbs + `)\b`)
	linked    = pattern.New(`\]\([^)]*\)|<?https?://\S+|\S+@\S+`)
	smallWord = pattern.New(`[\pL][\pL'’-]*`)
)

// doubted reports whether a sentence has the form of what is no action: it is a form to be filled in, or says what somebody spoke of; or it is to be
// done by what is nobody.
func (s *scanner) doubted(h heard, owner string) bool {
	if fillIn.MatchString(h.text) || noTaskForm(h.text) {
		return true
	}
	if m := byTag.FindStringSubmatch(h.text); m != nil && isName(m[1]) && (!tagDoes.MatchString(m[2]) || tagNames.MatchString(m[2])) {
		return true
	}
	for _, name := range nameJoint.Split(s.inFull(owner), -1) {
		if !s.acts(name) && !s.begins(h, name) {
			return true
		}
	}
	return false
}

// begins reports whether a sentence says first who does something, and then what: "Bchilds - move the repository".
func (s *scanner) begins(h heard, name string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(h.text, "-*• "), name)
	return ok && doesNext.MatchString(rest)
}

// acts reports whether a name may be that of somebody who does something, once who was there is known.
func (s *scanner) acts(name string) bool {
	name = strings.TrimSpace(strings.TrimPrefix(name, "@"))
	acts, ok := s.actsOf[name]
	if !ok {
		if s.actsOf == nil {
			s.actsOf = make(map[string]bool)
		}
		acts = name == "" || !s.common(name) || s.knowsAttendee(name) || s.handled(name)
		s.actsOf[name] = acts
	}
	return acts
}

// common reports whether what looks like a name is words that the text has in small letters, too, or has a word in capital letters: "Local Storage",
// "Storage SIG".
func (s *scanner) common(name string) bool {
	words, small := smallWord.FindAllString(name, -1), 0
	for _, w := range words {
		if len([]rune(w)) > 2 && strings.ToUpper(w) == w && len(words) > 1 {
			return true
		}
		if s.smalls()[strings.ToLower(w)] > 0 {
			small++
		}
	}
	if len(words) == 1 {
		return false
	}
	return small == len(words) || small > 1 && len(words) > 2
}

// smalls are the words that the text has in small letters outside of links, with how often.
func (s *scanner) smalls() map[string]int {
	if s.smallWords == nil {
		s.smallWords = make(map[string]int)
		for _, l := range s.lines {
			for _, w := range smallWord.FindAllString(linked.ReplaceAllString(l, " "), -1) {
				if r := []rune(w); unicode.IsLower(r[0]) {
					s.smallWords[w]++
				}
			}
		}
	}
	return s.smallWords
}
