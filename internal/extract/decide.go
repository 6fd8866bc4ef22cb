package extract

import (
	"slices"
	"strconv"
	"strings"

	"chela/internal/pattern"
)

// People decide in minutes by a vote, by a verdict behind what was proposed, in a sentence that says so, and by
// saying what "we" do from now on.

const (
	bodies  = `(?:we|they|everyone|everybody|all(?: present)?|both(?: sides| parties| teams)?|the (?:[\w-]+ )?(?:team|group|council|committee|board|association|society|assembly|members|panel|department|management|leadership|partners|meeting|forum|guild|toc|tsc|cpc|chairs?|wg|sig|squad|trustees|directors|editors|maintainers|participants|attendees|room)|[A-Z]{2,4} \d{1,3}|[Cc]hairs?)`
	decides = `(?:agreed?|agrees|decided?|decides|resolved?|resolves|approved?|approves|voted|settled (?:on|for)|settles? (?:on|for)|chose|chooses|opted (?:for|to|against)|opts? (?:for|to|against)|went (?:with|for)|signed off|endorse[sd]?|adopt(?:s|ed)|accept(?:s|ed)|reject(?:s|ed)|recommends?|authori[sz]e[sd]?|ratif(?:y|ies|ied)|ruled out|reached (?:consensus|agreement)|declared? consensus|concluded|landed on|aligned on|converged on|ended up with|are going with|(?:will )?proceed with|signed off on|committed to)`
	// opening is what comes before a decision in its sentence.
	opening = `(?:^|[,:;–—-]\s+(?:and\s+|but\s+|so\s+|then\s+)*|^(?i:tl;?dr|so|ok|okay|alright|right|great|fine|good|then|and|finally|eventually|ultimately|well|yes|yeah|perfect|cool)[,.]?\s+(?:so\s+|then\s+)?|^(?i:after|following|upon|in|at|on|with|since|because|given|for|as|by)\b[^.]{2,60}?[,\s]\s*)`
)

