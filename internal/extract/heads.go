package extract

import (
	"slices"
	"strings"
	"unicode"

	"chela/internal/pattern"
)

// What the lines below a heading or a lead-in line are.
type section int

const (
	plainSection section = iota
	actionSection
	decisionSection
	questionSection
	phaseSection
	milestoneSection
	pageSection  // each item is a topic
	mixedSection // actions, where an item has an owner, and decisions
	peopleSection
	absentSection
)

var (
	headingPattern = pattern.New(`^(#{1,6})\s+(.+?)\s*#*$`)
	boldLine       = pattern.New(`^\*\*([^*]{2,80})\*\*:?$`)
	slackBold      = pattern.New(`^\*([^*\s](?:[^*]{0,58}[^*\s])?)\*:?$`)
	topicLine      = pattern.New(`(?i)^(?:(?:top|(?:agenda )?item|topic)\s*\d+|topic|thema|agendum)\s*[:.–-]\s*(.{2,120})$`)

	actionHead = pattern.New(`^(?:待办(?:事项)?|行动项?|任务|下一步(?:计划)?|后续(?:事项|行动)?)[:： ]*$|(?i)^(?:(?:new |open |summary of |our |agreed |unfinished |outstanding |remaining |current |key |immediate |corrective |preventive |pending )?(?:action(?: item| point)?s?(?: items| log| list| plan)?)|(?:agreed |corrective |preventive |follow-?up |further )?measures(?: agreed| taken)?|(?:suggested |recommended |proposed |agreed )?next (?:steps?|actions?)|what (?:we(?:['’]ll| will)|to) (?:do|change)(?: next| now)?|remediations?(?: items| actions)?|(?:things )?to be done|things to do|what(?:['’]s| is) next|who ?/ ?what ?/ ?when|(?:until|before|by) (?:the )?next (?:time|meeting|call|session|board)|(?:my|your|our|his|her|their) (?:to-?dos?|actions?(?: items)?|tasks|next steps)|homework(?: (?:until|for|till) .{1,20})?|to-?dos?|to do(?: list)?|follow[- ]?ups?(?: tasks| items| actions)?|tasks(?: assigned)?|assignments|commitments|who (?:does|will do|is doing) what|actions (?:agreed|arising)|ais?|aps?` +
		`|aufgaben(?:liste)?|ma(?:ß|ss)nahmen|nächste schritte|offene aufgaben|todos|wer macht was|à faire|prochaines étapes|tareas|acciones|pr[oó]ximos pasos|compromisos)\b(?:\s+(?:from|of|since|until|till|before|by)\s.{1,30}|\s*\(.{1,30}\)|[^a-zäöüß]*)\s*:?$`)
	decisionHead = pattern.New(`^(?:决定|决议|结论)[:： ]*$|(?i)^(?:(?:summary of |key |main )?(?:decisions?(?: log| list)?|resolutions?|agreements?|conclusions?)(?: made| taken| reached)?|agreed (?:goals|points|changes|rules)(?: for .{1,20})?|consensus(?: points?| from(?: this)? meeting)?|(?:what (?:we|was) )(?:decided|agreed)(?: on| upon)?|what we have (?:decided|agreed)|decided|agreed` +
		`|beschl(?:uss|üsse)|entscheidung(?:en)?|vereinbarungen|décisions?(?: prises)?|acuerdos|decision(?:es))(?:\b|$)[^a-zäöüß]*$`)
	// leadDecides ends a line above a list of decisions.
	leadDecides = pattern.New(`(?i)\b(?:decided|agreed|resolved|beschloss(?:en)?|vereinbart)(?: (?:the following|on|that|to))?:?$`)
	mixedHead   = pattern.New(`(?i)^(?:we (?:have )?(?:agreed|committed to|commit to)|(?:key )?(?:decisions?|agreements?|resolutions?|conclusions?|outcomes?)(?: taken| made)?\s*(?:and|&|/|,|\+|und)\s*(?:actions?(?: items| points)?|next steps?|to-?dos?|follow[- ]?ups|tasks)|actions?(?: items| points)?\s*(?:and|&|/|,|\+)\s*(?:decisions?|agreements?|resolutions?)|(?:things |what )?(?:we(?:['’]ll| will)? )?(?:to )?try(?: next)?|what we take away|plan(?: for .{1,30}| of action)?|experiments?(?: for .{1,30})?|what (?:will )?changes?|beschlüsse und (?:aufgaben|maßnahmen))\s*:?$`)
	// lastTime is of what was agreed before, and a list of it tells how that went.
	lastTime     = pattern.New(`(?i)^(?:follow[- ]?ups?|review|status|homework|carry[- ]?over)\b.*\b(?:from|of|since)\s+(?:the )?(?:last|previous|prior)\b`)
	planHead     = pattern.New(`(?i)^\W*(?:agreed )?plan\b`)
	questionHead = pattern.New(`^(?:(?:未决|遗留|待解决)?问题|待定(?:事项)?|待讨论)[:： ]*$|(?i)^(?:(?:open |unresolved |unanswered |outstanding |pending )?questions?(?: \(?open\)?)?|(?:open|outstanding|pending|unresolved) (?:issues|points|topics|matters|items)|(?:what(?:['’]s| is) )?(?:(?:still|left) )?open|unresolved|to be (?:clarified|decided|discussed|determined)|to clarify|unclear|parking lot` +
		`|offene (?:fragen|punkte)|fragen|(?:noch )?zu klären|questions ouvertes|points ouverts|preguntas(?: abiertas)?|(?:temas )?pendientes)\W*$`)
	peopleHead = pattern.New(`^(?:参会(?:人员?|者)|与会(?:人员|者)|出席(?:人员|者)?|参加(?:人员|者)|缺席(?:人员|者)?|请假)[:： ]*$|(?i)^(?:meeting )?(?:attend(?:ance|ees|ing|ed(?: by)?)|present|participants?|in attendance|in the room|on the call|who(?:'s| is| was) here|who attended|people present|members present|(?:tsc|toc|board|committee|council|team|wg|sig) members|roll call|apologies|regrets|absent|absentees|missing(?: attendees| members)?|not present|not attending|excused|council|guests?|observers?` +
		`|tn|teilnehmer(?:innen|liste|:innen)?|teilnehmende|anwesende?|entschuldigt|abwesende?|gäste|présents?|absents|excusés?|asistentes|ausentes)(?: \(.*\))?\s*:?$`)
)

