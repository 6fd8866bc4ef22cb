package agent

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"chela/internal/model"
)

// TestAnswered_AnAnswerIsRecordedOnce: what its parts say is not said again, and it is read as it was.
func TestAnswered_AnAnswerIsRecordedOnce(t *testing.T) {
	t.Parallel()
	call := func(id string) model.ToolCall {
		return model.ToolCall{ID: id, Name: "look", Args: json.RawMessage(`{"at":"unique"}`)}
	}
	first, second := call("c1"), call("")
	spoken := model.Answer{Parts: []model.Part{{Text: "unique "}, {Text: "words"}}, Stop: model.StopEnd, Model: "m", Usage: model.Usage{InputTokens: 3}}
	calling := model.Answer{Parts: []model.Part{{Text: "so"}, {Call: &first}}, Stop: model.StopEnd}
	unnamed := model.Answer{Parts: []model.Part{{Call: &second}}, Stop: model.StopEnd}
	for _, a := range []*model.Answer{&spoken, &calling, &unnamed} {
		a.Finish()
	}
	unnamed.Calls[0].ID = "call_1_0"
	for name, c := range map[string]struct {
		answer model.Answer
		times  int // that the word is there
	}{
		"words":                  {spoken, 1},
		"a call":                 {calling, 1},
		"a call named by us":     {unnamed, 2},
		"only a text":            {model.Answer{Text: "unique", Stop: model.StopEnd}, 1},
		"cut off":                {model.Answer{Parts: []model.Part{{Text: "unique"}}, Text: "unique", Stop: model.StopMaxTokens}, 1},
		"parts and another text": {model.Answer{Parts: []model.Part{{Text: "unique"}}, Text: "unique?", Stop: model.StopEnd}, 2},
		"nothing":                {model.Answer{Stop: model.StopBroken}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			want := Answered{Agent: "agent:pm", Answer: c.answer, Seen: 7}
			raw, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(raw), "unique"); n != c.times {
				t.Errorf("%d times: %s", n, raw)
			}
			var got Answered
			if err := json.Unmarshal(raw, &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, %v\nwant %+v", got, err, want)
			}
		})
	}
	var earlier Answered // said twice, as it was recorded before
	if err := json.Unmarshal([]byte(`{"agent":"agent:pm","answer":{"text":"a","parts":[{"text":"a"}],"stop":"end"}}`), &earlier); err != nil || earlier.Answer.Text != "a" {
		t.Errorf("%+v, %v", earlier, err)
	}
}
