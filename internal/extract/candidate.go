package extract

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// Who is to act is chosen among candidates: those whom the sentence names, whose words or whose list it is, whom the sentences beside
// it name, who wrote the notes, and nobody. ADR 0058 says why.

// A Candidate may be who is to do what a sentence says; nobody has no name.
type Candidate struct {
	Name   string
	Traits []uint32
}

// A candidate is one with the places where the text has the name.
type candidate struct {
	name, full string
	roles      []string
	places     []place
	traits     []trait
}

// A place is where a sentence names a candidate: its first piece and the one behind its last.
type place struct{ from, to int }

// nowhere is of whom the sentence does not name.
var nowhere = place{-1, -1}

// mostCandidates are the most who are weighed for one sentence.
const mostCandidates = 24

// candidatesAt are who may be to do what the sentence at a place of those heard says; chosen is whom rules chose.
func (s *scanner) candidatesAt(at int, chosen string, found float64, ruled bool) []candidate {
	h := s.heard[at]
	c := &choosing{s: s, h: h, pieces: s.peopleIn(h.text)}
	c.add("", "nobody", nowhere)
	c.add(chosen, "chosen", nowhere)
	c.named()
	c.small()
	c.offices()
	c.around(at)
	c.talk(at)
	c.cast()
	c.weigh(chosen, found, ruled)
	return c.all
}

// choosing is the choice of one sentence.
type choosing struct {
	s      *scanner
	h      heard
	pieces []piece
	all    []candidate
	names  int // how many the sentence names
}

// full is inFull, with commas between several people, kept for each name.
func (s *scanner) full(name string) string {
	full, ok := s.fullOf[name]
	if !ok {
		if s.fullOf == nil {
			s.fullOf = make(map[string]string)
		}
		full = strings.Join(nameJoint.Split(s.inFull(name), -1), ", ")
		s.fullOf[name] = full
	}
	return full
}

// peopleIn are the pieces of a text, with the words in small letters that name somebody who is known.
func (s *scanner) peopleIn(text string) []piece {
	out, ok := s.piecesOf[text]
	if ok {
		return out
	}
	out = s.capitalNames(pieces(text))
	for i, p := range out {
		if p.sort == wordPiece && len(p.text) > 1 && p.low == p.text && !notNames[p.low] && !frequent[p.low] && s.knowsWord(p.text) {
			out[i].sort = namePiece
		}
	}
	if s.piecesOf == nil {
		s.piecesOf = make(map[string][]piece)
	}
	s.piecesOf[text] = out
	return out
}

// add adds a role of somebody, who may be a candidate already.
func (c *choosing) add(name, role string, at place) {
	name = strings.TrimSpace(strings.ReplaceAll(name, "@", ""))
	if name == "" && role != "nobody" || pronouns[strings.ToLower(name)] {
		return
	}
	full := strings.ToLower(c.s.full(name))
	i := slices.IndexFunc(c.all, func(o candidate) bool { return o.full == full })
	if i < 0 {
		if len(c.all) >= mostCandidates {
			return
		}
		i = len(c.all)
		c.all = append(c.all, candidate{name: name, full: full})
	}
	if !slices.Contains(c.all[i].roles, role) {
		c.all[i].roles = append(c.all[i].roles, role)
	}
	if at != nowhere {
		c.all[i].places = append(c.all[i].places, at)
	}
}

// together reports the words and marks between people who do something together.
func together(p piece) bool {
	return p.low == "and" || p.low == "und" || p.sort == markPiece && strings.Contains(",&/+", p.text)
}

// named adds whom the sentence names, each alone and those who stand together.
func (c *choosing) named() {
	for i := 0; i < len(c.pieces); i++ {
		if c.pieces[i].sort != namePiece {
			continue
		}
		from, end, those := i, i+1, []string{c.s.withTitle(c.pieces, i)}
		c.add(those[0], "named", place{i, i + 1})
		c.names++
		for end+1 < len(c.pieces) && together(c.pieces[end]) {
			next := end + 1
			if together(c.pieces[next]) && next+1 < len(c.pieces) { // ", and"
				next++
			}
			if c.pieces[next].sort == titlePiece && next+1 < len(c.pieces) {
				next++
			}
			if c.pieces[next].sort != namePiece {
				break
			}
			name := c.s.withTitle(c.pieces, next)
			c.add(name, "named", place{next, next + 1})
			c.names++
			those, end = append(those, name), next+1
		}
		if len(those) > 1 && (from == 0 || slices.ContainsFunc(c.pieces[from:end], func(p piece) bool { return p.text != "," && together(p) })) {
			c.add(strings.Join(those, ", "), "together", place{from, end})
		}
		i = end - 1
	}
}

// withTitle is the name of a piece, in full where its title says whose family name it is.
func (s *scanner) withTitle(ps []piece, i int) string {
	name := ps[i].text
	if i > 0 && ps[i-1].sort == titlePiece {
		title := ps[i-1].text
		if full := s.full(title + " " + name); strings.HasSuffix(strings.ToLower(full), ps[i].low) && !strings.HasPrefix(full, title) {
			return full
		}
	}
	return name
}

// small adds words in small letters where a name may stand: at the beginning before what somebody does, and at the end.
func (c *choosing) small() {
	ps := c.pieces
	for i := range ps[:min(len(ps), smallWithin)] {
		if !c.mayName(i) || i > 0 && ps[i-1].sort == wordPiece && !together(ps[i-1]) && !leadsIn[ps[i-1].low] || i+1 >= len(ps) || !c.does(ps[i+1]) {
			continue
		}
		c.add(ps[i].text, "small", place{i, i + 1})
		if together(ps[i+1]) && c.mayName(i+2) {
			c.add(ps[i].text+", "+ps[i+2].text, "small together", place{i, i + 3})
		}
	}
	if n := len(ps) - 1; n > 2 && ps[n].text == ")" && ps[n-2].text == "(" && c.mayName(n-1) {
		c.add(ps[n-1].text, "small end", place{n - 1, n})
	} else if n > 1 && c.mayName(n) && ps[n-1].sort == markPiece {
		c.add(ps[n].text, "small end", place{n, n + 1})
	}
}

