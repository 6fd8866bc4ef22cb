package document

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"chela/internal/fault"
)

// Bounds of an html page; what is beyond is read as plain text.
const (
	maxTables = 20  // inside each other
	maxSpan   = 200 // columns or rows that one cell covers

	maxSpanned  = 1_000_000 // cells that spans cover on a page; those behind span one
	maxTextRows = 10_000    // of tables that become text
)

// readHTML makes tables of the tables with several rows and columns, and Markdown of
// the rest. It reads the tags one after another, so that nesting costs nothing.
func readHTML(d Doc, text string, lim Limits) (Doc, error) {
	d.Kind = HTML
	if t, problems, ok := readIssueView(text, d.Name, lim.Rows); ok {
		d.Tables, d.Problems = []Table{t}, append(d.Problems, problems...)
		return d.checkText()
	}
	p := newPage(lim.Rows)
	err := p.read(text)
	for len(p.tables) > 0 { // never closed
		p.closeTable()
		d.Problems = append(d.Problems, Problem{fmt.Sprintf("byte %d", len(text)), fmt.Sprintf("%s ends inside a table: the file was cut. Export it again.", d.Name)})
	}
	if err != nil {
		d.Problems = append(d.Problems, Problem{fmt.Sprintf("byte %d", len(text)), fmt.Sprintf("%s cannot be read to its end as HTML; what could be read was kept.", d.Name)})
	}
	for _, rows := range p.done {
		t, problems := table("", rows, d.Name, "row")
		d.Tables, d.Problems = append(d.Tables, t), append(d.Problems, problems...)
	}
	if p.left > 0 {
		d.Problems = append(d.Problems, leftOut(d.Name, p.kept, p.left))
	}
	d.Text = p.root.String()
	if d.Text == "" && len(d.Tables) == 0 {
		return d, fault.New(fault.Invalid, "%s holds no text.", d.Name)
	}
	return d.checkText()
}

// markdownOf turns HTML into Markdown, its tables too.
func markdownOf(text string) string {
	p := newPage(maxTextRows)
	p.asText = true
	_ = p.read(text) // what could be read is the answer
	for len(p.tables) > 0 {
		p.closeTable()
	}
	return p.root.String()
}

// plainHTML turns HTML into text without any marks; a text without tags stays.
func plainHTML(text string) string {
	if !strings.ContainsAny(text, "<&") {
		return text
	}
	p := newPage(maxTextRows)
	p.root.plain, p.asText = true, true
	_ = p.read(text) // what could be read is the answer
	for len(p.tables) > 0 {
		p.closeTable()
	}
	return p.root.String()
}

// A page is an html page while it is read.
type page struct {
	root   *flow
	tables []*htmlTable // open, the outermost first
	done   [][]Row      // tables that are records
	asText bool         // tables that are records become Markdown too
	free   room         // for rows
	spans  int          // cells that spans cover
	kept   int          // rows of tables that are records, but for headers
	left   int          // rows beyond
	hidden atom.Atom    // the element whose content is dropped
	pre    int          // open pre elements
	lists  []int        // open lists: the next number, or -1 for bullets
	links  []link
}

// A link is an open a element.
type link struct {
	to   *flow
	at   int // in the flow's text
	href string
}

// An htmlTable is a table while it is read.
type htmlTable struct {
	rows   []Row
	texts  []string // of cells, as Markdown, for a table that is only a layout
	row    []string
	inRow  bool
	cell   *[2]flow    // its Markdown and its plain text
	name   string      // of the column that the cell heads, when the page says it
	span   [2]int      // columns and rows of the cell
	below  map[int]int // column → rows that a cell above still covers
	layout bool        // it holds another table
	sure   bool        // it is one of records, whatever it holds
	number int         // of rows, those left out too
}

func newPage(limit int) *page { return &page{root: new(flow), free: room{limit, maxCells}} }

func (p *page) read(text string) error {
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return err
			}
			return nil
		case html.TextToken:
			if p.hidden == 0 {
				p.text(string(z.Text()))
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			if tok := z.Token(); p.hidden == 0 {
				p.open(tok)
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			p.close(atom.Lookup(name))
		default: // comments and the doctype
		}
	}
}

// each calls do with every text that is written now: that of the innermost cell, as
// Markdown and plain, or that of the page.
func (p *page) each(do func(*flow)) {
	if n := len(p.tables); n > 0 {
		if cell := p.tables[n-1].cell; cell != nil {
			do(&cell[0])
			do(&cell[1])
		}
		return // text between rows is no text
	}
	do(p.root)
}

func (p *page) text(s string) {
	p.each(func(f *flow) {
		if p.pre > 0 {
			f.verbatim(strings.ReplaceAll(s, "\r\n", "\n"))
		} else {
			f.words(s)
		}
	})
}

