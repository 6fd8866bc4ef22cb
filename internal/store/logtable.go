package store

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/run"
)

// The tables of the log, which no other file names. A row holds each thing once: what is asked by has
// a column of its own, the rest of the envelope is in the column extra, and hashes are bytes. The
// chain is checked over the message that is put together again from them, so a change of any of it
// shows, in whichever column; when it was recorded, and where in the whole log, the chain does not
// cover.
const (
	eventTable  = "log_events"
	streamTable = "log_streams"
)

// eventFields are what [scanStored] reads.
const eventFields = "seq, stream, stream_seq, ts, id, type, domain, payload_type, thread_id, run_id, task_id, parent_task_id, actor, idempotency_key, extra, payload, payload_digest, prev_hash, hash, erased"

const (
	insertEvents = "INSERT INTO " + eventTable + " (" + eventFields + ") VALUES "
	eventRow     = "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
)

// recordedVersion is the protocol's version of what names none in its row.
const recordedVersion = "clutch/0.1"

// extra is what a message has that is in no other column. Its names are the protocol's.
type extra struct {
	V           string                     `json:"v,omitempty"`
	TS          time.Time                  `json:"ts"`
	From        sender                     `json:"from,omitzero"`
	To          []event.Party              `json:"to,omitempty"`
	Trace       *event.Trace               `json:"trace,omitempty"`
	SchemaRef   string                     `json:"schema_ref,omitempty"`
	Requires    []string                   `json:"requires,omitempty"`
	Prefers     []string                   `json:"prefers,omitempty"`
	Security    *event.Security            `json:"security,omitempty"`
	Attachments []event.Attachment         `json:"attachments,omitempty"`
	Attempt     int                        `json:"attempt,omitempty"`
	Meta        map[string]json.RawMessage `json:"meta,omitempty"`
}

type sender struct {
	Key  string `json:"key,omitempty"`
	Role string `json:"role,omitempty"`
}

func extraOf(m event.Message) (string, error) {
	x := extra{
		TS: m.TS, From: sender{m.From.Key, m.From.Role}, To: m.To, Trace: m.Trace, SchemaRef: m.SchemaRef, Requires: m.Requires, Prefers: m.Prefers,
		Security: m.Security, Attachments: m.Attachments, Attempt: m.Attempt, Meta: m.Meta,
	}
	if m.V != recordedVersion {
		x.V = m.V
	}
	raw, err := json.Marshal(x)
	return string(raw), err
}

// into puts what extra holds into a message whose other fields are set.
func (x extra) into(m *event.Message) {
	m.V, m.TS, m.From.Key, m.From.Role, m.To, m.Trace, m.SchemaRef = cmp.Or(x.V, recordedVersion), x.TS, x.From.Key, x.From.Role, x.To, x.Trace, x.SchemaRef
	m.Requires, m.Prefers, m.Security, m.Attachments, m.Attempt, m.Meta = x.Requires, x.Prefers, x.Security, x.Attachments, x.Attempt, x.Meta
	if m.To == nil {
		m.To = []event.Party{}
	}
}

// eventArgs adds to out the columns of an event in the order of [eventFields].
func eventArgs(out []any, e *event.Event, digest string) ([]any, error) {
	m := &e.Message
	rest, err := extraOf(*m)
	if err != nil {
		return nil, fmt.Errorf("encode what the log holds of %s: %w", m.ID, err)
	}
	out = append(
		out,
		int64(e.Seq), e.Stream, e.StreamSeq, micros(e.At), m.ID, m.Type, m.Domain, m.PayloadType,
		m.ThreadID, m.RunID, m.TaskID, m.ParentTaskID, m.From.AgentID, m.IdempotencyKey, rest, string(m.Payload),
	)
	for _, h := range []string{digest, e.PrevHash, e.Hash} {
		raw, err := hex.DecodeString(h)
		if err != nil {
			return nil, fmt.Errorf("encode the hashes of %s: %w", m.ID, err)
		}
		out = append(out, raw)
	}
	return append(out, 0), nil
}

func scanStored(scan func(...any) error) (s event.Exported, err error) {
	var at, erased int64
	var rest, payload string
	var digest, prev, hash []byte
	m := &s.Message
	if err := scan(&s.Seq, &s.Stream, &s.StreamSeq, &at, &m.ID, &m.Type, &m.Domain, &m.PayloadType, &m.ThreadID, &m.RunID, &m.TaskID, &m.ParentTaskID,
		&m.From.AgentID, &m.IdempotencyKey, &rest, &payload, &digest, &prev, &hash, &erased); err != nil {
		return s, err
	}
	var x extra
	if err := json.Unmarshal([]byte(rest), &x); err != nil {
		return s, fmt.Errorf("decode what the log holds of event %d: %w", s.Seq, err)
	}
	x.into(m)
	m.Payload = json.RawMessage(payload)
	s.At, s.Erased = fromMicros(at), erased != 0
	s.PayloadDigest, s.PrevHash, s.Hash = hex.EncodeToString(digest), hex.EncodeToString(prev), hex.EncodeToString(hash)
	return s, nil
}