var (
	bodyDecides = pattern.New(opening + `(?i:` + bodies + `)(?:['’]ve)?\s+(?:[a-z][^.,;]{3,60}?\s(?i:and|then)\s+)?(?i:also |have |has |had |all |both |unanimously |finally |then |therefore |now |did )*(?i:` + decides + `)\b(.*)$`)
	// weDo says what is done from now on.
	weDo = pattern.New(opening + `(?i:we)(?:['’]ll)?\s+(?i:now |therefore |just |all |still |then |only )?(?:(?i:don['’]t|do not|won['’]t|will not|no longer|will no longer|are not going to|aren['’]t going to)\s+(?i:keep|drop|replace|introduce|add|change|build|buy|hire|renew|extend|support|publish|ship|release|launch|accept|raise|use|migrate|move|switch|offer|pay|wait|do|go|start|take|cut|merge|rename|rewrite|open|close|sign|invest|approve)|(?i:(?:['’]re| are)(?: not)? (?:going with|going to go with|dropping|keeping|moving to|sticking with|postponing|cancell?ing|switching to|dropping|pausing|removing|adopting))|(?i:will |['’]ll )?(?i:keep|drop|hold|cut|buy|hire|archive|delete|order|give|publish|rotate|renew|return|shorten|go (?:for|with|ahead)|stick (?:to|with)|stay (?:with|on|at)|move (?:the|our|to|it)|switch (?:to|from|off)|postpone|delay|skip|pause|rename|renumber|cancel|adopt|replace|remove|retire|deprecate|standardi[sz]e|unify|freeze|cap|allow|ban|make an offer|do it|re-?estimate|take (?:the|option|proposal|variant|this|that)|close (?:it|the|this)|launch|raise (?:the|our)|lower|extend|split|merge the|stop|revert to|limit))\b(.*)$`)
	// contrast says what is done rather than something else, and heardNone what is done as nobody objects.
	contrast  = pattern.New(`(?i)^we\s+(?:now |will )?[a-z]+\s[^,]{2,60}(?:, (?:and )?not\s[^,]{2,40}(?:,.*)?|\s(?:instead|from now on))[.!]?$`)
	heardNone = pattern.New(`(?i)^(?:ok(?:ay)?,? )?(?:hearing|seeing) (?:none|no (?:further )?objections?),?\s+(?:so |then )?(?:we|i)\b`)
	// settles begins a decision in speech, where "we" also tells how things are.
	settles = pattern.New(`(?i)^(?:ok(?:ay)?|alright|right|great|fine|good|perfect|so|then|yes|yeah|cool|well)\b|\b(?:then|so|done:|decided:) we\b|\bwe(?: won['’]t| will not| no longer)\b`)
	// going keeps doing something, or says how things are.
	going     = pattern.New(`(?i)\bwe\b.{0,20}\b(?:keep|stop|go) (?:on )?\w+ing\b|\bwe\b.{0,12}\b(?:don['’]t|do not|won['’]t|will not)\s+(?:have|know|think|see|need|want|believe|like|understand|expect|get|care|mind|say|seem|find|really|even|yet|hear|remember|be|feel|look|agree|make it|finish)\b|\bwe (?:close|stop|skip|move) (?:at|by|on to)\b|\bwe (?:will |['’]ll )?(?:stop|close|pause|skip|keep) (?:here|there|this short|it short|you posted)\b`)
	declared  = pattern.New(`(?i)(?:\b(?:it|that|this)(?:['’]s| is) (?:decided|settled|agreed)(?: then)?(?:[,:]| that)\s*(.{5,})$|(?:^|[,:;]\s+)(?:then |so |ok(?:ay)?,? )?(it(?:['’]s| is) (?:decided|settled|agreed)) that\b)`)
	itIs      = pattern.New(`(?i)^(?:(?:no|done|ok(?:ay)?|so|then|great|alright|right|well|perfect|good)[,.]?\s+)*(?:so\s+)?((?:\S+\s+){1,6}it is)(?: then)?(?:[.!]?$|,\s)`)
	asItIs    = pattern.New(`(?i)\b(?:what|how|who|where|as|whatever|think|like|so|than|that|if|because|why|sure|say|guess) (?:\S+ )?it is$`)
	consensus = pattern.New(`(?i)(?:^|[,;:–—-]\s+|[(])(?:(?:there (?:is|was) )?(?:\pL+ )?(?:consensus|agreement) (?:that|to|on|for|is|was)\b|(?:by|with) (?:general |rough )?consensus\b|be it (?:further )?resolved\b|is hereby (?:resolved|approved|adopted)\b|(?:it (?:was|is|has been)|was|wurde)\s+(?:\pL+\s+){0,2}(?:agreed|decided|resolved|beschlossen|vereinbart|entschieden)\b)`)
	elected   = pattern.New(`^` + namePart + `\s+(?:was|were|is|are) (?:re-?)?(?:elected|appointed|nominated)\b`)
	// fromNow is of rules that begin.
	fromNow    = pattern.New(`(?i)^(?:from now on|in (?:the )?future|going forward|as of (?:now|today)|ab sofort|künftig|in zukunft)\b,?\s.{8,}|^(?:effective|starting|as of|from|beginning)\s+(?:on )?(?:\d|next|today|tomorrow|` + weekdays + `|` + months + `)[^,]{0,20},\s.{8,}|.{10,}\s(?:from now on|going forward|ab sofort)[.!]?$`)
	wanted     = pattern.New(`(?i)\b(?:want|would|should|could|like to|hope)\b`)
	bodyWont   = pattern.New(`(?i)^the (?:[\w-]+ )?(?:team|group|council|committee|board|wg|sig|sc|tc|task force|squad)\s+will not\b`)
	passive    = pattern.New(`(?i)(?:^|,\s+)(?:the|this|both|all)\s(?:[\w'’-]+ ){1,6}(?:was|were|is|has been|have been)\s+(?:unanimously |hereby |then )?(?:approved|adopted|ratified|agreed|voted|signed off)\b`)
	noMatter   = pattern.New(`(?i)\b(?:prs?|patch|tickets?|issues?|pull requests?|merge requests?|leave|visa|holiday)\b`)
	formal     = pattern.New(`(?i)^(?:the |\pL+['’]s )?(?:proposal|option|motion|accounts|policy|plan|report|statutes|charter|resolution|variant|recommendation|amendment|item|request|nomination|bid|budget)\b.{0,120}\b(?:is|was|were|has been|have been|are)\s+(?:unanimously |hereby )?(?:accepted|approved|adopted|chosen|selected|carried|passed|agreed|ratified)\b`)
	notDecided = pattern.New(`(?i)\bwe (?:will |['’]ll )?decide (?:in|on|at|next|later|when|once|by|after|then|again)\b|\b(?:if|whether|unless) we\b|\bwe (?:could|might|may|should|would)\b|\b(?:could|did|can)(?: not|n['’]t) (?:agree|decide|reach)|\bno (?:agreement|consensus|decision)\b|\bnot (?:reach|agree)\b|\bdid not (?:agree|reach|decide)\b`)

	verdict = `(?:(?:and )?(?:(?:this|it|that|which|all) )?(?:(?:is|was|were|are|has been) )?(?:all |unanimously |everyone |everybody |we all |both )?(?:agreed|agrees|approved|accepted|adopted|carried|so ordered|so agreed)(?: by (?:all|everyone|consensus|acclamation|general consent|unanimous consent|the (?:board|group|committee))| unanimously| nem\.? con| without (?:dissent|objections?|discussion|comments?|a vote|opposition)| as (?:is|proposed|presented|circulated)| with no (?:objections?|opposition)|, (?:from|starting|as of) [\w ]{2,20}|(?: by| with) \d+[^.]{0,30}|, all in favou?r)?|(?:there (?:was|were|is) )?(?:no|without|hearing no|with no) (?:further )?objections?(?: heard| raised| from anyone)?|(?:and )?(?:nobody|no ?one)(?: has| had)? (?:objected(?: to (?:it|that|this))?|objects|objections?|was against|is against|opposed)|none (?:opposed|heard|against)|(?:and )?(?:everyone|everybody|all|both|everybody['’]s|everyone['’]s)(?: is| are| was| were)? (?:fine|ok(?:ay)?|happy|on board|in favou?r|for it|up for (?:it|that))(?: with (?:it|that|this))?|everyone(?:['’]s| is)? in|all in|deal|handshake|consensus(?:, no vote needed)?|einstimmig(?: angenommen| beschlossen)?|angenommen|beschlossen|so beschlossen|(?:is |are )?unanimous|alle einverstanden)`
)

