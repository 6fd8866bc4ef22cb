package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Who was there is weighed name by name: how likely the place where a name stands says that somebody came. ADR 0056 says why.

// likelyHere is the probability that a name of these traits is of somebody who was there.
func (w *Weights) likelyHere(of []trait) float64 {
	sum := 0
	for _, t := range of {
		sum += int(w.here[t])
	}
	return probability(sum)
}

// weighPeople adds those whose names stand where it is likely that they were there, and takes out whom rules found where it is not.
func (s *scanner) weighPeople(w *Weights) {
	all, o := s.spotted(true), &s.out
	likely := make([]float64, len(all))
	for i, m := range all {
		likely[i] = w.likelyHere(m.traits)
	}
	o.Attendees = slices.DeleteFunc(o.Attendees, func(a Attendee) bool { return !a.Absent && misread(a, all, likely, w) })
	if len(o.Attendees) >= mostCallings { // who is among so many is not looked up
		return
	}
	there := make([]person, 0, len(o.Attendees))
	for _, a := range o.Attendees {
		there = append(there, person{a.Name, a.Handle})
	}
	called := callings(there)
	var added []Attendee
	var news []calling
	for i, m := range all {
		if likely[i] < w.Presence || !plausible(m.name) || !isName(m.name) || len(m.words) > 1 && s.common(m.name) || calledIn(called, m.words) >= 0 {
			continue
		}
		a := Attendee{Name: m.name, Span: m.span}
		switch at := calledIn(news, m.words); {
		case at < 0:
			added, news = append(added, a), append(news, calling{words: m.words})
		case len(m.words) > len(news[at].words): // "Ann", and further down "Ann Lee"
			added[at], news[at].words = a, m.words
		}
	}
	if len(added) < 2 && len(o.Attendees)+len(o.Actions)+len(o.Decisions)+len(o.Speakers) == 0 { // nothing says that these are minutes
		return
	}
	o.Attendees, s.guessed = append(o.Attendees, added...), added
	slices.SortStableFunc(o.Attendees, func(a, b Attendee) int { return a.Span.Line - b.Span.Line })
}

// misread reports somebody of whom it is unlikely that she was there, or whose name rules took for more than it is.
func misread(a Attendee, all []spotted, likely []float64, w *Weights) bool {
	best, whole, part, words := -1.0, false, false, nameWords(a.Name)
	for i, m := range all {
		if m.span.Line < a.Span.Line || m.span.Line > a.Span.EndLine || !sameWords(words, m.words) {
			continue
		}
		if len(m.words) < len(words) {
			part = part || likely[i] >= w.Presence && !partOfName(a.Name, m.words)
			continue
		}
		best = max(best, likely[i])
		whole = whole || slices.Equal(words, m.words)
	}
	return best >= 0 && best < unlikelyHere || part && !whole
}

// partOfName reports whether a name has a word more than some that is written as one of a name: "May" of "May Abel" and "Will" of
// "Will Smith" stand elsewhere for something else.
func partOfName(name string, words []string) bool {
	return slices.ContainsFunc(strings.Fields(name), func(w string) bool {
		r, _ := utf8.DecodeRuneInString(w)
		low := strings.ToLower(w)
		return unicode.IsUpper(r) && !titleWord(low) && !slices.Contains(words, strings.Trim(low, ".,"))
	})
}

// A calling is how somebody is called, in words.
type calling struct {
	words  []string
	handle string
	away   bool
}

// mostCallings are the most of some people that names are compared with.
const mostCallings = 200

func callings(of []person) []calling {
	out := make([]calling, 0, len(of))
	for _, p := range of[:min(len(of), mostCallings)] {
		out = append(out, calling{words: nameWords(p.name), handle: strings.ToLower(p.handle)})
	}
	return out
}

// calledIn is the first of some people whom a name may mean, -1 for none.
func calledIn(of []calling, words []string) int {
	return slices.IndexFunc(of, func(c calling) bool {
		return sameWords(c.words, words) || c.handle != "" && len(words) == 1 && words[0] == c.handle
	})
}

// nameWords are the words of a name in small letters.
func nameWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(bareName(name)), func(r rune) bool { return strings.ContainsRune(" .,@", r) })
}

// sameWords reports whether one of two names has all words of the other.
func sameWords(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) > 0 && !slices.ContainsFunc(a, func(w string) bool { return !slices.Contains(b, w) })
}

// A Named is what the weights of who was there are learnt from: a name in a line of a text with its traits.
type Named struct {
	Name   string
	Line   int
	Traits []uint32
}

func namesOf(all []spotted) []Named {
	out := make([]Named, len(all))
	for i, m := range all {
		out[i] = Named{Name: m.name, Line: m.span.Line, Traits: numbers(m.traits)}
	}
	return out
}

func numbers(of []trait) []uint32 {
	out := make([]uint32, len(of))
	for i, t := range of {
		out[i] = uint32(t)
	}
	return out
}
