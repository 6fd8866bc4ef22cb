package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chela/internal/pattern"
)

// A Speaker is somebody whose words a transcript or log has.
type Speaker struct {
	Name  string // as written
	Turns int
	Span  Span // the first turn
}

var (
	stamped   = pattern.New(`^[\[(]?(?:\d{1,4}[./-]\d{1,2}[./-]\d{2,4},?\s+)?\d{1,2}:\d{2}(?::\d{2})?(?:\s*[AaPp][Mm]\b)?[\])]?\s*[-–]?\s*(?:<([\w.@-]{2,30})>|([\w.@-]{2,30}|` + namePart + `)\s*([>:]))\s*(.+)$`)
	nicked    = pattern.New(`^<([\w.@-]{2,30})>\s+(.+)$`)
	captioned = pattern.New(`^<v(?:\.[\w.-]+)?\s+([^>]{2,60})>\s*(.+?)(?:</v>)?$`)
	// zoomed is a line of Zoom's chat.
	zoomed  = pattern.New(`^\d{1,2}:\d{2}(?::\d{2})?\s+From\s+(.{2,60}?)\s+to\s+[^:]{2,60}:\s*(.+)$`)
	voiceOf = pattern.New(`^(?:[\[(]?\d{1,2}:\d{2}(?::\d{2})?[\])]?\s*)?(?i:speaker|sprecher(?:in)?|voice)\s+\w{1,2}\s+\((\p{Lu}[^()]{1,40})\):\s+(.+)$`)
	// roled is a speaker with a role: "Mr. Lee (officer): …", "The Mayor: …".
	roled    = pattern.New(`^((` + namePart + `)\s+\(([A-Za-z][A-Za-z ]{2,30})\)|The \p{Lu}[\pL]+(?: \p{Lu}[\pL]+)?):\s+(.+)$`)
	spoken   = pattern.New(`^(` + namePart + `)\s*(?:[(\[]\d{1,2}:\d{2}(?::\d{2})?[)\]])?:\s+(.+)$`)
	emphasis = pattern.New(`^(?:\*([^*\n]{1,40})\*|_([^_\n]{1,40})_)(:?\s)`)
	ends     = pattern.New(`[.!?;]["”)]?\s+`)
	// firstPerson promises in the speaker's own words.
	firstPerson = pattern.New(`(?i)^(?:(?:ok(?:ay)?|sure|yes|yeah|yep|right|alright|great|fine|good|thanks|and|so|then|action(?: item)?|if (?:there are )?no objections?)[,.!]?\s+)*(?:I['’]ll|I will|I shall|I(?:['’]m| am) (?:going to|gonna)|I(?:['’]m| am|['’]d be) (?:happy|glad) to|I (?:promised|agreed|offered) to|I said I(?:['’]d| would)|let me|I can take|(will|to|volunteers? to|volunteered to))\s+(?:also\s+|then\s+|just\s+)?([\pL-]+)\b(.*)$`)
	tryingTo    = pattern.New(`^ (?:to|and) ` + verbs + `\b`)
	remark      = pattern.New(`(?i)^(?:summari[sz]e|recap|conclude|confirm|answer|clarify|repeat)\s*[:,]|^(?:stop|pause|end) (?:here|there|now)\b|^share (?:my|the) (?:screen|slides)\b|^(?:start|begin) (?:with|by|off)\b|^make (?:one|a|an|another|two|some) (?:\pL+ ){0,3}(?:comments?|points?|remarks?|observations?|statements?)\s*(?:[-–—:,.]|$)|^give (?:my|a) (?:\+1|vote)`)
	shortened   = pattern.New(`(?i)(?:\be\.g|\bi\.e|\bmrs?|\bms|\bdr|\bst|\bno|\bbzw|\bca|\bhr|\bfr|\bpfr|\bsr|\brev|\bz\.\s?b|\bvs|\bprof|(?:^|\s)(?-i:[A-HJ-ZÀ-Þ])|^(?-i:I))\.$`)
	monthHead   = pattern.New(`^(?i:` + months + `)\b`)
	clause      = pattern.New(`(?:,|\s[-–—])\s+(?:and\s+|but\s+|so\s+|while\s+|then\s+)?((?:` + namePart + `|` + handle + `)\s+(?:will|to)\s)|(?:,|\s(?:and|but|so))\s+([Ii](?:['’]ll|\swill|['’]m\sgoing\sto)\s)|,\s(let me\s)`)
	condition   = pattern.New(`(?i)^(?:if|when|once|unless|in case|as soon as|should|after|until|wenn|falls|sobald)\b`)
	// idle are verbs that promise nothing.
	idle        = list("be, have, see, think, not, never, probably, maybe, miss, need, like, love, say, try, leave, go, join, stay, let, admit, agree, assume, believe, guess, hope, know, mention, note, pass, wait, give, get, die, bet, defer, start, add, just, always, do")
	germanFirst = pattern.New(`(?i)^(?:(?:ja|gut|okay|ok|klar)[,.!]?\s+)*ich\s+(?:werde\s.*(?:en|ern|eln)|schicke|sende|erstelle|prüfe|kläre|übernehme|schreibe|kümmere mich|organisiere|aktualisiere|liefere|teste)\b(.*)$`)
)

