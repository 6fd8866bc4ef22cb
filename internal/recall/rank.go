package recall

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// The constants of the ranking. They are of the size that is usual for short texts; the benchmark says what each
// part is worth.
const (
	passageK1, passageB = 1.2, 0.4
	sessionK1, sessionB = 1.6, 0.6

	beside, besideAsked, after = 0.4, 0.6, 0.25 // shares of the passage before, of a question before, and of the next

	mentioned   = 0.4  // a name in a text, of the name of who speaks
	strangers   = 0.75 // what others say than who is asked about
	inPeriod    = 1.45
	offPeriod   = 0.85
	kindGain    = 1.12
	asksLess    = 0.85 // a question says less than its answer
	newest      = 0.05
	asksNewest  = 0.6
	likely      = 0.4 // of the best score: from there a passage may be what is asked for
	superseded  = 0.5
	sessionPart = 0.35 // of a session's score in its passages
	bestPart    = 0.8  // of its best passage in a session's score
	secondPart  = 0.25
	commonShare = 0.04 // of all passages: a word that more have is common
	covered     = 0.34 // of the question's words, by their rarity: one word alone that is less is noise
	similar     = 0.5  // from where two passages say about the same
	repeats     = 0.6
	sessionDate = 0.6  // what a session in the period gets
	least       = 0.08 // of the best score: what is less is left out
)

// halfLife is after how many days a passage has half of what being new is worth.
const halfLife = 30

// A match is what an entry has of the question.
type match struct {
	values  []float64 // by concept
	score   float64
	weak    bool
	reasons []Reason
}

// ranker ranks one question.
type ranker struct {
	*Index
	q        Question
	weights  []float64 // by concept: the rarity of its own word
	common   []bool
	persons  []bool  // by concept: it is a speaker's name
	spoken   [][]int // by concept: the entries of that speaker
	asked    []int   // the concepts that stand for a speaker
	matches  map[int]*match
	sessions []float64
}

// Rank ranks the sessions and passages for a question, at most limit of each.
func (x *Index) Rank(q Question, limit int) Ranking {
	r := &ranker{Index: x, q: q, matches: make(map[int]*match)}
	r.find()
	r.neighbours()
	r.score()
	r.bySession()
	return Ranking{Sessions: r.rankedSessions(limit), Passages: r.rankedPassages(limit)}
}

func (r *ranker) at(e int) *match {
	m := r.matches[e]
	if m == nil {
		m = &match{values: make([]float64, len(r.q.concepts))}
		r.matches[e] = m
	}
	return m
}

// find fills in what each passage has of each concept.
func (r *ranker) find() {
	n := len(r.q.concepts)
	if r.options.on(Dates) && len(r.q.periods) > 0 {
		for i, e := range r.entries {
			if p, ok := r.overlapping(e, r.q.periods); ok && p.To.Sub(p.From).Hours() <= 24*8 {
				r.at(i)
			}
		}
	}
	r.weights, r.common, r.persons = make([]float64, n), make([]bool, n), make([]bool, n)
	r.people()
	for c, concept := range r.q.concepts {
		if r.persons[c] {
			continue
		}
		for i, s := range concept.senses {
			in, _ := r.stats.Of(s.term)
			w := s.weight * rarity(r.stats.Passages, in)
			if i == 0 || in > 0 && s.how == "word" {
				r.weights[c] = max(r.weights[c], w)
				r.common[c] = float64(in) > commonShare*float64(r.stats.Passages)
			}
			for _, p := range r.byTerm[s.term] {
				e := &r.entries[p.entry]
				v := w * saturated(p.count, e.length, r.length, passageK1, passageB)
				m := r.at(p.entry)
				if v > m.values[c] {
					m.values[c] = v
					m.reasons = append(m.reasons, Reason{s.how, concept.word, v})
				}
			}
		}
	}
	for c := range r.q.concepts {
		if r.persons[c] {
			r.person(c)
		}
	}
}

// people finds the speakers that the question names. Words of one name are one person: the first stands for all.
func (r *ranker) people() {
	r.spoken = make([][]int, len(r.q.concepts))
	last := -1
	for c, concept := range r.q.concepts {
		spoken := r.named(concept.word)
		if len(spoken) == 0 {
			last = -1
			continue
		}
		r.persons[c] = true
		if last >= 0 {
			if both := shared(r.spoken[last], spoken); len(both) > 0 {
				r.spoken[last] = both
				continue
			}
		}
		r.spoken[c], last = spoken, c
	}
	for c, spoken := range r.spoken {
		if r.persons[c] && spoken != nil {
			r.asked = append(r.asked, c)
		}
	}
}

