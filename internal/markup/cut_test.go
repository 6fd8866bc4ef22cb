package markup_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"chela/internal/markup"
)

func words(prefix string, n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%s%d", prefix, i))
	}
	return strings.Join(out, " ")
}

// TestCut_WhereACutFalls has one case for each rule of where a document is cut.
func TestCut_WhereACutFalls(t *testing.T) {
	t.Parallel()
	first, second := words("first", 12), words("second", 12)
	family := "👩‍👩‍👧‍👦"
	for _, c := range []struct {
		name, in string
		form     markup.Form
		limits   markup.Limits
		want     []string
	}{
		{"between blocks", first + "\n\n" + second, markup.Plain, markup.Limits{Max: 128}, []string{first, second}},
		{
			"before a heading, not after it", first + "\n\n## Head\n\n" + second, markup.DiscordMarkdown,
			markup.Limits{Max: 128},
			[]string{first, "## Head\n\n" + second},
		},
		{
			"headings on headings", first + "\n\n# Head\n\n## Sub\n\n" + second, markup.DiscordMarkdown,
			markup.Limits{Max: 128},
			[]string{first, "# Head\n\n## Sub\n\n" + second},
		},
		{
			"items whole, numbers going on", "7. " + first + "\n8. " + second + "\n9. end", markup.Plain,
			markup.Limits{Max: 128},
			[]string{"7. " + first, "8. " + second + "\n9. end"},
		},
		{
			"an item that is too long", "- " + strings.Repeat("One two three four. ", 8) + "\n- end", markup.TelegramHTML,
			markup.Limits{Max: 128},
			[]string{
				"• " + strings.TrimSpace(strings.Repeat("One two three four. ", 6)),
				strings.TrimSpace(strings.Repeat("One two three four. ", 2)) + "\n• end",
			},
		},
		{
			"rows whole, the head again", "| A | B |\n|---|---|\n" + strings.Repeat("| "+words("w", 10)+" | 1 |\n", 2), markup.DiscordMarkdown,
			markup.Limits{Max: 128},
			[]string{
				"```\nA                             | B\n------------------------------+--\nw0 w1 w2 w3 w4 w5 w6 w7 w8 w9 | 1\n```",
				"```\nA                             | B\n------------------------------+--\nw0 w1 w2 w3 w4 w5 w6 w7 w8 w9 | 1\n```",
			},
		},
		{
			"a fence, at a line, with its language", "```go\n" + strings.Repeat("x := someFunction(argument)\n", 5) + "```", markup.DiscordMarkdown,
			markup.Limits{Max: 128},
			[]string{
				"```go\n" + strings.Repeat("x := someFunction(argument)\n", 4) + "```",
				"```go\nx := someFunction(argument)\n```",
			},
		},
		{
			"marks closed and opened", "**" + strings.Repeat("bold words ", 19) + "bold words**", markup.TelegramHTML,
			markup.Limits{Max: 128},
			[]string{"<b>" + strings.TrimSpace(strings.Repeat("bold words ", 11)) + " bold</b>", "<b>words " + strings.TrimSpace(strings.Repeat("bold words ", 8)) + "</b>"},
		},
		{
			"never in an entity", strings.Repeat("&lt;", 200), markup.SlackMrkdwn,
			markup.Limits{Max: 128},
			[]string{strings.Repeat("&lt;", 32), strings.Repeat("&lt;", 32), strings.Repeat("&lt;", 32), strings.Repeat("&lt;", 32), strings.Repeat("&lt;", 32), strings.Repeat("&lt;", 32), strings.Repeat("&lt;", 8)},
		},
		{
			"entities count once for Telegram", strings.Repeat("&lt;", 200), markup.TelegramHTML,
			markup.Limits{Max: 128},
			[]string{strings.Repeat("&lt;", 128), strings.Repeat("&lt;", 72)},
		},
		{
			"between characters as people see them", strings.Repeat(family, 20), markup.Plain,
			markup.Limits{Max: 128},
			[]string{strings.Repeat(family, 11), strings.Repeat(family, 9)},
		},
		{
			"never in a pair of surrogates", strings.Repeat("𝄞", 65), markup.Plain,
			markup.Limits{Max: 129},
			[]string{strings.Repeat("𝄞", 64), "𝄞"},
		},
		{
			"never in a link", first + " [" + words("label", 4) + "](https://example.com/some/where)", markup.DiscordMarkdown,
			markup.Limits{Max: 128},
			[]string{first, "[" + words("label", 4) + "](https://example.com/some/where)"},
		},
		{
			"a link that fits nowhere is spelled out", "[here](https://example.com/" + strings.Repeat("x", 110) + ")", markup.TelegramHTML,
			markup.Limits{Max: 128, Unit: markup.Bytes},
			[]string{`<a href="https://example.com/` + strings.Repeat("x", 110) + `">here</a>`},
		},
		{
			"and where the address counts, cut", "[here](https://example.com/" + strings.Repeat("x", 110) + ")", markup.SlackMrkdwn,
			markup.Limits{Max: 128, Unit: markup.Bytes},
			[]string{"here (https://example.com/" + strings.Repeat("x", 102), strings.Repeat("x", 8) + ")"},
		},
		{
			"after a sentence without spaces", strings.Repeat("漢", 70) + "。" + strings.Repeat("字", 60), markup.WhatsApp,
			markup.Limits{Max: 128},
			[]string{strings.Repeat("漢", 70) + "。", strings.Repeat("字", 60)},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, markup.Parts(c.in, c.form, c.limits)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestCut_TheHeadOfATable is the head on each part, and only where rows stay whole with it.
func TestCut_TheHeadOfATable(t *testing.T) {
	t.Parallel()
	source := "| Name | Size |\n|---|---|\n"
	for i := range 20 {
		source += fmt.Sprintf("| entry %d | %d |\n", i, i*100)
	}
	for _, f := range forms {
		row := 0
		for _, p := range markup.Parts(source, f.form, markup.Limits{Max: 128}) {
			if !strings.Contains(strings.SplitN(strings.TrimPrefix(p, "```\n"), "\n", 2)[0], "Name") {
				t.Errorf("%s: a part without the head:\n%s", f.name, p)
			}
			for range strings.Count(p, "entry") {
				if !regexp.MustCompile(fmt.Sprintf(`(?m)entry %d +\| +%d(  )?$|entry %d +\| +%d</pre>`, row, row*100, row, row*100)).MatchString(p) {
					t.Errorf("%s: row %d is not whole in:\n%s", f.name, row, p)
				}
				row++
			}
		}
		if row != 20 {
			t.Errorf("%s: %d of 20 rows", f.name, row)
		}
	}
}

// TestCut_EveryWordArrives numbers the words of a document and looks for them in the messages:
// what is shown does not rest on this package's own reading of Markdown.
func TestCut_EveryWordArrives(t *testing.T) {
	t.Parallel()
	number := regexp.MustCompile(`w\d+w`)
	rapid.Check(t, func(t *rapid.T) {
		n := 0
		word := func() string {
			n++
			return fmt.Sprintf("w%dw", n)
		}
		line := func(t *rapid.T) string {
			var out []string
			for range rapid.IntRange(1, 30).Draw(t, "words") {
				w := rapid.SampledFrom([]string{"%s", "%s", "%s", "**%s**", "*%s*", "~~%s~~", "`%s`", "[%s](https://example.com)", "![%s](https://example.com)", "<i>%s</i>", "(%s)", "\\*%s\\*", "[%s](javascript:x)"}).Draw(t, "word")
				out = append(out, fmt.Sprintf(w, word()))
			}
			return strings.Join(out, " ")
		}
		var b strings.Builder
		for range rapid.IntRange(1, 8).Draw(t, "blocks") {
			switch rapid.IntRange(0, 6).Draw(t, "kind") {
			case 0:
				b.WriteString("## " + line(t))
			case 1:
				b.WriteString("- " + line(t) + "\n- " + line(t) + "\n  1. " + line(t))
			case 2:
				b.WriteString("> " + line(t) + "\n> " + line(t))
			case 3:
				b.WriteString("```go\n" + line(t) + "\n\n" + line(t) + "\n```")
			case 4:
				b.WriteString("| " + word() + " | " + word() + " |\n|---|---|\n| " + line(t) + " | " + line(t) + " |\n| " + line(t) + " | " + word() + " |")
			default:
				b.WriteString(line(t) + "\n" + line(t) + "  \n" + line(t))
			}
			b.WriteString("\n\n")
		}
		l := limits().Draw(t, "limits")
		for _, f := range forms {
			next := 1
			for _, w := range number.FindAllString(strings.Join(markup.Parts(b.String(), f.form, l), "\n"), -1) {
				if w == fmt.Sprintf("w%dw", next) {
					next++
				}
			}
			if next != n+1 {
				t.Fatalf("%s: word %d of %d did not arrive in order", f.name, next, n)
			}
		}
	})
}

// TestCut_Hostile gives Parts what makes parsers slow or wrong. Anything but seconds would be the
// test's own deadline.
func TestCut_Hostile(t *testing.T) {
	t.Parallel()
	const size, some = 1 << 20, 1 << 18
	nested := ""
	for i := range 500 {
		nested += strings.Repeat("  ", i) + "- item\n"
	}
	ragged := strings.Repeat("|a", 2000) + "\n" + strings.Repeat("|-", 2000) + "\n" + strings.Repeat("|b\n", 2000)
	cases := map[string]string{
		"one line": strings.Repeat("word ", size/5), "one word": strings.Repeat("a", size), "one mark": "e" + strings.Repeat("\u0301", some/2),
		"quotes": strings.Repeat(">", some) + "a", "items": strings.Repeat("- ", some/2) + "a", "both": strings.Repeat("> - ", some/4) + "a",
		"numbers": strings.Repeat("1. ", some/3) + "a", "nested": nested, "brackets": strings.Repeat("[", some), "stars": strings.Repeat("*a ", some/3),
		"links": strings.Repeat("[a](", some/4), "ticks": strings.Repeat("`a", some/2), "ragged": ragged, "wide": "|a|\n|-|\n|" + strings.Repeat("x", some/4) + "|\n" + strings.Repeat("|b|\n", 10000),
		"open fence": "```go\n" + strings.Repeat("x\n", some/2), "blank": strings.Repeat(" \n", some/2), "nul": strings.Repeat("\x00", some) + "a",
		"half surrogates": strings.Repeat("\xed\xa0\x80\xed\xb0\x80 ", some/7), "right to left": strings.Repeat("\u202eمرحبا ", some/14),
		"entities": strings.Repeat("&amp;", some/5), "long link": "[a](https://e.x/" + strings.Repeat("x", some) + ")", "tags": strings.Repeat("<b>", some/3),
	}
	for name, source := range cases {
		t.Run(name, func(t *testing.T) {
			for _, f := range []struct {
				form markup.Form
				l    markup.Limits
			}{{markup.TelegramHTML, markup.TelegramText()}, {markup.DiscordMarkdown, markup.DiscordText()}} {
				for i, p := range markup.Parts(source, f.form, f.l) {
					if got := size16(p, f.form); got > f.l.Max || strings.TrimSpace(p) == "" || !utf8.ValidString(p) || strings.ContainsAny(p, "\x00\x07\x1b") {
						t.Fatalf("part %d of %d units: %.80q", i, got, p)
					}
					if why := valid(p, f.form); why != "" {
						t.Fatalf("part %d: %s: %.80q", i, why, p)
					}
				}
			}
		})
	}
}

func size16(s string, form markup.Form) int { return size(s, form, markup.UTF16) }

func TestCut_NothingHasNoParts(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", " \n\t\n", "\x00\x07", "\u200b\u202e", "```\n\n```", "[x]: https://example.com", "> \n> ", "#"} {
		for _, f := range forms {
			if parts := markup.Parts(s, f.form, f.limits); len(parts) > 0 {
				t.Errorf("%q as %s: %q", s, f.name, parts)
			}
		}
	}
}

// TestCut_EveryLimit cuts a long answer to each limit that a platform documents, and no message
// is half empty.
func TestCut_EveryLimit(t *testing.T) {
	t.Parallel()
	source := ""
	for i := range 400 {
		source += fmt.Sprintf("## Part %d\n\n%s **bold** & `code`.\n\n- %s\n- 𝄞\n\n", i, words("word", 40), words("item", 9))
	}
	for _, c := range []struct {
		form   markup.Form
		limits markup.Limits
	}{
		{markup.TelegramHTML, markup.TelegramText()},
		{markup.TelegramHTML, markup.TelegramCaption()},
		{markup.SlackMrkdwn, markup.SlackText()},
		{markup.SlackMrkdwn, markup.SlackLongest()},
		{markup.SlackMrkdwn, markup.SlackSection()},
		{markup.DiscordMarkdown, markup.DiscordText()},
		{markup.WhatsApp, markup.WhatsAppText()},
		{markup.DingTalkMarkdown, markup.DingTalkText()},
	} {
		check(t, source, c.form, c.limits)
		parts := markup.Parts(source, c.form, c.limits)
		for i, p := range parts[:len(parts)-1] {
			if got := size(p, c.form, c.limits.Unit); got < c.limits.Max/2 {
				t.Errorf("form %d, part %d of %d holds %d of %v: blocks are small enough for more", c.form, i, len(parts), got, c.limits)
			}
		}
	}
}

func BenchmarkParts(b *testing.B) {
	var doc strings.Builder
	for i := range 200 {
		fmt.Fprintf(&doc, "## Section %d\n\nSome **bold** and *italic* prose with `code` and a [link](https://example.com/%d). %s\n\n- one\n- two\n\n```go\nfunc f%d() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n", i, i, words("word", 40), i)
	}
	for _, f := range forms {
		b.Run(f.name, func(b *testing.B) {
			b.SetBytes(int64(doc.Len()))
			n := 0
			for b.Loop() {
				n = len(markup.Parts(doc.String(), f.form, f.limits))
			}
			b.ReportMetric(float64(n), "parts")
		})
	}
}
