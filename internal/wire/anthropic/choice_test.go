package anthropic_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"chela/internal/wire/anthropic"
)

// TestChoice_ChoicesAndStopsAreReadAsWritten reads each form that the wire knows and writes it
// again.
func TestChoice_ChoicesAndStopsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	const beginning = `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]`
	const tools = `,"tools":[{"name":"look","description":"","input_schema":{}}]`
	for rest, want := range map[string]struct {
		choice *anthropic.ToolChoice
		stops  []string
	}{
		``: {},
		tools + `,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`: {choice: &anthropic.ToolChoice{Type: "auto", Single: true}},
		tools + `,"tool_choice":{"type":"any"}`:                                   {choice: &anthropic.ToolChoice{Type: "any"}},
		tools + `,"tool_choice":{"type":"none"}`:                                  {choice: &anthropic.ToolChoice{Type: "none"}},
		tools + `,"tool_choice":{"type":"tool","name":"look"}`:                    {choice: &anthropic.ToolChoice{Type: "tool", Name: "look"}},
		`,"stop_sequences":["END","\nHuman:"]`:                                    {stops: []string{"END", "\nHuman:"}},
	} {
		r, _, err := anthropic.ReadRequest([]byte(beginning + rest + `}`))
		if err != nil || !reflect.DeepEqual(r.ToolChoice, want.choice) || !reflect.DeepEqual(r.Stops, want.stops) {
			t.Errorf("%s: %v %+v %q", rest, err, r.ToolChoice, r.Stops)
			continue
		}
		raw, err := json.Marshal(r)
		must(t, err)
		var golden, got any
		must(t, json.Unmarshal([]byte(beginning+rest+`}`), &golden))
		must(t, json.Unmarshal(raw, &got))
		if !reflect.DeepEqual(got, golden) {
			t.Errorf("%s is written %s", rest, raw)
		}
	}
	for rest, says := range map[string]string{
		tools + `,"tool_choice":{"type":"required"}`:          `"required" is none of`,
		tools + `,"tool_choice":{"type":"tool","name":"fly"}`: `no tool "fly"`,
		`,"tool_choice":{"type":"any"}`:                       "no tools",
		`,"stop_sequences":["a"," "]`:                         "stop_sequences.1",
		`,"stop_sequences":"END"`:                             "cannot be read",
	} {
		if _, _, err := anthropic.ReadRequest([]byte(beginning + rest + `}`)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", rest, err, says)
		}
	}
}

// TestChoice_AnAnswerEndsBeforeAStop says which of the call's texts ended it, whole and streamed.
func TestChoice_AnAnswerEndsBeforeAStop(t *testing.T) {
	t.Parallel()
	want := anthropic.Response{ID: "id", Type: "message", Model: "m", Content: []anthropic.Block{{Type: "text", Text: "One"}}, StopReason: "stop_sequence", Stop: "END"}
	var whole, streamed bytes.Buffer
	must(t, anthropic.WriteResponse(&whole, want))
	if got, err := anthropic.ReadResponse(whole.Bytes()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("whole: %v %+v", err, got)
	}
	s, err := anthropic.Begin(&streamed, want)
	must(t, err)
	must(t, s.Open(want.Content[0]))
	must(t, s.EndBefore("END", want.Usage))
	if got, err := anthropic.ReadStream(&streamed, nil); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("streamed: %v %+v", err, got)
	}
}
