package definition_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/definition"
)

func schemaOf(t testing.TB, text string) map[string]any {
	t.Helper()
	v, err := definition.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m, _ := v.(map[string]any)
	return m
}

func TestBreaks_WhoeverReadsAsBefore(t *testing.T) {
	t.Parallel()
	const old = `{"type":"object","properties":{"sum":{"type":"number"},"state":{"type":"string","enum":["open","paid"]},"lines":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}},"required":["sum"]}`
	for _, c := range []struct{ name, after, says string }{
		{"the same", old, ""},
		{"one more field, required, and a narrower one", `{"type":"object","description":"x","properties":{"sum":{"type":"integer"},"more":{},"state":{"type":"string","enum":["paid"]},"lines":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"},"n":{}},"required":["text","n"]}}},"required":["sum","more"]}`, ""},
		{"a field that went", strings.Replace(old, `"sum":{"type":"number"},`, "", 1), "sum is gone."},
		{"another type", strings.Replace(old, `"number"`, `"string"`, 1), "sum was number, and would be string."},
		{"no type", strings.Replace(old, `{"type":"number"}`, `{}`, 1), "sum was number, and would be anything."},
		{"a value more", strings.Replace(old, `"paid"]`, `"paid","lost"]`, 1), "state would be lost"},
		{"any value", strings.Replace(old, `,"enum":["open","paid"]`, "", 1), "state was one of a few values"},
		{"not required", strings.Replace(old, `"required":["sum"]`, `"required":[]`, 1), "sum was always there"},
		{"inside a list", strings.Replace(old, `"required":["text"]`, `"required":[]`, 1), "lines[].text was always there"},
	} {
		got := strings.Join(definition.Breaks(schemaOf(t, old), schemaOf(t, c.after)), "\n")
		if c.says == "" && got != "" || !strings.Contains(got, c.says) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.says)
		}
	}
	if got := definition.Breaks(schemaOf(t, `{"type":"string","maxLength":5}`), schemaOf(t, `{"type":"string","maxLength":9}`)); len(got) != 1 {
		t.Errorf("a longer text broke %v, want one", got)
	}
}

// FuzzBreaks holds that a schema never breaks itself, whatever it is.
func FuzzBreaks(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"enum":[1,"x"]}},"required":["a"]}`)
	f.Add(`{"type":["string","null"],"items":{"const":1},"properties":[1]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var m map[string]any
		if json.Unmarshal([]byte(text), &m) != nil || m == nil {
			return
		}
		if _, err := definition.CompileSchema(m); err != nil {
			return
		}
		if got := definition.Breaks(m, m); len(got) > 0 {
			t.Errorf("%s breaks itself: %v", text, got)
		}
	})
}