// smallWithin are the first pieces of a sentence among which names in small letters are looked for.
const smallWithin = 5

var (
	// leadsIn are words before the subject of a sentence.
	leadsIn = set(list("so, then, and, but, also, und, dann, ok, okay"))
	// pronouns and sounds are nobody's name.
	pronouns = set(list("um, uh, erm, hmm, i, me, myself, ich, we, you, he, she, they"))
)

// does reports what may stand behind who acts.
func (c *choosing) does(p piece) bool {
	return p.sort != wordPiece || together(p) || strings.HasSuffix(p.low, "s") || strings.HasSuffix(p.low, "t") || c.s.verbal(p.low) || p.low == "to" || p.low == "will" || p.low == "could" || p.low == "please"
}

// mayName reports a word in small letters that has no other sort.
func (c *choosing) mayName(i int) bool {
	if i < 0 || i >= len(c.pieces) || c.pieces[i].sort != wordPiece || c.pieces[i].low != c.pieces[i].text || len(c.pieces[i].text) < 2 {
		return false
	}
	low := c.pieces[i].low
	return !notNames[low] && !frequent[low] && !greets[low] && !hereWords[low] && !awayNames[low] && !weakWords[low] && c.s.class(low) == "w" && !roles[low] &&
		!strings.ContainsFunc(low, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '_' })
}

// samePerson reports whether two names mean the same person.
func (s *scanner) samePerson(a, b string) bool {
	return strings.EqualFold(s.full(a), s.full(b))
}

// rank is how likely each of some candidates is to act.
func (w *Weights) rank(all []candidate) []float64 {
	out := make([]float64, len(all))
	sum := 0.0
	for i, c := range all {
		n := 0
		for _, t := range c.traits {
			n += int(w.owns[t])
		}
		out[i] = math.Exp(float64(n) / WeightScale)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// weighOwners are who is to act, by the sentence of an action that was found or is to be added. Whom a rule chose gives way to
// somebody who is surely more likely.
func (s *scanner) weighOwners(w *Weights, likely [][heads]float64) map[int]string {
	out, ruled := make(map[int]string), s.actsAt()
	s.fullOf, s.piecesOf, s.cast, s.spelled = nil, nil, nil, nil // those who were likely there are known by now
	for i, h := range s.heard {
		if isWord(h.text) || placeholder.MatchString(h.text) || len(ruled[i]) > 1 || len(ruled[i]) == 0 && likely[i][actionWeight] < w.Action {
			continue
		}
		chosen, found := s.chosenAt(i, ruled)
		if len(ruled[i]) == 1 && len(nameJoint.Split(chosen, -1)) > 1 { // rules name several only where they stand together
			continue
		}
		all := s.candidatesAt(i, chosen, found, true)
		p := w.rank(all)
		best := 0
		for j := range all {
			if all[j].name != "" && (len(ruled[i]) == 0 || !s.samePerson(all[j].name, chosen)) && !s.acts(all[j].name) && !s.begins(h, all[j].name) {
				p[j] = 0
			}
		}
		for j := range all {
			if p[j] > p[best] {
				best = j
			}
		}
		if len(ruled[i]) == 0 {
			if p[best] >= w.Owner {
				out[i] = all[best].name
			}
			continue
		}
		is := slices.IndexFunc(all, func(c candidate) bool { return s.samePerson(c.name, chosen) })
		if is < 0 || p[best] >= surelyBetter*p[is] {
			out[i] = all[best].name
		}
	}
	return out
}

// actsAt are the actions that rules found, by their sentence.
func (s *scanner) actsAt() map[int][]int {
	out := make(map[int][]int)
	for i, a := range s.out.Actions {
		at := s.heardOf(a)
		out[at] = append(out[at], i)
	}
	return out
}

// heardOf is the sentence in which an action stands, -1 for none.
func (s *scanner) heardOf(a Action) int {
	best, most := -1, 0
	for _, i := range s.heardIn(a.Span) {
		h := s.heard[i]
		if !h.covers(a.Span, a.Text) {
			continue
		}
		points := 1
		if strings.Contains(h.text, a.Text) || strings.Contains(a.Text, h.text) {
			points = 2
		}
		if points > most {
			best, most = i, points
		}
	}
	return best
}

// chosenAt is whom rules chose for a sentence, and how sure they are that it is an action.
func (s *scanner) chosenAt(at int, ruled map[int][]int) (owner string, found float64) {
	if of := ruled[at]; len(of) > 0 {
		a := s.out.Actions[of[0]]
		return a.Owner, a.Confidence
	}
	return s.ownerIn(s.heard[at]), 0
}

// Candidates are those who may be to do what the sentence says, in a text of which it is known who was there.
func (one Sentence) Candidates(there []string) []Candidate {
	s := one.in
	for _, name := range there {
		if s.meant(name, false) == "" {
			a := Attendee{Name: name}
			s.out.Attendees, s.guessed = append(s.out.Attendees, a), append(s.guessed, a)
			s.fullOf, s.piecesOf, s.cast, s.spelled = nil, nil, nil, nil
		}
	}
	chosen, found := s.chosenAt(one.at, s.actsAt())
	var out []Candidate
	for _, c := range s.candidatesAt(one.at, chosen, found, one.ruled) {
		out = append(out, Candidate{Name: s.inFull(c.name), Traits: numbers(c.traits)})
	}
	return out
}
