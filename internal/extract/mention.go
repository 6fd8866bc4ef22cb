package extract

import (
	"strings"
	"time"

	"chela/internal/pattern"
)

// Pages and documents that people share name them, and days, by mentions: "@Ann Lee check it", "check it @Ann Lee @next Friday".

var (
	fullMention = pattern.New(`^@(\p{Lu}[\pL'’.-]+)\s+(\p{Lu}[\pL'’-]*\p{Ll}[\pL'’-]*(?:\s+\p{Lu}[\pL'’-]*\p{Ll}[\pL'’-]*)?)[:,]?\s+(\p{Ll}.*)$`)
	// mentionTail ends an item of a list, and mentionDay one that begins with a mention.
	mentionTail = pattern.New(`^(.{6,}?)\s+@(\p{Lu}[\pL'’.-]+(?:\s+\p{Lu}[\pL'’.-]+){1,2})(?:\s+@([^@]{3,20}))?$`)
	mentionDay  = pattern.New(`^(@.+?)\s+(\d{1,2}\.?\s+\pL{3,9}\.?\s+\d{4}|\pL{3,9}\.?\s+\d{1,2},?\s+\d{4}|\d{4}-\d{2}-\d{2})$`)
	// besideMention stands before somebody who is not to do it: "go through it with @Ann Lee".
	besideMention = pattern.New(`(?i)\b(?:with|to|from|for|by|of|and|or|on|at|via|ask|tell|ping|call|cc|mit|von|an|für|bei|und)$`)
)

// inMention cuts who is to do it, named in full, off what is to do.
func inMention(text string) (owner, task string) {
	m := fullMention.FindStringSubmatch(text)
	if m == nil || verbFirst.MatchString(m[2]) || !verbFirst.MatchString(m[3]) {
		return "", text
	}
	return m[1] + " " + m[2], m[3]
}

// behind cuts the mentions off the end of an item: who is to do it, and until when.
func (s *scanner) behind(text string) (owner, rest string, due time.Time) {
	if m := mentionTail.FindStringSubmatch(text); m != nil && isName(m[2]) && !besideMention.MatchString(m[1]) {
		if m[3] != "" {
			var ok bool
			if due, ok = s.wholeDay(strings.ReplaceAll(m[3], ",", "")); !ok {
				return "", text, due
			}
		}
		return m[2], m[1], due
	}
	if m := mentionDay.FindStringSubmatch(text); m != nil {
		if d, ok := s.calendar().find(m[2]); ok {
			return "", strings.TrimRight(m[1], " →>:,-–—"), d
		}
	}
	return "", text, due
}
