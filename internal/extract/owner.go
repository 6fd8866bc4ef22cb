package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chela/internal/pattern"
)

const (
	namePart = `(?:@?[\p{Lu}][\p{L}'’.-]+(?:\s+(?:[\p{Lu}][\p{L}'’.-]+|[A-HJ-Z]\b\.?)){0,2}|\p{Han}{2,4})`
	handle   = `@[\w][\w-]{0,38}`
	nameList = `(?:` + handle + `|` + namePart + `)(?:\s*(?:,\s*and\b|,|&|/|\band\b|\bund\b|\+)\s*(?:` + handle + `|` + namePart + `))*`
	promises = `(?:to|will|shall|is to|are to|is going to|agreed to|agrees to|(?:has |have )?(?:volunteered|offered|promised|volunteers|offers|promises) to|ha(?:s|ve) agreed to|committed to|commits to|undertook to|(?:was|were) asked to|undertakes? to|(?:has|have) undertaken to|is asked to|(?:took|has|takes) (?:the|an) action(?: item)? to|needs? to|has to|have to|must)(?:\s+(?:also|then|now|still))?`
)

// verbs begin what people promise to do in minutes.
const verbs = `(?:issue|transmit|rewire|connect|post|follow|send|write|draft|create|open|file|update|review|ask|check|reach|schedule|set|prepare|share|investigate|look|fix|add|merge|talk|contact|email|e-mail|ping|propose|document|move|start|work|organi[sz]e|coordinate|bring|take|make|put|publish|submit|report|test|implement|finish|run|clean|close|get|find|raise|summari[sz]e|confirm|provide|present|sync|drive|own|handle|remove|rename|split|invite|collect|circulate|explore|discuss|comment|respond|reply|approve|verify|design|migrate|deploy|release|announce|nominate|push|help|edit|revise|finali[sz]e|plan|define|measure|track|try|build|link|mail|sign|deliver|ship|refactor|upgrade|evaluate|research|arrange|book|call|message|chase|develop|regenerate|compare|order|renew|rotate|record|list|gather|draw|resolve|reproduce|benchmark|audit|backport|bump|disable|enable|escalate|estimate|triage|transcribe|translate|train|rewrite|complete|come up with|come back|go through|speak|sort|decide|tell|restart|patch|notify|inform|remind|pay|buy|hire|print|count|configure|install|onboard|interview|scan|phone|visit|replace|reduce|forward|upload|cancel|negotiate|proofread|monitor|assess|analy[sz]e|consolidate|sketch|outline|compile|produce|host|lead|facilitate|moderate|demo|show|explain|pick up|take over|wrap up|debug|profile|refresh|restore|stop|enforce|extend|extract|generate|import|export|integrate|introduce|maintain|modify|obtain|optimi[sz]e|point|practice|process|promote|pull|reconcile|recruit|reformat|reopen|request|rerun|resend|reserve|revert|rework|route|secure|solve|spec|support|switch|tag|transfer|tweak|unblock|validate|walk|watch|liaise|roll|engage|connect|consult|cut|meet with|recalculate|hand out|pick (?:it|that|this) up|hold|sort out|renegotiate|grant (?:it|access|them|him|her|you)|reset|relay|seek|look after|tackle|trial|feed back|kick off|circle back|figure out|sound out|note down|copy|correct|convert|commission|clarify|clear|brief|automate|attach|assemble|assign|appoint|apply|adjust|adapt|activate|flag|enter|convene|conduct|capture|calibrate|attend|calculate|unlock|shortlist|standardi[sz]e|store|survey|teach|turn (?:on|off)|rephrase|re-?check|re-?write|retrieve|return|carry|swap|push back|expand|experiment|set up|serve|apologi[sz]e|alert|advise|acquire|accelerate|inquire|enquire|instruct|pair|quarantine|prototype|tidy|delete|archive|rebase|cherry-pick|roll out|line up|check in|get back|reach out|hand over|sit down|double-check|cover|continue|describe|distribute|read|scope(?: out)?|canvass|communicate|co-?ordinate|leave (?:a |some |the )?(?:comments?|feedback|notes?|reviews?)|give (?:(?:it|this|that|them) (?:a|an|another)|feedback|some feedback)|fill|format|gauge|identify|improve|increase|initiate|inspect|invoice|join|mock|nudge|poll|prioriti[sz]e|quantify|query|re-?test|re-?run|reject|repair|repeat|rephrase|resize|simplify|suggest|swap|tighten|trim|tune|unify|work out|write up)`