// awayWords begin the lists of who was not there.
var awayWords = pattern.New(`(?i)^(?:apolog|regret|absent|missing|excus|not present|not attending|nicht dabei|entschuldigt|abwesend|es fehl|ausentes|缺席|请假|未出席)`)

// headed reads a line that is a heading, by its marks or by how it stands.
func (s *scanner) headed(raw, trimmed string) bool {
	if m := headingPattern.FindStringSubmatch(trimmed); m != nil {
		s.heading(clean(m[2]), len(m[1]), trimmed)
		return true
	}
	if m := boldLine.FindStringSubmatch(trimmed); m != nil {
		s.heading(clean(m[1]), 7, trimmed)
		return true
	}
	if m := slackBold.FindStringSubmatch(trimmed); m != nil && (sectionOf(m[1]) != plainSection || nameAlone.MatchString(m[1]) && standUp.MatchString(s.first+s.out.Title+s.firstTopic())) {
		s.heading(clean(m[1]), 7, trimmed)
		return true
	}
	if m := topicLine.FindStringSubmatch(clean(trimmed)); m != nil && len(sentences(m[1])) == 1 {
		s.heading(strings.TrimSpace(m[1]), 6, trimmed)
		return true
	}
	if i := s.at + 1; i < len(s.lines) && isRule(s.lines[i]) && !strings.HasPrefix(trimmed, "|") && !strings.HasPrefix(trimmed, "-") {
		s.heading(clean(trimmed), map[byte]int{'=': 1, '-': 2}[strings.TrimSpace(s.lines[i])[0]], trimmed)
		s.at++
		return true
	}
	if s.plainHeading(raw, trimmed) {
		s.heading(trimmed, 7, trimmed)
		return true
	}
	return false
}

// firstTopic is the title of the first topic.
func (s *scanner) firstTopic() string {
	if len(s.out.Topics) == 0 {
		return ""
	}
	return s.out.Topics[0].Title
}

// ownerAbove reports a line of nothing but a name above deeper lines or bullets.
func (s *scanner) ownerAbove(line string) bool {
	who := strings.TrimSpace(line)
	return nameAlone.MatchString(who) && isName(strings.TrimRight(who, ":")) && writtenName(strings.TrimRight(who, ": "))
}

