package channel

import (
	"fmt"
	"testing"
	"time"
)

// TestEarly_WhatIsKnownOfAMessageThatHasNotCome: the newest edit, a deletion for good; of its sender, in its chat, for a while.
func TestEarly_WhatIsKnownOfAMessageThatHasNotCome(t *testing.T) {
	t.Parallel()
	o, now := Options{Name: "portal"}, time.Unix(1_800_000_000, 0)
	revision := func(what What, sender, text string, at int64) Message {
		return Message{Address: Address{Chat: "c1"}, ID: "m1", What: what, Sender: Sender{ID: sender}, Text: text, At: now.Add(time.Duration(at) * time.Second)}
	}
	said := Message{Address: Address{Chat: "c1", Branch: "b"}, ID: "m1", What: Said, Sender: Sender{ID: "u1"}, Text: "said"}
	elsewhere := said
	elsewhere.Chat = "c2"
	for name, c := range map[string]struct {
		came  []Message
		of    Message
		after time.Duration
		want  string // "" is nothing
	}{
		"nothing":                   {nil, said, 0, ""},
		"an edit":                   {[]Message{revision(Edited, "u1", "new", 1)}, said, time.Minute, "edited new"},
		"two, in order":             {[]Message{revision(Edited, "u1", "new", 1), revision(Edited, "u1", "newest", 2)}, said, 0, "edited newest"},
		"two, the newer first":      {[]Message{revision(Edited, "u1", "newest", 2), revision(Edited, "u1", "new", 1)}, said, 0, "edited newest"},
		"a deletion after an edit":  {[]Message{revision(Edited, "u1", "new", 1), revision(Deleted, "u1", "", 2)}, said, 0, "deleted "},
		"a deletion before an edit": {[]Message{revision(Deleted, "u1", "", 2), revision(Edited, "u1", "new", 3)}, said, 0, "deleted "},
		"of nobody":                 {[]Message{revision(Deleted, "", "", 2)}, said, 0, "deleted "},
		"of somebody else":          {[]Message{revision(Deleted, "u2", "", 2)}, said, 0, ""},
		"in another chat":           {[]Message{revision(Deleted, "u1", "", 2)}, elsewhere, 0, ""},
		"too long ago":              {[]Message{revision(Edited, "u1", "new", 1)}, said, earlyFor, ""},
	} {
		var e early
		for _, m := range c.came {
			e.keep(o, m, now)
		}
		got := ""
		if m, ok := e.take(o, c.of, now.Add(c.after)); ok {
			got = string(m.What) + " " + m.Text
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if _, again := e.take(o, c.of, now); again && c.want != "" {
			t.Errorf("%s: it is known twice", name)
		}
	}
}

// TestEarly_Forgets: the oldest go when there are too many, and all in time.
func TestEarly_Forgets(t *testing.T) {
	t.Parallel()
	var e early
	o, now := Options{Name: "portal"}, time.Unix(1_800_000_000, 0)
	m := func(i int) Message {
		return Message{Address: Address{Chat: "c1"}, ID: fmt.Sprint(i), What: Edited, Sender: Sender{ID: "u1"}}
	}
	for i := range mostEarly + 10 {
		e.keep(o, m(i), now.Add(time.Duration(i)*time.Millisecond))
	}
	if _, ok := e.take(o, m(9), now); ok || len(e.all) != mostEarly {
		t.Errorf("%d are known, the tenth too: %v", len(e.all), ok)
	}
	if e.keep(o, m(-1), now.Add(time.Hour)); len(e.all) != 1 {
		t.Errorf("%d are known an hour later", len(e.all))
	}
}