// germanVerbs are what they are in German, as "Anna schickt …" and "Anna wird … schicken".
const germanVerbs = `(?:schickt|sendet|erstellt|prüft|klärt|übernimmt|schreibt|kümmert sich|organisiert|plant|aktualisiert|liefert|testet|informiert|fragt|meldet|bereitet|lädt|stellt|dokumentiert|verteilt|legt|bucht|bestellt|ruft|macht|vereinbart|fasst|holt|kauft|besorgt|spricht|sucht|bringt|führt|druckt|hängt|baut|mietet|räumt|erkundigt sich|reicht|gibt|kontaktiert|sammelt|entwirft|überarbeitet|veröffentlicht|reserviert|sortiert|repariert|ergänzt|korrigiert|installiert|richtet|nimmt|leitet|überweist|zahlt|baut|hakt|schaut|beantragt|beauftragt|bearbeitet|entfernt|löscht|misst|schult|verschickt|begleitet|lässt|besucht|lernt|zeigt|mailt)`

var (
	ownerHead  = pattern.New(`^(` + nameList + `)\s*(?:\((?:@[\w-]+)\)\s*)?(?::|\s[-–—]\s|\s*(?:->|→|=>)\s*|\s+` + promises + `\s+|\s+should\s+)\s*(.+)$`)
	boxedOwner = pattern.New(`^[\[(](` + nameList + `)[\])]\s*[:-]?\s*(.+)$`)
	sentence   = pattern.New(`^(` + nameList + `)(?:\s+` + promises + `|['’]ll|['’]s going to)\s+(` + verbs + `)\b(.*)$`)
	germanSays = pattern.New(`^(` + nameList + `)\s+(?:` + germanVerbs + `\b.*|wird\s.*\pL(?:en|ern|eln))[.!]?(?:\s.*)?$`)
	lowOwner   = pattern.New(`^([a-z][\w-]{1,30})\s+(?:to|will)\s+(` + verbs + `\b.*)$`)
	lowHead    = pattern.New(`^([a-z][\w-]{2,30}):\s+(.+)$`)
	ownerTail  = pattern.New(`\s*(?:\s[-–—]\s*|[(\[]\s*|\s→\s*|\s->\s*|\bassigned to:?\s+|\bowned by:?\s+)(` + nameList + `)(?:\s+(?:w/|with|mit)\s[^(),\[\]]{2,25})?(?:\s*[,;:–—-]\s*([^()\[\]]{2,40}))?[)\]]?\.?$`)
	ownerField = pattern.New(`(?i)[\s,;|(–—-]*\b(?:owners?|assignees?|assigned|responsible|dri|who|verantw\.?|verantwortlich|zuständig|wer|resp\.?)(?:\s*[:=]\s*|\.\s+)((?-i:` + nameList + `|[a-z][\w-]{2,30}))`)
	dueField   = pattern.New(`(?i)[\s,;|(–—-]*\b(?:due(?: date)?|deadline|eta|by when|when|fällig|termin|bis)\s*[:=]\s*([^;|()]{2,40}?)\s*(?:[).]*$|[;|]|\s[–—-]\s)`)
	atTask     = pattern.New(`^(` + handle + `(?:\s*(?:[,&+/]|\band\b)\s*` + handle + `)*)[:,]?\s+(?:please\s+|pls\s+)?(` + verbs + `)\b(.*)$`)
	nameJoint  = pattern.New(`\s*(?:,\s*and\b|,|&|/|\+|\band\b|\bund\b)\s*`)
	verbFirst  = pattern.New(`(?i)^` + verbs + `\b`)
)

