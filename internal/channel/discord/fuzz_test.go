package discord

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"chela/internal/channel"
)

// pool takes everything, and looks whether it can be kept.
type pool struct{ t *testing.T }

func (pool) Up() {}

func (pool) Newest(context.Context) ([]channel.Newest, error) { return nil, nil }

func (pool) Mark(context.Context, string) error { return nil }

func (pool) Marked(context.Context) (string, error) { return "", nil }

func (pool) Receive(context.Context, channel.Receipt) error { return nil }

func (p pool) Take(_ context.Context, m channel.Message) error {
	if !snowflake(m.Chat) || m.Branch != "" && !snowflake(m.Branch) || m.ID == "" || m.What != channel.Deleted && !snowflake(m.Sender.ID) {
		p.t.Errorf("taken: %+v", m)
	}
	if m.ReplyTo != "" && !snowflake(m.ReplyTo) || !utf8.ValidString(m.Text) {
		p.t.Errorf("taken: %+v", m)
	}
	for _, f := range m.Media {
		if f.Name == "" || strings.ContainsAny(f.Name, `/\`) && f.Name != "." || f.Size < 0 {
			p.t.Errorf("a file: %+v", f)
		}
	}
	return nil
}

// FuzzEvents: whatever an event has in it, it is taken or passed over.
func FuzzEvents(f *testing.F) {
	for name, raw := range map[string]string{
		"MESSAGE_CREATE":          `{"id":"1","channel_id":"2","type":19,"author":{"id":"3","username":"x"},"content":"<@4> hi <:a:1>","referenced_message":{"content":"q","author":{"id":"5"}},"message_reference":{"message_id":"6"},"attachments":[{"id":"1","filename":"a/../b","url":"x"}],"poll":{"question":{"text":"?"},"answers":[{}]}}`,
		"MESSAGE_UPDATE":          `{"id":"1","channel_id":"2","author":{"id":"3"},"content":"x","edited_timestamp":"2020-01-01T00:00:00Z","message_reference":{"type":1},"message_snapshots":[{"message":{"content":"y"}}]}`,
		"MESSAGE_DELETE":          `{"id":"1","channel_id":"2"}`,
		"MESSAGE_DELETE_BULK":     `{"ids":["1","x"],"channel_id":"2"}`,
		"MESSAGE_REACTION_ADD":    `{"user_id":"1","channel_id":"2","message_id":"3","emoji":{"id":null,"name":"x"},"member":{"user":{"id":"1"}}}`,
		"MESSAGE_REACTION_REMOVE": `{"user_id":"1","channel_id":"2","message_id":"3","emoji":{"id":"4"}}`,
		"INTERACTION_CREATE":      `{"id":"1","token":"","type":3,"channel_id":"2","user":{"id":"3"},"message":{"id":"4"},"data":{"custom_id":"x","component_type":2}}`,
		"GUILD_CREATE":            `{"id":"1","joined_at":"x","roles":[{"id":"9","tags":{"bot_id":"4"}}],"channels":[{"id":"2","type":0,"last_message_id":"5"}],"threads":[{"id":"3","type":11,"parent_id":"2"}]}`,
		"THREAD_CREATE":           `{"id":"3","type":12,"parent_id":"2","guild_id":"1"}`,
		"READY":                   `{"user":{"id":"4"},"session_id":"s","resume_gateway_url":"wss://x"}`,
	} {
		f.Add(name, []byte(raw))
	}
	f.Fuzz(func(t *testing.T, name string, raw []byte) {
		if strings.Contains(string(raw), "guild_id") || name == "READY" && len(raw) > 200 {
			return // it asks the server
		}
		a, err := open(channel.Config{Options: channel.Options{Name: "dc", BaseURL: "http://127.0.0.1:1"}, Secrets: map[string]string{"token": "a.b.c"}}, newMemory())
		if err != nil {
			t.Fatal(err)
		}
		a.kept.meet(user{ID: "4"})
		l := &link{a: a, in: pool{t}, session: "s", events: make(chan event, 2)}
		if err := l.sort(t.Context(), frame{Data: raw, Seq: maybe[int64]{1}, Name: maybe[string]{name}}); err != nil {
			return
		}
		e := <-l.events
		e.chats = nil // those are read over the network
		if err := a.take(t.Context(), l, e); err != nil {
			t.Errorf("%s %q: %v", name, raw, err)
		}
	})
}

// FuzzRefusal: whatever an answer has in it, it is a failure with bounded words and without the token.
func FuzzRefusal(f *testing.F) {
	f.Add(400, []byte(`{"message":"Invalid Form Body","code":50035,"errors":{"a":{"0":{"_errors":[{"message":"x"}]}},"_errors":[{"message":"y"}]}}`))
	f.Add(429, []byte(`{"message":"a.b.c","retry_after":-1e300,"global":"x"}`))
	f.Add(502, []byte(`<html>`))
	f.Fuzz(func(t *testing.T, status int, raw []byte) {
		c := caller{token: "a.b.c"}
		no := c.refused(status, nil, raw)
		if no.Text == "" || len([]rune(no.Text)) > 400 || strings.Contains(no.Text, c.token) || no.After < 0 || no.verdict() == nil {
			t.Errorf("%+v", no)
		}
		if no.Spoken && !json.Valid(raw) {
			t.Errorf("%q is Discord's", raw)
		}
	})
}
