package document

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"chela/internal/fault"
)

// readXML makes a table of the element that repeats: the items of Jira's RSS, else the
// outermost repeated element that has fields. A document without one stays text.
// Entities that the document declares itself are refused.
func readXML(d Doc, text string, lim Limits) (Doc, error) {
	d.Kind = XML
	if strings.Contains(text[:min(len(text), 8<<10)], "urn:schemas-microsoft-com:office:spreadsheet") {
		return d, fault.New(fault.Invalid, "%s is an XML spreadsheet of Excel 2003. Save it as xlsx or csv.", d.Name)
	}
	s, err := survey(text)
	if errors.Is(err, errEntities) {
		return d, fault.New(fault.Invalid, "%s declares XML entities, which Chela refuses: they can name other files or grow without end. Export it without a DOCTYPE.", d.Name)
	}
	record := s.record()
	if err != nil && record == "" {
		return d, fault.Wrap(err, fault.Invalid, "%s is not valid XML: %s. Export it again.", d.Name, whereXML(err, s.offset))
	}
	if record == "" {
		d.Text = strings.TrimSpace(s.text.String())
		return d.checkText()
	}
	g := newGrid(lim.Rows)
	walk := &walker{dec: xmlDecoder(text)}
	bad := walk.records(record, g)
	if err == nil {
		err = bad
	}
	n := len(g.rows) + g.left
	if err != nil && n == 0 {
		return d, fault.Wrap(err, fault.Invalid, "%s is not valid XML: %s. Export it again.", d.Name, whereXML(err, s.offset))
	}
	if err != nil {
		d.Problems = append(d.Problems, Problem{fmt.Sprintf("byte %d", s.offset), fmt.Sprintf("%s breaks off after %d records: %s. What follows was left out; export it again.", d.Name, n, whereXML(err, s.offset))})
	}
	t, problems := g.table(d.Name)
	d.Tables, d.Problems = []Table{t}, append(d.Problems, problems...)
	return d, nil
}

var errEntities = errors.New("the document declares entities")

func whereXML(err error, offset int64) string {
	if errors.Is(err, errDeep) {
		return err.Error()
	}
	if syntax, ok := errors.AsType[*xml.SyntaxError](err); ok {
		return fmt.Sprintf("it cannot be read at line %d (byte %d)", syntax.Line, offset)
	}
	return fmt.Sprintf("it cannot be read at byte %d", offset)
}

// xmlDecoder reads a text that is UTF-8 already, whatever it declares. It knows the
// entities of HTML and no others, and never opens another file.
func xmlDecoder(text string) *xml.Decoder {
	dec := xml.NewDecoder(strings.NewReader(text))
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	return dec
}

// A kin is what a survey knows about the elements of one path.
type kin struct {
	depth  int
	most   int  // of them in one parent
	total  int  // of them
	fields bool // some have attributes or elements
}

// elements is what elements a document has, to find which of them are its records.
type elements struct {
	paths  map[string]*kin
	order  []string
	text   strings.Builder // what stands between the tags, a line each
	offset int64           // where reading ended
}

// Bounds of the paths that may be those of records.
const (
	maxPaths      = 10_000 // different ones
	maxPathLength = 500    // bytes of one
)

