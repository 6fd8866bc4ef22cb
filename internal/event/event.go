// Package event defines the log: one ordered, append-only record of everything
// that happened. On the wire an event is a Clutch Protocol message ([Message]).
// The package knows nobody else's facts: each package declares its own as a
// [Kind]. Start with [Draft] and [Kind.Draft]; the chain is in chain.go.
package event

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"time"
)

// A Seq is a position in the log. It only grows; on PostgreSQL it may have gaps.
type Seq int64

// Newest is past every position.
const Newest Seq = 1 << 62

// An Event is one recorded fact.
type Event struct {
	Seq       Seq       `json:"seq"`
	Stream    string    `json:"stream"`     // what must stay in order together
	StreamSeq int64     `json:"stream_seq"` // position in the stream, from 1, without gaps
	At        time.Time `json:"at"`         // when it was recorded, UTC
	Message   Message   `json:"message"`
	PrevHash  string    `json:"prev_hash"` // hex, the hash before it in the stream
	Hash      string    `json:"hash"`      // hex, see chain.go
}

// Said is when the message was said, by its sender's clock, and at the latest when it was
// recorded: it may have waited for that.
func (e Event) Said() time.Time {
	if ts := e.Message.TS; !ts.IsZero() && (e.At.IsZero() || ts.Before(e.At)) {
		return ts
	}
	return e.At
}

// A Draft is a fact not yet recorded.
type Draft struct {
	Stream  string
	Message Message // ID, TS and V are filled in when empty
	// Expect, when set, is the stream_seq that the stream must stand at for the
	// whole append to happen; otherwise it is a fault.Conflict.
	Expect *int64
	// Envelope is set by [Draft.Seal], after which the message stays as it is.
	Envelope *Envelope
}

// A Place says where a fact belongs and who says it.
type Place struct {
	Stream     string
	Thread     string
	Run        string
	Task       string
	ParentTask string
	From       Party
	To         []Party
	Trace      *Trace
	Key        string // idempotency key: recorded at most once per sender
	Epoch      int64  // of the claim under which a segment writes; 0 outside segments
}

// ProjectStream, ThreadStream, PersonStream, ChannelStream and OrgStream name the sorts of stream.
func ProjectStream(project string) string { return "project:" + project }

// ProjectOfStream returns the project whose stream it is, "" for any other stream.
func ProjectOfStream(stream string) string {
	project, ok := strings.CutPrefix(stream, "project:")
	if !ok {
		return ""
	}
	return project
}

// ThreadStream is the stream of a conversation and its runs.
func ThreadStream(thread string) string { return "thread:" + thread }

// PersonStream is the stream of what a person keeps for themself.
func PersonStream(person string) string { return "person:" + person }

// PersonOfStream is whose stream it is, "" when it is nobody's.
func PersonOfStream(stream string) string {
	person, ok := strings.CutPrefix(stream, "person:")
	if !ok {
		return ""
	}
	return person
}

// ChannelStream is the stream of what concerns a channel and no conversation.
func ChannelStream(name string) string { return "channel:" + name }

// OrgStream is the stream of everything else.
const OrgStream = "org"

// A Kind binds an event type to its payload type, so that writer and reader
// cannot disagree. Declare kinds as package variables next to what they record.
type Kind[P any] struct {
	Name        string // the message type, such as "run.finished"
	PayloadType string // such as "run.finished.v1"; empty for types whose payload the protocol fixes
}

// Draft returns a draft carrying p.
func (k Kind[P]) Draft(at Place, p P) Draft {
	raw, err := json.Marshal(p)
	if err != nil {
		panic("event: payload of " + k.Name + " is not JSON: " + err.Error()) // a bug in P
	}
	return Draft{Stream: at.Stream, Message: Message{
		ThreadID: at.Thread, RunID: at.Run, TaskID: at.Task, ParentTaskID: at.ParentTask,
		From: at.From, To: at.To, Trace: at.Trace, Type: k.Name, PayloadType: k.PayloadType,
		Payload: raw, IdempotencyKey: at.Key,
	}}
}

// Open returns e's payload, and whether e is of this kind.
func (k Kind[P]) Open(e Event) (p P, ok bool, err error) {
	if e.Message.Type != k.Name {
		return p, false, nil
	}
	err = json.Unmarshal(e.Message.Payload, &p)
	return p, true, err
}

// Is reports whether e is of this kind.
func (k Kind[P]) Is(e Event) bool { return e.Message.Type == k.Name }

// A Log records and replays events.
type Log interface {
	// Append records all drafts or none, in order. A draft whose message id or
	// (sender, idempotency key) is recorded already is left out of the result.
	Append(ctx context.Context, drafts ...Draft) ([]Event, error)
	// After yields the events past seq that no transaction in flight can still
	// precede, oldest first, then returns.
	After(ctx context.Context, seq Seq) iter.Seq2[Event, error]
}

// A Filter narrows what is read of the log. Zero fields do not narrow.
type Filter struct {
	Stream, Thread, Run, Type, Actor string // Type may end in * to mean a namespace
	Without                          string // a namespace, such as desk.*, that is left out
	Limit                            int    // 0 means 1,000
	Newest                           bool   // newest first, before the given position when that is set
}

// Admits reports whether e is among what the filter lets through.
func (f Filter) Admits(e Event) bool {
	m := e.Message
	is := func(want, have string) bool { return want == "" || want == have }
	space, wide := strings.CutSuffix(f.Type, "*")
	if out := strings.TrimSuffix(f.Without, "*"); out != "" && strings.HasPrefix(m.Type, out) {
		return false
	}
	return is(f.Stream, e.Stream) && is(f.Run, m.RunID) && is(f.Actor, m.From.AgentID) &&
		(is(f.Thread, m.ThreadID) || e.Stream == ThreadStream(f.Thread)) &&
		(is(f.Type, m.Type) || wide && strings.HasPrefix(m.Type, space))
}
