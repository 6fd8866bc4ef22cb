package anthropic_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"chela/internal/wire/anthropic"
)

func recorded(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func textOf(r anthropic.Response) (s string) {
	for _, b := range r.Content {
		s += b.Text
	}
	return s
}

func TestAnthropic_WhatIsNoStream(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"nothing":                  "",
		"a page":                   "<html>502 Bad Gateway</html>",
		"no JSON":                  "data: {\n\n",
		"a block out of order":     `data: {"type":"content_block_start","index":3,"content_block":{"type":"text"}}` + "\n\n",
		"a delta without a block":  `data: {"type":"content_block_delta","index":0,"delta":{"text":"x"}}` + "\n\n",
		"an end without an answer": `data: {"type":"message_stop"}` + "\n\n",
		"no reason for its end":    `data: {"type":"message_start","message":{"type":"message"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
		"two beginnings":           strings.Repeat(`data: {"type":"message_start","message":{"type":"message"}}`+"\n\n", 2) + `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
		"a delta before the first": `data: {"type":"content_block_delta","index":-1,"delta":{"text":"x"}}` + "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			if r, err := anthropic.ReadStream(strings.NewReader(in), nil); err == nil {
				t.Errorf("%+v", r)
			}
		})
	}
	_, err := anthropic.ReadStream(strings.NewReader(`data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`+"\n\n"), nil)
	var se *anthropic.StreamError
	if !errors.As(err, &se) || se.Type != "overloaded_error" {
		t.Errorf("%v", err)
	}
}

func TestAnthropic_ReadResponse(t *testing.T) {
	t.Parallel()
	r, err := anthropic.ReadResponse([]byte(`{"type":"message","model":"m","content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}`))
	if err != nil || textOf(r) != "Hi" || r.Usage.OutputTokens != 2 {
		t.Errorf("%+v %v", r, err)
	}
	for _, bad := range []string{``, `{}`, `{"type":"error"}`} {
		if r, err := anthropic.ReadResponse([]byte(bad)); err == nil {
			t.Errorf("%s is read as %+v", bad, r)
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
		r, err := read(t, bytes.NewReader(raw))
		if err == nil && (r.Type != "message" || r.StopReason == "") {
			t.Fatalf("%+v is a whole answer", r)
		}
	})
}

func FuzzReadResponse(f *testing.F) {
	f.Add([]byte(`{"type":"message","content":[{"type":"tool_use","input":{}}]}`))
	f.Fuzz(func(_ *testing.T, raw []byte) { _, _ = anthropic.ReadResponse(raw) }) // it does not panic
}