// shared are the numbers in both lists, which ascend.
func shared(a, b []int) []int {
	var out []int
	for _, n := range a {
		if _, ok := slices.BinarySearch(b, n); ok {
			out = append(out, n)
		}
	}
	return out
}

// person fills in who speaks and who is spoken of.
func (r *ranker) person(c int) {
	spoken := r.spoken[c]
	if spoken == nil {
		return
	}
	w := rarity(r.stats.Passages, len(spoken)*max(1, r.stats.Passages/max(1, len(r.entries))))
	r.weights[c] = w
	name := r.q.concepts[c].word
	for _, p := range r.byTerm[r.q.concepts[c].senses[0].term] {
		m := r.at(p.entry)
		m.values[c] = mentioned * w
		m.reasons = append(m.reasons, Reason{"name", name, m.values[c]})
	}
	for _, e := range spoken {
		if m := r.matches[e]; m != nil { // who speaks alone makes no hit
			m.values[c] = w
			m.reasons = append(m.reasons, Reason{"speaker", name, w})
		}
	}
}

// neighbours gives passages a share of what stands beside them.
func (r *ranker) neighbours() {
	if !r.options.on(Neighbours) {
		return
	}
	type share struct {
		from, to int
		part     float64
	}
	var shares []share
	for e := range r.matches {
		if n := r.entries[e].next; n >= 0 {
			part := beside
			if r.entries[e].asks && r.entries[n].Speaker != r.entries[e].Speaker {
				part = besideAsked
			}
			shares = append(shares, share{e, n, part})
		}
		if p := r.entries[e].prev; p >= 0 {
			shares = append(shares, share{e, p, after})
		}
	}
	own := make(map[int][]float64, len(r.matches))
	for e, m := range r.matches {
		own[e] = slices.Clone(m.values)
	}
	slices.SortFunc(shares, func(a, b share) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from)) })
	for _, s := range shares {
		gain := 0.0
		to := r.at(s.to)
		for c, v := range own[s.from] {
			if more := s.part*v - to.values[c]; more > 0 && !r.persons[c] {
				to.values[c] += more
				gain += more
			}
		}
		if gain > 0 {
			to.reasons = append(to.reasons, Reason{"near", r.entries[s.from].ID, gain})
		}
	}
}

// score adds up what the passages have, and weighs it.
func (r *ranker) score() {
	best := 0.0
	for e, m := range r.matches {
		strong, words := 0, 0
		for c, v := range m.values {
			m.score += v
			if v > 0 && !r.persons[c] {
				words++
				if !r.common[c] && v >= 0.3*r.weights[c] {
					strong++
				}
			}
		}
		m.weak = r.options.on(Gates) && words <= 1 && (strong == 0 && r.informative() >= 2 || r.informative() >= 3 && r.coverage(m) < covered)
		r.weigh(e, m)
		best = max(best, m.score)
	}
	r.byTime(best)
	if !r.options.on(Dates) || len(r.q.periods) == 0 {
		return
	}
	for e, m := range r.matches {
		if p, ok := r.overlapping(r.entries[e], r.q.periods); ok {
			m.score = m.score*inPeriod + 0.1*best
			m.reasons = append(m.reasons, Reason{"date", p.Text, inPeriod})
		} else {
			m.score *= offPeriod
		}
	}
}

// coverage is the share of the question's words that a passage has, by their rarity.
func (r *ranker) coverage(m *match) float64 {
	has, all := 0.0, 0.0
	for c, w := range r.weights {
		if r.persons[c] {
			continue
		}
		if all += w; m.values[c] > 0 {
			has += w
		}
	}
	return has / math.Max(all, 1e-9)
}

// informative is how many words of the question are not names of speakers.
func (r *ranker) informative() int {
	n := 0
	for _, is := range r.persons {
		if !is {
			n++
		}
	}
	return n
}

