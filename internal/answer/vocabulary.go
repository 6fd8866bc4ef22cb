package answer

import (
	"cmp"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"chela/internal/desk"
	"chela/internal/query"
	"chela/internal/question"
)

var _ question.Vocabulary = (*Snapshot)(nil)

// names are what people call persons, sprints, labels and so on in the records of a project.
type names struct {
	people map[string][]called // by the first word
	values map[string][]valued
	some   bool // some ticket has a day of creation from its tracker
	every  bool
}

type called struct {
	words []string
	name  question.Name
}

type valued struct {
	words []string
	value question.Value
}

// maxNames bounds the names and values that are kept.
const maxNames = 20_000

func wordsOf(text string) []string {
	var out []string
	for _, w := range query.Words(text) {
		out = append(out, w.Text)
	}
	return out
}

// A census counts the names and values that records have.
type census struct {
	people  map[string]int
	values  map[question.Value]int
	tickets int
	dated   int  // tickets with a day of creation from their tracker
	changed bool // since the names were made of it
	readers map[desk.Kind][]nameReader
}

func newCensus() *census {
	return &census{people: make(map[string]int), values: make(map[question.Value]int), readers: make(map[desk.Kind][]nameReader)}
}

// takeCensus counts what records have, on all processors.
func takeCensus(records []*Record) *census {
	out := newCensus()
	var mu sync.Mutex // guards out
	var all sync.WaitGroup
	for some := range slices.Chunk(records, len(records)/runtime.GOMAXPROCS(0)+1) {
		all.Go(func() {
			part := newCensus()
			for _, r := range some {
				part.count(r, 1)
			}
			mu.Lock()
			defer mu.Unlock()
			out.add(part)
		})
	}
	all.Wait()
	return out
}

// add adds what another census has counted.
func (c *census) add(other *census) {
	c.tickets, c.dated, c.changed = c.tickets+other.tickets, c.dated+other.dated, c.changed || other.changed
	for name, n := range other.people {
		c.people[name] += n
	}
	for v, n := range other.values {
		c.values[v] += n
	}
}

// count adds what a record has, or takes it away with -1.
func (c *census) count(r *Record, n int) {
	if t, ok := r.Thing.(*desk.TicketBody); ok {
		c.tickets += n
		if t.CreatedOn != "" {
			c.dated += n
		}
	}
	readers, ok := c.readers[r.Kind]
	if !ok {
		readers = readersOf(r.Kind)
		c.readers[r.Kind] = readers
	}
	for _, f := range readers {
		for _, v := range f.read(r) {
			switch {
			case v.text == "":
			case f.person:
				c.changed = tally(c.people, v.text, n) || c.changed
			default:
				c.changed = tally(c.values, question.Value{Kind: r.Kind, Field: f.name, Text: v.text}, n) || c.changed
			}
		}
	}
}

// stale reports whether the names were made of something else than is counted now.
func (c *census) stale(n *names) bool {
	return c.changed || n.some != (c.dated > 0) || n.every != (c.dated == c.tickets)
}

// tally counts and reports whether there is another key now.
func tally[K comparable](counts map[K]int, key K, n int) bool {
	had := counts[key]
	if had+n <= 0 {
		delete(counts, key)
		return had > 0
	}
	counts[key] = had + n
	return had == 0
}

// names makes the names of what was counted, with some people.
func (c *census) names(people []*Record) *names {
	c.changed = false
	n := &names{people: make(map[string][]called), values: make(map[string][]valued), some: c.dated > 0, every: c.dated == c.tickets}
	values := slices.SortedFunc(maps.Keys(c.values), func(a, b question.Value) int {
		return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Field, b.Field), strings.Compare(a.Text, b.Text))
	})
	for _, v := range values[:min(len(values), maxNames)] {
		if words := wordsOf(v.Text); len(words) > 0 && len(words) <= 6 {
			n.values[words[0]] = append(n.values[words[0]], valued{words, v})
		}
	}
	others := slices.Sorted(maps.Keys(c.people))
	n.persons(people, others[:min(len(others), maxNames)])
	return n
}

// A nameReader reads a field of names or values.
type nameReader struct {
	name   string
	person bool
	read   func(*Record) []value
}

func readersOf(k desk.Kind) (out []nameReader) {
	for _, name := range k.Asked().Values {
		if read, _, ok := reads(k, name); ok {
			out = append(out, nameReader{name, false, read})
		}
	}
	for _, name := range k.Asked().Names {
		if read, _, ok := reads(k, name); ok {
			out = append(out, nameReader{name, true, read})
		}
	}
	return out
}

