package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

// Texts list the people of a team below a heading or behind a label: "Resources: Joe – Backend Engineer, 80%". Who attends a meeting may have
// the share of time behind the name: "Attendees: Joe (80%)".

var (
	teamHead = pattern.New(`(?i)^(?:(?:the|our|project|core|dev|delivery|development|scrum|engineering|new|current)\s+){0,2}` +
		`(?:team(?:\s+(?:members?|roster|capacity|availability|allocation))?|roster|resources?|resource\s+(?:allocations?|plan|capacity|availability)|resourcing|staffing(?:\s+plan)?|people|capacity(?:\s+(?:plan|planning))?|availability|allocations?|` +
		`teammitglieder|ressourcen(?:planung)?|kapazität(?:en|splanung)?|verfügbarkeit(?:en)?)` +
		`(?:\s+(?:for|in|on|of|für)\s+[^:]{1,40})?(?:\s*\([^()]{0,40}\))?\s*(?:(:)\s*(.*))?$`)
	presentHead = pattern.New(`(?i)^(?:attendees?|attending|participants?|present|in attendance|teilnehmer(?:innen)?|anwesend)(?:\s*\([^()]{0,40}\))?\s*(?:(:)\s*(.*))?$`)
	headMarks   = pattern.New(`^\s*(?:#{1,6}\s+|\*\*|__)?(.*?)(?:\*\*|__)?\s*$`)
	boldLabel   = pattern.New(`^(?:\*\*|__)(.{2,60}?)(?:\*\*|__)`)

	capacitySays = pattern.New(`(?i)^(?:capacity|weekly capacity|kapazität|hours|weekly hours|stunden)\s*(?:[:=]|of|is)?\s*(.+)$`)
	shareSays    = pattern.New(`(?i)^(?:availability|available|avail\.?|allocation|allocated|verfügbar(?:keit)?)\s*(?:[:=]|of|is|at|to|zu)?\s*(.+)$`)
	shareSaid    = pattern.New(`(?i)^(\d{1,3}(?:[.,]\d{1,2})?\s?%)\s*(?:availability|available|avail\.?|allocation|allocated|capacity|fte|verfügbar)$`)
	hoursSaid    = pattern.New(`(?i)^(.{1,20}?)\s*(?:capacity|available|verfügbar)$`)
	roleSays     = pattern.New(`(?i)^(?:role|title|position|rolle)\s*[:=]\s*(.+)$`)
	skillsSay    = pattern.New(`(?i)^(?:skills?|skill set|skillset|tech stack|stack|kenntnisse)\s*(?:[:=]|are\s)\s*(.*)$`)

	memberCut  = pattern.New(`\s*[,;|()]\s*|\s+[–—-]{1,2}\s+|\t+`)
	memberName = pattern.New(`^(@?[\p{L}][\p{L}'’.-]*(?:\s+[\p{L}][\p{L}'’.-]*){0,3})\s*(?:\(|:|,|;|\||\t|\s[–—-]{1,2}\s|$)`)
)

// longestTeamLine bounds the lines in which members are looked for, in bytes, and mostMembers how many there are of one text.
const longestTeamLine, mostMembers = 1000, 500

// A teamReader reads the members that a text lists.
type teamReader struct {
	out   []Member
	names []Member // of the block at work: those of whom nothing but their name is said
	some  int      // members of the block of whom something is said
	odd   int      // lines of the block, one after the other, that name nobody
}

// Team reads the people whom a text lists as a team, with their roles and how much they work, and of those who attend a meeting what the text
// says of that. It takes only who is listed with something that people have, or among such.
func Team(text string) []Member {
	var r teamReader
	block, present := false, false
	n, blank := 0, 0
	for line := range strings.Lines(text) {
		n++
		if len(r.out) >= mostMembers {
			break
		}
		raw := strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(raw) == "" {
			if blank++; blank > 1 || r.some+len(r.names) > 0 {
				block = false
			}
			continue
		}
		blank = 0
		bullet := bulletPattern.MatchString(raw)
		if len(raw) > longestTeamLine {
			block = false
			continue
		}
		if head, rest, attends, ok := teamHeading(raw, bullet); ok {
			r.end()
			block, present = true, attends
			if rest != "" {
				r.inline(rest, head, n, attends)
				block = false
			}
			continue
		}
		if block {
			block = r.line(raw, n, bullet, present)
		}
		if !block {
			r.end()
		}
	}
	r.end()
	return r.inFull()
}