var (
	agreedThat   = pattern.New(`(?i)^(?:ok(?:ay)?,? |so |all )*agreed,\s+((?:none|only|nothing) \S.{4,}|(?:the|our|no|all|it|this|that|[\pL\d-]+) (?:\S+ ){0,6}(?:is|are|goes|go|stays?|moves?|will|gets?)\b.*)$`)
	rescheduled  = pattern.New(`(?i)^(?:the |our |next |we )?(?:[\w.'’-]+ ){0,4}(?:moves|move|moved|is moved|was moved|is postponed|was postponed|is brought forward|will move|has been moved)(?: [\w'’-]+){0,3} (?:to|until)\s+(.{3,40})$`)
	scoped       = pattern.New(`(?i)\b(?:is|are) (?:now )?(?:dropped|off the table|final now)\b`)
	tagged       = pattern.New(`(?i),\s*(?:right|yes|no|correct|ok|okay|isn['’]t it|don['’]t we)\?$`)
	verdictAlone = pattern.New(`(?i)^[(\[]?` + verdict + `[)\]]?[.!]*$`)
	verdictTail  = pattern.New(`(?i)^(.{8,}?)\s*(?:\s[–—-]+>?\s+|,\s+(?:[^,]{3,30}\sand\s)?|\s[(\[]|\s→\s*|[.;]\s+[(\[])` + verdict + `[)\]]?[.!]*$`)
	outcome      = pattern.New(`(?i)^(.{6,}?)\s+(?:approved|adopted|ratified|accepted|carried|agreed|rejected|declined|re-?elected|elected|appointed|genehmigt|angenommen|abgelehnt)(?: (?:by acclamation|unanimously|with (?:the |minor |some )?(?:changes?|amendments?|conditions?)\b.*|as (?:is|proposed|presented|amended)|by (?:all|everyone|the (?:board|group|committee))|from (?:contingency|reserves?)|on condition\b.*))?[.!]*$`)
	unfinished   = pattern.New(`(?i)n['’]t$|\b(?:but|not|to be|be|if|until|when|once|has|have|had|was|were|is|are|been|being|and|or|get|gets|got|I|you|he|she|they|pr|prs|ticket|tickets|who|already|previously|yet|can|will|must|should)$|^(?:thanks|thank|i|he|she|pr|if|when|once|until|unless)\b|#\d+$`)
	verdictMark  = pattern.New(`(?i)^` + verdict + `:\s*(.{5,})$`)
	// moved proposes to vote, and carried says how that went.
	moved   = pattern.New(`(?i)\b(?:motion:?|moved|moves|motioned|proposed|proposes)\b(?:\s*\([^)]*\)|,?\s+(?:by|seconded by|second by|second)\s+[^,]{2,40},?)*\s*:?\s*((?:to|that|for|approval|adoption|acceptance|we|the|an?)\s[^.;]+?)(?:,\s+second(?:ed)?\b|[.;]|$)`)
	carried = pattern.New(`(?i)\b(?:carried|passed|passes|carries|approved|adopted|all in favou?r|in favou?r|unanimous(?:ly)?|all ayes)\b`)
	// counted is a vote in figures.
	counted    = pattern.New(`(?i)\b(\d{1,3})\s*(?:yes|for|in favou?r|ayes?|[-–:/]|to)\s*[,;]?\s*(?:(?:and )?(?:against|no|nays?)?:?\s*)?(\d{1,3}|none|no|nobody|zero)\b`)
	voteOn     = pattern.New(`(?i)^(?:vote|voting|ballot|poll|abstimmung)\s+(?:on|over|about|for|to|über|zu[rm]?)\s+(.{3,120}?)\s*[:–—]\s*(.*)$`)
	votedFor   = pattern.New(`(?i)\b(?:approved|carried|passed|passes|accepted|adopted|einstimmig|angenommen|unanimous(?:ly)?|all in favou?r)\b`)
	germanKeep = pattern.New(`(?i)^(?:dann |also |damit |wir )*(?:bleiben bei|bleiben beim|bleibt es (?:bei|beim)|machen wir|nehmen wir|nehmen (?:den|die|das)|verzichten auf)\b`)
)

