package extract

import (
	"slices"
	"strings"
	"unicode"

	"chela/internal/pattern"
)

// The words of the labels that stand before lists of people: those that say it, those that say it only where
// names follow, those that say who is not there, and those that may stand beside any of them.
var (
	hereWords = set(list("met, contacts, speakers, gesprächspartner, roll, came, da, zugegen, present, attendees, attendee, attending, attended, attendance, participants, participant, participating, anwesend, anwesende, teilnehmer, teilnehmende, teilnehmerinnen, présents, asistentes"))
	weakWords = set(list("internal, joined, contact, room, bridge, by, author, people, here, there, in, joined, joining, remote, remotely, team, with, invited, who, dabei, us, we, ours, theirs, side, end, online, onsite, facilitator, chair, host, moderator, scribe"))
	awayNames = set(list("fehlte, fehlten, ooo, pto, unavailable, absence, fehlt, fehlen, fehlend, verhindert, absent, absentees, apologies, regrets, excused, missing, out, away, entschuldigt, abwesend"))
	besides   = set(list("quorum, notice, also, those, staff, kunde, wir, uns, client, customer, vendor, seller, buyer, supplier, intern, extern, es, nicht, zu, waren, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, written, project, notes, sent, the, also, those, was, is, were, are, from, our, side, for, on, at, of, today, call, room, meeting, review, members, member, directors, director, trustees, trustee, board, committee, council, voting, non, experts, officers, observers, guests, staff, and, absence, we, had, not, name, names"))
)

// A presence is what a label says of the people behind it.
type presence int

const (
	unsaid presence = iota
	away
	maybeHere // only where names follow
	here
)

// presenceOf reads a label: "Directors present", "Apologies for absence", "We had 7 people".
func presenceOf(label string) presence {
	words := strings.FieldsFunc(strings.ToLower(inBrackets.ReplaceAllString(label, "")), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 || len(words) > 8 {
		return unsaid
	}
	if stayAway.MatchString(label) {
		return away
	}
	if onTheLine.MatchString(label) {
		return here
	}
	said, gone := unsaid, slices.Contains(words, "not") || slices.Contains(words, "nicht")
	for _, w := range words {
		switch {
		case awayNames[w]:
			said, gone = here, true
		case hereWords[w]:
			said = here
		case weakWords[w]:
			said = max(said, maybeHere)
		case !besides[w] && !unicode.IsDigit(rune(w[0])):
			return unsaid
		}
	}
	if said != unsaid && gone {
		return away
	}
	return said
}

// stayAway says in a label that those behind it did not come.
var stayAway = pattern.New(`(?i)^(?:(?:could|can|did)(?: not|n['’]t)|cannot|unable to) (?:come|attend|make it|join|be (?:here|there|with us))$|^not (?:with us|here|there|able to (?:come|attend|join))(?: today)?$|^(?:on (?:leave|holiday|vacation)|(?:off|out) sick|sick|krank|im urlaub|travell?ing|no[- ]shows?|not joined|could not meet)$`)

var onTheLine = pattern.New(`(?i)\b(?:(?:on|in) the (?:line|call|room|screen|phone|zoom|meeting|bridge)|(?:on|via|by) (?:zoom|teams|video|phone|webex|meet)|a?round the table|at the table|dialled in|dialed in|here today)\b`)

// A nameGroup is a list of people and its label.
type nameGroup struct {
	label, names string
}

var (
	groupLabel = pattern.New(`(?:^(\pL[\pL\d ()'’/&-]{0,40}?)(?::\s+|\s[–—=-]\s+)|(?:[.;|/·•]|\s[–—])\s+(\pL[\pL ()'’/&-]{0,40}?)(?::\s+|\s=\s+)|;\s+(\pL[\pL ]{0,30}?)\s[–—-]\s+|,\s+([a-z][a-z ]{1,20}|Moderation|Moderator|Chair|Facilitator|Host|Scribe|Protokoll|Leitung|Notes|Minutes):\s+)`)
	particle   = set(list("van, von, der, den, de, da, di, del, la, el, al, bin, zu, zur, ten, ter"))
	noParty    = pattern.New(`(?i)^(?:(?:bi-?)?weekly|monthly|1[:-]1s?|1on1|one[- ]on[- ]one|check-?in|catch-?up|sync|subject|agenda|topics?|themes?|goals?|location|place|venue|project|account|stage|competitors?|services?|versions?|status|labels?|tags?|keywords|subject|title|language|theme|color|colour|products?|risks?|links?|votes?|mood|wind|liked|platforms?|tools?|systems?|dates?|time|next|keep|start|stop)\b`)
)

// groups cuts "In the room: Ann, Bo. Remote: Cy" at its labels; what stands before the first has none.
func groups(text string) []nameGroup {
	out := groupsOf(text)
	if len(out) > 0 && out[0].label != "" && presenceOf(out[0].label) != unsaid { // "Present: Sales: Ann. IT: Bo"
		if inner := groupsOf(out[0].names); inner[0].label != "" {
			inner[0].label = out[0].label
			return append(inner, out[1:]...)
		}
	}
	return out
}

func groupsOf(text string) []nameGroup {
	at := groupLabel.FindAllStringSubmatchIndex(text, -1)
	var out []nameGroup
	if len(at) == 0 || at[0][0] > 0 {
		end := len(text)
		if len(at) > 0 {
			end = at[0][0]
		}
		out = append(out, nameGroup{names: text[:end]})
	}
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		label := text[max(m[2], m[4], m[6], m[8]):max(m[3], m[5], m[7], m[9])] // the others are -1
		out = append(out, nameGroup{label, text[m[1]:end]})
	}
	return out
}

