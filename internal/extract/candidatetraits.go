package extract

import (
	"slices"
	"strconv"
	"strings"
)

// Traits of candidates are what their place in a sentence and around it says: the words beside a name, where it stands, whose role it
// has, and whether rules chose it.

// subject is the sort of the subject with which a sentence begins.
func (c *choosing) subject() string {
	for i, t := range c.s.tokens(c.h.text) {
		if i >= subjectWords {
			break
		}
		switch t {
		case "i", "ich", "me", "my":
			return "i"
		case "we", "wir", "us", "let's":
			return "we"
		case "you", "ihr", "du":
			return "you"
		case "he", "she", "er", "sie":
			return "she"
		case "they", "somebody", "someone", "anyone", "everyone", "everybody", "all", "nobody", "who", "team":
			return "they"
		case nameToken, initialToken, capitalToken:
			return "name"
		}
	}
	return "none"
}

// wordsOfNobody are how many of the first words of a sentence say whether somebody is to act.
const wordsOfNobody = 12

// weigh gives each candidate its traits.
func (c *choosing) weigh(chosen string, found float64, ruled bool) {
	h := c.h
	ts := c.s.tokens(h.text)
	cs := c.s.classesOf(ts)
	subject, first := c.subject(), nth(cs, 0)
	names := bucket(c.names, 0, 1, 2)
	at := "section " + strconv.Itoa(int(h.section)) + " bullet " + strconv.FormatBool(h.bullet)
	spoken := strconv.FormatBool(h.who != "")
	asked := strconv.FormatBool(strings.HasSuffix(h.text, "?"))
	for i := range c.all {
		o := &c.all[i]
		add := func(parts ...string) { o.traits = append(o.traits, traitOf(parts...)) }
		slices.Sort(o.roles)
		for _, role := range o.roles {
			if role == "chosen" {
				continue
			}
			add("role", role)
			add("subject", role, subject)
			add("subject", role, subject, spoken)
			add("subject", role, subject, names)
			add("first", role, first)
			add("at", role, at)
			add("names", role, names)
			add("names", role, names, spoken)
			add("asked", role, asked, subject)
		}
		if o.name == "" {
			for _, t := range ts[:min(len(ts), wordsOfNobody)] {
				add("nobody", stemmed(t))
			}
		}
		for n, p := range o.places {
			c.beside(add, p, n, first, subject)
		}
		if o.name != "" {
			c.who(add, o, subject)
		}
		if ruled {
			c.chosen(add, o, chosen, found, subject)
		}
		slices.Sort(o.traits)
		o.traits = slices.Compact(o.traits)
	}
}

// token is one of the sentence's pieces.
func (c *choosing) token(i int) string {
	switch {
	case i < 0:
		return "^"
	case i >= len(c.pieces):
		return "$"
	}
	return token(c.pieces[i])
}

// sort is the class of such a token.
func (c *choosing) sort(i int) string {
	t := c.token(i)
	if t == nameToken || len(t) == 1 {
		return t
	}
	if class := c.s.class(t); class != "w" {
		return class
	}
	if strings.HasSuffix(t, "s") && i > 0 && c.token(i-1) == nameToken {
		return "WS"
	}
	return "w"
}

