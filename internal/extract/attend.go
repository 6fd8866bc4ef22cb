package extract

import (
	"slices"
	"strings"
	"unicode"

	"chela/internal/pattern"
)

// More ways in which the top of minutes says who was there: by the part that somebody had, in brackets behind the word
// for the meeting, and one line for each.

// parts are what people are to a meeting, as labels before one name or several.
const parts = `(?:(?:meeting |session |board |vice[- ]|deputy |lead |acting )?(?:chair(?:man|woman|person)?|co-?chairs?|facilitators?|moderators?|hosts?|organi[sz]ers?|leads?|leaders?|scribes?|secretary|treasurer|president|note[- ]?takers?|minute[- ]?takers?|minutes(?: taken)? by|notes(?: taken)? by|recorder|timekeeper|presenters?|presenting|interviewers?|interviewees?|coach(?:es)?|trainers?|reviewers?|responders?|on[- ]?call|incident (?:commander|lead|manager)|ic|commander|comms(?: lead)?|ops(?: lead)?|account (?:manager|executive)|ae|se|csm|prospect|client|customer|contact|candidate|vendor|supplier|guest|guests|others|staff|officers|directors|trustees|members|sales|engineering|design|product|support)|sitzungsleitung|leitung|vorsitz(?:ende[rn]?)?|protokoll(?:führung|führer(?:in)?|ant(?:in)?)?|moderation|gäste|gast|schriftführung|kassenwart(?:in)?|referent(?:in)?|gesprächspartner(?:in)?)`

var (
	partLine    = pattern.New(`(?i)^(?:` + parts + `)(?: \([^()]{1,30}\))?\s*(?::|\s[–—-])\s+(.+)$`)
	presentFor  = pattern.New(`(?i)^(?:present|attending|participants?|there|here|teilnehmer)\s+(?:for|from|on behalf of|von|für)\s+(?:the )?[\pL -]{2,30}:\s+(.+)$`)
	doneBy      = pattern.New(`\b(?i:(?:was |were )?(?:attended|joined|chaired|facilitated|moderated|hosted|led|minuted|run) by)\s+(` + nameList + `)`)
	ofMeetingIn = pattern.New(`(?i)\b(?:call|meeting|session|sync|retro|stand-?up|conversation|discussion|review|workshop|members|people|attendees|participants)\b[^()]{0,30}\(([^()]{5,200})\)`)
	missingOne  = pattern.New(`^(?i:es (?:fehlte|fehlten|fehlt|fehlen)|entschuldigt (?:war|waren|ist|sind|hat sich|haben sich)|nicht dabei (?:war|waren)|missing (?:was|were)|absent (?:was|were))\s+(` + nameList + `)`)
	handlesIn   = pattern.New(`^(@[\w-]+(?:[\s,&]+(?:and\s+)?@[\w-]+)*)\s+(?:(?:are |is |were |was )?(here|present|there|in|on|attending)|(out|away|absent|ooo|off|sick))\b`)
	slashed     = pattern.New(`(?:,|\s[–—|-])\s+(\p{Lu}[\pL'’-]+(?:\s\p{Lu}[\pL'’-]+)?(?:\s+/\s+\p{Lu}[\pL'’-]+(?:\s\p{Lu}[\pL'’-]+)?){1,8})$`)
	justUs      = pattern.New(`(?i)\bjust (?:the )?(?:two|three|four|five|six)? ?of us,\s+((?-i:` + nameList + `|me)(?:(?:,| and|, and)\s+(?-i:` + nameList + `|me))*)`)
	hereRole    = pattern.New(`(` + namePart + `)\s*\((?i:absent|excused|apologies|regrets|away|not present|entschuldigt|abwesend|sick|on leave|ooo|krank)\b[^()]*\)`)
	device      = pattern.New(`(?i)^(?:iphone|ipad|galaxy|macbook|laptop)\s+(?:von|de|of)\s+|['’]s (?:iphone|ipad|macbook|laptop)$`)
	plusSome    = pattern.New(`\s*(?:,|&|and)?\s*\+\s?\d+(?:\s+(?:more|others))?$`)
	saidHere    = pattern.New(`(?i)\s+(?:(?:were|are|was|is)\s+)?(present|absent|here|attending)$`)
)

