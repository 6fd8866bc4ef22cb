package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/tool"
)

// TestBroken_SaysWhatIsWrong holds that arguments which could not be read are told as such, where they break.
func TestBroken_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sent, want string }{
		"cut off":           {`{"path": "a.txt", "content": "the beginn`, `They end in the middle, after 40 bytes: "{\"path\"`},
		"a bare quote":      {`{"title": "say "hi""}`, `They are no JSON, and cannot be read at byte 17, where "{\"title\": \"say \"h" ends`},
		"twice":             {`{"title": "a"}{"title": "b"}`, `more than one object: after the first comes "{\"title\": \"b\"}"`},
		"quoted once more":  {`{"title": "a"}`, "an object that is written as a text"},
		"words":             {`make a ticket`, `a text and no object: "make a ticket"`},
		"left out by us":    {`400000 bytes were left out: the arguments were too long to be kept`, "400000 bytes were left out"},
		"a long end is cut": {`{"content": "` + strings.Repeat("ü", 90), `"…ü`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := json.Marshal(c.sent)
			if err != nil {
				t.Fatal(err)
			}
			var got []arguments
			_, err = catch(&got).Call(t.Context(), tool.Call{Args: raw})
			if text := fault.TextOf(err); fault.KindOf(err) != fault.Invalid || !strings.HasPrefix(text, "The arguments of make_thing do not fit: ") || !strings.Contains(text, c.want) || len(got) > 0 {
				t.Errorf("it says %q, want %q; called with %v", text, c.want, got)
			}
		})
	}
	for _, fine := range []string{``, `{}`, `{"title":"a"}`, `[1]`, `7`} {
		if err := tool.Broken("make_thing", json.RawMessage(fine)); err != nil {
			t.Errorf("%s: %v", fine, err)
		}
	}
}
