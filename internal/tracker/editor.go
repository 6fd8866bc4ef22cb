package tracker

import (
	"context"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// Set sets up a tracker, or changes the one of that name. When it is another place than before, all of it is read anew.
func (s *Syncer) Set(ctx context.Context, by event.Party, t Tracker) (State, error) {
	t.By = by
	if err := t.Check(); err != nil {
		return State{}, err
	}
	err := s.Records.Change(ctx, t.Name, func(was State) ([]event.Draft, error) {
		t.Thread, t.Afresh = was.Thread, was.Name == "" || t.elsewhere(was.Tracker)
		if t.Thread == "" {
			t.Thread = s.Records.Mint().ID("thr")
		}
		return []event.Draft{ConfiguredKind.Draft(place(s.Records.Mint(), by), t)}, nil
	})
	if err != nil {
		return State{}, err
	}
	return s.Records.Tracker(ctx, t.Name)
}

// Remove takes a tracker away. The tickets that it brought stay; a sync of it that goes on is cancelled.
func (s *Syncer) Remove(ctx context.Context, by event.Party, name string) error {
	var was Tracker
	err := s.Records.Change(ctx, name, func(now State) ([]event.Draft, error) {
		if now.Name == "" {
			return nil, None(name)
		}
		was = now.Tracker
		return []event.Draft{RemovedKind.Draft(place(s.Records.Mint(), by), Removed{name})}, nil
	})
	if err != nil {
		return err
	}
	id, goes, err := s.going(ctx, was)
	if err != nil || !goes {
		return err
	}
	err = s.Runs.Write(ctx, func(b *run.Batch) error { return b.Cancel(id, by, "The tracker was removed.") })
	if fault.KindOf(err) == fault.Conflict {
		return nil // it has ended
	}
	return err
}

// None is the error of a tracker that is not there.
func None(name string) error {
	return fault.New(fault.NotFound, "There is no tracker named %q. `chela tracker list` shows those there are.", name)
}