// tops reads such lines; rest says that more may stand there.
func (s *scanner) tops(text, quote string) bool {
	if m := presentFor.FindStringSubmatch(text); m != nil && nameCount(firstNames(m[1])) > 0 {
		s.people(firstNames(m[1]), quote, false, false)
		return true
	}
	if m := partLine.FindStringSubmatch(text); m != nil && !s.statement(m[1]) {
		if names := firstNames(strings.TrimRight(m[1], ". ")); nameCount(names) > 0 {
			s.people(names, quote, false, false)
			s.attendance(m[1][min(len(names), len(m[1])):], quote)
			return true
		}
	}
	for _, m := range doneBy.FindAllStringSubmatch(text, -1) {
		if names := firstNames(m[1]); nameCount(names) > 0 {
			s.people(names, quote, false, false)
		}
	}
	if m := ofMeetingIn.FindStringSubmatch(text); m != nil {
		names, more, _ := strings.Cut(m[1], ";")
		if nameCount(names) >= 2 {
			s.people(names, quote, false, false)
			s.came(strings.TrimSpace(more), quote)
		}
	}
	if m := slashed.FindStringSubmatch(text); m != nil && s.from-s.top < 3 && strings.ContainsAny(text, "0123456789") {
		if names := strings.ReplaceAll(m[1], " / ", ", "); nameCount(names) >= 2 {
			s.people(names, quote, false, false)
		}
	}
	for _, part := range strings.Split(strings.ReplaceAll(text, ", @", ";@"), ";") {
		if m := handlesIn.FindStringSubmatch(strings.TrimSpace(part)); m != nil {
			s.people(strings.ReplaceAll(strings.ReplaceAll(m[1], "@", ", @"), ", ,", ","), quote, m[3] != "", false)
		}
	}
	return s.callLines(text, quote)
}

// statement reports words that are more than a list.
func (s *scanner) statement(names string) bool {
	return len(strings.Fields(names)) > 30 || strings.Contains(names, ": ")
}

// callLines reads "Ann Lee: here" where the line before or after is such, too.
func (s *scanner) callLines(text, quote string) bool {
	name, absent, ok := answeredCall(text)
	if !ok || !writtenName(bareOf(name)) {
		return false
	}
	near := func(i int) bool {
		if i < 0 || i >= len(s.lines) {
			return false
		}
		_, _, ok := answeredCall(clean(bulletPattern.ReplaceAllString(s.lines[i], "$2")))
		return ok
	}
	if !near(s.from-1) && !near(s.at+1) {
		return false
	}
	s.people(name, quote, absent, true)
	return true
}

// apart takes those out of a list whom it says to be absent, and what is no name.
func (s *scanner) apart(list, quote string) string {
	list = plusSome.ReplaceAllString(list, "")
	return hereRole.ReplaceAllStringFunc(list, func(who string) string {
		name := hereRole.FindStringSubmatch(who)[1]
		if nameCount(name) == 1 && !slices.ContainsFunc(s.out.Attendees, func(a Attendee) bool { return a.Name == name }) {
			s.out.Attendees = append(s.out.Attendees, Attendee{Name: name, Absent: true, Span: s.span(quote)})
		}
		return ""
	})
}

