package findings

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/drift"
	"chela/internal/event"
	"chela/internal/run"
)

// A Log is where it is heard which projects change.
type Log interface {
	event.Notifier
	End(ctx context.Context) (event.Seq, error)
	Touched(ctx context.Context, after event.Seq, fits func(desk.Kind) bool) (map[string]clerk.Touch, event.Seq, error)
	Append(ctx context.Context, drafts ...event.Draft) ([]event.Event, error)
	Mint() *event.Mint
}

// Projects lists the projects that are there.
type Projects interface {
	Projects(ctx context.Context) ([]desk.Record, error)
}

// Kept has the boards of the projects that people look at.
type Kept interface {
	// Kept returns that of a project. It is not ok when nobody looked at it lately.
	Kept(ctx context.Context, project string) (b *clerk.Board, ok bool, err error)
}

// Options of a [Keeper]. The zero value is the default.
type Options struct {
	// Settle is how long a project has to be quiet before it is looked at, and Longest for how long that is waited for at most; 0 means 3
	// seconds and a minute. An import changes a project all the time. Rest is how long a project is left alone after it was looked at;
	// 0 means 30 seconds. A project whose records take long to read rests longer.
	Settle, Longest, Rest time.Duration
	Kept                  Kept         // nil has each look read the records
	Log                   *slog.Logger // nil means slog.Default
}

// A Keeper looks again at a project some seconds after its records have changed, and at all projects when
// a day begins: what is overdue depends on the day. Any number of keepers may work on one store.
type Keeper struct {
	clerk    *clerk.Clerk
	log      Log
	projects Projects
	opts     Options

	heard event.Seq            // up to here it is known what changed
	dirty map[string]changes   // projects that have changed since they were looked at
	rests map[string]time.Time // until then a project is left alone
	day   string               // on which all were looked at
}

// changes are when the first and the last change of a project was that nobody has looked at; never when nothing changed but the day.
type changes struct{ first, last time.Time }

// NewKeeper returns a keeper.
func NewKeeper(c *clerk.Clerk, log Log, projects Projects, o Options) *Keeper {
	if o.Settle == 0 {
		o.Settle = 3 * time.Second
	}
	if o.Longest == 0 {
		o.Longest = time.Minute
	}
	if o.Rest == 0 {
		o.Rest = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Keeper{clerk: c, log: log, projects: projects, opts: o, dirty: make(map[string]changes), rests: make(map[string]time.Time)}
}

// share is the part of the time that looking at a project may take: a twentieth.
const share = 20

// Run works until ctx is done.
func (k *Keeper) Run(ctx context.Context) error {
	changed, stop := k.log.Subscribe(event.RecordsChanged)
	defer stop()
	far, stopFar := k.log.Subscribe(event.NodesWrote)
	defer stopFar()
	var err error
	if k.heard, err = k.log.End(ctx); err != nil {
		return fmt.Errorf("read where the log ends: %w", err)
	}
	k.day = k.today()
	for {
		timer := time.NewTimer(k.until())
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-changed:
			err = k.gather(ctx)
		case <-far:
			err = k.gather(ctx)
		case <-timer.C:
		}
		timer.Stop()
		if err != nil {
			return nil //nolint:nilerr // it is over
		}
		if err := k.pass(ctx, k.settled); err != nil && ctx.Err() == nil {
			k.opts.Log.Warn("look for what records say about each other; it is tried again", "err", err)
			if k.gather(ctx) != nil {
				return nil
			}
		}
	}
}

// gather waits for more of the same, or for what failed to be well again.
func (k *Keeper) gather(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(k.opts.Settle):
		return nil
	}
}

func (k *Keeper) today() string { return k.log.Mint().Now().UTC().Format(time.DateOnly) }

// until is how long there is nothing to do unless records change.
func (k *Keeper) until() time.Duration {
	now := k.log.Mint().Now().UTC()
	next := now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
	for p := range k.dirty {
		next = min(next, max(k.due(p).Sub(now), 0))
	}
	return next
}

