package event_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
)

// full is a message with every field of the protocol.
const full = `{"v":"clutch/0.1","id":"msg_1","ts":"2026-03-01T10:00:00.25+01:00","thread_id":"thr_1","run_id":"run_1","task_id":"task_2","parent_task_id":"task_1",` +
	`"trace":{"trace_id":"t","span_id":"s"},"from":{"agent_id":"agent:a","role":"lead"},"to":[{"agent_id":"agent:b"},{"agent_id":"group:g","role":"r"}],"type":"task.result",` +
	`"domain":"code","payload_type":"code.output.v1","schema_ref":"schema://clutch/code/output@1","payload":{"success":true,"output":[1.5,"<x>"]},"requires":["skill:go"],"prefers":["tool:git"],` +
	`"security":{"auth":{"scheme":"hmac","kid":"k","sig":"s"},"policy":{"sandbox":true,"tool_allowlist":["read_file"],"network":"none"}},` +
	`"attachments":[{"kind":"artifact_ref","ref":"artifact:1","mime_type":"text/plain"},{"kind":"inline","content":"c"},{"kind":"url","url":"https://example.com"}],` +
	`"idempotency_key":"key","attempt":2,"meta":{"cost":0.25,"chela.x":{"y":null}}}`

func TestEnvelope_EveryFieldOfTheProtocolSurvives(t *testing.T) {
	t.Parallel()
	m, err := event.DecodeMessage([]byte(full))
	if err != nil {
		t.Fatal(err)
	}
	for v, i := reflect.ValueOf(m), 0; i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("%s is not set", v.Type().Field(i).Name)
		}
	}
	written, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	was, err1 := event.Canonical([]byte(full))
	is, err2 := event.Canonical(written)
	if err1 != nil || err2 != nil || string(was) != string(is) {
		t.Errorf("%s %v\nbecame %s %v", was, err1, is, err2)
	}
}

func TestEnvelope_TheRefusalOfAMessageIsASentence(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, new, text string }{
		"another version":       {`clutch/0.1`, `clutch/1.0`, "v: The version is not known. Allowed: clutch/0.1."},
		"the version's case":    {`"v"`, `"V"`, "V: The key is spelt v."},
		"no receivers":          {`,"to":[{"agent_id":"agent:b"}]`, ``, "to: The field is missing; it is a list, which may be empty."},
		"receivers of null":     {`[{"agent_id":"agent:b"}]`, `null`, "to: The field is missing; it is a list, which may be empty."},
		"one receiver bare":     {`[{"agent_id":"agent:b"}]`, `"agent:b"`, "to: A text does not fit; it takes a list."},
		"a sender bare":         {`{"agent_id":"agent:a","role":"agent"}`, `"agent:a"`, "from: A text does not fit; it takes an object."},
		"a sender of no sort":   {`agent:a`, `group:a`, "from.agent_id: The value begins with agent: and an id follows."},
		"a prefix alone":        {`run_1`, `run_`, "run_id: The value begins with run_ and an id follows."},
		"an endless id":         {`task_1`, `task_` + strings.Repeat("x", 200), "task_id: An id has at most 200 characters and no blanks."},
		"a parent of no sort":   {`"task_id":"task_1"`, `"task_id":"task_1","parent_task_id":"run_1"`, "parent_task_id: The value begins with task_ and an id follows."},
		"a day for a time":      {`2026-03-01T10:00:00Z`, `2026-03-01`, "ts: It takes a date and time such as 2026-03-01T10:00:00Z."},
		"the year nought":       {`2026-03-01T10:00:00Z`, `0001-01-01T00:00:00Z`, "ts: The time is missing; it is an ISO 8601 date and time."},
		"attempts below nought": {`"payload"`, `"attempt":-1,"payload"`, "attempt: Attempts count from 1."},
		"attempts as a text":    {`"payload"`, `"attempt":"1","payload"`, "attempt: A text does not fit; it takes a whole number."},
		"a key of the payload":  {`{"title":"x"}`, `{"title":"x","title":"y"}`, "payload.title: The key is there twice."},
		"a field of ours":       {`"payload"`, `"chela":1,"payload"`, "chela: The key is not known. Allowed: attachments, attempt, domain, from, id, idempotency_key, meta, parent_task_id, payload, payload_type, prefers, requires, run_id, schema_ref, security, task_id, thread_id, to, trace, ts, type, v."},
		"a policy misspelt":     {`"payload"`, `"security":{"policy":{"sandbx":true}},"payload"`, "security.policy.sandbx: The key is not known. Allowed: network, sandbox, tool_allowlist."},
		"a payload too large":   {`{"title":"x"}`, `"` + strings.Repeat("x", event.MaxPayload) + `"`, "payload: The payload is over the limit of 1 MiB; attach it as an artifact."},
	} {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(good, c.old, c.new, 1)
			if bad == good {
				t.Fatal("the case changes nothing")
			}
			if _, err := event.DecodeMessage([]byte(bad)); fault.KindOf(err) != fault.Invalid || fault.TextOf(err) != c.text {
				t.Errorf("%q, want %q", fault.TextOf(err), c.text)
			}
		})
	}
}

