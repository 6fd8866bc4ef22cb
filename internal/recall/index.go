package recall

import (
	"math"
	"slices"
	"strings"
	"time"

	"chela/internal/query"
)

// Stats are what is known of words beyond the passages of an [Index]: a store that gives candidates alone says how
// common their words are among all.
type Stats struct {
	Passages int
	Sessions int
	// Of says in how many passages and in how many sessions a term is.
	Of func(term string) (passages, sessions int)
}

// An Index holds passages in their sessions. It is read only, so many questions may be ranked at once.
type Index struct {
	options  Options
	entries  []entry
	sessions []group
	byTerm   map[string][]posting
	speakers map[string][]int // by each word of a name: the entries of that speaker
	stats    Stats
	length   float64 // of a passage on average, in terms
	long     float64 // of a session on average
	latest   time.Time
}

// An entry is a passage in the index.
type entry struct {
	Passage
	session    int
	prev, next int // entries beside it, -1 for none
	length     float64
	asks       bool // it is a question itself
	periods    []Period
	number     bool
	named      bool
}

// A group is a session.
type group struct {
	id      string
	entries []int
	length  float64
}

type posting struct {
	entry int
	count float64
}

// titleWeight is what a word in a title counts, in words of a text.
const titleWeight = 2

// NewIndex returns an index of passages. Those of a session come in their order; passages next to one another in it
// are neighbours when their places are: places gives the position of each in its session, nil stands for the order.
func (o Options) NewIndex(passages []Passage, places []int, stats Stats) *Index {
	x := &Index{options: o, byTerm: make(map[string][]posting), speakers: make(map[string][]int), stats: stats}
	sessions := make(map[string]int)
	last := make(map[int]int) // by session: its last place
	for i, p := range passages {
		s, ok := sessions[p.Session]
		if !ok {
			s = len(x.sessions)
			sessions[p.Session] = s
			x.sessions = append(x.sessions, group{id: p.Session})
		}
		e := o.entryOf(p)
		e.session, e.prev, e.next = s, -1, -1
		if in := x.sessions[s].entries; len(in) > 0 {
			if before := in[len(in)-1]; places == nil || places[i] == last[s]+1 {
				e.prev = before
				x.entries[before].next = i
			}
		}
		if places != nil {
			last[s] = places[i]
		}
		x.sessions[s].entries = append(x.sessions[s].entries, i)
		x.sessions[s].length += e.length
		x.entries = append(x.entries, e)
		x.length += e.length
		if p.At.After(x.latest) {
			x.latest = p.At
		}
		x.count(i)
	}
	x.long = x.length / float64(max(1, len(x.sessions)))
	x.length /= float64(max(1, len(x.entries)))
	if stats.Of == nil {
		x.stats = x.counted()
	}
	return x
}

func (o Options) entryOf(p Passage) entry {
	if p.Terms == nil || !o.on(Stems) || !o.on(Lexicon) {
		p.Terms = o.terms(p.Text)
	}
	if p.Weight == 0 {
		p.Weight = 1
	}
	e := entry{Passage: p, length: float64(len(p.Terms)), asks: strings.HasSuffix(strings.TrimRight(p.Text, " \n\"'"), "?")}
	if o.on(Dates) || o.on(Kinds) {
		e.periods = Periods(p.Text, p.At)
	}
	for i, w := range query.Words(p.Text) {
		if w.Text[0] >= '0' && w.Text[0] <= '9' || numbers[w.Text] != "" {
			e.number = true
		}
		if i > 0 && w.Text != "i" && capital(p.Text[w.Start:]) && w.Start >= 2 && !strings.ContainsAny(p.Text[w.Start-2:w.Start], ".!?") {
			e.named = true
		}
	}
	return e
}

// count adds an entry to the postings.
func (x *Index) count(i int) {
	e := &x.entries[i]
	counts := make(map[string]float64, len(e.Terms))
	for _, t := range e.Terms {
		counts[t]++
	}
	for _, t := range x.options.terms(e.Title) {
		counts[t] += titleWeight
		e.length++
	}
	for t, n := range counts {
		x.byTerm[t] = append(x.byTerm[t], posting{i, n})
	}
	if e.Speaker == "" {
		return
	}
	for _, w := range query.Words(e.Speaker) {
		x.speakers[w.Text] = append(x.speakers[w.Text], i)
	}
}

// counted are the counts of the passages themselves.
func (x *Index) counted() Stats {
	return Stats{Passages: len(x.entries), Sessions: len(x.sessions), Of: func(term string) (int, int) {
		in := make(map[int]bool)
		for _, p := range x.byTerm[term] {
			in[x.entries[p.entry].session] = true
		}
		return len(x.byTerm[term]), len(in)
	}}
}

// rarity is what a word counts that n of all have.
func rarity(all, n int) float64 {
	return math.Log(1 + (float64(max(all, n)-n)+0.5)/(float64(n)+0.5))
}

// saturated is BM25's weight of a count in a text of a length.
func saturated(count, length, average, k1, b float64) float64 {
	if count == 0 {
		return 0
	}
	return count * (k1 + 1) / (count + k1*(1-b+b*length/math.Max(average, 1)))
}

// named returns the entries of the speaker that a word names; nil when none is called so.
func (x *Index) named(word string) []int {
	if !x.options.on(Names) {
		return nil
	}
	return x.speakers[word]
}

func (x *Index) overlapping(e entry, periods []Period) (Period, bool) {
	for _, p := range periods {
		if !e.At.IsZero() && p.holds(e.At.UTC()) || slices.ContainsFunc(e.periods, p.overlaps) {
			return p, true
		}
	}
	return Period{}, false
}
