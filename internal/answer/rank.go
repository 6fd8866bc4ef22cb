package answer

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"chela/internal/desk"
	"chela/internal/query"
	"chela/internal/question"
)

// maxSought bounds how many words of a question are looked for.
const maxSought = 24

// Ranked returns the records that fit words best, in full text: rare words count more, a word of a title
// counts double, and records with all words come first.
func (s *Snapshot) Ranked(text string, most int) []*Record {
	words := s.sought(text)
	if len(words) == 0 {
		return nil
	}
	type found struct {
		r    *Record
		mask uint32
	}
	var all []found
	often := make([]int, len(words))
	total := 0
	for _, r := range s.all {
		if r.Kind.Association() || r.Kind == desk.Project {
			continue
		}
		total++
		mask := uint32(0)
		for i, w := range words {
			if r.has(w.same) {
				mask |= 1 << i
				often[i]++
			}
		}
		if mask != 0 {
			all = append(all, found{r, mask})
		}
	}
	score := func(f found) (sum float64) {
		for i, w := range words {
			if f.mask&(1<<i) == 0 {
				continue
			}
			weight := rarity(total, often[i])
			if slices.Contains(f.r.title(), w.stem) {
				weight *= 2
			}
			sum += weight
		}
		return sum + float64(f.r.Kind.Weight())*0.05
	}
	scores := make(map[*Record]float64, len(all))
	for _, f := range all {
		scores[f.r] = score(f)
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(scores[b.r], scores[a.r]) })
	out := make([]*Record, 0, most)
	for _, f := range all[:min(len(all), most)] {
		out = append(out, f.r)
	}
	return out
}

// rarity is how much a word tells that often of total records have.
func rarity(total, often int) float64 { return math.Log(1 + float64(total)/float64(1+often)) }

// A soughtWord is a word of a question with the words of its stem.
type soughtWord struct {
	stem int32
	same []int32
}

func (s *Snapshot) sought(text string) (out []soughtWord) {
	dict := s.dictionary()
	for _, w := range query.Words(text) {
		same := dict.same(w.Text)
		if n := dict.find(w.Text); n >= 0 && len(same) > 0 && len(out) < maxSought && !slices.ContainsFunc(out, func(x soughtWord) bool { return x.stem == n }) {
			out = append(out, soughtWord{n, same})
		}
	}
	return out
}

// Score weighs how well a record fits words, for the choice of what a model is shown.
func (s *Snapshot) quoted(r *Record, words string) string {
	best, most := "", 0
	want := make(map[string]bool)
	for _, w := range query.Words(words) {
		want[stem(w.Text)] = true
	}
	for i, text := range desk.Texts(r.Kind, r.Thing) {
		if i == 0 && most == 0 {
			best = text
		}
		for _, part := range sentences(text) {
			n := 0
			seen := make(map[string]bool)
			for _, w := range query.Words(part) {
				if st := stem(w.Text); want[st] && !seen[st] {
					seen[st] = true
					n++
				}
			}
			if n > most || n == most && n > 0 && best == r.Title {
				best, most = part, n
			}
		}
	}
	return clip(best, 240)
}

// quote is the sentence of a record that has most of the plan's words.
func (c *computation) quote(r *Record) string { return c.quoted(r, c.plan.Words) }

// sentences splits a text at the ends of sentences and lines, at most 400 of them.
func sentences(text string) (out []string) {
	for line := range strings.Lines(text) {
		for part := range strings.SplitSeq(line, ". ") {
			if part = strings.TrimSpace(part); part != "" {
				out = append(out, part)
			}
			if len(out) == 400 {
				return out
			}
		}
	}
	return out
}

// clip cuts a text at a word, after at most so many letters.
func clip(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	cut := string(r[:most])
	if i := strings.LastIndexByte(cut, ' '); i > most/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

// fields are the fields that the plan is about.
func (c *computation) fields() (out []string) {
	add := func(name string) {
		if name != "" && !question.Reckoned(name) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	add(c.plan.By)
	add(c.plan.Of)
	add(strings.TrimPrefix(c.plan.Sort, "-"))
	if some, _ := c.Dated(); some && question.Reckoned(c.plan.Of) { // else it is reckoned from when the tickets came to be here
		add("externalCreated")
	}
	if c.plan.Of == question.Duration {
		add("closedOn")
	}
	if e, err := c.plan.Where(c.plan.Filter, c.now); err == nil {
		for _, f := range named(e) {
			add(f)
		}
	}
	return slices.DeleteFunc(out, func(n string) bool { return n == "count" })
}

// named returns the fields of a condition.
func named(e query.Expr) (out []string) {
	switch e := e.(type) {
	case query.And:
		for _, x := range e {
			out = append(out, named(x)...)
		}
	case query.Or:
		for _, x := range e {
			out = append(out, named(x)...)
		}
	case query.Not:
		return named(e.Of)
	case query.Term:
		return []string{e.Field.Name}
	}
	return out
}

// anyHas reports whether any record of the plan's kind has a field.
func (c *computation) anyHas(name string) bool {
	read, f, ok := c.reads(name)
	if !ok {
		return true
	}
	for _, r := range c.byKind[c.plan.Kind] {
		if slices.ContainsFunc(read(r), func(v value) bool { return isSet(f, v) }) {
			return true
		}
	}
	return false
}

// reads returns what reads a field of the plan's kind.
func (c *computation) reads(name string) (func(*Record) []value, query.Field, bool) {
	return reads(c.plan.Kind, name)
}

// readsDay is as reads. A ticket of which no tracker says when it was created was created when its record was.
func (c *computation) readsDay(name string) (func(*Record) []value, query.Field, bool) {
	read, f, ok := c.reads(name)
	if !ok || name != "externalCreated" {
		return read, f, ok
	}
	return func(r *Record) []value {
		if vs := read(r); first(vs).set {
			return vs
		}
		return []value{{set: true, text: string(desk.DateOf(r.CreatedAt))}}
	}, f, true
}

func reads(k desk.Kind, name string) (func(*Record) []value, query.Field, bool) {
	type key struct {
		kind desk.Kind
		name string
	}
	if had, ok := readers.Load(key{k, name}); ok {
		r := had.(reader) //nolint:forcetypeassert,errcheck // stored below
		return r.read, r.field, true
	}
	fields, err := desk.Fields(k)
	f, ok := fields.Find(name)
	if err != nil || !ok {
		return nil, f, false
	}
	r := reader{values(k, f), f}
	readers.Store(key{k, name}, r)
	return r.read, f, true
}

// A reader reads a field.
type reader struct {
	read  func(*Record) []value
	field query.Field
}

// readers are those of the fields of all kinds, as they are asked for first.
var readers sync.Map //nolint:gochecknoglobals // what is computed of a table
