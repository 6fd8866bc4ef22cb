package extract

import (
	"slices"
	"strings"
	"unicode"

	"chela/internal/pattern"
)

var (
	// quoted is what mail programs put before the lines that they quote.
	quoted        = pattern.New(`^(?:\s*>[ \t]?)+`)
	bulletPattern = pattern.New(`^(\s*)(?:[-*+•–—▪◦‣●○■►·]|\d+[.)]|[a-h][.)]|\(\d{1,2}\)|\([a-h]\)|\d{1,2}(?:\.[1-9]\d?){1,2})\s+(.*)$`)
	nestedBullet  = pattern.New(`^()[-*]\s+(.*)$`)
	boxPattern    = pattern.New(`^\[([ xX])\]\s*(.*)$`)
	shortcodes    = pattern.New(`^(?::[a-z0-9_+-]{2,30}:\s*)+`)
	markup        = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u200e", "", "\u200f", "", "：", ": ", "，", ", ", "、", ", ", "；", "; ", "。", ". ", "？", "?", "👥", "Attendees:", ":white_check_mark:", "✅", ":heavy_check_mark:", "✔", "**", "", "__", "", "`", "", `\[`, "[", `\]`, "]", `\-`, "-", `\!`, "!", `\#`, "#", `\>`, ">")

	actionMark = pattern.New(`(?i)^\[?(action(?: item| point)?(?:s|\(s\))?|a\.?i|ap|ar|to-?dos?|to do|tasks?|follow[- ]?ups?|next steps?|plan|homework|待办|行动项|任务|aufgabe|ma(?:ß|ss)nahme)\]?\s*(?:[#-]?\d+(?:[./]\d+)?)?\s*(?:\(([^)]{2,40})\)|\[([^\]]{2,40})\])?\s*(?::|[-–—]\s|→|->|=>)\s*(.+)$`)
	actionTag  = pattern.New(`(?i)^\[(?:action(?: item)?|ai|ap|to-?do|aufgabe)(?:\s*[:-]\s*([@\w][\w .-]{1,30}))?\]\s*:?\s*(.+)$`)
	actionFor  = pattern.New(`^(?i:action(?: item)?|todo|aufgabe|ap|follow[- ]?up|task)\s+(?i:for |on |by |für |an )?\s*(` + nameList + `)\s*(?::\s*|\s[–—-]\s+|\sto\s+)(.+)$`)
	actionAll  = pattern.New(`^(?i:action(?: item)?|todo|aufgabe|ap)\s+(?:ALL|All|all|EVERYONE|Everyone|everyone|Alle|alle)\s*:\s*(.+)$`)
	acts       = pattern.New(`^(` + nameList + `)\s+[a-zäöü][\pL-]*(?:s|t)\s+\S.*$`)
	actionAt   = pattern.New(`^(?i:action(?: item)?|ai|ap|todo|aufgabe)\s+(` + handle + `(?:\s*[/,&]\s*` + handle + `)*)\s*(?::|[-–—]\s|→|->|=>|to\s)?\s*(.+)$`)
	// actionFull names who acts in full: "TODO @Bo Chen: …".
	actionFull  = pattern.New(`^(?i:action(?: item)?|ai|ap|todo|aufgabe)\s+@(\p{Lu}[\pL'’.-]+(?:\s+\p{Lu}[\pL'’.-]+){1,2})\s*(?::|[-–—]\s|→|->|=>)\s*(.+)$`)
	arrow       = pattern.New(`^(?:→|=>|->|➡\x{FE0F}?|⇒)\s*(.+)$`)
	actionAside = pattern.New(`^(.*\S)?\s*[(\[](?:AI|TODO|ACTION|Action|AP)\s*[:-]\s*(@?[\w-]+(?:\s[A-Z][\w-]+)?)\s*[,:]?\s*([^()\[\]]*)[)\]]\.?$`)
	abbreviated = pattern.New(`(?i)^(?:a\.?i|ap|ar|tasks?|plan|homework)$`)
	// tailOfLine names who acts on what stands before it: "… before June. ACTION: Ann".
	tailOfLine  = pattern.New(`^(.{10,}?)[\s(\[]+(?:ACTION(?: ITEM)?|Action|TODO)\s*[:–-]?\s+(` + nameList + `|[A-Z]{2,3}(?:\s*[,/&]\s*[A-Z]{2,3})*|\p{Lu}\.\s\p{Lu}[\pL'’-]+)[)\]]?\.?$`)
	inside      = pattern.New(`[\s,;(]((?:ACTION(?: ITEM)?|TODO|AGREED|RESOLVED|RESOLUTION|DECISION|DECIDED)\s*:.+)$`)
	placeholder = pattern.New(`(?i)<(?:name|owner|person|who|task|assignee|what)[^>]*>|\[(?:name|owner|person|assignee|task|description|what|due date)\]|\{\{|\bXXX\b|_{3,}`)

	decisionMark = pattern.New(`(?i)^\[?(?:(?:(?:and|so|ok),? )?let['’]s agree|(?:\w+ )?decisions?(?: made| taken)?|rejected|verdict|ruling|(?:the )?final call|result of the vote|vote result|decided(?: not to do| against)?|agreed(?: next steps?)?|agreement|resolution|resolved|consensus|conclusion|outcome|vote|approved|accepted|(?:we|all|everyone|team) (?:have )?(?:agreed|decided)|settled|deal|compromise|einigung|beschluss|beschlossen|entscheidung|entschieden|vereinbart|vereinbarung|konsens|决定|决议|结论)\]?\s*(?:#?(?:[A-Z]{1,4}-?)?\d[\w./-]*)?\s*(?:\(([^)]{2,40})\))?\s*(?::|[-–—]\s)\s*(.+)$`)
	// decisionCaps stands in capitals before what was decided.
	decisionCaps  = pattern.New(`^["“„]?(?:DECIDED|AGREED|RESOLVED|DECISION|APPROVED)\s+(?:to |that |THAT )?([^:].{5,})$`)
	decisionTag   = pattern.New(`(?i)^\[(?:decision|decided|agreed|resolved|beschluss)\]\s*:?\s*(.+)$`)
	decisionTail  = pattern.New(`(?i)^(.{10,}?)\s*[(\[](?:decision|decided|agreed|beschluss|beschlossen)[)\]]\.?$`)
	decisionEnd   = pattern.New(`(?i)^([^:]{3,80}:\s+(?:read, |discussed, |reviewed, )?(?:approved|accepted|rejected|declined|agreed|adopted|dropped))(?:$|[.,;].*$|\s+\(.*$)`)
	decisionSays  = pattern.New(`(?i)^(?:(?:so|ok|okay|then|for now|finally|eventually|ultimately|and|in the end|(?:after|following) (?:\w+ ){0,4}(?:discussion|debate|talks?|exchange|consideration)),?\s+)?(?:(?:we|everyone|all(?: present)?|the (?:\w+ )?(?:team|group|council|committee|board|association|society|assembly|members|panel|department|management|leadership|partners|meeting|forum|guild|toc|tsc|cpc|chairs?|wg|sig|maintainers))\s+(?:have\s+|has\s+|all\s+|unanimously\s+|finally\s+|then\s+)*(?:agreed|decided|resolved|approved|voted|settled|chose|opted|went with|signed off|endorsed|adopted|ruled out)\b|(?:approved|accepted|rejected)(?:\s+(?:unanimously|by))\b|(?:agreed|decided|resolved) (?:(?:with|in|at|during) [\pL ]{2,30} )?(?:not )?(?:to|that|on|against)\b|(?:the )?(?:\pL+ )?consensus (?:was|is) (?:not )?(?:to|that)\b|(?:hearing|seeing|with|as there (?:are|were|is)) (?:[\w+]+ ){0,4}no (?:further )?objections?,? (?:so )?we(?:['’]ll| will)\b|the \pL+(?: \pL+)? (?:has |have )?(?:decided|agreed|resolved|voted) (?:not to|to|that|against)\b|(?:proposal|option|motion|resolution|variant)\s+\S+\s+(?:is|was|has been)\s+(?:accepted|approved|adopted|chosen|selected)\b|we(?:['’]ll| will| are going to) (?:go with|stick with|stay with|switch to)\b|no objections? to\b|unanimous vote (?:of [\pL ]{2,40} )?(?:to|for)\b|motion (?:carried|passed|approved)|it (?:was|is|has been) (?:agreed|decided|resolved)\b|(?:there (?:is|was) )?(?:general |unanimous |rough )?(?:agreement|consensus) (?:that|to|on|for|so we(?:['’]ll| will))\b)`)
	germanDecides = pattern.New(`(?i)\beinig(?:t|en|te|ten) (?:man |wir |sie )?sich\b|\b(?:beirat|vorstand|team|gruppe|ausschuss|runde|versammlung|wir|alle|gremium|rat)\s+(?:stimmt|stimmen)\b.*\bzu\b|\b(?:wird|wurden?|werden)\b.*\b(?:angenommen|genehmigt|beschlossen|vereinbart|entschieden|festgelegt)\b|(?:^|,\s+)(?:wir haben|(?:nach [\pL ]{3,40} )?wurde|es wurde|(?:der|die|das) \pL+ hat|alle haben)\b.*\b(?:beschlossen|entschieden|vereinbart|geeinigt)\b|^(?:wir (?:beschließen|einigen uns)|einstimmig (?:angenommen|beschlossen))\b`)
	undecided     = pattern.New(`(?i)\b(?:agreed to disagree|(?:agreed|decided) on nothing|nothing yet|agreed to (?:discuss|talk|revisit|think|look)|agreed to meet(?: again)?(?:[.!]?$| (?:next|to|in|and|soon|later|tomorrow|after))|not (?:yet )?(?:agreed|decided|clear)|nothing (?:was )?decided|(?:approved|accepted)\s.*\bminutes|noch nicht|nicht entschieden|last (?:week|month|time|meeting|year)|previously|earlier)\b`)
	// onlyAgreed is of one mind with somebody, or long ago.
	onlyAgreed = pattern.New(`(?i)\bagreed with (?:\pL+ ?){1,3}[.!]?$|\b(?:agreed|decided)\b.*\bin (?:19|20)\d\d[.!]?$`)
	noDecision = list("none, tbd, tba, pending, n/a, na, no decision, not yet, no, none yet, open, deferred, keine, offen, no decisions, none made, nothing")

	questionMark = pattern.New(`(?i)^\[?(open (?:question|issue|point|q)s?|agreed to meet(?: again)?(?:[.!]?$| (?:next|to|in|and|soon|later|tomorrow|after))|not (?:yet )?(?:agreed|decided)(?: yet)?|questions?|q|unresolved|unanswered|(?:still |noch )?open|noch offen|tbd|问题|待定|offene fragen?|offener punkt|frage|offen|ungeklärt|(?:still )?to (?:be )?(?:figured? out|clarif(?:y|ied)|f(?:i|ou)nd out|decided?)|(?:noch )?zu klären)\]?\s*(?:#?\d+)?\s*(?:\([^)]{1,40}\))?\s*(?::|[-–—]\s)\s*(.+)$`)
	questionSays = pattern.New(`(?i)^(?:(?:who|whether|how|when|what)\b[^?]{5,100}\b(?:is|remains) (?:still )?(?:open|unclear|undecided)\b|(?:wer|wie|was|wann|ob|wo)\b[^?]{5,100}\bist (?:noch )?(?:offen|unklar)\b|it(?:'s| is) (?:still )?(?:unclear|open|an open question) (?:whether|who|what|how|if|which|when)\b|(?:we )?still need to (?:decide|figure out|find out)\b|(?:still )?unclear (?:whether|who|what|how|if|which|when)\b|(?:es ist )?(?:noch )?unklar,? (?:ob|wer|wie|was|wann)\b|offen (?:ist|bleibt)(?: noch| weiterhin)?,? (?:ob|wer|wie|was|wann)\b|(?:it|this|that) remains (?:open|unclear|undecided|to be (?:seen|decided|clarified))\b|we (?:could|did)(?: not|n['’]t) (?:agree|decide|settle)\b|(?:there is |there was |we have )?(?:still )?no (?:clarity|answer|agreement|consensus)(?: yet)? (?:on|about|whether|as to)\b|(?:(?:we|it|this) )?(?:(?:is|are|was|were|has|have) )?(?:still )?(?:not|n['’]t)(?: yet)? (?:been )?(?:decided|settled|clear) (?:whether|who|what|how|if|which|when|where)\b)`)
	askedOpen    = pattern.New(`(?i)^([^?]{5,300}\?)\s*(?:(?:->|→|=>|[-–—:(]+)\s*(?:still\s+|noch\s+)?(?:open|offen|tbd|unresolved|unclear|ungeklärt)\b|(?:->|→|=>|[-–—:(]+)?\s*(?:no (?:conclusion|decision|agreement|consensus|answer)|not (?:yet )?(?:decided|clear|known)|undecided|unanswered|parked|still open|noch offen|to be (?:decided|discussed|clarified))\b)`)
	asksWhat     = pattern.New(`(?i)^(?:whether|who|whose|what|how|which|when|where|why|if|ob|wer|was|wie|wann|warum|wo)\b`)
	// answeredThere is a question with its answer.
	answeredThere = pattern.New(`(?i)\?\s+(?:a|answer|antwort)\s*:`)
	answer        = pattern.New(`(?i)^(?:[-*+•]\s+)?(?:\*\*)?(?:a|answer|answered|antwort|resolved|→|->)\s*:`)

	goalMark   = pattern.New(`(?i)^(?:(sprint \S+|sprint|iteration|quarter|q[1-4])\s+)?(?:goal|objective|committed outcome)\s*(?:#?\d+)?\s*[:\-–]\s*(.+)$`)
	peopleLine = pattern.New(`(?i)^(attend(?:ance|ees|ing|ed(?: by)?)|present|participants?|in attendance|in the room|on the call|members present|apologies|regrets|absent|missing(?: attendees| members)?|not present|not attending|excused|council(?: members)?|team members|people(?: present)?|roll|guests?|observers?|chairs?|scribes?(?:\(s\))?|facilitators?|note[- ]?takers?|minutes(?: by)?|tn|teilnehmer(?:innen|:innen)?|teilnehmende|anwesende?|entschuldigt|abwesende?|es fehl(?:t|en)|gäste|moderation|protokoll|leitung|members|who (?:was|is) (?:there|here|present)|who attended|参会(?:人员?|者)|与会(?:人员|者)|出席(?:人员|者)?|参加(?:人员|者)|缺席(?:人员|者)?|请假|people|nicht dabei|dabei(?: waren)?|présents?|absents|excusés?|asistentes|ausentes)(?: ?\([^)]*\))?\s*:\s*(.+)$`)
	// ofAgenda begins what a meeting wants of a topic.
	ofAgenda = pattern.New(`(?i)^\W*(?:inform|discuss|decide|answer|determine)\b`)
	// peopleNext begins a second list on the line of a first.
	peopleNext = pattern.New(`(?i)\s*[;.|/–—]\s+((?:apologies|regrets|absent|excused|not present|not attending|guests?|observers?|entschuldigt|abwesend|nicht dabei|es fehl(?:t|en)|absents|excusés?|ausentes)\b[^:]{0,20}:.+)$`)
)