// carriedMotion reads a line in which somebody moves something and the vote goes for it.
func (s *scanner) carriedMotion(said, quote string) bool {
	if p := s.proposal; p != nil && s.from-p.at <= assentLines && carriedThat.MatchString(said) && passes(said) {
		p.accepted = true
		s.settle()
		return true
	}
	if p := s.motion; p != nil {
		if s.from-p.at > votedLines {
			s.motion = nil
		} else if passes(said) && !moved.MatchString(said) {
			s.out.Decisions = append(s.out.Decisions, Decision{Text: p.text, Topic: p.topic, Date: s.today(), Confidence: 0.8, Span: p.span})
			s.motion = nil
			return true
		}
	}
	if m := voteOn.FindStringSubmatch(said); m != nil && passes(m[2]) && !lost.MatchString(m[2]) {
		s.decision(strings.TrimSpace(said[:strings.Index(said, m[1])+len(m[1])]), "", quote, 0.85)
		return true
	}
	at := moved.FindStringSubmatchIndex(said)
	if at == nil || lost.MatchString(said[at[3]:]) || minutesOnly.MatchString(said[at[2]:at[3]]) {
		return at != nil && lost.MatchString(said)
	}
	if !passes(said[at[2]:]) {
		if !proposesOnly.MatchString(said[at[0]:at[2]]) {
			s.motion = &proposal{text: said[at[2]:at[3]], span: s.span(quote), at: s.from, topic: s.topic}
		}
		return false
	}
	from := at[2]
	if strings.TrimSpace(strings.ToLower(said[at[0]:at[2]])) == "motion" {
		from = at[0]
	}
	s.decision(said[from:at[3]], "", quote, 0.8)
	return true
}

// carriedThat tells how the vote on what was proposed before went.
var carriedThat = pattern.New(`(?i)\b(?:proposal|motion|that|it) (?:is|was) (?:carried|adopted|accepted|passed)\b|\bmotion (?:carries|carried|passes|passed)\b`)

// votedLines are the lines after a motion in which its vote is looked for.
const votedLines = 3

var proposesOnly = pattern.New(`(?i)\bpropose[sd]?\b`)

