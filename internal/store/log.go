package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

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

// A Head is where a stream stands: its last event's number and hash.
type Head struct {
	Seq  int64
	Hash string
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
	seqs, err := tx.reserve(drafts)
	if err != nil {
		return nil, err
	}
	known, err := tx.known(drafts)
	if err != nil {
		return nil, err
	}
	out := make([]event.Event, 0, len(drafts))
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
			Seq: seqs[len(out)], Stream: d.Stream, StreamSeq: h.Seq + 1, At: now, Message: d.Message,
			PrevHash: h.Hash, Hash: event.Link(h.Hash, d.Envelope.Header),
		}
		tx.heads[d.Stream] = Head{e.StreamSeq, e.Hash}
		tx.fresh = append(tx.fresh, recorded{e, d.Envelope})
		out = append(out, e)
		if err := tx.project(e); err != nil {
			return nil, fmt.Errorf("project %s: %w", e.Message.Type, err)
		}
	}
	return out, nil
}

// Hold locks a stream as an append to it does: what the transaction itself reads of it from
// now on stays so until it ends. The lock goes to the database with what is sent next.
func (tx *Tx) Hold(stream string) {
	if _, held := tx.heads[stream]; !held && !slices.Contains(tx.holds, stream) {
		tx.holds = append(tx.holds, stream)
	}
}

// reserve returns a position for each draft; from now on the transaction holds their
// streams.
func (tx *Tx) reserve(drafts []event.Draft) ([]event.Seq, error) {
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
	for _, s := range streams {
		tx.heads[s] = Head{}
	}
	slices.Sort(streams)
	seqs, heads, err := tx.db.Backend.Reserve(tx.ctx, tx.conn, streams, len(drafts))
	if err != nil {
		return nil, fmt.Errorf("reserve log positions: %w", err)
	}
	maps.Copy(tx.heads, heads)
	return seqs, nil
}

// Heads reads where the streams stand.
func Heads(ctx context.Context, c Conn, streams []string) (map[string]Head, error) {
	out := make(map[string]Head, len(streams))
	if len(streams) == 0 {
		return out, nil
	}
	rows, err := c.Query(ctx, nil, Statement{"SELECT stream, head, hash FROM log_streams WHERE stream IN (" + marks(len(streams)) + ")", anys(streams)})
	if err != nil {
		return nil, fmt.Errorf("read stream heads: %w", err)
	}
	return out, each(rows, func(scan func(...any) error) error {
		var name string
		var h Head
		err := scan(&name, &h.Seq, &h.Hash)
		out[name] = h
		return err
	})
}

// known says of each draft whether its message is in the log, or earlier in this
// transaction, already. Ids that were made up for them are new.
func (tx *Tx) known(drafts []event.Draft) (map[int]bool, error) {
	known, here := make(map[int]bool), make(map[string]bool)
	for _, e := range tx.fresh {
		here[e.Message.ID], here[keyOf(e.Message)] = true, true
	}
	var looks []Statement
	for i, d := range drafts {
		m := d.Message
		key := keyOf(m)
		if here[m.ID] || key != "" && here[key] {
			known[i] = true
			continue
		}
		here[m.ID], here[key] = true, true
		if !d.Envelope.Minted {
			looks = append(looks, Statement{"SELECT CAST(? AS INTEGER) FROM log_events WHERE id = ?", []any{i, m.ID}})
		}
		if key != "" {
			looks = append(looks, Statement{
				"SELECT CAST(? AS INTEGER) FROM log_events WHERE actor = ? AND idempotency_key = ? AND idempotency_key <> ''", []any{i, m.From.AgentID, m.IdempotencyKey},
			})
		}
	}
	for some := range slices.Chunk(looks, maxLooks) {
		rows, err := tx.conn.Query(tx.ctx, nil, union(some))
		if err != nil {
			return nil, fmt.Errorf("look for recorded messages: %w", err)
		}
		if err := each(rows, func(scan func(...any) error) error {
			var i int
			err := scan(&i)
			known[i] = true
			return err
		}); err != nil {
			return nil, err
		}
	}
	return known, nil
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
	where, args := filter(f, after)
	order := "seq"
	if f.Newest {
		order = "seq DESC"
	}
	// The end is read first: all up to it is decided, so the second read misses none.
	end, err := l.db.Backend.Horizon(ctx)
	if err != nil {
		return nil, after, err
	}
	if !f.Newest {
		end = max(end, after)
	}
	where, args = append(where, "seq <= ?"), append(args, int64(end))
	rows, err := l.db.Query(ctx, "SELECT "+eventFields+" FROM log_events WHERE "+strings.Join(where, " AND ")+" ORDER BY "+order+limited(limit), args...)
	if err != nil {
		return nil, after, fmt.Errorf("read the log: %w", err)
	}
	var out []event.Exported
	err = each(rows, func(scan func(...any) error) error {
		s, err := scanStored(scan)
		out = append(out, s)
		return err
	})
	if len(out) == limit && !f.Newest {
		end = out[len(out)-1].Seq
	}
	return out, end, err
}

