package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/org"
	"chela/internal/tool"
)

func spec(name string) tool.Spec {
	return tool.Spec{Name: name, Help: "Makes one.", Risk: tool.ReadOnly, Role: org.Viewer}
}

// catch returns a tool that keeps the arguments that reach it.
func catch(got *[]arguments) *tool.Tool {
	return tool.Func(spec("make_thing"), func(_ context.Context, _ tool.Call, in arguments) (string, error) {
		*got = append(*got, in)
		return "made", nil
	})
}

func TestTool_ArgumentsThatFit(t *testing.T) {
	t.Parallel()
	var got []arguments
	res, err := catch(&got).Call(t.Context(), tool.Call{Args: json.RawMessage(`{
		"room":"12","title":"A","level":"HIGH","mood":"bad","labels":["red","blue","red"],"count":3,"share":0.5,"open":true,
		"due":"2026-03-01","steps":[{"text":"one","kind":"wait"},{"text":"two"}],"next":{"text":"three"},"Plain":7}`)})
	if err != nil || res.Text != `"made"` || len(res.Drafts) != 0 {
		t.Fatalf("%+v %v", res, err)
	}
	share, mood := 0.5, "bad"
	want := arguments{
		place: place{"12"}, Title: "A", Level: "HIGH", Mood: &mood, Labels: []string{"red", "blue", "red"}, Count: 3, Share: &share, Open: true,
		Due: day{"2026-03-01"}, Steps: []step{{"one", "wait"}, {"two", ""}}, Next: &step{Text: "three"}, Plain: 7,
	}
	if !reflect.DeepEqual(got, []arguments{want}) {
		t.Errorf("%+v", got)
	}
	for _, least := range []string{`{"title":"A","steps":[]}`, `{"title":"A","steps":[],"level":"","mood":null,"labels":[],"next":null}`} {
		if _, err := catch(&got).Call(t.Context(), tool.Call{Args: json.RawMessage(least)}); err != nil {
			t.Errorf("%s: %v", least, err)
		}
	}
}

func TestTool_ArgumentsThatDoNotFitAreNamed(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		``:                                    "title: The field is required.",
		`null`:                                "title: The field is required.",
		`{"steps":[]}`:                        "title: The field is required.",
		`{"title":"","steps":[]}`:             "title: The field is required.",
		`{"title":"A","steps":[{"text":""}]}`: "steps.0.text: The field is required.",
		`{"title":" \n","steps":[]}`:          "title: The field is required.",
		`{"title":null,"steps":[]}`:           "title: The field is required.",
		`{"title":"A"}`:                       "steps: The field is required.",
		`{"title":"A","steps":null}`:          "steps: The field is required.",
		`{"title":"A","steps":[{"text":"x"},{"kind":"work"}]}`:       "steps.1.text: The field is required.",
		`{"title":"A","steps":[],"next":{}}`:                         "next.text: The field is required.",
		`{"title":"A","steps":[],"level":"MIDDLE"}`:                  "level: The value is not one of those it may have. Allowed: LOW, HIGH.",
		`{"title":"A","steps":[],"level":"high"}`:                    "level: The value is not one of those it may have. Allowed: LOW, HIGH.",
		`{"title":"A","steps":[],"mood":"so"}`:                       "mood: The value is not one of those it may have. Allowed: good, bad.",
		`{"title":"A","steps":[],"labels":["red","green"]}`:          "labels.1: The value is not one of those it may have. Allowed: red, blue.",
		`{"title":"A","steps":[{"text":"x","kind":"rest"}]}`:         "steps.0.kind: The value is not one of those it may have. Allowed: work, wait.",
		`{"title":"A","steps":[],"next":{"text":"x","kind":"rest"}}`: "next.kind: The value is not one of those it may have. Allowed: work, wait.",
		`{"title":"A","steps":[],"colour":"red"}`:                    "colour: ",
		`{"title":"A","steps":[],"Title":"B"}`:                       "Title: The key is spelt title.",
		`{"title":"A","steps":[],"title":"B"}`:                       "title: The key is there twice.",
		`{"title":"A","steps":[],"hidden":"x"}`:                      "hidden: ",
		`{"title":"A","steps":[],"secret":1}`:                        "secret: ",
		`{"title":1,"steps":[]}`:                                     "title: ",
		`{"title":"A","steps":{}}`:                                   "steps",
		`{"title":"A","steps":[],"count":1.5}`:                       "count: ",
		`{"title":"A","steps":[],"count":"3"}`:                       "count: ",
		`{"title":"A","steps":[],"open":"yes"}`:                      "open: ",
		`[]`:                                                         "",
		`"{\"title\":\"A\",\"steps\":[]}"`:                           "", // twice encoded, as weak models do
		`"{cut"`:                                                     "", // what the adapters make of arguments that are no JSON
		`{"title":"A","steps":[]} {}`:                                "more after the end",
		`{"title":"A"`:                                               "at byte",
	} {
		t.Run(args, func(t *testing.T) {
			var got []arguments
			_, err := catch(&got).Call(t.Context(), tool.Call{Args: json.RawMessage(args)})
			text := fault.TextOf(err)
			if err == nil || len(got) != 0 || fault.KindOf(err) != fault.Invalid {
				t.Fatalf("%v, reached with %+v", err, got)
			}
			rest, ok := strings.CutPrefix(text, "The arguments of make_thing do not fit: ")
			if !ok || !strings.Contains(rest, want) || !strings.HasSuffix(rest, ".") {
				t.Errorf("it says %q", text)
			}
		})
	}
}

