package openai_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/wire/openai"
)

func recorded(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestOpenai_WhatIsNoStream(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"nothing":      "",
		"a page":       "<html>502 Bad Gateway</html>",
		"no JSON":      "data: {\n\n",
		"an error":     `data: {"error":{"message":"overloaded"}}` + "\n\n",
		"done at once": "data: [DONE]\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			if c, err := openai.ReadStream(strings.NewReader(in), nil); err == nil {
				t.Errorf("%+v", c)
			}
		})
	}
}

func TestOpenai_ReadResponse(t *testing.T) {
	t.Parallel()
	c, err := openai.ReadResponse([]byte(`{"model":"m","choices":[{"message":{"role":"assistant","content":"Hi","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`))
	if err != nil || c.Text != "Hi" || len(c.Calls) != 1 || c.Usage.CompletionTokens != 2 {
		t.Errorf("%+v %v", c, err)
	}
	for _, bad := range []string{``, `{}`, `{"choices":[]}`, `{"choices":[{"message":{"content":5}}]}`} {
		if c, err := openai.ReadResponse([]byte(bad)); err == nil {
			t.Errorf("%s is read as %+v", bad, c)
		}
	}
}

func FuzzReadStream(f *testing.F) {
	names, err := filepath.Glob("testdata/*.sse")
	if err != nil || len(names) == 0 {
		f.Fatal(names, err)
	}
	for _, name := range names {
		f.Add(recorded(f, filepath.Base(name)))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		shown := ""
		c, _ := openai.ReadStream(bytes.NewReader(raw), func(s string) { shown += s })
		if shown != c.Text {
			t.Fatalf("shown %q, answered %q", shown, c.Text)
		}
	})
}

func FuzzReadResponse(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":"x"}}]}`))
	f.Fuzz(func(_ *testing.T, raw []byte) { _, _ = openai.ReadResponse(raw) }) // it does not panic
}
