package document

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"chela/internal/pattern"
)

// Jira shows issues as pages to print, one or many behind each other, and exports the same pages to Word: a heading with key,
// title and days, tables of labels and values, the description, and comments.

var (
	viewMark   = pattern.New(`(?i)<h3[^>]{0,200}\bclass=["']?formtitle\b`)
	viewTitle  = pattern.New(`(?s)^\[\s*([^\]\s]{1,100})\s*\]\s*(.*)$`)
	viewDays   = pattern.New(`([\pL][\pL .]{1,30}?):\s*(\d\S{3,20}(?:\s+\d{1,2}[:.]\d{2}(?:\s*[AaPp]\.?[Mm]\.?)?)?)`)
	viewSaid   = pattern.New(`\[\s*([^\[\]]{4,60}?)\s*\]`)
	browsed    = pattern.New(`/browse/([A-Z][A-Z0-9_]{0,40}-\d{1,9})`)
	blockWords = map[string]string{
		"blocks": "outward issue link (Blocks)", "is blocked by": "inward issue link (Blocks)", "duplicates": "outward issue link (Duplicate)", "is duplicated by": "inward issue link (Duplicate)",
		"depends on": "inward issue link (Blocks)", "is depended on by": "outward issue link (Blocks)",
	}
)

// maxIssueView is how many bytes of such pages are read.
const maxIssueView = 16 << 20

// An issueView reads the issues of a page.
type issueView struct {
	grid   *grid
	fields []field // of the issue at work
	said   []remark
	number int
}