// inFull are the members, those named by their first names alone as the one whose first name it is.
func (r *teamReader) inFull() []Member {
	all := r.out
	r.out = nil
	for _, m := range all {
		if !strings.Contains(m.Name, " ") {
			full := ""
			for _, o := range all {
				if given, _, more := strings.Cut(o.Name, " "); more && strings.EqualFold(given, m.Name) {
					if full != "" {
						full = m.Name
						break
					}
					full = o.Name
				}
			}
			if full != "" {
				m.Name = full
			}
		}
		r.add(m)
	}
	return r.out
}

// teamHeading reads a line that begins a list of people; rest is what stands behind its label.
func teamHeading(raw string, bullet bool) (head, rest string, attends, ok bool) {
	text := strings.TrimSpace(raw)
	marked := strings.HasPrefix(text, "#") || boldLabel.MatchString(text)
	if bullet {
		text = strings.TrimSpace(bulletPattern.FindStringSubmatch(raw)[2])
	}
	text = headMarks.ReplaceAllString(boldLabel.ReplaceAllString(text, "$1"), "$1")
	m := presentHead.FindStringSubmatch(text)
	if attends = m != nil; !attends {
		m = teamHead.FindStringSubmatch(text)
	}
	if m == nil || m[1] == "" && (bullet || !marked && len(strings.Fields(text)) > 4) {
		return "", "", false, false
	}
	return text, strings.TrimSpace(m[2]), attends, true
}

// end keeps those of whom only their name is said, in a block of people of whom more is said.
func (r *teamReader) end() {
	if r.some > 0 && r.some >= len(r.names) {
		for _, m := range r.names {
			r.add(m)
		}
	}
	r.names, r.some, r.odd = nil, 0, 0
}

func (r *teamReader) add(m Member) {
	i := slices.IndexFunc(r.out, func(o Member) bool { return strings.EqualFold(o.Name, m.Name) })
	if i < 0 {
		r.out = append(r.out, m)
		return
	}
	o := &r.out[i] // what was said first counts
	if o.Role == "" {
		o.Role = m.Role
	}
	if o.Capacity == nil {
		o.Capacity = m.Capacity
	}
	if o.Availability == nil {
		o.Availability = m.Availability
	}
	if o.Skills == nil {
		o.Skills = m.Skills
	}
}

// line reads a line of a list, and reports whether the list goes on.
func (r *teamReader) line(raw string, n int, bullet, present bool) bool {
	text := strings.TrimSpace(raw)
	if strings.HasPrefix(text, "#") {
		return false
	}
	if bullet {
		text = bulletPattern.FindStringSubmatch(raw)[2]
	}
	text = clean(awayMark.ReplaceAllString(text, ""))
	m, told, ok := memberOf(text, present)
	m.Span = Span{Line: n, EndLine: n, Quote: strings.TrimSpace(raw)}
	switch {
	case ok && told:
		r.add(m)
		r.some, r.odd = r.some+1, 0
	case ok && bullet && !present && len(strings.Fields(m.Name)) > 1:
		r.names, r.odd = append(r.names, m), 0
	default:
		r.odd++
	}
	return r.odd < 2
}

// inline reads "Joe (80%), Ann – QA, 50%; Bo" behind a label.
func (r *teamReader) inline(list, line string, n int, present bool) {
	for _, part := range membersApart(list) {
		m, told, ok := memberOf(part, present)
		m.Span = Span{Line: n, EndLine: n, Quote: line}
		switch {
		case ok && told:
			r.add(m)
			r.some++
		case ok && !present && len(strings.Fields(m.Name)) > 1:
			r.names = append(r.names, m)
		}
	}
	r.end()
}

