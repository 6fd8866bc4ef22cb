package openai_test

import (
	"strings"
	"testing"

	"chela/internal/wire/openai"
)

func TestReadEmbeddings_SaysWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	got, err := openai.ReadEmbeddings([]byte(`{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0.5]}],"usage":{"prompt_tokens":7}}`), 2)
	if err != nil || got.Tokens != 7 || got.Vectors[0][1] != 0.5 || got.Vectors[1][1] != 1 {
		t.Errorf("got %+v %v, want both vectors in the order of the texts", got, err)
	}
	for raw, want := range map[string]string{
		`{"data":[{"index":0,"embedding":[1]}]}`:                                 "1 vectors for 2 texts",
		`{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`:     "says that it is number 0",
		`{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}`:     "says that it is number 2",
		`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`:   "has 2 numbers",
		`{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`:       "has 0 numbers",
		`{"data":[{"index":0,"embedding":"AAAA"},{"index":1,"embedding":"AA"}]}`: "no lists of numbers",
		`{"error":{"message":"no such model"}}`:                                  "no such model",
	} {
		if _, err := openai.ReadEmbeddings([]byte(raw), 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", raw, err, want)
		}
	}
}

func FuzzReadEmbeddings(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1e38,-0.5]}],"usage":{"prompt_tokens":7}}`))
	f.Add([]byte(`{"data":[{"embedding":[1e39]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := openai.ReadEmbeddings(raw, 2)
		if err == nil && (len(got.Vectors) != 2 || len(got.Vectors[0]) == 0 || len(got.Vectors[0]) != len(got.Vectors[1])) {
			t.Errorf("%q: %+v", raw, got)
		}
	})
}
