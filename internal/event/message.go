package event

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"chela/internal/fault"
)

// Version is the protocol version that every message names.
const Version = "clutch/0.1"

// MaxPayload is the size of the largest payload a message may carry, in bytes.
// What is larger goes to the artifact store and is named by its reference.
const MaxPayload = 1 << 20

// A Message is the envelope of the Clutch Protocol, version 0.1. Fields of our
// own go in Meta, never beside it.
type Message struct {
	V              string                     `json:"v"`
	ID             string                     `json:"id"`
	TS             time.Time                  `json:"ts"`
	ThreadID       string                     `json:"thread_id"`
	RunID          string                     `json:"run_id"`
	TaskID         string                     `json:"task_id"`
	ParentTaskID   string                     `json:"parent_task_id,omitempty"`
	Trace          *Trace                     `json:"trace,omitempty"`
	From           Party                      `json:"from"`
	To             []Party                    `json:"to"`
	Type           string                     `json:"type"`
	Domain         string                     `json:"domain,omitempty"`
	PayloadType    string                     `json:"payload_type,omitempty"`
	SchemaRef      string                     `json:"schema_ref,omitempty"`
	Payload        json.RawMessage            `json:"payload"`
	Requires       []string                   `json:"requires,omitempty"`
	Prefers        []string                   `json:"prefers,omitempty"`
	Security       *Security                  `json:"security,omitempty"`
	Attachments    []Attachment               `json:"attachments,omitempty"`
	IdempotencyKey string                     `json:"idempotency_key,omitempty"`
	Attempt        int                        `json:"attempt,omitempty"`
	Meta           map[string]json.RawMessage `json:"meta,omitempty"`
}

// A Trace ties a message to a distributed trace.
type Trace struct {
	TraceID string `json:"trace_id"`
	SpanID  string `json:"span_id"`
}

// A Party is one end of a message. AgentID begins with "agent:" or, as a
// receiver, "group:". A person is "agent:person/ID" with role "person".
type Party struct {
	AgentID string `json:"agent_id"`
	Role    string `json:"role,omitempty"`
	Key     string `json:"key,omitempty"` // of a program that acts for the person, by its id
}

// RoleSchedule is the role of a schedule: it says what its agent shall do.
const RoleSchedule = "schedule"

// Security carries a signature and limits of what the receiver may do for it.
type Security struct {
	Auth   *Auth   `json:"auth,omitempty"`
	Policy *Policy `json:"policy,omitempty"`
}

// Auth is a signature over the message.
type Auth struct {
	Scheme string `json:"scheme"`
	Kid    string `json:"kid"`
	Sig    string `json:"sig"`
}

// Policy narrows what may be done for a message.
type Policy struct {
	Sandbox       bool     `json:"sandbox"`
	ToolAllowlist []string `json:"tool_allowlist"`
	Network       string   `json:"network,omitempty"`
}

// An Attachment names something beside the payload.
type Attachment struct {
	Kind     string `json:"kind"` // artifact_ref, inline, url
	Ref      string `json:"ref,omitempty"`
	Content  string `json:"content,omitempty"`
	URL      string `json:"url,omitempty"`
	MIMEType string `json:"mime_type,omitempty"`
}

// The 17 types of the protocol.
const (
	TaskRequest     = "task.request"
	TaskAccept      = "task.accept"
	TaskProgress    = "task.progress"
	TaskResult      = "task.result"
	TaskError       = "task.error"
	TaskCancel      = "task.cancel"
	TaskTimeout     = "task.timeout"
	ChatMessage     = "chat.message"
	ChatSystem      = "chat.system"
	ToolCall        = "tool.call"
	ToolResult      = "tool.result"
	ToolError       = "tool.error"
	AgentRegister   = "agent.register"
	AgentHeartbeat  = "agent.heartbeat"
	AgentUpdate     = "agent.update"
	RoutingDecision = "routing.decision"
	RoutingFailure  = "routing.failure"
)

