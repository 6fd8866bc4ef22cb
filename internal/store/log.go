package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"time"

	"chela/internal/clerk"
	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
)

// A Log is the events in the order in which they were recorded, and how far readers of them are.
type Log struct{ base }

// Append implements [event.Log].
func (l Log) Append(ctx context.Context, drafts ...event.Draft) (out []event.Event, err error) {
	err = l.db.Write(ctx, func(tx *Tx) (err error) {
		out, err = tx.Append(drafts...)
		return err
	})
	return out, err
}

// Append records all drafts or none, in order, and projects them. A draft whose
// message id or (sender, idempotency key) is recorded already is left out of the
// result.
func (tx *Tx) Append(drafts ...event.Draft) ([]event.Event, error) {
	if len(drafts) == 0 {
		return nil, nil
	}
	now := tx.db.mint.Now().UTC().Truncate(time.Microsecond)
	drafts, err := event.SealAll(drafts, tx.db.mint, now)
	if err != nil {
		return nil, err
	}
	known, looks := tx.known(drafts)
	seqs, err := tx.reserve(drafts, looks)
	if err != nil {
		return nil, err
	}
	from := len(tx.fresh)
	defer func() { tx.to = nil }()
	tx.fresh, tx.digests = slices.Grow(tx.fresh, len(drafts)), slices.Grow(tx.digests, len(drafts))
	for i, d := range drafts {
		h := tx.heads[d.Stream]
		if d.Expect != nil && *d.Expect != h.Seq {
			return nil, fault.New(fault.Conflict, "The stream %s stands at %d, not at %d: somebody else changed it.", d.Stream, h.Seq, *d.Expect)
		}
		if known[i] {
			continue
		}
		if h.Hash == "" {
			h.Hash = event.Genesis(d.Stream)
		}
		e := event.Event{
			Seq: seqs[len(tx.fresh)-from], Stream: d.Stream, StreamSeq: h.Seq + 1, At: now, Message: d.Message,
			PrevHash: h.Hash, Hash: event.Link(h.Hash, d.Envelope.Header),
		}
		tx.heads[d.Stream] = Head{e.StreamSeq, e.Hash}
		tx.fresh, tx.digests, tx.to = append(tx.fresh, e), append(tx.digests, d.Envelope.Digest), drafts[i:]
		if err := tx.project(e); err != nil {
			return nil, fmt.Errorf("project %s: %w", e.Message.Type, err)
		}
		if len(tx.fresh)-tx.sent >= fewSent {
			if err := tx.sendFresh(); err != nil {
				return nil, err
			}
		}
	}
	return slices.Clip(tx.fresh[from:]), nil
}

// Hold locks a stream as an append to it does: what the transaction itself reads of it from
// now on stays so until it ends. The lock goes to the database with what is sent next.
func (tx *Tx) Hold(stream string) {
	if _, held := tx.heads[stream]; !held && !slices.Contains(tx.holds, stream) {
		tx.holds = append(tx.holds, stream)
	}
}

// reserve returns a position for each draft, and looks; from now on the transaction holds their
// streams.
func (tx *Tx) reserve(drafts []event.Draft, looks []Look) ([]event.Seq, error) {
	streams := tx.holds // the database is not told of them yet
	tx.holds = nil
	for _, d := range drafts {
		if d.Stream == "" {
			panic("store: a draft of " + d.Message.Type + " names no stream")
		}
		if _, known := tx.heads[d.Stream]; !known && !slices.Contains(streams, d.Stream) {
			streams = append(streams, d.Stream)
		}
	}
	if len(streams) > 0 {
		tx.spare = nil // they were taken before these were held, so they may be too low for them
	}
	seqs := tx.spare[:min(len(tx.spare), len(drafts))]
	tx.spare = tx.spare[len(seqs):]
	n := len(drafts) - len(seqs)
	if err := tx.await(); err != nil {
		return nil, err
	}
	if n == 0 && len(streams) == 0 {
		if len(looks) == 0 {
			return seqs, nil
		}
		return seqs, tx.conn.Look(tx.ctx, nil, looks...)
	}
	more, err := tx.hold(streams, n, looks)
	return append(seqs, more...), err
}

