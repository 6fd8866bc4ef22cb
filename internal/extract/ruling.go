package extract

import (
	"strings"

	"chela/internal/pattern"
)

// More ways in which sentences decide: what a group is aligned on, what stays or is dropped, what "we" are doing from
// now on, and the last word in a talk.

var (
	aligned = pattern.New(`(?i)(?:^|[,;:]\s+)(?:everyone|everybody|all(?: present)?|both (?:sides|parties|teams)|trustees|members|directors|councillors|participants|attendees|we|they|the [\pL -]{3,30}?|[A-Z]{2,4})\s+(?:(?:was|were|is|are) (?:all |fully )?(?:aligned|agreed|united|in agreement)(?: that| on)?|(?:unanimously |then |all |jointly |finally )*(?:agreed|decided|resolved|voted|opted|chose|selected|picked|settled|elected|prefers?|aligned|landed)(?: to| on| that| for| upon)?)\s+(?:the |an? |to |not |[\pL\d])\S*.*$`)
	// unlike is what agreement does not decide.
	unlike  = pattern.New(`(?i)\b(?:agreed|aligned|agree)\s+(?:with|to (?:disagree|meet|talk|discuss|think|look|come back|revisit|send|share|write|check|provide|call|ask|prepare|draft|review|follow)|on that)\b|\bwe all agreed we wouldn\b|\b(?:last|previous|in (?:19|20)\d\d)\b|\b(?:if|whether|once|unless)\s+(?:we|they|the|everyone)\b|\bhad (?:agreed|decided|voted|opted)\b|\bnot (?:agree|decide)`)
	staysAs = pattern.New(`(?i)^(?:[\pL\d“”"'’-]+\s+){1,6}(?:stays?|remains?)\s+(?:closed|open|mandatory|optional|frozen|the same|free|capped|compulsory|as (?:it )?is|in (?:place|scope|force)|at|on|with|until|unchanged|out of scope|off)\b`)
	dropped = pattern.New(`(?i)\b(?:considered (?:and|but) (?:rejected|dropped|discarded)|(?:was|were|is) not (?:taken forward|pursued|adopted|supported by)|(?:is|are|was|were) (?:dropped|scrapped|shelved|off the table|overruled|out of scope)|idea dropped|hence dropped|therefore (?:dropped|rejected)|daher abgelehnt|deshalb abgelehnt|wird nicht weiterverfolgt|fällt (?:heute |morgen )?(?:aus|weg))\b`)
	weNot   = pattern.New(`(?i)(?:^|[,;:]\s+|\b(?:so|ok|okay|then|and|instead)\s+)we(?:['’]re| are)\s+(?:not|no longer)\s+(?:going to\s+)?([a-z-]+)\b\s+\S`)
	weGo    = pattern.New(`(?i)(?:^|[,;:.]\s+|\b(?:so|ok|okay|then|and)\s+)(?:we(?:['’]re| are)\s+(?:now |all )?|team |)(?:moving|switching|dropping|cutting|killing|letting|raising|freezing|closing|merging|keeping|cancell?ing|pausing|replacing|retiring|going ahead with|going with|standardi[sz]ing|shortening|limiting|capping|trying it)\s+(?:the|it|our|all|to|on|a|an|with|for|option|[\pL\d-]+\s)`)
	weIs    = pattern.New(`(?i)^(?:we(?:['’]re| are)|team|so|then|ok)`)
	// noStates are what "we are not" without deciding anything.
	noStates   = set(list("sure, done, there, able, ready, seeing, getting, having, making, expecting, talking, looking, the, a, an, in, at, on, happy, alone, clear, using, reading, yet, here, as, so, that, too, very, quite, really, aware, allowed, paying, being, ahead, out, far, good, close, convinced, finished, interested, trying, saying, asking"))
	lastWord   = pattern.New(`(?i)^(?:.{4,80},\s*(?:period|full stop|punkt|that(?:['’]s| is) final)[.!]?$|(?:ok(?:ay)?|right|fine|good|alright|cool)[,.]?\s+(?:so |then )+(?:it(?:['’]s| is)|we (?:go|take|use|keep|do))\s+\S.{2,}|(?:good|ok(?:ay)?|great|fine|perfect)[,.]\s+.{5,60},\s+i like (?:that|it)\b|(?:fine|ok(?:ay)?|right)\s+(?:the )?same \S+(?: \S+)? then[.!]?$)`)
	yesWe      = pattern.New(`(?i)^(?:yeah|yes|ok(?:ay)?|so|then|right|alright|good|fine)[,.]\s+(?:so |then )?we (?:just |only )?([a-z/]+) (?:the|it|all|our|a|both|every|one|two|\d+|with)\b`)
	leaveIt    = pattern.New(`(?i)(?:^|[.,:]\s+|\b(?:so|then|ok|okay)\s+)let['’]?s\s+(?:just\s+)?(?:stick (?:with|to)|go (?:with|for)|keep|drop|leave it (?:at|with)|settle on|stay (?:with|on)|call it)\s+\S`)
	noMore     = pattern.New(`(?i)(?:^|,\s+but\s+|^so\s+)(?:so\s+)?no (?:more )?[\pL-]+(?: [\pL-]+){0,5}?\s+(?:for now|this (?:year|quarter|month|week|sprint)|on (?:the |our )?(?:` + weekdays + `|\w+days)\w*|until|before|from now|any ?more|after \d|on the verge|in prod\w*)\b`)
	becauseOf  = pattern.New(`(?i)(?:^|,\s+)so\s+(?:the |our )?[\pL-]+(?:\s[\pL-]+)?\s(?:moves?|goes|go|stays?|gets?|becomes?)\s+\S`)
	firstThen  = pattern.New(`^\p{Lu}[\pL-]+(?: [\pL-]+)? first, then \p{Lu}\S*`)
	approvedAt = pattern.New(`(?i)^(?:approved|accepted|granted) (?:at|for|with|up to|until)\s+\S`)
	germanRule = pattern.New(`(?i)^(?:also\s+|damit\s+|dann\s+)?(?:wir\s+(?:führen|nehmen|bieten|fahren|machen|stellen|behalten|verzichten|streichen|wechseln|bleiben|lassen)\b.*\b(?:ein|nur noch|nicht mehr|ab\s\S+|künftig|bei|auf|um|weg)\b)|\bnehmen wir\b.*\b(?:nicht mehr|ab sofort)\b|^(?:gut|okay|ok|also|ja)[,.]?\s*(?:dann|also)\s+(?:nehmen|machen|bleiben|gehen|fahren)\s+wir\b|^der \pL+ legt\s.*\sfest\b|\bist entschieden:|\b(?:ist|sind) einverstanden, dass\b|\bnach (?:kurzer )?(?:aussprache|diskussion):\s|\bso machen wir(?:['’]s| es| das)\b.{4,}`)
	settledOn  = pattern.New(`(?i)\bit (?:was|is|has been) settled that\b|^they (?:picked|chose|agreed to|agreed on|settled|selected)\b|\b(?:was|were) clear that .{5,60} (?:first|only)\b`)
	pastTense  = pattern.New(`(?i)(?:ed|went|had|was|were|did|got|took|made|said|knew|thought|found|kept|left|lost|met|sent|told|ran|saw)$`)
)

