package tool_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"chela/internal/tool"
)

// A day is a text in JSON.
type day struct{ text string }

func (d day) MarshalJSON() ([]byte, error) { return json.Marshal(d.text) }

func (d *day) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, &d.text) }

// A level is a text with a name of its own.
type level string

type step struct {
	Text string `json:"text"`
	Kind level  `json:"kind,omitempty" enum:"work,wait"`
}

type place struct {
	Room string `json:"room,omitempty"`
}

// arguments has a field of every sort that an argument may be of.
type arguments struct {
	place
	Title  string   `json:"title" doc:"what it is called"`
	Level  level    `json:"level,omitempty" doc:"how urgent" enum:"LOW,HIGH"`
	Mood   *string  `json:"mood,omitempty" enum:"good,bad"`
	Labels []string `json:"labels,omitempty" enum:"red,blue"`
	Count  int      `json:"count,omitzero"`
	Share  *float64 `json:"share,omitempty"`
	Open   bool     `json:"open,omitempty"`
	Due    day      `json:"due,omitzero"`
	Steps  []step   `json:"steps"`
	Next   *step    `json:"next,omitempty"`
	Hidden string   `json:"-"`
	Plain  int64    `json:",omitempty"`
	secret int      //nolint:unused // it must not become an argument
}

func TestSchema_TheSchemaFollowsTheType(t *testing.T) {
	t.Parallel()
	const text = `{"type":"string"}`
	stepSchema := `{"type":"object","properties":{"text":` + text + `,"kind":{"type":"string","enum":["work","wait"]}},"required":["text"],"additionalProperties":false}`
	want := `{"type":"object","properties":{
		"room":` + text + `,
		"title":{"type":"string","description":"what it is called"},
		"level":{"type":"string","description":"how urgent","enum":["LOW","HIGH"]},
		"mood":{"type":"string","enum":["good","bad"]},
		"labels":{"type":"array","items":{"type":"string","enum":["red","blue"]}},
		"count":{"type":"integer"},
		"share":{"type":"number"},
		"open":{"type":"boolean"},
		"due":` + text + `,
		"steps":{"type":"array","items":` + stepSchema + `},
		"next":` + stepSchema + `,
		"Plain":{"type":"integer"}
	},"required":["title","steps"],"additionalProperties":false}`
	if got := tool.SchemaOf[arguments](); !same(t, got, []byte(want)) {
		t.Errorf("\n%s\n%s", got, want)
	}
	const always = `{"type":"object","properties":{"kind":{"type":"string","enum":["work","wait"]},"text":{"type":"string"}},"required":["text"],"additionalProperties":false}`
	if got := string(tool.SchemaOf[step]()); got != always { // the very bytes: prompts are cached by them
		t.Errorf("\n%s\n%s", got, always)
	}
	if got := tool.SchemaOf[struct{}](); string(got) != `{"type":"object","additionalProperties":false}` {
		t.Errorf("no arguments: %s", got)
	}
}

// same compares two JSON values.
func same(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	p, _ := json.Marshal(x) // it was JSON
	q, _ := json.Marshal(y) // it was JSON
	return bytes.Equal(p, q)
}

func TestSchema_ATypeThatIsNoArgument(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(){
		"a map":        func() { tool.SchemaOf[struct{ A map[string]string }]() },
		"an interface": func() { tool.SchemaOf[struct{ A any }]() },
		"a function":   func() { tool.SchemaOf[struct{ A []func() }]() },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it has a schema")
				}
			}()
			make()
		})
	}
}
