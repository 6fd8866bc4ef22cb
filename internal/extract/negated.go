package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

// Minutes also say that there is nothing to do, that something need not be done any more, and that something was put off
// or not decided. None of that is an action or a decision. What a sentence only mentions ("tell them that it is
// cancelled") is: the marks count at the beginning, at the end or behind the subject.

const (
	// droppedWords say that something is not to be done, or was taken back.
	droppedWords = `cancell?ed|withdrawn|obsolete|superseded|abandoned|scrapped|revoked|no longer (?:needed|required|relevant|necessary|applicable)|not (?:needed|required|necessary|applicable)(?: (?:any ?more|any longer))?|won['’]t do|won['’]?t ?fix|gestrichen|entfällt|entfallen|abgesagt|verworfen|hinfällig|obsolet|zurückgezogen|storniert|überholt|(?:hat )?sich erledigt|nicht mehr (?:nötig|notwendig|erforderlich|relevant)`
	// putOffWords say that it is not now.
	putOffWords = `postponed|deferred|tabled|parked|shelved|put off|on hold|vertagt|verschoben|zurückgestellt|aufgeschoben|ausgesetzt`
	// undecidedWords say so of what has to be decided; of an action they say that it is still to be done.
	undecidedWords = putOffWords + `|pending|undecided|(?:still )?open|not (?:yet )?(?:decided|agreed|settled)|to be (?:decided|determined|agreed)|tb[da]|no (?:decision|consensus|agreement|conclusion)|not yet|offen|(?:noch )?(?:nicht entschieden|nicht beschlossen|ungeklärt|unentschieden|offen)`
	// aside may follow such words: it says for how long, or why.
	aside = `(?:,? (?:for|until|till|because|since|as|due to|by|to|this|next|at|in|on|bis|auf|wegen|weil|für)\b[^()\[\]]*)?`

	whoNot = `(` + nameList + `|(?i:he|she|they|we|nobody|no one|you))`

	things   = `(?:action(?: item| point)?s?|to-?dos?|tasks?|follow[- ]?ups?|next steps?|updates?|news|homework|(?:open |action )?(?:items|points))`
	aufgaben = `(?:aufgaben?|to-?dos?|ma(?:ß|ss)nahmen?|aktion(?:en)?|nächste[nr]? schritte?|action items?|offene[nr]? punkte|(?:neuen )?punkte|neuigkeiten|updates?)`
	ofWhich  = `(?:(?:new|open|further|more|other|specific|immediate|additional|outstanding|remaining|particular|real) )*`
	// ofWhen may follow what says that there is nothing.
	ofWhen = `(?: (?:were|was|are|is|have been|has been))?(?: (?:assigned|agreed|taken|identified|recorded|noted|raised|needed|required|necessary|planned|due|open|outstanding|pending|left|made))?(?:,? (?:this|for|from|on|at|today|yet|so far|now|in|by|since|right now|currently|anymore|any more)\b[^,;:]*)?`
)

