package question

import (
	"slices"
	"strings"
	"time"
)

// A Part is one of several questions that are asked at once.
type Part struct {
	Text    string
	Reading Reading
}

// maxParts is how many questions are read at once.
const maxParts = 3

// Parts reads a question that is several, such as "how many bugs and how many stories are open": each with what it leaves out because another part
// says it. It returns nil where the question is one, and where a part is not read whole.
func Parts(asker, text string, v Vocabulary, now time.Time) []Part {
	s := splitter{reader: newReader(asker, text, v, now), asker: asker, text: text}
	if !s.split() {
		return nil
	}
	s.predicates()
	s.subjects()
	s.span()
	out := make([]Part, len(s.parts))
	for i, p := range s.parts {
		read := ReadOf(asker, p.text(), v, now)
		if !read.Whole() {
			return nil
		}
		out[i] = Part{p.text(), read}
		if s.narrows(i) != s.narrows(0) && read.Plans[0].Kind == out[0].Reading.Plans[0].Kind && !p.ofThose {
			return nil // whether Sprint 24 is meant for both nobody knows
		}
		if !p.ofThose {
			continue
		}
		first, own := out[0].Reading.Plans[0], &out[i].Reading.Plans[0]
		if first.Kind != own.Kind || first.State != "" || !own.many() || !first.many() {
			return nil
		}
		own.Filter = strings.TrimSpace(bracketed(first.Filter) + " " + bracketed(own.Filter))
	}
	return out
}

// bracketed is a filter that stands beside another one.
func bracketed(filter string) string {
	if strings.Contains(filter, " OR ") {
		return "(" + filter + ")"
	}
	return filter
}

// Whole reports whether a reading is a plan that leaves out nothing of the question.
func (r Reading) Whole() bool {
	return r.Plans[0].Measure != Search && len(r.Ignored)+len(r.Unknown) == 0 && r.Stranger == "" && r.Act == ""
}

// A splitter takes a question apart.
type splitter struct {
	*reader

	asker, text string
	parts       []piece
}

// A piece is the words of one part: what asks, of what, and what is said of it.
type piece struct {
	asks, subject, predicate []string
	ofThose                  bool // of what the first part is about
}

func (p piece) text() string {
	return strings.Join(slices.Concat(p.asks, p.subject, p.predicate), " ")
}

// split finds the parts: each begins with a word that asks, behind an "and" or the end of a clause.
func (s *splitter) split() bool {
	var begins []int
	for i := range s.tokens {
		if s.asksAt(i) > 0 && (len(begins) == 0 || s.marked("and", i-1) || s.clauseEnds(i)) {
			begins = append(begins, i)
		}
	}
	if len(begins) < 2 || len(begins) > maxParts || slices.ContainsFunc(s.tokens, func(t token) bool { return t.quoted }) {
		return false
	}
	for i := range begins[0] { // "in Sprint 24, how many …" narrows what comes
		if is, _ := s.sense(i); is.sort != "stop" {
			return false
		}
	}
	for i, from := range begins {
		to := len(s.tokens)
		if i+1 < len(begins) {
			to = begins[i+1]
			for to > from && s.marked("and", to-1) {
				to--
			}
		}
		p := s.piece(from, to)
		if i > 0 && s.refersBack(p) || i > 1 && p.ofThose { // of those of the first, or of the second
			return false
		}
		s.parts = append(s.parts, p)
	}
	return true
}

// clauseEnds reports whether a clause ends before a token. A name in the place of "my" stands where that stood.
func (s *splitter) clauseEnds(at int) bool {
	from, to := s.tokens[at-1].end, s.tokens[at].start
	return from <= to && to <= len(s.text) && strings.ContainsAny(s.text[from:to], ",;?.!")
}

// asksAt is of how many words what asks consists that begins at a token; 0 when none does.
func (s *splitter) asksAt(at int) int {
	is, n := s.sense(at)
	if is.sort == "measure" && slices.Contains([]string{"who", "when", "count", "list"}, is.value) && !s.marked("listing", at) {
		return n
	}
	return 0
}

// piece takes the words of one part apart.
func (s *splitter) piece(from, to int) (p piece) {
	subject := from + s.asksAt(from)
	p.asks = s.raws(from, subject)
	if s.marked("of", subject) && s.marked("those", subject+1) {
		subject, p.ofThose = subject+2, true
	} else if s.marked("thereof", subject) {
		subject, p.ofThose = subject+1, true
	}
	predicate := subject
	for predicate < to && !s.marked("being", predicate) && !s.marked("having", predicate) {
		if is, _ := s.sense(predicate); is.sort == "verb" {
			break
		}
		predicate++
	}
	p.subject, p.predicate = s.raws(subject, predicate), s.raws(predicate, to)
	return p
}

// raws are tokens as they were written.
func (s *splitter) raws(from, to int) (out []string) {
	for _, t := range s.tokens[from:max(from, min(to, len(s.tokens)))] {
		out = append(out, t.raw)
	}
	return out
}

// refersBack reports whether a part speaks of what another one was about in a way that is not read.
func (s *splitter) refersBack(p piece) bool {
	return slices.ContainsFunc(slices.Concat(p.subject, p.predicate), func(w string) bool { return marked(s.in, "back", plain(w)) })
}

// predicates gives parts that say nothing of their subject what the last part says of its own.
func (s *splitter) predicates() {
	last := s.parts[len(s.parts)-1]
	for i := range s.parts {
		if len(s.parts[i].predicate) == 0 {
			s.parts[i].predicate = last.predicate
		}
	}
}

// subjects gives parts without a subject that of the first one, where both ask alike.
func (s *splitter) subjects() {
	first := s.parts[0]
	for i := range s.parts[1:] {
		if p := &s.parts[i+1]; len(p.subject) == 0 && plain(strings.Join(p.asks, " ")) == plain(strings.Join(first.asks, " ")) {
			p.subject = first.subject
		}
	}
}

// span gives parts that ask what happened, and not when, the time that the last part ends with.
func (s *splitter) span() {
	last := newReader(s.asker, s.parts[len(s.parts)-1].text(), s.v, s.now)
	last.scan()
	period := last.has("period")
	if period == nil || period.at+period.n < len(last.tokens) || !last.happens() {
		return
	}
	from := period.at
	if b := period.at - 1; b > 0 && last.items[len(last.items)-2].sort == "prep" {
		from = b
	}
	for i := range s.parts[:len(s.parts)-1] {
		p := &s.parts[i]
		own := newReader(s.asker, p.text(), s.v, s.now)
		own.scan()
		if own.has("period") == nil && own.happens() {
			for _, t := range last.tokens[from:] {
				p.predicate = append(slices.Clip(p.predicate), t.raw)
			}
		}
	}
}

// happens reports whether a question asks what happened to records.
func (r *reader) happens() bool {
	return r.has("verb", "created", "resolved", "updated", "reported") != nil || r.has("state", "done") != nil && r.marks("past")
}

// narrows reports whether a part names a sprint, a person or another value, or a record.
func (s *splitter) narrows(i int) bool {
	r := newReader(s.asker, s.parts[i].text(), s.v, s.now)
	r.scan()
	return r.has("named") != nil || r.has("person") != nil || r.has("title") != nil || r.has("key") != nil || r.has("word") != nil
}
