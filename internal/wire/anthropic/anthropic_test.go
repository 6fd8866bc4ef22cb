package anthropic_test

import (
	"bytes"
	"errors"
	"os"
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

func TestReadStream(t *testing.T) {
	var shown strings.Builder
	r, err := anthropic.ReadStream(bytes.NewReader(recorded(t, "text.sse")), func(s string) { shown.WriteString(s) })
	if err != nil || textOf(r) != "It is due on Friday — 17 h." || shown.String() != textOf(r) || r.StopReason != "end_turn" || r.Model != "claude-sonnet-4-20250514" {
		t.Errorf("%+v %v, shown %q", r, err, shown.String())
	}
	if u := r.Usage; u.InputTokens != 120 || u.OutputTokens != 9 || u.CacheReadInputTokens != 64 || u.CacheCreationInputTokens != 8 {
		t.Errorf("%+v", u)
	}
	r, err = anthropic.ReadStream(bytes.NewReader(recorded(t, "tools.sse")), nil)
	if err != nil || len(r.Content) != 3 || r.Content[0].Thinking != "The tickets first." || r.Content[0].Signature != "c2ln" ||
		string(r.Content[1].Input) != `{"status":"TODO"}` || r.Content[2].Name != "read_threads" {
		t.Errorf("%+v %v", r.Content, err)
	}
}

// TestAStreamThatEndsEarlyIsNoAnswer cuts the recorded streams at every byte.
func TestAStreamThatEndsEarlyIsNoAnswer(t *testing.T) {
	for _, name := range []string{"text.sse", "tools.sse"} {
		whole := recorded(t, name)
		want, err := anthropic.ReadStream(bytes.NewReader(whole), nil)
		if err != nil {
			t.Fatal(err)
		}
		stop := bytes.Index(whole, []byte(`data: {"type":"message_stop"}`)) + len(`data: {"type":"message_stop"}`)
		for n := range stop {
			got, err := anthropic.ReadStream(bytes.NewReader(whole[:n]), nil)
			if err == nil {
				t.Fatalf("%s cut at %d is a whole answer: %+v", name, n, got)
			}
			if !strings.HasPrefix(textOf(want), textOf(got)) {
				t.Fatalf("%s cut at %d says %q", name, n, textOf(got))
			}
		}
	}
}

func TestWhatIsNoStream(t *testing.T) {
	for name, in := range map[string]string{
		"nothing":                  "",
		"a page":                   "<html>502 Bad Gateway</html>",
		"no JSON":                  "data: {\n\n",
		"a block out of order":     `data: {"type":"content_block_start","index":3,"content_block":{"type":"text"}}` + "\n\n",
		"a delta without a block":  `data: {"type":"content_block_delta","index":0,"delta":{"text":"x"}}` + "\n\n",
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

func TestReadResponse(t *testing.T) {
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
	f.Add(recorded(f, "text.sse"))
	f.Add(recorded(f, "tools.sse"))
	f.Fuzz(func(_ *testing.T, raw []byte) { // it does not panic
		_, _ = anthropic.ReadStream(bytes.NewReader(raw), func(string) {})
	})
}

func FuzzReadResponse(f *testing.F) {
	f.Add([]byte(`{"type":"message","content":[{"type":"tool_use","input":{}}]}`))
	f.Fuzz(func(_ *testing.T, raw []byte) { _, _ = anthropic.ReadResponse(raw) }) // it does not panic
}
