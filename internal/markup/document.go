package markup

import (
	"bufio"
	"html"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gmhtml "github.com/yuin/goldmark/renderer/html"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// deepest is how many columns items are indented and how wide markers on one line get;
// lists within lists beyond that are shown at the same depth.
const deepest = 16

// document reads Markdown into the units that a dialect shows.
func document(markdown string, d *dialect) []*unit {
	src := []byte(cleaned(markdown))
	root := newParser(src).Parse(gmtext.NewReader(src))
	r := reader{src: src, dialect: d}
	return r.blocks(root, place{})
}

// newParser returns goldmark's parser without its rules for HTML, which thus is text, and
// without those rules that a hostile source makes slow.
func newParser(src []byte) parser.Parser {
	blocks := []util.PrioritizedValue{
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	}
	inlines := []util.PrioritizedValue{
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0),
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(extension.NewLinkifyParser(), 999),
	}
	paragraphs := parser.DefaultParagraphTransformers()
	var whole []util.PrioritizedValue
	cost := costOf(src)
	if cost.depth <= maxDepth {
		blocks = append(blocks,
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewBlockquoteParser(), 800))
	}
	if cost.marks <= maxMarks {
		inlines = append(inlines,
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewStrikethroughParser(), 500))
	}
	if cost.cells <= maxCells {
		paragraphs = append(paragraphs, util.Prioritized(extension.NewTableParagraphTransformer(), 200))
		whole = append(whole, util.Prioritized(extension.NewTableASTTransformer(), 0))
	}
	return parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(inlines...),
		parser.WithParagraphTransformers(paragraphs...),
		parser.WithASTTransformers(whole...),
	)
}

// cleaned returns the text without what no message may hold: bytes that are not UTF-8,
// half surrogates among them, and control characters.
func cleaned(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r', r == '\u2028', r == '\u2029':
			return '\n'
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, s)
}

// place is where a block stands.
type place struct {
	indent int
	quote  int
}

// reader turns goldmark's tree into units.
type reader struct {
	*dialect
	src    []byte
	quotes int
}

// blocks returns the units of a container, its headings held with what follows them.
func (r *reader) blocks(parent ast.Node, at place) []*unit {
	var units []*unit
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		u := r.block(n, at)
		l := u.first()
		if l == nil {
			continue
		}
		l.gap = l.gap || len(units) > 0 && n.Kind() != ast.KindTextBlock && n.Parent().FirstChild().Kind() != ast.KindTextBlock
		units = append(units, u)
	}
	for i := len(units) - 2; i >= 0; i-- {
		if units[i].line != nil && units[i].line.heading > 0 {
			units[i] = &unit{kids: []*unit{units[i], units[i+1]}, keep: true}
			units = append(units[:i+1], units[i+2:]...)
		}
	}
	return units
}

func (r *reader) block(n ast.Node, at place) *unit {
	switch n := n.(type) {
	case *ast.Heading:
		return r.heading(n, at)
	case *ast.ThematicBreak:
		return &unit{line: &line{spans: []span{{text: "———"}}, indent: at.indent, quote: at.quote}}
	case *ast.FencedCodeBlock:
		return r.code(n, string(n.Language(r.src)), at)
	case *ast.CodeBlock:
		return r.code(n, "", at)
	case *ast.Blockquote:
		if at.quote == 0 {
			r.quotes++
			at.quote = r.quotes
		}
		return &unit{kids: r.blocks(n, at)}
	case *ast.List:
		return r.list(n, at)
	case *extast.Table:
		return r.table(n, at)
	}
	var lines []*unit
	for _, spans := range r.inline(n) {
		lines = append(lines, &unit{line: &line{spans: spans, indent: at.indent, quote: at.quote}})
	}
	if len(lines) == 1 {
		return lines[0]
	}
	return &unit{kids: lines}
}

// heading is one line; where the platform has no mark for it, a bold one.
func (r *reader) heading(n *ast.Heading, at place) *unit {
	l := &line{indent: at.indent, quote: at.quote, heading: n.Level}
	for i, spans := range r.inline(n) {
		if i > 0 {
			l.spans = append(l.spans, span{text: " "})
		}
		l.spans = append(l.spans, spans...)
	}
	for i := range l.spans {
		if n.Level > r.headings && l.spans[i].style&code == 0 {
			l.spans[i].style |= bold
		}
	}
	if len(l.spans) == 0 {
		return &unit{}
	}
	return &unit{line: l}
}

// code is a line each. Where there is no preformatted text, no-break spaces keep it in
// columns. No platform lets it stand in a quote or an item.
func (r *reader) code(n ast.Node, language string, at place) *unit {
	f := &fence{language: tidyLanguage(language)}
	if r.dialect.fence != nil {
		at = place{}
	}
	u := &unit{}
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		s := strings.TrimSuffix(string(segment.Value(r.src)), "\n")
		if r.dialect.fence == nil && r.bold.open != "" {
			left := strings.TrimLeft(s, " \t")
			s = strings.ReplaceAll(strings.ReplaceAll(s[:len(s)-len(left)], "\t", "    "), " ", noBreakSpace) + left
		}
		u.kids = append(u.kids, &unit{line: &line{spans: []span{{text: s}}, indent: at.indent, quote: at.quote, fence: f}})
	}
	return u
}

// tidyLanguage returns the name of a language if it is one: it is written between marks.
func tidyLanguage(s string) string {
	ok := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+#-_.", r)
	}
	if len(s) > 20 || strings.IndexFunc(s, func(r rune) bool { return !ok(r) }) >= 0 {
		return ""
	}
	return s
}

// text returns a piece of the source as people are to see it: escapes and entities resolved.
func (r *reader) text(source []byte) string {
	var b strings.Builder
	w := bufio.NewWriter(&b)
	gmhtml.DefaultWriter.Write(w, source)
	_ = w.Flush() // a strings.Builder takes everything
	return strings.ReplaceAll(cleaned(html.UnescapeString(b.String())), "\n", " ")
}
