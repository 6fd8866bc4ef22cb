// Package answer computes the answers of plans (package question) over the records of one project: a
// sentence, a table of which each row cites its record, and what the records do not have. It computes;
// it never guesses. [Snapshot] is the project; [Snapshot.Compute] is the way in.
package answer

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"chela/internal/capacity"
	"chela/internal/desk"
)

// A Record is a record with what questions look at. It does not change.
type Record struct {
	*desk.Record
	Thing    desk.Thing
	Title    string
	Key      string // in its tracker, of a ticket
	Status   string
	Owners   []string // names, of a ticket
	OwnerIDs []string
	Place    int32 // its number in the order of creation, see [Source]

	words atomic.Pointer[words] // nil until a question looks for words
}

// NewRecord returns a record as questions look at it. The record is not to be changed any more.
func (d *Dictionary) NewRecord(r *desk.Record, thing desk.Thing, owners, ownerIDs []string) *Record {
	out := new(Record)
	d.Fill(out, r, thing, owners, ownerIDs)
	return out
}

// Fill makes a record of an empty one, as [Dictionary.NewRecord] does.
func (d *Dictionary) Fill(out *Record, r *desk.Record, thing desk.Thing, owners, ownerIDs []string) {
	out.Record, out.Thing, out.Owners, out.OwnerIDs = r, thing, owners, ownerIDs
	out.Title, out.Status = desk.Heading(thing)
	if t, ok := thing.(*desk.TicketBody); ok {
		out.Key = t.ExternalRef
	}
	if d.filled.Load() {
		d.fill(out)
	}
}

// has reports whether the record's texts have one of some words.
func (r *Record) has(words []int32) bool {
	terms := r.terms()
	for _, w := range words {
		if _, ok := slices.BinarySearch(terms, w); ok {
			return true
		}
	}
	return false
}

// OwnedBy returns the ticket as it is when others have it.
func (r *Record) OwnedBy(names, ids []string) *Record {
	out := &Record{Record: r.Record, Thing: r.Thing, Title: r.Title, Key: r.Key, Status: r.Status, Owners: names, OwnerIDs: ids, Place: r.Place}
	out.words.Store(r.words.Load())
	return out
}

// A Source is what a snapshot is told beside its records.
type Source struct {
	Place  func(id string) int32               // of a record; -1 for one that was never there. Nil has the records placed as they are given
	Report func(now time.Time) capacity.Report // who has room. Nil computes it
}

// A Snapshot is the records of a project at one moment. It does not change, and many use it at once.
type Snapshot struct {
	Source
	dict   *Dictionary
	at     []*Record // by place; nil for what is not there
	all    []*Record // in the order of their places
	byKind map[desk.Kind][]*Record
	names  *names
	census *census // of the names; it goes from a snapshot to the one that follows

	filled  atomic.Bool // all records have their words
	serving func() map[string][]*Record
}

// NewSnapshot returns a snapshot of records, in the order of their creation.
func NewSnapshot(d *Dictionary, records []*Record, src Source) *Snapshot {
	s := &Snapshot{Source: src, dict: d, all: records, byKind: make(map[desk.Kind][]*Record)}
	if src.Place == nil {
		s.Place = s.placed()
	}
	if n := len(records); n > 0 {
		s.at = make([]*Record, 0, records[n-1].Place+1)
	}
	room := make(map[desk.Kind]int)
	for _, r := range records {
		room[r.Kind]++
	}
	for k, n := range room {
		s.byKind[k] = make([]*Record, 0, n)
	}
	counted := make(chan *census)
	go func() { counted <- takeCensus(records) }()
	for _, r := range records {
		s.put(r)
		s.byKind[r.Kind] = append(s.byKind[r.Kind], r)
	}
	s.census = <-counted
	if src.Report == nil {
		s.Report = s.reporter()
	}
	s.names = s.census.names(s.byKind[desk.Resource])
	s.serving = sync.OnceValue(s.served)
	return s
}

// placed gives the records their places.
func (s *Snapshot) placed() func(id string) int32 {
	of := make(map[string]int32, len(s.all))
	for i, r := range s.all {
		r.Place = int32(i) //nolint:gosec // fewer records than that fit into memory
		of[r.ID] = r.Place
	}
	return func(id string) int32 {
		if n, ok := of[id]; ok {
			return n
		}
		return -1
	}
}