// promiseLine reports a line in which somebody who is known does something.
func (s *scanner) promiseLine(line string) bool {
	d, ok := s.doerOf(line, "")
	if !ok || !d.known {
		return false
	}
	_, ok = s.task(d, line, true)
	return ok
}

// listsPeople reports a line of two people or more, or of some behind a label.
func (s *scanner) listsPeople(line string) bool {
	if nameCount(line) >= 2 {
		return true
	}
	parts := groupsOf(strings.TrimSpace(line))
	return parts[0].label != "" && nameCount(firstNames(parts[0].names)) >= 1
}

// onlyNames reports that the next lines, some at least, are one name each.
func (s *scanner) onlyNames(some int) bool {
	names := 0
	for _, line := range s.lines[min(s.at+1, len(s.lines)):] {
		if strings.TrimSpace(line) == "" {
			break
		}
		if nameCount(line) != 1 {
			return false
		}
		if names++; names >= some {
			return true
		}
	}
	return false
}

// isRule reports a line that underlines a heading.
func isRule(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= 3 && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "")
}

// plainHeading reports a line that is a heading by nothing but how it stands: a few words at the
// margin without the end of a sentence, above a list that it names, or first of its paragraph.
func (s *scanner) plainHeading(raw, trimmed string) bool {
	title := unadorned(trimmed)
	words := strings.Fields(title)
	if title == "" || raw != trimmed && strings.TrimRight(raw, " \t\r") != trimmed || len(words) > 5 || len(trimmed) > 60 ||
		strings.ContainsAny(trimmed, "|:;<>@`*_[]") || strings.ContainsAny(trimmed[len(trimmed)-1:], ".?!,)") && (sectionOf(title) == plainSection || trimmed[len(trimmed)-1] != ')') || bulletPattern.MatchString(raw) {
		return false
	}
	next, gap := s.following()
	listed, first := bulletPattern.MatchString(next) || boxPattern.MatchString(strings.TrimSpace(next)), s.at == 0 || strings.TrimSpace(s.lines[s.at-1]) == ""
	if t := strings.Trim(title, ":"); !first && !gap && peopleHead.MatchString(t) && !bulletPattern.MatchString(raw) && nameCount(next) >= 2 {
		s.bare = true
		return true
	}
	if nameAlone.MatchString(title) && first && !gap && standUp.MatchString(s.first+s.out.Title+s.firstTopic()) && isName(title) && labelHead.MatchString(strings.TrimSpace(next)) {
		return true
	}
	capital := strings.ToUpper(title) == title && strings.ContainsFunc(title, unicode.IsLetter)
	if !first && !gap && !listed && pastedHead(sectionOf(title), strings.TrimSpace(next)) {
		s.bare = true
		return true
	}
	if sectionOf(title) != plainSection {
		s.bare = !listed && first && !gap && next != ""
		if sectionOf(title) == actionSection && first && !gap && next != "" {
			task := strings.TrimSpace(next)
			s.bare = !listed && !strings.HasPrefix(task, "|")
			if hasOwner(task) || beginsTask(task) || s.ownerAbove(next) || s.promiseLine(task) || strings.Count(task, " | ") >= 2 || columnGap.MatchString(task) {
				return true
			}
		}
		list := s.bare && (capital || sectionOf(title) == peopleSection && (s.listsPeople(next) || s.onlyNames(2)))
		return listed || strings.HasPrefix(strings.TrimSpace(next), "|") || list || sectionOf(title) == decisionSection && !gap && numbered.MatchString(strings.TrimSpace(next))
	}
	if !first || gap || !s.begun || !capital && (s.section == peopleSection || s.section == absentSection) {
		return false
	}
	return title == trimmed && unicode.IsUpper([]rune(title)[0]) && (listed || capital || len(strings.Fields(next)) > len(words)+2) && !hasOwner(trimmed)
}

// pastedHead reports that a line below a heading is what the heading names, where a copy has lost the empty line above it and
// the bullets below.
func pastedHead(of section, next string) bool {
	return of == questionSection && strings.HasSuffix(next, "?") || of == actionSection && strings.HasPrefix(next, "@")
}

