package confusable_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"chela/internal/confusable"
)

func TestReveal_WhatCannotBeSeen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want, says string }{
		{"rm\u200b -rf", "rm⟨U+200B⟩ -rf", "invisible characters"},
		{"a\u00adb", "a⟨U+00AD⟩b", "invisible characters"},
		{"\ufeffls", "⟨U+FEFF⟩ls", "invisible characters"},
		{"a\u2060b", "a⟨U+2060⟩b", "invisible"},
		{"a\u200cb", "a⟨U+200C⟩b", "invisible"},
		{"a\u200db", "a⟨U+200D⟩b", "invisible"},
		{"x\u3164y", "x⟨U+3164⟩y", "invisible"},
		{"x\u2800y", "x⟨U+2800⟩y", "invisible"},
		{"x\ue000y", "x⟨U+E000⟩y", "invisible"},
		{"\u202etxt.exe", "⟨U+202E⟩txt.exe", "direction"},
		{"a\u2066b\u2069", "a⟨U+2066⟩b⟨U+2069⟩", "direction"},
		{"a\u200fb\u061c", "a⟨U+200F⟩b⟨U+061C⟩", "direction"},
		{"hi\U000e0068\U000e0069", "hi⟨U+E0068⟩⟨U+E0069⟩", "tag characters"},
		{"a\ufe00b", "a⟨U+FE00⟩b", "variation selectors"},
		{"a\ufe0fb", "a⟨U+FE0F⟩b", "variation selectors"},
		{"a\U000e0100b", "a⟨U+E0100⟩b", "variation selectors"},
		{"rm\u00a0-rf", "rm⟨U+00A0⟩-rf", "spaces"},
		{"a\u2003b\u3000c", "a⟨U+2003⟩b⟨U+3000⟩c", "spaces"},
		{"a\x1b[2Kb", "a⟨U+001B⟩[2Kb", "control characters"},
		{"a\x00b\x7f\u0085", "a⟨U+0000⟩b⟨U+007F⟩⟨U+0085⟩", "control"},
		{"a\u2028b", "a⟨U+2028⟩b", "control"},
		{"evil\rgood", "evil⟨CR⟩good", "carriage returns"},
		{"a\xffb", "a⟨byte FF⟩b", "no characters"},
		{"p\u0430ypal", "p⟨U+0430⟩ypal", "look like Latin"},
		{"gіthub.com", "g⟨U+0456⟩thub.com", "look like Latin"},
		{"g\u03bfogle", "g⟨U+03BF⟩ogle", "look like Latin"},
		{"сор.com", "⟨U+0441⟩⟨U+043E⟩⟨U+0440⟩.com", "look like Latin"},
		{"ls ѕесре", "ls ⟨U+0455⟩⟨U+0435⟩⟨U+0441⟩⟨U+0440⟩⟨U+0435⟩", "look like Latin"},
		{"rm／x", "rm⟨U+FF0F⟩x", "look like Latin"},
		{"a；b", "a⟨U+FF1B⟩b", "look like Latin"},
		{"ｒm x", "⟨U+FF52⟩m x", "look like Latin"},
		{"𝐫m x", "⟨U+1D42B⟩m x", "look like Latin"},
		{"rm \u2010rf", "rm ⟨U+2010⟩rf", "look like Latin"},
		{"⟨U+200B⟩", "⟨U+27E8⟩U+200B⟨U+27E9⟩", "look like Latin"},
		{"a" + strings.Repeat("\u0301", 6), "a" + strings.Repeat("\u0301", 4) + "⟨U+0301⟩⟨U+0301⟩", "many marks"},
	} {
		if got := confusable.Reveal(c.text); got != c.want {
			t.Errorf("%+q is shown as %q, want %q", c.text, got, c.want)
		}
		says := confusable.Describe(c.text)
		if len(says) == 0 || !strings.Contains(strings.Join(says, "\n"), c.says) {
			t.Errorf("%+q: it says %q, want %q", c.text, says, c.says)
		}
		for _, s := range says {
			if !strings.HasSuffix(s, ".") || !strings.HasPrefix(s, "It has ") {
				t.Errorf("%q is no sentence", s)
			}
		}
	}
}

func TestReveal_OrdinaryTextStays(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", "ls -la | head", "a\tb\nc", "a\r\nb\r\n", "Grüße aus Köln, café, naïve, Łódź, İstanbul ılık, Ærø, Đà Nẵng", "Привет, мир! Это обычный текст.", "хор", "оса и рак",
		"Καλημέρα κόσμε", "και ναι", "Привет world", "файл main.go и README", "你好，世界！（测试）", "ファイルを開く、コメント。", "안녕하세요", "مرحبا بالعالم", "שלום עולם", "नमस्ते दुनिया क्\u200dष",
		"می\u200cخواهم", "สวัสดีครับ", "Բարեւ աշխարհ", "“quoted” ‘text’ – and — dashes… it’s", "5 × 3 ≤ 20 → ok ✓ ✅ ❌", "👩\u200d💻 ❤️ 👍🏽 🇩🇪 1️⃣", "10 € · 5 kΩ", "¿Qué? ¡Sí!",
		"全角　スペース", "Ⅻ"[:0], "x² + y²", "日本語Ｗｅｂサイト", "Việt Nam", "e\u0301", "ɛ̃", "Kelvin °C",
	} {
		if got := confusable.Reveal(s); got != s {
			t.Errorf("%q is shown as %q", s, got)
		}
		if says := confusable.Describe(s); len(says) > 0 {
			t.Errorf("%q: it says %q", s, says)
		}
	}
}

func FuzzReveal(f *testing.F) {
	for _, s := range []string{"ls", "a\u200bb", "\u202e", "p\u0430y", "a\xff\xfe", "⟨CR⟩", "你好，世界", "👩\u200d💻", "a\r\nb\r", "क्\u200dष", "a\u0301\u0301\u0301\u0301\u0301\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v := confusable.Reveal(s)
		if !utf8.ValidString(v) {
			t.Fatalf("%q is shown as %q, which is no text", s, v)
		}
		if (v == s) != (len(confusable.Describe(s)) == 0) {
			t.Errorf("%q is shown as %q, and it says %q", s, v, confusable.Describe(s))
		}
		for i, r := range v {
			switch {
			case r == '\n' || r == '\t' || r == '\r' && strings.HasPrefix(v[i:], "\r\n"):
			case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200b, r == 0x2060, r == 0xfeff, r >= 0xe0000 && r < 0xe1000, unicode.IsControl(r):
				t.Fatalf("%q is shown with %U", s, r)
			}
		}
	})
}
