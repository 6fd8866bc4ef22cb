package document

import (
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"chela/internal/pattern"
)

var (
	// wholeHTML is a text that is HTML from its first tag to its last.
	wholeHTML = pattern.New(`(?is)^\s*<(?:div|p|ul|ol|table|h[1-6]|span|br|pre|blockquote|html|body|b|strong|em|a|font)\b[^<>]*>.*(?:</[a-z][a-z0-9]*>|<br\s*/?>)\s*$`)
	// inMarkdown are signs that a text with tags in it is Markdown.
	inMarkdown = pattern.New("(?m)^(?:#{1,6} |```|~~~|[-*+] \\[[ xX]\\] )")
)

// proseOf makes Markdown of a cell that is HTML as a whole, as trackers export descriptions; another cell stays.
func proseOf(cell string) string {
	if len(cell) < 7 || strings.IndexByte(cell, '<') < 0 || !wholeHTML.MatchString(cell) || inMarkdown.MatchString(cell) {
		return cell
	}
	return richText(cell)
}

// richText makes Markdown of HTML. One that is nested too deeply or too large to convert with its structure is read tag by tag.
func richText(text string) string {
	if !strings.ContainsAny(text, "<&") {
		return strings.TrimSpace(text)
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil || len(text) > maxMarkup || strings.Count(text, "[") > maxBrackets {
		return markdownOf(text)
	}
	walk(root, func(n *html.Node) { // what a browser would run is no text, and an address that it would run is none
		n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool {
			return (a.Key == "href" || a.Key == "src") && !opened(a.Val)
		})
		if n.DataAtom == atom.A && attr(n, "href") == "" { // its words are no link
			n.DataAtom, n.Data = atom.Span, "span"
		}
	})
	out, err := converterFor(root, true).ConvertNode(root, converter.WithDomain(""))
	if err != nil {
		return markdownOf(text)
	}
	return strings.TrimSpace(strings.ReplaceAll(string(out), "\u00a0", " "))
}

// opened reports an address that a browser opens without running anything.
func opened(address string) bool {
	scheme, _, ok := strings.Cut(strings.ToLower(strings.TrimSpace(address)), ":")
	return !ok || slices.Contains([]string{"http", "https", "mailto"}, scheme)
}