// unadorned takes pictures off the head of a line.
func unadorned(text string) string {
	return strings.TrimSpace(strings.TrimLeftFunc(text, func(r rune) bool { return unicode.Is(unicode.So, r) || r == '\uFE0F' }))
}

// following is the next line with text; gap says that an empty one stands before it.
func (s *scanner) following() (line string, gap bool) {
	for _, line := range s.lines[min(s.at+1, len(s.lines)):] {
		if strings.TrimSpace(line) != "" {
			return boxes.Replace(line), gap
		}
		gap = true
	}
	return "", gap
}

func (s *scanner) heading(title string, level int, quote string) {
	next := sectionOf(title)
	if line, _ := s.following(); next == plainSection && (presenceOf(title) == maybeHere || membersOnly.MatchString(title)) && nameCount(noHandle.ReplaceAllString(line, "")) >= 2 {
		next = peopleSection
	}
	if s.out.Title == "" && next == plainSection && (level <= 2 || strings.HasPrefix(quote, "#")) {
		s.out.Title = title
	}
	s.setDate(title)
	s.titled(title, quote)
	s.attendance(title, quote)
	s.withRoles(title, quote)
	s.between(title)
	if who := strings.TrimSpace(inBrackets.ReplaceAllString(strings.TrimSuffix(title, ":"), "")); level > 1 && nameAlone.MatchString(who) && (standUp.MatchString(s.out.Title+s.first+s.firstTopic()) || isName(who) && s.knows(who)) {
		who = strings.TrimPrefix(who, "@")
		s.mentioned(who)
		s.lead, s.leads = who, true
	} else {
		s.leads = false
	}
	s.voice, s.subject = "", ""
	s.sent = s.date
	if who := strings.TrimSuffix(title, ":"); s.section == actionSection && next == plainSection && level > s.head && s.depth < 0 && (nameAlone.MatchString(who) && isName(who) || ofNobody.MatchString(who)) {
		s.owner, s.under, s.level = strings.ReplaceAll(who, "@", ""), -1, -1 // somebody's actions
		if ofNobody.MatchString(who) {
			s.owner = ""
		}
		line, gap := s.following()
		s.bare = !gap && line != "" && !bulletPattern.MatchString(line)
	} else {
		s.section, s.depth, s.level, s.head, s.owner = next, -1, -1, level, s.whose(title)
		if s.owner != "" {
			s.under = -1
		}
		s.plans = planHead.MatchString(title)
	}
	s.closeTopics(level, s.at)
	s.out.Topics = append(s.out.Topics, Topic{Title: title, Level: level, Lists: next != plainSection, Date: s.date, Span: s.span(quote)})
	s.topic = len(s.out.Topics) - 1
	s.open = append(s.open, s.topic)
}

var membersOnly = pattern.New(`(?i)^(?:members|people|names)\s*:?$`)

// The words that name a list, and those that may stand beside them.
var (
	actionNouns   = set(list("action, actions, task, tasks, to-do, to-dos, todo, todos, todo's, steps, follow-up, follow-ups, followups, measures, assignments, homework, deliverables, responsibilities, commitments, capa, aufgaben, maßnahmen, schritte"))
	decisionNouns = set(list("decision, decisions, resolution, resolutions, agreements, conclusions, decided, agreed, settled, beschlüsse, entscheidungen, vereinbarungen"))
	besideNouns   = set(list("agreed, open, new, our, my, the, a, an, list, log, plan, register, table, required, assigned, recap, summary, overview, tracker, of, from, for, until, till, by, before, in, to, and, owners, owner, with, this, today, meeting, call, session, next, week, month, sprint, time, immediate, corrective, preventive, key, main, final, points, point, items, item, made, taken, reached, here, we, all, who, does, what, votes, resulting, current, short, further, additional, team, nächsten, nächste, mal, bis, zum, und, der, die, aus, heute, unsere, neue"))
	toDecide      = pattern.New(`(?i)\b(?:to|needed|open|pending|required|next|new|for)\b`)
)

// headOf reports a short title that has one of some nouns and says nothing else.
func headOf(title string, nouns map[string]bool) bool {
	words := strings.FieldsFunc(strings.ToLower(inBrackets.ReplaceAllString(title, "")), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("/&+,:|", r) })
	if len(words) == 0 || len(words) > 7 {
		return false
	}
	has := false
	for _, w := range words {
		switch {
		case nouns[w]:
			has = true
		case !besideNouns[w]:
			return false
		}
	}
	return has && !strings.HasPrefix(strings.ToLower(title), "step")
}

