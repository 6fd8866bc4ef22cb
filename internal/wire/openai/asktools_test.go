package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/wire/openai"
)

func TestOffered_ChoicesAmongTools(t *testing.T) {
	t.Parallel()
	const tools = `"tools":[{"type":"function","name":"look"},{"type":"function","name":"hear"}]`
	for choice, want := range map[string]string{
		``:                        "look hear",
		`,"tool_choice":null`:     "look hear",
		`,"tool_choice":"none"`:   "",
		`,"tool_choice":"auto"`:   "look hear",
		`,"tool_choice":"always"`: "!tool_choice",
		`,"tool_choice":7`:        "!tool_choice",
		`,"tool_choice":{"type":"function","name":"look"}`:                                                  "look hear",
		`,"tool_choice":{"type":"function","name":"fly"}`:                                                   `!no tool "fly"`,
		`,"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"hear"}]}`: "hear",
		`,"tool_choice":{"type":"web_search"}`:                                                              "!tool_choice",
	} {
		var in openai.Ask
		must(t, json.Unmarshal([]byte("{"+tools+choice+"}"), &in))
		got, c, err := in.Offered()
		if says, bad := strings.CutPrefix(want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: got %v, want an error that says %q", choice, err, says)
			}
			continue
		}
		var names []string
		for _, tool := range got {
			if c.Allows(tool.Name) {
				names = append(names, tool.Name)
			}
		}
		if err != nil || strings.Join(names, " ") != want {
			t.Errorf("%s: got %q, %v, want %q", choice, names, err, want)
		}
	}
	if _, _, err := (openai.Ask{ToolChoice: json.RawMessage(`"required"`)}).Offered(); err == nil {
		t.Error("a choice that requires a tool where there is none is taken")
	}
}

func FuzzOffered(f *testing.F) {
	f.Add([]byte(`{"tools":[{"type":"function","name":"look","parameters":{}}],"tool_choice":{"type":"function","name":"look"},"input":[{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"x"}]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var in openai.Ask
		if json.Unmarshal(raw, &in) != nil {
			return
		}
		if tools, _, err := in.Offered(); err == nil && len(tools) != len(in.Tools) {
			t.Errorf("%d of %d tools are read", len(tools), len(in.Tools))
		}
		items, _ := in.Items() // what cannot be read says so
		for _, i := range items {
			_, _ = i.Parts() // likewise
		}
	})
}
