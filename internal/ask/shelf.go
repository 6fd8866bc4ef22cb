package ask

import (
	"context"
	"sync"
	"time"

	"chela/internal/budget"
	"chela/internal/clerk"
	"chela/internal/run"
)

// A Source is where records come from, what has changed since, and what may be spent.
type Source interface {
	clerk.Store
	Limits(ctx context.Context) ([]budget.Limit, error)
	ReserveCalls(ctx context.Context, limits []budget.Limit, c budget.Calls) ([]budget.Grant, *budget.Shortage, error)
	UnreserveCall(ctx context.Context, id run.ID, step string) error
	// Changed returns what changed after a position of the project's stream, up to limit
	// changes; "" asks for what belongs to all projects.
	Changed(ctx context.Context, project string, after int64, limit int) (clerk.Changes, error)
}

const (
	// shelfRoom is how many projects are kept, shelfTime for how long without a question.
	shelfRoom = 4
	shelfTime = 10 * time.Minute
	// rereadAt is how many changes make reading a project anew the shorter way.
	rereadAt = 1000
)

// A shelf keeps the books of projects that are asked about. A book is brought up to
// date from the log before each use, so that it is never behind what is recorded.
type shelf struct {
	source Source

	mu    sync.Mutex // guards slots
	slots map[string]*slot
}

// A slot holds the book of one project.
type slot struct {
	mu   sync.Mutex // guards what follows, and orders who brings the book up to date
	book *book      // nil when it has not been read
	end  [2]int64   // of the streams of what belongs to all projects and of the project's, as far as the book knows

	drop *time.Timer
	used time.Time // guarded by the shelf
}

// book returns a project's book as of now.
func (s *shelf) book(ctx context.Context, project string) (*book, error) {
	k := s.slot(project)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.catchUp(ctx, s.source, project); err != nil {
		k.book, k.end = nil, [2]int64{}
		return nil, err
	}
	return k.book, nil
}

// catchUp takes in what has changed.
func (k *slot) catchUp(ctx context.Context, from Source, project string) error {
	var changed []string
	anew, end := k.book == nil, k.end
	for i, p := range []string{"", project} {
		c, err := from.Changed(ctx, p, k.end[i], rereadAt)
		if err != nil {
			return err
		}
		anew, end[i], changed = anew || c.More, c.End, append(changed, c.IDs...)
	}
	k.end = end
	var err error
	switch {
	case anew:
		k.book, err = readBook(ctx, from, project)
	case len(changed) > 0:
		var p clerk.Page
		if p, err = from.Records(ctx, clerk.Query{Project: project, Shared: true, IDs: changed, Gone: true, Limit: clerk.All}); err == nil {
			k.book, err = k.book.with(p.Records)
		}
	}
	return err
}

// slot returns the project's place, making room for it when there is none.
func (s *shelf) slot(project string) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.slots[project]
	if !ok {
		if len(s.slots) >= shelfRoom {
			s.dropOldest()
		}
		k = new(slot)
		k.drop = time.AfterFunc(shelfTime, func() { s.remove(project, k) })
		s.slots[project] = k
	}
	k.used = time.Now()
	k.drop.Reset(shelfTime)
	return k
}

func (s *shelf) remove(project string, k *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots[project] == k {
		k.drop.Stop()
		delete(s.slots, project)
	}
}

func (s *shelf) dropOldest() {
	oldest := ""
	for p, k := range s.slots {
		if oldest == "" || k.used.Before(s.slots[oldest].used) {
			oldest = p
		}
	}
	s.slots[oldest].drop.Stop()
	delete(s.slots, oldest)
}
