package event_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"chela/internal/event"
)

// chain returns n events of a stream, as the log would export them.
func chain(t *testing.T, stream string, n int) []event.Exported {
	t.Helper()
	prev, out := event.Genesis(stream), make([]event.Exported, 0, n)
	for i := range n {
		m := event.Message{
			V: event.Version, ID: fmt.Sprintf("msg_%s%d", stream, i), Type: "log.note", TS: time.Date(2026, 3, 1, 10, i, 0, 0, time.UTC),
			ThreadID: "thr_1", RunID: "run_1", TaskID: "task_1", From: event.Party{AgentID: "agent:a"}, To: []event.Party{}, Payload: json.RawMessage(fmt.Sprintf(`{"text":"%d"}`, i)),
		}
		header, err := event.Header(m, event.Digest(m.Payload))
		if err != nil {
			t.Fatal(err)
		}
		e := event.Exported{Event: event.Event{Seq: event.Seq(i + 1), Stream: stream, StreamSeq: int64(i + 1), At: m.TS, Message: m, PrevHash: prev, Hash: event.Link(prev, header)}, PayloadDigest: event.Digest(m.Payload)}
		prev = e.Hash
		out = append(out, e)
	}
	return out
}

func TestVerify_TheVerifierNamesTheFirstWrongEvent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func([]event.Exported) []event.Exported
		at   int64
		says string
	}{
		"nothing": {func(e []event.Exported) []event.Exported { return e }, 0, ""},
		"a payload": {func(e []event.Exported) []event.Exported {
			e[2].Message.Payload = json.RawMessage(`{"text":"x"}`)
			return e
		}, 3, "payload"},
		"a payload with its digest": {func(e []event.Exported) []event.Exported {
			e[2].Message.Payload = json.RawMessage(`{"text":"x"}`)
			e[2].PayloadDigest = event.Digest(e[2].Message.Payload)
			return e
		}, 3, "envelope"},
		"a sender":        {func(e []event.Exported) []event.Exported { e[1].Message.From.AgentID = "agent:evil"; return e }, 2, "envelope"},
		"one is missing":  {func(e []event.Exported) []event.Exported { return append(e[:2], e[3:]...) }, 4, "3 of the stream is missing"},
		"two are missing": {func(e []event.Exported) []event.Exported { return append(e[:1], e[3:]...) }, 4, "Events 2 to 3"},
		"two are swapped": {func(e []event.Exported) []event.Exported { e[1], e[2] = e[2], e[1]; return e }, 3, "missing"},
		"one comes twice": {func(e []event.Exported) []event.Exported { return append(e, e[4]) }, 5, "order"},
		"one was put in": {func(e []event.Exported) []event.Exported {
			forged := e[2]
			forged.Message.ID = "msg_forged"
			e[2] = forged
			return e
		}, 3, "envelope"},
		"a payload was erased": {func(e []event.Exported) []event.Exported {
			e[2].Message.Payload, e[2].Erased = json.RawMessage("null"), true
			return e
		}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var v event.Verifier
			for _, e := range c.do(chain(t, "s", 5)) {
				v.Add(e)
			}
			for _, e := range chain(t, "other", 3) {
				v.Add(e)
			}
			r := v.Report()
			switch {
			case c.at == 0 && !r.OK():
				t.Errorf("%+v", r.Findings)
			case c.at > 0 && (len(r.Findings) != 1 || r.Findings[0].StreamSeq != c.at || !strings.Contains(r.Findings[0].Text, c.says)):
				t.Errorf("%+v, want %d: %s", r.Findings, c.at, c.says)
			}
		})
	}
}

// TestVerify_WhatRemainsIsRecorded holds that of an erased event only that counts which a recorded erasure left.
func TestVerify_WhatRemainsIsRecorded(t *testing.T) {
	t.Parallel()
	const left = `{"text":"[erased]"}`
	for name, c := range map[string]struct{ payload, says string }{
		"as it was left": {left, ""},
		"nothing":        {"null", ""},
		"another":        {`{"text":"forged"}`, "What an erasure left of the payload was changed"},
		"no JSON":        {`{`, "What an erasure left of the payload was changed"},
	} {
		for _, named := range []bool{true, false} {
			var v event.Verifier
			events := chain(t, "s", 3)
			events[1].Erased, events[1].Message.Payload = true, json.RawMessage(c.payload)
			says := c.says
			if last := &events[2]; named {
				p, err := event.Canonical(fmt.Appendf(nil, `{"remains":[{"id":%q,"sha256":%q}]}`, events[1].Message.ID, event.Digest([]byte(left))))
				if err != nil {
					t.Fatal(err)
				}
				last.Message.Type, last.Message.Payload, last.PayloadDigest = event.LogErased, p, event.Digest(p)
				header, err := event.Header(last.Message, last.PayloadDigest)
				if err != nil {
					t.Fatal(err)
				}
				last.Hash = event.Link(last.PrevHash, header)
			} else if name != "nothing" {
				says = "erased and has a payload"
			}
			for _, e := range events {
				v.Add(e)
			}
			r := v.Report()
			if says == "" && !r.OK() || says != "" && (len(r.Findings) != 1 || r.Findings[0].StreamSeq != 2 || !strings.Contains(r.Findings[0].Text, says)) {
				t.Errorf("%s, named %v: %+v, want %q", name, named, r.Findings, says)
			}
		}
	}
}
