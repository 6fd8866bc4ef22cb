package extract

import (
	"slices"
	"strings"

	"chela/internal/pattern"
)

// Minutes say of tickets by their keys how they stand and what blocks them: "J-102 is blocked by J-103", "J-104 was reopened". Only plain
// sentences count, that begin with the key and say it without a doubt, a condition or a no.

// A Stated is what a line says of a ticket: how it stands, or by what it is blocked.
type Stated struct {
	Key       string
	Status    string   // of the desk, "" of what says what blocks it
	BlockedBy []string // keys
	Span      Span
}

const (
	statedKey  = `[A-Z][A-Z0-9]{0,9}-[1-9]\d{0,6}`
	statedKeys = statedKey + `(?:(?:\s*,\s*|\s*,?\s+(?:and|und|&)\s+)` + statedKey + `)*`
	statedIs   = `(?:is|are|has been|have been|got|was|ist|sind|wurde|wurden)(?:\s+(?:now|already|finally|again|currently|still|jetzt|nun|bereits|schon|wieder|noch))?`
	// statedTail is what may follow.
	statedTail = `(?:[.!]*|\s*[,;(–—-].*|\s+(?:since|today|yesterday|now|again|as of|seit|heute|gestern)\b.*)$`
)

var (
	stateKey = pattern.New(`\b` + statedKey + `\b`)
	// beforeKey ends what may stand before the key in a sentence.
	beforeKey = pattern.New(`(?i)(?:^|[:,;]|\b(?:and|und|also|fyi|update|note))\s*$`)
	besideKey = pattern.New(`^\s*\([^()]{1,80}\)`)

	blockedBy = pattern.New(`^(?i:\s+(?:(?:is|are|ist|sind)\s+(?:(?:now|still|currently|also|jetzt|noch)\s+)?(?:blocked|blockiert)\s+(?:by|on|durch|von)|depends\s+on|is\s+waiting\s+(?:for|on)|waits\s+(?:for|on)|wartet\s+auf|hängt\s+ab\s+von))\s+(` + statedKeys + `)\b(?i:` + statedTail + `)`)
	hangsOn   = pattern.New(`^(?i:\s+(?:wird|ist)\s+(?:von|durch))\s+(` + statedKeys + `)\s+(?i:blockiert)(?i:` + statedTail + `)`)
	blocksIt  = pattern.New(`^(?i:\s+(?:is\s+)?(?:still\s+|now\s+)?(?:blocks|blocking|blockiert))\s+(` + statedKeys + `)\b(?i:` + statedTail + `)`)
	stateIs   = pattern.New(`^(?i:\s+` + statedIs + `\s+(` + stateWords + `)(?:` + statedTail + `))`)
	stateTold = pattern.New(`^(?i:\s*(?::|=>|->|→|\s[–—-])\s*(` + stateWords + `)[.!]*)$`)
	stopped   = pattern.New(`^(?i:\s+(?:is|are|ist)\s+(?:(?:now|still|currently|jetzt|noch)\s+)?(?:blocked|blockiert)\s+(?:by|on|durch|von)\s)`)

	// statedNo makes a sentence say something else, or nothing sure.
	statedNo = pattern.New(`(?i)\?|~~|\b(?:if|unless|whether|once|when|until|till|before|after|might|may|could|would|should|will|must|maybe|perhaps|probably|possibly|likely|not|never|no longer|no more|isn['’]t|wasn['’]t|aren['’]t|hasn['’]t|almost|nearly|partly|partially|mostly|half|except|but|though|although|supposed|expected|assume|think|hope|wenn|falls|ob|sobald|bis|vielleicht|wahrscheinlich|nicht|kein|keine|nie|fast|teilweise|aber|sollte|könnte|würde|wäre|muss)\b`)
)

const stateWords = `done|completed?|finished|closed|resolved|shipped|erledigt|fertig|abgeschlossen|geschlossen|re-?opened|open again|wieder (?:offen|geöffnet)|in (?:code )?review|under review|im review|in progress|in arbeit|under ?way|blocked|on hold|blockiert`

// statedStatus is the status of the desk that a word means.
func statedStatus(word string) string {
	switch word = strings.ToLower(strings.ReplaceAll(word, "-", "")); {
	case strings.HasPrefix(word, "reopen"), word == "open again", strings.HasPrefix(word, "wieder"):
		return "TODO"
	case strings.HasSuffix(word, "review"):
		return "REVIEW"
	case word == "in progress", word == "in arbeit", strings.HasPrefix(word, "under"):
		return "IN_PROGRESS"
	case word == "blocked", word == "on hold", word == "blockiert":
		return "BLOCKED"
	}
	return "DONE"
}

// longestStated bounds the lines that are looked at, in bytes, and mostStated how many are found in one text.
const longestStated, mostStated = 400, 300

// StatedIn returns what a text says of tickets. Of one ticket the last word on how it stands counts.
func StatedIn(text string) (out []Stated) {
	n, code := 0, false
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if code || len(line) > longestStated || strings.HasPrefix(line, "|") || strings.HasPrefix(line, ">") || len(out) >= mostStated || !stateKey.MatchString(line) {
			continue
		}
		span := Span{Line: n, EndLine: n, Quote: line}
		for _, one := range sentences(clean(awayMark.ReplaceAllString(line, ""))) {
			if statedNo.MatchString(one) {
				continue
			}
			for _, s := range statedOf(one) {
				s.Span = span
				if s.Status != "" {
					out = slices.DeleteFunc(out, func(o Stated) bool { return o.Status != "" && o.Key == s.Key })
				}
				out = append(out, s)
			}
		}
	}
	return out
}