// nameStops is a name at the end of its sentence.
var nameStops = pattern.New(`^(.*?\pL{3,})\.\s`)

// ownerOf finds who an action names: in a field of its own ("Owner: Ann"), at its head
// ("Ann to …", "@ann: …", "[Ann] …") or its end ("… (Ann)", "… - @ann").
func ownerOf(text string) (owner, rest string) {
	m := ownerField.FindStringSubmatchIndex(text)
	if m != nil && !isName(text[m[2]:m[3]]) {
		if at := strings.IndexByte(text[m[2]:m[3]], ','); at > 0 { // the next field's name
			m[1], m[3] = m[2]+at, m[2]+at
		}
	}
	if m != nil && m[0] > 0 && isName(text[m[2]:m[3]]) {
		end := m[3]
		if next := strings.LastIndexByte(text[m[2]:end], ' '); next > 0 && strings.HasPrefix(strings.TrimLeft(text[end:], " "), ":") {
			m[1], end = m[2]+next, m[2]+next // "Owner: Ann. Deadline: …": the next field's name
		}
		if at := nameStops.FindStringSubmatchIndex(text[m[2]:end]); at != nil { // "Owner: Ann. Starts …"
			m[1], end = m[2]+at[3], m[2]+at[3]
		}
		name := strings.Trim(strings.ReplaceAll(text[m[2]:end], "@", ""), ". ")
		return name, strings.Trim(text[:m[0]]+" "+strings.TrimLeft(text[m[1]:], ")"), " .,;|")
	}
	if m := ownerHead.FindStringSubmatch(text); m != nil && isName(m[1]) {
		if strings.HasPrefix(m[2], "be ") { // "The order to be sent (Ann)"
			if by, what := tailOwner(text); by != "" {
				return by, what
			}
		}
		return strings.ReplaceAll(m[1], "@", ""), strings.TrimSpace(m[2])
	}
	if m := boxedOwner.FindStringSubmatch(text); m != nil && isName(m[1]) {
		return strings.ReplaceAll(m[1], "@", ""), strings.TrimSpace(m[2])
	}
	if m := lowOwner.FindStringSubmatch(text); m != nil && isName(m[1]) {
		return m[1], m[2]
	}
	if strings.HasPrefix(text, "@") {
		if who, task := inMention(text); who != "" {
			return who, task
		}
		name, after, _ := strings.Cut(text, " ")
		return strings.Trim(name, "@,:"), strings.TrimSpace(after)
	}
	if m := germanSays.FindStringSubmatch(text); m != nil && isName(m[1]) {
		return m[1], text
	}
	return tailOwner(text)
}

// tailOwner reads "… (Ann)" and "… (Ann, by Friday)"; what stands beside the name must
// say when.
func tailOwner(text string) (owner, rest string) {
	m := ownerTail.FindStringSubmatchIndex(text)
	if m == nil || m[0] == 0 || !isName(text[m[2]:m[3]]) {
		return "", text
	}
	rest = strings.TrimSpace(text[:m[0]])
	if m[4] >= 0 {
		beside := text[m[4]:m[5]]
		if !dueWords.MatchString(beside) && !weekday.MatchString(beside) && !isoDate.MatchString(beside) && !bareTime.MatchString(beside) && !monthDate.MatchString(beside) && !dayMonth.MatchString(beside) && !bareEnd.MatchString(beside) && !quarter.MatchString(beside) && !someTime.MatchString(beside) {
			return "", text
		}
	}
	return strings.ReplaceAll(text[m[2]:m[3]], "@", ""), rest
}

func hasTailOwner(text string) bool {
	owner, _ := tailOwner(text)
	return owner != ""
}