func TestEnvelope_WhatIsAtTheLimitFits(t *testing.T) {
	t.Parallel()
	largest := `"` + strings.Repeat("x", event.MaxPayload-2) + `"`
	m, err := event.DecodeMessage([]byte(strings.Replace(good, `{"title":"x"}`, largest, 1)))
	if err != nil || len(m.Payload) != event.MaxPayload {
		t.Errorf("%d bytes: %v", len(m.Payload), err)
	}
	longest := "task_" + strings.Repeat("x", 195)
	if m, err := event.DecodeMessage([]byte(strings.Replace(good, "task_1", longest, 1))); err != nil || m.TaskID != longest {
		t.Errorf("an id of 200 characters: %v", err)
	}
	if _, err := event.DecodeMessage([]byte(strings.Replace(good, `"to":[{"agent_id":"agent:b"}]`, `"to":[]`, 1))); err != nil {
		t.Errorf("nobody as receiver: %v", err)
	}
}

func TestEnvelope_KnownTypes(t *testing.T) {
	t.Parallel()
	for _, kind := range append(event.ProtocolTypes(), "desk.ticket.created", "run.finished", "log.note") {
		if !event.KnownType(kind) {
			t.Errorf("%s is not known", kind)
		}
	}
	for _, kind := range []string{"", "task", "task.", "task.requests", "Task.request", "run.", "run", "desk", "runs.x", " run.x"} {
		if event.KnownType(kind) {
			t.Errorf("%q is known", kind)
		}
	}
}

type note struct {
	Text string `json:"text"`
	N    int    `json:"n,omitempty"`
}

var noteKind = event.Kind[note]{Name: "log.note", PayloadType: "log.note.v1"}

func TestEnvelope_AKindDraftsWhatItOpens(t *testing.T) {
	t.Parallel()
	at := event.Place{
		Stream: event.OrgStream, Thread: "thr_1", Run: "run_1", Task: "task_2", ParentTask: "task_1", From: event.Party{AgentID: "agent:a", Role: "r"},
		To: []event.Party{{AgentID: "group:g"}}, Trace: &event.Trace{TraceID: "t", SpanID: "s"}, Key: "k", Epoch: 3,
	}
	d := noteKind.Draft(at, note{"<é>", 2})
	want := event.Message{
		ThreadID: "thr_1", RunID: "run_1", TaskID: "task_2", ParentTaskID: "task_1", From: at.From, To: at.To, Trace: at.Trace, Type: "log.note",
		PayloadType: "log.note.v1", Payload: d.Message.Payload, IdempotencyKey: "k",
	}
	if !reflect.DeepEqual(d, event.Draft{Stream: "org", Message: want}) {
		t.Errorf("%+v", d)
	}
	p, ok, err := noteKind.Open(event.Event{Message: d.Message})
	if p != (note{"<é>", 2}) || !ok || err != nil || !noteKind.Is(event.Event{Message: d.Message}) {
		t.Errorf("%+v %v %v", p, ok, err)
	}
	d.Message.Type = "log.notes"
	if p, ok, err := noteKind.Open(event.Event{Message: d.Message}); p != (note{}) || ok || err != nil || noteKind.Is(event.Event{Message: d.Message}) {
		t.Errorf("another kind: %+v %v %v", p, ok, err)
	}
	d.Message.Type, d.Message.Payload = "log.note", json.RawMessage(`{"text":5}`)
	if _, ok, err := noteKind.Open(event.Event{Message: d.Message}); !ok || err == nil {
		t.Errorf("a payload that does not fit: %v %v", ok, err)
	}
}