// eventColumns are the names of what [scanStored] reads, in their order.
func eventColumns() []string { return eventColumnsKept }

// whole reads the rows of the log as they are, in the order of their positions.
func (l logTable) whole() (Rows, error) {
	rows, err := l.query("SELECT " + eventFields + " FROM " + eventTable + " ORDER BY seq")
	if err != nil {
		err = fmt.Errorf("read the log: %w", err)
	}
	return rows, err
}

// A rowOfEvent is the values of a row of the log, in the order of [eventColumns].
type rowOfEvent []any

func (r rowOfEvent) text(column string) string {
	s, _ := r[slices.Index(eventColumnsKept, column)].(string)
	return s
}

func (r rowOfEvent) number(column string) int64 {
	n, _ := r[slices.Index(eventColumnsKept, column)].(int64)
	return n
}

// first reports whether the event is the first of its stream.
func (r rowOfEvent) first() bool { return r.number("stream_seq") == 1 }

var eventColumnsKept = strings.Split(eventFields, ", ") //nolint:gochecknoglobals // a table

// insertRows adds to out the statements that put rows into the log as they are.
func insertRows(out []Statement, rows [][]any) []Statement {
	for some := range slices.Chunk(rows, maxRows) {
		args := make([]any, 0, len(some)*len(eventColumnsKept))
		for _, row := range some {
			args = append(args, row...)
		}
		out = append(out, Statement{insertEvents + rowsOf(eventRow, len(some)), args})
	}
	return out
}

// A Head is where a stream stands: its last event's number and hash.
type Head struct {
	Seq  int64
	Hash string
}

// SelectEnd is the query for the newest position that is recorded.
const SelectEnd = "SELECT coalesce(max(seq), 0) FROM " + eventTable

