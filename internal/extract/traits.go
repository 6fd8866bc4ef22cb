package extract

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Traits are what weights speak of: the words of a sentence and their neighbours, what sort of words they are, what the
// sentence stands under and beside. A trait is a hash of what it says.

// maxTokens are the first words of a sentence, which are looked at.
const maxTokens = 60

// A trait is the FNV-1a hash of its parts.
type trait uint32

func traitOf(parts ...string) trait {
	h := uint32(2166136261)
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint32(p[i])) * 16777619
		}
		h = (h ^ ' ') * 16777619
	}
	return trait(h)
}

// Tokens that stand for many words.
const (
	nameToken    = "NAME" // somebody who is known
	capitalToken = "CAP"  // a word with a capital inside a sentence
	initialToken = "INI"  // one at its beginning that is no frequent word
	numberToken  = "#"
)

var (
	addresses = set(list("mr, mrs, ms, dr, prof, herr, frau, hr, fr, miss, cllr, councillor, sir, shri, lady, rev"))
	// frequent are words that begin sentences.
	frequent = set(list("they, he, she, you, did, does, do, has, have, had, an, may, might, must, shall, were, been, being, my, me, us, them, him, because, since, whether, although, though, however, well, right, okay, yeah, sure, only, just, even, very, much, many, most, few, several, stick, keep, leave, let's, lets, going, gonna, looks, look, seems, sounds, wir, ich, ihr, ab, bis, im, am, zum, zur, mit, von, für, auf, aus, bei, nach, ein, eine, einen, kein, keine, dann, gut, also, ja, nein, nicht, nur, noch, auch, wenn, dass, hat, haben, ist, sind, war, wird, werden, soll, sollen, muss, müssen, kann, können, der, den, dem, des, und, oder, aber, beschlossen, vereinbart, entschieden, agenda"))
	// settling are words, most as their stems, with which people decide, and lasting those of what holds from then on.
	settling = set(list("agre, approv, adopt, resolv, decid, accept, reject, endors, confirm, select, choos, chos, chosen, elect, settl, ratifi, pass, carri, unanim, unanimous, unanimously, consensus, decis, resolut, conclud, conclus, verdict, rule, ruling, declin, refus, defer, postpon, cancel, drop, abandon, authoris, authoriz, appoint, grant, waiv, permit, allow, sign, beschloss, beschlossen, beschluss, einig, einigen, entscheid, entschieden, vereinbart, genehmigt, abgelehnt, angenommen, verworfen, motion, second, vote, outcom, final, settled")) //nolint:misspell // stems
	lasting  = set(list("stay, remain, keep, stick, only, max, maximum, mandatory, instead, longer, until, onward, henceforth, now, always, never, anymore, go, move, become, get, switch, wont, no, not, still, rather, first, bleib, weiterhin, kein, keine, künftig, nur, ab, statt"))
	// ownClass are tokens that are a class of their own.
	ownClass   = set([]string{initialToken, nameToken, capitalToken, numberToken, "i", "we", "he", "she", "they", "you", "to", "'ll", "will", "not", "'s", "'d", "?", "(", ")", ":", ","})
	wordClass  = map[string]string{}
	classWords = map[string]string{
		"MODAL": "can, could, should, would, shall, must, might, may",
		"BE":    "is, are, was, were, be, been, am, 're, 'm",
		"HAVE":  "has, have, had, 've",
		"DET":   "the, a, an, this, that, these, those, our, my, his, her, their, your, its",
	}
	stemEnds = []string{"ations", "ation", "ingly", "ments", "ment", "ings", "ing", "edly", "ied", "ies", "ers", "est", "en", "ed", "es", "er", "ly", "et", "s", "t", "e"}
)

func init() {
	for class, members := range classWords {
		for _, w := range list(members) {
			wordClass[w] = class
		}
	}
}

// tokens are the words and marks of a text in lower case; names, numbers and words with capitals are what they stand for.
// They are kept, since each sentence is also a neighbour.
func (s *scanner) tokens(text string) []string {
	if out, ok := s.tokensOf[text]; ok {
		return out
	}
	if s.tokensOf == nil {
		s.tokensOf, s.knownWords = make(map[string][]string), make(map[string]bool)
	}
	out := s.tokenized(text)
	s.tokensOf[text] = out
	return out
}