// weigh multiplies a score by what tells a likely answer from others that have the same words.
func (r *ranker) weigh(i int, m *match) {
	e := &r.entries[i]
	by := func(part, text string, factor float64) {
		m.score *= factor
		if factor > 1 {
			m.reasons = append(m.reasons, Reason{part, text, factor})
		}
	}
	m.score *= r.heard(i)
	switch {
	case r.q.sought == aTime && len(e.periods) > 0:
		by("kind", "a time", kindGain)
	case r.q.sought == aNumber && e.number:
		by("kind", "a number", kindGain)
	case r.q.sought == aName && e.named:
		by("kind", "a name", kindGain)
	}
	if r.options.on(Kinds) && e.asks {
		m.score *= asksLess
	}
	if e.Weight != 1 {
		m.score *= 0.75 + 0.25*e.Weight
	}
	if !r.options.on(Recency) {
		return
	}
	if e.Superseded && r.q.latest >= 0 {
		m.score *= superseded
		m.reasons = append(m.reasons, Reason{"superseded", "", superseded})
	}
	m.score *= 1 + newest*r.fresh(i)
}

// fresh is between 0 and 1: how new a passage is.
func (r *ranker) fresh(i int) float64 {
	at := r.entries[i].At
	if at.IsZero() {
		return 0
	}
	return math.Exp2(-r.latest.Sub(at).Hours() / 24 / halfLife)
}

// byTime prefers the latest of the likely passages, or the first, when the question asks for it.
func (r *ranker) byTime(best float64) {
	if r.q.latest == 0 {
		return
	}
	var from, to time.Time
	for e, m := range r.matches {
		at := r.entries[e].At
		if at.IsZero() || m.score < likely*best {
			continue
		}
		if from.IsZero() || at.Before(from) {
			from = at
		}
		if at.After(to) {
			to = at
		}
	}
	span := float64(to.Sub(from))
	for e, m := range r.matches {
		at := r.entries[e].At
		if span <= 0 || at.IsZero() || m.score < likely*best {
			continue
		}
		place := float64(at.Sub(from)) / span
		if r.q.latest < 0 {
			place = 1 - place
		}
		m.score *= 1 + asksNewest*place
		m.reasons = append(m.reasons, Reason{"recency", at.Format(time.DateOnly), 1 + asksNewest*place})
	}
}

// bySession scores the sessions: their words together, and their best passages.
func (r *ranker) bySession() {
	r.sessions = make([]float64, len(r.Index.sessions))
	first, second := make([]float64, len(r.sessions)), make([]float64, len(r.sessions))
	counts := make([]map[int]float64, len(r.q.concepts))
	for c, concept := range r.q.concepts {
		counts[c] = make(map[int]float64)
		if r.persons[c] {
			continue
		}
		for _, s := range concept.senses {
			here := make(map[int]float64)
			for _, p := range r.byTerm[s.term] {
				here[r.entries[p.entry].session] += p.count * s.weight * r.heard(p.entry)
			}
			_, in := r.stats.Of(s.term)
			for g, n := range here {
				v := rarity(r.stats.Sessions, in) * s.weight * saturated(n, r.Index.sessions[g].length, r.long, sessionK1, sessionB)
				counts[c][g] = max(counts[c][g], v)
			}
		}
		for g, v := range counts[c] {
			r.sessions[g] += v
		}
	}
	for e, m := range r.matches {
		g := r.entries[e].session
		switch {
		case m.score > first[g]:
			first[g], second[g] = m.score, first[g]
		case m.score > second[g]:
			second[g] = m.score
		}
	}
	if !r.options.on(Stages) {
		return
	}
	whole, best := slices.Max(append(slices.Clone(r.sessions), 1e-9)), slices.Max(append(slices.Clone(first), 1e-9))
	for g := range r.sessions {
		r.sessions[g] = r.sessions[g]/whole + bestPart*first[g]/best + secondPart*second[g]/best
		if len(r.q.periods) > 0 && r.said(g) {
			r.sessions[g] += sessionDate
		}
	}
}

// said reports whether a session was in a period of the question.
func (r *ranker) said(g int) bool {
	at := r.entries[r.Index.sessions[g].entries[0]].At
	return !at.IsZero() && slices.ContainsFunc(r.q.periods, func(p Period) bool { return p.holds(at.UTC()) })
}

// heard is what a passage counts for its session and by itself: less when somebody else is asked about.
func (r *ranker) heard(e int) float64 {
	if len(r.asked) != 1 {
		return 1
	}
	if _, by := slices.BinarySearch(r.spoken[r.asked[0]], e); by {
		return 1
	}
	return strangers
}