// put puts a record at its place.
func (s *Snapshot) put(r *Record) {
	if more := int(r.Place) + 1 - len(s.at); more > 0 {
		s.at = append(s.at, make([]*Record, more)...)
	}
	s.at[r.Place] = r
}

// With returns the snapshot in which some records are new or others than before, and those at some places are gone. A
// snapshot is followed once.
func (s *Snapshot) With(set []*Record, gone []int32, src Source) *Snapshot {
	n := &Snapshot{Source: src, dict: s.dict, at: slices.Clone(s.at), all: s.all, byKind: maps.Clone(s.byKind), census: s.census}
	touched := make(map[desk.Kind]bool)
	change := func(place int32, is *Record) {
		var was *Record
		if int(place) < len(n.at) {
			was = n.at[place]
		}
		kind := desk.Kind("")
		if was != nil {
			n.at[place], kind = nil, was.Kind
		}
		if is != nil {
			n.census.count(is, 1) // before it is taken away: what both have is no change
			n.put(is)
			kind = is.Kind
		}
		if was != nil {
			n.census.count(was, -1)
		}
		if was == nil && is == nil {
			return
		}
		if len(touched) == 0 {
			n.all = slices.Clone(n.all)
		}
		if !touched[kind] {
			touched[kind], n.byKind[kind] = true, slices.Clone(n.byKind[kind])
		}
		n.all, n.byKind[kind] = replaced(n.all, place, is), replaced(n.byKind[kind], place, is)
	}
	for _, place := range gone {
		change(place, nil)
	}
	for _, r := range set {
		change(r.Place, r)
	}
	n.names = s.names
	if touched[desk.Resource] || n.census.stale(s.names) {
		n.names = n.census.names(n.byKind[desk.Resource])
	}
	n.filled.Store(s.filled.Load() && !slices.ContainsFunc(set, func(r *Record) bool { return r.words.Load() == nil }))
	n.serving = sync.OnceValue(n.served)
	return n
}

// replaced puts a record into a list that is in the order of places, or takes the one at a place out of it.
func replaced(list []*Record, place int32, is *Record) []*Record {
	i, there := len(list), false
	if i > 0 && place <= list[i-1].Place {
		i, there = slices.BinarySearchFunc(list, place, func(r *Record, place int32) int { return cmp.Compare(r.Place, place) })
	}
	switch {
	case there && is != nil:
		list[i] = is
	case there:
		list = slices.Delete(list, i, i+1)
	case is != nil:
		list = slices.Insert(list, i, is)
	}
	return list
}

// Len is how many records there are.
func (s *Snapshot) Len() int { return len(s.all) }

// All yields the records in the order of their creation.
func (s *Snapshot) All() iter.Seq[*Record] { return slices.Values(s.all) }

// Find returns the record of an id.
func (s *Snapshot) Find(id string) (*Record, bool) {
	if p := s.Place(id); p >= 0 && int(p) < len(s.at) && s.at[p] != nil {
		return s.at[p], true
	}
	return nil, false
}

// reporter computes who has room on the day of a moment, once a day. Loads without shares of time are estimated.
func (s *Snapshot) reporter() func(now time.Time) capacity.Report {
	var mu sync.Mutex // guards what follows
	var day string    // of the report
	var room capacity.Report
	return func(now time.Time) capacity.Report {
		mu.Lock()
		defer mu.Unlock()
		if is := string(desk.DateOf(now)); day != is {
			day, room = is, s.compute(now)
		}
		return room
	}
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
	var shares []capacity.Share
	for _, r := range s.byKind[desk.Assignment] {
		if b, ok := r.Thing.(*desk.AssignmentBody); ok {
			shares = append(shares, capacity.Share{ResourceID: b.ResourceID, TicketID: b.TicketID, Percent: b.Percent})
		}
	}
	return capacity.Estimated(people, tickets, shares, now)
}

// served returns the tickets of each objective: those that it names and those that name it.
func (s *Snapshot) served() map[string][]*Record {
	out := make(map[string][]*Record)
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
		b, ok := o.Thing.(*desk.ObjectiveBody)
		if !ok || len(b.TicketIDs) == 0 {
			continue
		}
		has := make(map[*Record]bool, len(out[o.ID]))
		for _, t := range out[o.ID] {
			has[t] = true
		}
		for _, id := range b.TicketIDs {
			if t, ok := s.Find(id); ok && t.Kind == desk.Ticket && !has[t] {
				has[t], out[o.ID] = true, append(out[o.ID], t)
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
