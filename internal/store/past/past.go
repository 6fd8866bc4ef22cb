// Package past shows a project's desk as it was. The events up to a moment are played
// into a database of their own, by the projector that writes the present, so that
// whatever can be asked of the present can be asked of any moment.
package past

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/flow"
	"chela/internal/store"
)

// A Moment is a point of the log: an instant or a position.
type Moment struct {
	At  time.Time
	Seq event.Seq // when At is zero
}

// includes reports whether e had been recorded by then.
func (m Moment) includes(e event.Event) bool {
	if !m.At.IsZero() {
		return !e.At.After(m.At)
	}
	return e.Seq <= m.Seq
}

// Now is past every moment.
func Now() Moment { return Moment{Seq: event.Newest} }

// Past keeps a few moments open. Safe for concurrent use.
type Past struct {
	src  *store.DB
	open Opener

	mu   sync.Mutex // guards kept; held while a moment is played
	kept []*view    // the most recently used first

	journals journals
}

// view is one project at one moment.
type view struct {
	project string
	moment  Moment
	db      *store.DB
	folder  string
	users   int
}

// maxKept bounds the moments that are open and not in use.
const maxKept = 3

// An Opener makes a database in a file.
type Opener func(ctx context.Context, path string) (*store.DB, error)

// New returns the past of a database, played into databases that open makes.
func New(src *store.DB, open Opener) *Past { return &Past{src: src, open: open} }

// Parse reads a moment: an instant, 2026-03-01T09:00:00Z; a day, 2026-03-01 or as [desk.ReadDay]
// reads it, which means its end in UTC; a position of the log, 1234 or #1234; or an event's id, msg_….
func (p *Past) Parse(ctx context.Context, s string) (Moment, error) {
	if strings.HasPrefix(s, "msg_") {
		seq, err := p.src.Log.Position(ctx, s)
		return Moment{Seq: seq}, err
	}
	if n, err := strconv.ParseInt(strings.TrimPrefix(s, "#"), 10, 64); err == nil && n >= 0 {
		return Moment{Seq: event.Seq(n)}, nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return Moment{At: t.UTC()}, nil
	}
	if t, ok := desk.ReadDay(s, p.src.Mint().Now()); ok {
		return Moment{At: t.AddDate(0, 0, 1).Add(-time.Microsecond)}, nil
	}
	return Moment{}, fault.BadField("asOf", "The moment "+s+" cannot be read; write a day such as 2026-03-01, yesterday or 2w, an instant such as 2026-03-01T09:00:00Z, an event's position or its id.")
}

// At returns a project as it was, until done is called.
func (p *Past) At(ctx context.Context, project string, m Moment) (db *store.DB, done func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, v := range p.kept {
		if v.project == project && v.moment == m {
			copy(p.kept[1:i+1], p.kept[:i])
			p.kept[0] = v
			return v.db, p.use(v), nil
		}
	}
	v, err := p.play(ctx, project, m)
	if err != nil {
		return nil, nil, err
	}
	p.kept = append([]*view{v}, p.kept...)
	return v.db, p.use(v), nil
}

// use counts a user; the caller holds mu.
func (p *Past) use(v *view) func() {
	v.users++
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		v.users--
		p.drop(maxKept)
	})
}

// drop closes what is not in use beyond the newest n; the caller holds mu.
func (p *Past) drop(n int) {
	kept := p.kept[:0]
	for i, v := range p.kept {
		if v.users > 0 || i < n {
			kept = append(kept, v)
			continue
		}
		v.close()
	}
	clear(p.kept[len(kept):])
	p.kept = kept
}

func (v *view) close() {
	_ = v.db.Close()           // it was read only, and goes
	_ = os.RemoveAll(v.folder) // the system empties its folder for temporary files
}

// Close closes every moment.
func (p *Past) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, v := range p.kept {
		v.close()
	}
	p.kept = nil
}