func (s *scanner) tokenized(text string) []string {
	var out []string
	start := true
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"“”„*_`+"`", r) }) {
		if len(out) >= maxTokens {
			break
		}
		lead := strings.TrimLeft(w, "([")
		if lead != w {
			out, start = append(out, "("), true
		}
		core := strings.TrimRight(lead, ").,;:!?]")
		if core != "" {
			out = s.word(out, strings.ReplaceAll(core, "’", "'"), start)
			start = false
		}
		for _, mark := range []string{")", ":", ",", "?", "!"} {
			if at := strings.IndexByte(lead[len(core):], mark[0]); at >= 0 || mark == "," && strings.Contains(lead[len(core):], ";") {
				out = append(out, mark)
			}
		}
		start = start || strings.ContainsAny(lead[len(core):], ":.")
	}
	return out
}

// word appends the token of a word, and what an apostrophe adds.
func (s *scanner) word(out []string, core string, start bool) []string {
	name, rest := core, ""
	if at := strings.IndexByte(core, '\''); at > 0 {
		name, rest = core[:at], core[at:]
	}
	low, last := strings.ToLower(name), ""
	if len(out) > 0 {
		last = out[len(out)-1]
	}
	first, _ := utf8.DecodeRuneInString(name)
	upper := unicode.IsUpper(first) && low != "i"
	switch {
	case upper && addresses[strings.TrimRight(low, ".")]:
		return out
	case strings.ContainsAny(name, "0123456789"):
		out = append(out, numberToken)
	case low != "i" && (first == '@' || !notNames[low] && s.knowsWord(name)):
		if last != nameToken {
			out = append(out, nameToken)
		}
	case upper && !notNames[low] && !start && rest != "'m":
		if last != capitalToken && last != nameToken && last != initialToken {
			out = append(out, capitalToken)
		}
	case upper && !notNames[low] && start && !frequent[low] && s.class(low) != "V" && s.class(low) != "VED":
		out = append(out, initialToken)
	default:
		out = append(out, low)
	}
	if rest != "" {
		out = append(out, strings.ToLower(rest))
	}
	return out
}

// knowsWord is knows, kept for each word.
func (s *scanner) knowsWord(word string) bool {
	known, ok := s.knownWords[word]
	if !ok {
		known = s.knows(word)
		s.knownWords[word] = known
	}
	return known
}

// class is the sort of a token.
func (s *scanner) class(t string) string {
	if ownClass[t] {
		return t
	}
	if c, ok := wordClass[t]; ok {
		return c
	}
	if c, ok := s.classes[t]; ok {
		return c
	}
	if s.classes == nil {
		s.classes = make(map[string]string)
	}
	c := classOf(t)
	s.classes[t] = c
	return c
}

func classOf(t string) string {
	verb := func(w string) bool { return w != "" && verbFirst.FindString(w) == w }
	switch {
	case verb(t):
		return "V"
	case len(t) > 3 && strings.HasSuffix(t, "s") && !strings.HasSuffix(t, "ss") && verb(infinitive(t)):
		return "VS"
	case len(t) > 5 && strings.HasSuffix(t, "ing") && verb(ofGerund(t)):
		return "VING"
	case wasDone(t):
		return "VED"
	case strings.HasSuffix(t, "ed"):
		return "ED"
	}
	return "w"
}

// stemmed is a word without the endings that English and German words have most.
func stemmed(w string) string {
	for _, end := range stemEnds {
		if strings.HasSuffix(w, end) && len(w)-len(end) >= 3 {
			w = w[:len(w)-len(end)]
			break
		}
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	return w
}

// nth is a token of some, "-" beyond their ends.
func nth(ts []string, i int) string {
	if i < 0 || i >= len(ts) {
		return "-"
	}
	return ts[i]
}

// traits are what is so of a sentence, each once; ruled adds what rules found there.
func (s *scanner) traits(h heard, ruled bool) []trait {
	ts := s.tokens(h.text)
	cs := s.classesOf(ts)
	var out []trait
	add := func(parts ...string) { out = append(out, traitOf(parts...)) }
	spoken := "told"
	if h.who != "" {
		spoken = "spoken"
	}
	for i, t := range ts {
		add("w", t)
		if cs[i] != t {
			s.stemTraits(add, t, spoken, i)
			if cs[i] != "w" {
				add("x", cs[i], nth(ts, i+1))
			}
			if i > 0 {
				add("y", ts[i-1], cs[i])
			}
		}
		add("b", t, nth(ts, i+1))
		add("c", cs[i], nth(cs, i+1), nth(cs, i+2))
	}
	n := len(ts)
	add("f1", nth(ts, 0))
	add("f2", nth(ts, 0), nth(ts, 1))
	add("fc2", nth(cs, 0), nth(cs, 1))
	add("fc3", nth(cs, 0), nth(cs, 1), nth(cs, 2))
	add("fc4", nth(cs, 0), nth(cs, 1), nth(cs, 2), nth(cs, 3))
	add("l1", nth(ts, n-1))
	add("lc3", nth(cs, n-3), nth(cs, n-2), nth(cs, n-1))
	add("length", strconv.Itoa(min(n/3, 8)))
	s.placeTraits(add, h, ts, cs, spoken)
	if ruled {
		s.ruleTraits(add, h)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// classesOf are the classes of tokens. A word behind a person that ends like a verb is likely to be one.
func (s *scanner) classesOf(ts []string) []string {
	cs := make([]string, len(ts))
	for i, t := range ts {
		cs[i] = s.class(t)
		if p := nth(cs, i-1); cs[i] == "w" && slices.Contains([]string{nameToken, initialToken, capitalToken, "he", "she", ")"}, p) {
			switch {
			case strings.HasSuffix(t, "s"):
				cs[i] = "WS"
			case strings.HasSuffix(t, "t"):
				cs[i] = "WT"
			}
		}
	}
	return cs
}

func (s *scanner) stemTraits(add func(...string), t, spoken string, i int) {
	stem := stemmed(t)
	add("s", stem)
	if settling[stem] || settling[t] {
		add("settles")
		add("settles", spoken)
		add("settles", strconv.Itoa(min(i/2, 4)))
	}
	if lasting[stem] || lasting[t] {
		add("lasts")
		add("lasts", spoken)
	}
	if i < 4 {
		add("early", stem)
	}
}

// ruleTraits are of what rules found in a sentence, and how sure they are.
func (s *scanner) ruleTraits(add func(...string), h heard) {
	add("ruled")
	none := true
	sure := func(c float64) string { return strconv.Itoa(int(c * 20)) }
	found := s.byRule()
	for _, i := range found.actions.coveredBy(h) {
		a := s.out.Actions[i]
		add("action")
		add("action", sure(a.Confidence))
		add("action", "owned "+strconv.FormatBool(a.Owner != ""), sure(a.Confidence))
		add("action", "section "+strconv.Itoa(int(h.section)))
		none = false
	}
	for _, i := range found.decisions.coveredBy(h) {
		add("decision")
		add("decision", sure(s.out.Decisions[i].Confidence))
		add("decision", "section "+strconv.Itoa(int(h.section)))
		none = false
	}
	for range found.questions.coveredBy(h) {
		add("question")
		none = false
	}
	if none {
		add("nothing")
		add("nothing", "section "+strconv.Itoa(int(h.section)), "bullet "+strconv.FormatBool(h.bullet))
	}
}

// placeTraits are of where a sentence stands.
func (s *scanner) placeTraits(add func(...string), h heard, ts, cs []string, spoken string) {
	_, dated := calendar{h.date, s.order}.due(h.text)
	due, listed, place := "due "+strconv.FormatBool(dated), "bullet "+strconv.FormatBool(h.bullet), "section "+strconv.Itoa(int(h.section))
	asked := "asked " + strconv.FormatBool(strings.HasSuffix(h.before, "?"))
	add(due)
	add(due, nth(cs, 0))
	add(due, spoken)
	add(place)
	add(place, listed)
	add(place, nth(cs, 0))
	add(listed, nth(cs, 0), nth(cs, 1))
	add(spoken)
	add(spoken, nth(cs, 0), nth(cs, 1))
	add(spoken, nth(ts, 0))
	add("lead", strconv.FormatBool(h.lead != ""), nth(cs, 0))
	add("owner", strconv.FormatBool(h.owner != ""), nth(cs, 0))
	for _, w := range s.tokens(h.head) {
		add("h", w)
	}
	if strings.HasSuffix(h.above, ":") {
		for _, w := range s.tokens(h.above) {
			add("a", w)
		}
	}
	before, after := s.tokens(h.before), s.tokens(h.after)
	add(asked)
	add(asked, nth(ts, 0))
	add("p1", nth(before, 0))
	if len(before) > 0 {
		add("pc2", s.class(before[0]), s.class(nth(before, 1)))
	}
	add("n1", nth(after, 0))
	add("n2", nth(after, 0), nth(after, 1))
	add("nth", strconv.Itoa(min(h.nth, 3)))
	add("deep", strconv.FormatBool(h.deep))
	add("always")
	if h.of > 1 && h.nth == h.of-1 {
		add("last")
	}
}