// ProtocolTypes lists the 17 types in the protocol's order.
func ProtocolTypes() []string {
	return []string{
		TaskRequest, TaskAccept, TaskProgress, TaskResult, TaskError, TaskCancel, TaskTimeout,
		ChatMessage, ChatSystem, ToolCall, ToolResult, ToolError,
		AgentRegister, AgentHeartbeat, AgentUpdate, RoutingDecision, RoutingFailure,
	}
}

// namespaces are those of our own facts. docs/protocol.md lists the types in each.
var namespaces = []string{"desk.", "run.", "approval.", "memory.", "workflow.", "router.", "org.", "intake.", "ask.", "log.", "session.", "model.", "schedule.", "policy.", "budget.", "vault.", "hook.", "channel.", "notification.", "webhook.", "mcp.", "skill.", "worker.", "tracker."}

// KnownType reports whether t is one of the protocol's types or lies in a
// namespace of ours.
func KnownType(t string) bool {
	return slices.Contains(ProtocolTypes(), t) ||
		slices.ContainsFunc(namespaces, func(n string) bool { return strings.HasPrefix(t, n) && len(t) > len(n) })
}

// DecodeMessage reads one message from outside, strictly: it refuses an unknown
// version or type, a missing field, a key that is there twice or in another case,
// a key the protocol does not know, and a payload over [MaxPayload]. The error
// names the field.
func DecodeMessage(raw []byte) (Message, error) {
	var m Message
	if len(raw) > 2*MaxPayload {
		return m, fault.New(fault.TooLarge, "The message has %d bytes; the limit is %d.", len(raw), 2*MaxPayload)
	}
	if err := DecodeStrict(raw, &m); err != nil {
		return m, err
	}
	return m, m.Check()
}

// Check reports the first field of m that the protocol does not allow.
func (m *Message) Check() error {
	if m.V != Version {
		return fault.BadField("v", "The version is not known.", Version)
	}
	for _, f := range []struct{ name, value, prefix string }{
		{"id", m.ID, "msg_"},
		{"thread_id", m.ThreadID, "thr_"},
		{"run_id", m.RunID, "run_"},
		{"task_id", m.TaskID, "task_"},
		{"from.agent_id", m.From.AgentID, "agent:"},
		{"type", m.Type, ""},
	} {
		if err := checkID(f.name, f.value, f.prefix); err != nil {
			return err
		}
	}
	if m.ParentTaskID != "" {
		if err := checkID("parent_task_id", m.ParentTaskID, "task_"); err != nil {
			return err
		}
	}
	if m.TS.IsZero() {
		return fault.BadField("ts", "The time is missing; it is an ISO 8601 date and time.")
	}
	if !KnownType(m.Type) {
		return fault.BadField("type", "The message type is not known.", ProtocolTypes()...)
	}
	if m.To == nil {
		return fault.BadField("to", "The field is missing; it is a list, which may be empty.")
	}
	for _, p := range m.To {
		if !strings.HasPrefix(p.AgentID, "agent:") && !strings.HasPrefix(p.AgentID, "group:") {
			return fault.BadField("to.agent_id", "A receiver begins with agent: or group:.")
		}
	}
	if len(m.Payload) == 0 || string(m.Payload) == "null" {
		return fault.BadField("payload", "The payload is missing.")
	}
	if len(m.Payload) > MaxPayload {
		return fault.BadField("payload", "The payload is over the limit of 1 MiB; attach it as an artifact.")
	}
	if m.Attempt < 0 {
		return fault.BadField("attempt", "Attempts count from 1.")
	}
	return nil
}

func checkID(name, value, prefix string) error {
	if value == "" {
		return fault.BadField(name, "The field is missing.")
	}
	if !strings.HasPrefix(value, prefix) || len(value) == len(prefix) {
		return fault.BadField(name, "The value begins with "+prefix+" and an id follows.")
	}
	if len(value) > 200 || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fault.BadField(name, "An id has at most 200 characters and no blanks.")
	}
	return nil
}
