package scripted_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"chela/internal/model"
	"chela/internal/model/scripted"
)

func TestMarkup_CallsInMarkup(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, said string
		calls    []string
	}{
		"wrapped":             {"I look.\n<tool_call>{\"name\": \"read_tickets\", \"args\": {\"text\": \"a\"}}</tool_call>", "I look.", []string{`read_tickets {"text": "a"}`}},
		"wrapped, twice":      {`<tool_call>{"name":"a","args":{}}</tool_call> and <tool_call>{"name":"b"}</tool_call>`, "and", []string{"a {}", "b {}"}},
		"a name and JSON":     {`<name>a</name><args>{"x":[1]}</args>Then.`, "Then.", []string{`a {"x":[1]}`}},
		"a name and nothing":  {`<name> a </name> <args> </args>`, "", []string{"a {}"}},
		"the tool's element":  {`First <read_tickets>{"text":"<b>"}</read_tickets> last`, "First  last", []string{`read_tickets {"text":"<b>"}`}},
		"two elements":        {`<a>{}</a><b>{"c":{}}</b>`, "", []string{"a {}", `b {"c":{}}`}},
		"fields":              {`<name>a</name><args><title>A "B"</title><tags>["x"]</tags><n>3</n><o>{"p":1}</o></args>`, "", []string{`a {"n":"3","o":{"p":1},"tags":["x"],"title":"A \"B\""}`}},
		"the first wins":      {`<tool_call>{"name":"a","args":{}}</tool_call><b>{}</b>`, "<b>{}</b>", []string{"a {}"}},
		"broken JSON stays":   {`<tool_call>{"name":</tool_call>`, `<tool_call>{"name":</tool_call>`, nil},
		"no name stays":       {`<tool_call>{"args":{}}</tool_call>`, `<tool_call>{"args":{}}</tool_call>`, nil},
		"arguments are a map": {`<tool_call>{"name":"a","args":[1]}</tool_call>`, `<tool_call>{"name":"a","args":[1]}</tool_call>`, nil},
		"an open field stays": {`<name>a</name><args><b>x</args>`, `<name>a</name><args><b>x</args>`, nil},
		"HTML stays":          {`Use <b>bold</b> and <code>{x}</code>.`, `Use <b>bold</b> and <code>{x}</code>.`, nil},
		"plain JSON stays":    {`{"delegate":"pm","sub_task":"x"}`, `{"delegate":"pm","sub_task":"x"}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			said, calls := scripted.Split(c.in)
			var got []string
			for _, call := range calls {
				got = append(got, call.Name+" "+string(call.Args))
			}
			if said != c.said || !reflect.DeepEqual(got, c.calls) {
				t.Errorf("%q leaves %q and %q, want %q and %q", c.in, said, got, c.said, c.calls)
			}
		})
	}
}

// TestMarkup_AReplyInMarkupCallsTools goes through the model itself.
func TestMarkup_AReplyInMarkupCallsTools(t *testing.T) {
	t.Parallel()
	m := play(t, `{"steps":[{"agentResponses":[{"agentName":"pm","responseFallback":"I look. <read_tickets>{}</read_tickets>","toolCalls":[{"name":"read_threads"}]}]}]}`)
	shown := ""
	a, err := m.Generate(t.Context(), model.Request{Agent: "pm", Messages: []model.Message{says("x")}}, func(d model.Delta) { shown += d.Text })
	if err != nil || a.Text != "I look." || shown != a.Text || a.Stop != model.StopToolCalls || len(a.Calls) != 2 || a.Calls[0].Name != "read_threads" || a.Calls[1].Name != "read_tickets" || a.Calls[0].ID == a.Calls[1].ID {
		t.Errorf("%+v %v", a, err)
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{`<tool_call>{"name":"a","args":{}}</tool_call>`, `<name>a</name><args>{"b":1}</args>`, `x<a>{"b":"</a>"}</a>`, `<name>a</name><args><b>[1]</b><c></c></args>`, "<a>{<a>{}</a>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		said, calls := scripted.Split(text)
		if len(calls) == 0 && said != text {
			t.Fatalf("%q became %q without a call", text, said)
		}
		if len(said) > len(text) {
			t.Fatalf("%q grew to %q", text, said)
		}
		for _, c := range calls {
			if c.Name == "" || !json.Valid(c.Args) || !strings.HasPrefix(strings.TrimSpace(string(c.Args)), "{") {
				t.Fatalf("%q gives %s %s", text, c.Name, c.Args)
			}
		}
	})
}