// speech cuts who speaks off a line. sure says that the line has the form of a log.
func speech(text string) (who, said string, sure bool) {
	if m := stamped.FindStringSubmatch(text); m != nil {
		who, sure = m[1]+m[2], m[3] != ":" || text[0] == '[' || text[0] == '('
		if !isName(who) || !strings.ContainsFunc(who, unicode.IsLetter) || !sure && !strings.ContainsFunc(who, unicode.IsUpper) { // "10:00 lunch: …" is an agenda's
			return "", text, false
		}
		return who, strings.TrimSpace(m[4]), sure
	}
	for _, form := range []*pattern.Pattern{nicked, captioned, zoomed, voiceOf} {
		if m := form.FindStringSubmatch(text); m != nil {
			return m[1], m[2], true
		}
	}
	if m := roled.FindStringSubmatch(text); m != nil && (strings.HasPrefix(m[1], "The ") || isName(m[2])) {
		return m[1], m[4], false
	}
	if m := spoken.FindStringSubmatch(text); m != nil && isName(m[1]) && !letterWords[strings.ToLower(m[1])] {
		return m[1], m[2], false
	}
	return "", text, false
}

var (
	lowSpoken   = pattern.New(`^([a-z][\w. -]{1,29}?):\s+(.+)$`)
	shortSpoken = pattern.New(`^([A-Z]{2,3}):\s+(.+)$`)
	bracketed   = pattern.New(`^\[(` + namePart + `)\]\s+(.+)$`)
	byRole      = pattern.New(`^(?:[\[(]?\d{1,2}:\d{2}(?::\d{2})?[\])]?\s*)?((?i:host|moderator|interviewer|narrator|operator|speaker \d{1,2})):\s+(.+)$`)
)

// speechIn is speech in more forms, where those who speak are known.
func (s *scanner) speechIn(text string) (who, said string, sure bool) {
	if who, said, sure = speech(text); who != "" {
		if m := roled.FindStringSubmatch(text); m != nil && m[2] != "" && s.knowsAttendee(m[2]) {
			return m[2], said, sure
		}
		if sure { // a scribe writes what others say
			if inner, words, _ := speech(said); inner != "" && s.knows(inner) {
				return inner, words, true
			}
		}
		return who, said, sure
	}
	if m := byRole.FindStringSubmatch(text); m != nil {
		return m[1], m[2], true
	}
	if m := shortSpoken.FindStringSubmatch(text); m != nil && s.handled(m[1]) {
		return m[1], m[2], false
	}
	for _, form := range []*pattern.Pattern{lowSpoken, bracketed} {
		if m := form.FindStringSubmatch(text); m != nil && (s.knowsAttendee(m[1]) || s.chatters[m[1]]) && !promisesOf.MatchString(m[2]) {
			return m[1], m[2], form == bracketed
		}
	}
	return "", text, false
}

