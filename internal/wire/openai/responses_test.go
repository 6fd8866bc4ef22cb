package openai_test

import (
	"encoding/json"
	"testing"

	"chela/internal/wire/openai"
)

// FuzzAsk reads calls of any shape: none ends the reader, and what it reads it can read again.
func FuzzAsk(f *testing.F) {
	for _, s := range []string{
		`{"model":"m","input":"x"}`, `{"input":[{"role":"user","content":"x"}]}`, `{"input":[{"type":"message","content":[{"type":"input_image","image_url":"data:"}]}]}`,
		`{"input":[1]}`, `{"input":{}}`, `{"text":{"format":{"type":"json_schema","schema":{}}}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var a openai.Ask
		if json.Unmarshal(raw, &a) != nil {
			return
		}
		items, err := a.Items()
		if err != nil {
			return
		}
		for _, i := range items {
			if i.Type == "" {
				t.Errorf("%s has an item without a type", raw)
			}
			_, _ = i.Parts() // an error is an answer
		}
	})
}
