package clerk

import (
	"context"
	"slices"
	"sync"
	"time"

	"chela/internal/desk"
	"chela/internal/stash"
)

// A Source is a store that says what has changed since.
type Source interface {
	Store
	// Changed returns what changed after a position of the project's stream, up to limit
	// changes; "" asks for what belongs to all projects.
	Changed(ctx context.Context, project string, after int64, limit int) (Changes, error)
	// Hash returns the hash of the event at a position of the project's stream, "" when there is none; the project "" is what
	// belongs to all projects.
	Hash(ctx context.Context, project string, at int64) (string, error)
}

const (
	// cachedProjects is how many projects are kept, cachedFor for how long without a question.
	cachedProjects = 4
	cachedFor      = 10 * time.Minute
	// rereadAt is how many changes make reading a project anew the shorter way.
	rereadAt = 1000
)

// A Cache keeps the books of the projects that are looked at, and what views compute from them. It is
// brought up to date from the log before each use, so that it is never behind what is recorded.
type Cache struct {
	source Source
	wanted chan string // see [Cache.Wanted]
	files  *stash.Folder
	form   func() string // of what is in the files

	mu    sync.Mutex // guards slots
	slots map[string]*slot
}

// NewCache returns a cache of what a source has.
func NewCache(s Source) *Cache {
	return &Cache{source: s, wanted: make(chan string, 1), slots: make(map[string]*slot)}
}

// Wanted tells of projects of which something was asked that had all their records read and would not, were they kept. One
// waits at most: it is asked again for the others.
func (s *Cache) Wanted() <-chan string { return s.wanted }

// want asks somebody to keep a project.
func (s *Cache) want(project string) {
	select {
	case s.wanted <- project:
	default:
	}
}

// Source is where the records come from.
func (s *Cache) Source() Source { return s.source }

// A slot holds one project.
type slot struct {
	mu    sync.Mutex // guards what follows, and orders who brings it up to date
	book  *Book      // nil when the project has not been read
	end   [2]int64   // of the streams of what belongs to all projects and of the project's, as far as the book knows
	views map[any]any
	// stashed is up to where the file of the book is, seen where the streams stood when it was asked last.
	stashed, seen [2]int64

	drop *time.Timer
	used time.Time // guarded by the cache
}

// Get returns a project's records as of now.
func (s *Cache) Get(ctx context.Context, project string) (*Book, error) {
	b, _, err := s.get(ctx, project, nil, nil)
	return b, err
}

// Kept returns a project's records as of now when they are kept already; nil when nobody looked at them lately.
func (s *Cache) Kept(ctx context.Context, project string) (*Book, error) {
	s.mu.Lock()
	k := s.slots[project]
	s.mu.Unlock()
	if k == nil {
		return nil, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.book == nil {
		return nil, nil
	}
	err := s.catchUp(ctx, k, project)
	if err != nil {
		k.book, k.end, k.views = nil, [2]int64{}, nil
	}
	return k.book, err
}

// ready is as Kept; nil, too, when the book has to be read anew, or somebody is at that.
func (s *Cache) ready(ctx context.Context, project string) (*Book, error) {
	s.mu.Lock()
	k := s.slots[project]
	if k != nil {
		k.used = time.Now()
		k.drop.Reset(cachedFor)
	}
	s.mu.Unlock()
	if k == nil || !k.mu.TryLock() {
		return nil, nil
	}
	defer k.mu.Unlock()
	if k.book == nil {
		return nil, nil
	}
	next, end, err := s.now(ctx, k, project)
	if next == nil || err != nil {
		return nil, err
	}
	k.book, k.end = next, end
	return next, nil
}

// get returns the book, and what is kept under a key, which made makes when there is none.
func (s *Cache) get(ctx context.Context, project string, key any, made func() any) (*Book, any, error) {
	k := s.slot(project)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := s.catchUp(ctx, k, project); err != nil {
		k.book, k.end, k.views = nil, [2]int64{}, nil
		return nil, nil, err
	}
	if key == nil {
		return k.book, nil, nil
	}
	kept, ok := k.views[key]
	if !ok {
		if k.views == nil {
			k.views = make(map[any]any)
		}
		kept = made()
		k.views[key] = kept
	}
	return k.book, kept, nil
}

// catchUp takes in what has changed.
func (s *Cache) catchUp(ctx context.Context, k *slot, project string) error {
	if k.book == nil {
		s.resume(ctx, k, project)
	}
	next, end, err := s.now(ctx, k, project)
	if err != nil {
		return err
	}
	if next == nil {
		if next, err = ReadBook(ctx, s.source, project); err != nil {
			return err
		}
	}
	k.book, k.end = next, end
	return nil
}

// now returns the book with what has changed, and where the streams stand; nil when the project has to be read anew.
func (s *Cache) now(ctx context.Context, k *slot, project string) (*Book, [2]int64, error) {
	var changed []string
	anew, end := k.book == nil, k.end
	for i, p := range []string{"", project} {
		c, err := s.source.Changed(ctx, p, k.end[i], rereadAt)
		if err != nil {
			return nil, end, err
		}
		anew, end[i], changed = anew || c.More, c.End, append(changed, c.IDs...)
	}
	if anew {
		return nil, end, nil
	}
	if len(changed) == 0 {
		return k.book, end, nil
	}
	p, err := s.source.Records(ctx, Query{Project: project, Shared: true, IDs: changed, Gone: true, Limit: All})
	if err != nil || len(p.Records) == 0 {
		return k.book, end, err
	}
	next, ok, err := k.book.with(p.Records)
	if err != nil || !ok {
		return nil, end, err
	}
	return next, end, nil
}

// slot returns the project's place, making room for it when there is none.
func (s *Cache) slot(project string) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.slots[project]
	if !ok {
		if len(s.slots) >= cachedProjects {
			s.dropOldest()
		}
		k = new(slot)
		k.drop = time.AfterFunc(cachedFor, func() { s.remove(project, k) })
		s.slots[project] = k
	}
	k.used = time.Now()
	k.drop.Reset(cachedFor)
	return k
}