// beside adds what stands beside a place at which the sentence names a candidate.
func (c *choosing) beside(add func(...string), p place, n int, first, subject string) {
	l1, l2, r1, r2 := c.token(p.from-1), c.token(p.from-2), c.token(p.to), c.token(p.to+1)
	k1, k2 := c.sort(p.to), c.sort(p.to+1)
	if c.token(p.from-1) == "TITLE" {
		l1, l2 = l2, c.token(p.from-3)
	}
	several := "alone"
	if p.to-p.from > 1 {
		several = "together"
	}
	add("l1", stemmed(l1), several)
	add("l2", stemmed(l2), stemmed(l1))
	add("lc", c.sort(p.from-2), c.sort(p.from-1), several)
	add("r1", stemmed(r1), several)
	add("r2", stemmed(r1), stemmed(r2))
	add("k1", k1, several)
	add("k2", k1, k2, several)
	add("lr", stemmed(l1), stemmed(r1), several)
	add("lk", stemmed(l1), k1, several)
	add("first", first, k1, several)
	order, verb := c.before(p.from)
	add("nth", bucket(order, 0, 1, 2), bucket(c.names, 1, 2, 3), several)
	add("nth", bucket(order, 0, 1, 2), k1, several)
	add("verb", verb, k1, several)
	add("verb", verb, stemmed(l1), several)
	add("from", bucket(p.from, 0, 1, 3, 6, 12), several)
	add("from", bucket(p.from, 0, 1, 3, 6, 12), k1)
	add("left", bucket(len(c.pieces)-p.to, 0, 1, 3, 6), several)
	add("left", bucket(len(c.pieces)-p.to, 0, 1, 3, 6), stemmed(l1))
	add("times", bucket(n, 0, 1))
	for far := range toldWithin {
		if t := c.token(p.to + far); addressing[t] {
			add("told", t, bucket(far, 0, 1, 3), bucket(p.from, 0, 2))
			add("told", bucket(p.from, 0, 2))
		}
	}
	add("of", subject, verb, bucket(order, 0, 1))
}

// addressing are words with which somebody is told to act, and toldWithin is how far behind her name they may stand.
var addressing = set(list("you, your, du, sie, please, bitte"))

const toldWithin = 6

// before is how many names stand before a piece, and whether a verb does.
func (c *choosing) before(at int) (names int, verb string) {
	verb = "before"
	for _, p := range c.pieces[:at] {
		switch p.sort {
		case namePiece:
			names++
		case wordPiece:
			switch c.s.class(p.low) {
			case "V", "VS", "VED", "VING", "will", "MODAL", "BE", "HAVE", "to":
				verb = "behind"
			}
		case numberPiece, markPiece, titlePiece:
		}
	}
	return names, verb
}

// who adds what is so of a person.
func (c *choosing) who(add func(...string), o *candidate, subject string) {
	words := strings.Fields(o.name)
	where := "around"
	if len(o.places) > 0 {
		where = "named"
	}
	known := "unknown"
	switch {
	case c.s.knowsAll(o.name):
		known = "known"
	case isName(o.name):
		known = "name"
	}
	said := 0
	for _, w := range words {
		low := strings.ToLower(w)
		said = max(said, c.s.castOf().said[low])
		if known != "known" {
			add("is", low)
		}
	}
	add("said", bucket(said, 0, 1, 2, 4), known)
	add("said", bucket(said, 0, 1, 2, 4), where, subject)
	add("known", known, where)
	add("known", known, where, subject)
	add("words", bucket(len(words), 1, 2, 3), where, known)
	role := strings.Join(slices.DeleteFunc(slices.Clone(o.roles), func(r string) bool { return r == "chosen" }), "+")
	add("roles", role)
	add("roles", role, subject)
	if c.s.author != "" {
		add("author", strconv.FormatBool(slices.Contains(o.roles, "author")), subject, where)
	}
	if c.h.who != "" {
		add("speaker", strconv.FormatBool(slices.Contains(o.roles, "speaks")), subject, where)
	}
	if where == "named" {
		for _, w := range words {
			if officeWord(w) || titleWord(strings.ToLower(w)) {
				add("office")
			}
		}
	}
	if strings.Contains(o.name, ", ") {
		add("several", where, subject)
	}
}

// chosen adds whether rules chose a candidate.
func (c *choosing) chosen(add func(...string), o *candidate, chosen string, found float64, subject string) {
	is := chosen == "" && o.name == "" || chosen != "" && o.name != "" && c.s.samePerson(o.name, chosen)
	if !is {
		return
	}
	how := "weighed"
	if found > 0 {
		how = "rule " + strconv.Itoa(int(found*20))
	}
	add("chosen")
	add("chosen", how)
	add("chosen", how, strconv.FormatBool(o.name == ""))
	add("chosen", subject, strconv.FormatBool(found > 0))
	for _, role := range o.roles {
		add("chosen", role, strconv.FormatBool(found > 0))
		add("chosen", role, subject, strconv.FormatBool(found > 0))
	}
}
