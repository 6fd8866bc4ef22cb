package gemini_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"chela/internal/wire/gemini"
)

// TestChoice_ChoicesAndStopsAreReadAsWritten reads each form that the wire knows and writes it
// again.
func TestChoice_ChoicesAndStopsAreReadAsWritten(t *testing.T) {
	t.Parallel()
	const beginning = `{"contents":[{"role":"user","parts":[{"text":"x"}]}],"tools":[{"functionDeclarations":[{"name":"look","description":""}]}]`
	for rest, want := range map[string]struct {
		calling *gemini.FunctionCalling
		stops   []string
	}{
		`,"generationConfig":{}`: {},
		`,"generationConfig":{},"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}`:                                      {calling: &gemini.FunctionCalling{Mode: "AUTO"}},
		`,"generationConfig":{},"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}`:                                      {calling: &gemini.FunctionCalling{Mode: "NONE"}},
		`,"generationConfig":{},"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["look"]}}`:       {calling: &gemini.FunctionCalling{Mode: "ANY", Allowed: []string{"look"}}},
		`,"generationConfig":{},"toolConfig":{"functionCallingConfig":{"mode":"VALIDATED","allowedFunctionNames":["look"]}}`: {calling: &gemini.FunctionCalling{Mode: "VALIDATED", Allowed: []string{"look"}}},
		`,"generationConfig":{"stopSequences":["END","\n"]}`:                                                                 {stops: []string{"END", "\n"}},
	} {
		r, _, err := gemini.ReadRequest([]byte(beginning + rest + `}`))
		if err != nil || !reflect.DeepEqual(r.GenerationConfig.StopSequences, want.stops) || (r.ToolConfig == nil) != (want.calling == nil) || r.ToolConfig != nil && !reflect.DeepEqual(r.ToolConfig.FunctionCalling, want.calling) {
			t.Errorf("%s: %v %+v", rest, err, r)
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
		`,"toolConfig":{"functionCallingConfig":{"mode":"MUST"}}`:                                 `"MUST" is none of`,
		`,"toolConfig":{"functionCallingConfig":{"mode":"AUTO","allowedFunctionNames":["look"]}}`: "go with the mode",
		`,"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["fly"]}}`:   `no function "fly"`,
		`,"generationConfig":{"stopSequences":["a","b","c","d","e","f"]}`:                         "at most 5",
		`,"generationConfig":{"stopSequences":[""]}`:                                              "empty",
	} {
		if _, _, err := gemini.ReadRequest([]byte(beginning + rest + `}`)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", rest, err, says)
		}
	}
}
