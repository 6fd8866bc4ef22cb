// Package answer computes the answers of plans (package question) over the records of one project: a
// sentence, a table of which each row cites its record, and what the records do not have. It computes;
// it never guesses. [Snapshot] is the project; [Snapshot.Compute] is the way in.
package answer

import (
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"chela/internal/capacity"
	"chela/internal/desk"
	"chela/internal/query"
)

// A Record is a record with what questions look at. It does not change.
type Record struct {
	desk.Record
	Thing    desk.Thing
	Title    string
	Key      string // in its tracker, of a ticket
	Status   string
	Owners   []string // names, of a ticket
	OwnerIDs []string

	title []int32 // its words, by their stems
	terms []int32 // the words of its texts, sorted, each once
}

// maxTerms bounds how many different words of a record are looked through.
const maxTerms = 4000

// A Dictionary numbers the words of a project's records.
type Dictionary struct {
	mu    sync.RWMutex // guards what follows
	ids   map[string]int32
	words []string
	stems map[int32][]int32 // words by their stem
	title map[string]bool   // words of titles and names
}

// NewDictionary returns an empty dictionary.
func NewDictionary() *Dictionary {
	return &Dictionary{ids: make(map[string]int32), stems: make(map[int32][]int32), title: make(map[string]bool)}
}

// number returns the number of a word. mu is held.
func (d *Dictionary) number(word string) int32 {
	n, ok := d.ids[word]
	if !ok {
		n = int32(len(d.words)) //nolint:gosec // fewer words than that fit into memory
		d.ids[word] = n
		d.words = append(d.words, word)
	}
	return n
}

// stem is a word without its plural.
func stem(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		return w[:len(w)-1]
	}
	return w
}

// find returns the number of a word's stem, -1 when no record has it.
func (d *Dictionary) find(word string) int32 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if n, ok := d.ids[stem(word)]; ok {
		return n
	}
	return -1
}

// like returns the numbers of the words that begin with a word, as lists look for it.
func (d *Dictionary) like(word string) map[int32]bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	out := make(map[int32]bool)
	for i, w := range d.words {
		if strings.HasPrefix(w, word) {
			out[int32(i)] = true //nolint:gosec // see number
		}
	}
	return out
}

// same returns the words with the stem of a word.
func (d *Dictionary) same(word string) []int32 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	n, ok := d.ids[stem(word)]
	if !ok {
		return nil
	}
	return d.stems[n]
}

// NewRecord returns a record as questions look at it.
func (d *Dictionary) NewRecord(r desk.Record, thing desk.Thing, owners, ownerIDs []string) *Record {
	s := desk.SummaryOf(thing)
	out := &Record{Record: r, Thing: thing, Title: s.Title, Status: s.Status, Owners: owners, OwnerIDs: ownerIDs}
	if t, ok := thing.(*desk.TicketBody); ok {
		out.Key = t.ExternalRef
	}
	var all []query.Word
	for _, text := range desk.Texts(r.Kind, thing) {
		all = append(all, query.Words(text)...)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range query.Words(s.Title) {
		out.title = append(out.title, d.number(stem(w.Text)))
		d.title[w.Text] = true
	}
	seen := make(map[int32]bool, len(all))
	for _, w := range all {
		_, known := d.ids[w.Text]
		n := d.number(w.Text)
		st := d.number(stem(w.Text))
		if !known || !slices.Contains(d.stems[st], n) {
			d.stems[st] = append(d.stems[st], n)
		}
		if len(seen) < maxTerms && !seen[n] {
			seen[n] = true
			out.terms = append(out.terms, n)
		}
	}
	slices.Sort(out.terms)
	return out
}

// has reports whether the record's texts have one of some words.
func (r *Record) has(words []int32) bool {
	for _, w := range words {
		if _, ok := slices.BinarySearch(r.terms, w); ok {
			return true
		}
	}
	return false
}

// A Snapshot is the records of a project at one moment. It does not change, and many use it at once.
type Snapshot struct {
	dict   *Dictionary
	all    []*Record
	byID   map[string]*Record
	byKind map[desk.Kind][]*Record
	shares []capacity.Share

	names   func() *names
	serving func() map[string][]*Record

	mu   sync.Mutex // guards what follows
	day  string     // of the report
	room capacity.Report
}

// NewSnapshot returns a snapshot of records, in the order of their creation.
func NewSnapshot(d *Dictionary, records []*Record) *Snapshot {
	s := &Snapshot{dict: d, all: records, byID: make(map[string]*Record, len(records)), byKind: make(map[desk.Kind][]*Record)}
	for _, r := range records {
		s.byID[r.ID] = r
		s.byKind[r.Kind] = append(s.byKind[r.Kind], r)
		if a, ok := r.Thing.(*desk.AssignmentBody); ok {
			s.shares = append(s.shares, capacity.Share{ResourceID: a.ResourceID, TicketID: a.TicketID, Percent: a.Percent})
		}
	}
	s.names = sync.OnceValue(s.collect)
	s.serving = sync.OnceValue(s.served)
	return s
}

// Find returns the record of an id.
func (s *Snapshot) Find(id string) (*Record, bool) {
	r, ok := s.byID[id]
	return r, ok
}

// Report computes who has room on the day of a moment. Loads without shares of time are estimated.
func (s *Snapshot) Report(now time.Time) capacity.Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	if day := string(desk.DateOf(now)); s.day != day {
		s.day, s.room = day, s.compute(now)
	}
	return s.room
}

func (s *Snapshot) compute(now time.Time) capacity.Report {
	var people []capacity.Person
	for _, r := range s.byKind[desk.Resource] {
		if b, ok := r.Thing.(*desk.ResourceBody); ok {
			people = append(people, capacity.Person{ID: r.ID, ResourceBody: *b})
		}
	}
	tickets := make([]capacity.Ticket, 0, len(s.byKind[desk.Ticket]))
	for _, r := range s.byKind[desk.Ticket] {
		if b, ok := r.Thing.(*desk.TicketBody); ok {
			tickets = append(tickets, capacity.Ticket{ID: r.ID, TicketBody: b})
		}
	}
	r := capacity.Compute(people, tickets, s.shares)
	r.Estimate(tickets, s.shares, now)
	return r
}

// served returns the tickets of each objective: those that it names and those that name it.
func (s *Snapshot) served() map[string][]*Record {
	out := make(map[string][]*Record)
	add := func(objective string, t *Record) {
		if !slices.Contains(out[objective], t) {
			out[objective] = append(out[objective], t)
		}
	}
	for _, t := range s.byKind[desk.Ticket] {
		if b, ok := t.Thing.(*desk.TicketBody); ok {
			for _, o := range b.ObjectiveIDs {
				if last := out[o]; len(last) == 0 || last[len(last)-1] != t {
					out[o] = append(out[o], t)
				}
			}
		}
	}
	for _, o := range s.byKind[desk.Objective] {
		if b, ok := o.Thing.(*desk.ObjectiveBody); ok {
			for _, id := range b.TicketIDs {
				if t, ok := s.byID[id]; ok && t.Kind == desk.Ticket {
					add(o.ID, t)
				}
			}
		}
	}
	return out
}

// sortedKeys returns the keys of a count, the greatest first, then by name.
func sortedKeys(count map[string]float64) []string {
	out := make([]string, 0, len(count))
	for k := range count {
		out = append(out, k)
	}
	sort.Slice(out, func(i, j int) bool {
		if count[out[i]] != count[out[j]] {
			return count[out[i]] > count[out[j]]
		}
		return out[i] < out[j]
	})
	return out
}
