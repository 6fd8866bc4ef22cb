package question

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// ReadOf is [Read] of a question that somebody asks by their name: "my tickets" are those of the person of that name on the desk. Where
// there is none, what is computed without them would be the answer to another question.
func ReadOf(asker, text string, v Vocabulary, now time.Time) Reading {
	return newReader(asker, text, v, now).read()
}

// mine puts the name of the person who asks in the place of "my", "me" and "I".
func (r *reader) mine(asker string) {
	words := nameWords(asker)
	if len(words) == 0 {
		return
	}
	names, n := r.v.Person(words)
	known := n == len(words) && len(names) == 1
	var out []token
	for i, t := range r.tokens {
		owns := r.marked("my", i)
		if t.quoted || !r.speaksOfMe(i, owns) {
			out = append(out, t)
			continue
		}
		if !known {
			r.lost, r.out.Stranger = append(r.lost, t.raw), asker
			out = append(out, t)
			continue
		}
		name, _ := tokenize(asker)
		for j := range name {
			name[j].start, name[j].end = t.start, t.end
		}
		if owns {
			name[len(name)-1].raw += "'s"
		}
		if said := t.raw + ": " + asker; !slices.Contains(r.out.Spelled, said) {
			r.out.Spelled = append(r.out.Spelled, said)
		}
		out = append(out, name...)
	}
	r.tokens = out
}

// genitives reads the German "Danas Tickets" as those of Dana: a name that begins with a capital letter, where nobody is called by the whole word.
func (r *reader) genitives() {
	for i := range r.tokens {
		t := &r.tokens[i]
		name, ok := strings.CutSuffix(t.text, "s")
		if !ok || len(name) < 3 || t.quoted || !unicode.IsUpper([]rune(t.raw)[0]) && slices.ContainsFunc(r.in, func(l *lexicon) bool { return l.known[t.text] }) || strings.ContainsAny(t.raw, "'’") || slices.ContainsFunc(r.in, func(l *lexicon) bool { return l.words[t.text] }) {
			continue
		}
		if _, whole := r.v.Person([]string{t.text}); whole > 0 {
			continue
		}
		if names, n := r.v.Person([]string{name}); n == 1 && len(names) == 1 {
			t.text = name
		}
	}
}

// speaksOfMe reports whether the word at a place means the person who asks, so that records are narrowed by it: "show me" does not.
func (r *reader) speaksOfMe(at int, owns bool) bool {
	switch {
	case owns:
		return !r.marked("everybody", at+1)
	case r.marked("me", at):
		return r.marked("before-me", at-1) || r.marked("assigned", at+1)
	case !r.marked("i", at) || r.marked("wish", at+1):
		return false
	}
	next, _ := r.sense(at + 1)
	if next.sort == "concept" && next.value == "skill" { // whom I should ask
		return false
	}
	acts := slices.Contains([]string{"verb", "concept", "state"}, next.sort)
	if r.marked("before-i", at-1) {
		return acts || r.tokens[at].text == "ich" || r.marked("do", at+1)
	}
	s, _ := r.sense(max(at-1, 0))
	return acts && at > 0 && (s.sort == "kind" || s.sort == "type") // "tickets I created"
}