// standUp is a meeting whose headings are people.
var standUp = pattern.New(`(?i)\b(?:daily|stand-?up|huddle|check-?in|scrum|1:1|one[- ]on[- ]one)\b`)

var (
	ofTwo    = pattern.New(`(?i)\b(?:1[:-]1s?|1on1s?|one[- ]on[- ]ones?|check-?in|catch-?up|skip[- ]level|mentor(?:ing)?|feedback|performance|mitarbeitergespräch|sync|call with|talk with|monthly|weekly)\b`)
	titleAt  = pattern.New(`\s*(?:<>|/|&|\+|\||[–—:(),#@]|\s-\s|\s[x×]\s|\b(?i:with|and|mit|und|w/)\b)\s*`)
	talkWith = pattern.New(`\b(?i:monthly|weekly|call|talk|1[:-]1|1on1|catch-?up|skip[- ]level|meeting|sync)\s+(?i:with|w/|mit)\s+(` + namePart + `)`)
	noise    = pattern.New(`(?i)\b(?:weekly|monthly|bi-?weekly|notes?|1[:-]1s?|1on1s?|one[- ]on[- ]ones?|check-?in|catch-?up|skip[- ]level|mentoring|feedback|performance|mitarbeitergespräch|sync|session|meeting|manager|mentee|mentor|call|talk|founder|review|am|vom|date|\d[\d./-]*|` + months + `|` + weekdays + `)\b`)
)

// between keeps the people between whom a talk is, as its title names them.
func (s *scanner) between(title string) {
	if s.from-s.top > 2 || !ofTwo.MatchString(title) {
		return
	}
	if m := talkWith.FindStringSubmatch(title); m != nil {
		s.mentioned(m[1])
		return
	}
	for _, part := range titleAt.Split(title, -1) {
		if part = strings.TrimSpace(noise.ReplaceAllString(part, "")); writtenName(part) && len(strings.Fields(part)) <= 2 {
			s.mentioned(part)
		}
	}
}

var (
	ofNobody = pattern.New(`(?i)^(?:unassigned|nobody|everyone|everybody|all|team|others?)$`)
	mine     = pattern.New(`(?i)^(?:(?:my|our) (?:to-?dos?|actions?|action items|tasks|next steps|part)|i will|i['’]ll|what i will do)\b`)
	yours    = pattern.New(`(?i)^(?:your (?:to-?dos?|actions?|action items|tasks|next steps|part)|you will|you['’]ll)\b`)
)

// whose is the owner of what stands below "My to-dos" or "Your to-dos" in a letter.
func (s *scanner) whose(title string) string {
	switch {
	case mine.MatchString(title):
		return s.author
	case yours.MatchString(title):
		return s.reader
	}
	return ""
}

// fieldAlone is the name of a field, whose value a copy has on the line below.
var fieldAlone = pattern.New(`(?i)^(?:date|when|datum|termin|time|title|participants|attendees|teilnehmer|owner|status)$`)

// entitle keeps the first line, which is the title where no heading is.
func (s *scanner) entitle(text string, bullet bool) {
	if !s.begun && !bullet && text != "WEBVTT" && !strings.HasPrefix(text, "BEGIN:") && !fieldAlone.MatchString(text) && len(s.out.Topics) == 0 && len(strings.Fields(text)) <= 12 &&
		!strings.ContainsAny(text, "<>[]|") && !strings.Contains(text, ": ") && !strings.ContainsAny(text[len(text)-1:], ".,!?:;") {
		s.first = text
	}
	if !s.begun && !bullet {
		s.between(text)
	}
}

// closeTopics ends the open topics of a level or deeper before a line.
func (s *scanner) closeTopics(level, line int) {
	for len(s.open) > 0 && s.out.Topics[s.open[len(s.open)-1]].Level >= level {
		s.out.Topics[s.open[len(s.open)-1]].End = line
		s.open = s.open[:len(s.open)-1]
	}
}