// passes reports whether a vote goes for what was moved, in words or figures.
func passes(text string) bool {
	if lost.MatchString(text) {
		return false
	}
	if m := counted.FindStringSubmatch(text); m != nil && strings.Contains(strings.ToLower(text), "vote") {
		yes, _ := strconv.Atoi(m[1]) // digits, by the pattern
		no, _ := strconv.Atoi(m[2])  // a word is none
		return yes > no
	}
	return carried.MatchString(text) || votedFor.MatchString(text)
}

// minutesOnly is of the approval of minutes, which decides nothing.
var minutesOnly = pattern.New(`(?i)\bminutes\b|\badjourn|\bagenda (?:as|was|is)\b`)

// decidedIn reads a sentence that decides; before is the one before it, where that said nothing else.
func (s *scanner) decidedIn(one, before, who, quote string) bool {
	if verdictAlone.MatchString(one) {
		if before == "" || minutesOnly.MatchString(before) || strings.HasSuffix(before, "?") || len(strings.Fields(before)) < 3 {
			return false
		}
		s.decision(before, "", quote, 0.7)
		return true
	}
	if minutesOnly.MatchString(one) && votedFor.MatchString(one) {
		return false
	}
	if m := verdictMark.FindStringSubmatch(one); m != nil && !minutesOnly.MatchString(m[1]) {
		s.decision(m[1], "", quote, 0.75)
		return true
	}
	if m := verdictTail.FindStringSubmatch(one); m != nil && who == "" && !minutesOnly.MatchString(m[1]) {
		s.decision(one, "", quote, 0.75)
		return true
	}
	if m := agreedThat.FindStringSubmatch(one); m != nil && len(strings.Fields(m[1])) >= 3 {
		s.decision(m[1], "", quote, 0.65)
		return true
	}
	if onlyVoted.MatchString(one) && (s.justDecided() || tally.MatchString(one)) {
		return false
	}
	if m := outcome.FindStringSubmatch(one); m != nil && who == "" && !minutesOnly.MatchString(m[1]) && !unfinished.MatchString(m[1]) && len(strings.Fields(m[1])) >= 2 {
		s.decision(one, "", quote, 0.7)
		return true
	}
	if !s.saysDecision(one, who) || undecided.MatchString(one) || onlyAgreed.MatchString(one) || notDecided.MatchString(one) {
		return false
	}
	s.decision(one, "", quote, 0.7)
	return true
}

var (
	stays         = pattern.New(`(?i)^(?:the |our )?(?:[\w-]+ ){1,4}(?:stays?|remains?) (?:at|on|with|unchanged|as is|in place)\b`)
	theDecision   = pattern.New(`(?i)^(?:the |our |a )?(?:final )?decision (?:(?:was|is|has been) (?:made |taken )?)?(?:not )?(?:to|that|against|no)\b`)
	approvedThing = pattern.New(`(?i)^(?:adopted|ratified|endorsed|approved|accepted) (?:the|a|an|both|all)\s(?:\w+ ){0,3}(?:budget|plan|proposal|policy|request|motion|charter|report|changes?|schedule|roadmap|text|draft|terms|contract|amendment|nomination|bylaws?)\b`)
	subjectless   = pattern.New(`(?i)^(?:agreed (?:a|an|the|on)|settled on|picked|going with|sticking with|staying with|went with|opted (?:for|to|against)|landed on)\s\S+`)
	greenLight    = pattern.New(`(?i)^(?:green light|thumbs up) (?:for|to)\b|^go for (?:launch|release|live)\b|^resolved,? that\b`)
	weAreDoing    = pattern.New(opening + `(?i:we)(?:['’]re| are)(?i: not)?\s+(?i:going with|going to go with|dropping|keeping|moving (?:to|the)|sticking with|staying with|postponing|cancell?ing|switching to|pausing|removing|adopting|extending)\b`)
	customers     = pattern.New(`(?i)(?:^|,\s+)the (?:customer|client|vendor|supplier|partner)s?\s+(?:has |have )?(?:accepted|agreed|chose|chosen|signed)\b`)
	germanMore    = pattern.New(`(?i)\bbleibt (?:es )?(?:bei|beim)\b|\bwird (?:\pL+ )?gewählt\b|\bwird\b.*\bverschoben\b`)
)

