package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"chela/internal/pattern"
)

const (
	// wrapsFrom is how long a line is at least that an editor has broken, and wrapsShort such a line
	// of a bullet when the next one goes on in lower case.
	wrapsFrom, wrapsShort = 60, 36
	// wrappedLines are the most that belong to one item.
	wrappedLines = 12
)

var (
	// labelHead begins a line of its own: "Ann: …", "Decision: …".
	labelHead = pattern.New(`^[^\s:]{1,30}(?:\s[^\s:]{1,30}){0,3}\s?:(?:\s|$)`)
	// looseEnd ends a line in the middle of a sentence.
	looseEnd = pattern.New(`(?i)(?:,|\s(?:a|an|the|to|of|and|or|by|for|with|in|on|at|from|is|are|be|will|that|which|our|their|this))$`)
	htmlTag  = pattern.New(`(?i)</?(?:a|span|p|br|strong|em|b|i|u|code|font|sup|sub)(?:\s[^<>]*)?/?>`)
)

// unwrap joins a line with those that an editor has broken it into, and leaves the scanner at the
// last of them. quote is what stands there, over all of these lines.
func (s *scanner) unwrap(raw, trimmed string) (joined, quote string) {
	joined, quote = raw, trimmed
	if s.voice != "" || s.section == peopleSection || s.section == absentSection {
		return joined, quote
	}
	indent, bullet, from := indentOf(raw), bulletPattern.MatchString(raw), s.at
	for last := raw; s.at+1 < len(s.lines) && s.at-from < wrappedLines; {
		next := quoted.ReplaceAllString(s.lines[s.at+1], "")
		if !bullet && indentOf(next) != indent || bullet && indentOf(next) <= indent || !inTag(joined, next) && !s.goesOn(last, next) {
			break
		}
		s.at++
		s.refs(next)
		last, joined = next, strings.TrimRight(joined, " \t\r")+" "+strings.TrimSpace(next)
	}
	if s.at > from {
		quote = strings.TrimSpace(strings.Join(s.lines[from:s.at+1], "\n"))
	}
	return joined, quote
}

// goesOn reports whether a line is the rest of the one before it.
func (s *scanner) goesOn(last, next string) bool {
	text := strings.TrimSpace(next)
	first, _ := utf8.DecodeRuneInString(text)
	if text == "" || !unicode.IsLetter(first) && first != '(' || unicode.Is(unicode.Han, first) ||
		strings.HasSuffix(last, "  ") || strings.HasSuffix(last, `\`) || bulletPattern.MatchString(next) || labelHead.MatchString(text) {
		return false
	}
	if _, _, sure := speech(text); sure {
		return false
	}
	last = strings.TrimSpace(last)
	if last == "" || strings.ContainsAny(last[len(last)-1:], ".!?:;|") {
		return false
	}
	length, bullet, upper := utf8.RuneCountInString(last), bulletPattern.MatchString(s.lines[s.from]), unicode.IsUpper(first)
	switch loose := !s.bare && looseEnd.MatchString(last); {
	case length < wrapsShort, length < wrapsFrom && !loose && (!bullet || upper):
		return false
	case loose:
		return true
	case bullet && !upper:
		return !beginsTask(text)
	}
	return (bullet || !upper) && !beginsTask(text) && !decisionSays.MatchString(text) && sectionOf(text) == plainSection
}

// beginsTask reports whether a line begins with who is to do something.
func beginsTask(text string) bool {
	form := ownerHead
	if first, _ := utf8.DecodeRuneInString(text); unicode.IsLower(first) {
		form = lowOwner
	}
	m := form.FindStringSubmatch(text)
	return m != nil && isName(m[1])
}

// inTag reports whether a text ends inside the tag of a link, or before it.
func inTag(text, next string) bool {
	if strings.HasPrefix(strings.TrimSpace(next), "<a ") {
		return true
	}
	at := strings.LastIndex(text, "<a")
	return at >= 0 && !strings.Contains(text[at:], ">") && (len(text) == at+2 || text[at+2] == ' ')
}

// indentOf is how deep a line stands; "- - …" is one deeper than "- …".
func indentOf(line string) int {
	rest := strings.TrimLeft(line, " \t")
	indent := len(line) - len(rest)
	for len(rest) > 3 && (rest[:2] == "- " || rest[:2] == "* ") && (rest[2:4] == "- " || rest[2:4] == "* ") {
		rest, indent = rest[2:], indent+2
	}
	return indent
}
