package markup_test

import (
	"encoding/xml"
	"errors"
	"html"
	"io"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"chela/internal/markup"
)

// size counts as the platform does: for Telegram what is left after entities are parsed.
func size(s string, form markup.Form, u markup.Unit) int {
	if form == markup.TelegramHTML {
		s = html.UnescapeString(tags.ReplaceAllString(s, ""))
	}
	switch u {
	case markup.Bytes:
		return len(s)
	case markup.Runes:
		return utf8.RuneCountInString(s)
	default:
		return len(utf16.Encode([]rune(s)))
	}
}

var (
	tags       = regexp.MustCompile(`<[^>]*>`)
	anchors    = regexp.MustCompile(`<a href="([^"]*)">([^<]*)</a>`)
	slackLinks = regexp.MustCompile(`<([^|>]*)(?:\|([^>]*))?>`)
	links      = regexp.MustCompile(`\[((?:\\.|[^\[\]\\])*)\]\((https?:[^)\s]*|mailto:[^)\s]*)\)`)
	quotes     = regexp.MustCompile(`(?m)^> `)
	fences     = regexp.MustCompile("(?m)^```[a-zA-Z0-9+#_.-]*$")
	// escapes are those that addresses get; the text of a link is not written so.
	escapes = strings.NewReplacer("%28", "", "%29", "", "%3C", "", "%3E", "", "%22", "", "%7C", "", "%20", "", "%60", "", "%5C", "", "%7B", "", "%7D", "", "%40", "@")
)

// once returns a link's text and its address, once if they are the same.
func once(label, target string) string {
	if decoded, err := url.PathUnescape(target); err == nil {
		target = decoded
	}
	if a, b := bare(escapes.Replace(label)), bare(target); a == b || "http:"+"//"+a == b {
		return label
	}
	return label + " " + target
}

// bare returns text without white space, what cannot be seen, and the characters that are
// marks in some form.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsGraphic(r) || strings.ContainsRune("\\*_~`><|#()[]-+={}\"", r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(s, "mailto:", ""))
}

// ink returns what people see of a message, bare: it must be there once, in order.
func ink(s string, form markup.Form) string {
	switch form {
	case markup.TelegramHTML:
		s = html.UnescapeString(tags.ReplaceAllString(anchors.ReplaceAllString(s, "$2 $1"), ""))
	case markup.SlackMrkdwn:
		s = slackLinks.ReplaceAllStringFunc(fences.ReplaceAllString(s, ""), func(link string) string {
			m := slackLinks.FindStringSubmatch(link)
			return html.EscapeString(once(html.UnescapeString(m[2]), html.UnescapeString(m[1])))
		})
		s = html.UnescapeString(s)
	case markup.DiscordMarkdown, markup.DingTalkMarkdown:
		s = links.ReplaceAllStringFunc(fences.ReplaceAllString(s, ""), func(link string) string {
			m := links.FindStringSubmatch(link)
			return once(m[1], m[2])
		})
	case markup.Plain:
	case markup.WhatsApp:
		s = fences.ReplaceAllString(s, "")
	}
	return bare(escapes.Replace(s))
}

// valid reports what is wrong with a message in its form.
func valid(s string, form markup.Form) string {
	switch form {
	case markup.TelegramHTML:
		d := xml.NewDecoder(strings.NewReader("<m>" + s + "</m>"))
		var open []string
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return ""
			}
			if err != nil {
				return err.Error()
			}
			switch token := token.(type) {
			case xml.StartElement:
				if why := nests(open, token); why != "" {
					return why
				}
				open = append(open, token.Name.Local)
			case xml.EndElement:
				open = open[:len(open)-1]
			}
		}
	case markup.SlackMrkdwn:
		if strings.ContainsAny(slackLinks.ReplaceAllString(quotes.ReplaceAllString(s, ""), ""), "<>") {
			return "a bare < or >"
		}
		return fenced(s)
	case markup.DiscordMarkdown:
		if strings.Contains(s, "@everyone") || strings.Contains(s, "@here") || strings.Contains(s, "<@") {
			return "it calls on people"
		}
		return fenced(s)
	case markup.WhatsApp:
		return fenced(s)
	case markup.DingTalkMarkdown, markup.Plain:
	}
	return ""
}

func fenced(s string) string {
	if strings.Count(s, "```")%2 != 0 {
		return "an open fence"
	}
	return ""
}

// nests applies the Bot API's rules of what may be in what.
func nests(open []string, e xml.StartElement) string {
	name := e.Name.Local
	if !strings.Contains(" m b i s a code pre blockquote ", " "+name+" ") {
		return name + " is not a tag"
	}
	for i, o := range open {
		switch {
		case o == name:
			return name + " in itself"
		case o == "code", o == "pre" && (name != "code" || i != len(open)-1), o == "a" && name != "b":
			return name + " in " + o
		case (o == "b" || o == "i" || o == "s") && (name == "code" || name == "pre" || name == "blockquote"):
			return name + " in " + o
		}
	}
	return ""
}

