// Package past shows a project's records as they were. What was superseded is in tables of its own
// (store.Desk.At), so that whatever can be asked of the present can be asked of any moment.
package past

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/stash"
	"chela/internal/store"
)

// A Moment is a point of the log: an instant or a position.
type Moment struct {
	At  time.Time
	Seq event.Seq // when At is zero
}

// includes reports whether an event of a time and a position had been recorded by then.
func (m Moment) includes(at time.Time, seq event.Seq) bool {
	if !m.At.IsZero() {
		return !at.After(m.At)
	}
	return seq <= m.Seq
}

// Now is past every moment.
func Now() Moment { return Moment{Seq: event.Newest} }

// Past is that of a database. Safe for concurrent use.
type Past struct {
	src      *store.DB
	journals journals
	files    *stash.Folder
	form     string // of what is in the files
}

// New returns the past of a database.
func New(src *store.DB) *Past { return &Past{src: src} }

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

// At returns the desk as it was.
func (p *Past) At(ctx context.Context, m Moment) (store.Desk, error) {
	seq, err := p.position(ctx, m)
	if err != nil || seq == event.Newest {
		return p.src.Desk, err
	}
	return p.src.Desk.At(seq), nil
}

// position returns where in the log a moment is; [event.Newest] is not past yet.
func (p *Past) position(ctx context.Context, m Moment) (event.Seq, error) {
	switch {
	case m.At.IsZero():
		return m.Seq, nil
	case m.At.After(p.src.Mint().Now()):
		return event.Newest, nil
	}
	return p.src.Log.Before(ctx, m.At)
}

// Span returns a span of a project between two moments. It ends where the log does now at the latest.
func (p *Past) Span(ctx context.Context, project string, from, to Moment) (out clerk.Span, err error) {
	out.Project = project
	if out.From, err = p.position(ctx, from); err == nil {
		out.To, err = p.position(ctx, to)
	}
	if err != nil || out.To != event.Newest {
		return out, err
	}
	out.To, err = p.src.Log.End(ctx)
	return out, err
}

// History returns what became of one record up to a moment.
func (p *Past) History(ctx context.Context, record string, m Moment) ([]desk.Revised, error) {
	return desk.History(m.of(p.src.Log.Changes(ctx, record)))
}

// of yields the events that had been recorded by then.
func (m Moment) of(events iter.Seq2[event.Event, error]) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for e, err := range events {
			if err == nil && !m.includes(e.At, e.Seq) {
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

// When is the time of a moment; of a position it is when the last event up to it was recorded.
func (p *Past) When(ctx context.Context, m Moment) (time.Time, error) {
	if !m.At.IsZero() || m == Now() {
		return p.when(m, time.Time{}), nil
	}
	last, err := p.src.Log.RecordedAt(ctx, m.Seq)
	return p.when(m, last), err
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