var (
	// filledMark has words before its mark that say nothing: "ok so decision: …".
	filledMark = pattern.New(`(?i)^(?:(?:ok(?:ay)?|so|right|alright|great|cool|good|perfect|yes|yep|then|well|and)[,.!]?\s+)+((?:decision|decided|agreed|action(?: item)?|todo)\s?:\s.+)$`)
	// decidedThen tells in a chat what was decided: "ok decided, we ship on Monday".
	decidedThen = pattern.New(`(?i)^(?:(?:ok(?:ay)?|so|right|alright|great|cool|good|perfect|yes|yep|then|well|and)[,.!]?\s+)*decided,\s+([^?]{8,})$`)
)

// marked reads lines that say what they are: ACTION: …, AI(name): …, Decision: ….
func (s *scanner) marked(text, quote string) bool {
	done := false
	if m := filledMark.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	if m := decidedThen.FindStringSubmatch(text); m != nil && !asksWhat.MatchString(m[1]) && !undecided.MatchString(m[1]) {
		s.decision(m[1], "", quote, 0.85)
		return true
	}
	if rest, ok := cutFold(text, "[done]", "done:", "✅", "✔"); ok && len(rest) > 3 {
		text, done = rest, true
	}
	if rest, out := struck(text); out {
		text, done = rest, true
	} else {
		text = rest
	}
	if b := boxPattern.FindStringSubmatch(text); b != nil {
		text, done = strings.TrimSpace(b[2]), strings.EqualFold(b[1], "x")
	}
	if arrow.FindString(text) == "" {
		text = strings.TrimSpace(strings.TrimLeftFunc(text, func(r rune) bool { return unicode.Is(unicode.So, r) || r == '\uFE0F' }))
	}
	return s.markedAction(text, quote, done) || s.markedDecision(text, quote) || s.markedOther(text, quote)
}