func (s *scanner) fillTopics() {
	if s.out.Title == "" {
		s.out.Title = s.first
	}
	if i := slices.IndexFunc(s.out.Topics, func(t Topic) bool { return !t.Lists }); s.out.Title == "" && i >= 0 {
		s.out.Title = s.out.Topics[i].Title
	}
	for i := range s.out.Topics {
		t := &s.out.Topics[i]
		t.Text = strings.TrimSpace(strings.Join(s.lines[t.Span.Line:max(t.End, t.Span.Line)], "\n"))
	}
}

var (
	headNumber = pattern.New(`^\(?\d{1,2}(?:\.\d{1,2})?[.)]?\s+`)
	// moreActions are phrases above what is to do, moreDecisions above what was settled, and bothHead above both.
	moreActions   = pattern.New(`(?i)^(?:(?:[\pL'’-]+ ){0,6}(?:follow[- ]?ups|follow-?up (?:tasks|items|actions)|action items|action points|to-?dos|next steps|next up|jobs arising|course of action|for action|who does what|who is doing what|what happens next)|jobs|next|to be done|still to (?:do|be done)|carried over|assigned|das nehmen wir mit|bis zum nächsten (?:mal|termin|treffen)|was (?:nun|jetzt|als nächstes)(?: passiert)?|wer macht was|to keep us honest|(?:so )?(?:that )?nothing (?:gets lost|slips)\b.*|what(?:['’]s| is) (?:next|to do)|was steht an|das steht an|weiteres vorgehen|what we promised(?: each other)?|promises|mitnehmen|action points?)$`)
	settled       = pattern.New(`(?i)\b(?:last|previous|prior|old|closed|done|completed|no|without|review of|status of|earlier)\b`)
	moreDecisions = pattern.New(`(?i)^(?:where we landed|what we landed on|points closed(?: in the (?:call|meeting))?|finali[sz]ed|calls made|(?:meeting )?outcomes?|matters agreed|(?:team|working|our|new) agreements?(?: new)?|what we (?:keep|settled on|said yes to)|what (?:was|we|has been) (?:agreed|decided|settled)(?: on| today)?|(?:agreed|decided|settled)(?: today| so far| in the (?:call|meeting))?|locked in|das haben wir (?:beschlossen|entschieden)|festgelegt|beschlossen|entschieden|house rules|rulings?|what was settled)$`)
	bothHead      = pattern.New(`(?i)^(?:vereinbart|absprachen|vereinbarungen|abmachungen|agreements? and (?:to-?dos|next steps)|what we(?:['’]ll| will) (?:change|do differently|try)|changes|so what|ergebnisse?)$`)
)

func sectionOf(title string) section {
	title = strings.TrimSpace(strings.Trim(unadorned(title), "*_:… "))
	if m := headNumber.FindString(title); m != "" {
		title = title[len(m):]
	}
	if before, _, ok := strings.Cut(title, " ("); ok && strings.HasSuffix(title, ")") && !lastTime.MatchString(title) {
		if of := sectionOf(before); of == actionSection || of == decisionSection {
			return of
		}
	}
	switch {
	case phaseHead.MatchString(title):
		return phaseSection
	case milestoneHead.MatchString(title):
		return milestoneSection
	case pagesHead.MatchString(title):
		return pageSection
	case mixedHead.MatchString(title), strings.EqualFold(title, "agreed plan"):
		return mixedSection
	case strings.Contains(title, " ") && leadDecides.MatchString(title) && !notDecided.MatchString(title) && !undecided.MatchString(title) && (bodyDecides.MatchString(title) || consensus.MatchString(title)):
		return decisionSection
	case lastTime.MatchString(title):
		return plainSection
	case bothHead.MatchString(title):
		return mixedSection
	case !settled.MatchString(title) && moreActions.MatchString(title):
		return actionSection
	case moreDecisions.MatchString(title):
		return decisionSection
	case actionHead.MatchString(title), headOf(title, actionNouns):
		return actionSection
	case decisionHead.MatchString(title), headOf(title, decisionNouns) && !toDecide.MatchString(title):
		return decisionSection
	case questionHead.MatchString(title):
		return questionSection
	case presenceOf(title) == here, presenceOf(title) == away && !strings.EqualFold(title, "out") && !strings.EqualFold(title, "away"):
		if presenceOf(title) == away {
			return absentSection
		}
		return peopleSection
	case peopleHead.MatchString(title):
		if awayWords.MatchString(title) {
			return absentSection
		}
		return peopleSection
	}
	return plainSection
}