// someTime is a time that is no day.
var someTime = pattern.New(`(?i)^(?:(?:first|second|third|last|early|mid|late|end of|in|next|this)[ -])*(?:weeks? (?:of|in) )?(?:` + months + `)\b|\b(?:week|month|sprint|quarter|asap|soon|next meeting)\b`)

// notNames begin sentences and are no people.
var notNames = set(strings.Fields(`
the this that we it they there what who how when if also need needs everyone someone anyone nobody unassigned enabled disabled all
team please next goal note notes update proposal decision action pr prs issue topic status discussion agenda link
links time date continue plan review want you i he she but and so or no yes todo ai not would could go come pick wrap kick circle figure sit feed meet turn give leave dig
should will can maybe users people wg sig working meeting background previous new old see in on at for is are
was our your their his her its more some any each every then now later today tomorrow one two motion question
answer reason option step first second third finally try work follow create add start ask looking going due owner
kubernetes rust easier harder better difficult hard easy able ready happy similar related according thanks hope somebody github slack zoom google announcements announcement recording resolved resolution risk summary which where why
trustees councillors delegates shareholders governors parents residents asap mon tue tues wed thu thur thurs fri sat sun monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december
backend frontend server client service services api apis database cache release releases version build builds pipeline deployment deployments migration cluster node nodes system systems platform infra infrastructure docs documentation
test tests ci cd qa hr it legal finance marketing sales support engineering product design security customers customer users user management leadership board committee council company vendor vendors partner partners
postgres postgresql mysql sqlite redis kafka jenkins terraform docker linux windows macos android ios aws azure jira confluence trello linear gitlab asana figma teams outlook excel python java javascript typescript golang chrome firefox safari
topics proposals decisions actions issues updates statuses discussions agendas reminder reminders questions answers reasons options risks summaries motions assignee assignees attendee attendees participants plugin plugins driver drivers volume volumes storage provisioner snapshot snapshots
disk disks metrics repo repos repository timeline background overview intro introduction logistics housekeeping misc miscellaneous punting moving waiting
feature features change changes code project projects sprint iteration epic story stories task tasks ticket tickets bug bugs fix scope budget cost costs deadline milestone phase stage strategy log list register item items required needed pending done open closed blocked progress
kudos shoutout blockers blocker yesterday minutes transcript attendees present participants scribe chair host facilitator apologies regrets title subject location place when where example template option options pros cons context problem solution idea ideas feedback concern concerns
data monitoring alerting logging login checkout payments onboarding dashboard website app apps everybody things nothing something anything let just still once after before during until since because while as from with without by to of here these those another both either neither
das die der wir es ich sie er ihr alle jeder niemand jemand bitte nächste nächster nächstes thema beschluss aufgabe aufgaben termin frage offene ergebnis hinweis info todo protokoll datum ort dauer system kunde kunden server release entscheidung status stand projekt moderation
bot bots script scripts job jobs robot automation scheduler proxy gateway vault queue worker importer exporter compiler linter editor parser
good nice great best worth useful interesting important necessary free welcome bad sad glad likely unlikely close willing eager open keen allowed safe enough important
volunteers volunteer reminder request ability way effort attempt chance desire members maintainers contributors developers reviewers engineers folks staff speakers authors owners chairs organizers everybody nothing consider suggest suggests land
决定 决议 结论 问题 待办 任务 备注 时间 地点 主题 议题 会议 记录 目标 背景 说明 总结 讨论 下一步 日期 主持 主持人 记录人 项目 进展 风险
siehe welcome introductions introduction lunch coffee break wrap-up standup demo presentation opening closing
suggested offered volunteered promised opted failed managed refused expected recommended advised encouraged forgot wanted decided tried hoping planning used supposed meant going trying hope plans wants waiting aim aims intends intention responsible
resolving requirements requirement agreed approved accepted rejected consensus conclusion outcome vote poll fyi tbd tbc btw re cc ps nb eta eod wip lgtm ok okay
`))

