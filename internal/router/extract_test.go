package router

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/definition"
)

var facts = Facts{ //nolint:gochecknoglobals // of these tests
	At: time.Date(2026, 11, 25, 10, 0, 0, 0, time.UTC), Sender: "Ann Lee", Persons: []string{"Ann Lee", "Bob Ray", "Mia"}, Projects: map[string]string{"Apollo": "prj_1", "Apollo 2": "prj_2"},
}

// inputsOf makes inputs of "name type", in that order; a * after it says that it is required, /a/b that it is one of these.
func inputsOf(list ...string) []definition.Input {
	var out []definition.Input
	for _, one := range list {
		name, typ, _ := strings.Cut(one, " ")
		typ, required := strings.CutSuffix(typ, "*")
		parts := strings.Split(typ, "/")
		in := definition.Input{Name: name, Type: definition.Type(parts[0]), Required: required, Description: "Of " + name + "."}
		for _, e := range parts[1:] {
			in.Enum = append(in.Enum, e)
		}
		out = append(out, in)
	}
	return out
}

func texts(found map[string]Value) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, name+"="+definition.Text(found[name].Value))
	}
	return strings.Join(out, " ")
}

func TestExtract(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text   string
		inputs []definition.Input
		asked  []string
		want   string
	}{
		{"Look at https://example.com/a?b=1.", inputsOf("page url"), nil, "page=https://example.com/a?b=1"},
		{"https://a.example or https://b.example", inputsOf("page url"), nil, ""},
		{"PAY-12 is broken", inputsOf("ticket ticket"), nil, "ticket=PAY-12"},
		{"It is due on 2026-12-24", inputsOf("due date", "n integer"), nil, "due=2026-12-24"},
		{"It is due tomorrow", inputsOf("due date"), nil, "due=2026-11-26"},
		{"on Friday please", inputsOf("due date"), nil, "due=2026-11-27"},
		{"in 2 weeks", inputsOf("due date"), nil, "due=2026-12-09"},
		{"today or tomorrow", inputsOf("due date"), nil, ""},
		{"today", inputsOf("from date", "to date"), nil, ""},
		{"at 2026-12-24 18:30", inputsOf("at time"), nil, "at=2026-12-24T18:30:00Z"},
		{"We need 3 of them", inputsOf("n integer"), nil, "n=3"},
		{"We need 3.5 of them", inputsOf("n integer"), nil, ""},
		{"It costs 3,50", inputsOf("n number"), nil, "n=3.5"},
		{"3 of 4", inputsOf("n number"), nil, ""},
		{"v3 of the file", inputsOf("n number"), nil, ""},
		{"Ask Bob Ray", inputsOf("who person"), nil, "who=Bob Ray"},
		{"Ask bob", inputsOf("who person"), nil, "who=Bob Ray"},
		{"Ask me", inputsOf("who person"), nil, "who=Ann Lee"},
		{"Bobsleigh", inputsOf("who person"), nil, ""},
		{"the report of Apollo 2", inputsOf("project project*"), nil, "project=prj_2"},
		{"the report of apollo", inputsOf("project project*"), nil, "project=prj_1"},
		{"in a formal tone", inputsOf("tone string/formal/casual"), nil, "tone=formal"},
		{"tone: casual, topic: cats and dogs", inputsOf("topic string", "tone string/formal/casual"), nil, "tone=casual topic=cats and dogs"},
		{"Topic: cats\nDue_day: 2026-01-02\nnotify: yes", inputsOf("topic string", "due_day date", "notify boolean"), nil, "due_day=2026-01-02 notify=true topic=cats"},
		{"tags: a, b", inputsOf("tags list"), nil, `tags=["a","b"]`},
		{"subtopic: cats", inputsOf("topic string"), nil, ""},
		{"Write about “the sea”", inputsOf("topic string"), nil, "topic=the sea"},
		{"the sea", inputsOf("topic string"), nil, ""},
		{"the sea", inputsOf("topic string"), []string{"topic"}, "topic=the sea"},
		{"yes please", inputsOf("notify boolean"), []string{"notify"}, "notify=true"},
		{"maybe", inputsOf("notify boolean"), []string{"notify"}, ""},
		{"seven", inputsOf("n integer"), []string{"n"}, ""},
		{"7", inputsOf("n integer", "topic string"), []string{"n", "topic"}, "n=7"},
		{"1. cats\n2. casual", inputsOf("topic string", "title string"), []string{"topic", "title"}, "title=casual topic=cats"},
		{"cats", inputsOf("topic string", "title string"), []string{"topic", "title"}, ""},
	} {
		var asked []definition.Input
		for _, in := range c.inputs {
			if slices.Contains(c.asked, in.Name) {
				asked = append(asked, in)
			}
		}
		if got := texts(Extract(c.text, c.inputs, asked, facts)); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
	in := inputsOf("project project*")
	f := facts
	f.Project = "prj_9"
	if got := texts(Extract("Hello", in, nil, f)); got != "project=prj_9" {
		t.Errorf("the conversation's project: %s", got)
	}
}

// FuzzExtract demands that whatever is found fits its input.
func FuzzExtract(f *testing.F) {
	for _, s := range []string{"topic: a; n: 3", "n = = :", "tomorrow 2026-01-02 https://x.example PAY-1 “x” me", "ÀÉ: İ topic : x", strings.Repeat("n:", 300), "1.\n2.\n3."} {
		f.Add(s, true)
	}
	all := inputsOf("topic string*", "body text", "n integer", "x number", "ok boolean", "day date", "at time", "who person", "project project*", "ticket ticket", "page url", "tags list", "any object", "tone string/formal/casual")
	f.Fuzz(func(t *testing.T, text string, ask bool) {
		var asked []definition.Input
		if ask {
			asked = all
		}
		for name, v := range Extract(text, all, asked, facts) {
			i := slices.IndexFunc(all, func(in definition.Input) bool { return in.Name == name })
			if i < 0 {
				t.Fatalf("%q gives an input %s", text, name)
			}
			if _, err := all[i].Take(v.Value); err != nil || v.How == "" {
				t.Errorf("%q gives %s = %v (%s): %v", text, name, v.Value, v.How, err)
			}
		}
		_, _ = yesNo(text)
		_ = fmt.Sprint(cancels(text), asks(text))
	})
}