func (s *scanner) markedAction(text, quote string, done bool) bool {
	if s.markedBehind(text, quote, done) {
		return true
	}
	if m := actionTag.FindStringSubmatch(text); m != nil {
		s.action(m[2], m[1], quote, 0.95, done, "")
		return true
	}
	if m := actionMark.FindStringSubmatch(text); m != nil {
		owner, rest := m[2]+m[3], m[4]
		if abbreviated.MatchString(m[1]) && owner == "" { // it may be the name of something else
			if who, what := ownerOf(rest); who == "" && !verbFirst.MatchString(what) {
				return false
			}
		}
		if dropAlone.MatchString(owner) { // "Action (cancelled): …"
			return true
		}
		if doneAlone.MatchString(owner) {
			owner, done = "", true
		}
		parts := owned(rest)
		for _, one := range parts {
			who := cutDue(owner)
			if m := acts.FindStringSubmatch(strings.TrimSpace(one)); m != nil && len(parts) > 1 && isName(m[1]) {
				who = m[1]
			}
			s.action(one, who, quote, 0.95, done, owner)
		}
		return true
	}
	if m := actionFull.FindStringSubmatch(text); m != nil {
		s.action(m[2], m[1], quote, 0.95, done, "")
		return true
	}
	if m := actionAt.FindStringSubmatch(text); m != nil {
		s.action(m[2], strings.ReplaceAll(m[1], "@", ""), quote, 0.95, done, "")
		return true
	}
	if m := arrow.FindStringSubmatch(text); m != nil && s.pointed(m[1], quote, done) {
		return true
	}
	if m := actionAll.FindStringSubmatch(text); m != nil {
		s.action(m[1], "", quote, 0.9, done, "")
		return true
	}
	if m := actionFor.FindStringSubmatch(text); m != nil && isName(m[1]) {
		s.action(m[2], m[1], quote, 0.95, done, "")
		return true
	}
	if m := actionAside.FindStringSubmatch(text); m != nil && isName(m[2]) {
		s.action(strings.TrimSpace(m[3]+" "+m[1]), m[2], quote, 0.85, done, "")
		return true
	}
	return false
}