// chat keeps the lower-case words before a colon that several lines of a pasted chat begin with.
func (s *scanner) chat() {
	turns := make(map[string]int)
	for _, line := range s.lines {
		if m := lowSpoken.FindStringSubmatch(strings.TrimSpace(line)); m != nil && len(strings.Fields(m[1])) == 1 && len(m[1]) <= 15 && !notNames[m[1]] && isName(m[1]) {
			turns[m[1]]++
		}
	}
	several := 0
	for _, n := range turns {
		if n > 1 {
			several++
		}
	}
	if several >= 2 {
		s.chatters = make(map[string]bool)
		for who := range turns {
			s.chatters[who] = true
		}
	}
}

var promisesOf = pattern.New(`^(?:will|to)\s`)

// continued is a line that goes on with the words of the one above: "… and I will ask them".
func (s *scanner) continued(text string) (who, said string) {
	said, ok := cutFold(text, "…", "...")
	if !ok || s.said == "" || s.saidAt != s.from-1 {
		return "", text
	}
	s.saidAt = s.at
	return s.said, said
}

// turn counts a line of somebody's words.
func (s *scanner) turn(who, quote string, sure bool) {
	who = strings.TrimPrefix(who, "@")
	if slices.Contains([]string{"zakim", "rrsagent", "trackbot", "ghurlbot"}, strings.ToLower(who)) { // machines
		return
	}
	if s.voices == nil {
		s.voices, s.logged = make(map[string]int), make(map[int]bool)
	}
	i, ok := s.voices[strings.ToLower(who)]
	if !ok {
		i = len(s.out.Speakers)
		s.voices[strings.ToLower(who)] = i
		s.out.Speakers = append(s.out.Speakers, Speaker{Name: who, Span: s.span(quote)})
	}
	s.out.Speakers[i].Turns++
	s.said, s.saidAt = who, s.at
	s.logged[i] = s.logged[i] || sure
}

// sentences cuts a line where sentences end and a new one begins, and where a clause
// names who will do something; a condition's clauses stay together.
func sentences(text string) []string {
	var out []string
	if parts := strings.Split(text, " / "); len(parts) > 2 { // "done / to do / blocked"
		for _, part := range parts {
			out = append(out, sentences(part)...)
		}
		return out
	}
	initial, _ := utf8.DecodeRuneInString(text)
	first := unicode.IsLower(initial) // notes without capitals
	from := 0
	for _, at := range ends.FindAllStringIndex(text, -1) {
		lower := first && at[1] < len(text) && unicode.IsLower(rune(text[at[1]])) && at[0] >= 3 && text[at[0]] != ';'
		next := lower || at[1] < len(text) && (text[at[1]] >= 'A' && text[at[1]] <= 'Z' || text[at[1]] >= 0x80 || text[at[1]] == '@' || text[at[0]] == ';')
		ordinal := dayBefore.MatchString(upTo(text, at[0]+1)) || at[0] > 0 && text[at[0]-1] >= '0' && text[at[0]-1] <= '9' && monthHead.MatchString(text[at[1]:]) // "1. März"
		if next && !ordinal && !shortened.MatchString(upTo(text, at[0]+1)) {
			out = append(out, clauses(text[from:at[1]])...)
			from = at[1]
		}
	}
	return append(out, clauses(text[from:])...)
}

// dayBefore is a day at the end: "bis 11.5."
var dayBefore = pattern.New(`\b\d{1,2}\.\d{1,2}\.$`)

// endBytes are the bytes before the end of a sentence that say whether it is one.
const endBytes = 32

// upTo is the end of a text's beginning.
func upTo(text string, end int) string { return text[max(0, end-endBytes):end] }

var promiseWords = []string{" let me ", " going to ", " will ", " to ", "'ll ", "’ll ", " shall ", " must "}

// promising reports whether a text has a word with which one promises.
func promising(text string) bool {
	return slices.ContainsFunc(promiseWords, func(w string) bool { return strings.Contains(text, w) })
}

var (
	germanClause = pattern.New(`,\s+(?:und\s+)?(` + namePart + `\s+` + germanVerbs + `)\b`)
	lowClause    = pattern.New(`,\s+(?:and\s+)?([a-z]{2,10}\s+to\s+` + verbs + `)\b`)
)