// persons adds the people by their names, and by the first or the last name alone where it is theirs; and others.
func (c *names) persons(people []*Record, others []string) {
	taken := make(map[string]bool)
	add := func(words []string, n question.Name) {
		if key := n.Name + "\x00" + strings.Join(words, " "); len(words) > 0 && len(words) <= 5 && !taken[key] {
			taken[key] = true
			c.people[words[0]] = append(c.people[words[0]], called{words, n})
		}
	}
	known := make(map[string]bool)
	each := func(name string, n question.Name) {
		words := wordsOf(name)
		add(words, n)
		if len(words) > 1 && len(words) <= 4 {
			add(words[:1], n)
			if last := words[len(words)-1:]; len(last[0]) > 2 {
				add(last, n)
			}
		}
	}
	for _, r := range people {
		b, ok := r.Thing.(*desk.ResourceBody)
		if !ok {
			continue
		}
		n := question.Name{Name: b.Name, ID: r.ID}
		known[strings.ToLower(b.Name)] = true
		each(b.Name, n)
		for _, a := range b.Aliases {
			known[strings.ToLower(a)] = true
			add(wordsOf(a), n)
		}
	}
	for _, name := range others {
		if words := wordsOf(name); !known[strings.ToLower(name)] && len(words) <= 4 && !c.goesBy(words) {
			each(name, question.Name{Name: name})
		}
	}
}

// goesBy reports whether the words are a name of somebody who is there already.
func (c *names) goesBy(words []string) bool {
	return len(words) > 0 && slices.ContainsFunc(c.people[words[0]], func(x called) bool { return slices.Equal(x.words, words) && x.name.ID != "" })
}

// Person implements [question.Vocabulary].
func (s *Snapshot) Person(words []string) (out []question.Name, n int) {
	if len(words) == 0 {
		return nil, 0
	}
	for _, c := range s.names.people[words[0]] {
		if len(c.words) < n || len(c.words) > len(words) || !slices.Equal(c.words, words[:len(c.words)]) {
			continue
		}
		if len(c.words) > n {
			out, n = nil, len(c.words)
		}
		if !slices.Contains(out, c.name) {
			out = append(out, c.name)
		}
	}
	return out, n
}

// Value implements [question.Vocabulary].
func (s *Snapshot) Value(words []string) (out []question.Value, n int) {
	parts, from := partsOf(words)
	if len(parts) == 0 {
		return nil, 0
	}
	for _, v := range s.names.values[parts[0]] {
		k := len(v.words)
		if k > len(parts) || !slices.Equal(v.words, parts[:k]) || k < len(parts) && from[k] == from[k-1] {
			continue
		}
		taken := from[k-1] + 1
		if taken < n {
			continue
		}
		if taken > n {
			out, n = nil, taken
		}
		out = append(out, v.value)
	}
	return out, n
}

// partsOf are the words of names in those of a question, each with the place of the word that it is of: "3.3.1" and "2026-03-09" are three of a name.
func partsOf(words []string) (parts []string, from []int) {
	for i, w := range words {
		for _, part := range wordsOf(w) {
			parts, from = append(parts, part), append(from, i)
		}
	}
	return parts, from
}

// titled are the kinds whose records people call by their titles.
func titled() (out []desk.Kind) {
	for _, k := range desk.Kinds() {
		if k.Asked().Titled {
			out = append(out, k)
		}
	}
	return out
}

func hit(r *Record) question.Hit { return question.Hit{ID: r.ID, Kind: r.Kind, Title: r.Title} }

// Key implements [question.Vocabulary].
func (s *Snapshot) Key(word string) []question.Hit {
	if r, ok := s.Find(word); ok {
		return []question.Hit{hit(r)}
	}
	if !strings.ContainsAny(word, "0123456789") || len(word) < 5 && !strings.Contains(word, "-") {
		return nil
	}
	for _, r := range s.byKind[desk.Ticket] {
		if len(r.Key) == len(word) && strings.EqualFold(r.Key, word) {
			return []question.Hit{hit(r)}
		}
	}
	return nil
}

// Titled implements [question.Vocabulary].
func (s *Snapshot) Titled(words []string) (out []question.Hit) {
	parts, from := partsOf(words)
	find := s.titledIn(parts)
	for _, k := range titled() {
		for _, r := range s.byKind[k] {
			if at, n := find(r); at >= 0 {
				h := hit(r)
				h.From, h.Words = from[at], from[at+n-1]-from[at]+1
				out = append(out, h)
			}
		}
	}
	return out
}

