// Package document turns bytes into text and tables. What cannot be read is told in
// one sentence with its place; what can be read is kept. Read is where to begin; each
// format has its own file.
package document

import (
	"fmt"
	"strings"

	"chela/internal/fault"
)

// A Kind is what a document is.
type Kind string

// The kinds.
const (
	CSV      Kind = "csv" // with any delimiter
	XLSX     Kind = "xlsx"
	XLS      Kind = "xls"
	JSON     Kind = "json"
	XML      Kind = "xml"
	HTML     Kind = "html"
	Markdown Kind = "markdown"
	Text     Kind = "text"
	PDF      Kind = "pdf"
	DOCX     Kind = "docx"
	Mail     Kind = "eml"
	Zip      Kind = "zip"
	Image    Kind = "image" // kept as an attachment: neither text nor tables
)

// readable names the formats in sentences for people.
const readable = "csv, tsv, xlsx, xls, json, xml, html, md, txt, pdf, docx, eml, pictures and zip archives of these"

// A Doc is a document that was read: its text, normalised to UTF-8 and "\n", and its
// tables. The text of html, docx, pdf and eml is Markdown without the tables that are
// in Tables.
type Doc struct {
	Name     string
	Kind     Kind
	Text     string
	Tables   []Table
	Problems []Problem
}

// A Table is one sheet, one html table, or one list of records. All its rows have as
// many cells as the header.
type Table struct {
	Sheet  string
	Header []string
	Rows   []Row
	Above  []string // what stands above the header, a text for each row
}

// A Row is one record. Line is where it begins, from 1: the line of a text, the row of
// a sheet or of an html table, the number of the record in json and xml.
type Row struct {
	Line  int
	Cells []string
	Said  string // of a row that is a line of a text: the line; what its cells do not say, nobody said
}

// A Problem is something that could not be read, and where.
type Problem struct {
	Where string // "line 41", "byte 200123"
	Text  string // a sentence
}

func (p Problem) String() string { return p.Where + ": " + p.Text }

// MaxBytes is how large a file may be, unless the limits say otherwise.
const MaxBytes = 64 << 20

// Limits bound what is read. Zero fields mean the default.
type Limits struct {
	Bytes int // of a file or of a member of an archive; 0 means MaxBytes
	Rows  int // of all its tables; 0 means 200,000
}

func (l Limits) fill() Limits {
	if l.Bytes == 0 {
		l.Bytes = MaxBytes
	}
	if l.Rows == 0 {
		l.Rows = 200_000
	}
	return l
}

// Bounds of every format, whatever the limits.
const (
	maxDepth   = 200        // nested elements, objects or lists
	maxColumns = 4096       // of a table
	maxCells   = 10_000_000 // of a table, the empty ones too
)

// Read reads a document. The documents of an archive and the attachments of a mail
// become one, their tables named after where they come from. An error means that
// nothing of it can be used; it is a sentence that names the document.
func Read(name string, raw []byte, lim Limits) (Doc, error) {
	docs, problems, err := ReadAll(name, raw, lim)
	if err != nil {
		return Doc{Name: name}, err
	}
	if len(docs) == 1 && docs[0].Name == name {
		docs[0].Problems = append(docs[0].Problems, problems...)
		return docs[0], nil
	}
	return merge(name, docs, problems), nil
}

// merge makes one document of those that a container holds.
func merge(name string, docs []Doc, problems []Problem) Doc {
	all := Doc{Name: name, Kind: Zip}
	var text []string
	for _, d := range docs {
		inside := strings.TrimPrefix(d.Name, name+"/")
		if d.Name == name {
			all.Kind, inside = d.Kind, ""
		}
		for _, t := range d.Tables {
			t.Sheet = strings.Trim(inside+"/"+t.Sheet, "/")
			all.Tables = append(all.Tables, t)
		}
		switch {
		case d.Text != "" && inside != "":
			text = append(text, "# "+inside+"\n\n"+d.Text)
		case d.Text != "":
			text = append(text, d.Text)
		}
		for _, p := range d.Problems {
			if inside != "" {
				p.Where = inside + ", " + p.Where
			}
			all.Problems = append(all.Problems, p)
		}
	}
	all.Text = strings.Join(text, "\n\n")
	all.Problems = append(all.Problems, problems...)
	return all
}

// ReadAll reads a document and what it holds: one Doc of a plain file, several of an
// archive or a mail, named like "export.zip/sub/a.csv". The problems are those of
// members that could not be read at all. Containers are opened at most 2 deep and give
// at most 200 documents.
func ReadAll(name string, raw []byte, lim Limits) ([]Doc, []Problem, error) {
	lim = lim.fill()
	o := opener{lim: lim, rows: lim.Rows, bytes: 4 * lim.Bytes}
	if err := o.open(name, raw, 0); err != nil {
		return nil, nil, err
	}
	return o.docs, o.problems, nil
}

// checkText notes NUL bytes, which no text has.
func (d Doc) checkText() (Doc, error) {
	if i := strings.IndexByte(d.Text, 0); i >= 0 {
		d.Problems = append(d.Problems, Problem{fmt.Sprintf("byte %d", i), fmt.Sprintf("%s has NUL bytes, the first at byte %d; they were left out.", d.Name, i)})
		d.Text = strings.ReplaceAll(d.Text, "\x00", "")
	}
	return d, nil
}

// leftOut says how many rows were beyond the limits.
func leftOut(name string, kept, left int) Problem {
	return Problem{fmt.Sprintf("row %d", kept+1), fmt.Sprintf("%s has more rows than are read: %d were kept, %d were left out. Split it to have them read.", name, kept, left)}
}

// A room is what may still be kept of a document's tables.
type room struct{ rows, cells int }

// keep takes the room of a row. When one has none, those behind it have none either.
func (r *room) keep(row Row) bool {
	if r.rows <= 0 || len(row.Cells) > r.cells {
		r.rows = 0
		return false
	}
	r.rows--
	r.cells -= len(row.Cells)
	return true
}

// header makes room for the row that names the columns of a further table.
func (r *room) header() {
	if r.rows > 0 {
		r.rows++
	}
}

// damaged is the error of a file whose structure is broken.
func damaged(cause error, name string, kind Kind) error {
	return fault.Wrap(cause, fault.Invalid, "%s cannot be read as %s: the file is damaged or was cut. Export it again.", name, kind)
}
