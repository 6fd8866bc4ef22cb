package terminal_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"chela/internal/cli/terminal"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"plain text":         {"a\tb\nc", "a\tb\nc"},
		"lines of Windows":   {"a\r\nb", "a\nb"},
		"an escape":          {"a\x1b[2Jb", "a␛[2Jb"},
		"a carriage return":  {"safe\rrm -rf", "safe␍rm -rf"},
		"a C1 control":       {"a\u009b2Jb", "a�2Jb"},
		"an override":        {"a\u202eb", "a�b"},
		"an isolate":         {"a\u2066b", "a�b"},
		"a zero width space": {"pass\u200bword", "pass�word"},
		"a tag":              {"a\U000e0041b", "a�b"},
		"a filler":           {"a\u3164b", "a�b"},
		"a joined emoji":     {"👩\u200d💻", "👩\u200d💻"},
		"a joiner in Latin":  {"pass\u200dword", "pass�word"},
		"no UTF-8":           {"a\xffb", "a�b"},
	} {
		if got := terminal.Clean(c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\u202e\x1b]0;x\x07 b")
	f.Add("👩\u200d💻 \U000e0041")
	f.Fuzz(func(t *testing.T, text string) {
		got := terminal.Clean(text)
		if strings.ContainsFunc(got, func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\t' || r == 0x202e || r == 0x2066 || r == 0x200b
		}) {
			t.Errorf("%q is still %q", text, got)
		}
		if again := terminal.Clean(got); again != got {
			t.Errorf("cleaned twice: got %q, want %q", again, got)
		}
		raw, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		var was, is map[string]string
		if err := json.Unmarshal(raw, &was); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(terminal.CleanJSON(raw), &is); err != nil || !reflect.DeepEqual(was, is) {
			t.Errorf("the document of %q says %q (%v), want %q", text, is, err, was)
		}
	})
}
