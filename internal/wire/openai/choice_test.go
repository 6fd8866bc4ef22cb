package openai_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"chela/internal/wire/openai"
)

const beginning = `{"model":"m","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"look","description":"","parameters":{}}},{"type":"function","function":{"name":"hear","description":"","parameters":{}}}]`

// TestChoice_ChoicesAndStopsAreReadAsWritten reads each form that the wire knows and writes it
// again.
func TestChoice_ChoicesAndStopsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	no, yes := false, true
	for rest, want := range map[string]struct {
		choice   *openai.ToolChoice
		stop     openai.Stops
		parallel *bool
		again    string // when it is written in another way
	}{
		``:                      {},
		`,"tool_choice":null`:   {again: ` `},
		`,"tool_choice":"none"`: {choice: &openai.ToolChoice{Mode: "none"}},
		`,"tool_choice":"auto"`: {choice: &openai.ToolChoice{Mode: "auto"}},
		`,"tool_choice":"required","parallel_tool_calls":false`:         {choice: &openai.ToolChoice{Mode: "required"}, parallel: &no},
		`,"parallel_tool_calls":true`:                                   {parallel: &yes},
		`,"tool_choice":{"type":"function","function":{"name":"look"}}`: {choice: &openai.ToolChoice{Mode: "function", Name: "look"}},
		`,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"hear"}}]}}`: {choice: &openai.ToolChoice{Mode: "required", Allowed: []string{"hear"}}},
		`,"stop":["END","\n\n"]`: {stop: openai.Stops{"END", "\n\n"}},
		`,"stop":"END"`:          {stop: openai.Stops{"END"}, again: `,"stop":["END"]`},
		`,"stop":null`:           {again: ` `},
	} {
		r, _, err := openai.ReadRequest([]byte(beginning + rest + `}`))
		if err != nil || !reflect.DeepEqual(r.ToolChoice, want.choice) || !reflect.DeepEqual(r.Stop, want.stop) || !reflect.DeepEqual(r.ParallelToolCalls, want.parallel) {
			t.Errorf("%s: %v %+v %v", rest, err, r.ToolChoice, r.Stop)
			continue
		}
		raw, err := json.Marshal(r)
		must(t, err)
		if want.again == "" {
			want.again = rest
		}
		if got, golden := beginning+strings.TrimSpace(want.again)+"}", string(raw); !same(t, got, golden) {
			t.Errorf("%s is written %s, expected %s", rest, golden, got)
		}
	}
	for rest, says := range map[string]string{
		`,"tool_choice":"always"`:                                                                                                         `"always" is none of`,
		`,"tool_choice":{"type":"any"}`:                                                                                                   "tool_choice",
		`,"tool_choice":{"type":"function","function":{"name":"fly"}}`:                                                                    `no tool "fly"`,
		`,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[]}}`:                                              "tool_choice",
		`,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"custom"}]}}`:                             "only functions",
		`,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"fly"}}]}}`: `no tool "fly"`,
		`,"tools":[],"tool_choice":"required"`:                                                                                            "no tools",
		`,"stop":["a","b","c","d","e"]`:                                                                                                   "at most 4",
		`,"stop":[""]`:                                                                                                                    "empty",
		`,"stop":7`:                                                                                                                       "stop",
	} {
		if _, _, err := openai.ReadRequest([]byte(beginning + rest + `}`)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", rest, err, says)
		}
	}
}

func same(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	must(t, json.Unmarshal([]byte(a), &x))
	must(t, json.Unmarshal([]byte(b), &y))
	return reflect.DeepEqual(x, y)
}
