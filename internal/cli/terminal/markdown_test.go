package terminal

import (
	"strings"
	"testing"
	"unicode"

	"chela/internal/stream"
)

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"text":     {"Some **bold**, *soft* and `code`\nin a line.", "Some bold, soft and code in\na line."},
		"headings": {"# One\n\ntext\n## Two", "# One\n\ntext\n\n## Two"},
		"lists":    {"- a\n- b\n  1. c\n  2. d\n", "• a\n• b\n  1. c\n  2. d"},
		"code":     {"```go\nif a {\n\tb()\n}\n```\nafter", "    if a {\n        b()\n    }\n\nafter"},
		"quotes":   {"> a\n> b\n>\n> c", "│ a b\n│ \n│ c"},
		"links":    {"[the page](https://a.example/x) <https://b.example>", "the page\n(https://a.example/x)\nhttps://b.example"},
		"tables":   {"| a | long |\n|---|---|\n| bbb | c |", "a    long\nbbb  c"},
		"html":     {"<b>a</b>\n\n<script>\nx()\n</script>", "<b>a</b>\n\n<script>\nx()\n</script>"},
		"escapes":  {`2 \* 3 &#27;[2J`, `2 * 3 &#27;[2J`},
		"wrapped":  {"one two three four five six seven eight nine ten", "one two three four five six\nseven eight nine ten"},
		"control":  {"a\x1b[31mred\x1b[0m\u202eback", "a␛[31mred␛[0m�back"},
		"unclosed": {"An **answer that `comes", "An **answer that `comes"},
		"rule":     {"a\n\n---\n\nb", "a\n\n" + strings.Repeat("─", 28) + "\n\nb"},
	} {
		if got := markdown(c.in, 28, look{}); got != c.want {
			t.Errorf("%s: %q\ngives %q\nwant  %q", name, c.in, got, c.want)
		}
	}
	if got := markdown(strings.Repeat(">", 1000)+"a", 28, look{}); got != strings.Repeat("│ ", deepest)+"a" {
		t.Errorf("deep quotes: %q", got)
	}
	if got := markdown("a **b**", 40, coloured()); got != "a \x1b[1mb\x1b[m" {
		t.Errorf("%q", got)
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("# a\n\n- b\n\n| a |\n|---|\n| b |\n\n> c\n\n```\nd\n")
	f.Add("\x1b]0;title\x07 \u009b31m [a](\x1b) ![b](c)\n***\n1. x\n")
	f.Fuzz(func(t *testing.T, in string) {
		for _, width := range []int{0, 30} {
			for _, r := range markdown(in, width, look{}) {
				if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
					t.Fatalf("%q shows %q", in, r)
				}
			}
		}
	})
}

func FuzzPath(f *testing.F) {
	f.Add("file:///a%00b")
	f.Add(`'/a b'`)
	f.Add(`/a\`)
	f.Fuzz(func(t *testing.T, in string) {
		if got := pathIn(in); got != "" && got[0] != '/' {
			t.Errorf("%q gives %q", in, got)
		}
	})
}

func TestMarkdown_ADraftGrows(t *testing.T) {
	t.Parallel()
	var d draft
	for _, c := range []struct {
		tick stream.Tick
		want string
	}{
		{stream.Tick{Run: "r", Kind: "delta", Text: "It is "}, "It is "},
		{stream.Tick{Run: "r", Kind: "delta", Text: "is half", At: 3}, "It is half"},
		{stream.Tick{Run: "r", Kind: "delta", Text: "done.", At: 12}, "It is half … done."},
		{stream.Tick{Run: "r", Kind: "phase", Text: "x"}, "It is half … done."},
		{stream.Tick{Run: "r", Kind: "tool", Text: "look"}, "It is half … done."},
		{stream.Tick{Run: "r", Kind: "delta", Text: "Anew"}, "Anew"},
		{stream.Tick{Run: "r2", Kind: "delta", Text: "Other", At: 0}, "Other"},
	} {
		if d = d.take(c.tick); d.text != c.want {
			t.Errorf("after %+v it is %q, want %q", c.tick, d.text, c.want)
		}
	}
}