var (
	noTasks   = pattern.New(`(?i)^(?:there (?:are|is|were|was) |we (?:have|had) )?(?:currently )?no ` + ofWhich + things + ofWhen + `$`)
	noneAtAll = pattern.New(`(?i)^(?:none|nothing|nil|n/?a|nope|no)(?: (?:new|else|further|more|specific|left|special))?(?: (?:to (?:do|report|add|note|mention)|planned|assigned|needed|required|outstanding|open|pending))?(?:,? (?:this|for|from|at|today|yet|so far|now|right now|currently|since)\b[^,;:]*|, (?:he|she|they|all|everything|still|on leave|out|ooo|away)\b[^,;:]*| \([^()]*\))?$`)
	nichts    = pattern.New(`(?i)^(?:es gibt |wir haben )?(?:derzeit |aktuell |noch )?(?:(?:nichts|nix)(?: (?:neues|weiter(?:es)?|offen(?:es)?|zu (?:tun|berichten)|geplant))?|keine?|keine?[nr]? (?:(?:neuen?|offenen?|weiteren?|konkreten?) )*` + aufgaben + `)(?: (?:diese woche|heute|vereinbart|offen|vergeben|notwendig|nötig|für|von|bis|im|in)\b[^,;:]*)?$`)

	dropHead   = pattern.New(markHead(droppedWords + `|dropped|rejected|void`))
	dropTail   = pattern.New(markTail(droppedWords + `|dropped`))
	putOffHead = pattern.New(markHead(putOffWords))
	putOffTail = pattern.New(markTail(putOffWords))
	dropAlone  = pattern.New(`(?i)^(?:(?:it |this |that )?(?:is |was |has been )?(?:` + droppedWords + `|dropped|` + putOffWords + `))$`)

	// needNot says that somebody does not do something: it is told, not agreed.
	needNot   = pattern.New(`^` + whoNot + `\s+(?i:(?:does|do)(?: not|n['’]t) (?:need|have) to|no longer (?:needs?|has|have|wants?) to|no longer |needs? not |needn['’]t |(?:is|are) no longer |will (?:not|no longer) |won['’]t |(?:is|are)(?: not|n['’]t) going to |cannot |can(?: not|['’]t) )`)
	needNicht = pattern.New(`^` + whoNot + `\s+(?i:(?:muss|müssen|soll|sollen)\b.*\bnicht mehr\b|brauch(?:t|en)\b.*\bnicht\b|wird\b.*\bnicht (?:mehr )?(?:teilnehmen|kommen|dabei)\b)`)
	// stateOnly tells what became of a thing.
	stateOnly = pattern.New(`(?i)^(?:[\pL\d'’-]+ ){1,6}(?:is|was|were|are|has been|have been|wurden?|ist|sind) (?:` + droppedWords + `|dropped|` + putOffWords + `)$`)
	// bareNot is the same behind a name that was taken off.
	bareNot = pattern.New(`^(?i:won['’]t|will (?:not|no longer)|(?:does|do)(?:n['’]t| not) (?:need|have) to|no longer (?:needs?|has|have) to|needn['’]t|cannot|can['’]t)\s`)
	// passesOn is a clause behind it in which somebody does something all the same.
	passesOn = pattern.New(`(?:[,:;–—-]|\b(?i:so|but|and|instead))\s+(?:(?i:instead|but|and|so)\s+)?(?:` + whoNot + `(?:['’]ll\b|\s+(?:` + promises + `|(?i:` + verbs + `)s?|takes|does)\b)|(?i:will|to|has to|should)\s)`)
)

// markHead matches words that stand as a mark at the beginning: "Cancelled: …", "[cancelled] …".
func markHead(words string) string {
	return `(?i)^(?:[\[(]\s*(?:` + words + `)` + aside + `[\])]\s*:?|(?:(?:this|that|it) (?:is|was) )?(?:` + words + `)\s*(?::|\s[-–—]))(?:\s+(.+))?$`
}

// markTail matches words that stand as a mark at the end: "… (cancelled)", "…: cancelled".
func markTail(words string) string {
	return `(?i)(?:\s*[\[(](?:now |is |was |decision )?(?:` + words + `)` + aside + `[\])]|(?:\s*:|,|\s[-–—]|\s?→)\s*(?:now |is |was |decision )?(?:` + words + `))[.!]*$`
}

// longestNo is how long a text that says no may be: longer ones say more.
const longestNo = 400