func set(words []string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

// noName reports whether a text begins with a word that begins no name.
func noName(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	first = strings.ToLower(strings.Trim(first, ".:,"))
	return notNames[first] && !slices.Contains(alsoNames, first)
}

// alsoNames are given names when a family name follows.
var alsoNames = []string{"will", "april", "june", "august", "may", "chase", "drew", "grant", "frank", "christian", "trace", "ann", "hope", "joy", "faith"}

// isName reports whether a text names people.
func isName(s string) bool {
	for _, part := range nameJoint.Split(s, -1) {
		words := strings.Fields(strings.TrimPrefix(part, "@"))
		if len(words) == 0 || len(words) > 4 {
			return false
		}
		first := strings.ToLower(strings.Trim(words[0], ".:,"))
		if at := strings.IndexAny(first, "'’"); at > 0 && notNames[first[:at]] { // "We've"
			return false
		}
		if strings.HasPrefix(part, "@") || len(words) > 1 && slices.Contains(alsoNames, first) {
			continue
		}
		if notNames[first] || verbFirst.FindString(first) == first || wasDone(first) {
			return false
		}
	}
	return true
}

// listCut always stands between names, and slashCut does where a name stands on each side.
var (
	listCut  = pattern.New(`\s*[,;&]\s*|\s+(?:and|und)\s+`)
	slashCut = pattern.New(`\s*[/+]\s*`)
)

// Names returns the people of a text that lists them, as an owner's cell does: "Ann/Tom", "Ann, Bo and Cy".
func Names(text string) (out []string) {
	for _, part := range listCut.Split(text, -1) {
		part = strings.TrimSpace(part)
		names := slashCut.Split(part, -1)
		if len(names) > 1 && slices.ContainsFunc(names, func(n string) bool { return !isListedName(n) }) {
			names = []string{part}
		}
		for _, name := range names {
			name = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(name, "and "), "und ")) // "Ann, and Bo"
			if name != "" {
				out = append(out, name)
			}
		}
	}
	return out
}

// isListedName reports what may stand beside a slash: a name with a capital, or a handle.
func isListedName(name string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimPrefix(name, "@"))
	return len(name) > 1 && (strings.HasPrefix(name, "@") || !unicode.IsLower(first) && unicode.IsLetter(first)) && isName(name)
}

// wasDone reports what a verb becomes: "proposed".
func wasDone(word string) bool {
	stem, ok := strings.CutSuffix(word, "ed")
	return ok && stem != "" && (verbFirst.FindString(stem) == stem || verbFirst.FindString(stem+"e") == stem+"e")
}

// noNameEnds end words that begin a sentence more often than a person's name does.
var noNameEnds = []string{"ing", "tion", "sion", "ment", "ness", "ility", "ance", "ware"}

// gerund reports a word like "Expecting" at the head of a sentence.
func gerund(word string) bool {
	return len(word) > 6 && strings.HasSuffix(word, "ing") && !strings.Contains(word, " ")
}

// trusted reports whether an owner that only a sentence names is somebody: of the
// people that the minutes know, or with two names; where they know none, no abbreviation.
// In notes of several meetings the attendees are those of one of them.
func (s *scanner) trusted(a Action) bool {
	several := slices.ContainsFunc(s.out.Topics, func(t Topic) bool { return !t.Date.Equal(s.out.Date) && !t.Date.IsZero() })
	if a.Owner == "" { // the author's
		return true
	}
	for _, part := range nameJoint.Split(a.Owner, -1) {
		if s.knows(part) {
			continue
		}
		if slices.ContainsFunc(noNameEnds, func(end string) bool { return strings.HasSuffix(part, end) }) {
			return false
		}
		alone := len(strings.Fields(part)) == 1 && !strings.HasPrefix(part, "@")
		if !strings.ContainsFunc(part, unicode.IsLower) || alone && !several && len(s.out.Attendees) >= 2 && !strings.Contains(a.Span.Quote, part+" to ") {
			return false
		}
	}
	return true
}
