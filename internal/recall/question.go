package recall

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"chela/internal/query"
)

// What a question asks for, when it says so.
type sought uint8

const (
	anything sought = iota
	aTime
	aNumber
	aName
)

// A sense is a term by which a word of the question may be said, and what that is worth.
type sense struct {
	term   string
	weight float64
	how    string // word, meaning or class
}

// A concept is a word of the question with all that it may be said by.
type concept struct {
	word   string
	senses []sense
	name   bool // it is written as a name is
}

// A Question is one that was read.
type Question struct {
	Text     string
	concepts []concept
	periods  []Period
	sought   sought
	latest   int // 1 asks for what holds now, -1 for what came first
}

// What a word by another word of its meaning is worth, and one by a thing of its class.
const (
	meaningWeight = 0.5
	classWeight   = 0.35
)

// Read reads a question that is asked at a time.
func (o Options) Read(text string, at time.Time) Question {
	q := Question{Text: text, sought: o.soughtBy(text), latest: o.latestBy(text)}
	if o.on(Dates) {
		q.periods = Periods(text, at)
	}
	ws := query.Words(text)
	l := languageOf(ws)
	if l != English && slices.ContainsFunc(ws, func(w query.Word) bool { return stops[English][w.Text] && !stops[l][w.Text] }) && len(ws) < 4 {
		l = English
	}
	a := o.analyzer(l)
	for i, w := range ws {
		if stops[l][w.Text] || asks[w.Text] || q.dated(w) {
			continue
		}
		if slices.ContainsFunc(q.concepts, func(c concept) bool { return c.word == w.Text }) {
			continue
		}
		q.concepts = append(q.concepts, o.conceptOf(a, w.Text, i > 0 && capital(text[w.Start:])))
	}
	if len(q.concepts) == 0 && len(q.periods) == 0 { // of only such words these are all there is
		for _, w := range ws {
			if !stops[l][w.Text] {
				q.concepts = append(q.concepts, o.conceptOf(a, w.Text, false))
			}
		}
	}
	return q
}

// dated reports whether a word is one of a period.
func (q Question) dated(w query.Word) bool {
	return slices.ContainsFunc(q.periods, func(p Period) bool {
		i := strings.Index(q.Text, p.Text)
		return i >= 0 && w.Start >= i && w.End <= i+len(p.Text)
	})
}

func capital(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

func (o Options) conceptOf(a *analyzer, w string, name bool) concept {
	main := a.term(w)
	c := concept{word: w, name: name, senses: []sense{{main, 1, "word"}}}
	if a.language != English { // a text in the other language may say the same name
		c.add(o.analyzer(English).term(w), 1, "word")
	} else if o.on(Stems) && len(w) > 4 && !name {
		c.add(o.analyzer(German).term(w), 0.9, "word")
	}
	if !o.on(Lexicon) || name && a.language == English {
		return c
	}
	r := related()
	for _, t := range r.same[main] {
		c.add(t, meaningWeight, "meaning")
	}
	for _, t := range r.class[main] {
		c.add(t, classWeight, "class")
	}
	return c
}

func (c *concept) add(term string, weight float64, how string) {
	if !slices.ContainsFunc(c.senses, func(s sense) bool { return s.term == term }) {
		c.senses = append(c.senses, sense{term, weight, how})
	}
}

// Terms returns the terms that a passage may be found by, each once.
func (q Question) Terms() []string {
	var out []string
	for _, c := range q.concepts {
		for _, s := range c.senses {
			if !slices.Contains(out, s.term) {
				out = append(out, s.term)
			}
		}
	}
	return out
}

// Words returns the terms of the question's own words, each once.
func (q Question) Words() []string {
	var out []string
	for _, c := range q.concepts {
		for _, s := range c.senses {
			if s.how == "word" && !slices.Contains(out, s.term) {
				out = append(out, s.term)
			}
		}
	}
	return out
}

// Periods returns the periods that the question names.
func (q Question) Periods() []Period { return q.periods }

func (o Options) soughtBy(text string) sought {
	t := " " + strings.ToLower(text) + " "
	has := func(of ...string) bool {
		return slices.ContainsFunc(of, func(s string) bool { return strings.Contains(t, " "+s+" ") })
	}
	switch {
	case !o.on(Kinds):
		return anything
	case has("when", "what date", "what day", "which day", "what time", "how long ago", "which month", "what month", "which year", "what year", "wann", "seit wann"):
		return aTime
	case has("how many", "how much", "how old", "how long", "how often", "how far", "wie viele", "wie viel", "wie lange", "wie oft"):
		return aNumber
	case has("who", "whom", "whose", "what is the name", "name of", "called", "title", "which city", "which country", "where", "wer", "wen", "wem", "wo"):
		return aName
	}
	return anything
}

func (o Options) latestBy(text string) int {
	if !o.on(Recency) {
		return 0
	}
	for _, w := range query.Words(text) {
		switch w.Text {
		case "now", "current", "currently", "latest", "recent", "recently", "today", "still", "newest", "jetzt", "aktuell", "derzeit", "inzwischen":
			return 1
		case "first", "originally", "initially", "initial", "original", "earliest", "zuerst", "ursprünglich", "anfangs":
			return -1
		}
	}
	return 0
}
