package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
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

// Append implements [event.Log].
func (db *DB) Append(ctx context.Context, drafts ...event.Draft) (out []event.Event, err error) {
	err = db.Write(ctx, func(tx *Tx) (err error) {
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
	streams := make(map[string]Head)
	for _, d := range drafts {
		if d.Stream == "" {
			panic("store: a draft of " + d.Message.Type + " names no stream")
		}
		streams[d.Stream] = Head{}
	}
	seqs, heads, err := tx.db.Reserve(tx.ctx, tx.Conn, slices.Sorted(maps.Keys(streams)), len(drafts))
	if err != nil {
		return nil, fmt.Errorf("reserve log positions: %w", err)
	}
	maps.Copy(streams, heads)
	tx.grown = true
	out, headers := make([]event.Event, 0, len(drafts)), make([][]byte, 0, len(drafts))
	batchKeys := make(map[string]bool)
	now := tx.db.now().UTC().Truncate(time.Microsecond)
	for _, d := range drafts {
		h := streams[d.Stream]
		if d.Expect != nil && *d.Expect != h.Seq {
			return nil, fault.New(fault.Conflict, "The stream %s stands at %d, not at %d: somebody else changed it.", d.Stream, h.Seq, *d.Expect)
		}
		known, err := tx.recorded(d.Message, batchKeys)
		if err != nil {
			return nil, err
		}
		if known {
			continue
		}
		e, header, err := complete(d, h, now)
		if err != nil {
			return nil, err
		}
		e.Seq = seqs[len(out)]
		streams[d.Stream] = Head{e.StreamSeq, e.Hash}
		out, headers = append(out, e), append(headers, header)
	}
	return out, tx.record(out, headers, streams)
}

// complete fills in what only the log knows. It returns the event and its header, the
// canonical envelope.
func complete(d event.Draft, h Head, now time.Time) (event.Event, []byte, error) {
	m := d.Message
	m.V = event.Version
	if m.ID == "" {
		m.ID = event.NewID("msg")
	}
	if m.TS.IsZero() {
		m.TS = now
	}
	if m.To == nil {
		m.To = []event.Party{}
	}
	if h.Hash == "" {
		h.Hash = event.Genesis(d.Stream)
	}
	var err error
	if m.Payload, err = event.Canonical(m.Payload); err != nil {
		return event.Event{}, nil, fmt.Errorf("payload of %s: %w", m.Type, err)
	}
	if err := m.Check(); err != nil {
		return event.Event{}, nil, fmt.Errorf("record %s: %w", m.Type, err)
	}
	header, err := event.Header(m, event.Digest(m.Payload))
	if err != nil {
		return event.Event{}, nil, err
	}
	return event.Event{Stream: d.Stream, StreamSeq: h.Seq + 1, At: now, Message: m, PrevHash: h.Hash, Hash: event.Link(h.Hash, header)}, header, nil
}

// Heads reads where the streams stand.
func Heads(ctx context.Context, c Conn, streams []string) (map[string]Head, error) {
	rows, err := c.Query(ctx, "SELECT stream, head, hash FROM log_streams WHERE stream IN ("+marks(len(streams))+")", anys(streams)...)
	if err != nil {
		return nil, fmt.Errorf("read stream heads: %w", err)
	}
	out := make(map[string]Head, len(streams))
	return out, each(rows, func(scan func(...any) error) error {
		var name string
		var h Head
		err := scan(&name, &h.Seq, &h.Hash)
		out[name] = h
		return err
	})
}

// recorded reports whether m is in the log, or in this batch, already. Ids that the
// log is about to mint itself are new.
func (tx *Tx) recorded(m event.Message, batch map[string]bool) (bool, error) {
	if m.ID == "" && m.IdempotencyKey == "" {
		return false, nil
	}
	key := m.From.AgentID + "\x00" + m.IdempotencyKey
	if m.IdempotencyKey != "" && batch[key] || m.ID != "" && batch[m.ID] {
		return true, nil
	}
	batch[key], batch[m.ID] = true, true
	var n int
	err := tx.row("SELECT count(*) FROM log_events WHERE id = ? OR (idempotency_key = ? AND actor = ? AND idempotency_key <> '')",
		[]any{m.ID, m.IdempotencyKey, m.From.AgentID}, &n)
	return n > 0, err
}

// record inserts the events and the new heads, and projects.
func (tx *Tx) record(events []event.Event, headers [][]byte, streams map[string]Head) error {
	if len(events) == 0 {
		return nil
	}
	for first := 0; first < len(events); first += maxRows {
		chunk := events[first:min(first+maxRows, len(events))]
		args := make([]any, 0, len(chunk)*20)
		for i, e := range chunk {
			args = append(args, eventArgs(e, headers[first+i])...)
		}
		query := insertEvents + strings.TrimSuffix(strings.Repeat(eventRow+",", len(chunk)), ",")
		if _, err := tx.Exec(tx.ctx, query, args...); err != nil {
			return fmt.Errorf("record events: %w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(streams)) {
		h := streams[name]
		if _, err := tx.Exec(tx.ctx, `INSERT INTO log_streams (stream, head, hash) VALUES (?, ?, ?)
			ON CONFLICT (stream) DO UPDATE SET head = excluded.head, hash = excluded.hash`, name, h.Seq, h.Hash); err != nil {
			return fmt.Errorf("move stream head: %w", err)
		}
	}
	for _, e := range events {
		if err := tx.project(e); err != nil {
			return fmt.Errorf("project %s: %w", e.Message.Type, err)
		}
	}
	return nil
}

const (
	insertEvents = `INSERT INTO log_events (seq, id, stream, stream_seq, ts, type, domain, payload_type, thread_id, run_id, task_id,
		parent_task_id, actor, idempotency_key, envelope, payload, payload_digest, prev_hash, hash, erased) VALUES `
	eventRow = "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
)

// maxRows bounds the events of one statement.
const maxRows = 500

func eventArgs(e event.Event, header []byte) []any {
	m := e.Message
	return []any{
		int64(e.Seq), m.ID, e.Stream, e.StreamSeq, micros(e.At), m.Type, m.Domain, m.PayloadType,
		m.ThreadID, m.RunID, m.TaskID, m.ParentTaskID, m.From.AgentID, m.IdempotencyKey,
		string(header), string(m.Payload), event.Digest(m.Payload), e.PrevHash, e.Hash, 0,
	}
}

const eventFields = "seq, stream, stream_seq, ts, envelope, payload, payload_digest, prev_hash, hash, erased"

func scanStored(scan func(...any) error) (s event.Exported, err error) {
	var seq, at, erased int64
	var envelope, payload string
	if err := scan(&seq, &s.Stream, &s.StreamSeq, &at, &envelope, &payload, &s.PayloadDigest, &s.PrevHash, &s.Hash, &erased); err != nil {
		return s, err
	}
	if err := json.Unmarshal([]byte(envelope), &s.Message); err != nil {
		return s, fmt.Errorf("decode envelope of event %d: %w", seq, err)
	}
	s.Seq, s.At, s.Erased = event.Seq(seq), fromMicros(at), erased != 0
	s.Message.Payload = json.RawMessage(payload)
	return s, nil
}

// Events returns events past after that the filter lets through, and the position
// up to which the log has been looked at: the next call's after, also when nothing
// fits.
func (db *DB) Events(ctx context.Context, after event.Seq, f event.Filter) ([]event.Exported, event.Seq, error) {
	limit := cmp.Or(f.Limit, 1000)
	where, args := filter(f, after)
	order := "seq"
	if f.Newest {
		order = "seq DESC"
	}
	// The end is read first: all up to it is decided, so the second read misses none.
	end, err := db.Horizon(ctx)
	if err != nil {
		return nil, after, err
	}
	if !f.Newest {
		end = max(end, after)
	}
	where, args = append(where, "seq <= ?"), append(args, int64(end), limit)
	rows, err := db.Query(ctx, "SELECT "+eventFields+" FROM log_events WHERE "+strings.Join(where, " AND ")+" ORDER BY "+order+" LIMIT ?", args...)
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

func filter(f event.Filter, after event.Seq) (where []string, args []any) {
	add := func(cond, value string) {
		if value != "" {
			where, args = append(where, cond), append(args, value)
		}
	}
	add("stream = ?", f.Stream)
	add("thread_id = ?", f.Thread)
	add("run_id = ?", f.Run)
	add("actor = ?", f.Actor)
	if space, ok := strings.CutSuffix(f.Type, "*"); ok {
		add("type LIKE ?", space+"%")
	} else {
		add("type = ?", f.Type)
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
func (db *DB) End(ctx context.Context) (event.Seq, error) { return db.Horizon(ctx) }

// After implements [event.Log].
func (db *DB) After(ctx context.Context, seq event.Seq) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for {
			batch, end, err := db.Events(ctx, seq, event.Filter{})
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

// ByKey returns the event that sender recorded under an idempotency key.
func (db *DB) ByKey(ctx context.Context, sender, key string) (event.Event, error) {
	rows, err := db.Query(ctx, "SELECT "+eventFields+" FROM log_events WHERE actor = ? AND idempotency_key = ?", sender, key)
	if err != nil {
		return event.Event{}, err
	}
	s, err := first(rows, scanStored)
	if errors.Is(err, sql.ErrNoRows) {
		return event.Event{}, fault.New(fault.NotFound, "Nothing is recorded under the key %s.", key)
	}
	return s.Event, err
}

// Cursor returns where the named reader stands, 0 at first.
func (db *DB) Cursor(ctx context.Context, name string) (event.Seq, error) {
	var seq int64
	err := db.one(ctx, "SELECT seq FROM log_cursors WHERE name = ?", []any{name}, &seq)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return event.Seq(seq), err
}

// SetCursor moves the named reader.
func (tx *Tx) SetCursor(name string, seq event.Seq) error {
	_, err := tx.Exec(tx.ctx, "INSERT INTO log_cursors (name, seq) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET seq = excluded.seq", name, int64(seq))
	return err
}
