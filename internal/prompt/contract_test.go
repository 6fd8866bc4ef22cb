package prompt_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"chela/internal/desk"
	"chela/internal/event"
	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/prompt"
)

func TestContract_ParseChoice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want prompt.Choice
	}{
		"delegate":         {`{"delegate":"pm","sub_task":"plan"}`, prompt.Choice{Delegate: "pm", SubTask: "plan"}},
		"with prefix":      {`{"delegate":"agent:pm","sub_task":"plan"}`, prompt.Choice{Delegate: "pm", SubTask: "plan"}},
		"strict output":    {`{"delegate":"pm","sub_task":"plan","respond":"","requires":[]}`, prompt.Choice{Delegate: "pm", SubTask: "plan", Requires: []string{}}},
		"respond":          {`{"respond":"hello"}`, prompt.Choice{Respond: "hello"}},
		"requires":         {`{"requires":["skill:code"],"sub_task":"read"}`, prompt.Choice{SubTask: "read", Requires: []string{"skill:code"}}},
		"both ways":        {`{"delegate":"pm","requires":["skill:code"],"sub_task":"read"}`, prompt.Choice{Delegate: "pm", SubTask: "read", Requires: []string{"skill:code"}}},
		"fence":            {"```json\n{\"respond\":\"hello\"}\n```", prompt.Choice{Respond: "hello"}},
		"fence, no tag":    {"\n```\n{\"respond\":\"hello\"}```\n", prompt.Choice{Respond: "hello"}},
		"fence in a value": {"{\"respond\":\"```go\\nx\\n```\"}", prompt.Choice{Respond: "```go\nx\n```"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := prompt.ParseChoice(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// A bad answer is a sentence by which a model can mend it.
func TestContract_BadAnswers(t *testing.T) {
	t.Parallel()
	choice := func(s string) error { _, err := prompt.ParseChoice(s); return err }
	review := func(s string) error { _, err := prompt.ParseReview(s); return err }
	triage := func(s string) error { _, err := prompt.ParseTriage(s); return err }
	for name, c := range map[string]struct {
		parse      func(string) error
		text, says string
	}{
		"prose":             {choice, "I will ask pm.", "The answer is not one JSON object"},
		"prose around":      {choice, `Here: {"respond":"x"}`, "does not begin with {"},
		"prose after":       {choice, `{"respond":"x"} That is all.`, "There is more after the end"},
		"empty":             {choice, "", "not one JSON object"},
		"list":              {choice, `[{"respond":"x"}]`, "not one JSON object"},
		"cut":               {choice, `{"respond":"x`, "cannot be read at byte"},
		"open fence":        {choice, "```json\n{\"respond\":\"x\"}", "The code fence"},
		"one-line fence":    {choice, "```{\"respond\":\"x\"}```", "The code fence"},
		"neither":           {choice, `{}`, "Exactly one is needed"},
		"nulls":             {choice, `{"delegate":null,"respond":null}`, "Exactly one is needed"},
		"blanks":            {choice, `{"respond":"  "}`, "Exactly one is needed"},
		"both":              {choice, `{"delegate":"pm","sub_task":"x","respond":"y"}`, "Exactly one is needed"},
		"no sub_task":       {choice, `{"delegate":"pm"}`, "sub_task: Say what"},
		"sub_task alone":    {choice, `{"respond":"x","sub_task":"y"}`, "sub_task: It goes with a delegate"},
		"in camel case":     {choice, `{"delegate":"pm","subTask":"x"}`, "subTask: The key is not known"},
		"several delegates": {choice, `{"delegate":"pm, coder","sub_task":"x"}`, "delegate: It is the name of one"},
		"a list of them":    {choice, `{"delegate":["pm"],"sub_task":"x"}`, "delegate: A list does not fit"},
		"key twice":         {choice, `{"respond":"x","respond":"y"}`, "respond: The key is there twice"},
		"empty capability":  {choice, `{"requires":[""],"sub_task":"x"}`, "requires.0: "},
		"no verdict":        {review, `{"summary":"pass"}`, "pass: The field is missing"},
		"null verdict":      {review, `{"pass":null}`, "pass: The field is missing"},
		"verdict in words":  {review, `{"pass":"true"}`, "pass: A text does not fit"},
		"verdict in prose":  {review, `PASS. "pass" is true`, "not one JSON object"},
		"fails for nothing": {review, `{"pass":false,"summary":"no"}`, "feedback: "},
		"no type":           {triage, `{"confidence":1,"routes":{}}`, "type: The type is not known. Allowed: "},
		"another type":      {triage, `{"type":"NOVEL","confidence":1,"routes":{}}`, "type: "},
		"no confidence":     {triage, `{"type":"FREE_TEXT","routes":{}}`, "confidence: "},
		"too confident":     {triage, `{"type":"FREE_TEXT","confidence":90,"routes":{}}`, "confidence: It is a number from 0 to 1"},
		"no routes":         {triage, `{"type":"FREE_TEXT","confidence":1}`, "routes: "},
		"another route":     {triage, `{"type":"FREE_TEXT","confidence":1,"routes":{"mail":true}}`, "routes.mail: The key is not known"},
		"nameless topic":    {triage, `{"type":"FREE_TEXT","confidence":1,"routes":{},"topics":[{"title":" "}]}`, "topics.0.title: "},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.parse(c.text)
			if fault.KindOf(err) != fault.Invalid || !strings.Contains(fault.TextOf(err), c.says) {
				t.Errorf("%v; want an Invalid that says %q", err, c.says)
			}
		})
	}
}

func TestContract_ParseReviewAndTriage(t *testing.T) {
	t.Parallel()
	r, err := prompt.ParseReview("```json\n{\"pass\":false,\"summary\":\"s\",\"feedback\":\"f\"}\n```")
	if d := cmp.Diff(prompt.Review{Summary: "s", Feedback: "f"}, r); err != nil || d != "" {
		t.Error(err, d)
	}
	if r, err = prompt.ParseReview(`{"pass":true}`); err != nil || !r.Pass {
		t.Error(r, err)
	}
	got, err := prompt.ParseTriage(`{"type":"MEETING_NOTES","confidence":0.8,"routes":{"thread":true,"tickets":true},"topics":[{"title":"t","summary":"s","decisions":["d"],"open_questions":[],"action_items":["a"]}]}`)
	want := prompt.Triage{
		Type: "MEETING_NOTES", Confidence: 0.8, Routes: prompt.Routes{Thread: true, Tickets: true},
		Topics: []prompt.Topic{{Title: "t", Summary: "s", Decisions: []string{"d"}, OpenQuestions: []string{}, ActionItems: []string{"a"}}},
	}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Error(err, d)
	}
}

// A shape is what the contracts use of JSON Schema.
type shape struct {
	Type       string           `json:"type"`
	Enum       []string         `json:"enum"`
	Required   []string         `json:"required"`
	Closed     *bool            `json:"additionalProperties"`
	Properties map[string]shape `json:"properties"`
	Items      *shape           `json:"items"`
	Help       string           `json:"description"`
}

func shapeOf(t *testing.T, s *model.Schema) shape {
	t.Helper()
	var out shape
	if err := event.DecodeStrict(s.Schema, &out); err != nil {
		t.Fatalf("the schema %s uses more than this test knows: %v", s.Name, err)
	}
	return out
}

// fits reports what of raw does not fit the schema.
func (s shape) fits(at string, raw json.RawMessage) error {
	switch s.Type {
	case "object":
		var v map[string]json.RawMessage
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				return fmt.Errorf("%s lacks %s", at, name)
			}
		}
		for name, x := range v {
			p, ok := s.Properties[name]
			if !ok {
				return fmt.Errorf("%s has no %s", at, name)
			}
			if err := p.fits(at+"."+name, x); err != nil {
				return err
			}
		}
	case "array":
		var v []json.RawMessage
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		for _, x := range v {
			if err := s.Items.fits(at+"[]", x); err != nil {
				return err
			}
		}
	case "string":
		var v string
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
			return fmt.Errorf("%s is %q", at, v)
		}
	case "boolean":
		var v bool
		return json.Unmarshal(raw, &v)
	case "number":
		var v float64
		return json.Unmarshal(raw, &v)
	default:
		return fmt.Errorf("%s: the type %q is not known", at, s.Type)
	}
	return nil
}

