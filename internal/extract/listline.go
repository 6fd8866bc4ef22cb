package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"chela/internal/pattern"
)

// maxListLine is how long a line is at most that lists a ticket.
const maxListLine = 1000

var (
	listBullet = pattern.New(`^(?:>\s*)?(?:[-*+•◦▪·]\s+|\d{1,3}[.)]\s+)?(?:\[([ xX✓✔])?\]\s*)?`)
	listKey    = pattern.New(`^[*_~` + "`" + `\[(]*([A-Z][A-Z0-9]{0,9}-[1-9]\d{0,6})(\]\(https?://[^\s()]+\))?[*_~` + "`" + `\])]*`)
	listJoint  = pattern.New(`^(?:\s*[*_]*(?::|\||,\s|\s[–—-]+\s|\s->\s|\s→\s)[*_]*\s*|\s+)`)
	ticketItem = pattern.New(`^\s*([\pL][\pL ]{0,24}?)\s*[:=]\s*(.*?)\s*$`)
	// lastCut is where the last of several parts of a line begins.
	lastCut   = pattern.New(`^(.*\S)(?:\s*[,;]\s+|\s+[–—-]{1,2}\s+|\s*\|\s*|\s+[·•/]\s+|\s*(?:->|→|=>)\s*)(\S.*)$`)
	lastGroup = pattern.New(`^(.*?)\s*(?:\(([^()]*)\)|\[([^\[\]]*)\]|\{([^{}]*)\})$`)
	headGroup = pattern.New(`^(?:\(([^()]*)\)|\[([^\[\]]*)\])\s*[:–—-]?\s*(.*)$`)
	lastWords = pattern.New(`^(.*\S)\s+(@[\w][\w.-]{0,38}|\d{1,3}(?:[.,]\d)?\s?(?i:sps?|pts?|points?|story ?points?)|DONE|TODO|TO DO|WIP|BLOCKED|IN PROGRESS|IN REVIEW|(?i:due)(?:\s+(?i:on|by))?\s+\S+(?:\s+\S+){0,2})$`)
	groupCut  = pattern.New(`\s*(?:[,;|·]|\s[–—-]\s|\s/\s)\s*`)
	listCount = pattern.New(`\s*[(\[]\s*\d{1,3}(?:\s+\pL+)?\s*[)\]]$`)
	// listHeading are headings of lists of tickets.
	listHeading = pattern.New(`^(?:(?:the |our |current |open |new |active |all |my |jira |linear |github |remaining |committed |planned )*(?:sprint|iteration)?(?: ?#?\d{1,3})?(?:'s)? ?)(?:tickets?|backlog|board|issues|stories|user stories|work items|sprint items|ticket list|list of tickets|tickets and owners|jira|aufgabenliste|vorgänge|sprint scope|scope of the sprint)(?: (?:in|of|for) (?:the |this |next )?sprint(?: \d{1,3})?| list| status| overview| (?:as of )?today)?$`)
)

// otherHeading are headings of lists of what is not a ticket by itself.
var otherHeading = pattern.New(`\b(?:actions?|action items|to-?dos?|next steps|follow-?ups?|decisions?|decided|questions?|risks?|aufgaben|maßnahmen|beschlüsse|entscheidungen|fragen)\b`)

// boardColumns are the columns of boards that say how the tickets in them stand.
var boardColumns = list("to do, todo, in progress, doing, in review, review, done, blocked, on hold, in arbeit, erledigt, offen, blockiert, in testing")

// A listField is what a line says of a ticket.
type listField struct{ name, value string }

// A listLine is a line that begins with the key of a ticket.
type listLine struct {
	line   int
	quote  string
	indent int
	key    string
	title  string
	fields []listField
	strong bool   // a sign keeps the key apart from the title
	barred bool   // the fields stand between bars, with their names
	placed bool   // the last field is what the heading above says
	name   string // what stands last and may be a name, still part of the title
	before string // the title before that
}

func (t *listLine) field(name string) string {
	for _, f := range t.fields {
		if strings.EqualFold(f.name, name) {
			return f.value
		}
	}
	return ""
}

// has reports whether the line says a field.
func (t *listLine) has(name string) bool {
	return slices.ContainsFunc(t.fields, func(f listField) bool { return strings.EqualFold(f.name, name) })
}

// add adds fields unless one of them is said already.
func (t *listLine) add(more ...listField) bool {
	if len(more) == 0 || slices.ContainsFunc(more, func(f listField) bool { return t.has(f.name) && f.name != "Labels" }) {
		return false
	}
	t.fields = append(t.fields, more...)
	return true
}

func leftOf(raw string) int { return len(raw) - len(strings.TrimLeft(raw, " \t")) }