var (
	meAnd       = pattern.New(`^(?i:me|myself)\s*(?:\+|&|and|,)\s*(.+)$`)
	werePresent = pattern.New(`^(?i:(?:(?:the )?[\pL-]+ ){0,2}(?:present|in attendance) (?:were|was)|anwesend (?:waren|sind)|dabei (?:waren|sind)|mit dabei(?: waren| sind)?|es waren da|(?:also |those )?(?:in attendance|present|attending|on the (?:call|line|phone|zoom)|in the (?:room|meeting)|(?:around|at) the table|here|there|joining(?: us| me)?|dialled in|dialed in|remote|remotely|online|taking part)(?: today)?\s+(?:were|was|are|is|we had|we have)|(?:those|people|the people) (?:present|there|in the room|on the call) (?:were|are)|(?:who was there|we were):?|invited|attended by|we were joined by)\s+(.+)$`)
	talkedTo    = pattern.New(`^(?i:(?:an? |the |our |short |quick |first |good |great |nice |lovely |productive |second )*(?:discussion|call|meeting|conversation|talk|chat|session|visit|lunch|interview|workshop)(?: today| yesterday| this (?:morning|afternoon)| just now)?\s(?:with|between|w/)|(?:i |we )?met(?: with)?)\s+(.+)$`)
	callWith    = pattern.New(`\b(?:call|meeting|chat|talk|conversation) with (` + namePart + `(?:(?:,| and|, and) ` + namePart + `)+)`)
	excusesOf   = pattern.New(`^(?i:(?:apologies|regrets|excuses)(?: for absence)?|leave of absence|entschuldigt) (?i:(?:was|were|has been|have been|had been|haben sich|hat sich|sind) )?(?i:received |given |sent |noted |granted )?(?:(?i:from|by|to|for)\s+)?(\p{Lu}.+)$`)
	sideOf      = pattern.New(`^(?i:(?:from|on|for) (?:us|ours|theirs|(?:our|my|their|his|her) (?:side|end|part))|we (?:with|were|are)|our side was|on our side (?:was|were)),?\s+(.+)$`)
	metWith     = pattern.New(`^(?i:(?:i |we )?(?:spoke|met|talked|sat down) (?:up )?with|(?:from [\p{L} ]{2,25} )?we had|we were|[\p{L} ]{2,30} (?:was|were) represented by|there were|with us (?:were|was)|we were joined by|joined by)\s+(.+)$`)
	attended    = pattern.New(`^(?:(?i:the )?` + office + `\s+)?(` + nameList + `(?:\s*(?:,\s*and\b|,|\band\b|&)\s*(?:I|me|myself))?|I,\s` + nameList + `)\s+(?:(?:was|were|is|are) (?:present|here|there|in attendance|dialing in|dialling in|joining)|(?:also )?attended|dialled in|dialed in|took part|(?:was|were|are|is) (?:on|in) the (?:call|meeting|room|line)\b|joined (?:us|from|late|remotely|by|via|for|the (?:call|meeting|room))\b|joined\.?$)`)
	stayedAway  = pattern.New(`^(?:only |just )?(` + nameList + `)\s+(?:(?:has |have |had )?(?:sent|sends?|gave) (?:(?:his|her|their) )?(?:regrets|apologies|excuses)|(?:was|were|is|are) (?:away|absent|excused|missing|not around|unable to (?:attend|join|come)|not (?:present|there|here))|could(?: not|n['’]t) (?:attend|join|make it|come)|can(?:not|['’]t) (?:attend|join|make it|come))\b`)
)

// attendance reads sentences about who came.
func (s *scanner) attendance(text, quote string) {
	for i, one := range sentences(noHandle.ReplaceAllString(text, "")) {
		if one = strings.Trim(one, " .;"); !sideOf.MatchString(one) {
			one = ofOurs.ReplaceAllString(one, "")
		}
		if g := groups(one); i > 0 && g[0].label != "" && (presenceOf(g[0].label) != unsaid || partLine.MatchString(g[0].label+": x")) && nameCount(g[0].names) > 0 { // "Anwesend waren Ann und Bo. Entschuldigt: Cy"
			s.grouped(g, quote, presenceOf(g[0].label) == away)
		} else if m := meAnd.FindStringSubmatch(one); m != nil && nameCount(m[1]) > 0 {
			s.people(m[1], quote, false, false)
		} else if m := werePresent.FindStringSubmatch(one); m != nil && writtenName(trimAnd(nameSeparator.Split(inBrackets.ReplaceAllString(m[1], ""), 2)[0])) {
			s.people(m[1], quote, false, false)
		} else if m := talkedTo.FindStringSubmatch(one); m != nil && (i > 0 || s.begun || len(s.out.Topics) > 0) && (nameCount(m[1]) > 1 || strings.Contains(text, "(")) {
			s.namesIn(m[1], quote)
		} else if m := callWith.FindStringSubmatch(one); m != nil && (i > 0 || len(s.out.Topics) > 0 || s.from > s.top || len(strings.Fields(one)) > 12) && nameCount(m[1]) > 1 {
			s.people(m[1], quote, false, false)
		} else if m := excusesOf.FindStringSubmatch(one); m != nil && nameCount(firstNames(m[1])) > 0 {
			s.people(firstNames(m[1]), quote, true, false)
		} else if m := sideOf.FindStringSubmatch(one); m != nil && (i > 0 || len(s.out.Topics) > 0 || s.begun) && nameCount(m[1]) > 0 {
			s.namesIn(m[1], quote)
		} else if m := metWith.FindStringSubmatch(one); m != nil {
			s.namesIn(m[1], quote)
		} else if m := attended.FindStringSubmatch(ofOurs.ReplaceAllString(one, "")); m != nil && nameCount(m[1]) > 0 {
			s.people(m[1], quote, false, false)
		} else if m := onCall.FindStringSubmatch(one); m != nil && nameCount(m[1]) > 1 {
			s.people(m[1], quote, false, false)
		} else if m := missingOne.FindStringSubmatch(one); m != nil && nameCount(m[1]) > 0 {
			s.people(m[1], quote, true, false)
		} else if m := stayedAway.FindStringSubmatch(one); m != nil && nameCount(m[1]) > 0 {
			s.people(m[1], quote, true, false)
		}
		s.came(one, quote)
	}
}

