package store

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"chela/internal/event"
)

// A row of the log holds each thing once: what is asked by has a column of its own, the rest of
// the envelope is in the column extra, and hashes are bytes. The chain is checked over the
// message that is put together again from them, so a change of any of it shows, in whichever
// column; when it was recorded, and where in the whole log, the chain does not cover.

// eventFields are what [scanStored] reads.
const eventFields = "seq, stream, stream_seq, ts, id, type, domain, payload_type, thread_id, run_id, task_id, parent_task_id, actor, idempotency_key, extra, payload, payload_digest, prev_hash, hash, erased"

const (
	insertEvents = "INSERT INTO log_events (" + eventFields + ") VALUES "
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
	Role string `json:"role,omitempty"`
}

func extraOf(m event.Message) (string, error) {
	x := extra{
		TS: m.TS, From: sender{m.From.Role}, To: m.To, Trace: m.Trace, SchemaRef: m.SchemaRef, Requires: m.Requires, Prefers: m.Prefers,
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
	m.V, m.TS, m.From.Role, m.To, m.Trace, m.SchemaRef = cmp.Or(x.V, recordedVersion), x.TS, x.From.Role, x.To, x.Trace, x.SchemaRef
	m.Requires, m.Prefers, m.Security, m.Attachments, m.Attempt, m.Meta = x.Requires, x.Prefers, x.Security, x.Attachments, x.Attempt, x.Meta
	if m.To == nil {
		m.To = []event.Party{}
	}
}

// eventArgs are the columns of an event in the order of [eventFields].
func eventArgs(e recorded) ([]any, error) {
	m := e.Message
	rest, err := extraOf(m)
	if err != nil {
		return nil, fmt.Errorf("encode what the log holds of %s: %w", m.ID, err)
	}
	out := []any{
		int64(e.Seq), e.Stream, e.StreamSeq, micros(e.At), m.ID, m.Type, m.Domain, m.PayloadType,
		m.ThreadID, m.RunID, m.TaskID, m.ParentTaskID, m.From.AgentID, m.IdempotencyKey, rest, string(m.Payload),
	}
	for _, h := range []string{e.envelope.Digest, e.PrevHash, e.Hash} {
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
