package extract

import (
	"strings"

	"chela/internal/pattern"
)

// Notes of two people, and of a round, name those who speak by a letter or at the head of their line.

var (
	letterHead = pattern.New(`(^|[.;]\s+)([A-Z])(:\s|\s(?:to|will|should|owes)\s|\s?(?:→|->)\s)`)
	roundHead  = pattern.New(`^(?:\s*(?:[-*•–]|\d+[.)])\s+)?\**(` + namePart + `)\**\s*(?::|\s[–—-])\s+\S`)
	asPromised = pattern.New(`(?i)^as (?:promised|agreed|discussed|said|usual),?\s+`)
	leadLabel  = pattern.New(`(?i)^(?:today|plan|next|now|heute|tomorrow|t|to ?do|blocked|blocker|blockers|impediment|problem)\s*:\s+`)
)

// letters writes the names of two people for their first letters.
func (s *scanner) letters(text string) string {
	if len(s.present) != 2 || len(s.out.Attendees) > 2 || !letterHead.MatchString(text) {
		return text
	}
	return letterHead.ReplaceAllStringFunc(text, func(head string) string {
		m := letterHead.FindStringSubmatch(head)
		name := s.meant(m[2], true)
		if name == "" {
			return head
		}
		return m[1] + name + m[3]
	})
}

// round keeps the people whose points a stand-up has, line by line.
func (s *scanner) round() {
	top := strings.Join(s.lines[:min(len(s.lines), introLines)], "\n")
	if !standUp.MatchString(top) {
		return
	}
	var heads []string
	for _, line := range s.lines {
		if m := roundHead.FindStringSubmatch(line); m != nil && writtenName(m[1]) && presenceOf(m[1]) == unsaid && sectionOf(m[1]) == plainSection && !partLine.MatchString(m[1]+": x") {
			heads = append(heads, m[1])
		}
	}
	if len(heads) < 2 {
		return
	}
	for _, name := range heads {
		s.mentioned(name)
	}
}