// readIssueView makes a table of the issues that a page of Jira shows; ok is false for another page.
func readIssueView(text, name string, rows int) (t Table, problems []Problem, ok bool) {
	if len(text) > maxIssueView || !viewMark.MatchString(text) {
		return t, nil, false
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil { // nested too deeply; the page is read tag by tag
		return t, nil, false
	}
	v := issueView{grid: newGrid(rows)}
	v.visit(root)
	v.end()
	t, problems = v.grid.table(name)
	return t, problems, len(t.Rows) > 0
}

func (v *issueView) visit(n *html.Node) {
	if n.Type == html.ElementNode {
		id := attr(n, "id")
		switch {
		case n.DataAtom == atom.H3 && slices.Contains(strings.Fields(attr(n, "class")), "formtitle"):
			v.begin(n)
			return
		case v.number == 0:
		case id == "descriptionArea":
			v.add("description", richText(inner(n)))
			return
		case strings.HasPrefix(id, "comment-header-"):
			v.header(n)
			return
		case strings.HasPrefix(id, "comment-body-"):
			if last := len(v.said) - 1; last >= 0 && v.said[last].Text == "" {
				v.said[last].Text = richText(inner(cellOf(n)))
			}
			return
		case n.DataAtom == atom.Tr && v.pairs(n):
			return
		}
	}
	for kid := range n.ChildNodes() {
		v.visit(kid)
	}
}

func (v *issueView) add(name, text string) {
	if text = strings.TrimSpace(text); text != "" {
		v.fields = append(v.fields, field{name, text})
	}
}

// begin ends the issue before and begins the one that a heading names.
func (v *issueView) begin(h *html.Node) {
	v.end()
	v.number++
	var title, days strings.Builder
	for n := range h.Descendants() {
		if n.Type != html.TextNode {
			continue
		}
		if within(n, h, func(p *html.Node) bool { return attr(p, "class") == "subText" }) {
			days.WriteString(n.Data + " ")
		} else {
			title.WriteString(n.Data + " ")
		}
	}
	line := strings.Join(strings.Fields(title.String()), " ")
	if m := viewTitle.FindStringSubmatch(line); m != nil {
		v.add("issue key", m[1])
		line = m[2]
	}
	v.add("summary", line)
	for _, m := range viewDays.FindAllStringSubmatch(strings.Join(strings.Fields(days.String()), " "), -1) {
		v.add(strings.TrimSpace(m[1]), m[2])
	}
	for n := range h.Descendants() {
		if n.DataAtom == atom.A && browsed.MatchString(attr(n, "href")) {
			if address := attr(n, "href"); opened(address) {
				v.add("url", address)
			}
			break
		}
	}
}

func (v *issueView) end() {
	if v.number > 0 && len(v.fields) > 0 {
		v.add("comment", remarks(v.said))
		v.grid.add(v.number, v.fields)
	}
	v.fields, v.said = nil, nil
}

// header reads who made a comment, and when.
func (v *issueView) header(n *html.Node) {
	text := textIn(n)
	c := remark{}
	if m := viewSaid.FindStringSubmatch(text); m != nil {
		c.Date = m[1]
		text = text[:strings.Index(text, "[")]
	}
	for a := range n.Descendants() {
		if a.DataAtom == atom.A && c.Author == "" {
			c.Author = textIn(a)
		}
	}
	if c.Author == "" {
		_, c.Author, _ = strings.Cut(text, " by ")
		c.Author = strings.TrimSpace(c.Author)
	}
	v.said = append(v.said, c)
}

// pairs reads the labels of a row and the values beside them; false when it has none.
func (v *issueView) pairs(tr *html.Node) (found bool) {
	var cells []*html.Node
	for td := range tr.ChildNodes() {
		if td.DataAtom == atom.Td || td.DataAtom == atom.Th {
			cells = append(cells, td)
		}
	}
	for i := 0; i+1 < len(cells); i++ {
		label := strings.TrimSpace(textIn(cells[i]))
		name, is := strings.CutSuffix(label, ":")
		if !is || len(name) > 100 || !has(cells[i], atom.B) && !has(cells[i], atom.Strong) {
			continue
		}
		found = true
		if i++; has(cells[i], atom.Table) {
			v.links(cells[i])
		} else if name = strings.TrimSpace(name); name != "" {
			v.add(name, valueOf(cells[i]))
		}
	}
	return found
}

// links reads the table of the issues that an issue is linked with: a row that names the kind, then a row for each.
func (v *issueView) links(cell *html.Node) {
	kind := ""
	for n := range cell.Descendants() {
		if n.DataAtom != atom.Tr {
			continue
		}
		key, words := "", ""
		for td := range n.ChildNodes() {
			if td.DataAtom != atom.Td && td.DataAtom != atom.Th {
				continue
			}
			for a := range td.Descendants() {
				if m := browsed.FindStringSubmatch(attr(a, "href")); a.DataAtom == atom.A && m != nil && key == "" {
					key = m[1]
				}
			}
			if key == "" {
				words = strings.TrimSpace(words + " " + textIn(td))
			}
		}
		if key == "" {
			kind = words
			continue
		}
		name := blockWords[strings.ToLower(strings.TrimSuffix(words, ":"))]
		if name == "" {
			name = blockWords[strings.ToLower(kind)]
		}
		if name == "" {
			name = "outward issue link (Relates)"
		}
		v.add(name, key)
	}
}

// valueOf is the text of a value, its lines kept.
func valueOf(n *html.Node) string {
	if has(n, atom.Br) || has(n, atom.P) || has(n, atom.Li) {
		return plainHTML(inner(n))
	}
	return textIn(n)
}

// cellOf is the one cell of a row, else the row.
func cellOf(n *html.Node) *html.Node {
	for kid := range n.ChildNodes() {
		if kid.DataAtom == atom.Td {
			return kid
		}
	}
	return n
}

func has(n *html.Node, tag atom.Atom) bool {
	for kid := range n.Descendants() {
		if kid.DataAtom == tag {
			return true
		}
	}
	return false
}

// within reports whether a node is below one of which is holds, up to an ancestor.
func within(n, up *html.Node, is func(*html.Node) bool) bool {
	for p := n.Parent; p != nil && p != up; p = p.Parent {
		if is(p) {
			return true
		}
	}
	return false
}

// inner is the HTML in an element.
func inner(n *html.Node) string {
	var b bytes.Buffer
	for kid := range n.ChildNodes() {
		if html.Render(&b, kid) != nil { // a page that a parser made is always written
			return textIn(n)
		}
	}
	return b.String()
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}