// play makes the database of a moment.
func (p *Past) play(ctx context.Context, project string, m Moment) (*view, error) {
	folder, err := os.MkdirTemp("", "chela-past-")
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "There is no room for a look back in the folder for temporary files, %s.", os.TempDir())
	}
	db, err := p.open(ctx, filepath.Join(folder, "past.db"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	v := &view{project: project, moment: m, db: db, folder: folder}
	if err := db.Play(ctx, p.seen(ctx, project, m)); err != nil {
		v.close()
		return nil, fmt.Errorf("play %s: %w", project, err)
	}
	return v, nil
}

// seen yields the events that make what a project's views show: those of the records that
// belong to all projects, then its own. Neither refers to the other's order.
func (p *Past) seen(ctx context.Context, project string, m Moment) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for e, err := range p.until(ctx, "", m) {
			if (err != nil || strings.HasPrefix(e.Message.Type, "desk.")) && !yield(e, err) {
				return
			}
		}
		for e, err := range p.until(ctx, project, m) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// until yields the events of a project's stream up to a moment; "" means the stream of what
// belongs to all.
func (p *Past) until(ctx context.Context, project string, m Moment) iter.Seq2[event.Event, error] {
	return m.of(p.src.Log.Stream(ctx, desk.StreamOf(project)))
}

// Between returns what became of a project's records between two moments. When these are few, only
// their events are replayed.
func (p *Past) Between(ctx context.Context, project string, from, to Moment) ([]desk.Diff, error) {
	ids, few, err := p.changedAfter(ctx, project, from)
	if err != nil {
		return nil, err
	}
	if !few {
		return desk.Between(p.until(ctx, project, to), from.includes)
	}
	var all []event.Event
	for id := range ids {
		for e, err := range to.of(p.src.Log.Changes(ctx, id)) {
			if err != nil {
				return nil, err
			}
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b event.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return desk.Between(func(yield func(event.Event, error) bool) {
		for _, e := range all {
			if !yield(e, nil) {
				return
			}
		}
	}, from.includes)
}

// fewRecords is of how many records the events are read one by one.
const fewRecords = 300

// changedAfter returns the records of a project that changed after a moment; few is false when there
// are too many to be read one by one.
func (p *Past) changedAfter(ctx context.Context, project string, m Moment) (ids map[string]bool, few bool, err error) {
	ids = make(map[string]bool)
	for before, more := event.Seq(0), true; more; {
		batch, end, err := p.src.Log.Events(ctx, before, event.Filter{Stream: desk.StreamOf(project), Type: "desk.*", Newest: true, Limit: manyEvents})
		if err != nil {
			return nil, false, err
		}
		later := false
		for _, e := range batch {
			if m.includes(e.Event) {
				continue
			}
			later = true
			c, _, err := desk.ChangeOf(e.Event)
			if err != nil {
				return nil, false, err
			}
			if ids[c.ID] = true; len(ids) > fewRecords {
				return nil, false, nil
			}
		}
		before, more = end, later && len(batch) == manyEvents
	}
	return ids, true, nil
}

// History returns what became of one record up to a moment.
func (p *Past) History(ctx context.Context, record string, m Moment) ([]desk.Revised, error) {
	return desk.History(m.of(p.src.Log.Changes(ctx, record)))
}

// of yields the events that had been recorded by then.
func (m Moment) of(events iter.Seq2[event.Event, error]) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for e, err := range events {
			if err == nil && !m.includes(e) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Act returns what one run made of records, in the log's order; with the id of an event, what that
// event alone did. A run that changed no record is a fault.NotFound.
func (p *Past) Act(ctx context.Context, run, id string) ([]desk.Revision, error) {
	ids, err := p.touched(ctx, run, id)
	if err != nil {
		return nil, err
	}
	var out []desk.Revision
	for _, record := range ids {
		for r, err := range desk.Replay(p.src.Log.Changes(ctx, record)) {
			if err != nil {
				return nil, err
			}
			if m := r.Event.Message; m.ID == id || id == "" && m.RunID == run {
				out = append(out, r)
			}
		}
	}
	slices.SortFunc(out, func(a, b desk.Revision) int { return cmp.Compare(a.Event.Seq, b.Event.Seq) })
	return out, nil
}

// touched lists the records that a run or an event changed.
func (p *Past) touched(ctx context.Context, run, id string) ([]string, error) {
	if id != "" {
		e, err := p.src.Log.EventByID(ctx, id)
		if err != nil {
			return nil, err
		}
		c, ok, err := desk.ChangeOf(e)
		if err == nil && !ok {
			err = fault.New(fault.Conflict, "The event %s is no change of a record, so there is nothing to take back. The history of a record names its changes.", id)
		}
		return []string{c.ID}, err
	}
	seen := make(map[string]bool)
	var out []string
	for after, more := event.Seq(0), true; more; {
		batch, end, err := p.src.Log.Events(ctx, after, event.Filter{Run: run, Type: "desk.*", Limit: manyEvents})
		if err != nil {
			return nil, err
		}
		for _, e := range batch {
			c, _, err := desk.ChangeOf(e.Event)
			if err != nil {
				return nil, err
			}
			if !seen[c.ID] {
				seen[c.ID] = true
				out = append(out, c.ID)
			}
		}
		after, more = end, len(batch) == manyEvents
	}
	if len(out) == 0 {
		return nil, fault.New(fault.NotFound, "The run %s changed no record, so there is nothing to take back.", run)
	}
	return out, nil
}

// manyEvents is how many events are read together.
const manyEvents = 2000

// Sprints returns what a project's sprints are computed from, as it was, and when that was.
func (p *Past) Sprints(ctx context.Context, project string, m Moment) (*flow.Ledger, time.Time, error) {
	l, err := flow.NewLedger(desk.Replay(p.until(ctx, project, m), desk.Ticket, desk.Objective, desk.SprintPlan))
	if err != nil {
		return nil, time.Time{}, err
	}
	return l, p.when(m, l.Last()), nil
}

// when is the time of a moment; last is when what was seen of it was recorded last.
func (p *Past) when(m Moment, last time.Time) time.Time {
	now := p.src.Mint().Now()
	switch {
	case !m.At.IsZero() && m.At.Before(now):
		return m.At
	case m.At.IsZero() && m != Now():
		return last
	}
	return now
}