// strict reports what providers' strict structured output would refuse.
func (s shape) strict(at string) error {
	if s.Type == "object" {
		if s.Closed == nil || *s.Closed {
			return fmt.Errorf("%s allows other fields", at)
		}
		for name, p := range s.Properties {
			if !slices.Contains(s.Required, name) {
				return fmt.Errorf("%s.%s is not required", at, name)
			}
			if err := p.strict(at + "." + name); err != nil {
				return err
			}
		}
	}
	if s.Items != nil {
		return s.Items.strict(at + "[]")
	}
	return nil
}

// examples returns the lines of a prompt that are JSON objects.
func examples(t *testing.T, text string) []string {
	t.Helper()
	var out []string
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); strings.HasPrefix(l, "{") {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		t.Fatal("the prompt shows no example of its contract")
	}
	return out
}

// What a prompt shows is what the schema asks for and what the code parses.
func TestContract_PromptsStateTheirContracts(t *testing.T) {
	t.Parallel()
	for agent, c := range map[string]struct {
		schema *model.Schema
		parse  func(string) error
	}{
		"controller":    {prompt.ChoiceSchema(), func(s string) error { _, err := prompt.ParseChoice(s); return err }},
		"reviewer":      {prompt.ReviewSchema(), func(s string) error { _, err := prompt.ParseReview(s); return err }},
		"intake-triage": {prompt.TriageSchema(), func(s string) error { _, err := prompt.ParseTriage(s); return err }},
	} {
		t.Run(agent, func(t *testing.T) {
			text := agentNamed(t, agent).Prompt
			schema := shapeOf(t, c.schema)
			for _, e := range examples(t, text) {
				if err := schema.fits("answer", json.RawMessage(e)); err != nil {
					t.Errorf("%s does not fit the schema: %v", e, err)
				}
				if err := c.parse(e); err != nil {
					t.Errorf("%s is not parsed: %v", e, err)
				}
			}
			if err := schema.strict("answer"); err != nil {
				t.Error(err)
			}
			for name := range schema.Properties {
				if !strings.Contains(text, `"`+name+`"`) {
					t.Errorf("the prompt does not mention %s", name)
				}
			}
		})
	}
}