func TestTool_WhatAToolReturns(t *testing.T) {
	t.Parallel()
	draft := event.Draft{Message: event.Message{Type: "x"}}
	change := tool.Record(spec("change"), func(_ context.Context, c tool.Call, _ struct{}) (map[string]string, []event.Draft, error) {
		return map[string]string{"key": c.Key, "agent": string(c.Agent)}, []event.Draft{draft}, nil
	})
	res, err := change.Call(t.Context(), tool.Call{Key: "run_1/m0/c0", Agent: "agent:pm"})
	if err != nil || res.Text != `{"agent":"agent:pm","key":"run_1/m0/c0"}` || !reflect.DeepEqual(res.Drafts, []event.Draft{draft}) {
		t.Errorf("%+v %v", res, err)
	}

	missing := fault.New(fault.NotFound, "There is no ticket of that id.")
	fails := tool.Record(spec("fails"), func(context.Context, tool.Call, struct{}) (string, []event.Draft, error) {
		return "x", []event.Draft{draft}, missing
	})
	if res, err := fails.Call(t.Context(), tool.Call{}); !errors.Is(err, missing) || res.Text != "" || len(res.Drafts) != 0 {
		t.Errorf("a failed call leaves %+v, %v", res, err)
	}

	odd := tool.Func(spec("odd"), func(context.Context, tool.Call, struct{}) (float64, error) { return math.NaN(), nil })
	if _, err := odd.Call(t.Context(), tool.Call{}); err == nil || !strings.Contains(err.Error(), "odd") {
		t.Errorf("a result that is no JSON: %v", err)
	}
}

func TestTool_AnErrorIsTheTools(t *testing.T) {
	t.Parallel()
	broke := errors.New("broke")
	f := tool.Func(spec("fails"), func(context.Context, tool.Call, struct{}) (string, error) { return "", broke })
	if _, err := f.Call(t.Context(), tool.Call{}); !errors.Is(err, broke) {
		t.Errorf("%v", err)
	}
}

func TestTool_AToolWithoutADeclarationDoesNotRegister(t *testing.T) {
	t.Parallel()
	nothing := func(context.Context, tool.Call, struct{}) (string, error) { return "", nil }
	for name, change := range map[string]func(*tool.Spec){
		"no name":         func(s *tool.Spec) { s.Name = "" },
		"a short name":    func(s *tool.Spec) { s.Name = "a" },
		"a name in caps":  func(s *tool.Spec) { s.Name = "Read" },
		"a blank":         func(s *tool.Spec) { s.Name = "Make One" },
		"a name with -":   func(s *tool.Spec) { s.Name = "read-it" },
		"a long name":     func(s *tool.Spec) { s.Name = strings.Repeat("a", 65) },
		"no help":         func(s *tool.Spec) { s.Help = "" },
		"no risk":         func(s *tool.Spec) { s.Risk = "" },
		"an unknown risk": func(s *tool.Spec) { s.Risk = "HARMLESS" },
		"no role":         func(s *tool.Spec) { s.Role = "" },
	} {
		t.Run(name, func(t *testing.T) {
			s := spec("good_name")
			change(&s)
			defer func() {
				if recover() == nil {
					t.Errorf("%+v registers", s)
				}
			}()
			tool.Func(s, nothing)
		})
	}
	long := spec("good_name")
	long.Timeout = time.Hour
	if a, b := tool.Func(spec("good_name"), nothing), tool.Func(long, nothing); a.Timeout != 30*time.Second || b.Timeout != time.Hour {
		t.Errorf("they may take %s and %s", a.Timeout, b.Timeout)
	}
}