// furtherRulings are those ways, as deciding has them.
var furtherRulings = []ruling{
	{"aligned", func(_ *scanner, one, who string) bool {
		return who == "" && aligned.MatchString(one) && !unlike.MatchString(one) && len(strings.Fields(one)) <= 40
	}},
	{"stays as it is", func(_ *scanner, one, who string) bool {
		return who == "" && staysAs.MatchString(one) && !strings.Contains(one, " will ")
	}},
	{"dropped", func(_ *scanner, one, who string) bool {
		return who == "" && dropped.MatchString(one) && !condition.MatchString(one) && !strings.Contains(one, " if ")
	}},
	{"we are not", func(_ *scanner, one, _ string) bool {
		m := weNot.FindStringSubmatch(one)
		return m != nil && !noStates[strings.ToLower(m[1])]
	}},
	{"we go", func(_ *scanner, one, _ string) bool { return weGo.MatchString(one) && weIs.MatchString(one) }},
	{"the last word", func(_ *scanner, one, who string) bool { return who != "" && lastWord.MatchString(one) }},
	{"yes, we", func(_ *scanner, one, who string) bool {
		m := yesWe.FindStringSubmatch(one)
		return who != "" && m != nil && !pastTense.MatchString(m[1]) && !states[strings.ToLower(m[1])]
	}},
	{"let us leave it", func(_ *scanner, one, who string) bool { return who != "" && leaveIt.MatchString(one) }},
	{"no more", func(_ *scanner, one, who string) bool { return noMore.MatchString(one) && !strings.Contains(one, "?") }},
	{"so that", func(_ *scanner, one, who string) bool { return who == "" && becauseOf.MatchString(one) }},
	matches("first, then", firstThen), matches("approved at", approvedAt), matches("a German rule", germanRule), matches("settled", settledOn),
}

// agreedLabel begins a line that says what was agreed.
var agreedLabel = pattern.New(`^([^:]{3,60}):\s+(\S.*)$`)

// tellsOnly is of a sentence that tells something beside a decision.
var tellsOnly = pattern.New(`\b(?:was|were|said|told|asked|had)\b`)

// ruledLabel begins a line that rules something.
var ruledLabel = pattern.New(`(?i)^(?:not doing|out of scope|not in scope|won['’]t do|new as of today|new rule|new|house rule|decided with .{1,25}|nach (?:kurzer )?(?:aussprache|diskussion)|neu(?: ab heute)?|ab sofort|stattdessen|calls?|bottom line)$`)

// agreedInline reads "What we agreed: …. And …".
func (s *scanner) agreedInline(text, quote string) bool {
	m := agreedLabel.FindStringSubmatch(text)
	if m == nil || len(strings.Fields(m[2])) < 3 || moved.MatchString(text) {
		return false
	}
	label := strings.TrimSpace(m[1])
	if !ruledLabel.MatchString(label) && (sectionOf(label) != decisionSection && !moreDecisions.MatchString(label) || decisionMark.MatchString(text)) {
		return false
	}
	rules := ruledLabel.MatchString(label)
	for i, one := range sentences(m[2]) {
		switch {
		case s.promised(one, quote), strings.HasSuffix(one, "?"):
		case i == 0, s.saysDecision(one, ""), !rules && !tellsOnly.MatchString(one):
			s.decision(one, "", quote, 0.8)
		}
	}
	return true
}