// cutBefore cuts a text where a clause begins.
func cutBefore(text string, clause *pattern.Pattern) []string {
	if !strings.Contains(text, ", ") {
		return nil
	}
	var out []string
	from := 0
	for _, at := range clause.FindAllStringSubmatchIndex(text, -1) {
		out = append(out, strings.TrimSpace(text[from:at[0]]))
		from = at[2]
	}
	return append(out, text[from:])
}

func clauses(text string) []string {
	text = strings.TrimSpace(text)
	if parts := cutBefore(text, germanClause); len(parts) > 1 {
		return parts
	}
	if first, _ := utf8.DecodeRuneInString(text); unicode.IsLower(first) {
		if parts := cutBefore(text, lowClause); len(parts) > 1 {
			return parts
		}
	}
	if !promising(text) || condition.MatchString(text) {
		return []string{text}
	}
	var out []string
	from := 0
	for _, at := range clause.FindAllStringSubmatchIndex(text, -1) {
		head := text[from:at[0]]
		if first, _ := utf8.DecodeRuneInString(head); at[2] >= 0 && strings.Contains(text[at[0]:at[2]], "and") && unicode.IsUpper(first) && isName(head) {
			continue // "Ann, Bo, and Cy will"
		}
		out = append(out, strings.TrimSpace(head))
		from = max(at[2], at[4], at[6])
	}
	return append(out, text[from:])
}

var (
	// fillers are what people say between words.
	fillers = pattern.New(`(?i)(?:^|,?\s+)\b(?:umm+|um,|uh+|erm|ehm|hmm+)(?:\s+|$|,\s*)`)
	readyBy = pattern.New(`(?i)\b(?:ready|done|finished|fixed|back)\b`)
	letKnow = pattern.New(`(?i)^ (?:\S+ ){1,4}know\b`)
	letMe   = pattern.New(`(?i)\blet me\b`)
	soon    = pattern.New(`(?i)\b(?:today|tonight|tomorrow|this (?:afternoon|week|evening)|next week|right after|after (?:lunch|this|the)|by|on|before|in \d+ min)\b`)
	selfAt  = pattern.New(`\b[Ii](?:['’]ll| will| shall|['’]m going to| am going to)\s`)
	// supposes are words before "I'll" that take the promise back.
	supposes = set(list("if, when, think, that, what, where, which, who, how, why, because, unless, whether, hope, guess, wish, maybe, perhaps, probably, until, once, not, don't, don’t, whatever, doubt, say, said, promise, wonder, suppose, as, than, should, where's, sure"))
)

// selfLed cuts the few words off with which a promise begins: "In the meantime I'll …".
func selfLed(said string) string {
	at := selfAt.FindStringSubmatchIndex(said)
	if at == nil || at[0] == 0 {
		return said
	}
	lead := strings.FieldsFunc(strings.ToLower(said[:at[0]]), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",.!;:–—-", r) })
	if len(lead) > 5 || slices.ContainsFunc(lead, func(w string) bool { return supposes[w] }) {
		return said
	}
	return said[at[0]:]
}

// gladTo offers, or only greets.
var gladTo = pattern.New(`(?i)\b(?:happy|glad) to\b`)

// promisesSelf reports whether a speaker takes something on: "I'll …" with a verb that
// promises, or "will …" with one that minutes often have.
func promisesSelf(said string) bool {
	m := firstPerson.FindStringSubmatch(selfLed(said))
	if m == nil || remark.MatchString(m[2]+m[3]) {
		return false
	}
	verb := strings.ToLower(m[2])
	if letMe.MatchString(said) && (!verbFirst.MatchString(m[2]+m[3]) || !soon.MatchString(said)) {
		return false
	}
	if gladTo.MatchString(said) && !verbFirst.MatchString(m[2]+m[3]) {
		return false
	}
	if m[1] != "" {
		return verbFirst.MatchString(m[2]+m[3]) && verb != "do"
	}
	if verb == "have" && readyBy.MatchString(m[3]) {
		return true
	}
	if verb == "let" && letKnow.MatchString(m[3]) {
		return true
	}
	return !slices.Contains(idle, verb) || verb == "try" && tryingTo.MatchString(m[3]) || slices.Contains([]string{"do", "start", "get", "give", "add"}, verb) && len(strings.Fields(m[3])) >= 2
}