// markedBehind reads a line that ends in "ACTION: Ann"; what stands before it is what there is to do, and more may be
// said there.
func (s *scanner) markedBehind(text, quote string, done bool) bool {
	m := tailOfLine.FindStringSubmatch(text)
	if m == nil || !isName(m[2]) {
		return false
	}
	said := sentences(strings.TrimRight(m[1], " ([–-"))
	last := said[len(said)-1]
	s.decidedIn(last, "", "", quote)
	s.action(last, m[2], quote, 0.9, done, "")
	return true
}

// owned cuts "Ann - call them; Bo - write" and "Ann calls them, Bo writes" where each part has its owner.
func owned(text string) []string {
	for _, cut := range []*pattern.Pattern{semicolon, sentenceEnd, comma} {
		parts := cut.Split(strings.TrimRight(text, " ."), -1)
		if len(parts) > 1 && !slices.ContainsFunc(parts, func(p string) bool {
			p = strings.TrimSpace(p)
			m := acts.FindStringSubmatch(p)
			return (m == nil || !isName(m[1])) && (cut == comma || !hasOwner(p)) && !beginsTask(p)
		}) {
			return parts
		}
	}
	return []string{text}
}

var (
	semicolon   = pattern.New(`\s*;\s*`)
	sentenceEnd = pattern.New(`[.]\s+`)
	comma       = pattern.New(`,\s+(?:and\s+)?`)
)

