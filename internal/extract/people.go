package extract

import (
	"slices"
	"strings"
	"unicode"

	"chela/internal/pattern"
)

// listed reads a line of a list of people; a box says who came.
func (s *scanner) listed(box []string, text, quote string) {
	if box == nil && s.endsPeople(text) {
		s.section, s.depth, s.level = plainSection, -1, -1
		s.prose(text, quote)
		return
	}
	if g := groupsOf(text); box == nil && len(g) == 1 && g[0].label != "" && !strings.Contains(g[0].label, " ") && nameCount(g[0].names) >= 2 && strings.Contains(g[0].names, " ") {
		text = g[0].names
		for _, name := range nameSeparator.Split(text, -1) {
			s.people(name, quote, s.section == absentSection, true)
		}
		return
	}
	absent, before := s.section == absentSection, len(s.out.Attendees)
	if m := group.FindStringSubmatch(text); m != nil && box == nil && onlyNames(m[2]) {
		s.people(m[2], quote, absent || awayWords.MatchString(m[1]), false)
		return
	}
	struck := strings.Contains(text, "~~")
	if box != nil {
		text = clean(box[2])
		absent = absent || box[1] == " "
		if box[1] != " " {
			s.ticked++
		}
	}
	names := strings.ReplaceAll(text, "~~", "")
	if first := firstNames(names); len(first) < len(names) && nameCount(first) > 1 && box == nil { // "Ann, Bo. Apologies from Cy"
		s.people(first, quote, absent, false)
		s.attendance(strings.Trim(names[len(first):], " ."), quote)
		return
	}
	s.people(names, quote, absent || struck, true)
	for i := before; i < len(s.out.Attendees) && box != nil && box[1] == " " && !struck; i++ {
		s.unticked = append(s.unticked, i)
	}
}

// group is a part of the people: "Others: Ann, Bo".
var group = pattern.New(`^(\pL[\pL -]{2,30}):\s+(.+)$`)

// onlyNames reports whether each part of a list is one word, or begins each of its words like a name.
func onlyNames(list string) bool {
	for _, part := range nameSeparator.Split(strings.Trim(list, " ."), -1) {
		words := strings.Fields(strings.TrimPrefix(part, "@"))
		if len(words) == 0 || len(words) > 3 || !unicode.IsLetter([]rune(words[0])[0]) || len(words) > 1 && slices.ContainsFunc(words, func(w string) bool { return !unicode.IsUpper([]rune(w)[0]) }) {
			return false
		}
	}
	return true
}

// endsPeople reports whether a line below a list of people is none of it any more: a sentence, or a
// longer title, after a gap.
func (s *scanner) endsPeople(text string) bool {
	if s.from == 0 || strings.TrimSpace(s.lines[s.from-1]) != "" || len(s.out.Attendees) == 0 {
		return false
	}
	if s.level >= 0 && !bulletPattern.MatchString(s.lines[s.from]) && groupsOf(text)[0].label == "" { // below a list
		return true
	}
	text = linkPattern.ReplaceAllString(text, "$1")
	long := 6
	if !bulletPattern.MatchString(s.lines[s.from]) && labelHead.MatchString(text) {
		long = 4
	}
	return len(strings.Fields(text)) >= long && !contact.MatchString(text) && !plausible(strings.TrimSpace(inBrackets.ReplaceAllString(nameSeparator.Split(text, 2)[0], "")))
}

// peopleLine reads "Present: Ann, Bo; regrets: Cy".
func (s *scanner) peopleLine(text, quote string) bool {
	var m []string
	if plus := presentPlus.FindStringSubmatch(text); plus != nil {
		s.people(plus[1], quote, false, false)
		return true
	}
	if strings.Contains(text, ":") {
		m = peopleLine.FindStringSubmatch(text)
	} else if s.from-s.top < introLines {
		if w := withLine.FindStringSubmatch(text); w != nil {
			m = []string{text, "", w[1]}
		}
	}
	if m == nil && len(s.out.Attendees) == 0 && len(s.out.Actions) == 0 {
		if m = whoLine.FindStringSubmatch(text); m != nil && !isName(strings.TrimSpace(nameSeparator.Split(m[2], 2)[0])) {
			return false
		}
	}
	if m == nil {
		return false
	}
	names, more := m[2], ""
	if at := peopleNext.FindStringSubmatchIndex(names); at != nil {
		names, more = names[:at[0]], names[at[2]:]
	}
	s.people(names, quote, awayWords.MatchString(m[1]), false)
	return more == "" || s.peopleLine(more, quote)
}

// presentPlus is how a scribe's log adds people.
var presentPlus = pattern.New(`(?i)^present\+:?\s+(.+)$`)

// withLine is a list of people at the top.
var withLine = pattern.New(`^(?i:w/|with)\s+(` + namePart + `(?:\s*(?:,|&|\band\b)\s*` + namePart + `)+)\.?$`)

