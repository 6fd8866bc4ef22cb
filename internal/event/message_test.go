package event_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"chela/internal/event"
	"chela/internal/fault"
)

const good = `{"v":"clutch/0.1","id":"msg_1","type":"task.request","ts":"2026-03-01T10:00:00Z","thread_id":"thr_1","run_id":"run_1","task_id":"task_1",` +
	`"from":{"agent_id":"agent:a","role":"agent"},"to":[{"agent_id":"agent:b"}],"payload":{"title":"x"}}`

func TestMessage_DecodeMessage(t *testing.T) {
	t.Parallel()
	m, err := event.DecodeMessage([]byte(good))
	if err != nil || m.ID != "msg_1" || m.From.AgentID != "agent:a" || string(m.Payload) != `{"title":"x"}` {
		t.Fatalf("%+v %v", m, err)
	}
	for name, c := range map[string]struct{ old, new, field string }{
		"another version":           {`clutch/0.1`, `clutch/0.2`, "v"},
		"no version":                {`"v":"clutch/0.1",`, ``, "v"},
		"no id":                     {`"id":"msg_1",`, ``, "id"},
		"an id of another sort":     {`msg_1`, `run_1`, "id"},
		"an id with a blank":        {`msg_1`, `msg_ 1`, "id"},
		"no thread":                 {`"thread_id":"thr_1",`, ``, "thread_id"},
		"no run":                    {`"run_id":"run_1",`, ``, "run_id"},
		"no task":                   {`"task_id":"task_1",`, ``, "task_id"},
		"no sender":                 {`"agent_id":"agent:a"`, `"agent_id":""`, "from.agent_id"},
		"a receiver of no sort":     {`agent:b`, `b`, "to.agent_id"},
		"no type":                   {`"type":"task.request",`, ``, "type"},
		"a type nobody knows":       {`task.request`, `task.demand`, "type"},
		"a namespace alone":         {`task.request`, `desk.`, "type"},
		"no time":                   {`"ts":"2026-03-01T10:00:00Z",`, ``, "ts"},
		"no payload":                {`,"payload":{"title":"x"}`, ``, "payload"},
		"a payload of null":         {`{"title":"x"}`, `null`, "payload"},
		"a payload that is too big": {`{"title":"x"}`, `"` + strings.Repeat("x", event.MaxPayload) + `"`, "payload"},
		"a key twice":               {`"id":"msg_1",`, `"id":"msg_1","id":"msg_2",`, "id"},
		"a key in another case":     {`"run_id"`, `"Run_ID"`, "Run_ID"},
		"a key nobody knows":        {`"id":"msg_1",`, `"id":"msg_1","extra":1,`, "extra"},
		"a key in depth":            {`"role":"agent"`, `"Role":"agent"`, "from.Role"},
		"a number for a text":       {`"id":"msg_1"`, `"id":5`, "id"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(good, c.old, c.new, 1)
			if bad == good {
				t.Fatal("the case changes nothing")
			}
			_, err := event.DecodeMessage([]byte(bad))
			var fields []string
			if e, ok := err.(*fault.Error); ok { //nolint:errorlint // it is returned bare
				for _, f := range e.Fields {
					fields = append(fields, f.Name)
				}
			}
			if fault.KindOf(err) != fault.Invalid || !slices.Contains(fields, c.field) {
				t.Errorf("%v names %v, want %s", err, fields, c.field)
			}
		})
	}
	if _, err := event.DecodeMessage(make([]byte, 3*event.MaxPayload)); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("three megabytes: %v", err)
	}
}

func FuzzDecodeMessage(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"v":"clutch/0.1","attachments":[{"kind":"inline"}],"meta":{"a":[1]},"security":{"policy":{"tool_allowlist":["x"]}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := event.DecodeMessage(raw)
		if err != nil {
			return
		}
		written, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := event.DecodeMessage(written)
		if err != nil {
			t.Fatalf("%s was accepted, written again it is not: %v", raw, err)
		}
		if rewritten, err := json.Marshal(again); err != nil || !bytes.Equal(rewritten, written) {
			t.Fatalf("%s is written again as %s %v", written, rewritten, err)
		}
	})
}

func TestMessage_ProtocolHasSeventeenTypes(t *testing.T) {
	t.Parallel()
	types := event.ProtocolTypes()
	slices.Sort(types)
	if len(slices.Compact(types)) != 17 {
		t.Errorf("%d types", len(types))
	}
}

func TestMessage_IDsAreUnique(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for range 5000 {
		id := event.NewID("msg")
		if !strings.HasPrefix(id, "msg_") || seen[id] {
			t.Fatalf("%s, again: %v", id, seen[id])
		}
		seen[id] = true
	}
}
