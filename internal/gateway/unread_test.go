package gateway_test

import (
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/gateway"
	"chela/internal/wire/anthropic"
	"chela/internal/wire/openai"
)

func TestUnread_SaysWhatFitsInWordsOfPeople(t *testing.T) {
	t.Parallel()
	ofOpenAI := func(raw string) error { _, _, err := openai.ReadRequest([]byte(raw)); return err }
	ofAnthropic := func(raw string) error { _, _, err := anthropic.ReadRequest([]byte(raw)); return err }
	for raw, c := range map[string]struct {
		read func(string) error
		want string
	}{
		`{"model":"m","messages":"x"}`:                                  {ofOpenAI, "messages: A text does not fit; it takes a list."},
		`{"model":"m","messages":[{"role":"user","content":5}]}`:        {ofOpenAI, "messages[0]: content: A number does not fit; it takes a list."},
		`{"model":"m","messages":[{"role":"user"}],"tools":"x"}`:        {ofOpenAI, "tools: A text does not fit; it takes a list."},
		`{"model":"m","messages":[{"role":"user"}],"tool_choice":"zz"}`: {ofOpenAI, `tool_choice: "zz" is none of none, auto and required.`},
		`{"model":"m","messages":[{"role":"user"}],"tool_choice":5}`:    {ofOpenAI, "tool_choice: A number does not fit; it takes an object."},
		`[]`:                         {ofOpenAI, "A list does not fit; it takes an object."},
		`{"model":`:                  {ofOpenAI, "It is no JSON: it cannot be read from byte 9 on."},
		`{"model":"m","messages":5}`: {ofAnthropic, "messages: A number does not fit; it takes a list."},
		`{"model":"m","max_tokens":1,"system":5,"messages":[]}`: {ofAnthropic, "system: A number does not fit; it takes a list."},
		`{"model":"m","max_tokens":1,"messages":[]}`:            {ofAnthropic, "messages: there must be at least one."},
	} {
		err := gateway.Unread(c.read(raw))
		if got := fault.TextOf(err); got != c.want || fault.KindOf(err) != fault.Invalid || strings.Contains(got, "Go ") {
			t.Errorf("%s: got %q, want %q", raw, got, c.want)
		}
	}
}