// whoLine is a list of people where no action is that it could belong to.
var whoLine = pattern.New(`(?i)^(who)\s*:\s*([^,;]+[,;].+)$`)

// people reads names out of a line of names, or of a line of a list (listed), where each
// line is one person as a rule.
func (s *scanner) people(text, quote string, absent, listed bool) {
	if m := everyMember.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	text = s.withoutAsides(meAmong.ReplaceAllString(linkPattern.ReplaceAllString(text, "$1"), "$1"))
	if text = percent.ReplaceAllString(text, ""); !absent {
		text = s.apart(text, quote)
	}
	text = atNames.ReplaceAllString(atName.ReplaceAllString(text, "$1"), ", $1")
	if handles := strings.Fields(text); len(handles) > 1 && !slices.ContainsFunc(handles, func(h string) bool { return h[0] != '@' }) {
		text = strings.Join(handles, ", ")
	}
	parts := nameSeparator.Split(contact.ReplaceAllString(text, ""), -1)
	if listed && contact.MatchString(text) {
		parts = parts[:1] // a person's card: name, affiliation, address
	} else if listed {
		parts = withoutAffiliation(parts)
	}
	for _, part := range parts {
		a := Attendee{Absent: absent, Span: s.span(quote)}
		if m := ofRole.FindStringSubmatch(part); m != nil {
			part = m[1]
		}
		if m := officeFirst.FindStringSubmatch(trimAnd(part)); m != nil {
			s.holds(m[1], m[2])
		}
		part = bareOf(ofOurs.ReplaceAllString(trimAnd(strings.Trim(part, "-*•. ")), ""))
		if m := ofRole.FindStringSubmatch(part); m != nil {
			part = m[1]
		}
		if m := shortName.FindStringSubmatch(part); m != nil {
			a.Handle, part = m[2], m[1]
		}
		if name, absent, ok := answeredCall(part); ok {
			part, a.Absent = name, a.Absent || absent
		}
		if role := inBrackets.FindString(part); role != "" {
			s.holds(strings.Trim(role, "()"), strings.TrimSpace(inBrackets.ReplaceAllString(part, "")))
		}
		if m := handleIn.FindStringSubmatch(part); m != nil {
			a.Handle = m[1]
			part = strings.Replace(part, m[0], "", 1)
		}
		part = device.ReplaceAllString(inBrackets.ReplaceAllString(part, ""), "")
		if at := affiliated.FindStringSubmatchIndex(part); at != nil {
			s.holds(part[at[1]:], strings.TrimSpace(part[:at[0]]))
			part = part[:at[0]]
		}
		a.Name = strings.TrimSpace(strings.Trim(part, "-–:() "))
		if a.Name == "" {
			a.Name = a.Handle
		}
		if meWords[a.Name] {
			if a.Name = s.author; a.Name == "" {
				continue
			}
		}
		if !plausible(unquoted(a.Name)) || strings.EqualFold(a.Name, "me") || strings.EqualFold(a.Name, "myself") || strings.ToLower(a.Name) == a.Name && slices.ContainsFunc(strings.Fields(a.Name), func(w string) bool { return roles[w] }) {
			if n := len(s.out.Attendees); n > 0 {
				s.holds(a.Name, s.out.Attendees[n-1].Name)
			}
			continue
		}
		short := len(a.Name) <= 3 && strings.ToUpper(a.Name) == a.Name && s.meant(a.Name, true) != "" // "Chair: AL"
		if !short && !slices.ContainsFunc(s.out.Attendees, func(o Attendee) bool { return strings.EqualFold(o.Name, a.Name) }) {
			s.out.Attendees = append(s.out.Attendees, a)
		}
	}
}

// atNames are people named one after the other: "@Ann Lee @Bo Kim".
var atNames = pattern.New(`\s+@(\p{Lu}[\pL'’-]+(?:\s+\p{Lu}[\pL'’-]+)?)`)

// percent is how much somebody spoke.
var percent = pattern.New(`\s+\d{1,3}\s?%`)

var atName = pattern.New(`^@(\p{Lu}[\pL'’-]+\s+\p{Lu}[\pL'’-]+)`)