func (s *Cache) remove(project string, k *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots[project] == k {
		k.drop.Stop()
		delete(s.slots, project)
	}
}

func (s *Cache) dropOldest() {
	oldest := ""
	for p, k := range s.slots {
		if oldest == "" || k.used.Before(s.slots[oldest].used) {
			oldest = p
		}
	}
	s.slots[oldest].drop.Stop()
	delete(s.slots, oldest)
}

// A View is what is computed from the books of a cache. It follows what changes.
type View[T any] struct {
	cache  *Cache
	read   func(*Book) T
	follow func(before T, b *Book, changed []Changed) T
	kinds  map[desk.Kind]bool
}

// NewView returns a view of records of some kinds; no kinds means all. read computes it from a book, follow
// from what it was and what changed since, of these kinds. What they return is used by many at once.
func NewView[T any](c *Cache, read func(*Book) T, follow func(before T, b *Book, changed []Changed) T, kinds ...desk.Kind) *View[T] {
	v := &View[T]{cache: c, read: read, follow: follow}
	if len(kinds) > 0 {
		v.kinds = make(map[desk.Kind]bool, len(kinds))
		for _, k := range kinds {
			v.kinds[k] = true
		}
	}
	return v
}

// A seen is what a view knows of one project.
type seen[T any] struct {
	mu    sync.Mutex // guards what follows, and orders who brings it up to date
	book  *Book      // that it was computed from; nil before the first
	bound T
}

// Kept returns what is computed from a project's records as of now when they are kept already; it is not ok when nobody
// looked at them lately.
func (v *View[T]) Kept(ctx context.Context, project string) (out T, ok bool, err error) {
	b, err := v.cache.Kept(ctx, project)
	if b == nil || err != nil {
		return out, false, err
	}
	out, err = v.Get(ctx, project)
	return out, err == nil, err
}

// Get returns what is computed from a project's records as of now.
func (v *View[T]) Get(ctx context.Context, project string) (T, error) {
	out, _, err := v.bound(ctx, project)
	return out, err
}

// bound is as Get, with the book that it was computed from, or from what is the same in it.
func (v *View[T]) bound(ctx context.Context, project string) (out T, of *Book, err error) {
	b, kept, err := v.cache.get(ctx, project, v, func() any { return new(seen[T]) })
	if err != nil {
		return out, nil, err
	}
	k := kept.(*seen[T]) //nolint:forcetypeassert,errcheck // made above
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.book == b || k.book != nil && k.book.places == b.places && k.book.number > b.number {
		return k.bound, k.book, nil
	}
	changed, ok := b.Since(k.book)
	if !ok {
		k.book, k.bound = b, v.read(b)
		return k.bound, b, nil
	}
	k.book = b
	if changed = v.concerned(changed); len(changed) > 0 {
		k.bound = v.follow(k.bound, b, changed)
	}
	return k.bound, b, nil
}

// concerned are those of changes that are of the view's kinds.
func (v *View[T]) concerned(changed []Changed) []Changed {
	if v.kinds == nil {
		return changed
	}
	return slices.DeleteFunc(changed, func(c Changed) bool { return !v.kinds[c.Kind()] })
}