// nothingToDo reports a text that says of an action that there is none, or that it is not to be done any more or not now.
func (s *scanner) nothingToDo(text string) bool {
	if len(text) > longestNo {
		return false
	}
	text = strings.TrimSpace(strings.Trim(text, " \t.!-–—"))
	marked := dropHead.MatchString(text) || putOffHead.MatchString(text)
	if said := sentences(text); len(said) > 1 && !marked {
		return s.nothingToDo(said[0]) && !slices.ContainsFunc(said[1:], func(more string) bool { return hasOwner(more) || verbFirst.MatchString(more) })
	}
	if slices.Contains(noActions, strings.ToLower(text)) || dropAlone.MatchString(text) {
		return true
	}
	if matchEither(text, noTasks, noneAtAll, nichts, dropHead, dropTail) != nil {
		return true
	}
	if stateOnly.MatchString(text) && !hasOwner(text) && !verbFirst.MatchString(text) {
		return true
	}
	return s.doesNot(text) || matchEither(text, putOffHead, putOffTail) != nil && !s.hasDay(text)
}

// markedOff reports an action that a mark at its beginning or end calls off, or puts off to no day.
func (s *scanner) markedOff(text string) bool {
	text = strings.TrimSpace(strings.Trim(text, " \t.!-–—"))
	if len(text) > longestNo || len(strings.Fields(withoutMark(text))) < 2 {
		return false
	}
	return matchEither(text, dropHead, dropTail) != nil || matchEither(text, putOffHead, putOffTail) != nil && !s.hasDay(text)
}

// withoutMark takes a mark at the beginning off.
func withoutMark(text string) string {
	if m := matchEither(text, dropHead, putOffHead); m != nil {
		return m[1]
	}
	return text
}

// doesNot reports a text that tells of somebody that she does not do something, and of nobody who does it instead.
func (s *scanner) doesNot(text string) bool {
	if passesOn.MatchString(text) {
		return false
	}
	if bareNot.MatchString(text) {
		return true
	}
	m := matchEither(text, needNot, needNicht)
	if m == nil || ofNoName[strings.ToLower(m[1])] {
		return m != nil
	}
	if owner, _ := tailOwner(text); owner != "" && owner != m[1] { // "Firebase won't start (Ann)"
		return false
	}
	return isName(m[1]) && (s.knowsAll(m[1]) || len(s.out.Attendees) == 0 || !strings.Contains(m[0], " can"))
}

// instead is who does what somebody else does not: "Tom need not call them, Ann will".
func instead(text string) string {
	if matchEither(text, needNot, needNicht) == nil {
		return ""
	}
	if m := passesOn.FindStringSubmatch(text); m != nil && isName(m[1]) && !ofNoName[strings.ToLower(m[1])] {
		return m[1]
	}
	return ""
}

// doneAlone is how an action stands, where its owner may.
var doneAlone = pattern.New(`(?i)^(?:done|closed|completed?|finished|erledigt)$`)

var ofNoName = set(list("he, she, they, we, nobody, no one, you"))

// hasDay reports whether a text names a day.
func (s *scanner) hasDay(text string) bool {
	_, due := s.calendar().due(text)
	_, day := s.calendar().find(text)
	return due || day
}

const (
	verdicts  = `(?:decisions?|consensus|agreement|conclusions?|resolutions?|votes?|quorum|majority|outcome)`
	beschluss = `(?:beschl(?:uss|üsse)|entscheidung(?:en)?|einigung|konsens|einigkeit|ergebnis(?:se)?|abstimmung)`
	// matter is what waits for a decision.
	matter = `(?:choice|decision|discussion|question|vote|selection|topic|item|debate|matter|issue|point|naming|approval|wahl|auswahl|entscheidung|frage|diskussion|beschluss|abstimmung|thema|punkt)`
)