// nameCount counts the people of a list that has nothing but names, each written like one.
func nameCount(names string) int {
	count := 0
	names = atNames.ReplaceAllString(atName.ReplaceAllString(names, "$1"), ", $1")
	for _, part := range nameSeparator.Split(strings.Trim(inBrackets.ReplaceAllString(names, ""), " .*"), -1) {
		if at := affiliated.FindStringSubmatchIndex(part); at != nil {
			part = part[:at[0]]
		}
		if part = unquoted(bareOf(part)); part == "" || meWords[part] || vagueOnes.MatchString(part) {
			continue
		}
		if !writtenName(part) {
			return 0
		}
		count++
	}
	return count
}

func trimAnd(part string) string {
	part = strings.TrimSpace(part)
	if part == "and" || part == "und" || part == "&" {
		return ""
	}
	part = strings.TrimSuffix(strings.TrimSuffix(part, " and"), " und")
	return strings.TrimPrefix(strings.TrimPrefix(part, "and "), "und ")
}

var (
	leadIn    = pattern.New(`^(?i:plus|and|also|our|their|the|new|my|with|und|sowie)\s+(\p{Lu}.*)$`)
	rankFirst = pattern.New(`^(?:CEO|CTO|CFO|COO|CIO|CISO|CPO|VP|EVP|SVP)\s+`)
	whoFrom   = pattern.New(`^(.{2,40}?)\s+(?:from|of|at|on|for|via|by|representing|as|von|aus|joined|until|only|joining|dialing|calling)\s.+$`)
)

// meWords are what who wrote the notes calls himself.
var meWords = map[string]bool{"me": true, "myself": true, "I": true, "yours truly": true, "ich": true}

// vagueOnes are people without names.
var vagueOnes = pattern.New(`^(?:an?|the|one|two|three|four|some|several|others?|\d+)\s+[a-z]`)

// bareOf leaves the name of one part of a list: "our Ann from billing".
func bareOf(part string) string {
	part = rankFirst.ReplaceAllString(trimAnd(part), "")
	if m := officeFirst.FindStringSubmatch(part); m != nil {
		part = m[2]
	}
	for m := leadIn.FindStringSubmatch(part); m != nil; m = leadIn.FindStringSubmatch(part) {
		part = m[1]
	}
	if m := whoFrom.FindStringSubmatch(part); m != nil && writtenName(m[1]) {
		part = m[1]
	}
	return part
}

// corporate ends the name of a company.
var corporate = pattern.New(`\b(?:GmbH|AG|KG|SE|Inc|Ltd|LLC|LLP|PLC|plc|Corp|Co|Limited|BV|SA|AB|Oy|e\.V|eG)\b\.?$`)