// mark writes signs of Markdown.
func (p *page) mark(s string) {
	p.each(func(f *flow) {
		if !f.plain {
			f.signs(s)
		}
	})
}

func (p *page) block(lines int) { p.each(func(f *flow) { f.block(lines) }) }

var headings = map[atom.Atom]int{atom.H1: 1, atom.H2: 2, atom.H3: 3, atom.H4: 4, atom.H5: 5, atom.H6: 6}

func (p *page) open(tok html.Token) {
	switch tag := tok.DataAtom; tag {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Title, atom.Select, atom.Object, atom.Iframe:
		if tok.Type == html.StartTagToken {
			p.hidden = tag
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.block(2)
		p.mark(strings.Repeat("#", headings[tag]) + " ")
	case atom.P, atom.Blockquote, atom.Dl:
		p.block(2)
	case atom.Div, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Dt, atom.Dd, atom.Form, atom.Address:
		p.block(1)
	case atom.Br:
		p.each(func(f *flow) { f.breakLine() })
	case atom.Hr:
		p.block(2)
	case atom.Pre:
		p.block(2)
		p.mark("```\n")
		p.pre++
	case atom.Ul, atom.Ol:
		p.openList(tag == atom.Ol)
	case atom.Li:
		p.item()
	case atom.A:
		p.openLink(attribute(tok, "href"))
	case atom.Span:
		if attribute(tok, "class") == "parentIssue" { // its key, in front of what Jira calls an issue
			p.hidden = tag
		}
	case atom.Img:
		if alt := attribute(tok, "alt"); alt != "" {
			p.text(alt)
		}
	case atom.Table:
		p.openTable()
	case atom.Tr:
		p.openRow()
	case atom.Td, atom.Th:
		p.openCell(tok)
	default: // its text is what counts
	}
}

func (p *page) close(tag atom.Atom) {
	if p.hidden != 0 {
		if tag == p.hidden {
			p.hidden = 0
		}
		return
	}
	switch tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.P, atom.Blockquote, atom.Dl:
		p.block(2)
	case atom.Div, atom.Section, atom.Article, atom.Header, atom.Footer, atom.Dt, atom.Dd, atom.Li:
		p.block(1)
	case atom.Pre:
		if p.pre > 0 {
			p.pre--
			p.block(1)
			p.mark("```")
			p.block(2)
		}
	case atom.Ul, atom.Ol:
		if n := len(p.lists); n > 0 {
			p.lists = p.lists[:n-1]
		}
		p.block(1)
		if len(p.lists) == 0 {
			p.block(2)
		}
	case atom.A:
		p.closeLink()
	case atom.Td, atom.Th:
		p.closeCell()
	case atom.Tr:
		p.closeRow()
	case atom.Table:
		if len(p.tables) > 0 {
			p.closeTable()
		}
	default: // its text is what counts
	}
}

func (p *page) openList(numbered bool) {
	p.block(1)
	if len(p.lists) == 0 {
		p.block(2)
	}
	if len(p.lists) >= maxDepth {
		return
	}
	if numbered {
		p.lists = append(p.lists, 1)
	} else {
		p.lists = append(p.lists, -1)
	}
}

func (p *page) item() {
	p.block(1)
	n := len(p.lists)
	if n == 0 {
		p.mark("- ")
		return
	}
	indent := strings.Repeat("  ", min(n-1, 8))
	if next := &p.lists[n-1]; *next > 0 {
		p.mark(indent + strconv.Itoa(*next) + ". ")
		*next++
		return
	}
	p.mark(indent + "- ")
}

func (p *page) openLink(href string) {
	p.closeLink()
	if strings.HasPrefix(href, "http:") || strings.HasPrefix(href, "https:") || strings.HasPrefix(href, "mailto:") {
		p.each(func(f *flow) {
			if !f.plain {
				f.flush()
				p.links = append(p.links, link{f, len(f.b), href})
			}
		})
	}
}

// closeLink turns what was written since the link was opened into one.
func (p *page) closeLink() {
	for _, l := range p.links {
		if l.at >= len(l.to.b) {
			continue
		}
		words := string(l.to.b[l.at:])
		if strings.ContainsAny(words, "\n") || strings.TrimSpace(words) == "" || words == l.href {
			continue
		}
		l.to.b = append(l.to.b[:l.at], "["+words+"]("+strings.ReplaceAll(l.href, " ", "%20")+")"...)
	}
	p.links = p.links[:0]
}

func attribute(tok html.Token, name string) string {
	for _, a := range tok.Attr {
		if a.Key == name {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}