// survey walks through the document once.
func survey(text string) (*elements, error) {
	tooLong := strings.Repeat("/", maxPathLength) // of a path, and of those below it
	dec := xmlDecoder(text)
	s := &elements{paths: make(map[string]*kin)}
	type parent struct {
		path  string
		times map[string]int // name → elements in it
	}
	open := []parent{{}}
	for {
		tok, err := dec.Token()
		s.offset = dec.InputOffset()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return s, err
		}
		switch tok := tok.(type) {
		case xml.Directive:
			if strings.Contains(strings.ToUpper(string(tok)), "<!ENTITY") {
				return s, errEntities
			}
		case xml.CharData:
			if line := strings.TrimSpace(string(tok)); line != "" {
				s.text.WriteString(line + "\n")
			}
		case xml.StartElement:
			if len(open) > maxDepth {
				return s, errDeep
			}
			in := &open[len(open)-1]
			if in.times == nil {
				in.times = make(map[string]int)
			}
			in.times[tok.Name.Local]++
			at := tooLong
			if len(in.path)+len(tok.Name.Local) < maxPathLength {
				at = in.path + "/" + tok.Name.Local
				s.note(at, in.path, len(open), in.times[tok.Name.Local], len(tok.Attr) > 0)
			}
			open = append(open, parent{path: at})
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

func (s *elements) note(at, parent string, depth, times int, attrs bool) {
	p := s.paths[at]
	if p == nil {
		if len(s.paths) >= maxPaths {
			return
		}
		p = &kin{depth: depth}
		s.paths[at] = p
		s.order = append(s.order, at)
	}
	p.total++
	p.most = max(p.most, times)
	p.fields = p.fields || attrs
	if up := s.paths[parent]; up != nil {
		up.fields = true
	}
}

// record returns the path of the elements that are records, or nothing.
func (s *elements) record() string {
	if s.paths["/rss/channel/item"] != nil {
		return "/rss/channel/item"
	}
	best := ""
	for _, at := range s.order {
		p := s.paths[at]
		if p.most < 2 || !p.fields {
			continue
		}
		if b := s.paths[best]; b == nil || p.depth < b.depth || p.depth == b.depth && p.total > b.total {
			best = at
		}
	}
	return best
}

// A walker goes through a document and reads the records of one path.
type walker struct {
	dec  *xml.Decoder
	path []string
}

func (w *walker) records(record string, g *grid) error {
	depth := strings.Count(record, "/")
	for n := 1; ; {
		tok, err := w.dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if len(w.path) > maxDepth {
				return errDeep
			}
			w.path = append(w.path, tok.Name.Local)
			if len(w.path) != depth || "/"+strings.Join(w.path, "/") != record {
				continue
			}
			if g.full() {
				if err := w.dec.Skip(); err != nil {
					return err
				}
				g.skip()
			} else {
				e, err := w.element(tok, 0)
				if err != nil {
					return err
				}
				g.add(n, e.fields(record == "/rss/channel/item"))
			}
			n++
			w.path = w.path[:len(w.path)-1]
		case xml.EndElement:
			w.path = w.path[:len(w.path)-1]
		}
	}
}

// An element is one element with what is in it.
type element struct {
	name  string
	attrs []xml.Attr
	text  string
	kids  []element
}

func (w *walker) element(start xml.StartElement, depth int) (element, error) {
	if depth > maxDepth {
		return element{}, errDeep
	}
	e := element{name: start.Name.Local, attrs: start.Attr}
	var text strings.Builder
	for {
		tok, err := w.dec.Token()
		if err != nil {
			return e, err
		}
		switch tok := tok.(type) {
		case xml.CharData:
			text.Write(tok)
		case xml.StartElement:
			kid, err := w.element(tok, depth+1)
			if err != nil {
				return e, err
			}
			e.kids = append(e.kids, kid)
		case xml.EndElement:
			e.text = strings.TrimSpace(text.String())
			return e, nil
		}
	}
}

// fields lists what a record says. jira knows the lists of Jira's RSS.
func (e element) fields(jira bool) []field {
	var out []field
	for _, a := range e.attrs {
		out = append(out, field{a.Name.Local, a.Value})
	}
	for _, kid := range e.kids {
		if jira {
			kid.jira(&out)
		} else {
			kid.flatten(kid.name, &out)
		}
	}
	if len(e.kids) == 0 && e.text != "" {
		out = append(out, field{e.name, e.text})
	}
	return out
}

// flatten lists an element's own text, then its attributes and elements with dotted
// names. A list of elements of one name is a repeated field.
func (e element) flatten(name string, out *[]field) {
	if e.text != "" || len(e.kids)+len(e.attrs) == 0 {
		*out = append(*out, field{name, e.text})
	}
	if e.text == "" {
		for _, a := range e.attrs {
			*out = append(*out, field{name + "." + a.Name.Local, a.Value})
		}
	}
	for _, kid := range e.kids {
		kid.flatten(name+"."+kid.name, out)
	}
}

// jira lists a field of Jira's item: the members of its lists as fields of their own,
// custom fields by their name, people with their accounts, links as Jira's CSV names them,
// HTML as text.
func (e element) jira(out *[]field) {
	switch e.name {
	case "customfields":
		for _, f := range e.kids {
			name := f.kid("customfieldname").text
			for _, v := range f.kid("customfieldvalues").kids {
				if name != "" {
					*out = append(*out, field{name, plainHTML(v.text)})
				}
			}
		}
	case "comments":
		*out = append(*out, field{"comment", e.comments()})
	case "assignee", "reporter":
		*out = append(*out, field{e.name, e.text}, field{e.name + " id", e.account("username")})
	case "labels", "subtasks", "attachments":
		for _, kid := range e.kids {
			text := plainHTML(kid.text)
			if name := kid.attr("name"); name != "" {
				text = name
			}
			*out = append(*out, field{kid.name, text})
		}
	case "issuelinks":
		for _, kind := range e.kids {
			for _, way := range kind.kids {
				side, _, _ := strings.Cut(way.name, "ward")
				for _, link := range way.kids {
					*out = append(*out, field{side + "ward issue link (" + kind.kid("name").text + ")", link.kid("issuekey").text})
				}
			}
		}
	case "summary", "title":
		*out = append(*out, field{e.name, plainHTML(e.text)})
	case "description", "environment":
		*out = append(*out, field{e.name, richText(e.text)})
	default:
		if len(e.kids) > 0 {
			e.flatten(e.name, out)
			return
		}
		text := e.text
		if text == "" { // the category of a status
			text = e.attr("key")
		}
		*out = append(*out, field{e.name, text})
	}
}

// A remark is what somebody said about a record, as the cells of comments hold it.
type remark struct {
	Author string `json:"author,omitempty"`
	Date   string `json:"date,omitempty"`
	Text   string `json:"text"`
}

// remarks writes what was said about a record into one cell.
func remarks(said []remark) string {
	if len(said) == 0 {
		return ""
	}
	raw, err := json.Marshal(said)
	if err != nil { // texts always encode
		return ""
	}
	return string(raw)
}

// comments are a list of comments.
func (e element) comments() string {
	var said []remark
	for _, kid := range e.kids {
		if text := richText(kid.text); text != "" {
			said = append(said, remark{kid.account("author"), kid.attr("created"), text})
		}
	}
	return remarks(said)
}

// account is the account that an attribute names; nobody has "-1".
func (e element) account(attribute string) string {
	for _, name := range []string{attribute, "accountid"} {
		if v := e.attr(name); v != "" && v != "-1" {
			return v
		}
	}
	return ""
}

func (e element) kid(name string) element {
	if at := slices.IndexFunc(e.kids, func(k element) bool { return k.name == name }); at >= 0 {
		return e.kids[at]
	}
	return element{}
}

func (e element) attr(name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
