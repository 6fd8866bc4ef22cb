package extract

import (
	"strings"
	"time"

	"chela/internal/pattern"
)

// Lists of actions are written in more ways than one bullet for each.

// boxes are signs that are drawn as boxes before the lines of a list.
var boxes = strings.NewReplacer("☐ ", "[ ] ", "❏ ", "[ ] ", "□ ", "[ ] ", "☑ ", "[x] ", "☒ ", "[x] ", "☑️ ", "[x] ", "✔️ ", "[x] ", "🔲 ", "[ ] ")

// headsBullets reports a numbered line above a list of another kind.
func (s *scanner) headsBullets(line string) bool {
	next, gap := s.following()
	next = strings.TrimSpace(next)
	return !gap && next != "" && headNumber.MatchString(line) && bulletPattern.MatchString(next) && !headNumber.MatchString(next)
}

// ownerLine reads a line of nothing but a name above that person's actions.
func (s *scanner) ownerLine(text string) bool {
	who := strings.TrimRight(inBrackets.ReplaceAllString(text, ""), ": ")
	if !ofNobody.MatchString(who) && (!nameAlone.MatchString(who) || !isName(who) || !writtenName(who) && !strings.HasPrefix(who, "@")) {
		return false
	}
	line, gap := s.following()
	if gap || line == "" || !bulletPattern.MatchString(line) && indentOf(line) <= indentOf(s.lines[s.from]) {
		return false
	}
	s.owner, s.under, s.level = strings.ReplaceAll(who, "@", ""), -1, indentOf(line)
	if ofNobody.MatchString(who) {
		s.owner = ""
	}
	s.bare = !bulletPattern.MatchString(line)
	return true
}

var columnGap = pattern.New(`(?:\s{3,}|\t+)`)

// spaced reads a line whose columns spaces keep apart: what, who and until when.
func (s *scanner) spaced(raw, quote string) bool {
	cells := columnGap.Split(strings.TrimSpace(raw), -1)
	return len(cells) >= 2 && len(cells) <= 4 && s.inCells(cells, quote)
}

// piped is spaced of a line that bars divide, below no names of columns: "P1 | Add an alert | Ann | Friday".
func (s *scanner) piped(line string) bool {
	cells := strings.Split(line, " | ")
	return s.columns == nil && !strings.HasPrefix(line, "|") && len(cells) <= 5 && s.inCells(cells, line)
}

// inCells reads an action of which one cell says who does it.
func (s *scanner) inCells(cells []string, quote string) bool {
	for i, cell := range cells[1:] {
		cell = strings.TrimSpace(cell)
		if !isName(cell) || !s.knowsAll(cell) {
			continue
		}
		about := cells[0]
		for j, other := range cells {
			if j != i+1 && len(other) > len(about) {
				about = other
			}
		}
		text, done := clean(about), false
		if b := boxPattern.FindStringSubmatch(text); b != nil {
			text, done = b[2], b[1] != " "
		}
		text = strings.TrimSpace(bulletPattern.ReplaceAllString(text, "$2"))
		before := len(s.out.Actions)
		s.action(text, cell, quote, 0.9, done, "")
		if rest := cells[i+2:]; len(rest) > 0 && len(s.out.Actions) > before {
			if last := rest[len(rest)-1]; doneAlone.MatchString(last) {
				s.out.Actions[before].Done = true
			} else if d, ok := s.day(last); ok {
				s.out.Actions[before].Due = d
			}
		}
		return true
	}
	return false
}

// numbered begins a line of a list of decisions: "D1: …", "2026-07: …".
var numbered = pattern.New(`^(?:(?:no\.?|nr\.?|decision|resolution)\s*)?[A-Z]{0,3}-?\d[\w./-]{0,10}\s*[:.)]\s+`)

// partOf says who has which part in a talk of two.
var partOf = pattern.New(`^(?i:employee|manager|mentor|mentee|lead|coach|coachee|report|mitarbeiter(?:in)?|führungskraft|vorgesetzter?|teamleitung|author|presenter|interviewer|candidate|name|owner|incident commander|commander|ic)\s*:\s*(` + namePart + `)\.?$`)

// followedByText reports a sentence rather than an item: the line ends like one.
func (s *scanner) followedByText() bool {
	line := strings.TrimSpace(s.lines[s.at])
	return strings.HasSuffix(line, ".") && len(strings.Fields(line)) > 8
}

// handsOut reads "Ann to write it down" among decisions.
func (s *scanner) handsOut(text, quote string) bool {
	if m := sentence.FindStringSubmatch(text); m != nil && strings.HasPrefix(text[len(m[1]):], " to ") {
		return s.promised(text, quote)
	}
	if m := germanDoes.FindStringSubmatch(text); m != nil && isName(m[1]) && s.knowsAll(m[1]) && !germanStates[m[2]] {
		s.action(text, m[1], quote, 0.8, false, "")
		return true
	}
	return false
}

