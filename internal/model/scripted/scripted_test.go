package scripted_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/model"
	"chela/internal/model/scripted"
)

const script = `{"steps":[
	{"userQuery":"Plan it","agentResponses":[
		{"agentName":"controller","responseFallback":"pm"},
		{"agentName":"pm","toolCalls":[{"name":"look","args":{"a":1}},{"name":"look"}]},
		{"agentName":"pm","responseFallback":"Planned."}]},
	{"contains":"minutes","agentResponses":[{"agentName":"pm","responseFallback":"Taken in."}]},
	{"agentResponses":[{"agentName":"pm","responseFallback":"Anything."}]}]}`

func ask(t *testing.T, agent string, messages ...model.Message) (model.Answer, error) {
	t.Helper()
	s, err := scripted.Read([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	shown := ""
	a, err := scripted.New(s).Generate(t.Context(), model.Request{Agent: agent, Messages: messages}, func(d model.Delta) { shown += d.Text })
	if shown != a.Text {
		t.Errorf("shown %q, answered %q", shown, a.Text)
	}
	return a, err
}

func says(text string) model.Message {
	return model.Message{Role: model.User, Parts: []model.Part{{Text: text}}}
}

func TestScripted_TheReplyFollowsFromTheConversation(t *testing.T) {
	t.Parallel()
	a, err := ask(t, "agent:pm", says("Plan it"))
	if err != nil || len(a.Calls) != 2 || string(a.Calls[0].Args) != `{"a":1}` || string(a.Calls[1].Args) != `{}` || a.Stop != model.StopToolCalls {
		t.Fatalf("%+v %v", a, err)
	}
	after := []model.Message{says("Plan it"), {Role: model.Assistant, Parts: a.Parts}, {Role: model.Tool, Parts: []model.Part{{Result: &model.ToolResult{CallID: a.Calls[0].ID}}}}}
	for range 2 { // it keeps no state
		if a, err := ask(t, "agent:pm", after...); err != nil || a.Text != "Planned." {
			t.Errorf("%+v %v", a, err)
		}
	}
	for agent, want := range map[string]string{"agent:controller": "pm"} {
		if a, err := ask(t, agent, says("plan IT")); err != nil || a.Text != want {
			t.Errorf("%+v %v", a, err)
		}
	}
	if a, err := ask(t, "agent:pm", says("These are the minutes of today")); err != nil || a.Text != "Taken in." {
		t.Errorf("%+v %v", a, err)
	}
	if a, err := ask(t, "agent:pm", says("Hello")); err != nil || a.Text != "Anything." {
		t.Errorf("%+v %v", a, err)
	}
}

func TestScripted_AnAgentWithoutAReplyIsSaid(t *testing.T) {
	t.Parallel()
	_, err := ask(t, "agent:checker", says("Hello"))
	if err == nil || !strings.Contains(fault.TextOf(err), "no reply number 1 of checker") {
		t.Errorf("%v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(script))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := scripted.Read(raw)
		if err != nil {
			return
		}
		s.Transcript = "" // no files
		if _, err := json.Marshal(s); err != nil {
			t.Fatal(err)
		}
		_, _ = scripted.New(s).Generate(t.Context(), model.Request{Agent: "agent:pm", Messages: []model.Message{says("Plan it")}}, nil) // it does not panic
	})
}
