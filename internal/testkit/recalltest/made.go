package recalltest

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

//go:embed testdata
var data embed.FS

// A fact is one thing that somebody tells, and what is asked of it.
type fact struct {
	kind, other, says, with, asks string
}

// A subject is what people talk about: facts and the values in them.
type subject struct {
	slots   map[string][]string
	facts   []fact
	chatter [][2]string
}

func readSubject(name string) (subject, error) {
	out := subject{slots: make(map[string][]string)}
	raw, err := data.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		return out, err
	}
	section := ""
	var f *fact
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, "[") {
			section = line
			continue
		}
		key, value, ok := strings.Cut(line, ": ")
		switch {
		case section == "[slots]" && ok:
			out.slots[key] = values(value)
		case key == "kind":
			out.facts = append(out.facts, fact{kind: value})
			f = &out.facts[len(out.facts)-1]
		case f != nil && ok:
			into := map[string]*string{"other": &f.other, "says": &f.says, "with": &f.with, "asks": &f.asks}[key]
			if into == nil {
				return out, fmt.Errorf("%s.txt: %q is no part of a fact", name, line)
			}
			*into = value
		}
	}
	return out, out.readChatter(name)
}

func (s *subject) readChatter(name string) error {
	raw, err := data.ReadFile("testdata/chatter.txt")
	if err != nil {
		return err
	}
	in := false
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			in = line == "["+name+"]"
		}
		if a, b, ok := strings.Cut(line, "|"); ok && in {
			s.chatter = append(s.chatter, [2]string{a, b})
		}
	}
	return nil
}