// statedOf reads one sentence.
func statedOf(one string) (out []Stated) {
	for _, at := range stateKey.FindAllStringIndex(one, 20) {
		if !beforeKey.MatchString(one[:at[0]]) {
			continue
		}
		key, rest := one[at[0]:at[1]], besideKey.ReplaceAllString(one[at[1]:], "")
		if m := firstMatch(rest, blockedBy, hangsOn); m != nil {
			out = append(out, Stated{Key: key, BlockedBy: otherKeys(stateKey.FindAllString(m[1], -1), key)})
		} else if m := blocksIt.FindStringSubmatch(rest); m != nil {
			for _, of := range otherKeys(stateKey.FindAllString(m[1], -1), key) {
				out = append(out, Stated{Key: of, BlockedBy: []string{key}})
			}
		} else if stopped.MatchString(rest) {
			out = append(out, Stated{Key: key, Status: "BLOCKED"})
		} else if m := firstMatch(upToNext(rest), stateIs, stateTold); m != nil {
			out = append(out, Stated{Key: key, Status: statedStatus(m[1])})
		}
	}
	return slices.DeleteFunc(out, func(s Stated) bool { return s.Status == "" && len(s.BlockedBy) == 0 })
}

// TicketKeys returns all that looks like a ticket's key in a text, each once, also with a single letter before the number.
func TicketKeys(text string) []string { return otherKeys(stateKey.FindAllString(text, 100), "") }

func firstMatch(text string, of ...*pattern.Pattern) []string {
	for _, p := range of {
		if m := p.FindStringSubmatch(text); m != nil {
			return m
		}
	}
	return nil
}

// otherKeys are keys without one, each once.
func otherKeys(keys []string, but string) (out []string) {
	for _, k := range keys {
		if k != but && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// upToNext is what is said of a ticket before the next one is spoken of: "J-1 is done and J-2 is in review".
func upToNext(rest string) string {
	at := nextKey.FindStringSubmatchIndex(rest)
	if at == nil {
		return rest
	}
	return rest[:at[0]]
}

var nextKey = pattern.New(`\s*,?\s+(?:and|und)\s+` + statedKey + `\b`)

// A Risk is what may go wrong, or stands in the way, as a text says by the word.
type Risk struct {
	Text    string
	Blocker bool // it stands in the way
	Owner   string
	Span    Span
}

var (
	riskLine  = pattern.New(`(?i)^(?:(key|main|top|new|big|biggest|major|open)\s+)?(risks?|risiko|risiken|blockers?|blockiert durch)(?:\s*#?\d{1,2})?\s*(?::|\s[–—-])\s+(.+)$`)
	riskHead  = pattern.New(`(?i)^(?:(?:key|main|top|new|open|current|project)\s+)?(risks?|risiken|blockers?)(?:\s*(?:and|und|&|/)\s*(risks?|issues?|blockers?|concerns?|mitigations?|risiken))?\s*:?$`)
	riskNone  = pattern.New(`(?i)^(?:none|no|nothing|n/?a|nil|keine[rs]?|nichts|tbd|-+|no (?:new |open |known |current )?(?:risks?|blockers?|issues?).*|none .{0,40}|keine .{0,40})[.!]*$`)
	riskOwner = pattern.New(`(?i)\s*[(\[]?\b(?:owner|verantwortlich)\s*:\s*@?(\p{Lu}[\pL'’-]+(?:\s+\p{Lu}[\pL'’-]+){0,2})\s*[)\]]?\s*[.;]?$`)
)

// RisksIn returns the risks and blockers that a text names as such: in a line that begins with the word, or in a list below it.
func RisksIn(text string) (out []Risk) {
	n, listing, blocker, code := 0, false, false, false
	for line := range strings.Lines(text) {
		n++
		raw := strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(raw)
		if strings.HasPrefix(trimmed, "```") {
			code = !code
		}
		if code || trimmed == "" || len(raw) > longestTeamLine || len(out) >= mostStated {
			continue
		}
		bullet := bulletPattern.MatchString(raw)
		head := clean(headMarks.ReplaceAllString(boldLabel.ReplaceAllString(trimmed, "$1"), "$1"))
		if m := riskHead.FindStringSubmatch(head); m != nil && (strings.HasSuffix(head, ":") || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "*")) {
			listing, blocker = true, strings.HasPrefix(strings.ToLower(m[1]), "block")
			continue
		}
		item := clean(awayMark.ReplaceAllString(boldLabel.ReplaceAllString(strings.TrimSpace(awayMark.ReplaceAllString(trimmed, "")), "$1"), ""))
		span := Span{Line: n, EndLine: n, Quote: trimmed}
		if m := riskLine.FindStringSubmatch(item); m != nil {
			out = appendRisk(out, m[3], strings.HasPrefix(strings.ToLower(m[2]), "block"), span)
			continue
		}
		if listing = listing && bullet; listing {
			out = appendRisk(out, item, blocker, span)
		}
	}
	return out
}

func appendRisk(out []Risk, text string, blocker bool, span Span) []Risk {
	r := Risk{Text: strings.TrimSpace(text), Blocker: blocker, Span: span}
	if m := riskOwner.FindStringSubmatchIndex(r.Text); m != nil && m[0] > 0 {
		r.Owner, r.Text = r.Text[m[2]:m[3]], strings.TrimSpace(r.Text[:m[0]])
	}
	r.Text = strings.TrimRight(r.Text, " .")
	if len(strings.Fields(r.Text)) < 3 || riskNone.MatchString(r.Text) || strings.HasSuffix(r.Text, "?") || strings.Contains(span.Quote, "~~") {
		return out
	}
	if slices.ContainsFunc(out, func(o Risk) bool { return strings.EqualFold(o.Text, r.Text) }) {
		return out
	}
	return append(out, r)
}
