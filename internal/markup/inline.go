package markup

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// inline returns the lines of a block's text. A line break in the source begins a new one.
func (r *reader) inline(n ast.Node) [][]span {
	c := collector{reader: r}
	c.children(n, 0)
	c.breakLine()
	return c.lines
}

// collector gathers the spans of a block.
type collector struct {
	*reader
	lines [][]span
	now   []span
}

func (c *collector) add(s span) {
	if s.text == "" {
		return
	}
	if n := len(c.now); n > 0 && s.link == "" && c.now[n-1].link == "" && c.now[n-1].style == s.style && s.style&code == 0 {
		c.now[n-1].text += s.text
		return
	}
	c.now = append(c.now, s)
}

func (c *collector) breakLine() {
	if len(c.now) > 0 {
		c.lines = append(c.lines, c.now)
		c.now = nil
	}
}

func (c *collector) children(parent ast.Node, st style) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		c.node(n, st)
	}
}

func (c *collector) node(n ast.Node, st style) {
	switch n := n.(type) {
	case *ast.Text:
		c.add(span{text: c.text(n.Value(c.src)), style: st})
		if n.SoftLineBreak() || n.HardLineBreak() {
			c.breakLine()
		}
	case *ast.CodeSpan:
		c.codeSpan(n, st)
	case *ast.Emphasis:
		if n.Level == 1 {
			st |= italic
		} else {
			st |= bold
		}
		c.children(n, st)
	case *extast.Strikethrough:
		c.children(n, st|strike)
	case *extast.TaskCheckBox:
		box := "☐ "
		if n.IsChecked {
			box = "☑ "
		}
		c.add(span{text: box})
	case *ast.Link:
		c.link(n, string(n.Destination), st)
	case *ast.Image:
		c.link(n, string(n.Destination), st)
	case *ast.AutoLink:
		target := string(n.URL(c.src))
		if n.AutoLinkType == ast.AutoLinkEmail && !mail(strings.ToLower(target)) {
			target = "mailto:" + target
		}
		c.leading(cleaned(string(n.Label(c.src))), target, st)
	default:
		c.children(n, st)
	}
}

// codeSpan is code in a line; one that holds the mark of code is text where the mark cannot
// be escaped, which is everywhere but in HTML.
func (c *collector) codeSpan(n *ast.CodeSpan, st style) {
	var b strings.Builder
	for t := n.FirstChild(); t != nil; t = t.NextSibling() {
		if t, ok := t.(*ast.Text); ok {
			b.Write(t.Value(c.src))
		}
	}
	s := strings.ReplaceAll(b.String(), "\n", " ")
	if c.html || !strings.Contains(s, "`") {
		st = code
	}
	c.add(span{text: s, style: st})
}

// link is one span: its text has the style that it stands in, or the one that all of it has.
func (c *collector) link(n ast.Node, target string, st style) {
	label := collector{reader: c.reader}
	label.children(n, st)
	label.breakLine()
	var b strings.Builder
	inner := ^style(0)
	for i, spans := range label.lines {
		if i > 0 {
			b.WriteByte(' ')
		}
		for _, s := range spans {
			b.WriteString(s.text)
			inner &= s.style
		}
	}
	if inner&code != 0 {
		inner = st
	}
	c.leading(strings.TrimSpace(b.String()), c.text([]byte(target)), inner)
}

// leading adds a link, if it may be one and says where it leads, and otherwise its text and
// its address. An address that may not be a link is code, which no client makes one of.
func (c *collector) leading(label, target string, st style) {
	target = strings.TrimSpace(target)
	good := safe(target)
	if blank(label) {
		label = target
	}
	switch {
	case good != "" && !deceives(label, target):
		c.add(span{text: label, style: st, link: good})
	case good != "":
		c.add(span{text: label + " (", style: st})
		c.add(span{text: strings.TrimPrefix(good, "mailto:"), link: good})
		c.add(span{text: ")", style: st})
	case label == target:
		c.add(span{text: label, style: c.inert(label)})
	default:
		c.add(span{text: label, style: st})
		if target != "" {
			c.add(span{text: " ("})
			c.add(span{text: target, style: c.inert(target)})
			c.add(span{text: ")"})
		}
	}
}

func (c *collector) inert(target string) style {
	if strings.Contains(target, "`") && !c.html {
		return 0
	}
	return code
}