func (s *scanner) saysDecision(one, who string) bool {
	for _, rules := range [][]ruling{deciding, furtherRulings} {
		for _, rule := range rules {
			if rule.says(s, one, who) {
				return true
			}
		}
	}
	return false
}

// tally is a vote in figures and nothing else.
var tally = pattern.New(`(?i)^motion (?:carried|passed|carries|passes)\s*[\d:–-]*[.!]?$`)

// onlyVoted tells that something was voted for, and not what.
var onlyVoted = pattern.New(`(?i)^(?:the |this )?(?:motion|resolution|proposal|item|vote)\s*[\w./-]{0,8}\s+(?:is|was|were|has been|have been)?\s*(?:unanimously )?(?:approved|adopted|carried|carries|accepted|passed|passes|agreed)\b[^,;:]{0,80}$`)

// justDecided reports a decision in the lines before, which a vote is about.
func (s *scanner) justDecided() bool {
	n := len(s.out.Decisions)
	return n > 0 && s.from+1-s.out.Decisions[n-1].Span.EndLine <= votedLines
}

// A ruling is a way in which a sentence says that something is decided.
type ruling struct {
	name string
	says func(s *scanner, one, who string) bool
}

func matches(name string, p *pattern.Pattern) ruling {
	return ruling{name, func(_ *scanner, one, _ string) bool { return p.MatchString(one) }}
}

// deciding are the ways in which sentences decide. In speech, where "we" also tells how things are, some need more.
var deciding = []ruling{
	matches("said", decisionSays), matches("German", germanDecides), matches("kept, in German", germanKeep), matches("stays, in German", germanMore), matches("consensus", consensus),
	matches("formal", formal), matches("elected", elected), matches("none against", heardNone), matches("declared", declared),
	{"from now on", func(_ *scanner, one, _ string) bool { return fromNow.MatchString(one) && !wanted.MatchString(one) }},
	matches("will not", bodyWont), matches("stays", stays), matches("the decision", theDecision),
	matches("approved things", approvedThing), matches("without a subject", subjectless), matches("green light", greenLight),
	matches("we are doing", weAreDoing), matches("the customer", customers),
	{"passive", func(_ *scanner, one, _ string) bool { return passive.MatchString(one) && !noMatter.MatchString(one) }},
	{"a body", func(_ *scanner, one, _ string) bool {
		return bodyDecides.MatchString(one) && !carriedOff.MatchString(one) && !(noMatter.MatchString(one) && strings.Contains(one, "pprove"))
	}},
	{"it is", func(_ *scanner, one, _ string) bool {
		m := itIs.FindStringSubmatch(one)
		return m != nil && !asItIs.MatchString(m[1])
	}},
	{"moved to a day", (*scanner).reschedules},
	{"dropped", func(_ *scanner, one, _ string) bool { return scoped.MatchString(one) && len(strings.Fields(one)) <= 14 }},
	{"this, not that", func(_ *scanner, one, who string) bool {
		return who == "" && contrast.MatchString(one) && !going.MatchString(one)
	}},
	{"okay, no", func(_ *scanner, one, who string) bool { return who != "" && okayNo.MatchString(one) }},
	{"then", func(_ *scanner, one, who string) bool {
		return who != "" && thenIt.MatchString(one) && !farewell.MatchString(one)
	}},
	{"we do", func(_ *scanner, one, who string) bool {
		return weDo.MatchString(one) && !going.MatchString(one) && len(strings.Fields(one)) >= 4 && (who == "" || settles.MatchString(one))
	}},
}

func (s *scanner) reschedules(one, _ string) bool {
	m := rescheduled.FindStringSubmatch(one)
	if m == nil {
		return false
	}
	_, day := s.wholeDay(m[1])
	_, due := s.calendar().due("by " + m[1])
	return day || due || clockTime.MatchString(m[1]) || monthDate.MatchString(m[1]) || dayMonth.MatchString(m[1])
}

var clockTime = pattern.New(`^\d{1,2}(?::\d{2}| ?[ap]m)\b`)

