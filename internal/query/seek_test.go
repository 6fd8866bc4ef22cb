package query_test

import (
	"fmt"
	"strings"
	"testing"

	"chela/internal/fault"
	"chela/internal/query"
)

func words(text string) (out []string) {
	for _, w := range query.Words(text) {
		out = append(out, w.Text)
	}
	return out
}

func TestSeek_Words(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                             "[]",
		"Retry the PAY-201 (v2.5)!":    "[retry the pay 201 v2 5]",
		"don't IN_PROGRESS":            "[don t in progress]",
		"ÄRGER Straße e\u0301te\u0301": "[ärger straße e\u0301te\u0301]",
		"支払いx2":                        "[支 払 い x2]",
		"a\x00b\xffc":                  "[a b c]",
		"' OR 1=1 --":                  "[or 1 1]",
		strings.Repeat("ä", 200):       "[" + strings.Repeat("ä", 48) + "]",
	} {
		if got := fmt.Sprint(words(in)); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func marked(parts []query.Part) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Hit {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestSeek_Snippets(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("filler ", 40)
	for name, c := range map[string]struct {
		look     string
		passages []string
		want     string
	}{
		"words, the last by its beginning": {"payments ret", []string{"Payments: we RETRY, return and re-try"}, "[Payments]: we [RETRY], [return] and re-try"},
		"a word before the last is whole":  {"pay retry", []string{"payments retry"}, "payments [retry]"},
		"most words win":                   {"we retry", []string{"retry", "we retry", "we retry again"}, "[we] [retry]"},
		"nothing":                          {"x", []string{"a", ""}, ""},
		"a long text":                      {"needle", []string{long + "the needle here " + long}, "…filler filler filler filler filler filler filler the [needle] here " + strings.TrimSpace(strings.Repeat("filler ", 16)) + " …"},
		"not Latin":                        {"払", []string{"支払い"}, "支[払]い"},
		"no HTML":                          {"b", []string{"<b>&"}, "<[b]>&"},
	} {
		s, err := query.Seek(c.look)
		if err != nil {
			t.Fatal(err)
		}
		if got := marked(s.Snippet(c.passages)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for _, in := range []string{"", " ", "!!", strings.TrimSpace(func() (s string) {
		for i := range 21 {
			s += fmt.Sprintf("w%d ", i)
		}
		return s
	}())} {
		if _, err := query.Seek(in); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// FuzzSeek holds that what was typed is found in itself, and that a marked text is the
// text.
func FuzzSeek(f *testing.F) {
	for _, in := range []string{"retry the payment", "支払い", `" OR *`, "İstanbul", "a\xffb", strings.Repeat("long ", 100)} {
		f.Add(in, in)
	}
	f.Fuzz(func(t *testing.T, look, text string) {
		s, err := query.Seek(look)
		if err != nil {
			return
		}
		var whole strings.Builder
		for _, p := range s.Mark(text) {
			whole.WriteString(p.Text)
		}
		if whole.String() != text {
			t.Errorf("%q marked is %q", text, whole.String())
		}
		s.Snippet([]string{text, text + look})
		if len(s.Snippet([]string{look})) == 0 {
			t.Errorf("%q is not found in itself", look)
		}
		for _, w := range s.Words {
			if len(words(w)) != 1 && len(w) < 90 {
				t.Errorf("the word %q of %q is not one word", w, look)
			}
		}
	})
}
