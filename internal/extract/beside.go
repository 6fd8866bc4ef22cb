package extract

import (
	"slices"
	"strings"
	"time"

	"chela/internal/pattern"
)

var (
	colonTail = pattern.New(`^(.{6,}?):\s+(` + nameList + `)(?:\s*,\s*([^,]{2,30}))?\.?$`)
	anyTail   = pattern.New(`^(.{4,}?)\s*\((` + nameList + `)(?:\s*[,;:–-]\s*([^()]{2,40})|\s+with\s[^()]{2,40})?\)\.?$`)
	arrowTail = pattern.New(`^(.{6,}?)\s*(?:→|->|=>)\s*(` + nameList + `)\.?$`)
)

// ownerBeside finds the owner of a listed action in forms that need the people that the minutes know, or their list.
func (s *scanner) ownerBeside(text string, due time.Time, dated bool) (owner, rest string, until time.Time, has bool) {
	if m := doesBoth.FindStringSubmatch(text); m != nil && isName(m[1]) && s.actsIn(m[1], m[2], m[3], text) {
		return strings.ReplaceAll(m[1], "@", ""), text, due, dated
	}
	for _, form := range []*pattern.Pattern{colonTail, anyTail, arrowTail} {
		m := form.FindStringSubmatch(text)
		if m == nil || !isName(m[2]) || form != colonTail && !s.knowsAll(m[2]) || len(strings.Fields(m[1])) < 2 {
			continue
		}
		if len(m) > 3 && m[3] != "" && !dated {
			if due, dated = s.wholeDay(m[3]); !dated && form == colonTail {
				continue
			}
		}
		return strings.ReplaceAll(m[2], "@", ""), strings.TrimSpace(m[1]), due, dated
	}
	return "", text, due, dated
}

// actsIn reports whether a list says that somebody does something: one who is known, or anybody with a name where
// nobody is known and a day stands there.
func (s *scanner) actsIn(names, verb, rest, text string) bool {
	if len(nameJoint.Split(names, -1)) == 1 {
		if !strings.HasSuffix(verb, "s") {
			return false
		}
		verb = infinitive(verb)
	}
	if !verbFirst.MatchString(verb + rest) {
		return false
	}
	_, due := s.calendar().due(text)
	return s.knowsAll(names) || due && len(s.out.Attendees) == 0 && !slices.ContainsFunc(noNameEnds, func(end string) bool { return strings.HasSuffix(names, end) })
}
