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
	// cachedProjects is how many projects are kept, cachedFor for how long without a question.
	cachedProjects = 4
	cachedFor      = 10 * time.Minute
	// rereadAt is how many changes make reading a project anew the shorter way.
	rereadAt = 1000
)

// A Cache keeps what is computed from the records of the projects that are looked at. It is
// brought up to date from the log before each use, so that it is never behind what is recorded.
type Cache[T any] struct {
	source Source
	bind   func(all Entries, before T) T
	kinds  []desk.Kind

	mu    sync.Mutex // guards slots
	slots map[string]*slot[T]
}

// NewCache returns a cache of what bind computes from a project's records of some kinds; no
// kinds means all. bind gets what it returned last for the project, zero at first; what it
// returns is used by many at once.
func NewCache[T any](s Source, bind func(all Entries, before T) T, kinds ...desk.Kind) *Cache[T] {
	return &Cache[T]{source: s, bind: bind, kinds: kinds, slots: make(map[string]*slot[T])}
}

// A slot holds one project.
type slot[T any] struct {
	mu    sync.Mutex // guards what follows, and orders who brings it up to date
	read  bool       // false when the project has not been read
	all   Entries
	bound T
	end   [2]int64 // of the streams of what belongs to all projects and of the project's, as far as the entries know

	drop *time.Timer
	used time.Time // guarded by the cache
}

// Get returns what is computed from a project's records as of now.
func (s *Cache[T]) Get(ctx context.Context, project string) (T, error) {
	k := s.slot(project)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := s.catchUp(ctx, k, project); err != nil {
		var none T
		k.read, k.all, k.bound, k.end = false, nil, none, [2]int64{}
		return none, err
	}
	return k.bound, nil
}

// catchUp takes in what has changed.
func (s *Cache[T]) catchUp(ctx context.Context, k *slot[T], project string) error {
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
		all, err := Read(ctx, s.source, project, s.kinds...)
		if err != nil {
			return err
		}
		k.read, k.all, k.bound = true, all, s.bind(all, k.bound)
	case len(changed) > 0:
		p, err := s.source.Records(ctx, Query{Project: project, Shared: true, IDs: changed, Gone: true, Limit: All})
		if err != nil {
			return err
		}
		records := slices.DeleteFunc(p.Records, func(r desk.Record) bool { return len(s.kinds) > 0 && !slices.Contains(s.kinds, r.Kind) })
		if len(records) == 0 {
			return nil
		}
		if k.all, err = k.all.With(records); err != nil {
			return err
		}
		k.bound = s.bind(k.all, k.bound)
	}
	return nil
}

// slot returns the project's place, making room for it when there is none.
func (s *Cache[T]) slot(project string) *slot[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.slots[project]
	if !ok {
		if len(s.slots) >= cachedProjects {
			s.dropOldest()
		}
		k = new(slot[T])
		k.drop = time.AfterFunc(cachedFor, func() { s.remove(project, k) })
		s.slots[project] = k
	}
	k.used = time.Now()
	k.drop.Reset(cachedFor)
	return k
}

func (s *Cache[T]) remove(project string, k *slot[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots[project] == k {
		k.drop.Stop()
		delete(s.slots, project)
	}
}

func (s *Cache[T]) dropOldest() {
	oldest := ""
	for p, k := range s.slots {
		if oldest == "" || k.used.Before(s.slots[oldest].used) {
			oldest = p
		}
	}
	s.slots[oldest].drop.Stop()
	delete(s.slots, oldest)
}