var (
	noneTaken  = pattern.New(`(?i)^(?:so |but |and )?(?:there (?:was|were|is|are) |we (?:have|had|made|took|reached|found) )?(?:still |as yet |so far )?no (?:\pL+ )?` + verdicts + `(?: (?:was|were|has been|have been|is|are|could be|can be))?(?: (?:made|taken|reached|found|achieved|recorded|passed|held|yet))*(?: (?:on|about|regarding|over|as to|yet|so far|today|this|at|in|for|whether|which|how|between)\b.*)?$`)
	keinen     = pattern.New(`(?i)^(?:es (?:wurden?|gab|gibt) |wir haben |bisher |noch )*(?:noch )?kein(?:e|en|erlei)? (?:\pL+ )?` + beschluss + `\b(?: (?:getroffen|gefasst|gefunden|erzielt|zu[rm]?|über|beim?|heute)\b.*)?$`)
	wereNot    = pattern.New(`^(?i:(?:so|but|and|well),? )?(?:` + whoNot + `|(?i:everyone|(?:it|this|that)|` + bodies + `)|(?i:the \pL+(?: \pL+){0,3}))\s+(?i:(?:did|do|does|have|has|had|was|were|is|are|could|can)(?: not|n['’]t)(?: yet)?|cannot|failed to|(?:are|is) yet to)(?i: (?:yet|really|finally|been|able to|to|reach|come to|an?|any))* (?i:decided?|settled?|resolved?|agree(?:d)?|decision|consensus|agreement|conclusion|resolution)(?i:(?: yet| so far| today)?$| (?:yet|on|about|whether|which|how|when|who|what|if|regarding|so far|today)\b.*)`)
	nichtEinig = pattern.New(`(?i)^(?:wir|das team|der vorstand|die gruppe|es)\b.*\bnicht (?:geeinigt|einigen|entschieden|entscheiden|beschlossen)\b|^.{3,80}\b(?:bleibt|ist) (?:noch )?(?:offen|ungeklärt)$`)
	askedOnly  = pattern.New(`(?i)\?\s*(?:[-–—→]+\s*|\()?(?:not yet|no decision|still open|open|later|undecided|unclear|tbd|we(?:['’]ll| will) see|next time|postponed|deferred|tabled|parked|noch nicht|offen|unklar|vertagt|später)\b[^.!?]*$`)
	waits      = pattern.New(`(?i)^(?:the |die |der |das )?(?:\pL+ )?` + matter + `\b(?:.*\b(?:is|was|were|has been|have been|are|remains?|wurden?|wird|ist|bleibt))? (?:still |noch |therefore |again )?(?:` + undecidedWords + `)(?:,? (?:until|till|to|for|bis|auf)\b.*)?$`)
	// notYet begins what says that it waits, and putsOff puts off a decision.
	notYet        = pattern.New(`(?i)^(?:to be (?:decided|determined|agreed)|not (?:yet )?(?:decided|agreed|settled)|undecided|nothing (?:was |has been |is |yet )*(?:decided|agreed|settled)|no (?:\pL+ )?decisions? (?:needed|required|necessary))\b|^(?:so |then )?(?:we|they|the \pL+)(?:['’]ll| will| should| need to| have to| must) (?:decide|vote)\b(?: (?:in|on|at|next|later|when|once|by|after|then|again|tomorrow|soon|whether|which|how|about)\b.*)?$|^(?:` + putOffWords + `)(?: (?:to|until|till|for|bis|auf)\b.*)?$`)
	putsOff       = pattern.New(`(?i)^[^,;]*\b(?:postponed?|defer(?:red)?|tabled?|put off|delay(?:ed)?)\s+(?:the |a |any |our )?(?:final )?(?:decision|choice|vote|selection)\b[^,;]*$`)
	takenBack     = pattern.New(`(?i)^(?:[\[(]\s*)?(?:withdrawn|obsolete|superseded|revoked|void|zurückgezogen|überholt|hinfällig|obsolet)[\])]?\s*(?::|\s[-–—])\s|\s[\[(](?:withdrawn|obsolete|superseded|revoked|zurückgezogen|überholt|hinfällig|obsolet)` + aside + `[\])]$`)
	undecidedHead = pattern.New(markHead(undecidedWords))
	undecidedTail = pattern.New(markTail(undecidedWords))
	// ofMatter begins what is put off and was not decided, whatever its day.
	ofMatter = pattern.New(`(?i)^[\[(]?(?:` + undecidedWords + `)\b\W*(?:the |die |der |das )?(?:\pL+ )?` + matter + `\b`)
)

