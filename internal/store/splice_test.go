package store

import (
	"strings"
	"testing"
)

// TestSpliced_AnyBodyComesBack: a body is put together again as it was, and what its event says of it is not kept beside it.
func TestSpliced_AnyBodyComesBack(t *testing.T) {
	t.Parallel()
	of := func(set string) string {
		return `{"id":"tkt_1","kind":"ticket","op":"created","projectId":"prj_1","set":` + set + `,"version":1}`
	}
	for _, c := range []struct{ name, payload, body, text string }{
		{"as the event says", of(`{"title":"x"}`), `{"title":"x"}`, ""},
		{"nothing set", of(`{}`), `{}`, ""},
		{"something put in", of(`{"a":1,"title":"x"}`), `{"a":1,"closedOn":"2026-01-01","title":"x"}`, `"closedOn":"2026-01-01",`},
		{"put in behind other letters", of(`{"a":"日本é","title":"ü"}`), `{"a":"日本é","closedOn":"2026-01-01","title":"ü"}`, `"closedOn":"2026-01-01",`},
		{"put in inside a letter", of(`{"a":"é"}`), `{"a":"èé"}`, `è`},
		{"as the last", of(`{"a":1}`), `{"a":1,"z":2}`, `,"z":2`},
		{"a name that looks like it", of(`{"\"set\":":"\"set\":","title":"x"}`), `{"\"set\":":"\"set\":","title":"x"}`, ""},
		{"something else", of(`{"title":"x"}`), `{"title":"other"}`, `{"title":"other"}`},
		{"less than the event says", of(`{"a":1,"title":"x"}`), `{"title":"x"}`, `{"title":"x"}`},
		{"another version", strings.Replace(of(`{"title":"x"}`), `"version":1`, `"version":2`, 1), `{"title":"x"}`, `{"title":"x"}`},
		{"erased", `null`, `{"title":"x"}`, `{"title":"x"}`},
	} {
		s := spliced([]byte(c.payload), []byte(c.body))
		if len(s.text) != len(c.text) {
			t.Errorf("%s: %q is kept, want %q", c.name, s.text, c.text)
		}
		got := s.text
		if s.at >= 0 {
			got = Body(c.payload, s.at, s.text)
		}
		if got != c.body {
			t.Errorf("%s: the body came back as %s, want %s", c.name, got, c.body)
		}
	}
}

// FuzzSpliced puts together again what was put into any body.
func FuzzSpliced(f *testing.F) {
	f.Add("{\"a\":1,", "\"b\":2,", "\"c\":3}")
	f.Add("日", "é", "本")
	f.Fuzz(func(t *testing.T, head, text, tail string) {
		payload, body := beforeBody+head+tail+afterBody, head+text+tail
		s := spliced([]byte(payload), []byte(body))
		got := s.text
		if s.at >= 0 {
			got = Body(payload, s.at, s.text)
		}
		if got != body {
			t.Errorf("%q came back as %q", body, got)
		}
	})
}
