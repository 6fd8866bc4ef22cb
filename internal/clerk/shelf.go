package clerk

import (
	"context"
	"slices"
	"sync"
	"time"

	"chela/internal/desk"
)

// A Source is a store that says what has changed since.
type Source interface {
	Store
	// Changed returns what changed after a position of the project's stream, up to limit
	// changes; "" asks for what belongs to all projects.
	Changed(ctx context.Context, project string, after int64, limit int) (Changes, error)
}

const (
	// shelfRoom is how many projects are kept, shelfTime for how long without a question.
	shelfRoom = 4
	shelfTime = 10 * time.Minute
	// rereadAt is how many changes make reading a project anew the shorter way.
	rereadAt = 1000
)

// A Shelf keeps what is computed from the records of the projects that are looked at. It is
// brought up to date from the log before each use, so that it is never behind what is recorded.
type Shelf[T any] struct {
	source Source
	bind   func(book Book, before T) T
	kinds  []desk.Kind

	mu    sync.Mutex // guards slots
	slots map[string]*slot[T]
}

// NewShelf returns a shelf of what bind computes from a project's records of some kinds; no
// kinds means all. bind gets what it returned last for the project, zero at first; what it
// returns is used by many at once.
func NewShelf[T any](s Source, bind func(book Book, before T) T, kinds ...desk.Kind) *Shelf[T] {
	return &Shelf[T]{source: s, bind: bind, kinds: kinds, slots: make(map[string]*slot[T])}
}

// A slot holds one project.
type slot[T any] struct {
	mu    sync.Mutex // guards what follows, and orders who brings it up to date
	read  bool       // false when the project has not been read
	book  Book
	bound T
	end   [2]int64 // of the streams of what belongs to all projects and of the project's, as far as the book knows

	drop *time.Timer
	used time.Time // guarded by the shelf
}

// Get returns what is computed from a project's records as of now.
func (s *Shelf[T]) Get(ctx context.Context, project string) (T, error) {
	k := s.slot(project)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := s.catchUp(ctx, k, project); err != nil {
		var none T
		k.read, k.book, k.bound, k.end = false, nil, none, [2]int64{}
		return none, err
	}
	return k.bound, nil
}

// catchUp takes in what has changed.
func (s *Shelf[T]) catchUp(ctx context.Context, k *slot[T], project string) error {
	var changed []string
	anew, end := !k.read, k.end
	for i, p := range []string{"", project} {
		c, err := s.source.Changed(ctx, p, k.end[i], rereadAt)
		if err != nil {
			return err
		}
		anew, end[i], changed = anew || c.More, c.End, append(changed, c.IDs...)
	}
	k.end = end
	switch {
	case anew:
		book, err := Read(ctx, s.source, project, s.kinds...)
		if err != nil {
			return err
		}
		k.read, k.book, k.bound = true, book, s.bind(book, k.bound)
	case len(changed) > 0:
		p, err := s.source.Records(ctx, Query{Project: project, Shared: true, IDs: changed, Gone: true, Limit: All})
		if err != nil {
			return err
		}
		records := slices.DeleteFunc(p.Records, func(r desk.Record) bool { return len(s.kinds) > 0 && !slices.Contains(s.kinds, r.Kind) })
		if len(records) == 0 {
			return nil
		}
		if k.book, err = k.book.With(records); err != nil {
			return err
		}
		k.bound = s.bind(k.book, k.bound)
	}
	return nil
}

// slot returns the project's place, making room for it when there is none.
func (s *Shelf[T]) slot(project string) *slot[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.slots[project]
	if !ok {
		if len(s.slots) >= shelfRoom {
			s.dropOldest()
		}
		k = new(slot[T])
		k.drop = time.AfterFunc(shelfTime, func() { s.remove(project, k) })
		s.slots[project] = k
	}
	k.used = time.Now()
	k.drop.Reset(shelfTime)
	return k
}

func (s *Shelf[T]) remove(project string, k *slot[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots[project] == k {
		k.drop.Stop()
		delete(s.slots, project)
	}
}

func (s *Shelf[T]) dropOldest() {
	oldest := ""
	for p, k := range s.slots {
		if oldest == "" || k.used.Before(s.slots[oldest].used) {
			oldest = p
		}
	}
	s.slots[oldest].drop.Stop()
	delete(s.slots, oldest)
}