// everyTurn are the types that every turn records: they are so dense that reading along
// finds them, and the index of types leaves them out.
const everyTurn = "'chat.message', 'task.request', 'task.accept', 'task.result', 'run.queued', 'run.started', 'run.finished', 'model.answered'"

func filter(f event.Filter, after event.Seq) (where []string, args []any) {
	add := func(cond, value string) {
		if value != "" {
			where, args = append(where, cond), append(args, value)
		}
	}
	add("stream = ?", f.Stream)
	if f.Thread != "" { // what is not in its own stream has an index
		where = append(where, "(stream = ? OR thread_id = ? AND stream <> 'thread:' || thread_id)")
		args = append(args, event.ThreadStream(f.Thread), f.Thread)
	}
	add("run_id = ?", f.Run)
	add("actor = ?", f.Actor)
	if space, ok := strings.CutSuffix(f.Type, "*"); ok {
		add("type LIKE ?", space+"%")
	} else {
		add("type = ?", f.Type)
		if f.Type != "" && !strings.Contains(everyTurn, "'"+f.Type+"'") {
			where = append(where, "type NOT IN ("+everyTurn+")")
		}
	}
	if out := strings.TrimSuffix(f.Without, "*"); out != "" {
		where, args = append(where, "type NOT LIKE ?"), append(args, out+"%")
	}
	switch {
	case f.Newest && after > 0:
		where, args = append(where, "seq < ?"), append(args, int64(after))
	case !f.Newest:
		where, args = append(where, "seq > ?"), append(args, int64(after))
	}
	return where, args
}

// End returns the newest position that readers may see.
func (l Log) End(ctx context.Context) (event.Seq, error) { return l.db.Backend.Horizon(ctx) }

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
			rows, err := l.db.Query(ctx, "SELECT "+eventFields+" FROM log_events WHERE stream = ? AND stream_seq > ? ORDER BY stream_seq LIMIT 2000", stream, after)
			if err != nil {
				yield(event.Event{}, fmt.Errorf("read the stream %s: %w", stream, err))
				return
			}
			batch, err := all(rows, scanStored)
			if err != nil {
				yield(event.Event{}, err)
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

// Position returns where the event of an id stands.
func (l Log) Position(ctx context.Context, id string) (event.Seq, error) {
	var seq int64
	err := l.db.one(ctx, "SELECT seq FROM log_events WHERE id = ?", []any{id}, &seq)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fault.New(fault.NotFound, "The event %s is not in the log.", id)
	}
	return event.Seq(seq), err
}

// EventByID returns the event of an id.
func (l Log) EventByID(ctx context.Context, id string) (event.Event, error) {
	rows, err := l.db.Query(ctx, "SELECT "+eventFields+" FROM log_events WHERE id = ?", id)
	if err != nil {
		return event.Event{}, fmt.Errorf("read an event: %w", err)
	}
	s, err := first(rows, scanStored)
	if errors.Is(err, sql.ErrNoRows) {
		return event.Event{}, fault.New(fault.NotFound, "The event %s is not in the log.", id)
	}
	return s.Event, err
}

// ByKey returns the event that sender recorded under an idempotency key.
func (l Log) ByKey(ctx context.Context, sender, key string) (event.Event, error) {
	rows, err := l.db.Query(ctx, "SELECT "+eventFields+" FROM log_events WHERE actor = ? AND idempotency_key = ? AND idempotency_key <> ''", sender, key)
	if err != nil {
		return event.Event{}, err
	}
	s, err := first(rows, scanStored)
	if errors.Is(err, sql.ErrNoRows) {
		return event.Event{}, fault.New(fault.NotFound, "Nothing is recorded under the key %s.", key)
	}
	return s.Event, err
}