// membersApart cuts a list where a person ends: at a semicolon, or at a comma or "and" outside of brackets behind which a name stands.
func membersApart(list string) (out []string) {
	list = strings.TrimRight(list, ". ")
	if strings.Contains(list, ";") {
		return strings.Split(list, ";")
	}
	depth, from := 0, 0
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case '(':
			depth++
		case ')':
			depth = max(depth-1, 0)
		case ',':
			if depth == 0 && beginsMember(list[i+1:]) {
				out, from = append(out, list[from:i]), i+1
			}
		case ' ':
			for _, and := range []string{" and ", " und ", " & "} {
				if depth == 0 && strings.HasPrefix(list[i:], and) && beginsMember(list[i+len(and):]) {
					out, from = append(out, list[from:i]), i+len(and)
				}
			}
		}
	}
	return append(out, list[from:])
}

// beginsMember reports a text that begins with somebody's name, and not with what somebody is or knows.
func beginsMember(text string) bool {
	m := memberName.FindStringSubmatch(strings.TrimSpace(text))
	return m != nil && isPerson(m[1]) && !isTitleOf(m[1])
}

// memberOf reads one person with what is said behind the name. told says that anything is.
func memberOf(text string, present bool) (m Member, told, ok bool) {
	text = strings.TrimSpace(strings.TrimRight(text, ". "))
	at := memberName.FindStringSubmatchIndex(text)
	if at == nil {
		return m, false, false
	}
	m.Name = strings.TrimSpace(text[at[2]:at[3]])
	if m.Name = strings.TrimPrefix(m.Name, "@"); !isPerson(m.Name) || isTitleOf(m.Name) {
		return m, false, false
	}
	rest := text[at[3]:]
	if present && !strings.HasPrefix(strings.TrimSpace(rest), "(") { // "Joe 35%" is how much he spoke
		return m, false, true
	}
	inSkills := false
	for _, part := range memberCut.Split(strings.TrimLeft(rest, " :"), -1) {
		part = strings.Trim(part, " .:*")
		if part == "" {
			continue
		}
		switch is := m.say(part); {
		case is:
			inSkills = false
		case skillsSay.MatchString(part):
			inSkills = true
			m.Skills = skillsIn(skillsSay.FindStringSubmatch(part)[1])
		case inSkills && len(part) <= 40:
			m.Skills = append(m.Skills, skillsIn(part)...)
		}
	}
	return m, m.Role != "" || m.Capacity != nil || m.Availability != nil || len(m.Skills) > 0, true
}

// say reads what a part says of a person; false where it says nothing that is known.
func (m *Member) say(part string) bool {
	hours := func(s string) bool {
		h, ok := hoursIn(s)
		if ok && m.Capacity == nil {
			m.Capacity = &h
		}
		return ok
	}
	share := func(s string) bool {
		f, ok := shareIn(s)
		if ok && m.Availability == nil {
			m.Availability = &f
		}
		return ok
	}
	if x := roleSays.FindStringSubmatch(part); x != nil {
		m.Role = RoleOf(x[1])
		return true
	}
	if x := capacitySays.FindStringSubmatch(part); x != nil {
		if plainAmount.MatchString(x[1]) && amount(x[1]) <= 60 {
			return hours(x[1] + "h")
		}
		if f, ok := shareIn(x[1]); ok {
			h := rounded(f * fullWeek)
			m.Capacity = &h
			return true
		}
		return hours(x[1])
	}
	if x := shareSays.FindStringSubmatch(part); x != nil {
		if plainAmount.MatchString(x[1]) && amount(x[1]) <= 1 {
			f := amount(x[1])
			m.Availability = &f
			return true
		}
		return share(x[1]) || hours(x[1])
	}
	if x := shareSaid.FindStringSubmatch(part); x != nil {
		return share(x[1])
	}
	if x := hoursSaid.FindStringSubmatch(part); x != nil && hours(x[1]) {
		return true
	}
	if mailAddress.MatchString(part) {
		m.Email = part
		return true
	}
	if isTitleOf(part) {
		if m.Role == "" {
			m.Role = RoleOf(part)
		}
		return true
	}
	return strings.ContainsAny(part, "0123456789") && (share(part) || hours(part))
}