// writtenName reports one to four words that each begin like a name's.
func writtenName(part string) bool {
	if strings.HasPrefix(part, "@") {
		return len(strings.Fields(part)) == 1
	}
	words := strings.Fields(part)
	if len(words) == 0 || len(words) > 4 || strings.ContainsAny(part, "0123456789") || corporate.MatchString(part) || !plausible(part) || !isName(part) {
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool {
		return !unicode.IsUpper([]rune(w)[0]) && !unicode.Is(unicode.Han, []rune(w)[0]) && !particle[w]
	})
}

// topLines reads lines at the top, or in a section about who came, in further forms.
func (s *scanner) topLines(text, quote string) bool {
	if len(text) > rollBytes || s.from-s.top >= rollLines || s.section != plainSection || len(s.out.Actions)+len(s.out.Decisions) > 0 {
		return false
	}
	return s.tops(text, quote)
}

// attends reads the lines at the top of minutes that say in other ways than a plain list who was there.
func (s *scanner) attends(text, quote string) bool {
	if len(text) > rollBytes || s.from-s.top >= rollLines || s.section != plainSection || len(s.out.Actions)+len(s.out.Decisions) > 0 {
		return false
	}
	if m := inParens.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	text = withColleagues(text)
	if m := nobodyOf.FindStringSubmatch(text); m != nil && nameCount(m[1]) > 0 && presenceOf(groups(text)[0].label) != unsaid {
		s.people(m[1], quote, true, false)
	}
	s.attendance(text, quote)
	s.titled(text, quote)
	s.withRoles(text, quote)
	s.met(text, quote)
	return s.parties(text, quote) || s.dotted(text, quote) || s.onlyPeople(text, quote)
}

var (
	inParens = pattern.New(`^\(([^()]{8,300})\)$`)
	nobodyOf = pattern.New(`\s[–—-]\s+(?:no|without)\s+(` + nameList + `)(?:\s+today)?[.!]?$`)
)

// rollBytes is the longest line in which people are looked for.
const rollBytes = 1000

// rollLines are the lines at the top among which people may be named without saying so.
const rollLines = 12

// calledRoll reads labels with more words than one: "Directors present: Ann, Bo; also here: Cy".
func (s *scanner) calledRoll(text, quote string) bool {
	parts := groups(text)
	if parts[0].label == "" {
		return false
	}
	said := presenceOf(parts[0].label)
	if said == unsaid || len(parts) == 1 && nameCount(parts[0].names) == 0 && said != here && said != away {
		return false
	}
	if said == maybeHere && s.from-s.top >= rollLines {
		return false
	}
	if m := nobodyOf.FindStringSubmatch(text); m != nil && nameCount(m[1]) > 0 {
		s.people(m[1], quote, true, false)
	}
	for i := range parts {
		parts[i].names = nobodyOf.ReplaceAllString(parts[i].names, "")
		parts[i].names = amongThem.ReplaceAllString(described.ReplaceAllString(parts[i].names, ""), "")
	}
	for i, g := range parts { // "Quorum: Ann, Bo present; Cy absent"
		if head, tail, ok := strings.Cut(g.names, ";"); ok && saidHere.MatchString(strings.TrimSpace(head)) {
			if m := saidHere.FindStringSubmatch(strings.Trim(tail, " .")); m != nil && strings.EqualFold(m[1], "absent") {
				s.people(saidHere.ReplaceAllString(strings.Trim(tail, " ."), ""), quote, true, false)
				parts[i].names = saidHere.ReplaceAllString(strings.TrimSpace(head), "")
			}
		}
	}
	if slices.ContainsFunc(parts, func(g nameGroup) bool {
		return nameCount(firstNames(g.names)) == 0 && (said == maybeHere || !lowerNames(g.names))
	}) {
		return false
	}
	s.grouped(parts, quote, said == away)
	if last := parts[len(parts)-1].names; len(firstNames(last)) < len(last) {
		s.attendance(strings.Trim(last[len(firstNames(last)):], " .!()"), quote)
	}
	return true
}

// amongThem comes before those whom a list names.
var amongThem = pattern.New(`^[^,;:]{0,40}?,?\s*\b(?i:among (?:them|others)|including|namely|darunter|nämlich)\b[:,]?\s+`)

// described is what a list of people says of one of them: ", members of the audit team".
var described = pattern.New(`,\s+(?:an? |the |our |their )?[a-z]+(?: [a-z]+){1,5}(?:\s*(?:[,;.]|$))`)