// check holds the promises of Parts for one document.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, markdown string, form markup.Form, l markup.Limits,
) {
	t.Helper()
	whole := markup.Parts(markdown, form, markup.Limits{Max: 1 << 30, Unit: l.Unit})
	parts := markup.Parts(markdown, form, l)
	if len(whole) > 1 || (len(whole) == 0) != (len(parts) == 0) {
		t.Fatalf("%d parts without a limit, %d with one", len(whole), len(parts))
	}
	if len(whole) == 0 {
		return
	}
	for i, p := range parts {
		switch {
		case !utf8.ValidString(p):
			t.Fatalf("part %d is not UTF-8: %q", i, p)
		case strings.IndexFunc(p, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }) < 0:
			t.Fatalf("part %d of %d shows nothing: %q", i, len(parts), p)
		case size(p, form, l.Unit) > l.Max:
			t.Fatalf("part %d has %d of %d: %q", i, size(p, form, l.Unit), l.Max, p)
		}
		if why := valid(p, form); why != "" {
			t.Fatalf("part %d is not valid, %s: %q", i, why, p)
		}
	}
	want, got := ink(whole[0], form), ink(strings.Join(parts, "\n"), form)
	if strings.Contains(markdown, "|") { // the heads of tables may be shown again
		if !within(want, got) {
			t.Fatalf("lost:\nwant %q\n got %q\nparts %q", want, got, parts)
		}
		return
	}
	if want != got {
		t.Fatalf("not the same:\nwant %q\n got %q\nparts %q", want, got, parts)
	}
}

// within reports whether the runes of s are in t in order.
func within(s, t string) bool {
	for _, r := range s {
		i := strings.IndexRune(t, r)
		if i < 0 {
			return false
		}
		t = t[i+utf8.RuneLen(r):]
	}
	return true
}

func limits() *rapid.Generator[markup.Limits] {
	return rapid.Custom(func(t *rapid.T) markup.Limits {
		return markup.Limits{
			Max:  rapid.OneOf(rapid.IntRange(markup.Minimum, markup.Minimum+40), rapid.IntRange(markup.Minimum, 4096)).Draw(t, "max"),
			Unit: rapid.SampledFrom([]markup.Unit{markup.UTF16, markup.Runes, markup.Bytes}).Draw(t, "unit"),
		}
	})
}

func TestParts_HoldTheDocument(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		markdown := documents().Draw(t, "markdown")
		l := limits().Draw(t, "limits")
		for _, f := range forms {
			check(t, markdown, f.form, l)
		}
	})
}

// documents returns Markdown of the kinds that models write, and broken pieces of it.
func documents() *rapid.Generator[string] {
	words := rapid.SampledFrom([]string{
		"word", "longer", "a", "sentence.", "Ends!", "snake_case", "2 * 3", "<b>", "&amp;", "&lt;", "日本語の文章。", "مرحبا", "e\u0301\u0302",
		"👩‍👩‍👧‍👦", "🇩🇪🇫🇷", "👍🏽", "क्षि", "각", "**bold**", "*it*", "***both***", "~~gone~~", "`code`", "``a`b``", "**b *i* b**",
		"[link](https://example.com/a_(b)?c=d&e)", "[x.com](https://evil.example)", "[j](javascript:x)", "<https://example.com>",
		"https://example.com/" + strings.Repeat("long", 30), "![p](http://e.x/p)", "@everyone", "<@1>", "\\*", "*", "_", "`", "~", "[", "]", "|", "\\", ">", "#",
		strings.Repeat("unbroken", 30), strings.Repeat("漢字", 40), "e" + strings.Repeat("\u0301", 90), "\x00", "\xed\xa0\x80", "\u202e", "a@b.example",
		"[" + strings.Repeat("long label ", 20) + "](https://example.com)", "@here", "https://e.x/@everyone", "[l](https://u@e.x/@here)", "``", "```",
	})
	line := rapid.Map(rapid.SliceOfN(words, 1, 25), func(w []string) string { return strings.Join(w, " ") })
	tight := rapid.Map(rapid.SliceOfN(words, 1, 6), func(w []string) string { return strings.Join(w, "") })
	prefix := rapid.SampledFrom([]string{"", "", "", "# ", "###### ", "- ", "  - ", "    - ", "1. ", "999999999. ", "> ", "> > ", "- [ ] ", "    ", "\t", "| ", "```", "```go ", "~~~", "---"})
	table := rapid.Map(rapid.SliceOfN(line, 2, 8), func(rows []string) string {
		out := "| head | top |\n|---|:-:|\n"
		for _, r := range rows {
			out += "| " + strings.ReplaceAll(r, "|", `\|`) + " | cell |\n"
		}
		return out
	})
	fence := rapid.Map(rapid.SliceOfN(line, 1, 8), func(rows []string) string {
		return "```go\n" + strings.Join(rows, "\n") + "\n```\n"
	})
	marked := rapid.Custom(func(t *rapid.T) string {
		return prefix.Draw(t, "prefix") + rapid.OneOf(line, tight).Draw(t, "line")
	})
	blocks := rapid.SliceOfN(rapid.OneOf(marked, marked, marked, table, fence), 1, 14)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(blocks.Draw(t, "blocks"), rapid.SampledFrom([]string{"\n", "\n\n", "\r\n"}).Draw(t, "break"))
	})
}

func FuzzParts(f *testing.F) {
	for _, s := range []string{
		"# a\n\nb **c** `d`\n\n```go\nx\n```\n", "| a | b |\n|---|---|\n| c | d |\n", "> - 1. a\n>   - b", "[a](b \"c\") ![d](<e f>) <g@h.i>",
		"\x00\xff\xed\xa0\x80\u202e", "```\nopen", "&#0; &#x110000; &#xd800;", "- \n- - -\n\n***", "a\\\nb  \nc", "~~~\n```\n~~~",
	} {
		f.Add(s, uint16(markup.Minimum), uint8(0))
	}
	f.Fuzz(func(t *testing.T, markdown string, limit uint16, unit uint8) {
		l := markup.Limits{Max: max(int(limit), markup.Minimum), Unit: markup.Unit(unit % 3)}
		for _, form := range forms {
			check(t, markdown, form.form, l)
		}
	})
}