// awayNow says that somebody is or was not there.
const awayNow = `(?:(?:was|were|is|are|ist|sind|war|waren) (?:away|off|out|absent|sick|ill|krank|verhindert|im urlaub|on (?:leave|holiday|vacation|a |the |parental|a business)|travell?ing|with (?:the|a|another) (?:customer|client)|at (?:a|the|another)|in \p{Lu}|unable)|never (?:made it|came|showed)|(?:could|did)(?: not|n['’]t) (?:make it|come|attend|show|join)|had to be (?:in|at|with)|(?:had |has )?sent (?:his|her|their) (?:apologies|regrets))`

var (
	// others says of whom a sentence that tells who came says something else: "; Bo was with a customer".
	others = pattern.New(`(?:^|[;,]\s+|\sand\s+|\sbut\s+)(?:and |but |while |only )?(?:` + office + `\s+)?(` + nameList + `)\s+((?:is|was|are|were) (?:dialing in|dialling in|joining|remote)|` + awayNow + `)`)
	joins  = pattern.New(`\b(?:dialing in|dialling in|joining|remote)$`)
	// allBut says who was missing among all.
	allBut = pattern.New(`(?i)\b(?:everyone|everybody|all|alle)\b[^,.;]{0,40}\b(?:except|but|apart from|besides|außer|bis auf)\s+(?:for\s+)?((?-i:` + nameList + `))`)
	// weAre counts in speech who is there.
	weAre = pattern.New(`(?i)\b(?:we(?:['’]ve got| have| are|['’]re| had)|it(?:['’]s| is)|with (?:me|us)(?: today)?(?: (?:is|are))?|joining (?:me|us) (?:today )?(?:is|are)|present (?:is|are)|here (?:is|are))(?: (?:here|today|on the call))?:?\s+((?-i:` + nameList + `|me|myself)(?:\s*(?:,\s*and\b|,|\band\b|&)\s*(?-i:` + nameList + `|me|myself))+)`)
)

// came reads in a sentence about who came who else did or did not.
func (s *scanner) came(one, quote string) {
	if m := allBut.FindStringSubmatch(one); m != nil && nameCount(m[1]) > 0 {
		s.people(m[1], quote, true, false)
	}
	if n := len(s.out.Attendees); n == 0 || s.out.Attendees[n-1].Span.Line != s.from+1 {
		return
	}
	for _, m := range others.FindAllStringSubmatch(one, -1) {
		if nameCount(m[1]) > 0 {
			s.people(m[1], quote, !joins.MatchString(m[2]), false)
		}
	}
}

// introduced reads in speech who is there: "we've got me, Ann and Bo".
func (s *scanner) introduced(who, said, quote string) {
	if s.from-s.top >= rollLines {
		return
	}
	if m := justUs.FindStringSubmatch(said); m != nil {
		author := s.author
		s.author = who
		s.people(m[1], quote, false, false)
		s.author = author
	}
	for _, one := range sentences(said) {
		if m := stayedAway.FindStringSubmatch(one); m != nil && nameCount(m[1]) > 0 {
			s.people(m[1], quote, true, false)
		}
	}
	m := weAre.FindStringSubmatch(said)
	if m == nil || nameCount(m[1]) < 1 {
		return
	}
	author := s.author
	s.author = who
	if strings.Contains(strings.ToLower(said), "with me") && isName(who) {
		s.people(who, quote, false, false)
	}
	s.people(m[1], quote, false, false)
	s.author = author
	s.came(said, quote)
}

// namesIn records the people of a sentence: "Ann Lee and her new boss Bo Kim".
func (s *scanner) namesIn(list, quote string) {
	for _, part := range nameSeparator.Split(noHandle.ReplaceAllString(list, ""), -1) {
		words := strings.Fields(bareOf(part))
		for len(words) > 0 && unicode.IsLower([]rune(words[0])[0]) && !strings.HasPrefix(words[0], "@") {
			words = words[1:]
		}
		if name := strings.Join(words, " "); writtenName(name) {
			s.people(name, quote, false, false)
		}
	}
}