// readListLine reads a line that begins with a key; ok is false for others.
func readListLine(raw string) (t listLine, ok bool) {
	rest := strings.TrimSpace(raw)
	t.indent = leftOf(raw)
	if strings.HasPrefix(rest, "|") {
		return t, false
	}
	m := listBullet.FindStringSubmatch(rest)
	if strings.TrimSpace(m[1]) != "" {
		t.add(listField{"Status", "done"})
	}
	rest, signs := cutSign(rest[len(m[0]):])
	k := listKey.FindStringSubmatch(rest)
	if k == nil || len(Keys("A"+k[1])) == 0 && len(Keys(k[1])) == 0 {
		return t, false
	}
	if prefix, _, _ := strings.Cut(k[1], "-"); slices.Contains(notKeys, prefix) {
		return t, false
	}
	t.key = k[1]
	if k[2] != "" {
		t.add(listField{"URL", strings.Trim(k[2], "]()")})
	}
	rest = rest[len(k[0]):]
	joint := listJoint.FindString(rest)
	if joint == "" {
		return t, false
	}
	rest, t.strong = rest[len(joint):], strings.TrimSpace(joint) != "" || strings.ContainsAny(k[0], "[(")
	if signs != "" {
		t.add(listField{"Status", signs})
	}
	if rest, signs = cutSign(rest); signs != "" {
		t.add(listField{"Status", signs})
	}
	if t.bars(rest) {
		return t, t.title != ""
	}
	if g := headGroup.FindStringSubmatch(rest); g != nil && g[3] != "" {
		if more, all := groupSays(g[1] + g[2]); all && t.add(more...) {
			rest = g[3]
		}
	}
	t.peel(strings.TrimRight(rest, " *_"))
	return t, t.title != ""
}

// bars reads fields between bars, each with its name.
func (t *listLine) bars(rest string) bool {
	parts := strings.Split(rest, "|")
	if len(parts) < 2 || strings.TrimSpace(parts[0]) == "" {
		return false
	}
	for _, part := range parts[1:] {
		if f := ticketItem.FindStringSubmatch(part); f != nil && len(f[1]) > 1 && t.add(listField{f[1], f[2]}) {
			t.barred = true
		}
	}
	if t.barred {
		t.title = strings.TrimSpace(parts[0])
	}
	return t.barred
}

// peel takes from the end of a line what it says of the ticket, part by part; the title is left.
func (t *listLine) peel(rest string) {
	for range 12 {
		rest = strings.TrimRight(rest, " ;,|–—")
		if left, ok := t.peelOne(rest); ok {
			rest = left
			continue
		}
		break
	}
	t.title = strings.TrimSpace(strings.TrimRight(rest, " ;,|*_"))
	if t.name == "" {
		return
	}
	if len(t.fields) > 0 { // what stands beside it says that the end is no title
		t.add(listField{"Owner", t.name})
		t.name = ""
		return
	}
	t.before, t.title = t.title, strings.TrimSpace(strings.TrimRight(t.before, " ;,|*_"))
}

// peelOne takes the last part.
func (t *listLine) peelOne(rest string) (left string, ok bool) {
	if left, sign := cutLastSign(rest); sign != "" && left != "" && t.add(listField{"Status", sign}) {
		return left, true
	}
	if m := lastGroup.FindStringSubmatch(rest); m != nil && m[1] != "" {
		inner := m[2] + m[3] + m[4]
		if more, all := groupSays(inner); all && t.add(more...) {
			return m[1], true
		}
		return m[1], t.maybe(rest, inner)
	}
	if m := lastCut.FindStringSubmatch(rest); m != nil {
		if f := detail(m[2], len(t.fields) > 0); len(f) > 0 && t.add(f...) {
			return m[1], true
		}
		if t.maybe(rest, m[2]) {
			return m[1], true
		}
	}
	if m := lastWords.FindStringSubmatch(rest); m != nil {
		if f := detail(m[2], true); len(f) > 0 && t.add(f...) {
			return m[1], true
		}
	}
	return rest, false
}

// maybe notes a last part that may be a name.
func (t *listLine) maybe(rest, part string) bool {
	if t.name != "" || t.has("Owner") || !listName(part) {
		return false
	}
	t.name, t.before = strings.ReplaceAll(part, "@", ""), rest
	return true
}

