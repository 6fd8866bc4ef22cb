package document

import (
	"bytes"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	readability "codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	mdtable "github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	htmlcharset "golang.org/x/net/html/charset"

	"chela/internal/fault"
)

// A Page is a web page as somebody reads it.
type Page struct {
	Title string
	Text  string // Markdown: the article where there is one, else all of the page
	Links []Link // of all of the page, the first 50
}

// A Link leads from a page to another.
type Link struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}

const (
	maxMarkup    = 2 << 20 // bytes that are converted with their structure
	maxBrackets  = 10_000  // each is looked at with all behind it
	maxElements  = 50_000  // beyond, no article is looked for
	leastArticle = 250     // characters; a shorter article is not what the page is about
	maxLinks     = 50
	maxSpanCells = 200     // that one cell covers
	maxPageCells = 200_000 // of the tables of a page
	maxLinkText  = 100
)

// ReadPage reads a web page that came from base with a content type. A page that is nested
// too deeply or too large to look for an article in is read tag by tag.
func ReadPage(raw []byte, contentType string, base *url.URL) (Page, error) {
	text, err := Decode(raw, contentType)
	if err != nil {
		return Page{}, err
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil || len(text) > maxMarkup || strings.Count(text, "[") > maxBrackets { // nested too deeply, or too long to convert
		return Page{Text: markdownOf(text)}, nil
	}
	p := Page{Title: titleOf(root), Links: linksOf(root, base)}
	conv := converterFor(root, false)
	parser := readability.NewParser()
	parser.MaxElemsToParse = maxElements
	article, err := parser.ParseDocument(root, base)
	if err != nil {
		p.Text = markdownOf(text)
		return p, nil
	}
	if article.Node != nil {
		p.Text = markdownFrom(conv, article.Node, base)
	}
	if len(p.Text) < leastArticle {
		if whole := markdownFrom(conv, root, base); whole != "" {
			p.Text = whole
		}
	}
	if t := strings.TrimSpace(article.Title()); t != "" {
		p.Title = t
	}
	return p, nil
}

// Decode makes UTF-8 of a text by its marks, its content type, what it declares, and its
// bytes, in this order.
func Decode(raw []byte, contentType string) (string, error) {
	if len(raw) == 0 {
		return "", nil
	}
	r, err := htmlcharset.NewReader(bytes.NewReader(raw), contentType)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "The text is in an encoding that is not known.")
	}
	out, err := io.ReadAll(r)
	if err != nil {
		return "", fault.Wrap(err, fault.Invalid, "The text cannot be decoded.")
	}
	return strings.ToValidUTF8(string(out), "\ufffd"), nil
}

// converterFor returns what makes Markdown of a page, with signs of Markdown in its words marked as words unless
// verbatim. It takes away spans, and leaves tables
// as plain text, that would make more cells than there is room for.
func converterFor(root *html.Node, verbatim bool) *converter.Converter {
	rows, columns, spanned := 0, 0, 0
	walk(root, func(n *html.Node) {
		if n.DataAtom != atom.Tr {
			return
		}
		rows++
		in := 0
		for cell := range n.ChildNodes() {
			if cell.DataAtom != atom.Td && cell.DataAtom != atom.Th {
				continue
			}
			area, wide := covers(cell)
			if spanned += area; area > maxSpanCells || spanned > maxPageCells {
				cell.Attr = slices.DeleteFunc(cell.Attr, func(a html.Attribute) bool { return a.Key == "colspan" || a.Key == "rowspan" })
				wide = 1
			}
			in += wide
		}
		columns = max(columns, in)
	})
	plugins := []converter.Plugin{base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()}
	if rows*columns <= maxPageCells {
		plugins = append(plugins, mdtable.NewTablePlugin())
	}
	if verbatim {
		return converter.NewConverter(converter.WithPlugins(plugins...), converter.WithEscapeMode(converter.EscapeModeDisabled))
	}
	return converter.NewConverter(converter.WithPlugins(plugins...))
}

// covers says how many cells and columns a cell covers; of one that is beyond reason, too many.
func covers(cell *html.Node) (area, wide int) {
	sides := map[string]int{"colspan": 1, "rowspan": 1}
	for _, a := range cell.Attr {
		if _, ok := sides[a.Key]; !ok {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(a.Val))
		if err != nil || n < 0 || n > maxSpanCells {
			return maxSpanCells + 1, 1
		}
		sides[a.Key] = max(n, 1)
	}
	return sides["colspan"] * sides["rowspan"], sides["colspan"]
}

func markdownFrom(c *converter.Converter, n *html.Node, from *url.URL) string {
	out, err := c.ConvertNode(n, converter.WithDomain(from.Scheme+"://"+from.Host))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// walk calls f for every element, in order.
func walk(root *html.Node, f func(*html.Node)) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			f(n)
		}
	}
}

func titleOf(root *html.Node) string {
	title := ""
	walk(root, func(n *html.Node) {
		if n.DataAtom == atom.Title && title == "" && n.Namespace == "" {
			title = textIn(n)
		}
	})
	return title
}

func linksOf(root *html.Node, base *url.URL) []Link {
	out, seen := []Link{}, make(map[string]bool)
	walk(root, func(n *html.Node) {
		if n.DataAtom != atom.A || len(out) == maxLinks {
			return
		}
		for _, a := range n.Attr {
			if a.Key != "href" {
				continue
			}
			to, err := base.Parse(strings.TrimSpace(a.Val))
			if err != nil || to.Scheme != "http" && to.Scheme != "https" {
				continue
			}
			to.Fragment = ""
			if s := to.String(); !seen[s] {
				seen[s] = true
				text := []rune(textIn(n))
				out = append(out, Link{string(text[:min(len(text), maxLinkText)]), s})
			}
		}
	})
	return out
}

// textIn is the text inside an element, on one line.
func textIn(root *html.Node) string {
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
