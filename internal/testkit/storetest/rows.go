package storetest

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/store"
)

// whole is a draft with everything that the protocol knows, said in another time zone.
func whole(stream string) event.Draft {
	d := draft(stream, "all of it")
	m := &d.Message
	m.TS = time.Date(2026, 11, 23, 14, 30, 15, 123456789, time.FixedZone("", 3600))
	m.ParentTaskID, m.IdempotencyKey, m.Domain, m.PayloadType, m.SchemaRef, m.Attempt = "task_above", "once", "desk", "note.v1", "schema:note", 3
	m.From.Role, m.To = "person", []event.Party{{AgentID: "agent:pm", Role: "agent"}, {AgentID: "group:all"}}
	m.Trace = &event.Trace{TraceID: "0af7651916cd43dd8448eb211c80319c", SpanID: "b7ad6b7169203331"}
	m.Requires, m.Prefers = []string{"read <files>"}, []string{"fast"}
	m.Security = &event.Security{Auth: &event.Auth{Scheme: "ed25519", Kid: "k", Sig: "s"}, Policy: &event.Policy{ToolAllowlist: []string{"a", "b"}, Network: "none"}}
	m.Attachments = []event.Attachment{{Kind: "url", URL: "https://example.org/?a=1&b=2", MIMEType: "text/plain"}}
	m.Meta = map[string]json.RawMessage{"chela.test": json.RawMessage(`{"b":1.50,"a":["x",null],"c":"ü<&>\u2028"}`)}
	return d
}

// wholly records a whole message, one with little, and one with the character NUL.
func wholly(t *testing.T, db *store.DB) {
	t.Helper()
	nul := draft("s", "with NUL")
	nul.Message.Meta = map[string]json.RawMessage{"chela.test": json.RawMessage(`"a\u0000b"`)}
	_, err := db.Log.Append(t.Context(), whole("s"), draft("s", "little"), nul)
	check(t, err)
}

func stored(t *testing.T, db *store.DB) []event.Exported {
	t.Helper()
	out, _, err := db.Log.Events(t.Context(), 0, event.Filter{})
	check(t, err)
	return out
}

// verified holds that the chain of all events is whole.
func verified(t *testing.T, db *store.DB, events int) {
	t.Helper()
	r, err := db.Audit.Verify(t.Context())
	check(t, err)
	if !r.OK() || r.Events != events {
		t.Errorf("%d of %d events, %+v", r.Events, events, r.Findings)
	}
}

// kept holds that an event is read as it was recorded, whatever its message has.
func kept(t *testing.T, open Opener) {
	db, again := open(t)
	wholly(t, db)
	want := whole("s").Message
	got := stored(t, db)[0].Message
	if !got.TS.Equal(want.TS) || got.TS.Format(time.RFC3339Nano) != want.TS.Format(time.RFC3339Nano) {
		t.Errorf("said at %v, recorded at %v", got.TS, want.TS)
	}
	if got.V != event.Version || got.ID == "" || string(got.Payload) != `{"text":"all of it"}` {
		t.Errorf("%s %s %s", got.V, got.ID, got.Payload)
	}
	for _, m := range []*event.Message{&want, &got} {
		raw, err := event.Canonical(m.Meta["chela.test"])
		check(t, err)
		m.Meta["chela.test"] = raw
		m.V, m.ID, m.TS, m.Payload = "", "", time.Time{}, nil
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	verified(t, db, 3)
	before := stored(t, db)
	check(t, db.Close())
	db, err := again()
	check(t, err)
	if after := stored(t, db); !reflect.DeepEqual(after, before) {
		t.Errorf("%+v\nwas %+v", after, before)
	}
}