// lowerNames reports a list of two or more people who are written without capitals.
func lowerNames(names string) bool {
	parts := nameSeparator.Split(strings.Trim(inBrackets.ReplaceAllString(names, ""), " ."), -1)
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(part string) bool {
		words := strings.Fields(part)
		return len(words) == 0 || len(words) > 2 || !plausible(part) || slices.ContainsFunc(words, func(w string) bool { return roles[w] || notNames[w] })
	})
}

// firstNames is a list up to the end of its sentence.
func firstNames(names string) string {
	names = whoIs.ReplaceAllString(names, "")
	for _, at := range nameEnds.FindAllStringIndex(names, -1) {
		if !(at[0] > 0 && names[at[0]-1] >= '0' && names[at[0]-1] <= '9') && !shortened.MatchString(upTo(names, at[0]+1)) && !initialEnd.MatchString(upTo(names, at[0]+1)) && !honorific.MatchString(names[:at[1]]+"x") {
			return names[:at[0]]
		}
	}
	return names
}

// whoIs says more of the last of some people.
var whoIs = pattern.New(`,\s+who(?:['’]s|\s)[^,;]*`)

var nameEnds = pattern.New(`[.!?]["”)]?\s+`)

// onCall are several people who are in a call.
var onCall = pattern.New(`^(` + nameList + `)\s+(?:on|in) the (?:call|meeting|room|line)$`)

var initialEnd = pattern.New(`(?:^|[\s,;(])(?:\p{Lu}|Mohd|Md|Sgt|Lt|Capt|Fr|Mr|Mrs|Ms|Dr|Prof|Hr|Fr|Pfr|Sr|Rev|Cllr|Hon|Ing|Dipl)\.$`)

// grouped records the people of several lists; a label that says nothing goes on with what the one before said.
func (s *scanner) grouped(parts []nameGroup, quote string, absent bool) {
	for _, g := range parts {
		if g.label != "" {
			if said := presenceOf(g.label); said != unsaid {
				absent = said == away
			}
		}
		s.people(firstNames(g.names), quote, absent, false)
	}
}

// parties reads "Acme: Ann Lee (sales), Bo" and "Us: Cy, Di" above the notes.
func (s *scanner) parties(text, quote string) bool {
	parts := groups(text)
	total := 0
	if parts[0].label == "" && len(parts) > 1 && strings.ContainsAny(parts[0].names, "0123456789") { // a day stands before them
		parts = parts[1:]
	}
	for i, g := range parts {
		n := nameCount(g.names)
		if i == 0 && g.label == "" && n > 1 && len(parts) > 1 {
			total += n
			continue
		}
		if g.label == "" || n == 0 || (noParty.MatchString(g.label) || mailHead.MatchString(g.label)) && presenceOf(g.label) == unsaid || isList(g.label) || decisionMark.MatchString(g.label+": x y") {
			return false
		}
		total += n
	}
	if total < 2 && (s.partyAt == 0 || s.from-s.partyAt > 1) {
		return false
	}
	s.partyAt = s.from
	s.grouped(parts, quote, false)
	return true
}

// mailHead are the names of a mail's fields.
var mailHead = pattern.New(`(?i)^(?:from|to|cc|bcc|sent|subject|von|an)$`)

// inTitle are the people that the end of a title or a part of it in brackets names.
var inTitle = pattern.New(`(?:\s[–—-]\s+(\p{Lu}[^–—]{3,200}?)|\((?i:present|attendees?|attending|participants?|with|w/|in)\s*:?\s+([^()]{3,200})\)|\s(?i:w/|with|mit)\s+(\p{Lu}.{3,200}))$`)

// withRole is a person with what she does: "Ann Lee (buyer)".
var withRole = pattern.New(`(` + namePart + `)\s*\(([a-z][a-z /&-]{2,30})\)`)

// withRoles reads two people or more at the top with their roles behind them, whatever stands between.
func (s *scanner) withRoles(text, quote string) {
	if s.from-s.top > 5 {
		return
	}
	found := withRole.FindAllStringSubmatch(text, -1)
	known := slices.ContainsFunc(found, func(m []string) bool {
		return slices.ContainsFunc(strings.Fields(m[2]), func(w string) bool { return roles[w] || officeWord(w) })
	})
	if len(found) < 2 || !known {
		return
	}
	for _, m := range found {
		if writtenName(m[1]) {
			s.people(m[1], quote, false, false)
		}
	}
}