// Named implements [question.Vocabulary].
func (s *Snapshot) Named(words []string, kind desk.Kind) (out []question.Hit) {
	kinds := titled()
	if kind != "" {
		kinds = []desk.Kind{kind}
	}
	var numbers []int32
	dict := s.dictionary()
	for _, w := range words {
		for _, part := range wordsOf(w) {
			if n := dict.find(part); !slices.Contains(numbers, n) || n < 0 {
				numbers = append(numbers, n)
			}
		}
	}
	if len(numbers) == 0 || len(numbers) > 60 {
		return nil
	}
	type found struct {
		r    *Record
		mask uint64
	}
	var all []found
	often := make([]int, len(numbers))
	total := 1
	for _, k := range kinds {
		for _, r := range s.byKind[k] {
			total++
			mask, title := uint64(0), r.title()
			for i, n := range numbers {
				if n >= 0 && slices.Contains(title, n) {
					mask |= 1 << i
					often[i]++
				}
			}
			if mask != 0 {
				all = append(all, found{r, mask})
			}
		}
	}
	weight, sum := make([]float64, len(numbers)), 0.0
	for i := range numbers {
		weight[i] = rarity(total, often[i])
		sum += weight[i]
	}
	for _, f := range all {
		h := hit(f.r)
		for i, w := range weight {
			if f.mask&(1<<i) != 0 {
				h.Share += w / sum
				h.Words++
			}
		}
		out = append(out, h)
	}
	slices.SortStableFunc(out, func(a, b question.Hit) int { return cmp.Compare(b.Share, a.Share) })
	return out[:min(len(out), 50)]
}

// Knows implements [question.Vocabulary].
func (s *Snapshot) Knows(word string) bool {
	for _, part := range wordsOf(word) {
		if s.dictionary().find(part) < 0 {
			return false
		}
	}
	return true
}

// Spell implements [question.Vocabulary].
func (s *Snapshot) Spell(word string) (string, bool) {
	best, least := "", question.Typos(word)+1
	try := func(w string) {
		if len(w) < 4 {
			return
		}
		if d, ok := question.Mistyped(word, w, min(least, question.Typos(w), question.Typos(word))); ok && (d < least || w < best) {
			best, least = w, d
		}
	}
	for w, people := range s.names.people {
		if len(people) > 0 {
			try(w)
		}
	}
	dict := s.dictionary()
	dict.mu.RLock()
	defer dict.mu.RUnlock()
	begun := make([]string, 0, 2)
	for w := range dict.title {
		try(w)
		if len(word) > 4 && strings.HasPrefix(w, word) {
			begun = append(begun, w)
		}
	}
	if len(begun) > 0 {
		return begun[0], len(begun) == 1 // "retro" is no retry where a title has retrospective
	}
	return best, best != ""
}

// InRole implements [question.Vocabulary].
func (s *Snapshot) InRole(role string) (out []string) {
	for _, r := range s.byKind[desk.Resource] {
		if b, ok := r.Thing.(*desk.ResourceBody); ok && b.Role == role {
			out = append(out, r.Title)
		}
	}
	return out
}

// Meetings implements [question.Vocabulary].
func (s *Snapshot) Meetings(until desk.Date) (first, last string) {
	for _, r := range s.byKind[desk.Thread] {
		b, ok := r.Thing.(*desk.ThreadBody)
		if !ok || b.Date == "" || b.Date > until || b.Lifecycle == desk.ThreadMerged {
			continue
		}
		if first == "" || string(b.Date) < first {
			first = string(b.Date)
		}
		last = max(last, string(b.Date))
	}
	return first, last
}

// Days implements [question.Vocabulary].
func (s *Snapshot) Days(id string) (first, last desk.Date) {
	r, ok := s.Find(id)
	if !ok {
		return "", ""
	}
	c := computation{Snapshot: s}
	day := func(name string) desk.Date {
		f := question.FieldOf(r.Kind, name)
		if f == "" {
			return ""
		}
		return desk.Date(c.fieldFact(r, f).text)
	}
	last = day("when")
	if end := day("ends"); end != "" {
		last = end
	}
	if first = day("starts"); first == "" || last == "" {
		first = last
	}
	return first, last
}

// Dated implements [question.Vocabulary].
func (s *Snapshot) Dated() (some, all bool) {
	return s.names.some, s.names.every && s.names.some
}