func TestContract_TriageTypes(t *testing.T) {
	t.Parallel()
	if d := cmp.Diff(desk.SourceTypes(), shapeOf(t, prompt.TriageSchema()).Properties["type"].Enum); d != "" {
		t.Error(d)
	}
	for _, s := range desk.SourceTypes() {
		if !strings.Contains(agentNamed(t, "intake-triage").Prompt, s) {
			t.Errorf("the prompt does not mention %s", s)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"delegate":"pm","sub_task":"x","respond":"","requires":[]}`, `{"respond":"hello"}`, "```json\n{\"pass\":true}\n```", "```", "``````", "```\n```",
		`{"pass":false,"feedback":"f"}`, `{"type":"FREE_TEXT","confidence":0.5,"routes":{"thread":true},"topics":[{"title":"t"}]}`, `{"type":"FREE_TEXT","confidence":1e999}`, `[`, `{"requires":["\u0000"]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		invalid := func(err error) {
			if err != nil && (fault.KindOf(err) != fault.Invalid || fault.TextOf(err) == "") {
				t.Fatalf("not an Invalid sentence: %v", err)
			}
		}
		c, err := prompt.ParseChoice(text)
		invalid(err)
		if delegates := c.Delegate != "" || len(c.Requires) > 0; err == nil && (delegates == (c.Respond != "") || delegates != (c.SubTask != "")) {
			t.Fatalf("a choice is not one thing: %+v", c)
		}
		if err == nil {
			again(t, c, prompt.ParseChoice)
		}
		r, err := prompt.ParseReview(text)
		invalid(err)
		if err == nil {
			if !r.Pass && strings.TrimSpace(r.Feedback) == "" {
				t.Fatalf("a review fails for nothing: %+v", r)
			}
			again(t, r, prompt.ParseReview)
		}
		tr, err := prompt.ParseTriage(text)
		invalid(err)
		if err == nil {
			if tr.Confidence < 0 || tr.Confidence > 1 || !slices.Contains(desk.SourceTypes(), tr.Type) {
				t.Fatalf("a triage out of range: %+v", tr)
			}
			again(t, tr, prompt.ParseTriage)
		}
	})
}

// again writes what was read and reads it again.
func again[T any](t *testing.T, v T, parse func(string) (T, error)) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parse(string(raw))
	if err != nil {
		t.Fatalf("%s is not read again: %v", raw, err)
	}
	if d := cmp.Diff(v, got); d != "" {
		t.Fatal(d)
	}
}