// answeredBy reads a question with what somebody does about it: "a refund? Ann asks legal".
func (s *scanner) answeredBy(text, quote string) bool {
	parts := sentences(text)
	if len(parts) < 2 || !strings.HasSuffix(parts[0], "?") {
		return false
	}
	read := false
	for _, one := range parts[1:] {
		read = s.promised(one, quote) || read
	}
	if read {
		s.question(parts[0], quote, 0.85)
	}
	return read
}

// ownerOnly reads "Ann:" above Ann's own actions.
func (s *scanner) ownerOnly(text string, indent int) bool {
	if m := nameAlone.FindStringSubmatch(text); m != nil && isName(m[1]) && s.followed(indent) {
		s.owner, s.under = strings.ReplaceAll(m[1], "@", ""), indent
		return true
	}
	return false
}

// followed reports whether the next line is a deeper bullet.
func (s *scanner) followed(indent int) bool {
	for _, line := range s.lines[s.at+1:] {
		if strings.TrimSpace(line) != "" {
			return bulletPattern.MatchString(line) && indentOf(line) > indent
		}
	}
	return false
}

// listedAction reads an item of a list of actions: "ann: …" is enough there.
func (s *scanner) listedAction(text, quote string) {
	if strings.HasSuffix(text, "?") && !hasOwner(text) { // of a discussion below a lead-in
		return
	}
	text, done := struck(text)
	if s.markedOff(text) {
		s.action(text, "", quote, 0.85, done, "")
		return
	}
	if s.nothingToDo(text) {
		return
	}
	if rest, ok := cutFold(text, "[done]", "done:", "erledigt:"); ok && len(rest) > 3 {
		text, done = rest, true
	}
	owner := ""
	if m := byAuthor.FindStringSubmatch(text); m != nil {
		owner, text = s.author, m[1]
	}
	if m := lowHead.FindStringSubmatch(text); m != nil && isName(m[1]) && verbFirst.MatchString(m[2]) {
		owner, text = m[1], m[2]
	}
	if owner == "" {
		if s.requests(text, "", quote) || s.listedClauses(text, quote, done) {
			return
		}
		if m := commaOwner.FindStringSubmatch(text); m != nil && isName(m[2]) && s.knowsAll(m[2]) && !hasOwner(text) { // "the retention job, Ann"
			owner, text = m[2], m[1]
		}
	}
	s.action(text, owner, quote, 0.85, done, "")
}

// commaOwner ends an item of a list.
var commaOwner = pattern.New(`^(.{6,}?),\s+(` + nameList + `)\.?$`)

// listedEither reads an item of a list that joins actions and decisions.
func (s *scanner) listedEither(text, quote string) {
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, ":") || s.nothingToDo(text) || s.notTaken(text) {
		return
	}
	read, said := false, ""
	for _, one := range sentences(text) {
		if questionSays.MatchString(one) {
			s.question(one, quote, 0.6)
			return
		}
		one = s.bearers(one)
		if s.promised(one, quote) || s.clause(one, "", quote) {
			read = true
		} else if said == "" {
			said = one
		}
		for _, b := range sentenceAside.FindAllStringSubmatch(one, -1) {
			read = s.promised(b[1], quote) || read
		}
	}
	if read {
		if !s.plans && len(strings.Fields(said)) > 2 {
			s.decision(said, "", quote, 0.75)
		}
		return
	}
	if m := germanSays.FindStringSubmatch(text); m != nil && !s.knowsAll(m[1]) {
		s.decision(text, "", quote, 0.75)
		return
	}
	owner, _, _, _ := s.ownerBeside(text, time.Time{}, false)
	m := lowHead.FindStringSubmatch(text)
	if owner != "" || hasOwner(text) || m != nil && isName(m[1]) || verbFirst.MatchString(text) || toAll.MatchString(text) {
		s.listedAction(text, quote)
		return
	}
	parts := clauses(text)
	promised := false
	for _, one := range parts {
		promised = s.promised(one, quote) || promised
	}
	if promised && len(strings.Fields(parts[0])) < 4 {
		return
	}
	if !s.plans {
		s.decision(parts[0], "", quote, 0.75)
	}
}

// byAuthor begins what the author of the notes does.
var byAuthor = pattern.New(`^(?:me|Me|I|myself)\s*(?::|\s[–—-]\s)\s*(.+)$`)

// sentenceAside is a sentence in brackets.
var sentenceAside = pattern.New(`\((\p{Lu}[^()]{6,})\)`)

// toAll begins what everybody is to do.
var toAll = pattern.New(`(?i)^(?:everyone|everybody|all|alle)\s+(?:to\s+|will\s+)?[a-z]`)

func hasOwner(text string) bool {
	owner, _ := ownerOf(text)
	return owner != ""
}
