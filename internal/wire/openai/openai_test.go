package openai_test

import (
	"bytes"
	"os"
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

func TestReadStream(t *testing.T) {
	var shown strings.Builder
	c, err := openai.ReadStream(bytes.NewReader(recorded(t, "text.sse")), func(s string) { shown.WriteString(s) })
	if err != nil || c.Text != "It is due on Friday — 17 h." || shown.String() != c.Text || c.FinishReason != "stop" || c.Model != "gpt-4o-2024-11-20" {
		t.Errorf("%+v %v, shown %q", c, err, shown.String())
	}
	if c.Usage.PromptTokens != 120 || c.Usage.CompletionTokens != 9 || c.Usage.PromptTokensDetails.CachedTokens != 64 {
		t.Errorf("%+v", c.Usage)
	}
	c, err = openai.ReadStream(bytes.NewReader(recorded(t, "tools.sse")), nil)
	if err != nil || len(c.Calls) != 2 || c.Calls[0].ID != "call_a" || c.Calls[0].Function.Arguments != `{"status":"TODO"}` || c.Calls[1].Function.Name != "read_threads" {
		t.Errorf("%+v %v", c.Calls, err)
	}
}

// TestAStreamThatEndsEarlyIsNoAnswer cuts the recorded streams at every byte.
func TestAStreamThatEndsEarlyIsNoAnswer(t *testing.T) {
	for _, name := range []string{"text.sse", "tools.sse"} {
		whole := recorded(t, name)
		want, err := openai.ReadStream(bytes.NewReader(whole), nil)
		if err != nil {
			t.Fatal(err)
		}
		finished := bytes.Index(whole, []byte(`"finish_reason":"`+want.FinishReason))
		for n := range whole {
			got, err := openai.ReadStream(bytes.NewReader(whole[:n]), nil)
			if err == nil && n < finished {
				t.Fatalf("%s cut at %d is a whole answer: %+v", name, n, got)
			}
			if !strings.HasPrefix(want.Text, got.Text) {
				t.Fatalf("%s cut at %d says %q", name, n, got.Text)
			}
		}
	}
}

func TestWhatIsNoStream(t *testing.T) {
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

func TestReadResponse(t *testing.T) {
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
	f.Add(recorded(f, "text.sse"))
	f.Add(recorded(f, "tools.sse"))
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