func TestEnvelope_APayloadThatIsNoJSONIsABugOfItsKind(t *testing.T) {
	t.Parallel()
	defer func() {
		if said, ok := recover().(string); !ok || !strings.Contains(said, "log.channel") {
			t.Errorf("the panic says %q", said)
		}
	}()
	event.Kind[chan int]{Name: "log.channel"}.Draft(event.Place{}, nil)
}

func TestEnvelope_StreamsAreNamed(t *testing.T) {
	t.Parallel()
	if event.ProjectStream("prj_1") != "project:prj_1" || event.ThreadStream("thr_1") != "thread:thr_1" || event.OrgStream != "org" {
		t.Error("a stream has another name; recorded logs would not be found again")
	}
}

func TestEnvelope_IDsSortByTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		last := ""
		for range 200 {
			id := event.NewID("run")
			body, ok := strings.CutPrefix(id, "run_")
			if !ok || len(body) != 26 || strings.Trim(body, "0123456789abcdefghjkmnpqrstvwxyz") != "" {
				t.Fatalf("%s is not run_ and 26 characters of Crockford's alphabet", id)
			}
			if id <= last {
				t.Fatalf("%s was made after %s and sorts before it", id, last)
			}
			last = id
			<-time.After(time.Millisecond)
		}
		<-time.After(100 * 365 * 24 * time.Hour)
		if id := event.NewID("run"); id <= last {
			t.Errorf("in a hundred years %s sorts before %s", id, last)
		}
	})
}

func TestEnvelope_IDsOfOneInstantDiffer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := make(map[string]bool)
		for range 2000 {
			seen[event.NewID("x")] = true
		}
		if len(seen) != 2000 {
			t.Errorf("%d ids of 2000 differ", len(seen))
		}
	})
}

// FuzzHeader compares the envelope that is written at once with what the canonical form
// makes of the message's JSON.
func FuzzHeader(f *testing.F) {
	f.Add("msg_1", "agent:a", "thr_1", "", "key", `{"a":1}`, int64(0), 0, uint16(0))
	f.Add("msg_\xff\xe2\x28", "agent:\u2028<&>", "thr_\"\\\n", "lead", "", `{"b":[1e21,{"z":1,"a":"\u00e9"}]}`, int64(1<<40), -3, uint16(0xffff))
	f.Fuzz(func(t *testing.T, id, agent, thread, role, key, meta string, at int64, attempt int, which uint16) {
		has := func(n int) bool { return which&(1<<n) != 0 }
		m := event.Message{
			V: event.Version, ID: id, TS: time.UnixMicro(at % (1 << 47)).UTC(), ThreadID: thread, RunID: id, TaskID: thread, From: event.Party{AgentID: agent, Role: role},
			Type: role, IdempotencyKey: key, Attempt: attempt,
		}
		if has(0) {
			m.To = []event.Party{}
		}
		if has(1) {
			m.To = []event.Party{{AgentID: agent}, {AgentID: id, Role: role}}
		}
		if has(2) {
			m.ParentTaskID, m.Domain, m.PayloadType, m.SchemaRef = id, agent, thread, role
		}
		if has(3) {
			m.Trace = &event.Trace{TraceID: id, SpanID: role}
		}
		if has(4) {
			m.Requires, m.Prefers = []string{agent, role}, []string{id}
		}
		if has(5) {
			m.Security = &event.Security{Policy: &event.Policy{Sandbox: true, ToolAllowlist: []string{agent}, Network: role}}
		}
		if has(6) {
			m.Attachments = []event.Attachment{{Kind: role, Ref: id}, {Kind: key, URL: thread}}
		}
		if has(7) {
			m.Meta = map[string]json.RawMessage{id: json.RawMessage(meta), agent: json.RawMessage(`[1.50]`)}
		}
		got, gotErr := event.Header(m, "d")
		m.Payload = json.RawMessage(`{"sha256":"d"}`)
		raw, err := json.Marshal(m)
		var want []byte
		if err == nil {
			want, err = event.Canonical(raw)
		}
		if (gotErr == nil) != (err == nil) || err == nil && string(got) != string(want) {
			t.Errorf("wrote %s %v\nwant  %s %v", got, gotErr, want, err)
		}
	})
}