// notTaken reports a text that says of a decision that there is none, or that it was put off or taken back.
func (s *scanner) notTaken(text string) bool {
	if len(text) > longestNo {
		return false
	}
	text = strings.TrimSpace(strings.Trim(text, " \t.!-–—"))
	if slices.Contains(noDecision, strings.ToLower(text)) || struckOut(text) {
		return true
	}
	if said := sentences(text); len(said) > 1 && !askedOnly.MatchString(text) && !undecidedHead.MatchString(text) {
		return !slices.ContainsFunc(said, func(one string) bool { return !s.notTaken(one) })
	}
	return matchEither(text, noneTaken, keinen, noneAtAll, nichts, wereNot, nichtEinig, askedOnly, waits, notYet, takenBack, ofMatter) != nil || putsOff.MatchString(text) && !strings.Contains(text, " and ") ||
		matchEither(text, undecidedHead, undecidedTail) != nil && !s.hasDay(text)
}

var (
	struckPart = pattern.New(`~~[^~]+~~`)
	// besideStruck may stand beside what is struck through and says nothing else.
	besideStruck = pattern.New(`(?i)\[[ x]\]|^\W*\d+[.)]|\([^()]*\)|\b(?:done|erledigt|decisions?|agreed|decided|action|todo)\b`)
	wordIn       = pattern.New(`\pL{2,}`)
)

// unstruck takes out what is struck through.
func unstruck(text string) string {
	if !strings.Contains(text, "~~") {
		return text
	}
	return strings.Join(strings.Fields(struckPart.ReplaceAllString(text, " ")), " ")
}

// struckOut reports a text that is struck through, but for a word.
func struckOut(text string) bool {
	if !strings.Contains(text, "~~") {
		return false
	}
	rest := unstruck(text)
	return rest != text && struckPart.MatchString(text) && len(wordIn.FindAllString(besideStruck.ReplaceAllString(rest, " "), 2)) < 2
}

// struck returns an action without what is struck through, or with it where all of it is; that says that it is done.
func struck(text string) (rest string, done bool) {
	if struckOut(text) {
		return strings.TrimSpace(strings.ReplaceAll(text, "~~", "")), true
	}
	if !strings.Contains(text, "~~") {
		return text, false
	}
	return strings.TrimSpace(strings.ReplaceAll(unstruck(text), "~~", "")), strings.HasPrefix(text, "~~") && !struckPart.MatchString(text)
}

// listedDecision reads an item of a list of decisions. What was not decided may be a question.
func (s *scanner) listedDecision(text, quote string) {
	switch {
	case strings.HasSuffix(text, "?"), strings.HasSuffix(text, ":"):
	case s.notTaken(text) && questionSays.MatchString(text):
		s.question(text, quote, 0.6)
	default:
		s.decision(text, "", quote, 0.85)
	}
}

// bareLine is a line without its bullet and its box.
func bareLine(quote string) string {
	line := strings.TrimSpace(quote)
	if len(line) > longestNo {
		return ""
	}
	if m := bulletPattern.FindStringSubmatch(line); m != nil {
		line = m[2]
	}
	if m := boxPattern.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
		line = m[2]
	}
	return clean(line)
}

// calledOff reports a sentence that says itself, or whose line says, that there is nothing to do.
func (s *scanner) calledOff(h heard) bool {
	line := bareLine(h.quote)
	if m := actionMark.FindStringSubmatch(line); m != nil {
		if dropAlone.MatchString(m[2] + m[3]) {
			return true
		}
		line = m[4]
	}
	return s.nothingToDo(h.text) || s.nothingToDo(line)
}

// undecidedThere reports a sentence that says itself, or whose line says, that nothing was decided.
func (s *scanner) undecidedThere(h heard) bool {
	line := bareLine(h.quote)
	if m := decisionMark.FindStringSubmatch(line); m != nil {
		line = m[2]
	}
	return s.notTaken(h.text) || s.notTaken(line)
}
