package extract

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A reading is of the names of one line.
type reading struct {
	s      *scanner
	line   *mentionLine
	at     int
	of     []mentionLine
	said   map[string]int
	known  knownCallings
	ruled  bool
	common []trait // of all names of the line
	bare   []int   // the pieces without what stands in brackets, and titles
}

func (r *reading) mentions() []spotted {
	if len(r.line.names) == 0 {
		return nil
	}
	depth := 0
	for i, p := range r.line.pieces {
		switch {
		case p.text == "(" || p.text == "[":
			depth++
		case p.text == ")" || p.text == "]":
			depth = max(0, depth-1)
		case depth == 0 && p.sort != titlePiece || slices.Contains(r.line.names, i):
			r.bare = append(r.bare, i)
		}
	}
	r.lineTraits(func(parts ...string) { r.common = append(r.common, traitOf(parts...)) })
	var out []spotted
	for _, i := range r.line.names {
		p := r.line.pieces[i]
		m := spotted{name: strings.TrimPrefix(p.text, "@"), words: nameWords(p.text), span: Span{Line: r.line.number + 1, EndLine: r.line.number + 1, Quote: strings.TrimSpace(r.line.text)}, traits: slices.Clone(r.common)}
		add := func(parts ...string) { m.traits = append(m.traits, traitOf(parts...)) }
		r.beside(add, i)
		r.shape(add, p)
		r.person(add, p, m.words)
		slices.Sort(m.traits)
		m.traits = slices.Compact(m.traits)
		out = append(out, m)
	}
	return out
}

func token(p piece) string {
	switch p.sort {
	case namePiece:
		return nameToken
	case titlePiece:
		return "TITLE"
	case wordPiece, numberPiece, markPiece:
	}
	return p.low
}

func (r *reading) token(of []int, at int) string {
	if at < 0 {
		return "^"
	}
	if at >= len(of) {
		return "$"
	}
	return token(r.line.pieces[of[at]])
}

func bucket(n int, to ...int) string {
	for i, t := range to {
		if n <= t {
			return strconv.Itoa(i)
		}
	}
	return strconv.Itoa(len(to))
}

// lineTraits are of the line.
func (r *reading) lineTraits(add func(...string)) {
	l, ps := r.line, r.line.pieces
	nth, left, names := bucket(l.nth, 0, 1, 2, 3, 5, 8, 12, 20), bucket(l.left, 0, 1, 2, 4), bucket(len(l.names), 1, 2, 3, 5)
	words := 0
	for _, i := range r.bare {
		if ps[i].sort == wordPiece || ps[i].sort == numberPiece {
			words++
		}
	}
	portion := bucket(10*len(l.names)/(len(l.names)+words), 0, 1, 2, 4, 6, 8, 9)
	add("nth", nth)
	add("left", left)
	add("nth", nth, names)
	add("nth", nth, portion)
	add("left", left, portion)
	add("names", names, portion)
	add("portion", portion)
	add("gap", strconv.FormatBool(l.gap), portion)
	mark := ""
	if ps[0].sort == markPiece {
		mark = ps[0].text
	}
	add("mark", mark, portion)
	add("L1", token(ps[0]))
	if len(ps) > 1 {
		add("L2", token(ps[0]), token(ps[1]))
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(l.head), notLetter) {
		add("head", stemmed(w))
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(l.above), notLetter) {
		add("above", stemmed(w))
	}
	r.neighbours(add, portion)
	again := 0
	for _, i := range l.names {
		if r.again(ps[i]) > 1 {
			again++
		}
	}
	add("allAgain", bucket(4*again/len(l.names), 0, 1, 2, 3), names, nth)
	add("block", bucket(4*l.alike/l.of, 0, 1, 2, 3), bucket(l.of, 1, 2, 4))
	add("block", bucket(4*l.alike/l.of, 0, 1, 2, 3), bucket(l.of, 1, 2, 4), names, nth)
	for i, w := range strings.FieldsFunc(strings.ToLower(l.begins), notLetter) {
		if i < 5 {
			add("begins", stemmed(w))
		}
	}
	r.firstPerson(add)
	if r.ruled {
		in := 0
		for _, a := range r.s.out.Attendees {
			if a.Span.Line <= l.number+1 && a.Span.EndLine >= l.number+1 {
				in++
			}
		}
		add("ruled")
		add("ruled", "here "+bucket(in, 0, 1, 2), "all "+bucket(len(r.s.out.Attendees), 0, 1, 3))
	}
}