// bareTitle ends in people in brackets.
var bareTitle = pattern.New(`\(([^()]{8,200})\)\s*$`)

// titled reads "Retro w/ Ann, Bo" and "Daily (present: Ann, Bo)".
func (s *scanner) titled(text, quote string) {
	if m := bareTitle.FindStringSubmatch(text); m != nil && s.from-s.top < 3 {
		names := m[1]
		if _, behind, ok := strings.Cut(names, ": "); ok {
			names = behind
		}
		if nameCount(names) >= 3 {
			s.people(names, quote, false, false)
		}
	}
	if m := inTitle.FindStringSubmatch(text); m != nil && s.from-s.top < 3 && (nameCount(m[2]+m[3]) >= 2 || nameCount(m[1]) >= 3) {
		s.people(m[1]+m[2]+m[3], quote, false, false)
	}
}

// isList reports a label of something else than people.
func isList(label string) bool {
	sec := sectionOf(label)
	return sec != plainSection && sec != peopleSection && sec != absentSection
}

// onlyPeople reads a line at the top that is nothing but three names or more.
func (s *scanner) onlyPeople(text, quote string) bool {
	if s.from-s.top > 4 || len(s.out.Attendees) > 0 {
		return false
	}
	names := strings.ReplaceAll(text, " / ", ", ")
	if bulletPattern.MatchString(quote) { // "Ann Lee / Acme / @ann" is one
		return false
	}
	if handles := strings.Fields(names); strings.HasPrefix(names, "@") && !slices.ContainsFunc(handles, func(h string) bool { return h[0] != '@' }) {
		names = strings.Join(handles, ", ")
	}
	if nameCount(names) < 3 {
		return false
	}
	s.people(names, quote, false, false)
	return true
}

// leadsList reports a line above bullets that says in words before brackets that they are people: "Roll call (name /
// institution)".
func (s *scanner) leadsList(text string) bool {
	before, _, ok := strings.Cut(text, " (")
	if !ok || !strings.HasSuffix(text, ")") {
		return false
	}
	next, gap := s.following()
	return !gap && bulletPattern.MatchString(next) && (sectionOf(before) == peopleSection || sectionOf(before) == absentSection)
}

// leadWords are the words of a lead-in without what it explains in brackets.
func leadWords(text string) string {
	if before, _, ok := strings.Cut(text, " ("); ok && strings.HasSuffix(text, ")") {
		return before
	}
	return text
}

// dotted reads a line of facts between dots whose last one is a list of people.
func (s *scanner) dotted(text, quote string) bool {
	if at := strings.LastIndex(text, " // "); at >= 0 && lowerNames(text[at+4:]) {
		s.people(text[at+4:], quote, false, false)
		return true
	}
	if parts := strings.Split(text, " · "); len(parts) > 2 {
		for _, part := range parts {
			if nameCount(part) >= 2 {
				s.people(part, quote, false, false)
				s.attendance(text[strings.Index(text, part)+len(part):], quote)
				return true
			}
		}
	}
	at := strings.LastIndex(text, " · ")
	if at < 0 {
		at = strings.LastIndex(text, " | ")
	}
	if at < 0 || nameCount(text[at+3:]) < 2 {
		return false
	}
	s.people(text[at+3:], quote, false, false)
	return true
}

// answeredRoll ends a line of a roll call: "Ann Lee – present", "Bo: absent (excused)".
var answeredRoll = pattern.New(`(?i)^(.{2,50}?)\s*(?:[–—:-]|\.{2,})\s*(present|here|aye|yes|absent|excused|regrets|apologies|away|not present|anwesend|entschuldigt|abwesend)\b.{0,30}$`)

// answeredCall reads such a line.
func answeredCall(text string) (name string, absent, ok bool) {
	m := answeredRoll.FindStringSubmatch(text)
	if m == nil {
		return text, false, false
	}
	return m[1], !slices.Contains([]string{"present", "here", "aye", "yes", "anwesend"}, strings.ToLower(m[2])), true
}