// values splits a list at blanks, except within quotation marks.
func values(text string) []string {
	var out []string
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

// Made returns a set of 20 conversations that a generator wrote: "friends", two of them over 14 sessions, or "team",
// five colleagues over 16. The same name gives the same set.
func Made(name string) (Set, error) {
	s, err := readSubject(name)
	if err != nil {
		return Set{}, err
	}
	out := Set{Name: name}
	for i := range 20 {
		m := maker{subject: s, rand: rand.New(rand.NewPCG(33, uint64(i))), used: make(map[string]bool)} //nolint:gosec // a set that is the same each time
		m.people = []string{"Ada", "Milo"}
		if i%2 == 1 {
			m.people = []string{"Ruth", "Kofi"}
		}
		sessions, facts := 14, 24
		if name == "team" {
			m.people, sessions, facts = []string{"Sam Lee", "Sam Ortiz", "Nora", "Tariq", "Yuki"}, 16, 22
		}
		c, questions := m.conversation(fmt.Sprintf("%s-%d", name, i+1), sessions, facts)
		out.Conversations = append(out.Conversations, c)
		out.Questions = append(out.Questions, questions...)
	}
	return out, nil
}

// maker makes one conversation.
type maker struct {
	subject
	rand   *rand.Rand
	people []string
	used   map[string]bool // values of slots, so that a fact has its own
}

// told is a fact that somebody tells in a session.
type told struct {
	session int
	who     string
	turns   [2]string // what the other asks, or "", and what is said
	mark    *string   // gets the id of the turn
}

func (m *maker) conversation(id string, sessions, facts int) (Conversation, []Question) {
	began := time.Date(2025, time.Month(1+m.rand.IntN(6)), 1+m.rand.IntN(20), 18, 30, 0, 0, time.UTC)
	dates := make([]time.Time, sessions)
	for i := range dates {
		dates[i] = began.AddDate(0, 0, 9*i+m.rand.IntN(7))
	}
	type asked struct {
		Question
		ids []*string
	}
	var tell []told
	var questions []asked
	order := m.rand.Perm(len(m.facts))
	for _, n := range order[:min(facts, len(order))] {
		f := m.facts[n]
		who := m.people[m.rand.IntN(len(m.people))]
		fill := m.filler(who)
		first := m.rand.IntN(sessions - 1)
		at := []int{first}
		if f.with != "" {
			at = append(at, first+1+m.rand.IntN(sessions-1-first))
		}
		q := asked{Question: Question{Conversation: id, Kind: f.kind}}
		for i, session := range at {
			mark := new(string)
			q.ids = append(q.ids, mark)
			t := told{session: session, who: who, mark: mark}
			if t.turns = [2]string{fill(f.other), fill(f.says)}; i == 1 {
				t.turns = [2]string{"", fill(f.with)}
			}
			tell = append(tell, t)
		}
		q.Text = strings.ReplaceAll(fill(f.asks), "{date}", dates[first].Format("2 January 2006"))
		questions = append(questions, q)
	}
	c := m.spoken(id, dates, tell)
	var out []Question
	for _, q := range questions {
		for _, id := range q.ids {
			q.Evidence = append(q.Evidence, *id)
		}
		if q.Kind == "updated" { // what holds now is the later one
			q.Evidence = q.Evidence[1:]
		}
		out = append(out, q.Question)
	}
	return c, append(out, m.unanswerable(id)...)
}

// spoken lays the facts among what else is said.
func (m *maker) spoken(id string, dates []time.Time, tell []told) Conversation {
	c := Conversation{ID: id}
	for i, date := range dates {
		s := Session{ID: fmt.Sprintf("%s/S%d", id, i+1), Date: date.Format(time.RFC3339)}
		say := func(who, text string) string {
			t := Turn{ID: fmt.Sprintf("%s:%d", s.ID, len(s.Turns)+1), Speaker: who, Text: text}
			s.Turns = append(s.Turns, t)
			return t.ID
		}
		chat := func() {
			a, b := m.pair("")
			x := m.chatter[m.rand.IntN(len(m.chatter))]
			say(a, strings.ReplaceAll(x[0], "{other}", b))
			say(b, strings.ReplaceAll(x[1], "{other}", a))
		}
		for range 2 + m.rand.IntN(3) {
			chat()
		}
		for _, t := range tell {
			if t.session != i {
				continue
			}
			_, other := m.pair(t.who)
			if t.turns[0] != "" {
				say(other, t.turns[0])
			}
			*t.mark = say(t.who, t.turns[1])
			if m.rand.IntN(2) == 0 {
				say(other, []string{"Oh, tell me more later!", "I did not expect that.", "Good to know, thank you.", "Really? That is quite something."}[m.rand.IntN(4)])
			}
			for range 1 + m.rand.IntN(2) {
				chat()
			}
		}
		c.Sessions = append(c.Sessions, s)
	}
	return c
}

// pair returns a person, or the one that is given, and another.
func (m *maker) pair(who string) (string, string) {
	if who == "" {
		who = m.people[m.rand.IntN(len(m.people))]
	}
	for {
		if other := m.people[m.rand.IntN(len(m.people))]; other != who {
			return who, other
		}
	}
}

// filler fills slots in with values that no other fact of the conversation has, while there are some.
func (m *maker) filler(me string) func(string) string {
	chosen := map[string]string{"me": me}
	return func(text string) string {
		for {
			before, rest, ok := strings.Cut(text, "{")
			slot, after, ok2 := strings.Cut(rest, "}")
			if !ok || !ok2 || slot == "date" {
				return text // filled in when the session is known
			}
			if _, ok := chosen[slot]; !ok {
				list := m.slots[strings.TrimSuffix(slot, "2")]
				free := slices.DeleteFunc(slices.Clone(list), func(v string) bool {
					return m.used[slot+v] || v == chosen[strings.TrimSuffix(slot, "2")] || v == chosen[slot+"2"]
				})
				if len(free) == 0 {
					free = list
				}
				chosen[slot] = free[m.rand.IntN(len(free))]
				m.used[slot+chosen[slot]] = true
			}
			text = before + chosen[slot] + after
		}
	}
}

// unanswerable are questions about what nobody said.
func (m *maker) unanswerable(id string) []Question {
	var out []Question
	for _, t := range []string{"Which glacier did {me} photograph in the Antarctic?", "What did the orchestra's timpanist complain about?", "Who patented the submarine gasket?"} {
		out = append(out, Question{Conversation: id, Kind: "unanswerable", Text: strings.ReplaceAll(t, "{me}", m.people[0]), Evidence: []string{}})
	}
	return out
}

// Own returns the sets that come with the tests: the two that are made, and the hard ones that people wrote.
func Own() ([]Set, error) {
	var out []Set
	for _, name := range []string{"friends", "team"} {
		s, err := Made(name)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	raw, err := data.ReadFile("testdata/hard.json")
	if err != nil {
		return nil, err
	}
	hard, err := Decode("hard", raw)
	return append(out, hard), err
}
