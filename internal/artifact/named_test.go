package artifact_test

import (
	"encoding/json"
	"slices"
	"testing"

	"chela/internal/artifact"
)

func TestNamed_IsWhatPayloadsRestOn(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string][]artifact.Ref{
		`{"rest":"` + string(hello) + `"}`:                                       {hello},
		`{"images":["` + string(hello) + `"],"shows":["` + string(hello) + `"]}`: {hello},
		`{"audio":[{"ref":"` + string(hello) + `","name":"a.ogg"}]}`:             {hello},
		`{"value":{"binaryRef":"` + string(hello) + `"}}`:                        {hello},
		`{"args":{"ref":"` + string(hello) + `"}}`:                               nil, // a model wrote it
		`{"text":"` + string(hello) + `"}`:                                       nil, // so did a person
		`{"ref":"` + string(hello) + `x"}`:                                       nil,
		`{"ref":"artifact:"}`:                                                    nil,
		`{"ref":"` + string(hello):                                               nil,
		`null`:                                                                   nil,
	} {
		if got := artifact.Named(json.RawMessage(payload)); !slices.Equal(got, want) {
			t.Errorf("%s names %v, want %v", payload, got, want)
		}
	}
}
