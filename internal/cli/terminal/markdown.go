package terminal

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// narrowest is the width below which nothing is made narrower.
const narrowest = 20

// markdown shows Markdown of others within a width. HTML in it is shown and not read; links
// show where they lead.
func markdown(source string, width int, l look) string {
	raw := []byte(Clean(source))
	doc := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser().Parse(text.NewReader(raw))
	r := renderer{raw: raw, look: l}
	return strings.TrimRight(r.blocks(doc, max(width, narrowest)), "\n")
}

// deepest is how many lists and quotes within one another are set apart; what lies deeper
// stands where the last of them does.
const deepest = 12

type renderer struct {
	raw   []byte
	look  look
	depth int
}

// within shows the blocks below a list's item or a quote, set apart by a mark.
func (r renderer) within(n ast.Node, width int, first, rest string) string {
	if r.depth++; r.depth > deepest {
		return r.blocks(n, width)
	}
	return prefixed(r.blocks(n, width-lipgloss.Width(first)), first, rest)
}

// blocks shows the blocks below a node, with an empty line between them.
func (r renderer) blocks(n ast.Node, width int) string {
	var out []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if s := strings.TrimRight(r.block(c, width), "\n"); s != "" {
			out = append(out, s)
		}
	}
	between := "\n\n"
	if list, ok := n.(*ast.ListItem); ok && list.Parent() != nil {
		between = "\n"
	}
	return strings.Join(out, between)
}

func (r renderer) block(n ast.Node, width int) string {
	switch n := n.(type) {
	case *ast.Heading:
		return wrap(r.look.strong.Render(strings.Repeat("#", n.Level)+" "+r.inlines(n)), width)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return r.code(n)
	case *ast.HTMLBlock:
		text := r.lines(n)
		if n.HasClosure() {
			text += "\n" + strings.TrimRight(string(n.ClosureLine.Value(r.raw)), "\n")
		}
		return wrap(text, width)
	case *ast.ThematicBreak:
		return r.look.muted.Render(strings.Repeat("─", min(width, 40)))
	case *ast.Blockquote:
		return r.within(n, width, r.look.muted.Render("│ "), r.look.muted.Render("│ "))
	case *ast.List:
		return r.list(n, width)
	case *east.Table:
		return r.table(n, width)
	}
	if n.Type() == ast.TypeBlock && n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
		return r.blocks(n, width)
	}
	return wrap(r.inlines(n), width)
}

// lines are the lines of a block as they are written.
func (r renderer) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		b.Write(s.Value(r.raw))
	}
	return strings.TrimRight(b.String(), "\n")
}

// code is not wrapped: a line that is copied is the line.
func (r renderer) code(n ast.Node) string {
	lines := strings.Split(strings.ReplaceAll(r.lines(n), "\t", "    "), "\n")
	for i, line := range lines {
		lines[i] = "    " + r.look.code.Render(line)
	}
	return strings.Join(lines, "\n")
}

func (r renderer) list(n *ast.List, width int) string {
	var out []string
	number := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		out = append(out, r.within(c, width, r.look.accent.Render(mark), strings.Repeat(" ", lipgloss.Width(mark))))
	}
	return strings.Join(out, "\n")
}

// table shows a table in columns, or, where it is too wide, each row as a list of its cells.
func (r renderer) table(n ast.Node, width int) string {
	var rows [][]string
	var wide []int
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cell := r.inlines(c)
			if len(cells) == len(wide) {
				wide = append(wide, 0)
			}
			wide[len(cells)] = max(wide[len(cells)], lipgloss.Width(cell))
			cells = append(cells, cell)
		}
		rows = append(rows, cells)
	}
	total := 2 * max(0, len(wide)-1)
	for _, w := range wide {
		total += w
	}
	var out []string
	for i, cells := range rows {
		line := make([]string, len(cells))
		for j, cell := range cells {
			line[j] = cell + strings.Repeat(" ", wide[j]-lipgloss.Width(cell))
			if i == 0 {
				line[j] = r.look.strong.Render(line[j])
			}
		}
		if total <= width {
			out = append(out, strings.TrimRight(strings.Join(line, "  "), " "))
		} else {
			out = append(out, wrap(strings.Join(cells, " | "), width))
		}
	}
	return strings.Join(out, "\n")
}

// inlines shows the text below a node.
func (r renderer) inlines(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		b.WriteString(r.inline(c))
	}
	return b.String()
}

func (r renderer) inline(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Text:
		s := string(util.UnescapePunctuations(n.Value(r.raw)))
		switch {
		case n.HardLineBreak():
			s += "\n"
		case n.SoftLineBreak():
			s += " "
		}
		return s
	case *ast.String:
		return string(n.Value)
	case *ast.CodeSpan:
		return r.look.code.Render(r.inlines(n))
	case *ast.Emphasis:
		if n.Level > 1 {
			return r.look.strong.Render(r.inlines(n))
		}
		return r.look.emphasis.Render(r.inlines(n))
	case *ast.Link:
		return leading(r.inlines(n), string(n.Destination), r.look)
	case *ast.Image:
		return leading(r.inlines(n), string(n.Destination), r.look)
	case *ast.AutoLink:
		return string(n.URL(r.raw))
	case *ast.RawHTML:
		var b strings.Builder
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			b.Write(s.Value(r.raw))
		}
		return b.String()
	}
	return r.inlines(n)
}

func leading(label, to string, l look) string {
	if label == to || to == "" {
		return label
	}
	return label + l.muted.Render(" ("+to+")")
}

func wrap(s string, width int) string { return lipgloss.Wrap(s, max(width, narrowest), "") }

// prefixed puts one text before the first line and another before the rest.
func prefixed(s, first, rest string) string {
	return first + strings.ReplaceAll(s, "\n", "\n"+rest)
}