func set() *tool.Set {
	nothing := func(context.Context, tool.Call, struct{}) (string, error) { return "", nil }
	return tool.NewSet(tool.Func(spec("write_file"), nothing), tool.Func(spec("read_tickets"), nothing), tool.Func(spec("assign"), nothing))
}

func names(tools []*tool.Tool) []string {
	out := []string{}
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return out
}

func TestTool_NamesAreForgivenAndNeverGuessed(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"read_tickets":            "read_tickets",
		" Read_Tickets\n":         "read_tickets",
		"read-tickets":            "read_tickets",
		"read tickets":            "read_tickets",
		"functions.read_tickets":  "read_tickets",
		" functions.read_tickets": "read_tickets",
		"Functions.Read-Tickets":  "read_tickets",
		"read.tickets":            "read_tickets",
		"`read_tickets`":          "read_tickets",
		"read_tickets()":          "read_tickets",
		"<|read_tickets|>":        "read_tickets",
		"read_ticket":             "",
		"tickets":                 "",
		"":                        "",
		"*":                       "",
		"readtickets":             "",
		"read_tickets_and_assign": "",
	} {
		got, ok := set().Find(name)
		if ok != (want != "") || ok && got.Name != want {
			t.Errorf("%q finds %+v", name, got)
		}
	}
}

func TestTool_TheToolsOfAnAgent(t *testing.T) {
	t.Parallel()
	all := []string{"assign", "read_tickets", "write_file"}
	for _, c := range []struct{ list, want []string }{
		{nil, []string{}},
		{[]string{"assign", "write_file"}, []string{"write_file", "assign"}}, // as they were registered
		{[]string{"assign", "assign", "unknown"}, []string{"assign"}},
		{[]string{"*"}, []string{"write_file", "read_tickets", "assign"}},
		{[]string{"assign", "*"}, []string{"write_file", "read_tickets", "assign"}},
		{[]string{"Assign"}, []string{}},
		{[]string{"other"}, []string{}},
	} {
		if got := names(set().Of(c.list)); !slices.Equal(got, c.want) {
			t.Errorf("%v names %v", c.list, got)
		}
	}
	if got := names(set().All()); !slices.Equal(got, all) {
		t.Errorf("all are %v", got)
	}
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "assign") {
			t.Errorf("two of one name: %q", text)
		}
	}()
	one := set().Of([]string{"assign"})[0]
	tool.NewSet(one, one)
}

func FuzzSanitize(f *testing.F) {
	f.Add(" Functions.Read-Tickets\n")
	f.Fuzz(func(t *testing.T, name string) {
		got := tool.Sanitize(name)
		if strings.Trim(got, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" || tool.Sanitize(got) != got {
			t.Errorf("%q becomes %q, and that %q", name, got, tool.Sanitize(got))
		}
	})
}

// FuzzArguments checks that what reaches a tool keeps the promises of its schema,
// and that all else is refused in a sentence.
func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"title":"A","level":"HIGH","mood":"bad","labels":["red"],"steps":[{"text":"one","kind":"wait"}],"next":{"text":"x"},"due":"2026-03-01"}`))
	f.Add([]byte(`{"title":"A","steps":null}`))
	f.Add([]byte(`"{cut"`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var got []arguments
		_, err := catch(&got).Call(t.Context(), tool.Call{Args: raw})
		if err != nil {
			if len(got) != 0 || fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(fault.TextOf(err), "The arguments of make_thing do not fit: ") {
				t.Fatalf("%v, reached with %+v", err, got)
			}
			return
		}
		in := got[0]
		steps := in.Steps
		if in.Next != nil {
			steps = append(slices.Clone(steps), *in.Next)
		}
		bad := strings.TrimSpace(in.Title) == "" || in.Steps == nil || !among(in.Level, "LOW", "HIGH", "") || in.Mood != nil && !among(*in.Mood, "good", "bad", "") || in.Hidden != "" || in.secret != 0
		for _, l := range in.Labels {
			bad = bad || !among(l, "red", "blue")
		}
		for _, s := range steps {
			bad = bad || strings.TrimSpace(s.Text) == "" || !among(s.Kind, "work", "wait", "")
		}
		if bad {
			t.Fatalf("%s reaches the tool as %+v", raw, in)
		}
	})
}

func among[T comparable](v T, allowed ...T) bool { return slices.Contains(allowed, v) }
