package session_test

import (
	"strings"
	"testing"

	"chela/internal/session"
)

func TestExported_NamesWhoSpoke(t *testing.T) {
	t.Parallel()
	text := session.Exported{
		Messages: []session.Message{
			{Role: session.FromPerson, Actor: "agent:person/per_dana"},
			{Role: session.FromPerson, Actor: "agent:person/per_gone"},
			{Role: session.FromAgent, Actor: "agent:pm"},
			{Role: session.FromSystem},
		},
		Names: map[string]string{"agent:person/per_dana": "Dana Reyes"},
	}.Markdown()
	for _, want := range []string{"**Dana Reyes**, ", "**person/per_gone**, ", "**pm**, ", "**Chela**, "} {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
}