// groupSays reads what stands in brackets. all is false where a part of it is not known; a short word beside others is a label.
func groupSays(group string) (out []listField, all bool) {
	parts := groupCut.Split(strings.TrimSpace(group), -1)
	for i := 1; i < len(parts); i++ { // "Dec 3, 2026"
		if yearOnly.MatchString(parts[i]) && plainDay.MatchString(strings.TrimPrefix(strings.ToLower(parts[i-1]), "due ")) {
			parts[i-1] += " " + parts[i]
			parts = slices.Delete(parts, i, i+1)
		}
	}
	var unread, names []string
	for _, part := range parts {
		switch f := inGroup(part); {
		case len(f) > 0:
			out = append(out, f...)
		case listName(part):
			names = append(names, strings.ReplaceAll(part, "@", ""))
		default:
			unread = append(unread, part)
		}
	}
	if len(names) > 0 && len(out) == 0 {
		return nil, false
	}
	if len(names) > 0 {
		out = append(out, listField{"Owner", strings.Join(names, ", ")})
	}
	for _, u := range unread {
		if len(out) == 0 || len(strings.Fields(u)) != 1 || strings.ContainsFunc(u, func(c rune) bool { return !unicode.IsLetter(c) && c != '-' }) {
			return nil, false
		}
		out = append(out, listField{"Labels", u})
	}
	for i, f := range out {
		if slices.ContainsFunc(out[:i], func(o listField) bool { return o.name == f.name }) {
			return nil, false
		}
	}
	return out, len(out) > 0
}

// listSigns are signs that say how a ticket stands.
var listSigns = []listField{
	{"✅", "done"},
	{"☑", "done"},
	{"✔", "done"},
	{"✓", "done"},
	{"🎉", "done"},
	{":white_check_mark:", "done"},
	{":heavy_check_mark:", "done"},
	{"🚧", "in progress"},
	{"🔄", "in progress"},
	{"⛔", "blocked"},
	{"🚫", "blocked"},
	{":no_entry:", "blocked"},
	{":construction:", "in progress"},
	{"👀", "in review"},
	{":eyes:", "in review"},
}

// cutSign takes off a sign at the head of a text.
func cutSign(text string) (rest, status string) {
	for _, s := range listSigns {
		if rest, ok := strings.CutPrefix(text, s.name); ok {
			return strings.TrimLeft(rest, "\ufe0f "), s.value
		}
	}
	return text, ""
}

// cutLastSign takes off a sign at the end of a text.
func cutLastSign(text string) (rest, status string) {
	text = strings.TrimRight(text, "\ufe0f ")
	for _, s := range listSigns {
		if rest, ok := strings.CutSuffix(text, s.name); ok {
			return strings.TrimRight(rest, " –—-:,"), s.value
		}
	}
	return text, ""
}

// titled reports a line whose title is one, and no sentence about a ticket.
func (t *listLine) titled() bool {
	first, _ := utf8.DecodeRuneInString(t.title)
	word, after, _ := strings.Cut(t.title, " ")
	word = strings.ToLower(strings.Trim(word, ".,:;'’"))
	switch {
	case t.barred:
		return true
	case utf8.RuneCountInString(t.title) > 250 || !strings.ContainsFunc(t.title, unicode.IsLetter) || strings.HasSuffix(t.title, "?") || strings.Contains(t.title, " | ") || strings.HasPrefix(t.title, "(") || gap.MatchString(t.title):
		return false
	case notListed[word] || unicode.IsLower(first) && (notListedLow[word] || !t.strong && len(t.fields) == 0 || strings.HasSuffix(word, "ed") && after != ""):
		return false
	case after == "" && (statusWord(word) || noTitle.MatchString(word)): // "PAY-201: done"
		return false
	case said.MatchString(t.title) || len(t.fields) == 0 && len(Keys(t.title)) > 0:
		return false
	}
	m := promisedBy.FindStringSubmatch(t.title)
	return m == nil || !isName(m[1])
}

var (
	promisedBy = pattern.New(`^(` + nameList + `)\s+` + promises + `\s`)
	// said are the words of sentences that tell how something stands.
	said    = pattern.New(`(?i)\b(?:was|were|has been|have been|had been|will be|is (?:done|blocked|ready|waiting|still|now|not|in|on|almost|being|at|the)|should be|needs to|going to|(?:we|he|she|they) \pL+|i(?:'m|'ve|'ll| am| have| will| think)|wurde|wurden|wird|ist (?:noch|fertig|blockiert|erledigt))\b`)
	noTitle = pattern.New(`^(?:tbd|tbc|n/a|none|same|ok|yes|no|\pN+%?|done!*)$`)

	notListed = set(strings.Fields(`waiting still we i he she they was were is are has have had will would should could got gets and or vs status update comment note
wartet wurde wird ist war hat`))
	notListedLow = set(strings.Fields(`to for in on at of with by from as but because so also then now not no done ready see seems looks needs need depends this that it the there under out off up after before
für von mit und oder aber noch nicht bei zu`))
)
