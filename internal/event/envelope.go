package event

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// An Envelope is a message as its hash covers it.
type Envelope struct {
	Header []byte // see [Header]
	Digest string // of the payload, see [Digest]
	Minted bool   // the message's id was made up here
}

// SaidAt is the draft as said at an instant, unless it says when it was said itself.
func (d Draft) SaidAt(now time.Time) Draft {
	if d.Message.TS.IsZero() {
		d.Message.TS = now.UTC().Truncate(time.Microsecond)
	}
	return d
}

// Seal fills in what the sender leaves open, checks the message and encodes it. What is
// sealed before an append need not be encoded while others wait for the log.
func (d Draft) Seal(mint *Mint, now time.Time) (Draft, error) {
	d = d.SaidAt(now)
	m := &d.Message
	m.V = Version
	if m.To == nil {
		m.To = []Party{}
	}
	var err error
	if m.Payload, err = Canonical(mint.Masked(m.Payload)); err != nil {
		return d, fmt.Errorf("payload of %s: %w", m.Type, err)
	}
	digest := Digest(m.Payload)
	minted := m.ID == ""
	if minted {
		if m.ID, err = mint.message(*m, digest); err != nil {
			return d, err
		}
	}
	if err := m.Check(); err != nil {
		return d, fmt.Errorf("record %s: %w", m.Type, err)
	}
	header, err := Header(*m, digest)
	d.Envelope = &Envelope{header, digest, minted}
	return d, err
}

// SealAll seals every draft that is not sealed yet.
func SealAll(drafts []Draft, mint *Mint, now time.Time) ([]Draft, error) {
	out := make([]Draft, len(drafts))
	for i, d := range drafts {
		if d.Envelope == nil {
			var err error
			if d, err = d.Seal(mint, now); err != nil {
				return nil, err
			}
		}
		out[i] = d
	}
	return out, nil
}

// Header returns what the hash covers: the canonical envelope with the payload replaced
// by {"sha256": digest}. A payload may be erased later and the chain still verifies. It
// is what [Canonical] makes of the message's JSON, written at once.
func Header(m Message, payloadDigest string) ([]byte, error) {
	w := writer{out: make([]byte, 0, 640)}
	w.out = append(w.out, '{')
	if len(m.Attachments) > 0 {
		w.value("attachments", m.Attachments)
	}
	if m.Attempt != 0 {
		w.key("attempt")
		w.out, w.err = appendNumber(w.out, json.Number(strconv.Itoa(m.Attempt)))
	}
	w.some("domain", m.Domain)
	w.key("from")
	w.party(m.From)
	w.text("id", m.ID)
	w.some("idempotency_key", m.IdempotencyKey)
	if len(m.Meta) > 0 {
		w.value("meta", m.Meta)
	}
	w.some("parent_task_id", m.ParentTaskID)
	w.key("payload")
	w.out = append(append(append(w.out, `{"sha256":"`...), payloadDigest...), `"}`...)
	w.some("payload_type", m.PayloadType)
	w.texts("prefers", m.Prefers)
	w.texts("requires", m.Requires)
	w.text("run_id", m.RunID)
	w.some("schema_ref", m.SchemaRef)
	if m.Security != nil {
		w.value("security", m.Security)
	}
	w.text("task_id", m.TaskID)
	w.text("thread_id", m.ThreadID)
	w.receivers(m.To)
	if m.Trace != nil {
		w.key("trace")
		w.out = append(w.out, '{')
		w.text("span_id", m.Trace.SpanID)
		w.text("trace_id", m.Trace.TraceID)
		w.out = append(w.out, '}')
	}
	w.time("ts", m.TS)
	w.text("type", m.Type)
	w.text("v", m.V)
	if w.err != nil {
		return nil, fmt.Errorf("encode envelope %s: %w", m.ID, w.err)
	}
	return append(w.out, '}'), nil
}

// A writer writes members of objects in canonical form; the caller gives them in order.
type writer struct {
	out []byte
	err error // the first
}

func (w *writer) key(name string) {
	if w.out[len(w.out)-1] != '{' {
		w.out = append(w.out, ',')
	}
	w.out = append(append(append(w.out, '"'), name...), '"', ':')
}

func (w *writer) text(name, s string) {
	w.key(name)
	w.string(s)
}

// string writes s, with U+FFFD for each byte that is not UTF-8.
func (w *writer) string(s string) {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	w.out = appendString(w.out, s)
}

// some writes a text that is left out when it is empty.
func (w *writer) some(name, s string) {
	if s != "" {
		w.text(name, s)
	}
}

func (w *writer) texts(name string, in []string) {
	if len(in) == 0 {
		return
	}
	w.key(name)
	for i, s := range in {
		w.out = append(w.out, "[,"[min(i, 1)])
		w.string(s)
	}
	w.out = append(w.out, ']')
}

func (w *writer) party(p Party) {
	w.out = append(w.out, '{')
	w.text("agent_id", p.AgentID)
	w.some("key", p.Key)
	w.some("role", p.Role)
	w.out = append(w.out, '}')
}

func (w *writer) receivers(to []Party) {
	w.key("to")
	if to == nil {
		w.out = append(w.out, "null"...)
		return
	}
	w.out = append(w.out, '[')
	for i, p := range to {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.party(p)
	}
	w.out = append(w.out, ']')
}

// time writes an instant as its JSON has it.
func (w *writer) time(name string, t time.Time) {
	raw, err := t.MarshalJSON()
	if err != nil && w.err == nil {
		w.err = err
	}
	w.key(name)
	w.out = append(w.out, raw...)
}

// value writes what is seldom there, or knows its own form.
func (w *writer) value(name string, v any) {
	raw, err := json.Marshal(v)
	if err == nil {
		raw, err = Canonical(raw)
	}
	if err != nil {
		if w.err == nil {
			w.err = err
		}
		return
	}
	w.key(name)
	w.out = append(w.out, raw...)
}