// neighbours adds traits of the lines beside the line, and of the head of a table.
func (r *reading) neighbours(add func(...string), portion string) {
	ps := r.line.pieces
	if r.at > 0 {
		before := r.of[r.at-1]
		add("B1", before.first(), portion)
		add("Bn", bucket(len(before.names), 0, 1, 2), portion)
		for i, w := range strings.FieldsFunc(strings.ToLower(before.text), notLetter) {
			if i < 4 {
				add("Bw", stemmed(w))
			}
		}
	}
	if r.at+1 < len(r.of) {
		add("A1", r.of[r.at+1].first(), portion)
	}
	if ps[0].text == "|" && r.at > 0 {
		for j := r.at; j >= 0 && strings.HasPrefix(strings.TrimSpace(r.of[j].text), "|"); j-- {
			if j == 0 || !strings.HasPrefix(strings.TrimSpace(r.of[j-1].text), "|") {
				for _, w := range strings.FieldsFunc(strings.ToLower(r.of[j].text), notLetter) {
					add("table", stemmed(w))
				}
			}
		}
	}
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

func (l mentionLine) first() string {
	if len(l.pieces) == 0 {
		return "-"
	}
	return token(l.pieces[0])
}

// firstPerson says that the line speaks of who wrote it.
func (r *reading) firstPerson(add func(...string)) {
	for _, p := range r.line.pieces {
		switch p.low {
		case "i", "me", "ich", "myself", "mir":
			add("I")
		case "we", "us", "wir", "uns":
			add("we")
		}
	}
}

// beside are the traits of what stands beside a name.
func (r *reading) beside(add func(...string), i int) {
	ps := r.line.pieces
	all := make([]int, len(ps))
	for j := range ps {
		all[j] = j
	}
	at := slices.Index(r.bare, i)
	l1, l2, r1, r2 := r.token(all, i-1), r.token(all, i-2), r.token(all, i+1), r.token(all, i+2)
	b1, b2, a1, a2 := r.token(r.bare, at-1), r.token(r.bare, at-2), r.token(r.bare, at+1), r.token(r.bare, at+2)
	add("l1", l1)
	add("l2", l2, l1)
	add("r1", r1)
	add("r2", r1, r2)
	add("lr", l1, r1)
	add("b1", b1)
	add("b2", b2, b1)
	add("b3", r.token(r.bare, at-3), b2, b1)
	add("a1", a1)
	add("a2", a1, a2)
	add("a3", a1, a2, r.token(r.bare, at+3))
	add("ba", b1, a1)
	add("alone", strconv.FormatBool(l1 == "^" && r1 == "$"))
	if i > 0 && ps[i-1].sort == titlePiece {
		add("title", strings.TrimRight(ps[i-1].low, "."))
	}
	from, to := i, i
	for from > 0 && !stops(ps[from-1]) {
		from--
	}
	for to+1 < len(ps) && !stops(ps[to+1]) {
		to++
	}
	label, names := -1, 0
	for j := from; j <= to; j++ {
		if ps[j].sort == namePiece {
			names++
		}
		if ps[j].text == ":" && j < i {
			label = j
		}
	}
	add("of", bucket(names, 1, 2, 3), bucket(r.line.nth, 0, 2, 5, 12))
	for j := from; j < i; j++ {
		r.word(add, ps[j], map[bool]string{true: "label", false: "before"}[j < label], i-j)
	}
	for j := i + 1; j <= to; j++ {
		r.word(add, ps[j], "behind", j-i)
	}
	if label < 0 {
		add("unlabelled", bucket(names, 1, 2, 3))
	}
	if r1 == "(" {
		for j := i + 2; j < len(ps) && ps[j].text != ")"; j++ {
			add("in", stemmed(token(ps[j])))
		}
	}
}

// word adds the trait of a word in the sentence of a name.
func (r *reading) word(add func(...string), p piece, where string, far int) {
	if p.sort == markPiece || p.sort == namePiece {
		return
	}
	if far <= 14 || where == "label" {
		add(where, stemmed(token(p)))
	}
}

// stops reports a mark that ends a sentence.
func stops(p piece) bool { return p.sort == markPiece && strings.Contains(".!?;", p.text) }

// shape are the traits of how a name is written.
func (r *reading) shape(add func(...string), p piece) {
	words := strings.Fields(p.text)
	first, _ := utf8.DecodeRuneInString(p.text)
	how := "name"
	switch {
	case first == '@':
		how = "handle"
	case p.text == p.low:
		how = "small"
	case strings.ToUpper(p.text) == p.text && len(p.text) > 3:
		how = "capitals"
	case strings.HasSuffix(p.text, ".") || len(p.text) <= 3:
		how = "initials"
	}
	add("how", how)
	add("how", how, strconv.Itoa(len(words)))
	add("how", how, bucket(len(r.line.names), 1, 2, 3), bucket(r.line.nth, 1, 4, 12))
	for _, w := range strings.Fields(p.low) {
		add("is", w)
	}
	if n := len([]rune(words[0])); n > 3 {
		add("ends", string([]rune(p.low)[len([]rune(p.low))-3:]))
	}
}

// again is how often a name stands in the lines, whole or in part.
func (r *reading) again(p piece) int {
	words := strings.Fields(p.low)
	return max(r.said[words[0]], r.said[words[len(words)-1]])
}

// knownCallings are the people whom rules found in a text.
type knownCallings struct {
	speakers, writers, readers, owners, attendees []calling
}

func (s *scanner) knownCallings() knownCallings {
	people := func(names []string) []calling {
		var out []person
		for _, name := range names {
			out = append(out, person{name, ""})
		}
		return callings(out)
	}
	var speakers, owners []string
	var attendees []person
	for _, w := range s.out.Speakers {
		speakers = append(speakers, w.Name)
	}
	for _, a := range s.out.Actions {
		if a.Owner != "" {
			owners = append(owners, a.Owner)
		}
	}
	for _, a := range s.out.Attendees {
		attendees = append(attendees, person{a.Name, a.Handle})
	}
	out := knownCallings{people(speakers), people([]string{s.author}), people(s.readers), people(owners), callings(attendees)}
	for i := range out.attendees {
		out.attendees[i].away = s.out.Attendees[i].Absent
	}
	return out
}

// person are the traits of who is named.
func (r *reading) person(add func(...string), p piece, words []string) {
	again := r.again(p)
	add("again", bucket(again, 1, 2, 4))
	add("again", bucket(again, 1, 2, 4), bucket(r.line.nth, 1, 4, 12))
	if p.text != p.low {
		add("small", strconv.FormatBool(slices.ContainsFunc(words, func(w string) bool { return r.said["small "+w] > 0 })))
	}
	is := func(of []calling) string { return strconv.FormatBool(calledIn(of, words) >= 0) }
	add("speaks", is(r.known.speakers))
	add("speaks", is(r.known.speakers), bucket(len(r.known.speakers), 0, 1, 4))
	add("author", is(r.known.writers))
	add("reader", is(r.known.readers))
	add("owns", is(r.known.owners))
	if !r.ruled {
		return
	}
	found := "none"
	if at := calledIn(r.known.attendees, words); at >= 0 {
		if found = "here"; r.known.attendees[at].away {
			found = "away"
		}
		if !slices.Equal(r.known.attendees[at].words, words) {
			found += " other"
		}
	}
	add("found", found)
	add("found", found, bucket(len(r.known.attendees), 0, 1, 3))
}