// Heads reads where the streams stand.
func Heads(ctx context.Context, c Conn, streams []string) (map[string]Head, error) {
	out := make(map[string]Head, len(streams))
	if len(streams) == 0 {
		return out, nil
	}
	rows, err := c.Query(ctx, nil, Statement{"SELECT stream, head, hash FROM " + streamTable + " WHERE stream IN (" + marks(len(streams)) + ")", anys(streams)})
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

// insert adds to out the statements that put events into the log.
func insert(out []Statement, events []event.Event, digests []string) ([]Statement, error) {
	for chunk := range slices.Chunk(events, maxRows) {
		args := make([]any, 0, len(chunk)*20)
		for i := range chunk {
			var err error
			if args, err = eventArgs(args, &chunk[i], digests[i]); err != nil {
				return nil, err
			}
		}
		digests = digests[len(chunk):]
		out = append(out, Statement{insertEvents + rowsOf(eventRow, len(chunk)), args})
	}
	return out, nil
}

// headsKept adds to out the statements that say where the streams of events stand.
func headsKept(out []Statement, events []event.Event, heads map[string]Head) []Statement {
	moved := make(map[string]bool)
	for i := range events {
		moved[events[i].Stream] = true
	}
	for names := range slices.Chunk(slices.Sorted(maps.Keys(moved)), maxRows) {
		args := make([]any, 0, len(names)*3)
		for _, n := range names {
			args = append(args, n, heads[n].Seq, heads[n].Hash)
		}
		out = append(out, Statement{"INSERT INTO " + streamTable + " (stream, head, hash) VALUES " + rowsOf("(?,?,?)", len(names)) +
			" ON CONFLICT (stream) DO UPDATE SET head = excluded.head, hash = excluded.hash", args})
	}
	return out
}

// maxRows bounds the rows of one statement.
const maxRows = 500

func rowsOf(row string, n int) string { return strings.TrimSuffix(strings.Repeat(row+",", n), ",") }

// looksFor adds to out the queries that find i when the message is in the log, by its id and by its key.
// An id that was made up for it is new.
func looksFor(out []Statement, i int, m event.Message, minted bool) []Statement {
	if !minted {
		out = append(out, Statement{"SELECT CAST(? AS INTEGER) AS i FROM " + eventTable + " WHERE id = ?", []any{i, m.ID}})
	}
	if m.IdempotencyKey != "" {
		out = append(out, Statement{"SELECT CAST(? AS INTEGER) AS i FROM " + eventTable + " WHERE " + byKey, []any{i, m.From.AgentID, m.IdempotencyKey}})
	}
	return out
}

// bodySQL is the body of a record r of desk_records, see [splice].
const bodySQL = "(CASE WHEN r.body_at < 0 THEN r.body ELSE (SELECT desk_body(e.payload, r.body_at, r.body) FROM " + eventTable + " e WHERE e.seq = r.seq) END)"

// memberOf is a member of the body of a record r of desk_records. of reads it out of a JSON text, in which the body is at a path. What the
// record's kind adds is in no event, so that is read of the body.
func memberOf(name string, of func(at, path string) string) string {
	if desk.AddsByItself(name) {
		return of(bodySQL, "")
	}
	return "(CASE WHEN r.body_at < 0 THEN " + of("r.body", "") + " ELSE (SELECT " + of("e.payload", "set.") + " FROM " + eventTable + " e WHERE e.seq = r.seq) END)"
}

// byKey is the condition of what a sender recorded under a key.
const byKey = "actor = ? AND idempotency_key = ? AND idempotency_key <> ''"

// idByKey reads the id of what a sender recorded under a key.
const idByKey = "(SELECT id FROM " + eventTable + " WHERE " + byKey + ")"

// actorOf reads, inside a query, who recorded in a run, as the SQL run says, an event of a type under a key.
func actorOf(run, kind, key string) string {
	return "(SELECT e.actor FROM " + eventTable + " e WHERE e.run_id = " + run + " AND e.type = '" + kind + "' AND e.idempotency_key = " + key + " ORDER BY e.seq LIMIT 1)"
}

// A logTable reads the rows of the log, inside a transaction or outside.
type logTable struct{ query look }

// A selection is some events in an order.
type selection struct {
	from, where, order string
	args               []any
	limit              int // 0 is none
}

// read returns the events of a selection.
func (l logTable) read(s selection) ([]event.Exported, error) {
	rows, err := l.rows(s)
	if err != nil {
		return nil, err
	}
	return all(rows, scanStored)
}

func (l logTable) rows(s selection) (Rows, error) {
	fields, from, limit := eventFields, eventTable, ""
	if s.from != "" {
		fields, from = prefixed("e", eventFields), s.from
	}
	if s.limit > 0 {
		limit = limited(s.limit)
	}
	if s.order != "" {
		s.order = " ORDER BY " + s.order
	}
	rows, err := l.query("SELECT "+fields+" FROM "+from+" WHERE "+s.where+s.order+limit, s.args...)
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	return rows, nil
}

// one returns the only event of a selection, or sql.ErrNoRows.
func (l logTable) one(s selection) (event.Event, error) {
	rows, err := l.rows(s)
	if err != nil {
		return event.Event{}, err
	}
	e, err := first(rows, scanStored)
	return e.Event, err
}

// manyEvents is how many events are read together.
const manyEvents = 2000

func withID(id string) selection { return selection{where: "id = ?", args: []any{id}} }

func underKey(sender, key string) selection {
	return selection{where: byKey, args: []any{sender, key}}
}

// recordedAfter are the first events past a position.
func recordedAfter(after event.Seq) selection {
	return selection{where: "seq > ?", args: []any{int64(after)}, order: "seq", limit: manyEvents}
}

// inStream are the first events of a stream past a number.
func inStream(stream string, after int64) selection {
	return selection{where: "stream = ? AND stream_seq > ?", args: []any{stream, after}, order: "stream_seq", limit: manyEvents}
}

// changesOf are the first events of a record past a version.
func changesOf(record string, after int64) selection {
	return selection{
		from: "desk_changes c JOIN " + eventTable + " e ON e.seq = c.seq", where: "c.record = ? AND c.version > ?", args: []any{record, after}, order: "c.version", limit: manyEvents,
	}
}

// changesPast are the first events of records, each in its order, past one.
func changesPast(record string, version int64) selection {
	return selection{
		from: "desk_changes c JOIN " + eventTable + " e ON e.seq = c.seq", where: "(c.record, c.version) > (?, ?)", args: []any{record, version}, order: "c.record, c.version", limit: manyEvents,
	}
}

// resultsOf are the events that ended steps of a run, up to a position.
func resultsOf(id run.ID, upTo event.Seq) selection {
	return selection{
		from: "run_steps s JOIN " + eventTable + " e ON e.seq = s.done", where: "s.run_id = ? AND s.done > 0 AND s.done <= ?", args: []any{string(id), int64(upTo)},
	}
}

// filtered are the events past a position, and up to the end, that a filter lets through.
func filtered(f event.Filter, after, end event.Seq, limit int) selection {
	where, args := filter(f, after)
	order := "seq"
	if f.Newest {
		order = "seq DESC"
	}
	return selection{where: strings.Join(append(where, "seq <= ?"), " AND "), args: append(args, int64(end)), order: order, limit: limit}
}

// position returns where the event of an id stands, or sql.ErrNoRows.
func (l logTable) position(id string) (seq event.Seq, err error) {
	rows, err := l.query("SELECT seq FROM "+eventTable+" WHERE id = ?", id)
	if err != nil {
		return 0, fmt.Errorf("read the log: %w", err)
	}
	return seq, scanOne(rows, []any{(*int64)(&seq)})
}

// recordedFrom returns when the first event from a position on was recorded.
func (l logTable) recordedFrom(at event.Seq) (time.Time, error) {
	return l.recorded("seq >= ? ORDER BY seq", at)
}

// recordedUpTo returns when the last event up to a position was recorded.
func (l logTable) recordedUpTo(at event.Seq) (time.Time, error) {
	return l.recorded("seq <= ? ORDER BY seq DESC", at)
}

func (l logTable) recorded(which string, at event.Seq) (time.Time, error) {
	rows, err := l.query("SELECT ts FROM "+eventTable+" WHERE "+which+" LIMIT 1", int64(at))
	if err != nil {
		return time.Time{}, err
	}
	var ts int64
	err = scanOne(rows, []any{&ts})
	return fromMicros(ts), err
}

// events counts the events of all streams. Their positions in the log are no count: on PostgreSQL some are left out.
func (l logTable) events() (n int64, err error) {
	rows, err := l.query("SELECT CAST(coalesce(sum(head), 0) AS BIGINT) FROM " + streamTable)
	if err != nil {
		return 0, err
	}
	return first(rows, func(scan func(...any) error) (n int64, err error) { return n, scan(&n) })
}

// head returns the number of a stream's last event, 0 when it has none.
func (l logTable) head(stream string) (n int64, err error) {
	rows, err := l.query("SELECT coalesce(max(head), 0) FROM "+streamTable+" WHERE stream = ?", stream)
	if err != nil {
		return 0, err
	}
	return n, scanOne(rows, []any{&n})
}

// hash is that of the event at a position of a stream, "" when there is none.
func (l logTable) hash(stream string, at int64) (string, error) {
	rows, err := l.query("SELECT hash FROM "+eventTable+" WHERE stream = ? AND stream_seq = ?", stream, at)
	if err != nil {
		return "", err
	}
	found, err := all(rows, func(scan func(...any) error) (sum []byte, err error) { return sum, scan(&sum) })
	if err != nil || len(found) == 0 {
		return "", err
	}
	return hex.EncodeToString(found[0]), nil
}

// heads returns where all streams stand.
func (l logTable) heads() (map[string]event.Head, error) {
	rows, err := l.query("SELECT stream, head, hash FROM " + streamTable)
	if err != nil {
		return nil, err
	}
	out := make(map[string]event.Head)
	return out, each(rows, func(scan func(...any) error) error {
		var name string
		var h event.Head
		err := scan(&name, &h.Seq, &h.Hash)
		out[name] = h
		return err
	})
}

// changes calls fn with the payloads of a stream's events of records, between two numbers.
func (l logTable) changes(stream string, after, upTo int64, limit int, fn func(payload string) error) error {
	rows, err := l.query("SELECT payload FROM "+eventTable+" WHERE stream = ? AND stream_seq > ? AND stream_seq <= ? AND type LIKE 'desk.%' ORDER BY stream_seq"+limited(limit), stream, after, upTo)
	if err != nil {
		return err
	}
	return each(rows, func(scan func(...any) error) error {
		var payload string
		if err := scan(&payload); err != nil {
			return err
		}
		return fn(payload)
	})
}

// ofKinds calls fn with a stream's events of some types between two numbers, without what their
// envelopes hold beside the time and who it was.
func (l logTable) ofKinds(stream string, after, upTo int64, types []string, fn func(event.Event) error) error {
	rows, err := l.query("SELECT seq, stream_seq, ts, type, actor, payload FROM "+eventTable+" WHERE stream = ? AND stream_seq > ? AND stream_seq <= ? AND type IN ("+marks(len(types))+") ORDER BY stream_seq",
		append([]any{stream, after, upTo}, anys(types)...)...)
	if err != nil {
		return err
	}
	return each(rows, func(scan func(...any) error) error {
		var at int64
		var payload string
		e := event.Event{Stream: stream}
		if err := scan(&e.Seq, &e.StreamSeq, &at, &e.Message.Type, &e.Message.From.AgentID, &payload); err != nil {
			return err
		}
		e.At, e.Message.Payload = fromMicros(at), json.RawMessage(payload)
		return fn(e)
	})
}