// due is when a project that has changed is looked at: when it is quiet and has rested.
func (k *Keeper) due(project string) time.Time {
	c, rested := k.dirty[project], k.rests[project]
	quiet := c.last.Add(k.opts.Settle)
	if most := c.first.Add(k.opts.Longest); most.Before(quiet) {
		quiet = most
	}
	if quiet.Before(rested) {
		return rested
	}
	return quiet
}

// Look looks at all projects that have changed.
func (k *Keeper) Look(ctx context.Context) error {
	return k.pass(ctx, func(string) bool { return true })
}

// settled reports whether a project that has changed is to be looked at now.
func (k *Keeper) settled(project string) bool { return !k.log.Mint().Now().Before(k.due(project)) }

func (k *Keeper) pass(ctx context.Context, now func(project string) bool) error {
	if err := k.hear(ctx); err != nil {
		return err
	}
	active, err := k.active(ctx)
	if err != nil {
		return err
	}
	if day := k.today(); day != k.day {
		k.day = day
		for project := range active {
			k.dirty[project] = changes{}
		}
	}
	maps.DeleteFunc(k.dirty, func(project string, _ changes) bool { return !active[project] })
	var failed error
	for project := range k.dirty {
		if !now(project) {
			continue
		}
		began, seen := k.log.Mint().Now(), k.dirty[project]
		delete(k.dirty, project)
		if err := k.look(ctx, project); err != nil {
			k.dirty[project] = seen
			k.rests[project] = began.Add(k.opts.Rest)
			failed = errors.Join(failed, fmt.Errorf("look at the project %s: %w", project, err))
			continue
		}
		took := k.log.Mint().Now().Sub(began)
		k.rests[project] = began.Add(max(k.opts.Rest, took*share))
	}
	return failed
}

// active are the projects whose records may change.
func (k *Keeper) active(ctx context.Context) (map[string]bool, error) {
	all, err := k.projects.Projects(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the projects: %w", err)
	}
	out := make(map[string]bool, len(all))
	for _, p := range all {
		b, err := desk.Open[desk.ProjectBody](p)
		if err != nil {
			return nil, err
		}
		if b.Status != desk.ProjectArchived {
			out[p.ID] = true
		}
	}
	return out, nil
}

// hear reads which projects have changed. What was found is no change that is looked at.
func (k *Keeper) hear(ctx context.Context) error {
	touched, end, err := k.log.Touched(ctx, k.heard, func(kind desk.Kind) bool { return !kind.Derived() })
	if err != nil {
		return fmt.Errorf("read what changed: %w", err)
	}
	k.heard = end
	for project, t := range touched {
		seen, was := k.dirty[project]
		if !was {
			seen.first = t.First
		}
		seen.last = t.Last
		k.dirty[project] = seen
	}
	return nil
}

// look finds anew, and records what is different.
func (k *Keeper) look(ctx context.Context, project string) error {
	now := k.log.Mint().Now()
	d, err := k.desk(ctx, project, now)
	if err != nil {
		return err
	}
	found := drift.Find(d)
	id := k.log.Mint().ID("run")
	at := event.Place{Thread: k.log.Mint().ID("thr"), Run: id, Task: run.RootTask(run.ID(id)), From: run.Chela()}
	commit := func(drafts []event.Draft) error {
		_, err := k.log.Append(ctx, drafts...)
		return err
	}
	return k.clerk.Do(ctx, at, project, commit, func(w *clerk.Work) error {
		return Record(w, found, Occasion{Title: "After changes of " + strings.Replace(now.UTC().Format(time.DateTime), " ", " at ", 1) + " UTC", Compared: []string{"the project's records"}})
	})
}

// desk reads a project, unless it is kept.
func (k *Keeper) desk(ctx context.Context, project string, now time.Time) (drift.Desk, error) {
	if k.opts.Kept != nil {
		b, ok, err := k.opts.Kept.Kept(ctx, project)
		if err != nil {
			return drift.Desk{}, err
		}
		if ok {
			return b.Desk(now), nil
		}
	}
	survey, err := Read(ctx, k.clerk.Store(), project)
	if err != nil {
		return drift.Desk{}, err
	}
	d := survey.Desk()
	d.Now = now
	return d, nil
}