// hold locks streams until the transaction ends, learns where they stand, takes n positions, and looks.
func (tx *Tx) hold(streams []string, n int, looks []Look) ([]event.Seq, error) {
	for _, s := range streams {
		tx.heads[s] = Head{}
	}
	slices.Sort(streams)
	seqs, heads, err := tx.db.Backend.Reserve(tx.ctx, tx.conn, streams, n, looks...)
	if err != nil {
		return nil, fmt.Errorf("reserve log positions: %w", err)
	}
	maps.Copy(tx.heads, heads)
	return seqs, nil
}

// known says of each draft whether its message is in the log, or earlier in this
// transaction, already, once the looks that it returns are done. Ids that were made up for
// them are new.
func (tx *Tx) known(drafts []event.Draft) (map[int]bool, []Look) {
	known, here := make(map[int]bool), make(map[string]bool)
	for _, e := range tx.fresh {
		here[e.Message.ID], here[keyOf(e.Message)] = true, true
	}
	var finds []Statement
	for i, d := range drafts {
		m := d.Message
		key := keyOf(m)
		if here[m.ID] || key != "" && here[key] {
			known[i] = true
			continue
		}
		here[m.ID], here[key] = true, true
		if tx.asked[m.ID] {
			known[i] = tx.recorded[m.ID]
			continue
		}
		finds = looksFor(finds, i, m, d.Envelope.Minted)
	}
	return known, finding(finds, func(i int) { known[i] = true })
}

// finding are the looks for messages; found is called with the number of each that is recorded.
func finding(finds []Statement, found func(int)) (out []Look) {
	for some := range slices.Chunk(finds, maxLooks) {
		out = append(out, Look{union(some), func(rows Rows) error {
			return each(rows, func(scan func(...any) error) error {
				var i int
				err := scan(&i)
				found(i)
				return err
			})
		}})
	}
	return out
}

func union(in []Statement) (out Statement) {
	arms := make([]string, len(in))
	for i, s := range in {
		arms[i], out.Args = s.SQL, append(out.Args, s.Args...)
	}
	out.SQL = strings.Join(arms, " UNION ALL ")
	return out
}

// keyOf is what m's sender may record only once, "" when there is no such key.
func keyOf(m event.Message) string {
	if m.IdempotencyKey == "" {
		return ""
	}
	return m.From.AgentID + "\x00" + m.IdempotencyKey
}

// maxLooks bounds how many messages one statement looks for.
const maxLooks = 100

// Events returns events past after that the filter lets through, and the position
// up to which the log has been looked at: the next call's after, also when nothing
// fits.
func (l Log) Events(ctx context.Context, after event.Seq, f event.Filter) ([]event.Exported, event.Seq, error) {
	limit := cmp.Or(f.Limit, 1000)
	// The end is read first: all up to it is decided, so the second read misses none.
	end, err := l.db.Backend.Horizon(ctx)
	if err != nil {
		return nil, after, err
	}
	if !f.Newest {
		end = max(end, after)
	}
	out, err := l.db.rows(ctx).read(filtered(f, after, end, limit))
	if len(out) == limit && !f.Newest {
		end = out[len(out)-1].Seq
	}
	return out, end, err
}

// End returns the newest position that readers may see.
func (l Log) End(ctx context.Context) (event.Seq, error) { return l.db.Backend.Horizon(ctx) }

// Count counts the events of the log.
func (l Log) Count(ctx context.Context) (int64, error) {
	n, err := l.db.rows(ctx).events()
	if err != nil {
		err = fmt.Errorf("count events: %w", err)
	}
	return n, err
}

// Touched returns the projects of which records that fit were changed past a position, with when the first and the last change of them was
// recorded, and the position up to which the log has been looked at.
func (l Log) Touched(ctx context.Context, after event.Seq, fits func(desk.Kind) bool) (map[string]clerk.Touch, event.Seq, error) {
	end, err := l.db.Backend.Horizon(ctx)
	if err != nil || end <= after {
		return nil, after, err
	}
	out := make(map[string]clerk.Touch)
	err = l.db.rows(ctx).spans(after, end, func(stream, typed string, first, last time.Time) {
		project, kind := event.ProjectOfStream(stream), desk.KindOfEvent(typed)
		if project == "" || kind == "" || !fits(kind) {
			return
		}
		t, was := out[project]
		if !was || first.Before(t.First) {
			t.First = first
		}
		if last.After(t.Last) {
			t.Last = last
		}
		out[project] = t
	})
	return out, end, err
}