var (
	// affiliated begins where a person comes from: "Ann Lee / Acme".
	affiliated = pattern.New(`\s+[-–—/|]\s+`)
	meAmong    = pattern.New(`(?i)\bme\s*\(((?-i:` + namePart + `))\)`)
	// ofOurs says whose side somebody is on, and shortName is a name with its initials: "Ann Lee (AL)".
	ofOurs        = pattern.New(`(?i)^(?:von uns|from (?:us|our side)|for us|on our side|our side)\s+`)
	shortName     = pattern.New(`^(\p{Lu}[^()]{1,40}?)\s*\(([A-Z]{2,3})\)$`)
	noHandle      = pattern.New(`\s*\([^()@]*\)`)
	handleIn      = pattern.New(`@([\w-]{1,39})`)
	inBrackets    = pattern.New(`\([^)]*\)|\[[ xX]?\]`)
	nameSeparator = pattern.New(`\s*[,;]\s*|\s+(?:and|und|&|\+)\s+`)
	// contact is a mail address or a telephone number.
	contact = pattern.New(`(?:&lt;|<)?(?:\[[^\]]*\]\(mailto:[^)]*\)|[\w.+-]*@[\w-]+(?:\.[\w-]+)+)(?:&gt;|>)?|\+?\d[\d -]{7,}\d`)
)

// roles are what people are in a meeting, written behind their names.
var roles = set(list("buyer, champion, sponsor, procurement, purchasing, quality, mentor, mentee, coach, trainer, customer, client, vendor, supplier, analyst, scientist, student, intern, assistant, accountant, lawyer, counsel, security, operations, billing, warehouse, procurement, tester, admin, administrator, coordinator, team, chair, chairman, chairwoman, chairperson, co-chair, vice, president, treasurer, secretary, director, manager, lead, leader, head, officer, minutes, notes, scribe, facilitator, moderator, host, convenor, convener, guest, guests, observer, observers, external, internal, remote, remotely, online, late, virtual, member, members, staff, support, sales, engineering, product, design, finance, legal, hr, it, ops, marketing, independent, investor, consultant, auditor, editor, engineer, developer, designer, architect, owner, ceo, cto, cfo, coo, vp, protokoll, vorsitz, leitung, moderation, gast, schriftführer, kassenwart, others, phone, zoom, teams"))

// everyMember names in brackets who they all are.
var everyMember = pattern.New(`^(?i:all)\s[\pL ]{3,40}\(([^()]{8,300})\)\.?$`)

// withoutAsides takes off what stands in brackets in a list of people, but handles and initials, and keeps their roles.
func (s *scanner) withoutAsides(text string) string {
	text = withColleagues(text)
	for _, m := range roleAside.FindAllStringSubmatch(text, -1) {
		s.holds(m[2], m[1])
	}
	return noHandle.ReplaceAllStringFunc(text, func(b string) string {
		if inner := strings.Trim(b, " ()"); strings.HasPrefix(inner, "Mr") || strings.HasPrefix(inner, "Ms") || len(inner) <= 3 && len(inner) >= 2 && strings.ToUpper(inner) == inner {
			return b
		}
		return ""
	})
}

// withColleagues names those of whom a list says "two colleagues of hers (Ann, Bo)".
func withColleagues(text string) string {
	return colleagues.ReplaceAllStringFunc(text, func(c string) string {
		m := colleagues.FindStringSubmatch(c)
		if nameCount(m[2]) == 0 {
			return c
		}
		return m[1] + m[2]
	})
}

// colleagues are people of whom only the brackets behind say who they are: "two colleagues of hers (Ann, Bo)".
var colleagues = pattern.New(`(^|[,;+&]\s*|\sand\s+)(?:[a-z]+\s+){1,6}\(([^()]+)\)`)

var roleAside = pattern.New(`(` + namePart + `)\s*\(([^()@]{3,40})\)`)

// withoutAffiliation reads "Michelle Au, Google" as one person: in a list of one person
// a line, single words after a full name say where they come from.
func withoutAffiliation(parts []string) []string {
	if len(parts) < 2 || len(strings.Fields(parts[0])) < 2 {
		return parts
	}
	out := parts[:1:1]
	for _, p := range parts[1:] {
		bare := strings.TrimSpace(inBrackets.ReplaceAllString(p, ""))
		if len(strings.Fields(bare)) > 1 && !corporate.MatchString(bare) {
			out = append(out, p)
		} else if m := handleIn.FindString(p); m != "" {
			out[0] += " (" + m + ")"
		}
	}
	return out
}

// inQuotes is what a name has between its words: the name by which somebody is called.
var inQuotes = pattern.New(`\s*["“„'‘]([\pL-]{2,20})["”“'’]`)

// unquoted is a name without that.
func unquoted(name string) string { return strings.TrimSpace(inQuotes.ReplaceAllString(name, "")) }

// plausible reports whether a text may be a name: a few words of letters.
func plausible(name string) bool {
	words := strings.Fields(name)
	if len(words) == 0 || len(words) > 4 || len(name) > 50 {
		return false
	}
	low := strings.ToLower(words[0])
	if unicode.IsDigit([]rune(name)[0]) || notNames[low] && !slices.Contains(alsoNames, low) || slices.Contains([]string{"none", "tbd", "tba", "n/a", "...", "quorum", "rotating"}, strings.ToLower(name)) {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" .'’-_", r)
	}) && strings.ContainsFunc(name, unicode.IsLetter)
}
