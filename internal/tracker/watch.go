package tracker

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/run"
)

// How a watcher goes about it.
const (
	atOnce     = 4                // looks
	tryAgain   = 10 * time.Second // when the store failed
	mostBehind = 6                // doublings of the interval while a tracker cannot be read
)

// A Watcher looks at each tracker when its time has come, by one conditional request, and begins a sync when there is
// something new. Any number of them may work on one store.
type Watcher struct{ *Syncer }

// Run watches until ctx is done. While there are no trackers it sleeps.
func (w Watcher) Run(ctx context.Context) error {
	changed, stop := w.Records.Subscribe(event.TrackersChanged)
	defer stop()
	run.Rounds(ctx, changed, w.now, tryAgain, w.round, func(err error) {
		w.Log.WarnContext(ctx, "look at the trackers; it is tried again", "err", err)
	})
	return nil
}

func (s *Syncer) now() time.Time { return s.Records.Mint().Now() }

// round looks at the trackers whose time has come, and returns when the next one's comes; zero when none is watched.
func (w Watcher) round(ctx context.Context) (next time.Time, err error) {
	list, err := w.Records.Trackers(ctx)
	if err != nil {
		return next, err
	}
	var some errgroup.Group
	some.SetLimit(atOnce)
	for _, t := range list {
		if t.Off {
			continue
		}
		now := w.now()
		due := now
		if t.NextAt != nil {
			due = *t.NextAt
		}
		if !due.After(now) {
			was := due
			if t.NextAt == nil {
				was = time.Time{}
			}
			due = now.Add(t.pause())
			mine, err := w.Records.Look(ctx, t.Name, was, due)
			if err != nil {
				return next, err
			}
			if mine {
				some.Go(func() error { return w.look(ctx, t) })
			}
		}
		if next.IsZero() || due.Before(next) {
			next = due
		}
	}
	return next, some.Wait()
}

// pause is how long a tracker is left alone: longer while it cannot be read.
func (t State) pause() time.Duration {
	return min(t.interval()<<min(t.Failures, mostBehind), max(Seldom*time.Minute, t.interval()))
}

// look asks a tracker whether anything changed, and begins a sync then.
func (w Watcher) look(ctx context.Context, t State) error {
	if _, goes, err := w.going(ctx, t.Tracker); err != nil || goes {
		return err
	}
	src, err := w.source(ctx, t.Tracker)
	var p Page
	if err == nil {
		asked, end := context.WithTimeout(ctx, answerTime)
		p, err = src.Changed(asked, t.Cursor.From, "", t.Check)
		end()
	}
	next := w.now().Add(t.pause())
	switch wait, ok := errors.AsType[*Waits](err); {
	case ctx.Err() != nil:
		return nil
	case ok:
		return w.Records.Keep(ctx, t.Name, t.Check, w.now().Add(max(wait.After, t.interval())))
	case err != nil:
		return w.failed(ctx, t, w.Redact(ctx, fault.TextOf(err)))
	case p.Same || len(unseen(t.Cursor, p.Issues)) == 0 && p.Next == "":
		check := p.Check
		if p.Same {
			check = t.Check
		}
		if err := w.Records.Keep(ctx, t.Name, check, next); err != nil || t.Failures == 0 {
			return err
		}
		return w.well(ctx, t) // it can be read again
	}
	_, err = w.Begin(ctx, run.Chela(), t.Name, false)
	if fault.KindOf(err) == fault.NotFound && err != nil {
		return nil // it was removed meanwhile
	}
	return err
}

// going returns the sync of a tracker that is not over.
func (s *Syncer) going(ctx context.Context, t Tracker) (run.ID, bool, error) {
	list, err := s.Past(ctx, run.Filter{Thread: t.Thread, Kind: RunKind, Limit: 1})
	if err != nil || len(list) == 0 || list[0].State.Final() {
		return "", false, err
	}
	return list[0].ID, true, nil
}

// failed records that a tracker could not be looked at.
func (w Watcher) failed(ctx context.Context, t State, why string) error {
	w.Log.WarnContext(ctx, "a tracker cannot be read", "tracker", t.Name, "why", why)
	return w.Records.Change(ctx, t.Name, func(now State) ([]event.Draft, error) {
		if now.Name == "" || now.Since != t.Since {
			return nil, nil // it was removed, or set anew
		}
		return []event.Draft{FailedKind.Draft(place(w.Records.Mint(), run.Chela()), Failed{t.Name, why, now.Failures + 1})}, nil
	})
}

// well records that a tracker that could not be read can be, and has nothing new.
func (w Watcher) well(ctx context.Context, t State) error {
	return w.Records.Change(ctx, t.Name, func(now State) ([]event.Draft, error) {
		if now.Name == "" || now.Since != t.Since {
			return nil, nil
		}
		return []event.Draft{SyncedKind.Draft(place(w.Records.Mint(), run.Chela()), Synced{Name: t.Name, Cursor: now.Cursor})}, nil
	})
}