// pointed reads what an arrow points at: what somebody does, or a decision.
func (s *scanner) pointed(text, quote string, done bool) bool {
	if hasOwner(text) {
		s.action(text, "", quote, 0.85, done, "")
		return true
	}
	if m := byMe.FindStringSubmatch(text); m != nil && verbFirst.MatchString(m[1]) {
		s.action(m[1], s.author, quote, 0.8, done, "")
		return true
	}
	if m := acts.FindStringSubmatch(text); m != nil && isName(m[1]) && s.knowsAll(m[1]) { // "Ann checks it by Monday"
		s.action(text, strings.ReplaceAll(m[1], "@", ""), quote, 0.8, done, "")
		return true
	}
	if s.saysDecision(text, "") && !notDecided.MatchString(text) && !undecided.MatchString(text) {
		s.decision(text, "", quote, 0.75)
		return true
	}
	return s.markedDecision(text, quote)
}

// cutDue leaves the name of "Ann, due Friday".
func cutDue(owner string) string {
	name, beside, ok := strings.Cut(owner, ",")
	if ok && (dueWords.MatchString(beside) || weekday.MatchString(strings.TrimSpace(beside))) {
		return name
	}
	return owner
}

func (s *scanner) markedDecision(text, quote string) bool {
	by, what := "", ""
	if m := decisionTag.FindStringSubmatch(text); m != nil {
		what = m[1]
	} else if m := decisionMark.FindStringSubmatch(text); m != nil {
		by, what = m[1], m[2]
	} else if m := decisionCaps.FindStringSubmatch(text); m != nil {
		what = m[1]
	} else if what = decidedBehind(text); what == "" {
		if m := matchEither(text, decisionEnd, verdictEnd); m != nil && !minutesOnly.MatchString(m[1]) {
			if who, _, _ := speech(text); who == "" {
				s.decision(m[1], "", quote, 0.8)
			}
		}
		return false // more may stand beside it
	}
	if !s.notTaken(what) && !strings.HasSuffix(what, "?") && !struckOut(quote) {
		s.decision(what, by, quote, 0.95)
		if _, ok := cutFold(text, "rejected"); ok {
			return true
		}
		for _, one := range sentences(what) { // "Conclusion: the old one, Ann to order it"
			s.promised(one, quote)
		}
	}
	return true
}

