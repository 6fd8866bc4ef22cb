package clerk

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"chela/internal/capacity"
	"chela/internal/desk"
	"chela/internal/flow"
)

// Entries is records of a project in the order they were created, each decoded once.
type Entries []Entry

// An Entry is a record with its body decoded; the record's own is left out.
type Entry struct {
	desk.Record
	Thing desk.Thing
}

// Read reads a project's records of some kinds; none means all, with those that belong to
// all projects.
func Read(ctx context.Context, s Store, project string, kinds ...desk.Kind) (Entries, error) {
	if len(kinds) == 0 {
		kinds = []desk.Kind{""}
	}
	var out Entries
	err := EachEntry(ctx, s, project, func(e Entry) error {
		out = append(out, e)
		return nil
	}, kinds...)
	return out, err
}

// EachEntry reads a project's records of some kinds, one kind after the other, and keeps
// none: a large project is more than a caller may hold.
func EachEntry(ctx context.Context, s Store, project string, fn func(Entry) error, kinds ...desk.Kind) error {
	for _, k := range kinds {
		q := Query{Project: project, Shared: k == "" || k.Shared(), Kind: k}
		if err := eachOpened(ctx, func(ctx context.Context, take func(desk.Record) error) error { return s.Each(ctx, q, take) }, OpenEntry, fn); err != nil {
			return err
		}
	}
	return nil
}

// openedAtOnce is how many records are decoded together, while others are read.
const openedAtOnce = 256

// eachOpened calls fn with what read gives, decoded by open, in its order. As many portions as there are processors are ahead of fn at most.
func eachOpened(ctx context.Context, read func(context.Context, func(desk.Record) error) error, open func(desk.Record) (Entry, error), fn func(Entry) error) error {
	some, ctx := errgroup.WithContext(ctx)
	ahead := make(chan chan []Entry, runtime.GOMAXPROCS(0))
	some.Go(func() error {
		defer close(ahead)
		var held []desk.Record
		hand := func() error {
			records, out := held, make(chan []Entry, 1)
			held = nil
			some.Go(func() error {
				entries, err := openAll(records, open)
				out <- entries
				return err
			})
			select {
			case ahead <- out:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		err := read(ctx, func(r desk.Record) error {
			if held = append(held, r); len(held) < openedAtOnce {
				return nil
			}
			return hand()
		})
		if err == nil && len(held) > 0 {
			err = hand()
		}
		return err
	})
	some.Go(func() error {
		for out := range ahead {
			for _, e := range <-out {
				if err := fn(e); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return some.Wait()
}

// openAll decodes records, up to the first that cannot be.
func openAll(records []desk.Record, open func(desk.Record) (Entry, error)) ([]Entry, error) {
	out := make([]Entry, 0, len(records))
	for _, r := range records {
		e, err := open(r)
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
	return out, nil
}

// OpenEntry decodes a record.
func OpenEntry(r desk.Record) (Entry, error) {
	t, err := desk.Decode(r)
	r.Body = nil
	return Entry{r, t}, err
}

// gone reports whether a record is not there, or not any more.
func gone(r desk.Record) bool { return r.ID == "" || r.Deleted || r.MergedInto != "" }

// Changes are what happened to a project's records after a position of its stream.
type Changes struct {
	IDs  []string // of records that changed
	End  int64    // the stream's position now
	More bool     // there is more than the limit asked for
}

// A Touch is when the first and the last of some changes of a project's records was recorded.
type Touch struct{ First, Last time.Time }

// A Staffing is what capacity is computed from.
type Staffing struct {
	People  []capacity.Person
	Tickets []capacity.Ticket
	Shares  []capacity.Share
	Touched map[string]time.Time // when each ticket was changed last
}

// Staffing returns the people, tickets and assignments.
func (b Entries) Staffing() Staffing {
	var out Staffing
	for _, e := range b {
		out.Add(e)
	}
	return out
}

// Add takes in a record, when it is one that capacity is computed from.
func (s *Staffing) Add(e Entry) {
	switch t := e.Thing.(type) {
	case *desk.ResourceBody:
		s.People = append(s.People, capacity.Person{ID: e.ID, ResourceBody: *t})
	case *desk.TicketBody:
		s.Tickets = append(s.Tickets, capacity.Ticket{ID: e.ID, TicketBody: t})
		if s.Touched == nil {
			s.Touched = make(map[string]time.Time)
		}
		s.Touched[e.ID] = e.UpdatedAt
	case *desk.AssignmentBody:
		s.Shares = append(s.Shares, capacity.Share{ResourceID: t.ResourceID, TicketID: t.TicketID, Percent: t.Percent})
	}
}

// Objectives returns the objectives and the tickets that may serve them.
func (b Entries) Objectives() ([]flow.Objective, []flow.Ticket) {
	var objectives []flow.Objective
	tickets := make([]flow.Ticket, 0, len(b))
	for _, e := range b {
		switch t := e.Thing.(type) {
		case *desk.ObjectiveBody:
			objectives = append(objectives, flow.Objective{ID: e.ID, ObjectiveBody: *t})
		case *desk.TicketBody:
			tickets = append(tickets, flow.Ticket{ID: e.ID, TicketBody: t})
		}
	}
	return objectives, tickets
}

// LoadStaffing reads a project's people, tickets and assignments.
func LoadStaffing(ctx context.Context, s Store, project string) (Staffing, error) {
	b, err := Read(ctx, s, project, desk.Resource, desk.Ticket, desk.Assignment)
	return b.Staffing(), err
}

// LoadObjectives reads a project's objectives and tickets.
func LoadObjectives(ctx context.Context, s Store, project string) ([]flow.Objective, []flow.Ticket, error) {
	b, err := Read(ctx, s, project, desk.Objective, desk.Ticket)
	objectives, tickets := b.Objectives()
	return objectives, tickets, err
}