var (
	okayNo = pattern.New(`(?i)^(?:ok(?:ay)?|fine|good|right|alright|all right)[,.]\s+(?:so )?no (?:more )?[\pL-]+ (?:in|on|before|after|until|for|this|next)\b`)
	// thenIt ends a talk about what to take: "Twenty minutes then."
	thenIt   = pattern.New(`(?i)^(?:(?:ok(?:ay)?|fine|good|great|right|alright)[,.]?\s+)*((?:\S+\s+){1,5})then[.!]?$`)
	farewell = pattern.New(`(?i)\b(?:see|talk|speak|bye|until|back|just|by|since|and|but|even|only|later|who|what|i|you|we|will|ll|is|are|was)\b`)
)

// carriedOff is what a body said or did that decides nothing.
var carriedOff = pattern.New(`(?i)\b(?:agree[sd]?|accept(?:s|ed)?) (?:with|on that|in principle that it)\b[^,]{0,25}$|\bthey (?:agree|accept)\b|\beverybody agrees that (?:it|this|we) (?:was|were|is|are)\b`)

// A proposal is what somebody says that others may say yes to.
type proposal struct {
	text, who string
	span      Span
	at, topic int
	accepted  bool
}

var (
	letUs = pattern.New(`(?i)(?:^|[,.;:–—-]\s+|\b(?:then|so|and|but|ok|okay) )((?:let['’]?s|let us|i (?:move|propose|suggest) (?:that )?we|i['’]d (?:say|suggest|propose) (?:that )?we|i move that|proposed:|proposal:|shall we|how about we|why don['’]t we)\s+(?:just |also |rather |simply |to )*([\pL-]+)\b.*)$`)
	// agreedAsked asks whether all are for it.
	agreedAsked = pattern.New(`(?i)^((?:then |so |ok(?:ay)?,? )*\S+ .{3,}),\s*(?:agreed|deal|ok|okay|everyone ok(?:ay)?|all agreed)\?$`)
	idleLet     = list("it, start, begin, see, go, move, get, talk, discuss, hear, wait, continue, wrap, meet, look, have, be, do, take, give, say, check, think, ask, come, call, recap, agree, find, sit, catch, break, return, focus, jump, try, quickly, first")
	assents     = pattern.New(`(?i)^(?:\+1|👍|agreed|agree|yes|yep|yeah|sure|fine|ok|okay|great|good|sounds good|works for me|seconded|second|deal|of course|perfect|done|i agree|makes sense|no objections?|let['’]s do (?:it|that)|happy with that|absolutely|right)\b`)
	doubts      = pattern.New(`(?i)\bbut\b|\bnot sure\b|\bhowever\b|\bdisagree\b|\?`)
)

// assentWords are the most that a yes has.
const assentWords = 6

func firstSentence(said string) string { return sentences(said)[0] }

// assentLines are the lines among which somebody may say yes.
const assentLines = 6

// proposes keeps what a speaker proposes, and whether another one says yes. took says that the line decided something
// by itself.
func (s *scanner) proposes(who, said, quote string, took bool) {
	if p := s.proposal; p != nil && (took || s.from-p.at > assentLines) {
		if took {
			p.accepted = false
		}
		s.settle()
	} else if p != nil && !strings.EqualFold(p.who, who) && assents.MatchString(said) && !doubts.MatchString(said) && len(strings.Fields(firstSentence(said))) <= assentWords {
		p.accepted = true
	}
	if took {
		return
	}
	for _, one := range sentences(said) {
		if m := agreedAsked.FindStringSubmatch(one); m != nil && !isWord(m[1]) {
			s.settle()
			s.proposal = &proposal{text: m[1], who: who, span: s.span(quote), at: s.from, topic: s.topic}
			continue
		}
		m := letUs.FindStringSubmatch(strings.TrimRight(one, " .!?"))
		if m == nil || slices.Contains(idleLet, strings.ToLower(m[2])) || isWord(m[1]) {
			continue
		}
		s.settle()
		s.proposal = &proposal{text: m[1], who: who, span: s.span(quote), at: s.from, topic: s.topic}
	}
}

// settle takes a proposal as decided when somebody said yes and no line has said it better.
func (s *scanner) settle() {
	if p := s.proposal; p != nil && p.accepted {
		s.out.Decisions = append(s.out.Decisions, Decision{Text: p.text, Topic: p.topic, Date: s.today(), Confidence: 0.65, Span: p.span})
	}
	s.proposal = nil
}
