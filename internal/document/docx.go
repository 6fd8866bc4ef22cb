package document

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"chela/internal/fault"
)

// readDOCX makes Markdown of a Word file: headings by their style, lists, tables.
func readDOCX(d Doc, raw []byte, z *zip.Reader) (Doc, error) {
	d.Kind = DOCX
	if err := checkZip(d.Name, raw); err != nil {
		return d, err
	}
	body, err := part(z, "word/document.xml")
	if err != nil {
		if errors.Is(err, errBomb) || errors.Is(err, errLarge) {
			return d, bomb(d.Name)
		}
		return d, damaged(err, d.Name, DOCX)
	}
	w := wordText{styles: wordStyles(z), out: new(strings.Builder)}
	if err := w.read(body); err != nil {
		if errors.Is(err, errEntities) {
			return d, fault.New(fault.Invalid, "%s declares XML entities, which Chela refuses. Save it again with Word.", d.Name)
		}
		if w.out.Len() == 0 {
			return d, damaged(err, d.Name, DOCX)
		}
		d.Problems = append(d.Problems, Problem{fmt.Sprintf("byte %d of word/document.xml", w.offset), fmt.Sprintf("%s breaks off; what is before was kept. Save it again with Word.", d.Name)})
	}
	if d.Text = strings.TrimSpace(w.out.String()); d.Text == "" {
		return d, fault.New(fault.Invalid, "%s holds no text.", d.Name)
	}
	return d.checkText()
}

// part unpacks one part of an Office file.
func part(z *zip.Reader, name string) ([]byte, error) {
	at := slices.IndexFunc(z.File, func(f *zip.File) bool { return f.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("%s is missing", name)
	}
	return inflate(z.File[at], 64<<20)
}

// wordStyles maps the ids of paragraph styles to the level of heading that their name
// says, whatever the language of the ids.
func wordStyles(z *zip.Reader) map[string]int {
	levels := make(map[string]int)
	raw, err := part(z, "word/styles.xml")
	if err != nil {
		return levels // the ids may say enough
	}
	dec := xmlDecoder(string(raw))
	id := ""
	for {
		tok, err := dec.Token()
		if err != nil {
			return levels
		}
		start, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		switch start.Name.Local {
		case "style":
			id = attrOf(start, "styleId")
		case "name":
			if level := headingLevel(attrOf(start, "val")); level > 0 && id != "" {
				levels[id] = level
			}
		}
	}
}

// headingLevel reads "heading 2", "Heading2" or "Title"; 0 is no heading.
func headingLevel(style string) int {
	s := strings.ToLower(strings.ReplaceAll(style, " ", ""))
	if s == "title" {
		return 1
	}
	n, err := strconv.Atoi(strings.TrimPrefix(s, "heading"))
	if err != nil || !strings.HasPrefix(s, "heading") || n < 1 {
		return 0
	}
	return min(n, 6)
}

// attrOf returns an attribute by its local name.
func attrOf(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// A wordText is the text of a Word file while it is read.
type wordText struct {
	styles map[string]int
	out    *strings.Builder
	offset int64
	depth  int
	runs   int // open w:t elements

	paragraph strings.Builder
	level     int  // of its heading
	listed    bool // it is an item of a list
	indent    int  // of the item, from 0
	wasListed bool // the paragraph before was an item

	tables []wordTable // open, the outermost first
}

// A wordTable is a table while it is read.
type wordTable struct {
	rows [][]string
	row  []string
	cell []string // its paragraphs
}

func (w *wordText) read(body []byte) error {
	dec := xmlDecoder(string(body))
	for {
		tok, err := dec.Token()
		w.offset = dec.InputOffset()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			for len(w.tables) > 0 {
				w.closeTable()
			}
			return err
		}
		switch tok := tok.(type) {
		case xml.Directive:
			return errEntities
		case xml.CharData:
			if w.runs > 0 {
				w.paragraph.Write(tok)
			}
		case xml.StartElement:
			if w.depth++; w.depth > maxDepth {
				return errDeep
			}
			w.open(tok)
		case xml.EndElement:
			w.depth--
			w.close(tok.Name.Local)
		}
	}
}

func (w *wordText) open(e xml.StartElement) {
	switch e.Name.Local {
	case "t":
		w.runs++
	case "tab":
		if w.paragraph.Len() > 0 {
			w.paragraph.WriteByte('\t')
		}
	case "br", "cr":
		w.paragraph.WriteByte('\n')
	case "pStyle":
		id := attrOf(e, "val")
		w.level = w.styles[id]
		if w.level == 0 {
			w.level = headingLevel(id)
		}
		w.listed = w.listed || strings.HasPrefix(id, "List")
	case "outlineLvl":
		if n, err := strconv.Atoi(attrOf(e, "val")); err == nil && w.level == 0 && n >= 0 && n < 6 {
			w.level = n + 1
		}
	case "numPr":
		w.listed = true
	case "ilvl":
		if n, err := strconv.Atoi(attrOf(e, "val")); err == nil {
			w.indent = min(max(n, 0), 8)
		}
	case "tbl":
		w.tables = append(w.tables, wordTable{})
	}
}

func (w *wordText) close(name string) {
	n := len(w.tables)
	switch name {
	case "t":
		w.runs--
	case "p":
		w.closeParagraph()
	case "tc":
		if n > 0 {
			t := &w.tables[n-1]
			t.row = append(t.row, strings.Join(t.cell, " "))
			t.cell = nil
		}
	case "tr":
		if n > 0 {
			t := &w.tables[n-1]
			t.rows = append(t.rows, t.row)
			t.row = nil
		}
	case "tbl":
		if n > 0 {
			w.closeTable()
		}
	}
}

func (w *wordText) closeParagraph() {
	text := strings.TrimSpace(w.paragraph.String())
	level, listed, indent := w.level, w.listed, w.indent
	w.paragraph.Reset()
	w.level, w.listed, w.indent = 0, false, 0
	if text == "" {
		return
	}
	if n := len(w.tables); n > 0 {
		w.tables[n-1].cell = append(w.tables[n-1].cell, text)
		return
	}
	if !listed || !w.wasListed {
		w.out.WriteByte('\n')
	}
	w.wasListed = false
	switch {
	case level > 0:
		w.out.WriteString(strings.Repeat("#", level) + " " + strings.ReplaceAll(text, "\n", " ") + "\n")
	case listed:
		w.wasListed = true
		w.out.WriteString(strings.Repeat("  ", indent) + "- " + text + "\n")
	default:
		w.out.WriteString(text + "\n")
	}
}

// closeTable writes a table; one inside a cell becomes the cell's text.
func (w *wordText) closeTable() {
	n := len(w.tables) - 1
	t := w.tables[n]
	w.tables = w.tables[:n]
	if n > 0 {
		for _, row := range t.rows {
			w.tables[n-1].cell = append(w.tables[n-1].cell, strings.Join(row, " "))
		}
		return
	}
	if len(t.rows) > 0 {
		w.out.WriteString("\n" + markdownTable(t.rows) + "\n")
		w.wasListed = false
	}
}