// RecordedAt returns when the last event up to a position was recorded, the zero time when there is none.
func (l Log) RecordedAt(ctx context.Context, at event.Seq) (time.Time, error) {
	ts, err := l.db.rows(ctx).recordedUpTo(at)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, nil
	}
	return ts, err
}

// Before returns the position of the last event that had been recorded by then; 0 is before all. It takes as many looks
// as the newest position has bits, and finds the same however much the log has grown since.
func (l Log) Before(ctx context.Context, then time.Time) (event.Seq, error) {
	end, err := l.End(ctx)
	if err != nil {
		return 0, err
	}
	at := event.Seq(0)
	for step := event.Seq(1) << bits.Len64(uint64(max(end, 0))); step > 0; step >>= 1 { //nolint:gosec // it is not negative
		if at+step > end {
			continue
		}
		recorded, err := l.db.rows(ctx).recordedFrom(at + step)
		if err != nil {
			return 0, fmt.Errorf("read when events were recorded: %w", err)
		}
		if !recorded.After(then) {
			at += step
		}
	}
	return at, nil
}

// After implements [event.Log].
func (l Log) After(ctx context.Context, seq event.Seq) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for {
			batch, end, err := l.Events(ctx, seq, event.Filter{})
			if err != nil {
				yield(event.Event{}, err)
				return
			}
			for _, s := range batch {
				if !yield(s.Event, nil) {
					return
				}
			}
			if len(batch) == 0 {
				return
			}
			seq = end
		}
	}
}

// Stream yields the events of one stream in their order.
func (l Log) Stream(ctx context.Context, stream string) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for after := int64(0); ; {
			batch, err := l.db.rows(ctx).read(inStream(stream, after))
			if err != nil {
				yield(event.Event{}, fmt.Errorf("read the stream %s: %w", stream, err))
				return
			}
			for _, s := range batch {
				if !yield(s.Event, nil) {
					return
				}
				after = s.StreamSeq
			}
			if len(batch) == 0 {
				return
			}
		}
	}
}

// Changes yields the events of one record, oldest first.
func (l Log) Changes(ctx context.Context, record string) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for after := int64(0); ; after += manyEvents {
			batch, err := l.db.rows(ctx).read(changesOf(record, after))
			if err != nil {
				yield(event.Event{}, fmt.Errorf("read the changes of %s: %w", record, err))
				return
			}
			for _, s := range batch {
				if !yield(s.Event, nil) {
					return
				}
			}
			if len(batch) < manyEvents {
				return
			}
		}
	}
}

// Placed finds the positions at which a record was made and changed last; 0 for one that is not in the log.
func (l Log) Placed(ctx context.Context, record string) (made, last event.Seq, err error) {
	for e, err := range l.Changes(ctx, record) {
		if err != nil {
			return 0, 0, err
		}
		if made == 0 {
			made = e.Seq
		}
		last = e.Seq
	}
	return made, last, nil
}

// Position returns where the event of an id stands.
func (l Log) Position(ctx context.Context, id string) (event.Seq, error) {
	seq, err := l.db.rows(ctx).position(id)
	return seq, notInLog(id, err)
}

// EventByID returns the event of an id.
func (l Log) EventByID(ctx context.Context, id string) (event.Event, error) {
	e, err := l.db.rows(ctx).one(withID(id))
	return e, notInLog(id, err)
}

// notInLog names the event that was not found.
func notInLog(id string, err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fault.New(fault.NotFound, "The event %s is not in the log.", id)
	}
	return err
}

// ByKey returns the event that sender recorded under an idempotency key.
func (l Log) ByKey(ctx context.Context, sender, key string) (event.Event, error) {
	e, err := l.db.rows(ctx).one(underKey(sender, key))
	if errors.Is(err, sql.ErrNoRows) {
		return e, fault.New(fault.NotFound, "Nothing is recorded under the key %s.", key)
	}
	return e, err
}