// verdictEnd is a topic and what came of it: "Budget: no objection, approved".
var verdictEnd = pattern.New(`(?i)^([^:]{3,80}:\s+` + verdict + `)(?:$|[.,;].*$)`)

func matchEither(text string, of ...*pattern.Pattern) []string {
	for _, p := range of {
		if m := p.FindStringSubmatch(text); m != nil {
			return m
		}
	}
	return nil
}

// decidedBehind is what a text says before "(decision)".
func decidedBehind(text string) string {
	if strings.ContainsAny(text[max(0, len(text)-2):], ")]") {
		if m := decisionTail.FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	return ""
}

// markedOther reads goals and questions. "Open: …" asks only with a question mark.
func (s *scanner) markedOther(text, quote string) bool {
	if m := goalMark.FindStringSubmatch(text); m != nil && len(strings.Fields(m[2])) > 1 && !strings.HasSuffix(m[2], "?") && (m[1] != "" || !ofAgenda.MatchString(m[2])) {
		s.out.Goals = append(s.out.Goals, Goal{Text: m[2], Sprint: m[1], Span: s.span(quote)})
		return true
	}
	if m := questionMark.FindStringSubmatch(text); m != nil {
		loose := strings.Contains(strings.ToLower(m[1]), "to ") || slices.Contains([]string{"open", "still open", "noch offen", "not agreed", "not decided", "tbd", "offen", "unresolved", "ungeklärt", "unanswered", "q"}, strings.ToLower(m[1]))
		if loose && !strings.Contains(m[2], "?") && !asksWhat.MatchString(m[2]) {
			return false
		}
		if !strings.EqualFold(m[1], "q") || !s.followed(indentOf(s.lines[s.from])) { // "Q: …" above what was said to it
			s.question(m[2], quote, 0.9)
		}
		return true
	}
	return false
}

// question records what was left open; one that the next line answers was not.
func (s *scanner) question(text, quote string, confidence float64) {
	for i := s.at + 1; i < len(s.lines); i++ {
		if line := strings.TrimSpace(s.lines[i]); line != "" {
			if answer.MatchString(line) {
				return
			}
			break
		}
	}
	if low := strings.ToLower(strings.Trim(text, " .?")); answeredThere.MatchString(text) || isWord(text) || slices.Contains(noDecision, low) {
		return
	}
	s.out.Questions = append(s.out.Questions, Question{Text: text, Topic: s.topic, Confidence: confidence, Span: s.span(quote)})
}

// boxed reads "[ ] name to …". A box whose text is only a link is an agenda's.
func (s *scanner) boxed(box []string, quote string) bool {
	text := clean(box[2])
	bare := strings.TrimSpace(linkPattern.ReplaceAllString(text, ""))
	if len(strings.Fields(bare)) < 3 {
		return false
	}
	owner, _ := ownerOf(text)
	if owner == "" {
		if m := lowHead.FindStringSubmatch(text); m != nil && isName(m[1]) && verbFirst.MatchString(m[2]) {
			owner, text = m[1], m[2]
		}
	}
	if s.section != actionSection && owner == "" && s.listedClauses(text, quote, strings.EqualFold(box[1], "x")) {
		return true
	}
	if s.section != actionSection && strings.HasPrefix(text, "@") && s.knowsAll(owner) && acts.MatchString(text) {
		s.action(text, owner, quote, 0.85, strings.EqualFold(box[1], "x"), "")
		return true
	}
	if s.section != actionSection && (owner == "" || strings.HasPrefix(text, "@") && !atTask.MatchString(text) && !ownerHead.MatchString(text)) {
		return false
	}
	if _, out := struck(box[2]); out {
		box[1] = "x"
	}
	if _, rest := ownerOf(text); rest != text {
		owner = ""
	}
	s.action(text, owner, quote, 0.9, strings.EqualFold(box[1], "x"), "")
	return true
}
