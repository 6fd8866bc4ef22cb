package clerk

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"chela/internal/desk"
)

// A Book is all records of a project at one moment, with those that belong to all projects, each decoded once. Nothing
// changes it: what changed makes another book, which shares the entries that stayed the same. A record has a place, its
// number in the order of creation, which stays the same in all books that were made of each other.
type Book struct {
	places *places
	number int      // of the books that were made of each other
	slots  []*Entry // by place; nil for what is gone
}

// places are those of the records of books that were made of each other.
type places struct {
	mu   sync.RWMutex     // guards of
	of   map[string]int32 // by id; they only grow
	last time.Time        // when the youngest record was created
}

func (p *places) find(id string) int32 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if n, ok := p.of[id]; ok {
		return n
	}
	return -1
}

func (p *places) add(id string, place int, created time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of[id] = int32(place) //nolint:gosec // fewer records than that fit into memory
	if created.After(p.last) {
		p.last = created
	}
}

// ReadBook reads a project's records of some kinds; none means all. They are decoded while more are read.
func ReadBook(ctx context.Context, s Store, project string, kinds ...desk.Kind) (*Book, error) {
	b := &Book{places: &places{of: make(map[string]int32)}}
	if len(kinds) == 0 {
		kinds = []desk.Kind{""}
	}
	count := 0
	words := make(map[string]string) // each project and author once: all records have them
	once := func(s *string) {
		if have, ok := words[*s]; ok {
			*s = have
		} else {
			words[*s] = *s
		}
	}
	for _, k := range kinds {
		q := Query{Project: project, Shared: k == "" || k.Shared(), Kind: k, Gone: true}
		read := func(ctx context.Context, take func(desk.Record) error) error {
			return s.Each(ctx, q, func(r desk.Record) error {
				b.places.add(r.ID, count, r.CreatedAt)
				count++
				once(&r.Project)
				once(&r.CreatedBy)
				once(&r.UpdatedBy)
				return take(r)
			})
		}
		err := eachOpened(ctx, read, slotEntry, func(e Entry) error {
			if e.Thing == nil {
				b.slots = append(b.slots, nil)
			} else {
				b.slots = append(b.slots, &e)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// slotEntry is bookEntry; what is gone, which was there or will be again, is not decoded.
func slotEntry(r desk.Record) (Entry, error) {
	if gone(r) {
		return Entry{}, nil
	}
	return bookEntry(r)
}

// bookEntry decodes a record, as far as anything but an import reads it.
func bookEntry(r desk.Record) (Entry, error) {
	e, err := OpenEntry(r)
	if err == nil {
		desk.Lighten(e.Thing)
	}
	return e, err
}

// All yields the records in the order of their creation, with their places.
func (b *Book) All() iter.Seq2[int, *Entry] {
	return func(yield func(int, *Entry) bool) {
		for i, e := range b.slots {
			if e != nil && !yield(i, e) {
				return
			}
		}
	}
}

// Len is one more than the last place.
func (b *Book) Len() int { return len(b.slots) }

// Place returns the place of a record, -1 for one that was never there.
func (b *Book) Place(id string) int32 {
	if n := b.places.find(id); int(n) < len(b.slots) {
		return n
	}
	return -1
}

// A finder finds the places of what assignments name: people are few, and tickets follow each other with one step, as the assignments do
// that were made with them.
type finder struct {
	last, step int32 // the place of a ticket, and how far it was from the one before
	few        map[string]int32
}

// mostFew bounds how many people a finder remembers.
const mostFew = 256

// person returns the place of somebody.
func (f *finder) person(b *Book, id string) int32 {
	if n, ok := f.few[id]; ok {
		return n
	}
	n := b.Place(id)
	if n >= 0 && len(f.few) < mostFew {
		if f.few == nil {
			f.few = make(map[string]int32)
		}
		f.few[id] = n
	}
	return n
}

// ticket returns the place of a ticket.
func (f *finder) ticket(b *Book, id string) int32 {
	next := int(f.last + f.step)
	if next >= 0 && next < len(b.slots) && b.slots[next] != nil && b.slots[next].ID == id {
		f.last = int32(next) //nolint:gosec // see [Book]
		return f.last
	}
	n := b.Place(id)
	if n >= 0 {
		f.last, f.step = n, n-f.last
	}
	return n
}

// Find returns a record that is there.
func (b *Book) Find(id string) (*Entry, bool) {
	n := b.Place(id)
	if n < 0 || b.slots[n] == nil {
		return nil, false
	}
	return b.slots[n], true
}

// with returns a book in which some records are as they are now, given in the order of their creation. It is not ok when
// the place of one is not known: the project has to be read anew.
func (b *Book) with(records []desk.Record) (next *Book, ok bool, err error) {
	next = &Book{places: b.places, number: b.number + 1, slots: slices.Clone(b.slots)}
	for _, r := range records {
		place := b.places.find(r.ID)
		switch {
		case gone(r):
			if place >= 0 {
				next.slots[place] = nil
			}
			continue
		case place < 0 && r.Version > 1 && !r.CreatedAt.After(b.places.last): // it may be older than what is there
			return nil, false, nil
		}
		e, err := bookEntry(r)
		if err != nil {
			return nil, false, err
		}
		if place < 0 {
			b.places.add(r.ID, len(next.slots), r.CreatedAt)
			next.slots = append(next.slots, &e)
		} else {
			next.slots[place] = &e
		}
	}
	return next, true, nil
}

// A Changed is what became of a record between two books. Was is nil for one that was not there, Is for one that is not
// there any more.
type Changed struct {
	Place   int
	Was, Is *Entry
}

// Kind is that of the record.
func (c Changed) Kind() desk.Kind {
	if c.Is != nil {
		return c.Is.Kind
	}
	return c.Was.Kind
}

// Since returns what changed since another book. It is not ok when they were not made of each other.
func (b *Book) Since(other *Book) (out []Changed, ok bool) {
	if other == nil || other.places != b.places {
		return nil, false
	}
	for i, is := range b.slots {
		var was *Entry
		if i < len(other.slots) {
			was = other.slots[i]
		}
		if was != is {
			out = append(out, Changed{i, was, is})
		}
	}
	return out, true
}
